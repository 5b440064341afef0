//! Call ids that a target accepts, different for each call.

use crate::convert::chat::ChatTurn;
use crate::convert::notes::ConversionNotes;
use crate::reading::transcript::prelude::*;

/// The call ids that a target accepts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdRule {
    /// The maximum length in bytes.
    pub max_bytes: usize,
    /// Returns true for the accepted characters.
    pub accepts: fn(char) -> bool,
}

impl IdRule {
    /// Returns true if the target accepts an id.
    fn accepts_id(self, id: &str) -> bool {
        id.len() <= self.max_bytes && id.chars().all(self.accepts)
    }

    /// Returns an accepted id made from `id` for which `is_free` is true.
    ///
    /// Refused characters become `_`. An id that is taken gets a number. `last_numbers` holds the
    /// last number of each id, so that none is tried again.
    fn distinct_id(
        self,
        id: &str,
        last_numbers: &mut HashMap<String, u64>,
        is_free: impl Fn(&str) -> bool,
    ) -> String {
        let mut accepted: String =
            id.chars().map(|c| if (self.accepts)(c) { c } else { '_' }).collect();
        accepted.truncate(accepted.floor_char_boundary(self.max_bytes));
        if is_free(&accepted) {
            return accepted;
        }
        // Long ids with the same beginning share their numbers, because they are cut for them.
        let beginning = truncate_id(&accepted, self.max_bytes.saturating_sub(8));
        let number = last_numbers.entry(beginning.to_owned()).or_insert(1);
        loop {
            *number += 1;
            let ending = format!("_{number}");
            let id = truncate_id(&accepted, self.max_bytes - ending.len()).to_owned() + &ending;
            if is_free(&id) {
                return id;
            }
        }
    }
}

/// Returns the longest beginning of an id with at most `max_bytes` bytes.
fn truncate_id(id: &str, max_bytes: usize) -> &str {
    &id[..id.floor_char_boundary(max_bytes)]
}

/// Gives each call an id of its own, and its result the same id.
///
/// Results must follow the turn of their calls.
pub(super) fn assign_call_ids(turns: &mut [ChatTurn], rule: IdRule, notes: &mut ConversionNotes) {
    let logged = turns
        .iter()
        .flat_map(|turn| turn.calls.iter().filter_map(|call| call.id.clone()))
        .collect();
    let mut ids = IdAssignment {
        rule,
        logged,
        assigned: HashSet::new(),
        made_up: 0,
        last_numbers: HashMap::new(),
    };
    let mut last_ids: Vec<String> = Vec::new();
    for turn in turns {
        if turn.role == Role::Tool {
            turn.answers = last_ids.get(turn.call_number).cloned();
            continue;
        }
        let turn_ids: Vec<String> = turn
            .calls
            .iter()
            .map(|call| {
                ids.assign_id(call.id.as_deref().filter(|id| !id.is_empty()), turn.message, notes)
            })
            .collect();
        for (call, id) in turn.calls.iter_mut().zip(&turn_ids) {
            call.id = Some(id.clone());
        }
        if !turn_ids.is_empty() {
            last_ids = turn_ids;
        }
    }
}

/// The ids in use.
struct IdAssignment {
    rule: IdRule,
    /// All ids in the log.
    logged: HashSet<String>,
    /// The ids assigned so far.
    assigned: HashSet<String>,
    /// The number of the last id that was made up.
    made_up: u64,
    /// The last number that was given to each id that several calls have.
    last_numbers: HashMap<String, u64>,
}

impl IdAssignment {
    /// Returns the id of a call: the logged one if it is accepted and free.
    fn assign_id(
        &mut self,
        logged: Option<&str>,
        message: Option<usize>,
        notes: &mut ConversionNotes,
    ) -> String {
        let id = match logged {
            Some(id) if self.rule.accepts_id(id) && !self.assigned.contains(id) => id.to_owned(),
            Some(id) => {
                let why = if self.rule.accepts_id(id) {
                    "renumbered: another call has it"
                } else {
                    "respelled: it has characters, or so many, that the target refuses"
                };
                notes.add_note("call id", why, message);
                let Self { rule, logged, assigned, last_numbers, .. } = self;
                rule.distinct_id(id, last_numbers, |id| {
                    !assigned.contains(id) && !logged.contains(id)
                })
            }
            None => {
                notes.add_note("call id", "made up: the log has none", message);
                self.make_up_id()
            }
        };
        self.assigned.insert(id.clone());
        id
    }

    fn make_up_id(&mut self) -> String {
        loop {
            self.made_up += 1;
            let id = format!("call_{}", self.made_up);
            if self.is_free(&id) {
                return id;
            }
        }
    }

    /// Returns true if an id is neither assigned nor in the log.
    fn is_free(&self, id: &str) -> bool {
        !self.assigned.contains(id) && !self.logged.contains(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// No number is tried twice, so that many calls with one id take few attempts.
    #[test]
    fn equal_ids_get_the_next_number() {
        let rule = IdRule { max_bytes: 12, accepts: |c| c.is_ascii_alphanumeric() || c == '_' };
        let (mut numbers, mut taken) = (HashMap::new(), HashSet::new());
        let attempts = Cell::new(0);
        for id in
            std::iter::repeat_n("call.1", 500).chain(std::iter::repeat_n("a long id, cut", 500))
        {
            let given = rule.distinct_id(id, &mut numbers, |id| {
                attempts.set(attempts.get() + 1);
                !taken.contains(id)
            });
            assert!(given.len() <= 12 && given.chars().all(rule.accepts));
            taken.insert(given);
        }
        assert!(taken.contains("call_1") && taken.contains("call_1_500"));
        assert_eq!(taken.len(), 1000);
        assert!(attempts.get() < 3000, "{} attempts", attempts.get());
    }
}

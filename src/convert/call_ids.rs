//! Call ids that a target accepts, different for each call.

use crate::convert::chat::ChatTurn;
use crate::convert::notes::{ConversionNotes, NotePlace};
use crate::transcript::Role;
use std::collections::HashSet;

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
    /// Refused characters become `_`. An id that is taken gets a number.
    fn distinct_id(self, id: &str, is_free: impl Fn(&str) -> bool) -> String {
        let accepted: String = id
            .chars()
            .map(|c| if (self.accepts)(c) { c } else { '_' })
            .collect();
        let plain = truncate_id(&accepted, self.max_bytes);
        if is_free(plain) {
            return plain.to_owned();
        }
        let mut number = 2;
        loop {
            let ending = format!("_{number}");
            let id = truncate_id(&accepted, self.max_bytes - ending.len()).to_owned() + &ending;
            if is_free(&id) {
                return id;
            }
            number += 1;
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
    };
    let mut last_ids: Vec<String> = Vec::new();
    for turn in turns {
        if turn.role == Role::Tool {
            turn.answers = last_ids.get(turn.call_number).cloned();
            continue;
        }
        let place = NotePlace::in_message(turn.message);
        let turn_ids: Vec<String> = turn
            .calls
            .iter()
            .map(|call| ids.assign_id(call.id.as_deref().filter(|id| !id.is_empty()), place, notes))
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
}

impl IdAssignment {
    /// Returns the id of a call: the logged one if it is accepted and free.
    fn assign_id(
        &mut self,
        logged: Option<&str>,
        place: NotePlace,
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
                notes.add_note("call id", why, place);
                self.rule.distinct_id(id, |id| self.is_free(id))
            }
            None => {
                notes.add_note("call id", "made up: the log has none", place);
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

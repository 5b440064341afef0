//! References: what the agent may have to name again. Each is remembered with
//! where it was seen, and ranked by how likely it is to be needed.

use super::groups::Candidates;
use super::kinds::{CODE, Kinds, NUMBER, PATH, QUOTED, WORDS};
use super::values::Key;
use std::collections::HashMap;

/// Where a reference was seen; bits.
pub(super) type Places = u8;
/// In a tool argument.
pub(super) const CALL: Places = 1;
/// In the user's words.
pub(super) const USER: Places = 2;
/// In the assistant's words.
pub(super) const ASSISTANT: Places = 4;
/// In a tool result.
pub(super) const TOOL: Places = 8;

/// The last messages that a reference is the more current for standing in.
const LATEST: usize = 4;

#[derive(Debug)]
struct Reference {
    text: String,
    key: Option<usize>,
    key_from_call: bool,
    seen: u32,
    messages: u32,
    latest: u32,
    last: usize,
    places: Places,
    kinds: Kinds,
}

/// All references of a conversation.
#[derive(Debug, Default)]
pub(super) struct References {
    all: Vec<Reference>,
    index: HashMap<String, usize>,
    keys: Vec<String>,
    key_index: HashMap<String, usize>,
    /// How many messages the conversation has.
    turns: usize,
}

impl References {
    pub(super) fn new(turns: usize) -> Self {
        Self { turns, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Notes that `text` was seen in message `turn`.
    pub(super) fn add(&mut self, text: &str, kinds: Kinds, turn: usize, place: Places, key: Key<'_>) {
        let at = match self.index.get(text) {
            Some(&at) => at,
            None => {
                self.index.insert(text.to_owned(), self.all.len());
                let new = Reference { text: text.to_owned(), key: None, key_from_call: false, seen: 0, messages: 0, latest: 0, last: 0, places: 0, kinds };
                self.all.push(new);
                self.all.len() - 1
            }
        };
        // An argument's name is what the value will be asked for under; else the first name counts.
        let known = &self.all[at];
        let key = (!key.name.is_empty() && (known.key.is_none() || (place == CALL && !known.key_from_call))).then(|| self.key(key));
        let reference = &mut self.all[at];
        if key.is_some() {
            reference.key = key;
            reference.key_from_call = place == CALL;
        }
        if reference.seen == 0 || reference.last != turn {
            reference.messages += 1;
            reference.latest += u32::from(turn + LATEST >= self.turns);
        }
        reference.seen += 1;
        reference.last = turn;
        reference.places |= place;
        // A phrase that is also a code is a code.
        reference.kinds = if kinds & WORDS == 0 { (reference.kinds | kinds) & !WORDS } else { reference.kinds };
    }

    fn key(&mut self, key: Key<'_>) -> usize {
        let label = key.label();
        *self.key_index.entry(label).or_insert_with_key(|label| {
            self.keys.push(label.clone());
            self.keys.len() - 1
        })
    }

    /// The references that can have a place in `tokens`, best first, as they will be written.
    pub(super) fn candidates(&self, tokens: usize) -> Candidates {
        // Each costs about a token at least; some are left out because the summary says them already.
        let ranked = self.ranked(tokens.saturating_add(64));
        Candidates::new(ranked.into_iter().map(|reference| (reference.text.as_str(), reference.key)), &self.keys)
    }

    /// The best `limit` references, best first.
    fn ranked(&self, limit: usize) -> Vec<&Reference> {
        let mut scored: Vec<(f64, usize)> = self.all.iter().enumerate().map(|(at, reference)| (self.worth(reference), at)).collect();
        let better = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if scored.len() > limit {
            scored.select_nth_unstable_by(limit, better);
            scored.truncate(limit);
        }
        scored.sort_unstable_by(better);
        scored.into_iter().map(|(_, at)| &self.all[at]).collect()
    }

    /// How likely the reference is to be needed, by what it costs. The weights
    /// were learnt on logged sessions (`spec`: summary); short ones go first.
    #[allow(clippy::cast_precision_loss, reason = "counts of messages are far below 2^52")]
    fn worth(&self, reference: &Reference) -> f64 {
        let seen = |place: Places| f64::from(u8::from(reference.places & place != 0));
        let is = |kinds: Kinds| f64::from(u8::from(reference.kinds & kinds != 0));
        let characters = reference.text.chars().count() as f64;
        let tool_only = f64::from(u8::from(reference.places == TOOL));
        let score = -5.769 - 0.43 * (f64::from(reference.seen).ln_1p() / 3.0).min(1.0)
            + 1.577 * (reference.last + 1) as f64 / self.turns.max(1) as f64
            + 0.783 * seen(CALL)
            + 0.075 * seen(USER)
            + 0.755 * seen(ASSISTANT)
            + 0.591 * seen(TOOL)
            - 0.46 * (f64::from(reference.messages) / 4.0).min(1.0)
            - 0.575 * tool_only
            + 1.058 * is(PATH)
            + 1.01 * is(CODE)
            - 0.566 * is(NUMBER)
            + 1.487 * is(QUOTED)
            + 1.201 * (f64::from(reference.latest) / 2.0).min(1.0)
            - 3.592 * (characters / 40.0).min(1.0)
            - 1.5 * is(WORDS);
        let likely = 1.0 / (1.0 + (-score).exp());
        likely / (characters / 3.5 + 1.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quarter(text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }

    fn key(name: &str) -> Key<'_> {
        Key { name, parent: "" }
    }

    #[test]
    fn a_key_is_paid_once() {
        let mut references = References::new(3);
        references.add("HAT175", CODE, 0, TOOL, key("flight_number"));
        references.add("mia_li_3668", CODE, 1, USER, Key::NONE);
        references.add("HAT084", CODE, 1, TOOL, key("flight_number"));
        references.add("mia_li_3668", 0, 2, CALL, key("user_id"));
        assert_eq!(references.candidates(40).write(40, "", &quarter), "user_id: mia_li_3668\nflight_number: HAT084 HAT175");
        assert_eq!(references.candidates(40).write(40, "she is mia_li_3668, on HAT0841", &quarter), "flight_number: HAT084 HAT175");
    }

    #[test]
    fn the_recent_and_used_go_before_the_old_and_idle() {
        let mut references = References::new(50);
        for turn in 0..40 {
            references.add(&format!("OLD{turn:03}"), CODE, turn, TOOL, key("code"));
        }
        references.add("NEW001", CODE, 48, CALL, key("code"));
        assert_eq!(references.candidates(4).write(4, "", &quarter), "code: NEW001");
    }

    #[test]
    fn the_budget_holds_for_any_counter() {
        let mut references = References::new(50);
        for turn in 0..50 {
            references.add(&format!("ID_{turn:03}"), CODE, turn, TOOL, key("code"));
        }
        let dear = |text: &str| text.len();
        let cheap = |text: &str| text.len().div_ceil(9);
        for tokens in [1, 9, 30, 100, 1000] {
            assert!(dear(&references.candidates(tokens).write(tokens, "", &dear)) <= tokens);
            assert!(cheap(&references.candidates(tokens).write(tokens, "", &cheap)) <= tokens);
        }
        assert!(references.candidates(30).write(30, "", &cheap).len() > 200);
    }
}

//! How strongly a sentence binds what follows: whether it forbids, requires, prefers or sets a value.

use crate::summary::extract::lexicon::{BINDING, COMMANDING, CONDITIONS, ORDERS, WISHING};
use crate::summary::extract::prelude::*;

/// How strongly a sentence binds what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    /// It tells something.
    No,
    /// It orders or wishes something, or names a value.
    Weak,
    /// It forbids, requires, limits, prefers, or orders something on a condition or with a value: neither can
    /// be guessed later.
    Strong,
}

/// The longest sentence that is an order or sets a value, in bytes.
const LONGEST_ORDER: usize = 240;
/// The beginning of a sentence in which a word that binds is an order, in bytes.
const OPENING: usize = 24;
/// The longest line that sets a value, in bytes.
const LONGEST_SETTING: usize = 110;
/// The longest name of a value, in bytes.
const LONGEST_LABEL: usize = 32;
static BINDING_SEARCH: LazySearch =
    LazyLock::new(|| PhraseSearch::new(&[COMMANDING, BINDING, OWN_LACKS, WISHING]));
static WISH_SEARCH: LazySearch = LazyLock::new(|| PhraseSearch::new(&[WISHING]));
const COMMANDS: u8 = 1;
const BINDS: u8 = 2;
const LACKS: u8 = 4;
const WISHES: u8 = 8;

/// Returns how strongly a sentence binds.
pub(crate) fn binding_of(text: &str) -> Binding {
    if is_question(text) && !text.contains([',', '.']) {
        return Binding::No;
    }
    let mut found = BINDING_SEARCH.find_lists(text, OPENING);
    if found.anywhere & LACKS != 0 {
        found = BINDING_SEARCH.find_lists(without_own_lack(text), OPENING);
    }
    if found.anywhere & COMMANDS != 0 || found.in_opening & BINDS != 0 {
        return Binding::Strong;
    }
    if found.anywhere & (BINDS | WISHES) != 0 {
        return Binding::Weak;
    }
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    if text.len() > LONGEST_ORDER {
        return Binding::No;
    }
    let is_order = ORDERS.contains(&first.as_str());
    let has_value = || text.contains(|c: char| c.is_ascii_digit());
    if is_conditional_order(text) || is_order && has_value() {
        return Binding::Strong;
    }
    if is_order || sets_value(text) {
        return Binding::Weak;
    }
    Binding::No
}

/// Returns true for a sentence that only says what the user wants, and sets no limit before or after it.
pub(crate) fn only_wishes(text: &str) -> bool {
    let binds = |text: &str| BINDING_SEARCH.find_lists(text, 0).anywhere & (COMMANDS | BINDS) != 0;
    BINDING_SEARCH.find_lists(text, 0).anywhere & WISHES != 0
        && WISH_SEARCH.ends_in(text).next().is_some_and(|end| {
            let (wish, wanted) = text.split_at(end);
            !binds(wish) && !binds(wanted)
        })
}

/// Returns a sentence without its beginning up to `I don't` or `I can't`: what the speaker lacks binds
/// nobody, but for what one does not want.
fn without_own_lack(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    for lack in OWN_LACKS {
        if let Some((before, after)) = lower.split_once(lack)
            && (before.is_empty() || before.ends_with([' ', ',']))
            && !WANTS.iter().any(|want| after.trim_start().starts_with(want))
        {
            return &text[text.len() - after.len()..];
        }
    }
    text
}

/// What the speaker does not do, and the words behind that which make it a wish.
const OWN_LACKS: &[&str] = &["i don't", "i do not", "i can't", "i cannot", "i won't", "i'm not"];
const WANTS: [&str; 7] = ["want", "need", "like", "care", "wish", "mind", "accept"];

fn is_question(text: &str) -> bool {
    text.ends_with(['?', '？'])
}

/// Returns true for `If …, do this`.
fn is_conditional_order(text: &str) -> bool {
    let Some((condition, order)) = text.rsplit_once(", ") else {
        return false;
    };
    let word = |text: &str| text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    CONDITIONS.contains(&word(condition).as_str()) && ORDERS.contains(&word(order).as_str())
}

/// Returns true for `Name: value`.
fn sets_value(text: &str) -> bool {
    let Some((label, value)) = text.split_once([':', '=']) else {
        return false;
    };
    let (label, value) = (label.trim(), value.trim());
    if text.len() > LONGEST_SETTING {
        return false;
    }
    !label.is_empty()
        && label.len() <= LONGEST_LABEL
        && !value.is_empty()
        && !value.starts_with('/')
        && !label.contains(['/', '<'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[rustfmt::skip]
    fn sentences_that_bind_are_told_from_others() {
        for (binding, texts) in [
            (Binding::Strong, [
                "Never push to main.", "Please don't touch it", "At most 3 retries.", "You must stop.", "Nicht den Ordner löschen.",
                "不要改动接口。", "절대 바꾸지 말고 반드시 테스트", "Sans toucher au parser",
                "Set the timeout to 75 seconds.", "If it takes long, skip it.",
            ].as_slice()),
            (Binding::Weak, &["I'd like a window seat.", "我希望是一个桌面游戏", "Ich möchte ein Spiel.", "Je voudrais annuler."]),
            (Binding::Weak, &["Use tabs.", "Budget: 400 dollars", "The parser drops comments and never says so."]),
            (Binding::No, &["I don't remember the id.", "The parser drops comments.", "Is it done?", "onlyness counts"]),
        ] {
            for text in texts {
                assert_eq!(binding_of(text), binding, "{text}");
            }
        }
    }

    #[test]
    fn a_wish_with_a_limit_is_more_than_a_wish() {
        for wish in [
            "I need to cancel two bookings.",
            "Hi, I'd like to know my balance, please?",
            "我希望是一个桌面游戏",
        ] {
            assert!(only_wishes(wish), "{wish}");
        }
        for limit in [
            "Without touching the parser, I want a cache.",
            "I need the flight to stay under $1,000.",
            "I want you to never push.",
            "Use tabs.",
        ] {
            assert!(!only_wishes(limit), "{limit}");
        }
    }
}

//! Tells outcomes that only acknowledge a call from those that say more.

use crate::summary::extract::lexicon::outcome_words::SUCCESSES;

/// Returns true if an outcome only says that the call worked. A number outside of a path says more.
pub(super) fn is_acknowledgement(outcome: &str) -> bool {
    let lower = outcome.to_lowercase();
    let counts = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let mut words = lower
        .split_whitespace()
        .filter(|word| !word.contains(['/', '\\', '.']));
    SUCCESSES.iter().any(|word| lower.contains(word))
        && (COUNTED_BY_EDITORS
            .iter()
            .any(|counted| lower.contains(counted))
            || !words.any(counts))
}

/// What an editor counts.
const COUNTED_BY_EDITORS: [&str; 6] = [
    "replacement",
    "characters",
    "replaced text",
    "block(s)",
    "modified file:",
    "the following files:",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_a_call_worked_says_nothing_else() {
        assert!(is_acknowledgement("Edit applied successfully."));
        assert!(is_acknowledgement(
            "The file /tmp/a1/b.py has been updated."
        ));
        assert!(!is_acknowledgement("Created issue 42"));
        assert!(!is_acknowledgement("3 passed"));
        assert!(is_acknowledgement("Edited src/a.rs: 1 replacement"));
        assert!(is_acknowledgement(
            "Successfully replaced text in a.rs. Changed 133 characters to 9"
        ));
    }
}

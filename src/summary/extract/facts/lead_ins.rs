//! Skips the sentences at the start of a reply that say nothing themselves: apologies, and what only announces the
//! rest.

use crate::summary::extract::lex::sentences::split_sentences;
use crate::summary::extract::lexicon::assistant_words::{
    EMPTY_SUMMARY_WORDS, LEAD_IN_OPENINGS, LEAD_IN_WORDS,
};

/// The most sentences that are skipped.
const MOST_SKIPPED: usize = 4;
/// Minimum length in bytes of what is left: less than that may lack what it speaks of.
const LEAST_LEFT: usize = 40;

/// Returns a reply without the sentences at its start that say nothing. If nothing else is left, it stays whole.
pub(super) fn without_lead_in(reply: &str) -> &str {
    let mut rest = reply.trim_start();
    for _ in 0..MOST_SKIPPED {
        let line = rest.lines().next().unwrap_or_default();
        let sentence = split_sentences(line).next().unwrap_or_default();
        if !leads_in(sentence.trim()) {
            break;
        }
        rest = rest[sentence.len()..].trim_start();
    }
    if rest.len() >= LEAST_LEFT {
        rest
    } else {
        reply
    }
}

/// Returns true for a sentence that announces what follows, or is sorry.
fn leads_in(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    // A heading or an item says something.
    !lower.is_empty()
        && !lower.starts_with(['#', '-', '*', '`', '|', '1'])
        && (LEAD_IN_OPENINGS
            .iter()
            .any(|opening| lower.starts_with(opening))
            || EMPTY_SUMMARY_WORDS
                .iter()
                .any(|words| lower.contains(words))
            || (lower.ends_with(':') && LEAD_IN_WORDS.iter().any(|words| lower.contains(words))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_announces_is_skipped() {
        let told = "The valve in `pump.rs` leaks because its seal is old.";
        for lead in [
            "I apologize for the confusion earlier. ",
            "You're absolutely right! ",
            "Based on the results, we have the following context:\n\n",
            "Based on the search, we have some insights. Let's break down what we found. ",
            "I'm sorry. Here's a summary of the findings:\n",
        ] {
            assert_eq!(without_lead_in(&format!("{lead}{told}")), told);
        }
        for reply in [
            told,
            "I apologize for the confusion.",
            "Next: `cargo test`. It must pass now, all of it.",
        ] {
            assert_eq!(without_lead_in(reply), reply);
        }
    }
}

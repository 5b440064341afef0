//! Skips the sentences at the start of a reply that say nothing themselves: apologies, and what only announces the
//! rest.

use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::split_sentences;
use crate::summary::extract::lexicon::assistant_words::{
    CONFUSION_WORDS, EMPTY_SUMMARY_WORDS, FAULT_WORDS, LEAD_IN_OPENINGS, LEAD_IN_WORDS,
};
use std::sync::LazyLock;

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

/// Returns true for a short sentence that announces what follows, or is sorry, and says nothing else.
fn leads_in(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    if lower.is_empty() || lower.len() > LONGEST_LEAD || says_something(&lower) {
        return false;
    }
    let announces = lower.ends_with(':') && LEAD_IN_WORDS.iter().any(|words| lower.contains(words));
    announces
        || EMPTY_SUMMARY_WORDS
            .iter()
            .any(|words| lower.contains(words))
        || LEAD_IN_OPENINGS.iter().any(|opening| {
            let rest = lower.strip_prefix(opening);
            rest.is_some_and(|rest| is_of_confusion(rest) || rest.len() <= LONGEST_REST)
        })
}

/// Maximum length in bytes of such a sentence, and of what stands behind its opening.
const LONGEST_LEAD: usize = 240;
const LONGEST_REST: usize = 24;

/// Returns true if a sentence in small letters names something, counts, goes on behind a mark, or tells of trouble.
fn says_something(sentence: &str) -> bool {
    let inner = sentence.trim_end_matches([':', '.', '!']);
    inner.contains(['`', '_', '"', ':', ';', '—', '–'])
        || inner.contains(" - ")
        || inner.contains(" but ")
        || sentence.bytes().any(|byte| byte.is_ascii_digit())
        || sentence.starts_with(['#', '-', '*', '|'])
        || TROUBLES.has_words(sentence)
}

/// Returns true if the end of an apology says only what it is for in general.
fn is_of_confusion(rest: &str) -> bool {
    CONFUSION_WORDS.iter().any(|word| {
        let after = rest.split_once(word).map(|(_, after)| after);
        after.is_some_and(|after| after.len() <= LONGEST_REST)
    })
}

/// Searches for words of trouble.
static TROUBLES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[FAULT_WORDS]));

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
            "I apologize, but I dropped the table of the orders. The staging tables are gone as asked.",
            "Thanks for waiting: the deploy failed at the gate of the mill. The checks of it passed before.",
            "Sorry about that - I deleted the branch of the mill. It had commits that nobody has now.",
            "After the port we have several regressions: the login fails. The docs build passes by now.",
            told,
            "I apologize for the confusion.",
            "Next: `cargo test`. It must pass now, all of it.",
        ] {
            assert_eq!(without_lead_in(reply), reply);
        }
    }
}

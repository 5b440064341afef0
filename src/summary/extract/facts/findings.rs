//! Finds the sentences in which the assistant decides or finds something.

use super::fact::{Fact, FactKind};
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::speech_words::{
    COURTESY_WORDS, FINDING_WORDS, INTENT_OPENINGS, NEXT_WORDS, WEAK_FINDING_WORDS,
};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use hashbrown::HashSet;
use std::sync::LazyLock;

/// Minimum and maximum length of a sentence in bytes.
const LEAST_SENTENCE: usize = 25;
const LONGEST_SENTENCE: usize = 280;
/// Maximum number of sentences that are read of a message.
const MOST_SENTENCES: usize = 200;
/// Maximum number of messages that are read for each fact wanted.
const MESSAGES_PER_FACT: usize = 4;
/// The marks around code.
const FENCE: &str = "```";

/// Returns the best sentences of the newest messages of the assistant, one a message. `begin` is
/// the index of the message that begins the current task.
pub(crate) fn find_findings(turns: &[ViewedTurn<'_>], most: usize, begin: usize) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut seen = HashSet::new();
    let messages = turns
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, turn)| turn.role == Role::Assistant && !turn.earlier_summary);
    for (number, turn) in messages.take(most * MESSAGES_PER_FACT) {
        if facts.len() >= most {
            break;
        }
        let Some((sentence, score)) = best_sentence(&turn.text) else {
            continue;
        };
        let text = fold_line(sentence, LONGEST_SENTENCE).into_owned();
        if !seen.insert(text.clone()) {
            continue;
        }
        let recency = i32::try_from((number + 1) * 1600 / turns.len().max(1)).unwrap_or(0);
        facts.push(Fact {
            kind: FactKind::Finding,
            text,
            worth: recency + 150 * score.min(6) - if number < begin { 2500 } else { 0 },
            order: turns.len() - number,
            heading: None,
        });
    }
    facts
}

/// Returns the sentence of a message that says most, and how much that is.
fn best_sentence(text: &str) -> Option<(&str, i32)> {
    let (head, tail) = both_ends(text);
    let mut best: Option<(&str, i32)> = None;
    for window in [head, tail] {
        // Every second part stands in a fence.
        for prose in window.split(FENCE).step_by(2) {
            let prose = prose.split("<function=").next().unwrap_or_default();
            for sentence in sentences_of(prose).take(MOST_SENTENCES) {
                let score = score_of(sentence);
                if score > 0 && best.is_none_or(|(_, most)| score >= most) {
                    best = Some((sentence, score));
                }
            }
        }
    }
    best
}

/// Splits prose into sentences, without the marks of lists and headings around them.
fn sentences_of(prose: &str) -> impl Iterator<Item = &str> {
    prose
        .lines()
        .flat_map(split_sentences)
        .map(|sentence| sentence.trim_matches([' ', '-', '*', '#', '•', '\t', '_']))
        .filter(|sentence| (LEAST_SENTENCE..=LONGEST_SENTENCE).contains(&sentence.len()))
}

/// Splits a line after each `.`, `!` or `?` before a blank, and after each `。`.
fn split_sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .find_map(|(at, c)| {
                let after = at + c.len_utf8();
                let ends = match c {
                    '.' | '!' | '?' => rest[after..].starts_with(' '),
                    '。' | '！' | '？' => true,
                    _ => false,
                };
                ends.then_some(after)
            })
            .unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// Returns how much a sentence says: the words of a finding in it, and whether it names something.
fn score_of(sentence: &str) -> i32 {
    if sentence.ends_with([':', '?']) {
        return 0;
    }
    let words = SentenceWords::of(sentence);
    if words.is_courtesy || words.findings == 0 {
        return 0;
    }
    let names =
        sentence.contains(['`', '_', '/']) || sentence.bytes().any(|byte| byte.is_ascii_digit());
    // `I have found your details` says nothing to go on from.
    if !words.is_strong && !names {
        return 0;
    }
    if begins_with_intent(sentence) {
        // A plan says less than what came of it.
        return i32::from(names && words.says_next);
    }
    let findings = i32::try_from(words.findings.count_ones()).unwrap_or(0);
    findings + 2 * i32::from(names) + i32::from(words.says_next)
}

/// Returns true if a sentence says what the assistant is about to do.
fn begins_with_intent(sentence: &str) -> bool {
    INTENT_OPENINGS.iter().any(|opening| {
        sentence
            .get(..opening.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(opening))
    })
}

/// Searches a sentence for all phrases at once: courtesy, then findings, then what comes next.
static PHRASES: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[COURTESY_WORDS, FINDING_WORDS, NEXT_WORDS]));

/// The number of the first phrase of a finding, and of what comes next.
const FIRST_FINDING: usize = COURTESY_WORDS.len();
const FIRST_NEXT: usize = FIRST_FINDING + FINDING_WORDS.len();

/// The phrases in a sentence.
#[derive(Debug, Default)]
struct SentenceWords {
    is_courtesy: bool,
    /// A bit for each of `FINDING_WORDS`.
    findings: u128,
    /// It has words of a finding besides `WEAK_FINDING_WORDS`.
    is_strong: bool,
    says_next: bool,
}

impl SentenceWords {
    fn of(sentence: &str) -> Self {
        let mut words = Self::default();
        PHRASES.visit(sentence, &mut |phrase, stands_as_words| {
            if phrase < FIRST_FINDING {
                words.is_courtesy = true;
            } else if phrase >= FIRST_NEXT {
                words.says_next = true;
            } else if stands_as_words {
                let finding = phrase - FIRST_FINDING;
                words.findings |= 1 << finding;
                words.is_strong |= !WEAK_FINDING_WORDS.contains(&FINDING_WORDS[finding]);
            }
        });
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_that_finds_something_is_taken() {
        let text = "I look at it. The bug is in `to_snake`, because HTTP is not split. Let me know if you need more.\n```\nif x: # not found because\n```";
        assert_eq!(
            best_sentence(text).unwrap().0,
            "The bug is in `to_snake`, because HTTP is not split."
        );
        for text in [
            "",
            "Sure!",
            "I'll help you with that today.",
            "I have found your reservation details.",
            "```\nit is not found\n```",
        ] {
            assert_eq!(best_sentence(text), None, "{text}");
        }
        assert!(best_sentence("这个问题已经修复了，因为配置文件里的路径是错误的。").is_some());
    }
}

//! Finds the sentences in which the assistant decides or finds something.

use super::fact::{Fact, FactKind};
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::assistant_words::{
    BACK_REFERENCES, BARE_BACK_REFERENCES, COURTESY_WORDS, DONE_WORDS, FINDING_WORDS, GUESS_WORDS,
    INTENT_OPENINGS, INTENT_WORDS, NEXT_WORDS, SETTLED_WORDS, TROUBLE_WORDS, UNSEEN_WORDS,
    WEAK_FINDING_WORDS,
};
use crate::summary::extract::lexicon::sentence_words::{ABBREVIATIONS, SENTENCE_OPENERS};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use hashbrown::HashSet;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Minimum and maximum length of a sentence in bytes.
const LEAST_SENTENCE: usize = 25;
const LONGEST_SENTENCE: usize = 280;
/// Minimum length in bytes of a sentence that names nothing.
const LEAST_NAMELESS: usize = 40;
/// Maximum number of sentences that are read of a message.
const MOST_SENTENCES: usize = 200;
/// Maximum number of messages that are read for each fact wanted.
const MESSAGES_PER_FACT: usize = 4;
/// What the newest finding is worth more. Each older one has half of that.
const NEWEST_WORTH: i32 = 800;
const MOST_HALVINGS: usize = 12;
/// What a finding about something that works by now is worth less.
const OVER_LOSS: i32 = 2000;
/// Number of bytes within which a word that opens a sentence ends.
const LONGEST_OPENER: usize = 12;
/// Number of messages within which it is news that something was not found.
const NEW_MESSAGES: usize = 8;
/// The opening of a line that names a step: `Step 4: Run it again`.
const STEP: &str = "step ";
/// The mark around stressed words, of which one side may have been trimmed.
const STRESS_MARK: &str = "**";
/// Length in bytes of the marks around code.
const FENCE_LENGTH: usize = 3;

/// Returns the best sentences of the newest messages of the assistant, one a message. `begin` is
/// the index of the message that begins the current task.
pub(crate) fn find_findings(turns: &[ViewedTurn<'_>], most: usize, begin: usize) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut seen = HashSet::new();
    let (mut is_settled, mut is_committed) = (false, false);
    let is_said = |turn: &ViewedTurn<'_>| turn.role == Role::Assistant && !turn.earlier_summary;
    // Beside the first call, nothing has been found yet.
    let opening = (turns.iter().position(is_said)).filter(|&first| !turns[first].calls.is_empty());
    let messages = (turns.iter().enumerate().rev())
        .filter(|(number, turn)| is_said(turn) && opening != Some(*number));
    for (number, turn) in messages.take(most * MESSAGES_PER_FACT) {
        if facts.len() >= most {
            break;
        }
        let commits = is_committed;
        is_committed |= commits_in(turn);
        let Some((sentence, score)) = best_sentence(&turn.text) else {
            continue;
        };
        let text = fold_line(&sentence.replace(STRESS_MARK, ""), LONGEST_SENTENCE).into_owned();
        if !seen.insert(text.clone()) {
            continue;
        }
        let recency = i32::try_from((number + 1) * 1600 / turns.len().max(1)).unwrap_or(0);
        let newest = NEWEST_WORTH >> facts.len().min(MOST_HALVINGS);
        // What was not seen long ago may have been found since.
        if turns.len() - number > NEW_MESSAGES && UNSEEN.has_words(&text) {
            continue;
        }
        // A later commit says how far the work is.
        if commits && DONE.has_words(&text) {
            continue;
        }
        // What was in the way is over once the assistant said that it works.
        let is_over = is_settled && TROUBLES.has_words(&text);
        is_settled |= SETTLED.has_words(&text) && !TROUBLES.has_words(&text);
        facts.push(Fact {
            kind: FactKind::Finding,
            text,
            worth: recency + newest + 150 * score.min(6)
                - if is_over { OVER_LOSS } else { 0 }
                - if number < begin { 2500 } else { 0 },
            order: turns.len() - number,
            heading: None,
            is_pinned: false,
        });
    }
    facts
}

/// Returns true if the assistant commits its work in a message.
fn commits_in(turn: &ViewedTurn<'_>) -> bool {
    let mut calls = turn.calls.iter();
    calls.any(|call| COMMIT_SEARCH.find(&call.arguments).is_some())
}

/// Returns the sentence of a message that says most, and how much that is.
fn best_sentence(text: &str) -> Option<(&str, i32)> {
    let (head, tail) = both_ends(text);
    let mut best: Option<(&str, i32)> = None;
    for window in [head, tail] {
        // Every second part stands in a fence.
        for prose in split_at_fences(window).step_by(2) {
            let end = CALL_SEARCH.find(prose.as_bytes()).unwrap_or(prose.len());
            for sentence in sentences_of(&prose[..end]).take(MOST_SENTENCES) {
                let score = score_of(sentence);
                if score > 0 && best.is_none_or(|(_, most)| score >= most) {
                    best = Some((sentence, score));
                }
            }
        }
    }
    best
}

/// Searches for the marks around code, for a commit, and for the start of a call in tags.
static FENCE_SEARCH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("```"));
static COMMIT_SEARCH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("git commit"));
static CALL_SEARCH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("<function="));

/// Splits a text at the marks around code.
fn split_at_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut ends = FENCE_SEARCH.find_iter(text.as_bytes());
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let end = ends.next();
        start = end.map(|at| at + FENCE_LENGTH);
        Some(&text[from..end.unwrap_or(text.len())])
    })
}

/// Splits prose into sentences, without the marks of lists and headings around them.
pub(crate) fn sentences_of(prose: &str) -> impl Iterator<Item = &str> {
    lines_of(prose)
        // A short line has no sentence that is long enough.
        .filter(|line| line.len() >= LEAST_SENTENCE)
        .flat_map(split_sentences)
        .map(trim_marks)
        .filter(|sentence| (LEAST_SENTENCE..=LONGEST_SENTENCE).contains(&sentence.len()))
}

/// Splits a text into lines, without their ends.
fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let mut start = 0;
    ends.map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        line.strip_suffix('\r').unwrap_or(line)
    })
}

/// Trims the marks of lists and headings around a sentence.
fn trim_marks(sentence: &str) -> &str {
    let is_mark = |byte: &u8| matches!(byte, b' ' | b'-' | b'*' | b'#' | b'\t' | b'_');
    let bytes = sentence.as_bytes();
    // Most sentences have none.
    if let [first, .., last] = bytes
        && first.is_ascii_alphanumeric()
        && last.is_ascii()
        && !is_mark(last)
    {
        return sentence;
    }
    sentence.trim_matches([' ', '-', '*', '#', '•', '\t', '_'])
}

/// Splits a line after each `.`, `!` or `?` before a blank, after each `。`, and after a dot behind
/// which a model forgot the blank: `the list.So we`.
pub(crate) fn split_sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = sentence_end(rest).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// Returns the place behind the first mark that ends a sentence.
fn sentence_end(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let ascii = memchr::memchr3_iter(b'.', b'!', b'?', bytes)
        .find(|&at| match bytes.get(at + 1) {
            // What stands in brackets belongs to the sentence before them.
            Some(b' ') => bytes.get(at + 2) != Some(&b'(') && !ends_with_short_form(&line[..at]),
            _ => is_opened(&line[at + 1..]),
        })
        .map(|at| at + 1);
    let before = &line[..ascii.unwrap_or(line.len())];
    // The first byte of `。`, and that of `！` and `？`.
    let wide = memchr::memchr2_iter(0xE3, 0xEF, before.as_bytes())
        .find(|at| line[*at..].starts_with(['。', '！', '？']))
        .map(|at| at + '。'.len_utf8());
    wide.or(ascii)
}

/// Returns true if a text ends with a short form, but for its last dot.
fn ends_with_short_form(text: &str) -> bool {
    let word = text.rsplit([' ', '(']).next().unwrap_or_default();
    ABBREVIATIONS.contains(&word)
}

/// Returns true if a text begins with a word that opens sentences, like `So`.
fn is_opened(text: &str) -> bool {
    // The longest of these words is short.
    let near = &text[..floor_char(text, LONGEST_OPENER)];
    let Some((word, _)) = near.split_once([' ', ',']) else {
        return false;
    };
    SENTENCE_OPENERS.contains(&word)
}

/// Returns how much a sentence says: the words of a finding in it, and whether it names something.
fn score_of(sentence: &str) -> i32 {
    // A row of a table, or code.
    if sentence.ends_with([':', '?', ';']) || sentence.starts_with('|') {
        return 0;
    }
    // A name alone finds nothing.
    if !sentence.contains(' ') && sentence.is_ascii() {
        return 0;
    }
    let words = SentenceWords::of(sentence);
    if words.is_courtesy
        || words.findings == 0
        || INTENTS.has_words(sentence)
        // What came of a guess says more.
        || GUESSES.has_words(sentence)
        || starts_with_any(sentence, &[STEP])
        || ends_with_bare_name(sentence)
    {
        return 0;
    }
    let names = memchr::memchr3(b'`', b'_', b'/', sentence.as_bytes()).is_some()
        || sentence.bytes().any(|byte| byte.is_ascii_digit());
    // `I have found your details` says nothing to go on from.
    if !names && (!words.is_strong || sentence.len() < LEAST_NAMELESS) {
        return 0;
    }
    if begins_with_intent(sentence) {
        // A plan says less than what came of it.
        return i32::from(names && words.says_next);
    }
    // Nobody knows what `it` was.
    if starts_with_any(sentence, BACK_REFERENCES) {
        let says_more = names && words.is_strong;
        return i32::from(says_more && !starts_with_any(sentence, BARE_BACK_REFERENCES));
    }
    let findings = i32::try_from(words.findings.count_ones()).unwrap_or(0);
    1 + findings + 2 * i32::from(names) + i32::from(words.says_next)
}

/// Returns true if a sentence says what the assistant is about to do.
pub(super) fn begins_with_intent(sentence: &str) -> bool {
    starts_with_any(sentence, INTENT_OPENINGS)
        || (starts_with_any(sentence, &[PURPOSE])
            && DOERS.iter().any(|doer| sentence.contains(doer)))
}

/// The opening of a sentence like `To edit line 7, we need its text`, and who does what it says.
const PURPOSE: &str = "to ";
const DOERS: [&str; 3] = [", we ", ", I ", ", you "];

/// Returns true if a sentence begins with any of some words, in letters of any case.
fn starts_with_any(sentence: &str, openings: &[&str]) -> bool {
    openings.iter().any(|opening| {
        sentence
            .get(..opening.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(opening))
    })
}

/// Returns true for a heading with nothing but a name behind it: `To decide: `economy.md:581``.
fn ends_with_bare_name(sentence: &str) -> bool {
    let name = sentence
        .strip_suffix('`')
        .and_then(|rest| rest.rsplit_once('`'));
    name.is_some_and(|(before, _)| before.trim_end().ends_with([':', '：']))
}

/// Searches for the words of guesses, of plans, and of what works or does not.
static GUESSES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[GUESS_WORDS]));
static INTENTS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[INTENT_WORDS]));
static SETTLED: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[SETTLED_WORDS]));
static UNSEEN: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[UNSEEN_WORDS]));
static DONE: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[DONE_WORDS]));
static TROUBLES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[TROUBLE_WORDS]));

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
            "Since the bug is in `a.rs`, I'll look for `b.rs`.",
            "Step 4: Rerun the script to confirm the fix in `a.py`",
            "需要共同决定的问题：`economy.md:581`",
        ] {
            assert_eq!(best_sentence(text), None, "{text}");
        }
        assert!(best_sentence("这个问题已经修复了，因为配置文件里的路径是错误的。").is_some());
    }
}

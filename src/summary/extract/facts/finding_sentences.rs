//! Weighs the sentences of the assistant by what they find, decide or conclude.

use super::expected_sections::is_expected_at;
use super::item_subjects::subject_of;
use super::next_steps::steps_heading;
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::code_marks::prose_parts;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::{LONGEST_SENTENCE, sentences_of};
use crate::summary::extract::lexicon::assistant_words::{
    COURTESY_WORDS, INTENT_OPENINGS, INTENT_WORDS, NEXT_WORDS, REPLY_OPENINGS,
};
use crate::summary::extract::lexicon::finding_words::{
    BACK_REFERENCES, BARE_BACK_REFERENCES, CAUSE_WORDS, CONCLUSION_WORDS, EMPTY_FINDING_WORDS,
    FINDING_WORDS, GUESS_WORDS, JOINING_OPENINGS, PASSING_WORDS, PRAISE_WORDS, TURNING_OPENINGS,
    WEAK_FINDING_WORDS,
};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::LazyLock;

/// Minimum length in bytes of a sentence that names nothing.
const LEAST_NAMELESS: usize = 40;
/// Maximum number of sentences that are read of a message.
const MOST_SENTENCES: usize = 200;
/// Maximum number of sentences that are taken of a message, and what each further one is worth less.
const SENTENCES_PER_MESSAGE: usize = 3;
const FURTHER_LOSS: i32 = 350;
/// The same of a report, in which the assistant says what it did.
const SENTENCES_PER_REPORT: usize = 8;
const FURTHER_REPORT_LOSS: i32 = 120;
/// Minimum length in bytes of a sentence that says more than a word of how it went.
const LEAST_TELLING: usize = 70;
/// Minimum length in bytes of a sentence that explains what it names.
const LEAST_EXPLAINING: usize = 100;
/// What each word of a finding is worth, and the most that count.
const SCORE_WORTH: i32 = 220;
const MOST_SCORE: i32 = 10;
/// The label of what an agent thinks before its command.
const THOUGHT: &str = "THOUGHT: ";
/// The opening of a line that names a step: `Step 4: Run it again`.
const STEP: &str = "step ";
/// The mark around stressed words, of which one side may have been trimmed.
pub(super) const STRESS_MARK: &str = "**";
/// Length in bytes of the marks around code.
const FENCE_LENGTH: usize = 3;

/// What a message of the assistant is, by what is taken of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// It says what was done, without a call.
    Report,
    /// It stands beside calls, or is short.
    Remark,
    /// The agent makes no calls: its messages weigh what may be.
    Thought,
}

impl MessageKind {
    /// Returns the maximum number of sentences that are taken of a message.
    fn most_sentences(self) -> usize {
        match self {
            Self::Report => SENTENCES_PER_REPORT,
            Self::Remark => SENTENCES_PER_MESSAGE,
            Self::Thought => 1,
        }
    }

    /// Returns what each further sentence of a message is worth less.
    pub(super) fn further_loss(self) -> i32 {
        if self == Self::Report {
            FURTHER_REPORT_LOSS
        } else {
            FURTHER_LOSS
        }
    }
}

/// A sentence of a message or a document.
pub(super) struct ScoredSentence<'t> {
    text: &'t str,
    /// The name of what it is about, if it does not tell.
    subject: Option<&'t str>,
    /// How much it says.
    pub(super) score: i32,
    /// Number of sentences before it.
    at: usize,
    /// Number of sentences beside it that say more.
    pub(super) rank: usize,
}

impl ScoredSentence<'_> {
    /// Returns the sentence on a line, without the marks of stress.
    pub(super) fn plain(&self) -> String {
        let text = self.text.strip_prefix(THOUGHT).unwrap_or(self.text);
        let text = without_joint(text).replace(STRESS_MARK, "");
        let text = match self.subject {
            Some(subject) => format!("`{subject}`: {text}"),
            None => text,
        };
        fold_line(&text, LONGEST_SENTENCE).into_owned()
    }

    /// Returns what it is worth by what it says.
    pub(super) fn worth(&self) -> i32 {
        SCORE_WORTH * self.score.min(MOST_SCORE)
    }
}

/// Returns the sentences of a message that say most, in their order. In a report, what names something
/// says something.
pub(super) fn best_sentences(text: &str, kind: MessageKind) -> Vec<ScoredSentence<'_>> {
    let (head, tail) = both_ends(text);
    let mut best: Vec<ScoredSentence<'_>> = Vec::new();
    for window in [head, tail] {
        // Every second part stands in a fence.
        for prose in split_at_fences(window).step_by(2) {
            let end = CALL_SEARCH.find(prose.as_bytes()).unwrap_or(prose.len());
            // Steps that are left to do are no findings.
            let end = steps_heading(&prose[..end]).unwrap_or(end);
            let sentences: Vec<&str> = sentences_of(&prose[..end]).take(MOST_SENTENCES).collect();
            let mut joined = None;
            for (number, &sentence) in sentences.iter().enumerate() {
                // It stands with the sentence that it turns.
                if joined == Some(number) {
                    continue;
                }
                let mut score = score_of(sentence, kind == MessageKind::Report);
                if kind == MessageKind::Report && opens_report(text, sentence) {
                    score += OPENING_SCORE;
                }
                let place = sentence.as_ptr().addr() - text.as_ptr().addr();
                // A heading tells what its section is about, unless it says what was found.
                if is_heading_at(text, place) && !finds_something(sentence) {
                    score = 0;
                }
                if score > 0 && !is_expected_at(text, place) {
                    let whole = with_turn(text, sentence, sentences.get(number + 1));
                    joined = (whole.len() > sentence.len()).then_some(number + 1);
                    let sentence = whole;
                    let about = subject_of(text, place, sentence);
                    best.push(ScoredSentence {
                        text: about.map_or(sentence, |(_, said)| said),
                        subject: about.map(|(subject, _)| subject),
                        score,
                        at: best.len(),
                        rank: 0,
                    });
                }
            }
        }
    }
    // Of two that say as much, the later one is the conclusion.
    best.sort_unstable_by_key(|sentence| Reverse((sentence.score, sentence.at)));
    best.truncate(kind.most_sentences());
    for (rank, sentence) in best.iter_mut().enumerate() {
        sentence.rank = rank;
    }
    best.sort_unstable_by_key(|sentence| sentence.at);
    best
}

/// Returns a sentence with the one behind it if that says what is not so: `However, it has no lid.`
fn with_turn<'t>(text: &'t str, sentence: &'t str, next: Option<&&'t str>) -> &'t str {
    let Some(next) = next.filter(|next| starts_with_any(next, TURNING_OPENINGS)) else {
        return sentence;
    };
    let place = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    let both = &text[place(sentence)..place(next) + next.len()];
    if both.len() <= LONGEST_SENTENCE && !both.contains('\n') {
        both
    } else {
        sentence
    }
}

/// Returns the number of letters of a sentence outside of marks of code.
fn letters_outside_code(sentence: &str) -> usize {
    prose_parts(sentence)
        .map(|part| part.chars().filter(|c| c.is_alphabetic()).count())
        .sum()
}

/// The least letters of prose beside code.
const LEAST_PROSE: usize = 6;

/// Returns true if the line around byte `place` of a text is a heading.
fn is_heading_at(text: &str, place: usize) -> bool {
    let before = text[..place].rsplit('\n').next().unwrap_or_default();
    before.trim_start().starts_with('#')
}

/// Returns true if a sentence has words of a finding.
fn finds_something(sentence: &str) -> bool {
    SentenceWords::of(sentence).findings > 0
}

/// Returns a sentence without the word that joins it to the one before.
fn without_joint(sentence: &str) -> &str {
    let mut openings = JOINING_OPENINGS.iter();
    openings
        .find_map(|opening| sentence.strip_prefix(opening))
        .unwrap_or(sentence)
}

/// Returns true for the first sentence of a report if it says what came of the work.
fn opens_report(report: &str, sentence: &str) -> bool {
    sentence.len() >= LEAST_OPENING
        && sentence.contains(|c: char| c.is_ascii_digit() || c == '`')
        && !sentence.ends_with([':', '?'])
        && !sentence.starts_with(['|', '#', '-', '*'])
        && report.trim_start().starts_with(sentence)
}

/// Minimum length in bytes of such a sentence, and what it says more.
const LEAST_OPENING: usize = 60;
const OPENING_SCORE: i32 = 8;

/// Returns the sentences of a document that say most.
pub(super) fn document_sentences(text: &str) -> Vec<ScoredSentence<'_>> {
    best_sentences(text, MessageKind::Remark)
}

/// Searches for the marks around code, and for the start of a call in tags.
static FENCE_SEARCH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("```"));
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

/// Returns how much a sentence says: the words of a finding in it, and whether it names something.
fn score_of(sentence: &str, is_report: bool) -> i32 {
    let sentence = without_joint(sentence);
    // A row of a table, or code.
    if sentence.ends_with([':', '?', ';'])
        || sentence.starts_with(['|', '$'])
        || sentence.contains(" | ")
        || sentence.ends_with('|')
    {
        return 0;
    }
    // A list of names says nothing of them.
    if sentence.contains('`') && letters_outside_code(sentence) < LEAST_PROSE {
        return 0;
    }
    // A name or a call alone finds nothing.
    if (!sentence.contains(' ') && sentence.is_ascii()) || is_code(sentence) {
        return 0;
    }
    let words = SentenceWords::of(sentence);
    // A long sentence that names things of the program explains something.
    let explains = sentence.len() >= LEAST_EXPLAINING && sentence.matches('`').count() >= 2;
    if words.is_courtesy
        || (words.findings == 0 && !is_report && !explains)
        // How it stands by now, later messages say.
        || PASSING.has_words(sentence)
        || INTENTS.has_words(sentence)
        // What came of a guess says more.
        || GUESSES.has_words(sentence)
        || EMPTY.has_words(sentence)
        || starts_with_any(sentence, &[STEP])
        || ends_with_bare_name(sentence)
    {
        return 0;
    }
    let names = memchr::memchr3(b'`', b'_', b'/', sentence.as_bytes()).is_some()
        || sentence.bytes().any(|byte| byte.is_ascii_digit());
    // What is praised as a whole may work in part.
    let limits = [" but ", " not ", " only "]
        .iter()
        .any(|word| sentence.contains(word));
    if !names && !limits && PRAISE.has_words(sentence) && !CAUSES.has_words(sentence) {
        return 0;
    }
    // `I have found your details` says nothing to go on from.
    if !names && (!words.is_strong || sentence.len() < LEAST_NAMELESS) {
        return 0;
    }
    // What came of a plan says more, and an answer to oneself says nothing alone.
    if begins_with_intent(sentence) || starts_with_any(sentence, REPLY_OPENINGS) {
        return 0;
    }
    // Nobody knows what `it` was.
    if starts_with_any(sentence, BACK_REFERENCES) {
        let says_more = names && words.is_strong;
        return i32::from(says_more && !starts_with_any(sentence, BARE_BACK_REFERENCES));
    }
    let findings = i32::try_from(words.findings.count_ones()).unwrap_or(0);
    let is_conclusion = CONCLUSIONS.has_words(sentence);
    1 + findings.min(3)
        + 2 * i32::from(names)
        + i32::from(words.says_next)
        + 4 * i32::from(is_conclusion)
        + 2 * i32::from(CAUSES.has_words(sentence))
        + i32::from(sentence.contains(STRESS_MARK))
        + i32::from(sentence.len() >= LEAST_TELLING)
}

/// Returns true if a sentence says what the assistant is about to do.
pub(crate) fn begins_with_intent(sentence: &str) -> bool {
    starts_with_any(sentence, INTENT_OPENINGS)
        || is_doing_now(sentence)
        || (starts_with_any(sentence, &[PURPOSE])
            && DOERS.iter().any(|doer| sentence.contains(doer)))
}

/// The opening of a sentence like `To edit line 7, we need its text`, and who does what it says.
const PURPOSE: &str = "to ";
const DOERS: [&str; 3] = [", we ", ", I ", ", you "];

/// Returns true for a sentence like `Now writing the hooks.`
fn is_doing_now(sentence: &str) -> bool {
    let rest = sentence.strip_prefix(NOW).unwrap_or_default();
    let word = rest.split(' ').next().unwrap_or_default();
    word.ends_with("ing") && word.starts_with(|c: char| c.is_ascii_lowercase())
}

/// The opening of a sentence about what goes on.
const NOW: &str = "Now ";

/// Returns true if a sentence begins with any of some words, in letters of any case.
fn starts_with_any(sentence: &str, openings: &[&str]) -> bool {
    let start = &sentence[..floor_char(sentence, LONGEST_OPENING)];
    // Some write `I’m`.
    let start = if start.contains('’') {
        Cow::Owned(start.replace('’', "'"))
    } else {
        Cow::Borrowed(start)
    };
    openings.iter().any(|opening| {
        start
            .get(..opening.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(opening))
    })
}

/// Maximum length in bytes of the words by which a sentence is known.
const LONGEST_OPENING: usize = 64;

/// Returns true for a sentence that is code and nothing else: `search_code("a b")` in marks.
fn is_code(sentence: &str) -> bool {
    let code = sentence
        .strip_prefix('`')
        .and_then(|rest| rest.split_once('`'));
    code.is_some_and(|(_, rest)| !rest.contains(char::is_alphanumeric))
}

/// Returns true for a heading with nothing but a name behind it: `To decide: `economy.md:581``.
fn ends_with_bare_name(sentence: &str) -> bool {
    let name = sentence
        .strip_suffix('`')
        .and_then(|rest| rest.rsplit_once('`'));
    name.is_some_and(|(before, _)| before.trim_end().ends_with([':', '：']))
}

/// Searches for the words of guesses, of plans, of causes and conclusions, and of what goes on.
static GUESSES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[GUESS_WORDS]));
static EMPTY: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[EMPTY_FINDING_WORDS]));
static INTENTS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[INTENT_WORDS]));
static PASSING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[PASSING_WORDS]));
pub(super) static CAUSES: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[CAUSE_WORDS]));
static PRAISE: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[PRAISE_WORDS]));
static CONCLUSIONS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[CONCLUSION_WORDS]));

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
    fn a_report_opens_with_what_came_of_the_work() {
        let opening =
            "All 136 tasks of the mill stand as closed, and 6 faults of the pump are there.";
        let rest = "The valve in `pump.rs` leaks because it is old. ".repeat(9);
        let report = format!("{opening} {rest}");
        let best = best_sentences(&report, MessageKind::Report);
        assert_eq!(best[0].text, opening);
        assert!(!opens_report(
            &report,
            "The valve in `pump.rs` leaks because it is old."
        ));
        assert!(!opens_report("I looked at 7.", "I looked at 7."));
    }

    #[test]
    fn a_heading_is_no_finding_unless_it_says_what_was_found() {
        let report = "## Item 2 of the plan: the pump of the mill\n\nThe pump of `mill.rs` is there now.\n\n## The valve 7 leaks because it is old\n";
        let best = best_sentences(report, MessageKind::Report);
        let texts: Vec<&str> = best.iter().map(|sentence| sentence.text).collect();
        assert_eq!(
            texts,
            [
                "The pump of `mill.rs` is there now.",
                "The valve 7 leaks because it is old"
            ]
        );
    }

    #[test]
    fn the_sentence_that_finds_something_is_taken() {
        let text = "I look at it. The bug is in `to_snake`, because HTTP is not split. Let me know if you need more.\n```\nif x: # not found because\n```";
        let best = |text| -> Vec<&str> {
            let best = best_sentences(text, MessageKind::Remark).into_iter();
            best.map(|sentence| sentence.text).collect()
        };
        assert_eq!(
            best(text),
            ["The bug is in `to_snake`, because HTTP is not split."]
        );
        for text in [
            "",
            "Sure!",
            "`state`, `model`, `thinkingLevel`, `isStreaming`, `messages`, `queueMode`, `autoCompactionEnabled`, `not_found`",
            "I'll help you with that today.",
            "I have found your reservation details.",
            "```\nit is not found\n```",
            "Since the bug is in `a.rs`, I'll look for `b.rs`.",
            "Step 4: Rerun the script to confirm the fix in `a.py`",
            "需要共同决定的问题：`economy.md:581`",
        ] {
            assert!(best(text).is_empty(), "{text}");
        }
        assert!(!best("这个问题已经修复了，因为配置文件里的路径是错误的。").is_empty());
    }
}

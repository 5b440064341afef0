//! Finds what a harness says around the user's words: what may not be changed, the steps to take, and
//! what holds for each of them.

use super::fact::{Fact, FactKind};
use super::frame_steps::{CLAUSE_LIMITS, asked_steps, is_step};
use super::standing_wishes::WISHES;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::sentences_of;
use crate::summary::extract::lexicon::request_words::{
    END_WORDS, FRAME_LIMITS, LIMITED_WORDS, START_OPENINGS, TIP_OPENINGS,
};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Before the steps: which of them are done, they don't tell.
const STEPS_LABEL: &str = "the steps asked for, in short: ";
/// The same before the last steps of a long list.
const LAST_STEPS_LABEL: &str = "the steps asked for end, in short, with: ";
/// How the first step of a list begins.
const FIRST_STEP: &str = "1. ";
/// Before the functions that a harness offers.
const FUNCTIONS_LABEL: &str = "functions to call: ";
/// Maximum number of limits and of tips of a conversation.
const MOST_LIMITS: usize = 4;
const MOST_TIPS: usize = 8;
/// A word of a sentence about commands that an agent cannot answer.
const INTERACTIVE: &str = "interactive";
/// The beginning of a sentence that says what to do in place of what the one before forbids.
const INSTEAD: &str = "Instead";
/// Number of words in capital letters that make a command of a sentence.
const SHOUTED_WORDS: usize = 3;
/// Maximum length in bytes of what is told of a frame, and of a tip.
const LONGEST_FACT: usize = 320;
const LONGEST_TIP: usize = 180;
/// The worth of the strongest limit and of the steps, of another limit, of a rule, of a tip, and of a
/// further tip of the same item of a list.
const LIMIT_WORTH: i32 = 4500;
const OTHER_LIMIT_WORTH: i32 = 2500;
const RULE_WORTH: i32 = 2400;
const TIP_WORTH: i32 = 1500;
const FURTHER_TIP_WORTH: i32 = 700;

static ENDS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[END_WORDS]));
static LIMITS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[FRAME_LIMITS]));
static LIMITED: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[LIMITED_WORDS]));

/// A sentence about what to do when something happens.
#[derive(Debug, PartialEq, Eq)]
struct FrameTip<'r> {
    text: &'r str,
    /// Another tip of the same item of a list stands before it.
    is_further: bool,
}

/// What a harness says around the user's words.
#[derive(Debug, Default)]
pub(crate) struct FrameRules<'r> {
    /// Sentences that limit what may be changed, the strongest first.
    limits: Vec<&'r str>,
    /// Sentences that hold for each step, and the one that says how to end.
    rules: Vec<&'r str>,
    /// Sentences about what to do when something happens.
    tips: Vec<FrameTip<'r>>,
    /// The steps of a list.
    steps: Vec<String>,
    /// The signatures of the functions that may be called.
    functions: String,
}

impl<'r> FrameRules<'r> {
    /// Takes note of what stands before and behind the user's words.
    pub(super) fn observe(&mut self, before: &'r str, after: &'r str) {
        if SummaryRule::FrameRules.is_off() {
            return;
        }
        for frame in [before, after] {
            self.observe_limits(frame);
        }
        if self.rules.is_empty() {
            self.observe_rules(after);
        }
        if self.steps.is_empty() {
            self.steps = asked_steps(after);
        }
    }

    /// Takes note of the signatures of the functions that may be called.
    pub(super) fn offer_functions(&mut self, signatures: String) {
        if !SummaryRule::FrameRules.is_off() {
            self.functions = signatures;
        }
    }

    /// Drops what the system prompt says in the same words: it stays.
    pub(super) fn drop_told(&mut self, prompt: &str) {
        let prompt = fold_line(prompt, usize::MAX);
        let is_told = |sentence: &str| prompt.contains(fold_line(sentence, usize::MAX).as_ref());
        self.limits.retain(|limit| !is_told(limit));
        self.rules.retain(|rule| !is_told(rule));
        self.tips.retain(|tip| !is_told(tip.text));
    }

    /// Adds the sentences of a frame that limit what may be changed, the strongest first, one about each
    /// topic.
    fn observe_limits(&mut self, frame: &'r str) {
        let mut limits: Vec<(usize, &str)> = sentences_in(frame)
            .filter(|sentence| LIMITED.has_words(sentence))
            .filter_map(|sentence| Some((strongest_limit(sentence)?, sentence)))
            .collect();
        limits.sort_by_key(|(limit, _)| *limit);
        for (_, sentence) in limits {
            let topics = topics_of(sentence);
            let is_new = |limit: &&str| (topics_of(limit) & topics) == 0 && *limit != sentence;
            let says_more = self.limits.is_empty() || topics != 0;
            if self.limits.len() < MOST_LIMITS && says_more && self.limits.iter().all(is_new) {
                self.limits.push(sentence);
            }
        }
    }

    /// Adds a command in capital letters, how to end, and tips.
    fn observe_rules(&mut self, frame: &'r str) {
        let shouted = sentences_in(frame).find(|sentence| is_shouted_sentence(sentence));
        let end = sentences_in(frame).find(|sentence| ENDS.has_words(sentence));
        self.rules.extend(shouted);
        self.rules.extend(end.filter(|end| Some(*end) != shouted));
        let sentences: Vec<&str> = sentences_in(frame).collect();
        let next = sentences.iter().skip(1).map(Some).chain([None]);
        let tips = (sentences.iter().zip(next))
            // What to do instead stands in another sentence.
            .filter(|(_, next)| !next.is_some_and(|next| next.starts_with(INSTEAD)))
            .map(|(sentence, _)| *sentence)
            .filter(|sentence| is_tip(sentence) || sentence.contains(INTERACTIVE))
            .filter(|sentence| !self.rules.contains(sentence))
            .filter(|sentence| !self.limits.contains(sentence));
        let mut item = None;
        let tips: Vec<FrameTip<'r>> = tips
            .take(2 * MOST_TIPS)
            .map(|text| {
                let before = std::mem::replace(&mut item, item_of(frame, text));
                let is_further = item.is_some() && before == item;
                FrameTip { text, is_further }
            })
            .collect();
        // A message without a frame says nothing of them.
        if !tips.is_empty() {
            self.tips = tips;
        }
    }

    /// Returns what the frames say as facts.
    /// Once something `is_begun`, tips for the beginning say nothing.
    pub(crate) fn facts(&self, is_begun: bool) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut push = |kind, text: &str, worth| {
            facts.push(Fact {
                kind,
                text: fold_line(without_aside(text), LONGEST_FACT).into_owned(),
                worth,
                order: 0,
                heading: None,
                is_pinned: false,
                longer: None,
            });
        };
        for (number, limit) in self.limits.iter().enumerate() {
            let worth = if number == 0 {
                LIMIT_WORTH
            } else {
                OTHER_LIMIT_WORTH
            };
            let limit = if number == 0 {
                limit
            } else {
                clause_of_limit(limit)
            };
            push(FactKind::Constraint, limit, worth);
        }
        if !self.steps.is_empty() {
            let label = if self.steps[0].starts_with(FIRST_STEP) {
                STEPS_LABEL
            } else {
                LAST_STEPS_LABEL
            };
            let steps = format!("{label}{}", self.steps.join(" / "));
            push(FactKind::Constraint, &steps, LIMIT_WORTH);
        }
        if !self.functions.is_empty() {
            let functions = format!("{FUNCTIONS_LABEL}{}", self.functions);
            push(FactKind::Constraint, &functions, RULE_WORTH);
        }
        for rule in &self.rules {
            push(FactKind::Constraint, &without_middle(rule), RULE_WORTH);
        }
        let is_over = |tip: &str| {
            is_begun
                && START_OPENINGS
                    .iter()
                    .any(|opening| tip.starts_with(opening))
        };
        let tips = self.tips.iter().filter(|tip| !is_over(tip.text));
        for tip in tips.take(MOST_TIPS) {
            let worth = if tip.is_further {
                FURTHER_TIP_WORTH
            } else {
                TIP_WORTH
            };
            push(FactKind::Tip, tip.text, worth);
        }
        facts
    }
}

/// Returns the place in a frame of the item of a numbered list that a sentence stands in.
fn item_of(frame: &str, sentence: &str) -> Option<usize> {
    let end = frame.find(sentence)? + sentence.len();
    let mut start = 0;
    let mut item = None;
    for line in frame[..end].split_inclusive('\n') {
        if is_step(line.trim_start()) {
            item = Some(start);
        }
        start += line.len();
    }
    item
}

/// Returns the clause of a long sentence that limits something: `so you don't need to install others`.
fn clause_of_limit(sentence: &str) -> &str {
    if sentence.len() <= LONG_LIMIT {
        return sentence;
    }
    let clauses = sentence
        .match_indices(", ")
        .map(|(at, mark)| at + mark.len());
    let mut last = None;
    for at in clauses {
        let clause = &sentence[at..];
        if strongest_limit(clause).is_some() && LIMITED.has_words(clause) {
            last = Some(clause);
        }
    }
    let clause = last.unwrap_or(sentence);
    // What stands before it may say when it holds.
    let before = &sentence[..sentence.len() - clause.len()];
    let mut words = before.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| {
        CLAUSE_LIMITS
            .iter()
            .any(|limit| word.eq_ignore_ascii_case(limit))
    }) {
        return sentence;
    }
    clause.strip_prefix("so ").unwrap_or(clause)
}

/// Returns the things that a limit is about, as bits.
fn topics_of(sentence: &str) -> u32 {
    let lower = sentence.to_ascii_lowercase();
    let named = TOPICS.iter().map(|topic| u32::from(lower.contains(topic)));
    named.fold(0, |topics, is_named| topics << 1 | is_named)
}

/// Things that a harness limits, each by a part of its word.
const TOPICS: [&str; 6] = ["test", "install", "commit", "push", "delet", "network"];

/// Returns the sentences at both ends of a frame.
fn sentences_in(frame: &str) -> impl Iterator<Item = &str> {
    let (head, tail) = both_ends(frame);
    let sentences = sentences_of(head).chain(sentences_of(tail));
    // What stands in brackets limits only what stands before them.
    sentences.filter(|sentence| !sentence.starts_with('('))
}

/// Returns a sentence without the words at its start that only join it to the one before.
fn without_aside(sentence: &str) -> &str {
    [
        "This means ",
        "Also ",
        "Note that ",
        "Note however that ",
        "Your task is to ",
        "Remember, ",
    ]
    .iter()
    .find_map(|aside| sentence.strip_prefix(aside))
    .unwrap_or(sentence)
}

/// Returns a sentence, or of a long one when it holds and its end: `When it works, … run the submit command.`
fn without_middle(sentence: &str) -> Cow<'_, str> {
    let (condition, main) = match sentence.split_once(", ") {
        Some((condition, main)) if sentence.len() > LONGEST_WHOLE_RULE => (condition, main),
        _ => return Cow::Borrowed(sentence),
    };
    let from = floor_char(main, main.len().saturating_sub(LONGEST_RULE_END));
    // Without what it forbids, a rule would ask for the opposite.
    if WISHES.has_words(&main[..from]) {
        return Cow::Borrowed(sentence);
    }
    match main[from..].split_once(' ') {
        Some((_, end)) if from > 0 => Cow::Owned(format!("{condition}, … {end}")),
        _ => Cow::Borrowed(sentence),
    }
}

/// Length in bytes of a limit from which on only a clause of it is told.
const LONG_LIMIT: usize = 110;
/// Maximum length in bytes of a rule whose middle is not left out, and the maximum length of its end.
const LONGEST_WHOLE_RULE: usize = 150;
const LONGEST_RULE_END: usize = 40;

/// Returns true for a sentence that says what to do when something happens: `If it fails, try another`.
fn is_tip(sentence: &str) -> bool {
    sentence.len() <= LONGEST_TIP
        && TIP_OPENINGS
            .iter()
            .any(|opening| sentence.starts_with(opening))
}

/// Returns true for a sentence that is mostly written in capital letters.
pub(crate) fn is_shouted_sentence(sentence: &str) -> bool {
    let shouted = sentence.split_whitespace().filter(|word| {
        word.len() > 1
            && word
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || b"'./".contains(&byte))
    });
    shouted.count() >= SHOUTED_WORDS
}

/// Returns the index in `FRAME_LIMITS` of the strongest limit in a sentence.
fn strongest_limit(sentence: &str) -> Option<usize> {
    let mut strongest = None;
    LIMITS.visit(sentence, &mut |limit, stands_as_words| {
        if stands_as_words {
            strongest = Some(strongest.map_or(limit, |other: usize| other.min(limit)));
        }
    });
    strongest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_frame_asks_for_is_found() {
        let before = "";
        let after = "You don't need to install packages. I wrote the tests, so you DON'T have to modify them in any way! Can you help me?\nMake the minimal changes to other files in /srv.\nFollow these steps:\n1. Look at the code.\n2. Mend it.\n3. Test it.\n4. Push it.\nRemember, YOU CAN ONLY ENTER ONE COMMAND. When it works, simply run the submit command.\nIf a command fails, try another one.";
        let mut frame = FrameRules::default();
        frame.observe(before, after);
        frame.observe(before, after);
        assert_eq!(
            frame.steps,
            [
                "1. Look at the code.",
                "2. Mend it.",
                "3. Test it.",
                "4. Push it."
            ]
        );
        assert_eq!(
            frame.rules,
            [
                "Remember, YOU CAN ONLY ENTER ONE COMMAND.",
                "When it works, simply run the submit command."
            ]
        );
        assert_eq!(
            frame.limits,
            [
                "Make the minimal changes to other files in /srv.",
                "You don't need to install packages.",
                "I wrote the tests, so you DON'T have to modify them in any way!"
            ]
        );
        assert_eq!(frame.tips.len(), 1);
        assert_eq!(frame.tips[0].text, "If a command fails, try another one.");
        assert_eq!(frame.facts(false).len(), 7);
    }

    #[test]
    fn a_long_rule_keeps_its_condition_and_its_end() {
        let rule = "When you are satisfied with all of it, you can hand in your changes to the code base and to the books of the mill by simply running the submit command.";
        assert_eq!(
            without_middle(rule),
            "When you are satisfied with all of it, … by simply running the submit command."
        );
        assert_eq!(
            without_middle("Run it, then submit."),
            "Run it, then submit."
        );
    }

    #[test]
    fn what_a_frame_forbids_is_not_left_out_and_outlives_a_message_without_one() {
        let rule = "Before you are done with all of the work, you must never hand in anything without first asking the owner by running the submit command.";
        assert_eq!(without_middle(rule), rule);
        let mut frame = FrameRules::default();
        frame.observe("", "Never touch the file pump.h, it is not ours.");
        frame.observe("", "");
        assert_eq!(frame.tips.len(), 1);
    }

    #[test]
    fn the_first_tip_of_each_item_goes_before_others() {
        let after = "IMPORTANT TIPS:\n1. Always begin with a test of the bug. If the test fails, read what it prints.\n2. If you run a command and it fails, try another one.";
        let mut frame = FrameRules::default();
        frame.observe("", after);
        let further: Vec<bool> = frame.tips.iter().map(|tip| tip.is_further).collect();
        assert_eq!(further, [false, true, false]);
    }
}

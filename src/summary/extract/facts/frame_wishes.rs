//! Finds the wishes that a harness puts around the user's words: `make minimal changes to files that
//! are no tests`.

use super::findings::sentences_of;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::speech_words::{END_WORDS, FRAME_LIMITS, LIMITED_WORDS};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Number of steps of a list that are shown, which it has at least, and the maximum length of each in
/// bytes.
const LAST_STEPS: usize = 3;
const LONGEST_STEP: usize = 72;
/// A word of the line before the steps.
const STEPS: &str = "steps";
/// Maximum number of wishes of a conversation.
const MOST_WISHES: usize = 2;

/// Number of words in capital letters that make a command of a sentence.
const SHOUTED_WORDS: usize = 3;

static ENDS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[END_WORDS]));
static LIMITS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[FRAME_LIMITS]));
static LIMITED: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[LIMITED_WORDS]));

/// Adds the last steps that a frame asks for, as a numbered list: the first ones are done first.
pub(super) fn add_frame_steps(frame: &str, steps: &mut Vec<String>) {
    if SummaryRule::FrameWishes.is_off() || !steps.is_empty() {
        return;
    }
    let (head, tail) = both_ends(frame);
    let lines = head.lines().chain(tail.lines()).map(str::trim);
    // Other lists are tips for the tools.
    let numbered: Vec<&str> = lines
        .skip_while(|line| !line.contains(STEPS))
        .filter(|line| is_step(line))
        .collect();
    if let Some((_, last)) = numbered.split_last_chunk::<LAST_STEPS>() {
        let folded = last.iter().map(|step| fold_line(step, LONGEST_STEP));
        steps.extend(folded.map(Cow::into_owned));
    }
}

/// Returns true for an item of a numbered list: `4. Run it again`.
fn is_step(line: &str) -> bool {
    let number = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&number) && line[number..].starts_with(". ")
}

/// Adds the sentence of a frame that limits most what may be changed.
pub(super) fn add_frame_wish<'r>(frame: &'r str, wishes: &mut Vec<&'r str>) {
    if SummaryRule::FrameWishes.is_off() {
        return;
    }
    let (head, tail) = both_ends(frame);
    let wish = sentences_of(head)
        .chain(sentences_of(tail))
        .filter(|sentence| LIMITED.has_words(sentence))
        .filter_map(|sentence| Some((strongest_limit(sentence)?, sentence)))
        .min_by_key(|(limit, _)| *limit);
    if let Some((_, wish)) = wish
        && wishes.len() < MOST_WISHES
        && !wishes.contains(&wish)
    {
        wishes.push(wish);
    }
}

/// Adds the sentences of a frame that say how to go on in any case: a command in capital letters, and
/// how to end.
pub(super) fn add_frame_rules<'r>(frame: &'r str, rules: &mut Vec<&'r str>) {
    if SummaryRule::FrameWishes.is_off() || !rules.is_empty() {
        return;
    }
    let (head, tail) = both_ends(frame);
    let sentences = || sentences_of(head).chain(sentences_of(tail));
    let shouted = sentences().find(|sentence| is_shouted_sentence(sentence));
    let end = sentences().find(|sentence| ENDS.has_words(sentence));
    rules.extend(
        shouted
            .into_iter()
            .chain(end.filter(|end| Some(*end) != shouted)),
    );
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
    fn what_may_not_be_changed_is_found() {
        let frame = "I wrote the tests, so you DON'T have to modify them in any way! Can you help me?\nMake the minimal changes to other files in /srv.\nFollow these steps:\n1. Look at the code.\nYou can only enter one command at a time.";
        let mut wishes = Vec::new();
        add_frame_wish(frame, &mut wishes);
        add_frame_wish(frame, &mut wishes);
        let mut steps = Vec::new();
        add_frame_steps(
            &frame.replace("code.\n", "code.\n2. Mend it.\n3. Test it.\n4. Push it.\n"),
            &mut steps,
        );
        assert_eq!(steps, ["2. Mend it.", "3. Test it.", "4. Push it."]);
        let mut rules = Vec::new();
        add_frame_rules(
            "Use the shell. Remember, YOU CAN ONLY ENTER ONE COMMAND. When it works, simply run the submit command.",
            &mut rules,
        );
        assert_eq!(
            rules,
            [
                "Remember, YOU CAN ONLY ENTER ONE COMMAND.",
                "When it works, simply run the submit command."
            ]
        );
        assert_eq!(wishes, ["Make the minimal changes to other files in /srv."]);
    }
}

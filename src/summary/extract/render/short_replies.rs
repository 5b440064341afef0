//! Writes short replies of the user with what they answer: `2 (2. Godot)`, `yes (Shall I push it?)`.

use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::UserRequest;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::{QUESTION_MARKS, sentences_of};
use crate::summary::extract::lexicon::assistant_words::{
    CHOICE_WORDS, DENIAL_WORDS, NEXT_OPENINGS,
};
use crate::summary::extract::lexicon::request_words::{ASSENT_WORDS, REFUSING_WORDS};
use crate::transcript::Role;
use std::sync::LazyLock;

/// Maximum length in bytes of the reply, of a sentence that it answers, and of all that it answers.
const LONGEST_REPLY: usize = 24;
const LONGEST_QUESTION: usize = 110;
const LONGEST_ANSWERED: usize = 200;
/// Maximum length in bytes of the number or the letter of an option.
const LONGEST_OPTION: usize = 2;
/// Minimum length in bytes of a word by which a reply is known to speak of a sentence.
const LEAST_WORD: usize = 5;

/// Writes a short reply with the option that it names, or the question that it answers.
pub(super) fn reply_with_question(
    facts: &ConversationFacts<'_>,
    reply: &UserRequest<'_>,
) -> String {
    let text = fold_line(&reply.text, LONGEST_REPLY);
    let asked = facts.turns[..reply.message.min(facts.turns.len())]
        .iter()
        .rev()
        .take_while(|turn| turn.role != Role::User)
        .find(|turn| turn.role == Role::Assistant && !turn.text.trim().is_empty());
    let answered = asked.and_then(|turn| {
        let (head, tail) = both_ends(&turn.text);
        [tail, head].into_iter().find_map(|window| {
            let reply = reply.text.trim();
            option_of(window, reply)
                .map(str::to_owned)
                .or_else(|| command_in(window, reply))
                .or_else(|| sentence_with_word(window, reply))
                .or_else(|| question_of(window).map(str::to_owned))
        })
    });
    match answered {
        Some(answered) => format!("{text} ({})", fold_line(&answered, LONGEST_ANSWERED)),
        None => text.into_owned(),
    }
}

/// Returns what the assistant offered last before a request that only says to go on, `it's good, continue`: the step
/// that it named as the next, else its last question.
pub(super) fn offer_before(
    facts: &ConversationFacts<'_>,
    request: &UserRequest<'_>,
) -> Option<String> {
    let text = request.text.as_ref();
    let refuses = REFUSALS.has_words(text) || text.contains(QUESTION_MARKS);
    if text.len() > LONGEST_ASSENT || !ASSENTS.has_words(text) || refuses {
        return None;
    }
    let before = &facts.turns[..request.message.min(facts.turns.len())];
    let turn = before.last().filter(|turn| turn.role == Role::Assistant)?;
    let (head, tail) = both_ends(&turn.text);
    let sentences: Vec<&str> = [head, tail].into_iter().flat_map(sentences_of).collect();
    let is_next = |sentence: &&&str| NEXT_OPENINGS.iter().any(|next| sentence.starts_with(next));
    // Nobody knows which of two ways was agreed to.
    let asks = |sentence: &&&str| sentence.ends_with(QUESTION_MARKS) && !offers_choice(sentence);
    let newest = || sentences.iter().rev();
    let offer = newest().find(is_next).or_else(|| newest().find(asks))?;
    Some(fold_line(offer, LONGEST_ANSWERED).into_owned())
}

/// Returns true for a question that offers several ways: `this one or that one?`
fn offers_choice(question: &str) -> bool {
    CHOICE_WORDS.iter().any(|word| question.contains(word))
}

/// Maximum length in bytes of such a request.
const LONGEST_ASSENT: usize = 90;
/// Searches for the words of a request that says to go on, and of one that refuses.
static ASSENTS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[ASSENT_WORDS]));
static REFUSALS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[DENIAL_WORDS, REFUSING_WORDS]));

/// Returns the command that the assistant asked the user to run, if the reply says that it ran.
fn command_in(text: &str, reply: &str) -> Option<String> {
    let reply = reply.to_ascii_lowercase();
    let mut words = reply.split(|c: char| !c.is_alphanumeric());
    if !words.any(|word| RAN_WORDS.contains(&word)) {
        return None;
    }
    let (before, _) = text.rsplit_once(FENCE)?;
    let (_, block) = before.rsplit_once(FENCE)?;
    // The name of the language stands on the first line.
    let command = block
        .lines()
        .skip(1)
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    Some(format!("`{command}`"))
}

/// Words of a reply that says that a command ran, and the mark around code.
const RAN_WORDS: [&str; 4] = ["ran", "run", "executed", "installed"];
const FENCE: &str = "```";

/// Returns the line that begins with the number or the letter of an option: `2. Godot`.
fn option_of<'t>(text: &'t str, option: &str) -> Option<&'t str> {
    if option.is_empty()
        || option.len() > LONGEST_OPTION
        || !option.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return None;
    }
    let lines = text
        .lines()
        .map(|line| line.trim_matches([' ', '*', '-', '#']));
    lines.rev().find(|line| {
        line.strip_prefix(option)
            .is_some_and(|rest| rest.starts_with(['.', ')', ':']) && rest.len() > LONGEST_OPTION)
    })
}

/// Returns the last sentence of a text that has a word of the reply: `leave it for now?` of `can leave it`.
/// The sentence before it stands with one that names nothing.
fn sentence_with_word(text: &str, reply: &str) -> Option<String> {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() >= LEAST_WORD && word.is_ascii())
            .map(str::to_ascii_lowercase)
            .collect()
    };
    let wanted = words(reply);
    if wanted.is_empty() {
        return None;
    }
    let sentences: Vec<&str> = sentences_of(text).collect();
    let found = (sentences.iter())
        .rposition(|sentence| words(sentence).iter().any(|word| wanted.contains(word)))?;
    let names = |sentence: &str| sentence.contains(['`', '/', '_', '"']);
    let before = found.checked_sub(1).map(|before| sentences[before]);
    let before = before.filter(|before| !names(sentences[found]) && names(before));
    Some(match before {
        Some(before) => format!(
            "{} {}",
            fold_line(before, LONGEST_QUESTION),
            sentences[found]
        ),
        None => sentences[found].to_owned(),
    })
}

/// Returns the question of a text. Of several questions nobody knows which one was answered.
fn question_of(text: &str) -> Option<&str> {
    let mut questions = (text.lines().map(str::trim)).filter(|line| line.ends_with(QUESTION_MARKS));
    let line = questions.next()?;
    if questions.next().is_some() {
        return None;
    }
    let before = line.trim_end_matches(QUESTION_MARKS);
    let start = before
        .rmatch_indices(['.', '!', '?', '。', '！', '？'])
        .map(|(at, mark)| at + mark.len())
        .find(|at| !before[..*at].is_ascii() || before[*at..].starts_with(' '))
        .unwrap_or(0);
    let question = line[start..].trim_matches([' ', '*', '-', '>']);
    question.contains(char::is_alphanumeric).then_some(question)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_names_an_option_or_answers_a_question() {
        let text = "Which engine:\n1. Unity\n- **2. Godot, because it is light**\n\nIt is v1.2. Say a number, or shall I choose?";
        assert_eq!(option_of(text, "2"), Some("2. Godot, because it is light"));
        assert_eq!(option_of(text, "3").or(option_of(text, "yes")), None);
        assert_eq!(question_of(text), Some("Say a number, or shall I choose?"));
        assert_eq!(question_of("我做好了。要提交吗？"), Some("要提交吗？"));
        assert_eq!(question_of("Shall it stay?\nShall I go on?"), None);
        let text = "The renderer stays in src, I'd leave it there for now. Should I proceed with these moves?";
        assert_eq!(
            sentence_with_word(text, "can leave it"),
            Some("The renderer stays in src, I'd leave it there for now.".to_owned())
        );
        let text = "The file `a.ts` stays where it was. I'd leave it there for now.";
        assert_eq!(
            sentence_with_word(text, "can leave it").as_deref(),
            Some(text)
        );
        assert_eq!(sentence_with_word(text, "yes"), None);
        assert_eq!(question_of("Done.").or(question_of("？")), None);
    }
}

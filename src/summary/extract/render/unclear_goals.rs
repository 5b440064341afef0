//! Tells what the assistant took a goal for that only points to a file which the log does not show: `@task.md`.

use crate::summary::extract::facts::closing_words::SETBACKS;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::UserRequest;
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::labels::UNDERSTOOD_AS;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::sentences::{QUESTION_MARKS, sentences_of};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

/// Maximum number of words of such a goal besides the file.
const MOST_WORDS: usize = 6;
/// Number of messages behind it in which the assistant says what it does.
const LAST_MESSAGE: usize = 8;
/// Maximum length in bytes of what it says.
const LONGEST_UNDERSTANDING: usize = 160;

/// Returns the line that tells it. Returns `None` for a goal that says enough, or if nothing tells it.
pub(super) fn understood_as(
    facts: &ConversationFacts<'_>,
    goal: &UserRequest<'_>,
) -> Option<String> {
    if goal.document.is_some() || WISHES.has_words(&goal.text) {
        return None;
    }
    let file = file_of_unclear(&goal.text)?;
    let behind = facts.turns.get(goal.message + 1..)?;
    let is_assistant = |turn: &&ViewedTurn<'_>| turn.role == Role::Assistant;
    // What the user says next may be about something else.
    let answer = (behind.iter().take(LAST_MESSAGE)).take_while(|turn| turn.role != Role::User);
    let said = answer.filter(is_assistant);
    let mut sentences = said.flat_map(|turn| sentences_of(&turn.text));
    // `Let me read task.md` says nothing.
    let told = sentences.find(|sentence| !sentence.contains(file))?;
    if told.ends_with(QUESTION_MARKS) || SETBACKS.has_words(told) {
        return None;
    }
    Some(format!(
        "{UNDERSTOOD_AS}{}",
        fold_line(told, LONGEST_UNDERSTANDING)
    ))
}

/// Returns the name of the file that a goal of few words mentions: `task.md` of `@notes/task.md go`.
fn file_of_unclear(goal: &str) -> Option<&str> {
    let (mentions, words): (Vec<&str>, Vec<&str>) =
        (goal.split_whitespace()).partition(|word| word.starts_with('@') && word.contains('.'));
    let [mention] = mentions[..] else { return None };
    let name = mention.rsplit(['/', '@']).next()?;
    (words.len() <= MOST_WORDS).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_goal_of_few_words_is_unclear() {
        assert_eq!(
            file_of_unclear("@notes/task.md please do it"),
            Some("task.md")
        );
        for clear in [
            "fix the valve of the mill in @src/pump.rs so that it never leaks again",
            "go on",
            "@task.md @wheel.md",
            "ask @miller about it",
        ] {
            assert_eq!(file_of_unclear(clear), None, "{clear}");
        }
    }
}

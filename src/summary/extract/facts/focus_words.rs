//! Collects the words of the work in hand: of the open todos and of the messages that stay. What a long request
//! says about it is needed next.

use super::conversation_facts::ConversationFacts;
use super::todos::open_todos;
use crate::summary::extract::lex::clip::floor_char;
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use hashbrown::HashSet;
use std::borrow::Cow;

/// Minimum length of a word in bytes. Shorter ones say little.
const LEAST_WORD: usize = 4;
/// Maximum number of bytes that are read of a text, and of the arguments of a call: behind the names that they
/// begin with stands what is written.
const LONGEST_TEXT: usize = 2048;
const LONGEST_ARGUMENTS: usize = 256;
/// Maximum number of words.
const MOST_WORDS: usize = 1000;

/// The words of the work in hand.
#[derive(Debug, Default)]
pub(crate) struct FocusWords {
    words: HashSet<String>,
}

impl FocusWords {
    /// Takes note of the open todos and of what the assistant says and calls in the messages that stay.
    pub(super) fn collect(facts: &ConversationFacts<'_>, kept: &[ViewedTurn<'_>]) -> Self {
        let mut focus = Self::default();
        for todo in &facts.state.todos.open {
            focus.add(todo);
        }
        for step in &facts.state.next_steps {
            focus.add(step);
        }
        for turn in kept.iter().filter(|turn| turn.role == Role::Assistant) {
            focus.add(&turn.text[..floor_char(&turn.text, LONGEST_TEXT)]);
            for call in &turn.calls {
                match open_todos(&call.arguments) {
                    Some(todos) => todos.iter().for_each(|todo| focus.add(todo)),
                    None => {
                        let most = call.arguments.len().min(LONGEST_ARGUMENTS);
                        focus.add(&String::from_utf8_lossy(&call.arguments[..most]));
                    }
                }
            }
        }
        focus
    }

    /// Returns the words of some texts.
    #[cfg(test)]
    pub(crate) fn of(texts: &[&str]) -> Self {
        let mut focus = Self::default();
        texts.iter().for_each(|text| focus.add(text));
        focus
    }

    fn add(&mut self, text: &str) {
        let words = words_of(text).map(Cow::into_owned);
        self.words
            .extend(words.take(MOST_WORDS.saturating_sub(self.words.len())));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the words of a text that are about the work in hand, each once.
    pub(crate) fn words_in(&self, text: &str) -> HashSet<String> {
        words_of(text)
            .filter(|word| self.words.contains(word.as_ref()))
            .map(Cow::into_owned)
            .collect()
    }
}

/// Returns the words of a text in lower case, without the ending of a plural.
fn words_of(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter_map(|word| {
        let word = word.strip_suffix(['s', 'S']).unwrap_or(word);
        if word.len() < LEAST_WORD || !word.contains(char::is_alphabetic) {
            None
        } else if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Some(Cow::Owned(word.to_ascii_lowercase()))
        } else {
            Some(Cow::Borrowed(word))
        }
    })
}

//! Takes the list of functions that a harness offers out of a request: their signatures are enough.

use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::wish_words::CONSTRAINT_WORDS;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Number of functions from which on their list is shortened.
const LEAST_FUNCTIONS: usize = 3;
/// Words of the line before a list of functions that may be called.
const OFFERING_WORDS: [&str; 4] = ["you can use", "You can use", "you may use", "You may use"];
static LIMITS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[CONSTRAINT_WORDS]));

/// Maximum length in bytes of what a harness says beside a list of functions, and its words.
const LONGEST_PROMPT: usize = 600;
const CALLING_WORDS: [&str; 4] = [
    "each api call",
    "necessary apis",
    "each function call",
    "each tool call",
];

/// Between the signatures.
const SEPARATOR: &str = "; ";

/// A request and the functions that it offers.
pub(super) struct OfferedFunctions<'r> {
    /// The request without their list.
    pub(super) request: Cow<'r, str>,
    /// Their signatures, in a line. Empty if it offers none.
    pub(super) signatures: String,
}

impl<'r> OfferedFunctions<'r> {
    /// Takes a list of functions, each with what it does, out of a request.
    pub(super) fn take_from(request: Cow<'r, str>) -> Self {
        let lines: Vec<&str> = request.lines().collect();
        let first = lines.iter().position(|line| signature_in(line).is_some());
        let first = first.unwrap_or(lines.len());
        let listed = lines[first..].iter().map_while(|line| signature_in(line));
        let listed: Vec<String> = listed.collect();
        // A list without such words before it may say what to write.
        let before = first.checked_sub(1).map_or("", |at| lines[at]);
        let is_offered = OFFERING_WORDS.iter().any(|words| before.contains(words));
        // What limits the use of a function is no description of it.
        let rest = &lines[first..first + listed.len()];
        let is_limited = rest.iter().any(|line| LIMITS.has_words(line));
        if listed.len() < LEAST_FUNCTIONS || !is_offered || is_limited {
            return Self {
                request,
                signatures: String::new(),
            };
        }
        let others = [&lines[..first], &lines[first + listed.len()..]].concat();
        Self {
            signatures: listed.join(SEPARATOR),
            request: Cow::Owned(others.join("\n")),
        }
    }
}

impl OfferedFunctions<'_> {
    /// Returns true if the rest of the request is short and says how the functions are to be called.
    pub(super) fn is_about_calls(&self) -> bool {
        let lower = self.request.to_ascii_lowercase();
        lower.len() <= LONGEST_PROMPT && CALLING_WORDS.iter().any(|words| lower.contains(words))
    }
}

/// Returns the signature, without types, in a line like `- search_class(class_name: str): Search for a
/// class.`
fn signature_in(line: &str) -> Option<String> {
    let line = line.trim_start_matches([' ', '\t', '-', '*', '`']);
    let (name, rest) = line.split_once('(')?;
    let (arguments, after) = rest.split_once(')')?;
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let names: Option<Vec<&str>> = (arguments.split(", "))
        .map(|argument| {
            let (name, kind) = argument.split_once(": ")?;
            (is_name(name) && is_name(kind)).then_some(name)
        })
        .collect();
    let says_what = after.trim_start_matches('`').starts_with(':');
    (is_name(name) && says_what).then(|| Some(format!("{name}({})", names?.join(", "))))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_of_a_list_are_told_by_their_signatures() {
        let text = "You can use these:\n  - open_valve(name: str): Opens a valve.\n  - close_valve(name: str): Closes it.\n  - set_speed(pump: str, speed: int): Sets it.\nGo on.";
        let offered = OfferedFunctions::take_from(Cow::Borrowed(text));
        assert_eq!(offered.request, "You can use these:\nGo on.");
        assert_eq!(
            offered.signatures,
            "open_valve(name); close_valve(name); set_speed(pump, speed)"
        );
        for text in [
            "You can use:\n- open_valve(name: str): Opens a valve.",
            "Write these:\na(b: c): d\na(b: c): d\na(b: c): d",
            "foo(a, b): c\nfoo(a, b): c\nfoo(a, b): c",
        ] {
            let offered = OfferedFunctions::take_from(Cow::Borrowed(text));
            assert_eq!((&*offered.request, &*offered.signatures), (text, ""));
        }
    }
}

//! A part of a request: a sentence, an item of a list or a line of code.

use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::wish_words::{BAN_WORDS, LEFT_OUT_WORDS};
use std::sync::LazyLock;

/// A sentence, an item or a line of code of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestPart<'t> {
    /// The text without blanks around it.
    pub(super) text: &'t str,
    /// Number of the line that it stands in.
    pub(super) line: usize,
    /// It is the heading of what follows.
    pub(super) is_heading: bool,
    /// The level of a heading: the number of its marks, at most 5; 6 for `ISSUE 2`, 7 for `REQUIREMENTS:`. 0 for
    /// other parts.
    pub(super) level: usize,
    /// The part that must stand before it: the heading of its section, or the sentence before its list
    /// or its block of code.
    pub(super) heading: Option<usize>,
    /// The index of the first line of the block of code that it belongs to, if that is shown as a whole
    /// or not at all: half of it may say the opposite.
    pub(super) group: Option<usize>,
    /// How much it says of what is wanted.
    pub(super) worth: i32,
}

impl RequestPart<'_> {
    /// The level of a heading without marks: `REQUIREMENTS:`.
    pub(super) const UNMARKED_LEVEL: usize = 7;
}

/// Returns true for a line that forbids or leaves out something: the names in it say what is not wanted.
pub(super) fn forbids(line: &str) -> bool {
    FORBIDDING.has_words(line)
}

static FORBIDDING: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS, LEFT_OUT_WORDS]));

/// Returns true for the item of a list.
pub(super) fn is_item(line: &str) -> bool {
    line.starts_with(['-', '*', '•', '+'])
        || (line.starts_with(|c: char| c.is_ascii_digit()) && !is_listed_code(line))
}

/// Returns true for a line of code behind its number, as editors list it: `112: </div>`.
pub(super) fn is_listed_code(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let code = rest.strip_prefix(':').filter(|_| rest.len() < line.len());
    code.is_some_and(|code| {
        let code = code.trim();
        let ends_statement = code.ends_with([';', '{', '>', '(', ',']);
        // `1: Never write to /srv;` is a rule.
        let has_signs = code.contains(['=', '(', '{', '<', '"', '\'']);
        code.is_empty()
            || code.starts_with(['<', '{', '}', ')'])
            || (ends_statement && has_signs && !WISHES.has_words(code))
    })
}

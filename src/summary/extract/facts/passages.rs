//! Finds the lines of results in which references stand: a bare name says nothing to act on, its
//! line says what it is.

use super::acknowledgements::is_acknowledgement;
use super::error_lines::has_error_line;
use super::fact::{Fact, FactKind};
use super::places::{IN_RESULT, IN_USER_TEXT};
use super::references::{Reference, References};
use super::search_hits::counts_hits;
use super::user_messages::{UserMessageKind, classify_user_message};
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lex::identifier_kinds::{CODE, PATH};
use crate::summary::extract::lex::result_text::{is_furniture, result_heading};
use crate::summary::extract::lexicon::code_words::{DEFINING_WORDS, PASSING_LINES};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use hashbrown::{DefaultHashBuilder, HashSet};
use memchr::memmem::Finder;
use std::cmp::Reverse;
use std::hash::{BuildHasher, Hasher};

/// Minimum length of a line in bytes, and the most of it that is shown. A line of more than twice that is
/// not read.
const LEAST_LINE: usize = 16;
const LONGEST_LINE: usize = 110;
/// Maximum number of places of a reference in a result that are looked at.
const MOST_PLACES: usize = 6;
/// Maximum number of references whose lines are searched for.
const MOST_SEARCHED: usize = 20;
/// Minimum length in bytes of a name, and of a word of a request.
const LEAST_NAME: usize = 4;
const LEAST_WORD: usize = 4;
/// Maximum number of words that count as shared with the requests.
const MOST_SHARED: usize = 4;
/// The worth of a line that defines a reference, that names what the user named, and of each word
/// that it shares with the requests.
const DEFINITION_WORTH: i32 = 700;
const WANTED_WORTH: i32 = 500;
const WORD_WORTH: i32 = 300;
/// The worth below which a line is not shown.
const LEAST_WORTH: i32 = 900;
/// Number of long lines at the start of a text by which it is known again.
const LINES_OF_START: usize = 6;
/// Before the line, behind the file that it stands in.
const AFTER_FILE: &str = ": ";

/// Returns the lines in which the best references stand in results, at most `most` of them. `words`
/// are those of the requests, and `kept` holds the lines that stand elsewhere.
pub(crate) fn find_passages(
    turns: &[ViewedTurn<'_>],
    references: &References<'_>,
    words: &TaskWords,
    kept: &KeptLines,
    most: usize,
) -> Vec<Fact> {
    let search = PassageSearch {
        turns,
        references,
        words,
        kept,
    };
    let mut facts = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    for at in candidates(references, words, most.min(MOST_SEARCHED)) {
        let reference = &references.all[at];
        let Some(found) = search
            .line_of(reference)
            .filter(|found| found.worth >= LEAST_WORTH)
        else {
            continue;
        };
        let Some(text) = passage(found.line, reference.text) else {
            continue;
        };
        let home = references.homes.home_of(found.message);
        let text = match home.map(|home| references.homes.name(home)) {
            Some(name) if !text.contains(name) => format!("{name}{AFTER_FILE}{text}"),
            _ => text,
        };
        if !seen.insert(text.clone()) {
            continue;
        }
        facts.push(Fact {
            kind: FactKind::Passage,
            text,
            worth: found.worth,
            order: found.message,
            heading: None,
            is_pinned: false,
            longer: None,
        });
    }
    facts
}

/// Returns the indices of the references whose lines are worth a search: names that somebody spoke
/// of, that the requests are about, and that are likely to be needed, newer ones first.
fn candidates(references: &References<'_>, words: &TaskWords, most: usize) -> Vec<usize> {
    let is_named = |reference: &Reference<'_>| {
        reference.places & IN_RESULT != 0
            && reference.kinds & (CODE | PATH) == CODE
            && reference.text.len() >= LEAST_NAME
            && !reference.text.starts_with("__")
            && (reference.text.bytes()).all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let rank = |at: usize| {
        let reference = &references.all[at];
        let spoken = i32::try_from(reference.spoken.min(3)).unwrap_or(0);
        let recency = reference.last as usize * 300 / references.message_count.max(1);
        let wanted = i32::from(reference.places & IN_USER_TEXT != 0);
        400 * wanted
            + 200 * spoken
            + 200 * words.shared_with(reference.text)
            + i32::try_from(recency).unwrap_or(0)
            + references.chance_at(at) / 20
    };
    let all = references.all.iter().enumerate();
    let mut ranked: Vec<(Reverse<i32>, usize)> = all
        .filter(|(_, reference)| is_named(reference))
        .map(|(at, _)| (Reverse(rank(at)), at))
        .collect();
    if ranked.len() > most && most > 0 {
        ranked.select_nth_unstable(most - 1);
        ranked.truncate(most);
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, at)| at).collect()
}

/// The words of the requests, as hashes: a line that shares some is about what was asked for.
#[derive(Default)]
pub(crate) struct TaskWords {
    hashes: HashSet<u64>,
    hasher: DefaultHashBuilder,
}

impl TaskWords {
    /// Adds the words of a request.
    pub(crate) fn add(&mut self, request: &str) {
        let (head, _) = both_ends(request);
        let hashes = words_of(head).map(|word| hash_of(word, &self.hasher));
        self.hashes.extend(hashes);
    }

    /// Returns true if nearly all words of a sentence stand in the requests: it says nothing new.
    pub(crate) fn hold_all_of(&self, sentence: &str) -> bool {
        let (mut all, mut shared) = (0, 0);
        for word in words_of(sentence) {
            all += 1;
            shared += usize::from(self.hashes.contains(&hash_of(word, &self.hasher)));
        }
        shared * 100 >= all * MOST_SAID && all >= LEAST_WORDS
    }

    /// Returns the number of words that a line shares with the requests, up to a few. A word that
    /// stands twice in a row counts once.
    pub(super) fn shared_with(&self, line: &str) -> i32 {
        let mut last = 0;
        let hashes = words_of(line).map(|word| hash_of(word, &self.hasher));
        let shared = hashes.filter(|hash| {
            let is_new = std::mem::replace(&mut last, *hash) != *hash;
            is_new && self.hashes.contains(hash)
        });
        i32::try_from(shared.take(MOST_SHARED).count()).unwrap_or(0)
    }
}

/// The lines of the messages that stay, as hashes: they need not be shown again.
#[derive(Debug, Default)]
pub(crate) struct KeptLines {
    hashes: HashSet<u64>,
    hasher: DefaultHashBuilder,
}

impl KeptLines {
    /// Adds the lines of a text.
    pub(crate) fn observe(&mut self, text: &str) {
        let (head, tail) = both_ends(text);
        let lines = head.lines().chain(tail.lines());
        let long = lines.filter(|line| line.len() >= LEAST_LINE);
        self.hashes
            .extend(long.map(|line| self.hasher.hash_one(plain_line(line))));
    }

    /// Returns true if the messages that stay hold the beginning of a text, too.
    pub(super) fn hold_start_of(&self, text: &str) -> bool {
        let long = text.lines().filter(|line| line.len() >= LEAST_LINE);
        let mut first = long.take(LINES_OF_START).peekable();
        first.peek().is_some() && first.all(|line| self.contain(line))
    }

    /// Returns true if the messages that stay hold a line, too.
    pub(crate) fn contain(&self, line: &str) -> bool {
        self.hashes
            .contains(&self.hasher.hash_one(plain_line(line)))
    }
}

/// Returns a line without its number and the blanks around it.
fn plain_line(line: &str) -> &str {
    without_number(line.trim())
}

/// The share of the words of a sentence, in hundredths, from which on it says what the requests say, and
/// the number of words that such a sentence has at least.
const MOST_SAID: usize = 75;
const LEAST_WORDS: usize = 5;

/// Splits a text into words, also the parts of names: `LINE_CHARS` is two words.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() >= LEAST_WORD)
}

/// Hashes a word without regard to its case and the ending of a plural.
fn hash_of(word: &str, hasher: &DefaultHashBuilder) -> u64 {
    let word = word.strip_suffix(['s', 'S']).unwrap_or(word);
    let mut hasher = hasher.build_hasher();
    for byte in word.bytes() {
        hasher.write_u8(byte.to_ascii_lowercase());
    }
    hasher.finish()
}

/// What lines are searched with.
struct PassageSearch<'s, 't> {
    turns: &'s [ViewedTurn<'t>],
    references: &'s References<'t>,
    words: &'s TaskWords,
    kept: &'s KeptLines,
}

/// A line of a result.
struct FoundLine<'s> {
    /// Index of its message.
    message: usize,
    line: &'s str,
    worth: i32,
}

impl<'s> PassageSearch<'s, '_> {
    /// Returns the line of a result that says most about a reference: one that defines it, else the first
    /// that does more than import it.
    fn line_of(&self, reference: &Reference<'_>) -> Option<FoundLine<'s>> {
        let search = Finder::new(reference.text);
        let mut found = None;
        for message in self.references.messages_of(reference) {
            let Some(turn) = self.turns.get(message).filter(|turn| is_result(turn)) else {
                continue;
            };
            let (head, tail) = both_ends(&turn.text);
            for window in [head, tail] {
                for at in search.find_iter(window.as_bytes()).take(MOST_PLACES) {
                    let line = line_around(window, at);
                    if !stands_alone(window, at, reference.text)
                        || is_passing(line)
                        || self.kept.contain(line)
                    {
                        continue;
                    }
                    let is_defined = defines(line, reference.text);
                    let worth = self.worth_of(line, reference, is_defined);
                    let line = FoundLine {
                        message,
                        line,
                        worth,
                    };
                    if is_defined {
                        return Some(line);
                    }
                    found.get_or_insert(line);
                }
            }
        }
        found
    }

    /// Returns how much a line says about a reference.
    fn worth_of(&self, line: &str, reference: &Reference<'_>, is_defined: bool) -> i32 {
        let is_wanted = reference.places & IN_USER_TEXT != 0;
        WORD_WORTH * self.words.shared_with(line)
            + if is_defined { DEFINITION_WORTH } else { 0 }
            + if is_wanted { WANTED_WORTH } else { 0 }
            + 100 * i32::try_from(reference.spoken.min(4)).unwrap_or(0)
    }
}

/// Returns true for a message that holds what a call printed.
fn is_result(turn: &ViewedTurn<'_>) -> bool {
    match turn.role {
        Role::Tool | Role::Function => true,
        Role::User => classify_user_message(&turn.text) == UserMessageKind::CommandOutput,
        _ => false,
    }
}

/// Returns the line around a place, or an empty one if it is too long to be read.
fn line_around(text: &str, at: usize) -> &str {
    let before = &text.as_bytes()[..at];
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    text[start..end].trim()
}

/// Returns true if a reference is no part of a longer name.
fn stands_alone(text: &str, at: usize, name: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|place| bytes[place]);
    let after = bytes.get(at + name.len());
    !before.is_some_and(is_name) && !after.is_some_and(|byte| is_name(*byte))
}

/// Returns true for a line that only passes names on, like an import, and for one that is neither code
/// nor prose: data, a comment, a very long line.
fn is_passing(line: &str) -> bool {
    let code = without_number(line);
    !(LEAST_LINE..=2 * LONGEST_LINE).contains(&line.len())
        || code.ends_with([',', '(', '['])
        || code.starts_with(['{', '[', '<', '"', '#', '/', '*', '-', '>'])
        || result_heading(line).is_some()
        || is_furniture(line)
        || line.contains(OBJECT_AT)
        || is_logged_commit(line)
        || counts_hits(line)
        || PASSING_LINES
            .iter()
            .any(|opening| code.starts_with(opening))
        || has_frame_tag(line)
}

/// How Python prints an object of which nothing is known.
const OBJECT_AT: &str = " object at 0x";

/// Returns true for a line of `git log`: commits are told by their messages.
fn is_logged_commit(line: &str) -> bool {
    let hash = line.split(' ').next().unwrap_or_default();
    (7..=40).contains(&hash.len())
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        && hash.bytes().any(|byte| byte.is_ascii_digit())
        && line.len() > hash.len()
}

/// Returns a line of a listing without its number.
fn without_number(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '|' | '→'))
}

/// Returns true if a line defines a name: a word like `fn` or `class` stands before it.
fn defines(line: &str, name: &str) -> bool {
    line.split_once(name).is_some_and(|(before, _)| {
        let word = before.trim_end().rsplit(' ').next().unwrap_or_default();
        let word = word.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        DEFINING_WORDS.contains(&word)
    })
}

/// Folds a line. Returns `None` if the part that fits does not name the reference, or if the line is
/// an error or says that a call worked.
fn passage(line: &str, name: &str) -> Option<String> {
    let text = fold_line(line, LONGEST_LINE);
    let says_more = text.contains(name) && !is_acknowledgement(line) && !has_error_line(line);
    says_more.then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_names_what_it_defines() {
        assert!(defines("1220:class _LocIndexer(Base):", "_LocIndexer"));
        assert!(defines(
            "9\tpub const LINE_CHARS: usize = 1000;",
            "LINE_CHARS"
        ));
        assert!(!defines(
            "let cut = line.len().min(LINE_CHARS);",
            "LINE_CHARS"
        ));
    }

    #[test]
    fn a_line_about_the_request_shares_its_words() {
        let mut words = TaskWords::default();
        words.add("Previews cut long lines at 1000 bytes");
        assert_eq!(words.shared_with("const LINE_CHARS: usize = 1000;"), 2);
        assert_eq!(words.shared_with("pub fn notice(path: &str)"), 0);
    }

    #[test]
    fn lines_that_pass_names_on_are_passed_over() {
        for line in [
            "12: from a_b import c_d",
            "use crate::plan::Eviction;",
            "{\"a_b\": 1, \"c_d\": 2}",
            "x = 1",
        ] {
            assert!(is_passing(line), "{line}");
        }
        assert!(!is_passing("12: def to_snake(name: str) -> str:"));
        assert!(stands_alone("a to_snake(b)", 2, "to_snake") && !stands_alone("ab_c", 1, "b_c"));
    }
}

//! Finds the files that the user asked for and that nobody wrote so far: `write README.md, SOURCES.md and
//! verdict.json` while only the first two are written.

use super::file_actions::FileAction;
use super::request_log::UserRequest;
use super::touched_files::TouchedFiles;
use crate::summary::extract::lex::identifier_kinds::{has_file_extension, is_link};
use crate::summary::extract::lexicon::request_words::{FILE_ASKING_STEMS, FILE_EXCLUDING_WORDS};
use crate::transcript::view::ViewedTurn;

/// Minimum number of files in a line that lists what is to be written.
const LEAST_LISTED: usize = 3;
/// Maximum number of files that are told.
const MOST_MISSING: usize = 8;
/// Maximum length of the name of a file in bytes.
const LONGEST_NAME: usize = 80;
/// Maximum number of names that are read of a line.
const MOST_LISTED: usize = 64;
/// The end of a word that forbids something.
const NEGATION_END: &str = "n't";
/// Number of requests, the newest, that are read beside the first.
const NEWEST_REQUESTS: usize = 3;

/// Returns the files of a list in the requests that were not touched, if others of the list were written.
/// The messages that stay, `kept`, may write them.
pub(super) fn missing_files(
    requests: &[UserRequest<'_>],
    files: &TouchedFiles<'_>,
    kept: &[ViewedTurn<'_>],
) -> Vec<String> {
    let newest = requests.iter().skip(1).rev().take(NEWEST_REQUESTS);
    let mut missing: Vec<String> = Vec::new();
    for line in requests
        .iter()
        .take(1)
        .chain(newest)
        .flat_map(|request| request.text.lines())
    {
        let is_written = |name: &&str| files.action_of(name) == Some(FileAction::Written);
        if missing.len() >= MOST_MISSING || !asks_for_files(line) {
            continue;
        }
        let listed = files_in(line);
        if listed.len() < LEAST_LISTED || !listed.iter().any(is_written) {
            continue;
        }
        for name in listed {
            let is_known =
                files.action_of(name).is_some() || kept.iter().any(|turn| names(turn, name));
            if !is_known && !missing.iter().any(|known| known == name) {
                missing.push(name.to_owned());
            }
        }
    }
    missing.truncate(MOST_MISSING);
    missing
}

/// Returns true for a line that asks for files, and neither forbids nor only mentions any.
fn asks_for_files(line: &str) -> bool {
    let line = line.to_lowercase();
    let words = || line.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let excludes =
        |word: &str| FILE_EXCLUDING_WORDS.contains(&word) || word.ends_with(NEGATION_END);
    words().any(|word| FILE_ASKING_STEMS.iter().any(|stem| word.starts_with(stem)))
        && !words().any(excludes)
}

/// Returns the names of files in a line.
fn files_in(line: &str) -> Vec<&str> {
    let words =
        line.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '`' | '"' | ';'));
    words
        .map(|word| {
            word.trim_end_matches(['.', ':', '!', '?'])
                .trim_matches('*')
        })
        .filter(|word| {
            word.len() <= LONGEST_NAME
                && has_file_extension(word)
                && !is_link(word)
                && !word.starts_with('.')
                && !word.contains(['@', '*', '<'])
        })
        .take(MOST_LISTED)
        .collect()
}

/// Returns true if a call or the text of a message names a file.
fn names(turn: &ViewedTurn<'_>, name: &str) -> bool {
    let find = |text: &[u8]| memchr::memmem::find(text, name.as_bytes()).is_some();
    find(turn.text.as_bytes()) || turn.calls.iter().any(|call| find(&call.arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_ask_for_files_are_lists_of_what_is_to_be_written() {
        for line in [
            "Write README.md, SOURCES.md and verdict.json.",
            "Deliverables: a.csv, b.csv, c.csv",
            "Create threshold.py, thread.py and hold.py",
        ] {
            assert!(asks_for_files(line), "{line}");
        }
        for line in [
            "The old files legacy.csv, totals.csv and notes.md must not be rewritten or created.",
            "README.md, config.json, data.csv: read them, then make the tool.",
            "Don't create a.csv, b.csv, c.csv",
            "  at main.py, loader.py, parser.py",
        ] {
            assert!(!asks_for_files(line), "{line}");
        }
    }
}

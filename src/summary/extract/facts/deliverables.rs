//! Finds the files that the user asked for and that nobody wrote so far: `write README.md, SOURCES.md and
//! verdict.json` while only the first two are written.

use super::file_actions::FileAction;
use super::request_log::UserRequest;
use super::touched_files::TouchedFiles;
use crate::summary::extract::lex::identifier_kinds::{has_file_extension, is_link};
use crate::transcript::view::ViewedTurn;

/// Minimum number of files in a line that lists what is to be written.
const LEAST_LISTED: usize = 3;
/// Maximum number of files that are told.
const MOST_MISSING: usize = 8;
/// Maximum length of the name of a file in bytes.
const LONGEST_NAME: usize = 80;
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
        let listed = files_in(line);
        let is_written = |name: &&str| files.action_of(name) == Some(FileAction::Written);
        if listed.len() < LEAST_LISTED || !listed.iter().any(is_written) {
            continue;
        }
        for name in listed {
            let is_known =
                files.action_of(name).is_some() || kept.iter().any(|turn| names(turn, name));
            if !is_known
                && !missing.iter().any(|known| known == name)
                && missing.len() < MOST_MISSING
            {
                missing.push(name.to_owned());
            }
        }
    }
    missing
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
        .collect()
}

/// Returns true if a call or the text of a message names a file.
fn names(turn: &ViewedTurn<'_>, name: &str) -> bool {
    let find = |text: &[u8]| memchr::memmem::find(text, name.as_bytes()).is_some();
    find(turn.text.as_bytes()) || turn.calls.iter().any(|call| find(&call.arguments))
}

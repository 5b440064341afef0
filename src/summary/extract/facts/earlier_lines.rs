//! Reads single lines of an earlier summary.

use super::file_actions::FileAction;
use std::borrow::Cow;

/// Returns what was done with the files of a list that a tag opens or closes, as pi writes them.
pub(super) fn file_list_of(line: &str) -> Option<FileAction> {
    match line {
        "<read-files>" => Some(FileAction::Read),
        "<modified-files>" => Some(FileAction::Written),
        "</read-files>" | "</modified-files>" => Some(FileAction::Named),
        _ => None,
    }
}

/// Returns true for the line of a list of open steps that says that there is none.
pub(super) fn says_nothing_is_open(item: &str) -> bool {
    let item = item.to_ascii_lowercase();
    NOTHING_OPEN.iter().any(|opening| item.starts_with(opening))
}

/// Openings of a line that says that nothing is open.
const NOTHING_OPEN: [&str; 5] = ["nothing ", "no pending", "no open", "(none", "none "];

/// Removes the backslash that keeps a line from being a heading.
pub(super) fn unescape_heading(line: &str) -> &str {
    line.strip_prefix('\\')
        .filter(|rest| rest.starts_with('#'))
        .unwrap_or(line)
}

/// Appends a line to a quotation.
pub(super) fn continue_quotation(quotation: Option<&mut Cow<'_, str>>, line: &str) {
    if let Some(quotation) = quotation {
        let quotation = quotation.to_mut();
        quotation.push('\n');
        quotation.push_str(line);
    }
}

/// Strips the bullet of a list item, and its number.
pub(super) fn strip_bullet(line: &str) -> &str {
    let item = line.trim_start_matches(['-', '*', '•']).trim_start();
    match item.split_once(". ") {
        Some((number, rest))
            if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) =>
        {
            rest
        }
        _ => item,
    }
}

/// Returns true for a line that is a heading in bold letters: `**Turn Context:**`.
pub(super) fn is_bold_heading(line: &str) -> bool {
    let bold = line.strip_prefix(BOLD).unwrap_or(line);
    bold.strip_suffix(BOLD)
        .is_some_and(|bold| bold.ends_with(':') && !bold.contains(BOLD))
}

/// The mark around bold letters.
const BOLD: &str = "**";

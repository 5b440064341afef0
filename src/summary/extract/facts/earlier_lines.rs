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

/// Returns true for a line that only says that there is nothing of what its heading names.
pub(super) fn says_none(item: &str) -> bool {
    let item = item.trim_matches(['(', ')', '.', '*', '_']);
    let has_none = item.starts_with("No ")
        && (item.split(['.', ':']).next())
            .is_some_and(|first| NO_TROUBLES.iter().any(|word| first.contains(word)));
    has_none || NO_ITEMS.iter().any(|none| item.eq_ignore_ascii_case(none))
}

/// What a line that begins with `No` says there is none of.
const NO_TROUBLES: [&str; 3] = [" errors", " issues", " problems"];

/// Such lines.
const NO_ITEMS: [&str; 4] = ["none", "n/a", "none yet", "none so far"];

/// Returns true for words between slashes, which are no path: `NONE/CONTRIBUTOR`, `Leads/Timeline`.
pub(super) fn joins_words(name: &str) -> bool {
    let mut parts = name.split('/');
    name.contains('/')
        && !name.contains('.')
        && parts.all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Returns true for the request of a harness that the summary itself answered.
pub(super) fn asks_for_summary(request: &str) -> bool {
    request.contains("create a detailed summary of the conversation")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_say_nothing_and_words_between_slashes_are_known() {
        for line in [
            "(none)",
            "None.",
            "**No major errors encountered**: it went well.",
            "N/A",
        ] {
            assert!(says_none(line), "{line}");
        }
        for line in [
            "No drafts are kept.",
            "Nobody fixed the errors",
            "None of the valves opens",
        ] {
            assert!(!says_none(line), "{line}");
        }
        assert!(joins_words("NONE/CONTRIBUTOR") && joins_words("Leads/Timeline/Activity"));
        for path in ["src/Pump", "Pump/valve.rs", "/Users", "Pump", "docs/README"] {
            assert!(!joins_words(path), "{path}");
        }
    }
}

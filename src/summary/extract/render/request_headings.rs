//! Tells the headings of a request, and what stands below them: what is wanted, versions and settings.

use super::request_parts::RequestPart;
use super::request_sections::is_numbered_section;
use super::sentence_worth::{LONGEST_LABEL, is_statement};
use crate::summary::extract::lexicon::request_words::ENVIRONMENT_HEADINGS;

/// Words of the headings above what is wanted, with the number of sentences below each that say more by that,
/// and how much more.
pub(super) const WANTED_HEADINGS: [(&str, usize); 5] = [
    ("expected", 1),
    (PROPOSED, 4),
    ("suggested", 3),
    ("desired", 2),
    ("acceptance", 6),
];
pub(super) const WANTED_WORTH: i32 = 40;
pub(super) const PROPOSED: &str = "proposed solution";
/// Maximum length in bytes of a heading that is stressed.
const LONGEST_HEADING: usize = 60;

/// Returns the level of a heading.
pub(super) fn level_of(line: &str) -> usize {
    match line.bytes().take_while(|byte| *byte == b'#').count() {
        0 if is_numbered_section(line) => RequestPart::UNMARKED_LEVEL - 1,
        0 => RequestPart::UNMARKED_LEVEL,
        marks => marks.min(RequestPart::UNMARKED_LEVEL - 2),
    }
}

/// Returns true for a heading: `### Steps`, `**Steps**`, `REQUIREMENTS:`.
pub(super) fn is_heading(line: &str) -> bool {
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    let stressed = ["**", "__", "_"]
        .iter()
        .any(|mark| line.len() > 2 * mark.len() && line.starts_with(mark) && line.ends_with(mark));
    (hashes > 0 && line[hashes..].starts_with(' '))
        || is_numbered_section(line)
        || (line.len() <= LONGEST_HEADING && stressed)
        || (line.len() <= LONGEST_LABEL
            && !is_statement(line)
            && line.trim_end_matches(['*', '_']).ends_with([':', '：']))
}

/// Returns true for a heading above versions and settings.
pub(super) fn lists_environment(heading: &str) -> bool {
    let title = heading.trim_end_matches([':', ' ']).to_ascii_lowercase();
    ENVIRONMENT_HEADINGS.contains(&title.as_str()) || title.ends_with(" version")
}

/// Returns true for a command that asks a program for its version.
pub(super) fn asks_for_version(line: &str) -> bool {
    VERSION_OPTIONS.iter().any(|option| line.ends_with(option))
}

/// The options of programs for their version.
const VERSION_OPTIONS: [&str; 3] = [" -v", " -V", " --version"];

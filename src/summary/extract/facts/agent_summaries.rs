//! Tells the summaries that agents left in the user's name from the user's own words, where the log does
//! not mark them: a session that was exported in another format, or resumed by hand.
//!
//! Known are those of Claude Code, Codex, OpenHands, pi and OpenCode: by how they begin, or by their
//! headings.

use super::earlier_sections::heading_of_line;
use crate::summary::extract::lexicon::message_marks::{SUMMARY_HEADINGS, SUMMARY_OPENINGS};

/// Minimum number of headings by which a summary is known.
const LEAST_HEADINGS: usize = 4;
/// Maximum number of lines that are searched for headings.
const MOST_LINES: usize = 400;

/// Returns true if a message in the user's name is the summary that an agent wrote of an earlier part.
pub(super) fn is_agent_summary(text: &str) -> bool {
    let text = text.trim_start();
    let mut openings = SUMMARY_OPENINGS.iter();
    openings.any(|opening| text.starts_with(opening)) || has_summary_headings(text)
}

/// Returns true for a text that begins with a heading of a summary and has several of them.
fn has_summary_headings(text: &str) -> bool {
    if text.lines().next().and_then(heading_of_line).is_none() {
        return false;
    }
    let mut headings = text
        .lines()
        .take(MOST_LINES)
        .filter_map(heading_of_line)
        .filter(|heading| {
            let heading = heading.text.to_ascii_uppercase();
            SUMMARY_HEADINGS.contains(&heading.trim_end_matches(':'))
        });
    headings.nth(LEAST_HEADINGS - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_told_from_requests() {
        for text in [
            "This session is being continued from a previous conversation that ran out of context.\nSummary:\n1. Primary Request and Intent:\n   Mend the pump",
            "<CONTEXT_STATE>\nUSER_CONTEXT: Mend the pump\n</CONTEXT_STATE>",
            "## Goal\n- Mend the pump\n\n## Constraints & Preferences\n- no tape\n\n## Progress\n### Done\n- [x] valve\n\n## Next Steps\n1. hose",
        ] {
            assert!(is_agent_summary(text), "{text}");
        }
        for text in [
            "## Goal\nMend the pump\n\n## Constraints\nno tape",
            "Mend the pump\n\n## Progress\n## Done\n## Goal\n## Next Steps",
            "# Goal\nMend it\n# Constraints\n# Done when\n# Current problems\n# Next steps after that",
            "Please continue the session.",
        ] {
            assert!(!is_agent_summary(text), "{text}");
        }
    }
}

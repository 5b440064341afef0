//! Tells the sections of an earlier summary by their headings, ours and those of other agents.

/// A section of a summary, by the facts in it.
#[derive(Debug, Clone, Copy)]
pub(super) enum SummarySection {
    Goal,
    Files,
    NextSteps,
    /// What the user said, oldest first.
    UserMessages,
    /// The request of the turn that goes on.
    Request,
    /// Wishes and limits of the user.
    Constraints,
    /// What was decided or found.
    Decisions,
    /// Any other section, or the text of a summary without sections.
    Facts,
}

impl SummarySection {
    /// Returns the section below a heading.
    pub(super) fn from_heading(heading: &str) -> Self {
        let heading = heading.to_ascii_uppercase();
        // Headings may be numbered: `1. Primary Request and Intent:`.
        let heading = heading.trim_matches(|c: char| !c.is_ascii_alphabetic());
        if begins_with_any(
            heading,
            &[
                "SESSION INTENT",
                "OBJECTIVE",
                "GOAL",
                "PRIMARY REQUEST",
                "TASK OVERVIEW",
                "USER_CONTEXT",
            ],
        ) {
            Self::Goal
        } else if begins_with_any(heading, &["ALL USER MESSAGES", "USER MESSAGES"]) {
            Self::UserMessages
        } else if begins_with_any(heading, &["ORIGINAL REQUEST"]) {
            Self::Request
        } else if begins_with_any(heading, &["ARTIFACTS", "RELEVANT FILES", "FILES"]) {
            Self::Files
        } else if begins_with_any(
            heading,
            &[
                "NEXT STEP",
                "NEXT MOVE",
                "IN PROGRESS",
                "PENDING",
                "OPTIONAL NEXT",
                "CURRENT WORK",
                "OPEN",
                "REMAINING",
            ],
        ) {
            Self::NextSteps
        } else if begins_with_any(
            heading,
            &[
                "CONSTRAINTS",
                "PREFERENCES",
                "USER PREFERENCES",
                "INSTRUCTIONS",
            ],
        ) {
            Self::Constraints
        } else if begins_with_any(
            heading,
            &[
                "KEY DECISIONS",
                "DECISIONS",
                "KEY FINDINGS",
                "DISCOVERIES",
                "CRITICAL CONTEXT",
            ],
        ) {
            Self::Decisions
        } else {
            Self::Facts
        }
    }
}

/// A heading of a summary.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SectionHeading<'t> {
    pub(super) text: &'t str,
    /// What stands behind it on the same line.
    pub(super) content: &'t str,
}

/// Returns the heading in a line: `## Goal`, `1. Primary Request and Intent:` as Claude Code writes it,
/// or `CODE_STATE: …` as OpenHands does.
pub(super) fn heading_of_line(line: &str) -> Option<SectionHeading<'_>> {
    if let Some(heading) = line.trim_start().strip_prefix('#') {
        let text = heading.trim_start_matches('#').trim();
        return Some(SectionHeading { text, content: "" });
    }
    let (text, content) = line.split_once(':')?;
    let content = content.trim();
    let is_capital = text.len() >= LEAST_CAPITALS
        && (text.bytes()).all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    if is_capital {
        return Some(SectionHeading { text, content });
    }
    let (number, title) = text.split_once(". ")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_title =
        title.len() <= LONGEST_TITLE && title.starts_with(|c: char| c.is_ascii_uppercase());
    (is_number && is_title && content.is_empty()).then_some(SectionHeading {
        text: title,
        content,
    })
}

/// Minimum length in bytes of a heading in capitals, and the maximum length of a numbered one.
const LEAST_CAPITALS: usize = 5;
const LONGEST_TITLE: usize = 60;

fn begins_with_any(heading: &str, names: &[&str]) -> bool {
    names.iter().any(|name| heading.starts_with(name))
}

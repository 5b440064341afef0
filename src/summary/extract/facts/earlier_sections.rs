//! Tells the sections of an earlier summary by their headings, ours and those of other agents.

/// A section of a summary, by the facts in it.
#[derive(Debug, Clone, Copy)]
pub(super) enum SummarySection {
    Goal,
    Files,
    NextSteps,
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
            ],
        ) {
            Self::Goal
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

fn begins_with_any(heading: &str, names: &[&str]) -> bool {
    names.iter().any(|name| heading.starts_with(name))
}

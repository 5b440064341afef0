//! Counts of masked secrets.

use crate::base::sums::add_fields;
use serde::{Deserialize, Serialize};

/// The number of masked secrets, by place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RedactionCounts {
    /// In requests to a summarizer.
    pub request: u64,
    /// In summaries.
    pub summary: u64,
    /// In archives for people.
    pub archive: u64,
    /// In the rows of a data set, and in what was converted.
    #[serde(default, skip_serializing_if = "is_none")]
    pub written: u64,
    /// Not masked: in messages that stay and keep their bytes.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl RedactionCounts {
    /// Returns the counts as a line for people.
    pub(crate) fn summary_line(self) -> String {
        let mut line = format!(
            "secrets masked: {} in requests, {} in summaries, {} in archives",
            self.request, self.summary, self.archive
        );
        if self.written > 0 {
            line += &format!(", {} in what is written", self.written);
        }
        if self.left > 0 {
            line += &format!("; {}", self.left_line());
        }
        line
    }

    /// Returns the count of secrets that stay, as a line for people.
    pub(crate) fn left_line(self) -> String {
        format!("left in messages that stay: {}", self.left)
    }
}

add_fields!(RedactionCounts: request, summary, archive, written, left);

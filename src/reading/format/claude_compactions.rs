//! The compactions that Claude Code made itself: a boundary line, and the summary that follows it.
//! Old versions wrote no boundary.

use crate::reading::format::prelude::*;

/// The lines between a boundary and its summary that may belong to other threads or to hooks.
const MAX_BETWEEN: usize = 20;

/// The search for compactions.
#[derive(Default)]
pub(super) struct ClaudeCompactionFinder {
    /// The boundary whose summary is not seen yet.
    boundary: Option<usize>,
}

impl CompactionFinder for ClaudeCompactionFinder {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>) {
        if record.has_text("subtype", "compact_boundary") {
            self.boundary = Some(at);
        } else if record.has_true("isCompactSummary") {
            let boundary = self.boundary.take();
            let first = boundary.filter(|first| at - first <= MAX_BETWEEN);
            spans.push(CompactionSpan::of_records(first.unwrap_or(at), at));
        }
    }
}

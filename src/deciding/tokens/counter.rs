//! The interface of token counters.

use crate::reading::transcript::Role;
use crate::reading::transcript::view::{ContentPiece, TranscriptView};

/// A counter of tokens. Each counter has its own rule for the cost of a message beyond its text.
pub(crate) trait TokenCounter: Send + Sync {
    /// Returns the name for `--counter` and reports.
    fn name(&self) -> &'static str;

    /// Returns the tokens of a bare text.
    fn count_text(&self, text: &str) -> usize;

    /// Returns the tokens of a tool result with this text, as stage prune counts it.
    fn count_result(&self, _view: TranscriptView<'_, '_>, _index: usize, text: &str) -> usize {
        self.count_text(text)
    }

    /// Returns the tokens of this many code points, if the counter looks at nothing else.
    fn count_points(&self, _points: usize) -> Option<usize> {
        None
    }

    /// Returns the tokens of message `index`, with its role, calls and names.
    fn count_message(&self, view: TranscriptView<'_, '_>, index: usize) -> usize {
        self.count_message_as(view, index, &view.content_pieces(index), view.has_blocks(index))
    }

    /// Returns the tokens of message `index` if its content were these pieces, as a list of blocks
    /// or as one text.
    fn count_message_as(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
        blocks: bool,
    ) -> usize;

    /// Returns the tokens of a summary message with this text.
    fn count_summary(&self, role: Role, text: &str) -> usize;

    /// Returns the tokens of the record's list of tool schemas (JSON).
    fn count_tools(&self, schemas: &[u8]) -> usize;

    /// Returns true if totals are scaled by the usage that the log reports.
    fn scales_with_usage(&self) -> bool;
}

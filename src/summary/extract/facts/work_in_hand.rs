//! Holds what the messages that stay say of the work in hand.

use super::focus_words::FocusWords;
use super::passages::KeptLines;

/// What the work in hand is about, and what of it stands beside the summary.
#[derive(Debug, Default)]
pub(crate) struct WorkInHand {
    /// The words of the work in hand.
    pub(crate) focus: FocusWords,
    /// The lines of the messages that stay.
    pub(crate) kept_lines: KeptLines,
}

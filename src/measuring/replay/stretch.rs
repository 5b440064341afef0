//! Stretches of calls, of which training samples are made.

use crate::measuring::replay::call_edits::CallEdits;

/// Consecutive calls each of which only adds to the messages of the previous one.
pub(super) struct CallStretch {
    /// The messages before this one are context. The answers of the calls follow.
    pub(super) context_end: usize,
    /// The edits of the last call.
    pub(super) edits: CallEdits,
    /// The end of the last answer; 0 before the first.
    pub(super) answers_end: usize,
}

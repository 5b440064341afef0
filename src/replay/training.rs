//! The options of training samples.

use crate::dataset::RowMaker;

/// The options of training samples.
pub(crate) struct TrainingOptions {
    /// Makes a sample of each call, not of each stretch.
    pub(crate) per_call: bool,
    /// Joins consecutive user messages, so that roles alternate.
    pub(crate) alternate: bool,
    /// The key that says whether a message is trained on. None for `weight`.
    pub(crate) key: Option<String>,
    /// The length above which samples are set apart, in tokens.
    pub(crate) max_tokens: Option<usize>,
    /// Makes rows of a data set, in place of the log's own messages.
    pub(crate) rows: Option<RowMaker>,
}

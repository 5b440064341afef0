//! The options of training samples.

use crate::dataset::RowMaker;
use crate::reading::format::answers_beside::answer_key;
use crate::running::conversation::Conversation;

/// The options of training samples.
pub(crate) struct TrainingOptions {
    /// Makes a sample of each call, not of each stretch.
    pub(crate) per_call: bool,
    /// The key that says whether a message is trained on. None for `weight`.
    pub(crate) key: Option<String>,
    /// The length above which samples are set apart, in tokens.
    pub(crate) max_tokens: Option<usize>,
    /// Makes rows of a data set, in place of the log's own messages.
    pub(crate) rows: Option<RowMaker>,
}

impl TrainingOptions {
    /// Returns the key of an answer beside the messages, which the rows of a data set would lose.
    pub(super) fn key_of_lost_answer(
        &self,
        conversation: &Conversation<'_>,
    ) -> Option<&'static str> {
        let record = conversation.transcript.records.first()?;
        self.rows.as_ref().and_then(|_| answer_key(record.bytes))
    }
}

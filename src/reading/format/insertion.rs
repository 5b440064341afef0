//! The place of a summary in a transcript, and the edits that put it there.

use crate::reading::transcript::dropped_blocks::TextCut;
use crate::reading::transcript::prelude::*;

/// The place of a summary: the messages that it replaces, and the one that follows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SummaryPlace<'p> {
    pub transcript: &'p Transcript<'p>,
    /// Indices of the messages that the summary replaces, in order.
    pub removed: &'p [usize],
    /// Index of the first message that stays behind the summary; the number of messages if none
    /// does.
    pub first_kept: usize,
    /// The kept message whose text is cut.
    pub cut: Option<&'p TextCut>,
    /// If each message is a record: the thread key, and the span of its value in the first removed
    /// record.
    pub thread: Option<(&'static str, Span)>,
    /// Tokens of the transcript as logged.
    pub tokens_before: usize,
}

impl<'p> SummaryPlace<'p> {
    /// Returns the thread key and its value as logged.
    pub(crate) fn thread_entry(&self) -> Option<(&'static str, &'p [u8])> {
        let record = self.transcript.record_of(*self.removed.first()?);
        self.thread.map(|(key, value)| (key, value.slice(record)))
    }

    /// Returns true if the summary must bear the mark of its format: calls and results tell the
    /// format, and none of them stays. What is compacted is read as the format that it was read as.
    pub(crate) fn needs_mark(&self) -> bool {
        let mut kept = self.transcript.messages.iter().skip(self.first_kept);
        !kept.any(|message| message.role.is_result())
    }

    /// Returns the first message that stays if it is the user's. Where roles must alternate, the
    /// summary is inserted into that message.
    pub(crate) fn user_that_follows(&self) -> Option<&'p Message> {
        let kept = self.transcript.messages.get(self.first_kept);
        kept.filter(|message| message.role == Role::User)
    }
}

/// The edits that put a summary into a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SummaryInsertion {
    /// The JSON of a separate message, which takes the place of the removed ones.
    pub message: Option<Vec<u8>>,
    /// Further splices, each with the index of its record: of the message that takes the summary
    /// in.
    pub splices: Vec<(usize, Splice)>,
    /// True if the removed messages stay in the list: the format notes beside it what the summary
    /// replaces.
    pub leaves_list: bool,
}

impl SummaryInsertion {
    /// Inserts the summary as a separate message.
    pub(crate) fn from_message(json: Vec<u8>) -> Self {
        Self { message: Some(json), ..Self::default() }
    }

    /// Inserts the summary into a message that stays.
    pub(crate) fn from_splices(splices: Vec<(usize, Splice)>) -> Self {
        Self { splices, ..Self::default() }
    }

    /// Leaves all messages where they are and notes the summary beside them.
    pub(crate) fn beside_list(splices: Vec<(usize, Splice)>) -> Self {
        Self { message: None, splices, leaves_list: true }
    }
}

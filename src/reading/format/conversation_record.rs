//! Records that each hold a conversation in a spelling of their own. A record is recognized, and
//! written down as a document in the dialect of a model API. The formats are rows of the files that
//! use this one.

use crate::reading::format::prelude::*;

/// A format whose records each hold a conversation that is written down again.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConversationRecord {
    /// The name for `--format` and reports.
    pub(super) name: &'static str,
    /// The line for `epitome formats`.
    pub(super) help_line: &'static str,
    /// The evidence in words.
    pub(super) why: &'static str,
    /// Returns true if a record is of this format.
    pub(super) fits: fn(JsonNode<'_>) -> bool,
    /// Builds the thread of the record with this index.
    pub(super) build: fn(JsonNode<'_>, usize) -> Result<JournalThread>,
}

impl Journal for ConversationRecord {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help_line(&self) -> &'static str {
        self.help_line
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        (self.fits)(record).then(|| Recognition::by_envelope(Shape::Conversation, self.why))
    }

    fn reads_rows(&self) -> bool {
        true
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(ConversationReader {
            format: *self,
            threads: Vec::new(),
        })
    }
}

struct ConversationReader {
    format: ConversationRecord,
    threads: Vec<JournalThread>,
}

impl JournalReader for ConversationReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<()> {
        if !(self.format.fits)(record) {
            let reason = format!("not a record of {}", self.format.name);
            return Err(RecordError::new(reason));
        }
        let mut thread = (self.format.build)(record, at)?;
        let keys = [
            "thread_id",
            "session_id",
            "conversation_id",
            "custom_id",
            "key",
            "instance_id",
            "id",
            "uuid",
        ];
        let mut ids = keys.iter().filter_map(|key| record.non_empty_text(key));
        thread.id = thread.id.or_else(|| ids.next());
        self.threads.push(thread);
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.threads
    }
}

/// Returns a thread without messages for the record with this index.
pub(super) fn new_thread(dialect: DocumentDialect, list: &'static str, at: usize) -> JournalThread {
    JournalThread::new(dialect, list, WriteMode::Nowhere, at)
}

/// Appends a chat message whose text is the literal of a node.
pub(super) fn push_text(thread: &mut JournalThread, at: usize, role: &str, text: JsonNode<'_>) {
    push_literal(thread, EventPlace::new(at, text.span()), role, text.bytes());
}

/// Appends a chat message whose text is this literal.
pub(super) fn push_literal(
    thread: &mut JournalThread,
    place: EventPlace,
    role: &str,
    literal: &[u8],
) {
    thread.push_said(ElementMark::Message, place, role, literal);
}

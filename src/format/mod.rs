//! Transcript formats. Each is one file and one line in [`FORMATS`]; nothing
//! outside this folder knows any of them.

mod anthropic;
mod bedrock;
mod claude_code;
mod claude_stream;
mod claude_turns;
mod codex;
mod codex_exec;
mod codex_history;
mod codex_items;
mod gemini;
mod gemini_cli;
mod gemini_stream;
mod hermes;
pub mod journal;
mod langchain;
mod langsmith;
mod llamafactory;
mod openai;
mod openai_batch;
mod openai_dpo;
mod openai_messages;
mod opencode;
mod openhands;
mod pi;
mod plain;
mod reading;
mod responses;
mod sharegpt;
mod swe_agent;
mod tau_bench;
mod thread;
pub mod tree;
mod usage;
mod vote;

use crate::error::RecordError;
use crate::json::Span;
use crate::json::encode_literal;
use crate::transcript::are_all_text;
use crate::transcript::journal::WriteMode;
use crate::transcript::splice::Splice;
use crate::transcript::{BlockKind, Content, Message, Record, Role, Transcript};
use journal::{Journal, JournalFormat};
use thread::ThreadId;
pub use thread::{message_thread, thread_key};
use tree::JsonNode;
pub use vote::{FormatVerdict, FormatVote, describe_record, detect_format, shape_in_format};

/// All formats, the most specific first: the first that knows a record reads its file.
pub static FORMATS: &[&dyn Format] = &[
    &JournalFormat(claude_code::ClaudeCodeJournal),
    &JournalFormat(codex::CodexJournal),
    &JournalFormat(codex_items::CodexItemsJournal),
    &JournalFormat(codex_exec::CodexExecJournal),
    &JournalFormat(pi::PiJournal),
    &JournalFormat(opencode::OpenCodeJournal),
    &JournalFormat(openhands::OpenHandsJournal),
    &JournalFormat(gemini_cli::GeminiCliJournal),
    &JournalFormat(gemini_stream::GeminiStreamJournal),
    &JournalFormat(claude_stream::ClaudeStreamJournal),
    &JournalFormat(langsmith::LangSmithJournal),
    &openai_batch::OpenAiBatchFormat,
    &openai_dpo::OpenAiDpoFormat,
    &swe_agent::SweAgentFormat,
    &tau_bench::TauBenchFormat,
    &hermes::HermesFormat,
    &sharegpt::ShareGptFormat,
    &llamafactory::LlamaFactoryFormat,
    &gemini::GeminiFormat,
    &bedrock::BedrockFormat,
    &anthropic::AnthropicFormat,
    &langchain::LangChainFormat,
    &responses::ResponsesFormat,
    &openai::OpenAiFormat,
];

/// What one record of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A whole conversation.
    Conversation,
    /// One message; the conversation goes on in other records.
    Message,
    /// One event of a journal: all records of the file together are one or more conversations.
    Journal,
}

/// How much a record says about its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It fits, as a plain message also fits other formats.
    Fits,
    /// A message holds what only this format has.
    Message,
    /// What stands around the messages is this format's own.
    Envelope,
}

/// Why a record is of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognition {
    /// What the record is.
    pub shape: Shape,
    /// How sure that is.
    pub certainty: Certainty,
    /// What was seen.
    pub why: &'static str,
}

/// Where a summary goes: what it stands for, and what follows it.
#[derive(Debug, Clone, Copy)]
pub struct SummaryPlace<'p> {
    /// The messages that go, in order.
    pub removed: &'p [usize],
    /// The first message that stays behind it; the number of messages where none does.
    pub first_kept: usize,
    /// In a file of one message a record: the thread key and its value in the first removed record.
    pub thread: Option<(&'static str, Span)>,
    /// Tokens of the transcript as logged.
    pub tokens_before: usize,
}

impl<'p> SummaryPlace<'p> {
    /// The thread key and its value as logged.
    #[must_use]
    pub fn thread<'a>(&self, transcript: &Transcript<'a>) -> Option<(&'static str, &'a [u8])> {
        let record = transcript.record_of(*self.removed.first()?);
        self.thread.map(|(key, value)| (key, value.slice(record)))
    }

    /// The first message that stays, if a user speaks in it: where roles must alternate the summary goes into it.
    #[must_use]
    pub fn user_that_follows(&self, transcript: &'p Transcript<'_>) -> Option<&'p Message> {
        transcript
            .messages
            .get(self.first_kept)
            .filter(|message| message.role == Role::User)
    }
}

/// How a summary enters a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SummaryInsertion {
    /// A message of its own, in the place of what went.
    pub message: Option<Vec<u8>>,
    /// What changes elsewhere, by record: the message that takes it in.
    pub splices: Vec<(usize, Splice)>,
    /// The list stays as it is: the format notes beside it what the summary stands for.
    pub leaves_list: bool,
}

impl SummaryInsertion {
    /// A message of its own.
    #[must_use]
    pub fn message(json: Vec<u8>) -> Self {
        Self {
            message: Some(json),
            ..Self::default()
        }
    }
}

/// One transcript format: reads records, and writes edits in its own shape.
pub trait Format: Sync {
    /// The name for `--format` and reports.
    fn name(&self) -> &'static str;

    /// One line for `epitome formats`: what it is and how it is recognised.
    fn help_line(&self) -> &'static str;

    /// Whether a record is of this format, and what it is then.
    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition>;

    /// It as a journal, which is rebuilt before it is read.
    fn as_journal(&self) -> Option<&dyn Journal> {
        None
    }

    /// How it takes a compaction in.
    fn write_mode(&self) -> WriteMode {
        WriteMode::InPlace
    }

    /// Reads a conversation from its one record, or from one record a message.
    ///
    /// # Errors
    /// What is wrong with the record, naming the field.
    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>, RecordError>;

    /// How a summary with this text enters the transcript: as a message of its own, or inside the one that follows
    /// where the format's readers want roles to alternate. In a file of one message a record it carries the thread key.
    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion;

    /// The JSON of a message of its own, of a summary that is told in several. It carries the thread key, too.
    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8>;

    /// How a summary that is told in several messages enters the transcript; `separator` stands between two.
    fn place_messages(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        messages: &[(Role, String)],
        separator: &[u8],
    ) -> SummaryInsertion {
        let messages: Vec<Vec<u8>> = messages
            .iter()
            .map(|(role, text)| self.render_message(transcript, place, *role, text))
            .collect();
        SummaryInsertion::message(messages.join(separator))
    }

    /// Whether its messages are OpenAI chat messages as they stand: then they can be samples of fine-tuning data.
    fn is_chat(&self) -> bool {
        false
    }

    /// A content block with this text.
    fn render_text_block(&self, text: &str) -> Vec<u8> {
        [
            b"{\"type\": \"text\", \"text\": ".as_slice(),
            &encode_literal(text),
            b"}",
        ]
        .concat()
    }

    /// A tool result that is this text alone.
    fn render_result(&self, text: &str) -> Vec<u8> {
        encode_literal(text)
    }

    /// The splices that put `text` in the place of a tool result's text, by record. Blocks that are no text stay.
    fn replace_result(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let message = &transcript.messages[index];
        let Some(span) = message.content_span else {
            return Vec::new();
        };
        let bytes = match &message.content {
            Content::Blocks(blocks) if !are_all_text(blocks) => {
                let mut list = [b"[", self.render_text_block(text).as_slice()].concat();
                for block in blocks
                    .iter()
                    .filter(|block| !matches!(block.kind, BlockKind::Text(_)))
                {
                    list.extend_from_slice(b", ");
                    list.extend_from_slice(transcript.bytes(index, block.span));
                }
                list.push(b']');
                list
            }
            Content::Absent | Content::Text(_) | Content::Blocks(_) => self.render_result(text),
        };
        vec![(message.record, Splice { span, bytes })]
    }

    /// The splices that put `text` in the place of all that a tool result holds, by record.
    fn clear_result(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let Message {
            record,
            content_span,
            ..
        } = transcript.messages[index];
        content_span
            .map(|span| {
                (
                    record,
                    Splice {
                        span,
                        bytes: self.render_result(text),
                    },
                )
            })
            .into_iter()
            .collect()
    }
}

/// The format of that name.
#[must_use]
pub fn format_by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

//! The document that all stages share: one conversation, with the byte span of
//! everything that can be counted, cut or replaced. It knows no format; a
//! `Format` fills it in, and renders edits back into bytes.

pub mod arguments;
pub mod copies;
pub mod digest;
pub mod exchange;
pub mod frame;
pub mod journal;
pub mod splice;
pub mod time;
pub mod view;

use crate::json::{Span, text};
use journal::{Beside, Source, Writes};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The system prompt.
    System,
    /// The system prompt, as newer models call it.
    Developer,
    /// The person (or the program) that asks.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
    /// The result of a legacy function call.
    Function,
}

impl Role {
    /// All roles, in the order in which reports list them.
    pub const ALL: [Self; 6] = [
        Self::System,
        Self::Developer,
        Self::User,
        Self::Assistant,
        Self::Tool,
        Self::Function,
    ];

    /// The field's name of the role.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Function => "function",
        }
    }

    /// The role of that name.
    #[must_use]
    pub fn named(name: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|role| role.name().as_bytes() == name)
    }

    /// System and developer messages are never summarised away (promise 4).
    #[must_use]
    pub fn is_system(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }

    /// Whether the message answers a call.
    #[must_use]
    pub fn is_result(self) -> bool {
        matches!(self, Self::Tool | Self::Function)
    }
}

/// The bytes of one record and the line where it begins.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// The record without its line end.
    pub bytes: &'a [u8],
    /// Line in its file, from 1.
    pub line: u64,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Content {
    /// None, null or an empty list.
    #[default]
    Absent,
    /// One string literal.
    Text(Span),
    /// A list of blocks.
    Blocks(Vec<Block>),
}

/// One block of a content list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The whole block.
    pub span: Span,
    /// What it holds.
    pub kind: BlockKind,
}

/// Kinds of block that are counted or cut differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// Text: the span of its string literal.
    Text(Span),
    /// An image: counted by a fixed price, never by its bytes.
    Image,
    /// A call that stands in the content, by its place in [`Message::calls`].
    Call(usize),
    /// Anything else: audio, file, refusal.
    Other,
}

/// One tool call of an assistant message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call {
    /// The whole call.
    pub span: Span,
    /// The call's id (a literal), where the format has ids.
    pub id: Option<Span>,
    /// The tool's name (a literal).
    pub name: Option<Span>,
    /// The arguments: a literal that holds JSON, or the object itself.
    pub arguments: Option<Span>,
    /// Whether the arguments are a JSON object. Others are opaque.
    pub valid: bool,
    /// Code points of Python's `repr` of the arguments, where reading them told it.
    pub repr_points: Option<usize>,
    /// A call that is told from the text around it (OpenAI's `function_call`, tags): paired, but neither counted nor cut by itself.
    pub legacy: bool,
    /// Whether the arguments stand inside a string literal that holds more: their span covers one byte more on each side.
    pub inside: bool,
    /// Further places that hold the same arguments: an edit changes all of them, they count once.
    pub copies: Vec<Span>,
}

/// Token usage that the provider reported with an assistant message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Input and output together: as reported, else the sum of what follows.
    pub total_tokens: i64,
    /// Input that no cache was used for.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Input that was read from a cache.
    pub cache_read: u64,
    /// Input that was written to a cache.
    pub cache_write: u64,
}

/// One message and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Index of its record in the transcript.
    pub record: usize,
    /// The element of the record's list that holds the message. Messages that share an element have the same span.
    pub span: Span,
    /// Whether no cut may part it from the message before it: they share an element, or are one answer of the model.
    pub joined: bool,
    /// Who speaks.
    pub role: Role,
    /// Who speaks by the log, where that is another.
    pub logged_role: Option<Role>,
    /// What it says.
    pub content: Content,
    /// Code points of the content, where it is one text and reading told them.
    pub points: Option<usize>,
    /// The whole value that holds the content, also where it is null.
    pub content_span: Option<Span>,
    /// The name of the speaker or tool (a non-empty literal).
    pub name: Option<Span>,
    /// The calls it makes.
    pub calls: Vec<Call>,
    /// The id of the call it answers (a literal).
    pub answers: Option<Span>,
    /// Reported usage. Few messages have any, and all are moved.
    pub usage: Option<Box<Usage>>,
    /// Reported provider (a literal), compared with the model's.
    pub provider: Option<Span>,
    /// Whether a tool result is that of a call that failed or has not ended.
    pub incomplete: bool,
    /// A summary that an earlier compaction left.
    pub earlier_summary: bool,
}

impl Message {
    /// A message of a role in an element of record `record`; it says nothing yet.
    #[must_use]
    pub fn new(record: usize, span: Span, role: Role) -> Self {
        Self {
            record,
            span,
            joined: false,
            role,
            logged_role: None,
            content: Content::Absent,
            points: None,
            content_span: None,
            name: None,
            calls: Vec::new(),
            answers: None,
            usage: None,
            provider: None,
            incomplete: false,
            earlier_summary: false,
        }
    }

    /// The tokens that were reported with it.
    #[must_use]
    pub fn used(&self) -> Option<u64> {
        let usage = self.usage.as_ref()?;
        u64::try_from(usage.total_tokens)
            .ok()
            .filter(|tokens| *tokens > 0)
    }
}

/// What reading the records noticed on its way, so that they need not be searched for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Noticed {
    /// A code unit is escaped in a string: `\uXXXX`.
    pub units: bool,
    /// A key of a message may hold its time.
    pub times: bool,
}

/// One conversation: its messages in order, and the records they came from.
#[derive(Debug, Clone, Default)]
pub struct Transcript<'a> {
    /// One record that holds all messages, or one record a message; of a journal the document that was told from it, and its records.
    pub records: Vec<Record<'a>>,
    /// Whether each message is a record of its own.
    pub message_per_record: bool,
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// How many leading messages stand outside the list: a system prompt under a key of its own.
    pub outside: usize,
    /// Whether the format's readers want user and assistant to speak in turn.
    pub alternates: bool,
    /// The id that the log gives the conversation; never empty.
    pub thread_id: Option<String>,
    /// The model that the log names.
    pub model: Option<String>,
    /// The model's input limit in tokens, where the log names it.
    pub input_limit: Option<u64>,
    /// The list of tool schemas, in the first record.
    pub tools: Option<Span>,
    /// What reading noticed, where the format tells.
    pub noticed: Option<Noticed>,
    /// Oddities worth a word: duplicate keys, lone surrogates.
    pub warnings: Vec<String>,
    /// How the log takes a compaction in.
    pub writes: Writes,
    /// Of a journal: where the elements of the first record come from, in the order of their places.
    pub sources: Vec<Source>,
    /// Of a journal: the name of the dialect that the first record is told in.
    pub dialect: Option<&'static str>,
    /// Of a journal: what is not told.
    pub beside: Vec<Beside>,
    /// Which messages make calls with an id; built when it is first asked for.
    pub callers: OnceLock<exchange::Callers>,
}

impl<'a> Transcript<'a> {
    /// Whether a lone surrogate is escaped in a record.
    #[must_use]
    pub fn has_lone_surrogate(&self) -> bool {
        self.noticed.is_none_or(|noticed| noticed.units)
            && self
                .records
                .iter()
                .any(|record| text::has_lone_surrogate(record.bytes))
    }

    /// The bytes of the record that holds message `index`.
    #[must_use]
    pub fn record_of(&self, index: usize) -> &'a [u8] {
        self.records[self.messages[index].record].bytes
    }

    /// The bytes of a span of message `index`.
    #[must_use]
    pub fn bytes(&self, index: usize, span: Span) -> &'a [u8] {
        span.of(self.record_of(index))
    }

    /// How many leading messages are the system prompt (0 or 1). Cutoffs don't count it.
    #[must_use]
    pub fn head(&self) -> usize {
        usize::from(
            self.messages
                .first()
                .is_some_and(|message| message.role.is_system()),
        )
    }

    /// The tool schemas as JSON; some formats keep it in a string.
    #[must_use]
    pub fn tool_schemas(&self) -> Option<Cow<'a, [u8]>> {
        let schemas = self.tools?.of(self.records.first()?.bytes);
        Some(if schemas.first() == Some(&b'"') {
            text::decode_wtf8(schemas)
        } else {
            Cow::Borrowed(schemas)
        })
    }

    /// The elements of the one record's list, in order.
    #[must_use]
    pub fn elements(&self) -> Vec<Span> {
        let mut spans: Vec<Span> = self
            .messages
            .iter()
            .skip(self.outside)
            .map(|message| message.span)
            .collect();
        spans.dedup();
        spans
    }

    /// The place of message `index` in its list, where several messages may share an element.
    #[must_use]
    pub fn place(&self, index: usize) -> usize {
        let before = self.messages[self.outside.min(index)..=index].windows(2);
        before
            .filter(|pair| (pair[0].record, pair[0].span) != (pair[1].record, pair[1].span))
            .count()
    }
}

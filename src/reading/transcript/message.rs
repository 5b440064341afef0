//! One message: its role, content and tool calls, each with its byte span.

use crate::reading::transcript::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Content {
    /// No content, null or an empty list.
    #[default]
    Absent,
    /// One string literal.
    Text(Span),
    Blocks(Vec<MessageBlock>),
}

/// One block of a content list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageBlock {
    /// The span of the full block.
    pub span: Span,
    pub kind: BlockKind,
}

/// The kinds of blocks that are counted or cut differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// Text: the span of its string literal.
    Text(Span),
    /// An image. It is counted at a fixed price, never by its bytes.
    Image,
    /// A tool call, by its index in [`Message::calls`].
    Call(usize),
    /// Any other block, such as audio, a file or a refusal.
    Other,
}

pub(crate) fn are_all_text(blocks: &[MessageBlock]) -> bool {
    blocks.iter().all(|block| matches!(block.kind, BlockKind::Text(_)))
}

impl Content {
    /// Returns the blocks of a list; none if the content is no list.
    pub(crate) fn blocks(&self) -> &[MessageBlock] {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::Absent | Self::Text(_) => &[],
        }
    }

    /// Returns true if there is text, and nothing else.
    pub(crate) fn is_all_text(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Blocks(blocks) => are_all_text(blocks),
            Self::Absent => false,
        }
    }
}

/// One tool call of an assistant message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ToolCall {
    /// The span of the full call.
    pub span: Span,
    /// The call's id (a literal), if the format has ids.
    pub id: Option<Span>,
    /// The tool's name (a literal).
    pub name: Option<Span>,
    /// The arguments: a literal that holds JSON, or a JSON value.
    pub arguments: Option<Span>,
    /// True if the arguments are a JSON object. Other arguments are opaque.
    pub valid: bool,
    /// Code points of Python's `repr` of the arguments, if they were measured when read.
    pub repr_points: Option<usize>,
    /// True for a call that the text around it contains (OpenAI's `function_call`, tags). It is
    /// paired with its result, but neither counted nor cut by itself.
    pub legacy: bool,
    /// True if the arguments are a part of a string literal. Their span then covers one more byte
    /// on each side.
    pub inside: bool,
    /// Other places that hold the same arguments. An edit changes all of them; they count once.
    pub copies: Vec<Span>,
}

/// The token usage that the provider reported with an assistant message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Usage {
    /// Input and output tokens together: as reported, else the sum of the other fields.
    pub total_tokens: i64,
    /// Input tokens outside of any cache.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input tokens read from a cache.
    pub cache_read: u64,
    /// Input tokens written to a cache.
    pub cache_write: u64,
    /// True if the record reports it beside its list of messages: then it is that of this very list.
    pub of_list: bool,
}

impl Usage {
    /// Returns the sum of the input and the output.
    pub(crate) fn sum(&self) -> u64 {
        let parts = [self.input, self.output, self.cache_read, self.cache_write];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// One message and its place in the records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Message {
    /// Index of its record in the transcript.
    pub record: usize,
    /// The element of the record's list that holds the message. Messages that share an element have
    /// the same span.
    pub span: Span,
    /// True if no cut may part the message from the previous message: they share an element, or
    /// are one answer of the model.
    pub joined: bool,
    /// The speaker's role.
    pub role: Role,
    /// The role in the log, if it is another.
    pub logged_role: Option<Role>,
    pub content: Content,
    /// Code points of the content, if it is one text and was measured when read.
    pub code_points: Option<usize>,
    /// The full value that holds the content, even if it is null.
    pub content_span: Option<Span>,
    /// The name of the speaker or tool (a non-empty literal).
    pub name: Option<Span>,
    /// The tool calls that the message makes.
    pub calls: Vec<ToolCall>,
    /// The id of the call that the message answers (a literal).
    pub answers: Option<Span>,
    /// Reported usage. Boxed, because few messages have any and all messages are moved.
    pub usage: Option<Box<Usage>>,
    /// Reported provider (a literal). It is compared with the model's.
    pub provider: Option<Span>,
    /// True for the result of a call that failed or has not ended.
    pub incomplete: bool,
    /// True for a summary that an earlier compaction left.
    pub earlier_summary: bool,
    /// True if something before it in the conversation was not read.
    pub behind_unread: bool,
}

impl Message {
    /// Creates an empty message in an element of record `record`.
    pub(crate) fn new(record: usize, span: Span, role: Role) -> Self {
        Self { record, span, role, ..Self::default() }
    }

    /// Returns true if the record reports the usage of the call that gave this message beside the
    /// list.
    pub(crate) fn has_usage_of_list(&self) -> bool {
        self.usage.as_ref().is_some_and(|usage| usage.of_list)
    }

    /// Returns the tokens that the model call used, as the provider reported them: the sum of input
    /// and output, whatever total is stated beside them.
    pub(crate) fn used_tokens(&self) -> Option<u64> {
        let usage = self.usage.as_ref()?;
        Some(usage.sum()).filter(|tokens| *tokens > 0).or_else(|| self.reported_tokens())
    }

    /// Returns the input tokens of the model call, those of caches included.
    pub(crate) fn prompt_tokens(&self) -> Option<u64> {
        let usage = self.usage.as_ref()?;
        let input = Usage { output: 0, ..**usage };
        Some(input.sum()).filter(|tokens| *tokens > 0)
    }

    /// Returns the total tokens that the provider reported with the message.
    pub(crate) fn reported_tokens(&self) -> Option<u64> {
        let usage = self.usage.as_ref()?;
        u64::try_from(usage.total_tokens).ok().filter(|tokens| *tokens > 0)
    }
}

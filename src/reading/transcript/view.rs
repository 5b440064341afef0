//! A transcript with edits made: original bytes where nothing changed, new text
//! where a stage replaced it. Counting, archiving and summarizing all use the
//! view, so that they see the same text.

use crate::reading::json::{decode_literal_ends, decode_literal_onto};
use crate::reading::transcript::overlay::{NOTHING_REPLACED, Overlay};
use crate::reading::transcript::prelude::*;

/// A transcript seen through an overlay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TranscriptView<'t, 'a> {
    /// The transcript as logged.
    pub transcript: &'t Transcript<'a>,
    /// The replaced texts.
    pub overlay: &'t Overlay,
}

/// One piece of content to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentPiece<'v> {
    /// A string literal with its quotes.
    Literal(&'v [u8]),
    Text(&'v str),
    Image,
    /// A call, as the JSON of its block. It is among the calls of the message, too.
    Call(&'v [u8]),
    /// Another block, as JSON.
    Other(&'v [u8]),
}

impl<'v> ContentPiece<'v> {
    /// Returns the text of the piece. Images and other blocks have none.
    pub(crate) fn text(self) -> Option<Cow<'v, str>> {
        match self {
            Self::Literal(literal) => Some(decode_literal(literal)),
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Image | Self::Call(_) | Self::Other(_) => None,
        }
    }
}

/// A message as text, for the archive and the summarizers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ViewedTurn<'v> {
    /// The speaker's role.
    pub role: Role,
    /// All text of the message. Images and other blocks are left out.
    pub text: Cow<'v, str>,
    /// The tool calls that the message makes.
    pub calls: Vec<ViewedCall<'v>>,
    /// The tool whose result this is, if it is known.
    pub tool: Option<Cow<'v, str>>,
    /// The id of the call whose result this is; empty if the log has none.
    pub answers: Cow<'v, str>,
    /// True for the result of a call that failed or has not ended.
    pub failed: bool,
    /// True for a summary that an earlier compaction left.
    pub earlier_summary: bool,
}

/// Between the blocks of a message that is viewed as text: a harness writes a notice and the user's words into one
/// message.
const BETWEEN_BLOCKS: &str = "\n";

/// A tool call as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ViewedCall<'v> {
    /// The call's id; empty if the format has none.
    pub id: Cow<'v, str>,
    /// The tool's name.
    pub name: Cow<'v, str>,
    /// The arguments as JSON text (WTF-8).
    pub arguments: Cow<'v, [u8]>,
    /// True if the arguments are a JSON object.
    pub valid: bool,
    /// True for a call that the text around it contains.
    pub legacy: bool,
}

impl<'t, 'a: 't> TranscriptView<'t, 'a> {
    /// Shows a transcript through an overlay.
    pub(crate) fn new(transcript: &'t Transcript<'a>, overlay: &'t Overlay) -> Self {
        Self { transcript, overlay }
    }

    /// Shows a transcript as it was logged.
    pub(crate) fn logged(transcript: &'t Transcript<'a>) -> Self {
        Self::new(transcript, &NOTHING_REPLACED)
    }

    /// Returns message `index` as logged.
    pub(crate) fn message(self, index: usize) -> &'t Message {
        &self.transcript.messages[index]
    }

    /// Returns true if the content of message `index` is a list of blocks. The reference does not
    /// count the calls of such a message separately.
    pub(crate) fn has_blocks(self, index: usize) -> bool {
        match &self.message(index).content {
            Content::Blocks(blocks) => {
                !(self.overlay.results.contains_key(&index)
                    && (are_all_text(blocks) || self.overlay.cleared.contains(&index)))
            }
            Content::Text(_) | Content::Absent => false,
        }
    }

    /// Returns the pieces of the content of message `index`.
    pub(crate) fn content_pieces(self, index: usize) -> Vec<ContentPiece<'t>> {
        let replaced = self.overlay.results.get(&index);
        let replaced = replaced.map(|text| ContentPiece::Text(text.as_str()));
        let bytes = |span| self.transcript.bytes(index, span);
        let blocks = match &self.message(index).content {
            Content::Text(span) => {
                return vec![replaced.unwrap_or_else(|| ContentPiece::Literal(bytes(*span)))];
            }
            Content::Blocks(blocks) if !self.overlay.cleared.contains(&index) => blocks.as_slice(),
            Content::Absent | Content::Blocks(_) => &[],
        };
        let dropped = self.overlay.dropped.get(&index);
        let left = blocks
            .iter()
            .enumerate()
            .filter(|(number, _)| dropped.is_none_or(|dropped| !dropped.contains(*number)));
        let kept = left.filter_map(|(_, block)| match block.kind {
            BlockKind::Text(_) if replaced.is_some() => None,
            BlockKind::Text(span) => Some(ContentPiece::Literal(bytes(span))),
            BlockKind::Image => Some(ContentPiece::Image),
            BlockKind::Call(number) => {
                let new = self.overlay.arguments.get(&(index, number));
                let new = new.and_then(|new| new.block.as_deref());
                Some(ContentPiece::Call(new.unwrap_or_else(|| bytes(block.span))))
            }
            BlockKind::Other => Some(ContentPiece::Other(bytes(block.span))),
        });
        replaced.into_iter().chain(kept).collect()
    }

    /// Returns the text of message `index`, with `joint` between its blocks.
    pub(crate) fn joined_text(self, index: usize, joint: &str) -> Cow<'t, str> {
        let mut texts = self.content_pieces(index).into_iter().filter_map(ContentPiece::text);
        let first = texts.next().unwrap_or_default();
        match texts.next() {
            None => first,
            Some(second) => {
                let mut all = first.into_owned();
                for text in std::iter::once(second).chain(texts) {
                    all.push_str(joint);
                    all.push_str(&text);
                }
                Cow::Owned(all)
            }
        }
    }

    /// Appends the text of message `index`, with nothing between its blocks.
    pub(crate) fn append_text(self, index: usize, out: &mut Vec<u8>) {
        for piece in self.content_pieces(index) {
            match piece {
                ContentPiece::Literal(literal) => decode_literal_onto(literal, out),
                ContentPiece::Text(text) => out.extend_from_slice(text.as_bytes()),
                ContentPiece::Image | ContentPiece::Call(_) | ContentPiece::Other(_) => {}
            }
        }
    }

    /// Returns the arguments of a call as JSON (WTF-8).
    pub(crate) fn call_arguments(self, index: usize, number: usize) -> Cow<'t, [u8]> {
        if let Some(new) = self.overlay.arguments.get(&(index, number)) {
            return Cow::Borrowed(&new.json);
        }
        self.transcript.logged_arguments(index, &self.message(index).calls[number])
    }

    /// Returns message `index` as text, its blocks on lines of their own.
    pub(crate) fn viewed_turn(self, index: usize) -> ViewedTurn<'t> {
        self.viewed_turn_with(index, self.joined_text(index, BETWEEN_BLOCKS))
    }

    /// Returns message `index` as text. A long text is shortened to its beginning and its end,
    /// each of at least `least` bytes.
    pub(crate) fn brief_viewed_turn(self, index: usize, least: usize) -> ViewedTurn<'t> {
        let is_replaced = self.overlay.results.contains_key(&index);
        let text = match &self.message(index).content {
            Content::Text(span) if !is_replaced => {
                decode_literal_ends(self.transcript.bytes(index, *span), least)
            }
            _ => self.joined_text(index, BETWEEN_BLOCKS),
        };
        self.viewed_turn_with(index, text)
    }

    fn viewed_turn_with(self, index: usize, text: Cow<'t, str>) -> ViewedTurn<'t> {
        let message = self.message(index);
        let decode = |span| decode_literal(self.transcript.bytes(index, span));
        let calls = message.calls.iter().enumerate().map(|(number, call)| ViewedCall {
            id: call.id.map(decode).unwrap_or_default(),
            name: call.name.map(decode).unwrap_or_default(),
            arguments: self.call_arguments(index, number),
            valid: call.valid,
            legacy: call.legacy,
        });
        ViewedTurn {
            role: message.role,
            text,
            calls: calls.collect(),
            tool: message.role.is_result().then(|| self.transcript.tool_name_of(index)).flatten(),
            answers: self.transcript.answered_id(message).unwrap_or_default(),
            failed: message.incomplete,
            earlier_summary: message.earlier_summary,
        }
    }
}

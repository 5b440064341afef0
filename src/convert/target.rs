//! What is converted, and the row of a conversion target.

use crate::convert::block::ContentBlock;
use crate::convert::call_ids::IdRule;
use crate::convert::chat::{ChatPart, ChatTranscript};
use crate::convert::escaped_text::embed_json;
use crate::convert::notes::ConversionNotes;
use crate::deciding::plan::Summary;
use crate::reading::format::tree::JsonNode;
use crate::reading::transcript::Role;
use crate::reading::transcript::view::TranscriptView;

/// A chat format that transcripts can be converted to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConversionTarget {
    /// The name for `--to`.
    pub name: &'static str,
    /// A line for the help text that shows the output.
    pub about: &'static str,
    /// The turns to join.
    pub merge: MergeRule,
    /// True if the system prompt is kept outside the list of messages.
    pub system_apart: bool,
    /// True if readers skip a chat whose last message is not the assistant's.
    pub ends_with_answer: bool,
    /// True if texts that consist of blanks are refused.
    pub refuses_blank_text: bool,
    /// The accepted call ids. `None` if the format has no call ids.
    pub ids: Option<IdRule>,
    /// True if the format names the model.
    pub has_model: bool,
    /// True if a result records that its call failed.
    pub records_failure: bool,
    /// True if an assistant message records the reported usage.
    pub records_usage: bool,
    /// The formats whose messages are spelled like those of the target. All their fields are kept.
    pub same_formats: &'static [&'static str],
    /// The message keys that the target writes itself.
    pub message_keys: &'static [&'static str],
    /// The record keys that the target writes itself.
    pub record_keys: &'static [&'static str],
    /// True if the blocks of these formats are kept as well.
    pub keeps_blocks: bool,
    /// Converts a block in a message of this role. Returns `None` if the block has no place there.
    pub convert_block: fn(Role, &ContentBlock<'_>) -> Option<ConvertedBlock>,
    /// Returns the object that holds the fields of a logged message.
    pub message_fields: for<'n> fn(JsonNode<'n>) -> JsonNode<'n>,
    /// Returns true if the target accepts a tool definition as it is logged.
    pub accepts_tool: fn(JsonNode<'_>) -> bool,
    /// Writes a chat as one record, without a line end. Returns the number of messages written.
    pub write_chat: fn(&ChatTranscript<'_>, &mut Vec<u8>, &mut ConversionNotes) -> usize,
}

impl ConversionTarget {
    /// What a row does not say: a list of messages with ids that may be anything.
    pub(super) const PLAIN: Self = Self {
        name: "",
        about: "",
        merge: MergeRule::Never,
        system_apart: false,
        ends_with_answer: false,
        refuses_blank_text: false,
        ids: Some(IdRule { max_bytes: usize::MAX, accepts: |_| true }),
        has_model: false,
        records_failure: false,
        records_usage: false,
        same_formats: &[],
        message_keys: &[],
        record_keys: &[],
        keeps_blocks: true,
        convert_block: |_, _| None,
        message_fields: |message| message,
        accepts_tool: |_| false,
        write_chat: |_, _, _| 0,
    };
}

/// The consecutive turns that a target joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeRule {
    /// None.
    Never,
    /// Turns of the user.
    Users,
    /// Turns of one role, except calls and results: answers only where their use in training is the
    /// same.
    Speakers,
    /// All turns of one side, so that user and assistant alternate. The user must speak first.
    Alternate,
}

/// A block in the format of the target.
pub(crate) struct ConvertedBlock {
    /// The converted block.
    pub part: ChatPart,
    /// True if every field of the logged block is kept. Otherwise only its content is.
    pub is_complete: bool,
}

impl ConvertedBlock {
    /// Keeps a block as it is logged.
    pub(crate) fn unchanged(block: &ContentBlock<'_>) -> Self {
        Self::complete(embed_json(block.json))
    }

    /// Creates a block that keeps every field.
    pub(crate) fn complete(json: Vec<u8>) -> Self {
        Self { part: ChatPart::Block(json), is_complete: true }
    }

    /// Creates a block that keeps the content only.
    pub(crate) fn content_only(part: ChatPart) -> Self {
        Self { part, is_complete: false }
    }
}

/// A transcript to convert, with edits applied.
#[derive(Clone, Copy)]
pub(crate) struct ConversionSource<'t, 'a> {
    /// The transcript, and the texts that edits put into it.
    pub view: TranscriptView<'t, 'a>,
    pub format: &'static str,
    pub thread_id: &'t str,
    /// A summary and its text. It takes the place of the messages that it summarizes.
    pub summary: Option<(&'t Summary, &'t str)>,
}

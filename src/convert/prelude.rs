//! What conversions are written with.

pub(super) use crate::convert::block::{BlockContent, ContentBlock};
pub(super) use crate::convert::call_ids::IdRule;
pub(super) use crate::convert::chat::{
    ChatCall, ChatPart, ChatTranscript, ChatTurn, THINK_TAGS, TurnGap, is_thinking, join_turns,
};
pub(super) use crate::convert::escaped_text::{EscapedText, embed_json, join_texts};
pub(super) use crate::convert::json_output::{write_content, write_fields, write_list};
pub(super) use crate::convert::notes::{ConversionNotes, NotePlace};
pub(super) use crate::convert::target::{
    ConversionSource, ConversionTarget, ConvertedBlock, MergeRule,
};
pub(super) use crate::convert::tools::{ToolSchema, write_tool};
pub(super) use crate::reading::format::tree::{JsonNode, JsonTree};
pub(super) use crate::reading::transcript::prelude::*;
pub(super) use crate::reading::transcript::view::TranscriptView;

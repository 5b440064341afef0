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
pub(super) use crate::reading::json::{
    JsonKind, Span, decode_literal, decode_literal_wtf8, encode_literal, encode_wtf8_literal,
    fill_json, push_json, validate_json,
};
pub(super) use crate::reading::transcript::view::TranscriptView;
pub(super) use crate::reading::transcript::{Content, Message, Role, Transcript};
pub(super) use std::borrow::Cow;
pub(super) use std::collections::{HashMap, HashSet};

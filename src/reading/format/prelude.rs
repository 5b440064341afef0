//! What the readers of formats are written with.

pub(super) use crate::base::error::RecordError;
pub(super) use crate::reading::format::anthropic_blocks::{
    call_block, join_blocks, message_of_blocks, result_block, text_block,
};
pub(super) use crate::reading::format::insertion::{SummaryInsertion, SummaryPlace};
pub(super) use crate::reading::format::interface::Format;
pub(super) use crate::reading::format::journal::{
    CompactionFinder, CompactionRecords, CompactionSpan, DocumentDialect, ElementMark, EventPlace,
    Journal, JournalReader, JournalThread, append_elements, append_lines, hex_id, uuid_like_id,
};
pub(super) use crate::reading::format::located_node::{
    LocatedNode, content_of_blocks, unknown_role_reason,
};
pub(super) use crate::reading::format::message_builder::{
    MessageBuilder, filled_keys, note_other_keys, unknown_content_error,
};
pub(super) use crate::reading::format::message_parts::{
    call_of, is_incomplete, new_call, push_system_prompt, read_text_block, text_kind,
};
pub(super) use crate::reading::format::recognition::{Certainty, Recognition, Shape};
pub(super) use crate::reading::format::row::at::{At, NOWHERE, at, fill_counts, template};
pub(super) use crate::reading::format::row::condition::{
    FILLED, If, LIST, OBJECT, TEXT, TEXT_OR_LIST, all, has, hold, is, kind, none, some, starts,
    truth,
};
pub(super) use crate::reading::format::row::evidence::{
    Evidence, chat, conversation, event, fits, list, own_message, recognize_by, said,
};
pub(super) use crate::reading::format::summary_splices::{prepend_text, render_thread_entry};
pub(super) use crate::reading::format::tree::{JsonNode, JsonTree};
pub(super) use crate::reading::format::tree_reading::{
    fail_if_none_is_read, for_each_element, no_messages_error, read_as_trees,
};
pub(super) use crate::reading::format::user_turn::{
    is_summary, join_results_and_words, split_off_summary,
};
pub(super) use crate::reading::json::{
    JsonKind, Scanner, Span, decode_literal, decode_literal_wtf8, encode_literal,
    encode_wtf8_literal, fill_json, is_empty_literal, push_json,
};
pub(super) use crate::reading::transcript::journal::WriteMode;
pub(super) use crate::reading::transcript::splice::Splice;
pub(super) use crate::reading::transcript::summary_frame::is_framed_summary;
pub(super) use crate::reading::transcript::{
    BlockKind, Content, Message, MessageBlock, Record, Role, ToolCall, Transcript,
};
pub(super) use std::borrow::Cow;
pub(super) use std::collections::{HashMap, HashSet};

/// What reading a record gives.
pub(super) type Result<T, E = RecordError> = std::result::Result<T, E>;

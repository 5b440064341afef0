//! What the readers of formats are written with.

pub(super) use crate::reading::format::anthropic_blocks::{
    call_block, join_blocks, message_of_blocks, result_block, text_block,
};
pub(super) use crate::reading::format::insertion::{SummaryInsertion, SummaryPlace};
pub(super) use crate::reading::format::interface::Format;
pub(super) use crate::reading::format::journal::{
    CompactionFinder, CompactionRecords, CompactionSpan, DocumentDialect, ElementMark, Journal,
    JournalReader, JournalThread, append_elements, append_lines, hex_id, uuid_like_id,
};
pub(super) use crate::reading::format::located_node::{
    LocatedNode, RoleNames, content_of_blocks, is_summary, join_results_and_words,
    split_off_summary, unknown_role_reason,
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
pub(super) use crate::reading::format::tree::{EventPlace, JsonNode, JsonTree};
pub(super) use crate::reading::format::tree_reading::{
    fail_if_none_is_read, for_each_element, no_messages_error, read_as_trees,
};
pub(super) use crate::reading::transcript::prelude::*;
pub(super) use crate::reading::transcript::summary_frame::is_framed_summary;

/// What reading a record gives.
pub(super) type Result<T, E = RecordError> = std::result::Result<T, E>;

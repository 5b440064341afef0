//! What a row is written with.

pub(in crate::reading::format) use crate::reading::format::dialects::{
    ANTHROPIC, GEMINI, LANGCHAIN, OPENAI, RESPONSES, SHAREGPT,
};
pub(in crate::reading::format) use crate::reading::format::prelude::*;
pub(crate) use crate::reading::format::row::agents::Agents;
pub(crate) use crate::reading::format::row::blocks::{
    Block, BlockJson, render_block, render_blocks,
};
pub(crate) use crate::reading::format::row::conversation::{
    ConversationRow, Id, InnerConversations, Messages, Model, branch,
};
pub(crate) use crate::reading::format::row::lines::{Becomes, Line, LineLinks, LinesRow, ListRow};
pub(crate) use crate::reading::format::row::log::{LogRow, Reads, WrittenRow};
pub(crate) use crate::reading::format::row::pointers::PointerRow;
pub(crate) use crate::reading::format::row::step::{
    Case, MessageRow, MessageWriter, RowStep, SpeakerRow, Who, by, call, each, image, inside,
    message, otherwise, part, result, text, thought, usage, value, when,
};

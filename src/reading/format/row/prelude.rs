//! What a row is written with.

pub(in crate::reading::format) use crate::reading::format::prelude::*;
pub(in crate::reading::format) use crate::reading::format::row::agents::Agents;
pub(in crate::reading::format) use crate::reading::format::row::at::{At, NOWHERE, at, template};
pub(in crate::reading::format) use crate::reading::format::row::blocks::{
    Block, BlockJson, render_block, render_blocks,
};
pub(in crate::reading::format) use crate::reading::format::row::condition::{
    FILLED, If, LIST, OBJECT, TEXT, TEXT_OR_LIST, all, has, hold, is, kind, none, some, starts,
    truth,
};
pub(in crate::reading::format) use crate::reading::format::row::conversation::{
    ConversationRow, Id, InnerConversations, Messages, Model, branch, listed,
};
pub(in crate::reading::format) use crate::reading::format::row::lines::{
    Becomes, Line, LineLinks, LinesRow, ListRow,
};
pub(in crate::reading::format) use crate::reading::format::row::log::{
    LogRow, Reads, conversation, event, fits, list, own_message,
};
pub(in crate::reading::format) use crate::reading::format::row::pointers::PointerRow;
pub(in crate::reading::format) use crate::reading::format::row::step::{
    Case, MessageRow, MessageWriter, RowStep, SpeakerRow, Who, by, call, each, image, inside,
    message, otherwise, part, result, text, thought, usage, value, when,
};

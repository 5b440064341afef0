//! What readers of records are written with.

pub(crate) use crate::base::error::RecordError;
pub(crate) use crate::reading::json::{
    JsonKind, Scanner, Span, decode_literal, decode_literal_wtf8, encode_literal,
    encode_wtf8_literal, fill_json, is_empty_literal, is_json_object, push_json, validate_json,
};
pub(crate) use crate::reading::transcript::journal::{ElementSource, OmittedRecords, WriteMode};
pub(crate) use crate::reading::transcript::splice::{Splice, apply_splices};
pub(crate) use crate::reading::transcript::{
    BlockKind, Content, Message, MessageBlock, Record, Role, ToolCall, Transcript, UnreadMessage,
    Usage, are_all_text,
};
pub(crate) use std::borrow::Cow;
pub(crate) use std::collections::{HashMap, HashSet};

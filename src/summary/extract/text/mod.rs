//! Reading and shortening of text. Nothing here knows what a conversation is.

pub(super) mod clip;
pub(super) mod fixed;
pub(super) mod json;
pub(super) mod phrases;
pub(super) mod sentences;
pub(super) mod shape;
mod symbol;
mod tokens;

pub(super) use clip::{ceil_char, clip_text, floor_char, fold_line};
pub(super) use json::{JsonValue, parse_json};
pub(super) use shape::NameKind;
pub(super) use symbol::{Symbol, symbol_of};
pub(super) use tokens::{Token, TokenKind, visit_names, visit_tokens};

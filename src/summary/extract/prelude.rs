//! What the extract is written with.

pub(super) use crate::reading::transcript::Role;
pub(super) use crate::reading::transcript::view::ViewedTurn;
pub(super) use crate::summary::extract::choose::{Candidate, Kind, Signs, TermsOfLines, Weights};
pub(super) use crate::summary::extract::session::{
    Binding, Call, Effect, FileAction, Glossary, Name, Reading, Reply, Request, SymbolMap,
    binding_of, is_furniture,
};
pub(super) use crate::summary::extract::text::phrases::{LazySearch, PhraseSearch};
pub(super) use crate::summary::extract::text::{
    JsonValue, LINE_END, NameKind, Symbol, Token, TokenKind, ceil_char, clip_cow, clip_text,
    floor_char, fold_line, parse_json, symbol_of, visit_names, visit_tokens,
};
pub(super) use hashbrown::HashSet;
pub(super) use std::borrow::Cow;
pub(super) use std::ops::Range;
pub(super) use std::sync::LazyLock;

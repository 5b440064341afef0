//! Finds identifiers, keys and lines in the text of messages.

pub(crate) mod argument_leaves;
pub(crate) mod blocks;
pub(crate) mod byte_classes;
pub(crate) mod clip;
pub(crate) mod code_marks;
pub(crate) mod commas;
pub(crate) mod excerpt;
pub(crate) mod fold;
pub(crate) mod frame;
pub(crate) mod identifier_kinds;
pub(crate) mod identifier_runs;
pub(crate) mod identifiers;
pub(crate) mod json_tree;
pub(crate) mod list_items;
pub(crate) mod name_parts;
pub(crate) mod numbers;
pub(crate) mod phrase_search;
pub(crate) mod printed_prefix;
pub(crate) mod quotations;
pub(crate) mod result_text;
pub(crate) mod sentences;
pub(crate) mod snake_case;
pub(crate) mod value_keys;
pub(crate) mod wrapped_lines;

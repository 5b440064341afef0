//! JSON text, read and written at the level of bytes: the scanner that yields the
//! byte span of every value, the string literals below it, and values as Python
//! reads them.

mod decode;
mod encode;
mod kind;
pub(crate) mod lanes;
mod null_padding;
pub(crate) mod python_parser;
pub(crate) mod python_printable;
pub(crate) mod python_value;
pub(crate) mod repr_length;
mod scanner;
pub(crate) mod seen_keys;
pub(crate) mod splice;
pub(crate) mod string_scan;
mod stringify;
mod unescape;

pub(crate) use decode::{
    count_literal_points, decode_content, decode_literal, decode_literal_ends, decode_literal_onto,
    decode_literal_wtf8, is_empty_literal, locate_in_literal,
};
pub(crate) use encode::{
    count_utf8_points, encode_literal, encode_wtf8_literal, fill_json, push_json, write_literal,
    wtf8_code_points, wtf8_to_str,
};
pub(crate) use kind::{JsonKind, Span};
pub(crate) use null_padding::without_null_padding;
pub(crate) use scanner::{Scanner, is_json_object, is_unfinished_json, validate_json};
pub(crate) use stringify::{json_units, literal_units, stringify_json};
pub(crate) use unescape::has_lone_surrogate;

//! JSON text, read and written at the level of bytes: the scanner that yields the
//! byte span of every value, the string literals below it, and values as Python
//! reads them.

mod code_unit;
mod decode;
mod encode;
mod kind;
pub mod lanes;
mod lone_surrogate;
pub mod python_parser;
pub mod python_printable;
pub mod python_value;
pub mod repr_length;
mod scanner;
mod seen_keys;
mod span;
pub mod string_scan;
mod unescape;
mod wtf8;

pub use decode::{
    count_literal_points, decode_literal, decode_literal_ends, decode_literal_onto,
    decode_literal_wtf8, is_empty_literal, locate_in_literal,
};
pub use encode::{encode_literal, encode_wtf8_literal, write_literal};
pub use kind::JsonKind;
pub use lone_surrogate::has_lone_surrogate;
pub use scanner::{MAX_DEPTH, ScanResult, Scanner, is_unfinished_json, validate_json};
pub use span::Span;
pub use wtf8::{count_utf8_points, wtf8_code_points, wtf8_to_str};

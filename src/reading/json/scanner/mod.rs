//! A validating scanner over one JSON text that yields byte spans.
//!
//! Splices need the span of every value, and real logs hold lone surrogates,
//! duplicate keys and 30-digit numbers. `serde_json::Value` loses or rejects
//! these, and jiter rejects lone surrogates even when it skips them. The scanner
//! checks the grammar (RFC 8259) and converts no values: what is not edited is
//! never decoded. A property test compares it with `serde_json`.
//!
//! Without its block-wise string scan, `compact` takes 12 to 18 % longer and
//! `count` 38 to 49 %.
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): serde_json takes
//! 1.75 times as long to check a record.

mod containers;
mod cursor;
mod diagnose;
mod strings;

pub(crate) use containers::{is_json_object, is_unfinished_json, validate_json};
pub(crate) use cursor::Scanner;

#[cfg(test)]
mod tests;

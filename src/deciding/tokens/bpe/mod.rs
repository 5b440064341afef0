//! Exact counts of OpenAI's encodings: byte-pair encoding of the pieces that the
//! encoding's pattern cuts. tiktoken-rs is the reference for every number (the tests
//! compare); it counts nothing here, because it panics on long runs of blanks. What a
//! message costs beyond its text is in `tokens::counter`.
//!
//! The crate bpe-openai gives the same counts and takes 3 to 6 times as long.

mod cache;
mod character;
pub(crate) mod classes;
mod encoding;
mod layout;
mod merge;
mod split;
mod vocabulary;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use encoding::Encoding;
pub(crate) use encoding::{
    CL100K_BASE, ExactEncoding, O200K_BASE, O200K_HARMONY, P50K_BASE, R50K_BASE, encoding_of,
};

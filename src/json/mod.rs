//! JSON text, read and written at the level of bytes: the scanner that yields the
//! byte span of every value, and the string literals below it.

mod keys;
pub mod lanes;
pub mod literal;
pub mod measure;
pub mod printable;
mod scanner;
pub mod text;
mod unescape;

pub use scanner::{Kind, MAX_DEPTH, Result, Scanner, Span, is_unfinished, validate};

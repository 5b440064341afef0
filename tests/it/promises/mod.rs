//! The promises of the program, each held by a property over the binary, and
//! its conformance to the reference. `PROPTEST_CASES` raises the number of cases.

mod archive;
mod batch;
mod bytes;
mod conformance;
mod generate;
mod messages;
mod names;
mod numbers;
mod one_text;
pub(crate) mod plan;
pub(crate) mod reader;
mod regressions;
mod replay;
pub(crate) mod support;

//! The promises of the program, each held by a property over the binary, and
//! its conformance to the reference. `PROPTEST_CASES` raises the number of cases.

mod conformance;
mod generate;
mod promises_archive;
mod promises_batch;
mod promises_bytes;
mod promises_known;
mod promises_messages;
mod promises_names;
mod promises_numbers;
mod promises_reader;
mod promises_support;

//! Masks secrets in text.
//!
//! An automaton finds keywords in one pass: prefixes of tokens, names such as `password`, and marks such as
//! `://`. The text around each keyword then decides whether there is a secret, and how far it extends.

mod addresses;
mod assigned;
mod headers;
mod inner_forms;
mod keywords;
#[cfg(test)]
mod kinds_tests;
mod masking;
mod personal;
mod scan;
mod token_forms;
mod values;

pub(crate) use masking::{Redaction, mask_secrets};

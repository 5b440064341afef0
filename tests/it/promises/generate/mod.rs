//! Transcripts as raw JSON text, in their own spelling, and policies as TOML.
//!
//! The structure comes from proptest and shrinks; the spelling (blanks, key
//! order, escapes, odd keys) follows from one seed, and is plain for seed 0.
//! What a transcript means is known from its making, not from reading it again:
//! so no property leans on the parser that it tests.

mod conversation;
mod drafts;
mod files;
mod layout;
mod message_spelling;
mod pen;
mod policy;
mod sample;
mod words;

pub(crate) use files::{sample, sample_of, sample_of_lines};
pub(crate) use layout::bad_line;
pub(crate) use policy::{ALL_OFF, Pin, policy};
pub(crate) use sample::{Bad, Message, Sample, Shape, TAG, THREAD_KEY, Thread};
pub(crate) use words::IDS;

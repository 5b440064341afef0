//! From bytes to transcripts: JSON, the messages of a conversation with their places in the bytes,
//! and the formats of logs.

pub(crate) mod format;
pub(crate) mod json;
pub(crate) mod transcript;

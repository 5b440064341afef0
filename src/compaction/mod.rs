//! A conversation's way through a compaction.

pub mod archived;
pub mod filled;
pub mod question;
pub mod receiver;
pub mod unit;

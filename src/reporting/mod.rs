//! What a run says: how much of a conversation a summary kept, and the report with its tables.

pub(crate) mod report;
pub(crate) mod retention;

//! A run over conversations: they are read and measured, compacted in parallel, and written in
//! order, also as a stream and as batches of requests.

pub(crate) mod apply;
pub(crate) mod batch;
pub(crate) mod compaction;
pub(crate) mod conversation;
pub(crate) mod requests;
pub(crate) mod stream;

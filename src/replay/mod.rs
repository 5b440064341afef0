//! What the live agent would have sent at each model call of a logged thread
//! under a policy, and the training data that follows from it.

pub(crate) mod cache;
pub(crate) mod call;
pub(crate) mod compaction;
pub(crate) mod effective;
pub(crate) mod json_lines;
pub(crate) mod report;
pub(crate) mod samples;
pub(crate) mod shown;
pub(crate) mod table;
pub(crate) mod taken;
pub(crate) mod turns;
pub(crate) mod walk;
pub(crate) mod weight;

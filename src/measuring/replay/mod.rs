//! Replay: the messages that the live agent would have sent at each model call of
//! a logged thread under a policy, and the training data that follows from it.
//!
//! [`thread::replay_thread`] walks through one thread. It keeps the effective
//! messages ([`effective`]), foresees each call with the planner's meter, and
//! asks the planner where a call may be summarized ([`thread_call`]).

pub(crate) mod call;
pub(crate) mod call_edits;
pub(crate) mod effective;
pub(crate) mod effective_summary;
pub(crate) mod json_lines;
mod patch;
pub(crate) mod prompt_cache;
pub(crate) mod receiver;
pub(crate) mod sample;
pub(crate) mod samples;
pub(crate) mod table;
pub(crate) mod thread;
pub(crate) mod thread_archive;
pub(crate) mod thread_call;
pub(crate) mod thread_report;
pub(crate) mod training;
pub(crate) mod work;

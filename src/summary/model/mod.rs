//! The questions that a model is asked for summaries, in the form of each
//! interface, and its answers.
//!
//! There is no network here: live calls and batch files share all of it.

mod batch;
mod endpoint;
mod question;
mod reply;

pub(crate) use batch::{BatchResultLine, batch_request_line, read_batch_result};
pub(crate) use endpoint::{
    ExtraAuthorities, ModelEndpoint, RequestHeader, Secret, SummaryTask, url_without_credentials,
};
pub(crate) use question::{ModelQuestion, request_body};
pub(crate) use reply::{ModelReply, ServerError, read_reply, shorten_message};

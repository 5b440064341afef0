//! The questions that a model is asked for summaries, in the form of each
//! interface, and its answers.
//!
//! There is no network here: live calls and batch files share all of it.

mod batch;
mod endpoint;
mod question;
mod reply;
mod request;
mod secret;
mod server_error;
mod task;

pub use batch::{BatchResultLine, batch_request_line, read_batch_result, result_custom_id};
pub use endpoint::{ExtraAuthorities, ModelEndpoint, RequestHeader};
pub use question::ModelQuestion;
pub use reply::{ModelReply, read_reply};
pub use request::{OutputLimitField, request_body};
pub use secret::{Secret, url_without_credentials};
pub use server_error::{ServerError, shorten_message};
pub use task::SummaryTask;

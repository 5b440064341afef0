//! Summaries by a model over HTTP.

mod calls;
mod costs;
mod failures;
mod masked_secrets;
mod retries;
mod support;

pub(crate) use support::{KEY, SUMMARY, chat, error, good, keeps_the_key, one_talk};

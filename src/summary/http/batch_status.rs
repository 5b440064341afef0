//! The status of batches, as the interfaces of OpenAI and Anthropic report it.

use crate::summary::model::shorten_message;
use serde_json::Value;

/// The status of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BatchStatus {
    /// The server's word for the status.
    pub status: String,
    /// True if no more results will come.
    pub ended: bool,
    /// The number of requests that were answered.
    pub succeeded: u64,
    /// The number of requests that failed, expired or were cancelled.
    pub failed: u64,
    /// The number of all requests, if the server counts them.
    pub total: u64,
    /// The error of the entire batch.
    pub error: Option<String>,
    /// The paths of the answers and of the errors below the server's address.
    pub results: [Option<String>; 2],
}

impl BatchStatus {
    pub(super) fn from_openai(batch: &Value) -> Self {
        let status = status_text(batch, "status");
        Self {
            ended: ["completed", "failed", "expired", "cancelled"].contains(&status.as_str()),
            status,
            succeeded: request_count(batch, "completed"),
            failed: request_count(batch, "failed"),
            total: request_count(batch, "total"),
            error: batch
                .pointer("/errors/data/0/message")
                .and_then(Value::as_str)
                .map(shorten_message),
            results: ["output_file_id", "error_file_id"]
                .map(|key| safe_id(batch, key).map(|id| format!("files/{id}/content"))),
        }
    }

    pub(super) fn from_anthropic(batch: &Value, id: &str) -> Self {
        let status = status_text(batch, "processing_status");
        let succeeded = request_count(batch, "succeeded");
        let failed =
            ["errored", "canceled", "expired"].map(|name| request_count(batch, name)).iter().sum();
        let ended = status == "ended";
        Self {
            ended,
            status,
            succeeded,
            failed,
            total: succeeded + failed + request_count(batch, "processing"),
            error: None,
            // Not the address in `results_url`, because the key must reach the named server only.
            results: [ended.then(|| format!("messages/batches/{id}/results")), None],
        }
    }
}

fn request_count(batch: &Value, name: &str) -> u64 {
    batch.pointer(&format!("/request_counts/{name}")).and_then(Value::as_u64).unwrap_or(0)
}

fn status_text(batch: &Value, key: &str) -> String {
    batch.get(key).and_then(Value::as_str).map_or_else(|| "unknown".to_owned(), shorten_message)
}

/// Returns an id that can become a part of an address.
pub(super) fn safe_id(value: &Value, key: &str) -> Option<String> {
    let id = value.get(key).and_then(Value::as_str)?;
    let is_safe =
        !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    is_safe.then(|| id.to_owned())
}

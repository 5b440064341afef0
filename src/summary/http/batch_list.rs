//! The batches and uploaded files that a server lists, and the status of batches as the interfaces
//! of OpenAI and Anthropic report it.

use crate::summary::http::prelude::*;
use crate::summary::model::shorten_message;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// The field of a batch's metadata that holds the key of its submission. Only OpenAI's interface
/// has metadata.
pub(super) const KEY_FIELD: &str = "epitome_key";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedBatch {
    /// The server's id.
    pub id: String,
    /// The key of the submission, if the server keeps it.
    pub key: Option<String>,
    /// The uploaded file that the batch was made of, if there is one.
    pub upload: Option<String>,
    pub requests: u64,
    /// True if no more results will come.
    pub ended: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NewestBatch {
    /// The server has no list of batches.
    Unlisted,
    /// The server has no batch.
    None,
    Id(String),
}

pub(super) struct ListPage<T> {
    pub(super) items: Vec<T>,
    /// The id after which the next page begins. None on the last page.
    pub(super) next: Option<String>,
}

impl ListPage<ListedBatch> {
    /// Reads a page of batches. Returns none if the answer is no list.
    pub(super) fn of_batches(page: &Value, dialect: Dialect) -> Option<Self> {
        Self::read(page, |batch| {
            let id = safe_id(batch, "id")?;
            let status = match dialect {
                Dialect::OpenAi => BatchStatus::from_openai(batch),
                Dialect::Anthropic => BatchStatus::from_anthropic(batch, &id),
            };
            Some(ListedBatch {
                key: batch
                    .pointer(&format!("/metadata/{KEY_FIELD}"))
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                upload: safe_id(batch, "input_file_id"),
                requests: status.total,
                ended: status.ended,
                id,
            })
        })
    }
}

impl<T> ListPage<T> {
    fn read(page: &Value, read_item: impl Fn(&Value) -> Option<T>) -> Option<Self> {
        let items = page.get("data")?.as_array()?;
        let has_more = page.get("has_more").and_then(Value::as_bool) == Some(true);
        let last = items.last().filter(|_| has_more);
        Some(Self {
            items: items.iter().filter_map(read_item).collect(),
            next: last.and_then(|item| safe_id(item, "id")),
        })
    }
}

/// Returns the id of the uploaded file with a name and a length, from a list of files.
pub(super) fn find_listed_upload(files: &Value, name: &str, bytes: u64) -> Option<String> {
    let files = files.get("data")?.as_array()?;
    let found = files.iter().find(|file| {
        file.get("filename").and_then(Value::as_str) == Some(name)
            && file.get("bytes").and_then(Value::as_u64) == Some(bytes)
    });
    safe_id(found?, "id")
}

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
    is_safe_id(id).then(|| id.to_owned())
}

/// Returns true if an id can become a part of an address, and stays one: points alone lead upwards.
pub(crate) fn is_safe_id(id: &str) -> bool {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    id.contains(|c| c != '.') && id.chars().all(is_safe)
}

/// Reads the id of a batch from a file, which may be anybody's.
///
/// # Errors
/// Fails if it can't become a part of an address.
pub(crate) fn read_batch_id<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let id = String::deserialize(from)?;
    match is_safe_id(&id) {
        true => Ok(id),
        false => Err(D::Error::custom(format!("{id:?} is not the id of a batch"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_id_is_a_part_of_an_address() {
        for (id, is_safe) in [
            ("batch_1-a.b", true),
            ("", false),
            (".", false),
            ("..", false),
            ("../files", false),
            ("a/b", false),
            ("a?b", false),
            ("%2e%2e", false),
        ] {
            assert_eq!(is_safe_id(id), is_safe, "{id}");
            assert_eq!(read_batch_id(json!(id)).is_ok(), is_safe, "{id}");
        }
    }

    #[test]
    fn a_page_of_batches_of_openai() {
        let page = json!({"data": [
            {"id": "batch_2", "status": "completed", "input_file_id": "file-2", "metadata": {KEY_FIELD: "k"}, "request_counts": {"total": 8}},
            {"id": "batch_1", "status": "validating", "metadata": null},
            {"id": "../batch"}
        ], "has_more": false});
        let page = ListPage::of_batches(&page, Dialect::OpenAi).unwrap();
        assert_eq!(page.next, None);
        let listed = ListedBatch {
            id: "batch_2".to_owned(),
            key: Some("k".to_owned()),
            upload: Some("file-2".to_owned()),
            requests: 8,
            ended: true,
        };
        assert_eq!(page.items[0], listed);
        assert_eq!((page.items.len(), &page.items[1].key), (2, &None));
    }

    #[test]
    fn a_page_of_batches_of_anthropic() {
        let counts =
            json!({"processing": 1, "succeeded": 2, "errored": 3, "canceled": 4, "expired": 5});
        let page = json!({"data": [{"id": "msgbatch_1", "processing_status": "in_progress", "request_counts": counts}], "has_more": true});
        let page = ListPage::of_batches(&page, Dialect::Anthropic).unwrap();
        assert_eq!(page.next.as_deref(), Some("msgbatch_1"));
        assert_eq!((page.items[0].requests, page.items[0].ended), (15, false));
        assert!(ListPage::of_batches(&json!({"error": "no"}), Dialect::Anthropic).is_none());
    }

    #[test]
    fn an_upload_is_found_by_name_and_length() {
        let files = json!({"data": [{"id": "file-1", "filename": "a", "bytes": 3}]});
        assert_eq!(find_listed_upload(&files, "a", 3).as_deref(), Some("file-1"));
        assert_eq!(find_listed_upload(&files, "a", 4), None);
        assert_eq!(find_listed_upload(&files, "b", 3), None);
    }
}

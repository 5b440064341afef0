//! The batch interfaces of OpenAI and Anthropic: hand a file over, ask how far it
//! is, get the results (spec: services, "Batch APIs").

use super::pace::{backoff, sleep_until};
use super::wire::{CallError, answer_or_trouble, client, transport};
use crate::policy::Dialect;
use crate::summary::model::{ModelEndpoint, shorten_message};
use crate::summary::stop::StopFlag;
use reqwest::blocking::{Body, Client, RequestBuilder, multipart};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::time::Instant;

/// A server that takes batches.
pub struct BatchClient {
    client: Client,
    target: ModelEndpoint,
}

/// Opens what is sent: it may have to be sent again.
pub type OpenUpload<'o> = &'o dyn Fn() -> io::Result<(Box<dyn Read + Send>, u64)>;

/// How far a batch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchStatus {
    /// As the server calls it.
    pub status: String,
    /// Whether nothing more will come.
    pub ended: bool,
    /// Requests that were answered.
    pub succeeded: u64,
    /// Requests that failed, expired or were cancelled.
    pub failed: u64,
    /// All requests, where the server counts them.
    pub total: u64,
    /// What is wrong with the batch as a whole.
    pub error: Option<String>,
    /// Where the answers are, and where the errors, below the server's address.
    pub results: [Option<String>; 2],
}

impl BatchClient {
    /// The server of this target.
    ///
    /// # Errors
    /// If it can't be talked to at all.
    pub fn new(target: ModelEndpoint) -> Result<Self, String> {
        Ok(Self {
            client: client(&target)?,
            target,
        })
    }

    /// Hands a file over; the id of its batch.
    ///
    /// # Errors
    /// Why the server did not take it.
    pub fn submit(&self, name: &str, open: OpenUpload<'_>) -> Result<String, String> {
        let made = match self.target.dialect {
            Dialect::OpenAi => {
                // Sending a file costs nothing, so it may be sent again.
                let file = self.patiently(|| {
                    let (reader, length) =
                        open().map_err(|error| CallError::Never(error.to_string()))?;
                    let part = multipart::Part::reader_with_length(reader, length)
                        .file_name(name.to_owned());
                    let part = part
                        .mime_str("application/jsonl")
                        .map_err(|error| CallError::Never(error.to_string()))?;
                    let form = multipart::Form::new()
                        .text("purpose", "batch")
                        .part("file", part);
                    self.json(self.client.post(self.url("files")).multipart(form))
                })?;
                let file = text(&file, "id")?;
                let body = json!({"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h"});
                self.once(|| {
                    Ok(self
                        .client
                        .post(self.url("batches"))
                        .header("content-type", "application/json")
                        .body(body.to_string()))
                })?
            }
            Dialect::Anthropic => self.once(|| {
                let (reader, length) = open()?;
                let body = Body::sized(reader, length);
                Ok(self
                    .client
                    .post(self.url("messages/batches"))
                    .header("content-type", "application/json")
                    .body(body))
            })?,
        };
        text(&made, "id")
    }

    /// How far a batch is.
    ///
    /// # Errors
    /// Why the server does not say.
    pub fn state(&self, id: &str) -> Result<BatchStatus, String> {
        let path = match self.target.dialect {
            Dialect::OpenAi => format!("batches/{id}"),
            Dialect::Anthropic => format!("messages/batches/{id}"),
        };
        let batch = self.patiently(|| self.json(self.client.get(self.url(&path))))?;
        Ok(match self.target.dialect {
            Dialect::OpenAi => openai_state(&batch),
            Dialect::Anthropic => anthropic_state(&batch, id),
        })
    }

    /// Copies results from where a state says they are.
    ///
    /// # Errors
    /// Why they can't be had or written.
    pub fn download(&self, path: &str, to: &mut dyn Write) -> Result<u64, String> {
        let mut response = self.patiently(|| {
            let sent = self
                .client
                .get(self.url(path))
                .timeout(self.target.deadline)
                .send();
            let response = sent.map_err(|error| transport(&error, path))?;
            if response.status().as_u16() == 200 {
                Ok(response)
            } else {
                answer_or_trouble(&self.target, response)
                    .and(Err(CallError::Never("no results".to_owned())))
            }
        })?;
        io::copy(&mut response, to)
            .map_err(|error| self.target.mask(&format!("the results broke off: {error}")))
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.target.base_url)
    }

    fn json(&self, request: RequestBuilder) -> Result<Value, CallError> {
        let sent = request.timeout(self.target.deadline).send();
        answer_or_trouble(
            &self.target,
            sent.map_err(|error| transport(&error, &self.target.base_url))?,
        )
    }

    /// A request that must not be made twice: it is repeated only if it never arrived.
    fn once(&self, request: impl Fn() -> io::Result<RequestBuilder>) -> Result<Value, String> {
        self.patiently(|| {
            let request = request().map_err(|error| CallError::Never(error.to_string()))?;
            match self.json(request) {
                Err(CallError::Again { why, unreachable: false, .. }) => {
                    Err(CallError::Never(format!("{why}; if the server made a batch of it all the same, it is in the server's own list")))
                }
                other => other,
            }
        })
    }

    fn patiently<T>(&self, attempt: impl Fn() -> Result<T, CallError>) -> Result<T, String> {
        let deadline = Instant::now() + self.target.deadline;
        let mut attempts = 0;
        loop {
            let why = match attempt() {
                Ok(done) => return Ok(done),
                Err(CallError::Again { why, after, .. }) if attempts < self.target.retries => {
                    let wait = backoff(attempts, after);
                    if Instant::now() + wait <= deadline {
                        sleep_until(Instant::now() + wait, &StopFlag::default());
                        attempts += 1;
                        continue;
                    }
                    why
                }
                Err(
                    CallError::Again { why, .. }
                    | CallError::Overflow(why)
                    | CallError::Never(why)
                    | CallError::Hopeless(why)
                    | CallError::NotAsked(why),
                ) => why,
            };
            return Err(self.target.mask(&why));
        }
    }
}

fn text(value: &Value, key: &str) -> Result<String, String> {
    let text = value.get(key).and_then(Value::as_str);
    // It becomes part of an address.
    let is_safe = |text: &&str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    text.filter(is_safe)
        .map(str::to_owned)
        .ok_or_else(|| format!("the server's answer has no {key:?}"))
}

fn openai_state(batch: &Value) -> BatchStatus {
    let count = |name: &str| {
        batch
            .pointer(&format!("/request_counts/{name}"))
            .and_then(Value::as_u64)
            .unwrap_or(0)
    };
    let status = batch
        .get("status")
        .and_then(Value::as_str)
        .map_or_else(|| "unknown".to_owned(), shorten_message);
    let file = |key: &str| {
        text(batch, key)
            .ok()
            .map(|id| format!("files/{id}/content"))
    };
    BatchStatus {
        ended: ["completed", "failed", "expired", "cancelled"].contains(&status.as_str()),
        status,
        succeeded: count("completed"),
        failed: count("failed"),
        total: count("total"),
        error: batch
            .pointer("/errors/data/0/message")
            .and_then(Value::as_str)
            .map(shorten_message),
        results: [file("output_file_id"), file("error_file_id")],
    }
}

fn anthropic_state(batch: &Value, id: &str) -> BatchStatus {
    let count = |name: &str| {
        batch
            .pointer(&format!("/request_counts/{name}"))
            .and_then(Value::as_u64)
            .unwrap_or(0)
    };
    let status = batch
        .get("processing_status")
        .and_then(Value::as_str)
        .map_or_else(|| "unknown".to_owned(), shorten_message);
    let failed = ["errored", "canceled", "expired"].map(count).iter().sum();
    let ended = status == "ended";
    BatchStatus {
        ended,
        status,
        succeeded: count("succeeded"),
        failed,
        total: count("succeeded") + failed + count("processing"),
        error: None,
        // Not where `results_url` points: the key goes to the named server only.
        results: [
            ended.then(|| format!("messages/batches/{id}/results")),
            None,
        ],
    }
}

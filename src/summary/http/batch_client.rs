//! The batch interfaces of OpenAI and Anthropic: upload of requests, status, and
//! download of results.

use crate::policy::Dialect;
use crate::stop_flag::StopFlag;
use crate::summary::http::batch_status::{BatchStatus, safe_id};
use crate::summary::http::call_error::CallError;
use crate::summary::http::client::build_client;
use crate::summary::http::pacing::{backoff, sleep_until};
use crate::summary::http::response::{read_json_answer, transport_error};
use crate::summary::http::setup_error::HttpSetupError;
use crate::summary::model::ModelEndpoint;
use reqwest::blocking::{Body, Client, RequestBuilder, Response, multipart};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::time::Instant;

/// A client of a server that takes batches.
pub(crate) struct BatchClient {
    client: Client,
    target: ModelEndpoint,
}

/// Opens the bytes to upload, with their length. Called again for each attempt.
pub(crate) type OpenUpload<'o> = &'o dyn Fn() -> io::Result<(Box<dyn Read + Send>, u64)>;

impl BatchClient {
    /// Creates the client of an endpoint.
    ///
    /// # Errors
    /// Fails if a header is invalid, or the certificates can't be used.
    pub(crate) fn new(target: ModelEndpoint) -> Result<Self, HttpSetupError> {
        Ok(Self {
            client: build_client(&target)?,
            target,
        })
    }

    /// Submits a file of requests. Returns the id of its batch.
    ///
    /// # Errors
    /// Fails if the server does not accept the file.
    pub(crate) fn submit(&self, name: &str, open: OpenUpload<'_>) -> Result<String, CallError> {
        let batch = match self.target.dialect {
            Dialect::OpenAi => {
                // An upload costs nothing, so it may be repeated.
                let file = self.with_retries(|| self.upload_file(name, open))?;
                self.create_batch(&required_id(&file, "id")?)
            }
            Dialect::Anthropic => self.send_once(|| {
                let (reader, length) = open()?;
                Ok(self
                    .client
                    .post(self.url("messages/batches"))
                    .header("content-type", "application/json")
                    .body(Body::sized(reader, length)))
            }),
        }?;
        required_id(&batch, "id")
    }

    fn upload_file(&self, name: &str, open: OpenUpload<'_>) -> Result<Value, CallError> {
        let (reader, length) = open().map_err(rejected_error)?;
        let part = multipart::Part::reader_with_length(reader, length)
            .file_name(name.to_owned())
            .mime_str("application/jsonl")
            .map_err(rejected_error)?;
        let form = multipart::Form::new()
            .text("purpose", "batch")
            .part("file", part);
        self.send_for_json(self.client.post(self.url("files")).multipart(form))
    }

    fn create_batch(&self, file: &str) -> Result<Value, CallError> {
        let body = json!({
            "input_file_id": file,
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h"
        });
        self.send_once(|| {
            Ok(self
                .client
                .post(self.url("batches"))
                .header("content-type", "application/json")
                .body(body.to_string()))
        })
    }

    /// Returns the status of a batch.
    ///
    /// # Errors
    /// Fails if the server does not return it.
    pub(crate) fn status(&self, id: &str) -> Result<BatchStatus, CallError> {
        let path = match self.target.dialect {
            Dialect::OpenAi => format!("batches/{id}"),
            Dialect::Anthropic => format!("messages/batches/{id}"),
        };
        let batch = self.with_retries(|| self.send_for_json(self.client.get(self.url(&path))))?;
        Ok(match self.target.dialect {
            Dialect::OpenAi => BatchStatus::from_openai(&batch),
            Dialect::Anthropic => BatchStatus::from_anthropic(&batch, id),
        })
    }

    /// Copies results from a path that a status names. Returns their length in bytes.
    ///
    /// # Errors
    /// Fails if the results can't be downloaded or written.
    pub(crate) fn download(&self, path: &str, writer: &mut dyn Write) -> Result<u64, CallError> {
        let mut response = self.with_retries(|| self.request_results(path))?;
        io::copy(&mut response, writer).map_err(|error| {
            CallError::temporary(format!("the results broke off: {error}"), None)
                .masked(|text| self.target.mask(text))
        })
    }

    fn request_results(&self, path: &str) -> Result<Response, CallError> {
        let response = self
            .client
            .get(self.url(path))
            .timeout(self.target.deadline)
            .send()
            .map_err(|error| transport_error(&error, path))?;
        if response.status().as_u16() == 200 {
            return Ok(response);
        }
        read_json_answer(&self.target, response)?;
        Err(CallError::Rejected("no results".to_owned()))
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.target.base_url)
    }

    fn send_for_json(&self, request: RequestBuilder) -> Result<Value, CallError> {
        let sent = request.timeout(self.target.deadline).send();
        read_json_answer(
            &self.target,
            sent.map_err(|error| transport_error(&error, &self.target.base_url))?,
        )
    }

    /// Sends a request that must not be executed twice. It is repeated only if the server was not
    /// reached.
    fn send_once(
        &self,
        build: impl Fn() -> io::Result<RequestBuilder>,
    ) -> Result<Value, CallError> {
        self.with_retries(|| {
            let request = build().map_err(rejected_error)?;
            match self.send_for_json(request) {
                Err(CallError::Temporary {
                    reason,
                    is_unreachable: false,
                    ..
                }) => Err(CallError::Rejected(format!(
                    "{reason}; if the server made a batch of it all the same, it is in the server's own list"
                ))),
                other => other,
            }
        })
    }

    /// Repeats an attempt while its failure is temporary, until the retries or the time are used
    /// up.
    fn with_retries<T>(&self, attempt: impl Fn() -> Result<T, CallError>) -> Result<T, CallError> {
        let deadline = Instant::now() + self.target.deadline;
        let mut attempts = 0;
        loop {
            let error = match attempt() {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if let CallError::Temporary { after, .. } = &error
                && attempts < self.target.retries
            {
                let next = Instant::now() + backoff(attempts, *after);
                if next <= deadline {
                    sleep_until(next, &StopFlag::default());
                    attempts += 1;
                    continue;
                }
            }
            return Err(error.masked(|text| self.target.mask(text)));
        }
    }
}

fn rejected_error(error: impl ToString) -> CallError {
    CallError::Rejected(error.to_string())
}

fn required_id(value: &Value, key: &str) -> Result<String, CallError> {
    safe_id(value, key)
        .ok_or_else(|| CallError::Rejected(format!("the server's answer has no {key:?}")))
}

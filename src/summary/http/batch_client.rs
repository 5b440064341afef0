//! The batch interfaces of OpenAI and Anthropic: upload of requests, status, and
//! download of results.

use crate::summary::http::batch_list::{BatchStatus, KEY_FIELD, safe_id};
use crate::summary::http::call_error::{CallError, read_json_answer, transport_error};
use crate::summary::http::client::build_client;
use crate::summary::http::pacing::{backoff, sleep_until};
use crate::summary::http::prelude::*;
use reqwest::blocking::{Body, RequestBuilder, multipart};
use serde_json::json;
use std::io::{self, Write};

const DOWNLOAD_BUFFER_BYTES: usize = 64 << 10;

/// A client of a server that takes batches.
pub(crate) struct BatchClient {
    pub(super) client: Client,
    pub(super) target: ModelEndpoint,
}

/// The reason why results can't be downloaded.
#[derive(Debug, Error)]
pub(crate) enum DownloadError {
    /// They do not arrive.
    #[error(transparent)]
    Receive(#[from] CallError),
    /// They can't be written.
    #[error(transparent)]
    Write(io::Error),
}

/// Opens the bytes to upload, with their length. Called again for each attempt.
pub(crate) type OpenUpload<'o> = &'o dyn Fn() -> io::Result<(Box<dyn Read + Send>, u64)>;

impl BatchClient {
    /// Creates the client of an endpoint. Fails if a header is invalid, or the certificates can't
    /// be used.
    pub(crate) fn new(target: ModelEndpoint) -> anyhow::Result<Self> {
        Ok(Self { client: build_client(&target)?, target })
    }

    /// Returns the interface that the client speaks.
    pub(crate) fn dialect(&self) -> Dialect {
        self.target.dialect
    }

    /// Uploads a file of requests for a batch, under `name`. Returns the server's id of it. Only
    /// OpenAI's interface has uploads. An upload costs nothing, so it may be repeated. Fails if the
    /// server does not accept the file, or does not say that it did.
    pub(crate) fn upload(
        &self,
        name: &str,
        open: OpenUpload<'_>,
    ) -> Result<String, SubmissionError> {
        let uploaded = self.with_retries(|| {
            let (reader, length) = open().map_err(rejected_error)?;
            let part = multipart::Part::reader_with_length(reader, length)
                .file_name(name.to_owned())
                .mime_str("application/jsonl")
                .map_err(rejected_error)?;
            let form = multipart::Form::new().text("purpose", "batch").part("file", part);
            self.send_for_json(self.client.post(self.url("files")).multipart(form))
        });
        match uploaded {
            Ok(file) => required_id(&file).map_err(SubmissionError::Unclear),
            Err(error) if error.was_reached() => Err(SubmissionError::Unclear(error)),
            Err(error) => Err(SubmissionError::Refused(error)),
        }
    }

    /// Makes a batch of an uploaded file, with the key of the submission in its metadata. Returns
    /// the id of the batch. Fails if the server makes no batch, or does not say that it made one.
    pub(crate) fn create_batch(&self, upload: &str, key: &str) -> Result<String, SubmissionError> {
        let body = json!({
            "input_file_id": upload,
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {KEY_FIELD: key},
        });
        self.submit_once(|| {
            let request = self.client.post(self.url("batches"));
            Ok(request.header("content-type", "application/json").body(body.to_string()))
        })
    }

    /// Submits a file of requests as Anthropic's interface takes it. Returns the id of its batch.
    /// Fails if the server makes no batch, or does not say that it made one.
    pub(crate) fn submit_requests(&self, open: OpenUpload<'_>) -> Result<String, SubmissionError> {
        self.submit_once(|| {
            let (reader, length) = open()?;
            let request = self.client.post(self.url("messages/batches"));
            let body = Body::sized(reader, length);
            Ok(request.header("content-type", "application/json").body(body))
        })
    }

    /// Returns the status of a batch. Fails if the server does not return it.
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

    /// Copies results from a path that a status names, a part at a time. Returns their length in
    /// bytes. Fails if the results can't be downloaded or written.
    pub(crate) fn download(
        &self,
        path: &str,
        writer: &mut dyn Write,
    ) -> Result<u64, DownloadError> {
        let mut response = self.with_retries(|| self.request_results(path))?;
        let mut buffer = vec![0; DOWNLOAD_BUFFER_BYTES];
        let mut bytes = 0;
        loop {
            let read = match response.read(&mut buffer) {
                Ok(0) => return Ok(bytes),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.broken_off(&error).into()),
            };
            writer.write_all(&buffer[..read]).map_err(DownloadError::Write)?;
            bytes += read as u64;
        }
    }

    pub(super) fn broken_off(&self, error: &io::Error) -> CallError {
        CallError::temporary(format!("the results broke off: {error}"), None)
            .masked(|text| self.target.mask(text))
    }

    pub(super) fn request_results(&self, path: &str) -> Result<Response, CallError> {
        let request = self.client.get(self.url(path)).timeout(self.target.deadline);
        let response = request.send().map_err(|error| transport_error(&error, path))?;
        if response.status().as_u16() == 200 {
            return Ok(response);
        }
        read_json_answer(&self.target, response)?;
        Err(CallError::Rejected("no results".to_owned()))
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.target.base_url)
    }

    pub(super) fn send(&self, request: RequestBuilder) -> Result<Response, CallError> {
        let sent = request.timeout(self.target.deadline).send();
        sent.map_err(|error| transport_error(&error, &self.target.base_url))
    }

    fn send_for_json(&self, request: RequestBuilder) -> Result<Value, CallError> {
        read_json_answer(&self.target, self.send(request)?)
    }

    /// Sends a request that must not be executed twice, and returns the id in its answer. It is
    /// repeated only if the server was not reached.
    fn submit_once(
        &self,
        build: impl Fn() -> io::Result<RequestBuilder>,
    ) -> Result<String, SubmissionError> {
        let submitted = self.with_retries(|| {
            let request = build().map_err(rejected_error)?;
            let response = match self.send(request) {
                Err(error) if error.was_reached() => {
                    return Ok(Err(SubmissionError::Unclear(error)));
                }
                sent => sent?,
            };
            let is_refused = is_refusal(response.status().as_u16());
            let answer = read_json_answer(&self.target, response);
            Ok(answer.and_then(|batch| required_id(&batch)).map_err(if is_refused {
                SubmissionError::Refused
            } else {
                SubmissionError::Unclear
            }))
        });
        let mask = |error: CallError| error.masked(|text| self.target.mask(text));
        submitted?.map_err(|error| match error {
            SubmissionError::Refused(error) => SubmissionError::Refused(mask(error)),
            SubmissionError::Unclear(error) => SubmissionError::Unclear(mask(error)),
        })
    }

    /// Repeats an attempt while its failure is temporary, until the retries or the time are used
    /// up.
    pub(super) fn with_retries<T>(
        &self,
        attempt: impl Fn() -> Result<T, CallError>,
    ) -> Result<T, CallError> {
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

fn required_id(value: &Value) -> Result<String, CallError> {
    safe_id(value, "id")
        .ok_or_else(|| CallError::Rejected("the server's answer has no \"id\"".to_owned()))
}

/// Returns true if a server that answers with this status has not done what it was asked for.
fn is_refusal(status: u16) -> bool {
    // A timeout and a conflict may concern a request that was executed.
    (300..500).contains(&status) && ![408, 409].contains(&status)
}

/// The reason why a submission has no batch.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum SubmissionError {
    /// The server made no batch.
    #[error(transparent)]
    Refused(#[from] CallError),
    /// The server may have made a batch: its answer did not arrive, or has no id.
    #[error("{0}")]
    Unclear(CallError),
}

//! A provider of batches that can kill its client before it answers.

use crate::harness::start;
use crate::server::{Server, answer};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A provider of batches, which can kill its client.
#[derive(Default)]
pub(super) struct Provider {
    pub(super) state: Mutex<ProviderState>,
    client_started: Condvar,
}

#[derive(Default)]
pub(super) struct ProviderState {
    /// Uploads and batches as the server lists them, the oldest first.
    pub(super) uploads: Vec<Value>,
    pub(super) batches: Vec<Value>,
    /// The client is killed when this was done, before the answer.
    kill_at: Option<&'static str>,
    /// The process of the client.
    client: Option<u32>,
    /// Metadata is forgotten, and lists are not known.
    pub(super) forgets_metadata: bool,
    pub(super) has_no_lists: bool,
}

impl Provider {
    pub(super) fn serve(self: &Arc<Self>) -> Server {
        let provider = Arc::clone(self);
        Server::routed(move |method, target, body| provider.answer(method, target, body))
    }

    fn answer(&self, method: &str, target: &str, body: &str) -> String {
        let mut state = self.state.lock().unwrap();
        let path = target.split('?').next().unwrap();
        let answered = match (method, path) {
            ("POST", "/v1/files") => Some(state.upload(body)),
            ("POST", "/v1/batches") => Some(state.make_batch(body)),
            ("POST", "/v1/messages/batches") => Some(state.make_message_batch(body)),
            ("GET", _) if state.has_no_lists => None,
            ("GET", "/v1/files") => Some(list(&state.uploads, target)),
            ("GET", "/v1/batches" | "/v1/messages/batches") => Some(list(&state.batches, target)),
            _ => path.strip_suffix("/results").map_or_else(
                || {
                    let id = path.rsplit('/').next();
                    state.batches.iter().find(|batch| batch["id"].as_str() == id).cloned()
                },
                |_| Some(json!({"custom_id": "of another", "result": {"type": "expired"}})),
            ),
        };
        if state.kill_at == Some(path) && method == "POST" {
            state.kill_at = None;
            let mut state =
                self.client_started.wait_while(state, |state| state.client.is_none()).unwrap();
            kill(state.client.take().unwrap());
        }
        match answered {
            Some(value) => answer("200 OK", "", &value.to_string()),
            None => answer("404 Not Found", "", "{}"),
        }
    }

    pub(super) fn batches(&self) -> Vec<Value> {
        self.state.lock().unwrap().batches.clone()
    }

    /// Starts the client and kills it once it has asked for this.
    pub(super) fn kill(&self, client: Command, at: &'static str) {
        self.state.lock().unwrap().kill_at = Some(at);
        let mut run = start(client);
        self.state.lock().unwrap().client = Some(run.id());
        self.client_started.notify_all();
        assert_eq!(run.wait().unwrap().code(), None, "it was killed");
    }
}

impl ProviderState {
    fn upload(&mut self, body: &str) -> Value {
        let name = body.split("filename=\"").nth(1).unwrap().split('"').next();
        let content = body.split("\r\n\r\n").last().unwrap();
        let bytes = content.split("\r\n--").next().unwrap().len();
        let id = format!("file-{}", self.uploads.len());
        let upload = json!({"id": id, "object": "file", "filename": name, "bytes": bytes});
        self.uploads.push(upload.clone());
        upload
    }

    fn make_batch(&mut self, body: &str) -> Value {
        let body: Value = serde_json::from_str(body).unwrap();
        let metadata = match self.forgets_metadata {
            true => &Value::Null,
            false => &body["metadata"],
        };
        let id = format!("batch_{}", self.batches.len());
        let batch = json!({"id": id, "status": "in_progress", "metadata": metadata, "input_file_id": body["input_file_id"], "request_counts": {"total": 8, "completed": 0, "failed": 0}});
        self.batches.push(batch.clone());
        batch
    }

    fn make_message_batch(&mut self, body: &str) -> Value {
        let body: Value = serde_json::from_str(body).unwrap();
        let requests = body["requests"].as_array().unwrap().len();
        let batch = message_batch(self.batches.len(), "in_progress", requests);
        self.batches.push(batch.clone());
        batch
    }
}

/// A batch of Anthropic.
pub(super) fn message_batch(number: usize, status: &str, requests: usize) -> Value {
    let done = status == "ended";
    let counts = json!({"processing": if done { 0 } else { requests }, "succeeded": if done { requests } else { 0 }, "errored": 0, "canceled": 0, "expired": 0});
    json!({"id": format!("msgbatch_{number}"), "processing_status": status, "request_counts": counts})
}

/// A page of two, the newest first.
fn list(items: &[Value], target: &str) -> Value {
    let after = target.split("after_id=").nth(1).or(target.split("after=").nth(1));
    let mut newest: Vec<&Value> = items.iter().rev().collect();
    if let Some(after) = after {
        let at = newest.iter().position(|item| item["id"] == after).unwrap();
        newest.drain(..=at);
    }
    let has_more = newest.len() > 2;
    newest.truncate(2);
    json!({"object": "list", "data": newest, "has_more": has_more})
}

fn kill(process: u32) {
    let killed = Command::new("kill").args(["-KILL", &process.to_string()]).status();
    assert!(killed.unwrap().success());
    // The answer is written to nobody.
    std::thread::sleep(Duration::from_millis(50));
}

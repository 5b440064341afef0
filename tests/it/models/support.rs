//! Runs that ask a server for summaries, and the answers of that server.

use crate::harness::{Dir, Epitome};
use crate::talk::{CUT, talk};
use httpmock::prelude::*;
use serde_json::{Value, json};

/// The four sections that the prompt demands.
pub(crate) const SUMMARY: &str =
    "## SESSION INTENT\nBook.\n\n## SUMMARY\nDone.\n\n## ARTIFACTS\nNone\n\n## NEXT STEPS\nNone";

/// No test may show it anywhere.
pub(crate) const KEY: &str = "sk-test-0f1e2d3c4b5a69788796a5b4";

/// An answer in OpenAI's dialect.
pub(crate) fn chat(text: &str, finish: &str) -> Value {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish});
    json!({"id": "c", "object": "chat.completion", "choices": [choice], "usage": {"prompt_tokens": 500, "completion_tokens": 40, "total_tokens": 540}})
}

/// `compact` of `in.jsonl` with a model at `server`.
pub(super) fn compact(dir: &Dir, server: &MockServer, options: &str) -> Epitome {
    let url = server.base_url();
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={url}/v1 --set summarizer.cache=cache {options}"))
        .env("OPENAI_API_KEY", KEY)
}

pub(crate) fn one_talk() -> Dir {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8));
    dir
}

/// Nobody may see the key: not in a file, not in what was said.
pub(crate) fn keeps_the_key(dir: &Dir, said: &[&str]) {
    for (name, bytes) in dir.tree("") {
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{name} holds the key");
    }
    assert!(said.iter().all(|text| !text.contains(KEY)), "{said:?}");
}

/// The transcript must be as it came and be marked, with this reason.
pub(super) fn fails_with(answer: &Value, reason: &str) {
    let (dir, server) = (one_talk(), MockServer::start());
    let mock = server.mock(|_, then| {
        then.status(200).json_body(answer.clone());
    });
    let ran = compact(&dir, &server, "").fails(3).says(["in.jsonl:1: ", reason]);
    mock.assert_calls(1);
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"), "{reason}");
    assert_eq!(dir.entries()[0]["status"], "failed");
    assert!(!dir.exists("out/conversation_history"));
    assert!(
        dir.tree("cache").keys().all(|name| name.starts_with("locks/")),
        "failures are not kept"
    );
    keeps_the_key(&dir, &[&ran.stderr]);
}

/// Answers the calls in order, as a server would; the last answer repeats. Gives how many calls
/// came.
pub(super) fn scripted(dir: &Dir, answers: &[&str], options: &str) -> (i32, String, usize) {
    let server = crate::server::Server::start(answers);
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={} --set summarizer.cache=cache {options}",
        server.url()
    );
    let ran = dir.epitome(&command).env("OPENAI_API_KEY", KEY).run();
    keeps_the_key(dir, &[&ran.1.stderr]);
    (ran.0, ran.1.stderr, server.calls())
}

pub(crate) fn good() -> String {
    crate::server::answer("200 OK", "", &chat(SUMMARY, "stop").to_string())
}

pub(crate) fn error(status: &str, headers: &str, message: &str) -> String {
    crate::server::answer(status, headers, &json!({"error": {"message": message}}).to_string())
}

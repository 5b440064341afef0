//! `requests submit` and `requests fetch`: batches at OpenAI and Anthropic.

use super::support::{KEY, export, requests, result, talks};
use crate::models::SUMMARY;
use crate::server::{Server, answer};
use crate::talk::CUT;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The batch interface of OpenAI, as far as it is used.
pub(crate) fn openai(lines: String) -> Server {
    Server::routed(move |method, path, _| {
        let json = |value: Value| answer("200 OK", "", &value.to_string());
        match (method, path) {
            ("POST", "/v1/files") => json(json!({"id": "file-1", "object": "file"})),
            ("POST", "/v1/batches") => json(json!({"id": "batch_1", "status": "validating"})),
            ("GET", "/v1/batches/batch_1") => json(
                json!({"id": "batch_1", "status": "completed", "request_counts": {"total": 8, "completed": 8, "failed": 0}, "output_file_id": "file-2"}),
            ),
            ("GET", "/v1/files/file-2/content") => answer("200 OK", "", &lines),
            _ => answer(
                "404 Not Found",
                "",
                &json!({"error": {"message": format!("no {method} {path}")}}).to_string(),
            ),
        }
    })
}

#[test]
fn openais_batches_are_submitted_once_and_fetched() {
    let dir = talks();
    export(&dir, "");
    let server = openai(requests(&dir).iter().map(|request| result(request, SUMMARY)).collect());
    let url = server.url();
    let run = |words: &str| {
        dir.epitome(&format!("requests {words} requests --set summarizer.base_url={url}"))
            .env("OPENAI_API_KEY", KEY)
    };
    run("status").ok().stdout().contains("not submitted").then_some(()).unwrap();
    run("fetch").ok().says(["nothing has been submitted"]);
    assert!(run("submit").ok().stdout().contains("8 requests submitted as batch_1"));
    let calls = server.calls();
    run("submit").ok().says(["was submitted before"]);
    assert_eq!(server.calls(), calls, "nothing is submitted twice");
    assert!(
        server.requests()[0].contains(&dir.read("requests/requests-0001.jsonl")),
        "the whole file is sent"
    );
    assert!(
        run("status").ok().stdout().contains("batch_1 is completed, 8 of 8 answered, 0 failed")
    );
    let line: Value = serde_json::from_str(run("status --json").ok().stdout()).unwrap();
    assert_eq!((&line["ended"], &line["succeeded"]), (&true.into(), &8.into()));
    run("fetch").ok().says(["all results have arrived"]);
    dir.epitome("requests apply requests -o out").ok();
    assert_eq!(dir.report()["totals"]["compacted"], 9);
    for (name, bytes) in dir.tree("") {
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{name} holds the key");
    }
}

#[test]
fn anthropics_batches_are_submitted_and_fetched() {
    let dir = talks();
    dir.epitome(&format!("requests export logs -o requests {CUT} --set summarizer.model=anthropic:claude-sonnet-4-5 --set summarizer.cache=")).ok();
    let body: Value = serde_json::from_slice(&dir.bytes("requests/requests-0001.json")).unwrap();
    let message = json!({"type": "message", "content": [{"type": "text", "text": SUMMARY}], "stop_reason": "end_turn"});
    let line = |request: &Value| {
        json!({"custom_id": request["custom_id"], "result": {"type": "succeeded", "message": message}}).to_string() + "\n"
    };
    let lines: String = body["requests"].as_array().unwrap().iter().map(line).collect();
    let server = Server::routed(move |method, path, body| {
        let json = |value: Value| answer("200 OK", "", &value.to_string());
        let counts =
            json!({"processing": 0, "succeeded": 8, "errored": 0, "canceled": 0, "expired": 0});
        match (method, path) {
            ("POST", "/v1/messages/batches") if body.starts_with("{\"requests\"") => {
                json(json!({"id": "msgbatch_1", "processing_status": "in_progress"}))
            }
            ("GET", "/v1/messages/batches/msgbatch_1") => json(
                json!({"id": "msgbatch_1", "processing_status": "ended", "request_counts": counts, "results_url": "http://elsewhere.invalid/steal"}),
            ),
            ("GET", "/v1/messages/batches/msgbatch_1/results") => answer("200 OK", "", &lines),
            _ => answer("404 Not Found", "", "{}"),
        }
    });
    let url = server.url();
    let run = |words: &str| {
        dir.epitome(&format!("requests {words} requests --set summarizer.base_url={url}"))
            .env("ANTHROPIC_API_KEY", KEY)
    };
    run("submit").ok();
    run("fetch").ok().says(["all results have arrived"]);
    dir.epitome("requests apply requests -o out").ok();
    assert_eq!(dir.report()["totals"]["compacted"], 9);
}

#[test]
fn a_refused_submission_is_told_and_not_noted() {
    let dir = talks();
    export(&dir, "");
    let server = Server::start(&[&answer(
        "401 Unauthorized",
        "",
        &json!({"error": {"message": format!("bad key {KEY}")}}).to_string(),
    )]);
    let ran = dir
        .epitome(&format!("requests submit requests --set summarizer.base_url={}", server.url()))
        .env("OPENAI_API_KEY", KEY)
        .fails(2);
    assert!(ran.stderr.contains("bad key ***") && !ran.stderr.contains(KEY), "{}", ran.stderr);
    assert!(!dir.exists("requests/batches.json"));
    assert_eq!(server.calls(), 1);
}

#[test]
fn results_that_break_off_are_fetched_again() {
    let dir = talks();
    export(&dir, "");
    let lines: String = requests(&dir).iter().map(|request| result(request, SUMMARY)).collect();
    let downloads = AtomicUsize::new(0);
    let whole = openai(lines.clone());
    let batches = whole.url();
    let server = Server::routed(move |method, path, _| {
        let whole = answer("200 OK", "", &lines);
        match (method, path) {
            ("GET", "/v1/batches/batch_1") => answer(
                "200 OK",
                "",
                &json!({"id": "batch_1", "status": "completed", "output_file_id": "file-2"})
                    .to_string(),
            ),
            // The connection ends within the results.
            _ if downloads.fetch_add(1, Ordering::SeqCst) == 0 => {
                whole[..whole.len() - 100].to_owned()
            }
            _ => whole,
        }
    });
    let run = |words: &str, url: &str| {
        dir.epitome(&format!("requests {words} requests --set summarizer.base_url={url}"))
            .env("OPENAI_API_KEY", KEY)
    };
    run("submit", &batches).ok();
    run("fetch", &server.url()).fails(2).says(["batch_1: the results broke off"]);
    assert!(!dir.exists("requests/results-0001.jsonl") && !dir.exists("requests/.epitome-run"));
    run("fetch", &server.url()).ok().says(["all results have arrived"]);
    dir.epitome("requests apply requests -o out").ok();
    assert_eq!(dir.report()["totals"]["compacted"], 9);
}

//! Calls that fail: their effect on the transcript and on the run.

use super::support::{
    KEY, SUMMARY, chat, compact, error, fails_with, good, keeps_the_key, one_talk, scripted,
};
use crate::harness::Dir;
use crate::server::CLOSED_PORT;
use crate::talk::{CUT, talk};
use httpmock::prelude::*;
use serde_json::{Value, json};

#[test]
fn an_answer_that_is_no_summary_is_a_failure() {
    fails_with(&chat(SUMMARY, "length"), "cut off");
    fails_with(&chat("  \n", "stop"), "empty");
    fails_with(&chat("I can't help with that.", "stop"), "lacks the heading");
    fails_with(
        &chat(&format!("{SUMMARY}\n{}", "and so on ".repeat(500)), "stop"),
        "longer than what it replaces",
    );
    fails_with(
        &json!({"choices": [{"message": {"content": null, "refusal": "no"}, "finish_reason": "stop"}]}),
        "refused",
    );
    fails_with(
        &json!({"choices": [{"message": {"content": null, "tool_calls": []}, "finish_reason": "tool_calls"}]}),
        "tool",
    );
    fails_with(
        &json!({"choices": [{"message": {"content": [{"type": "image"}]}, "finish_reason": "stop"}]}),
        "not text",
    );
    fails_with(
        &json!({"error": {"message": "bad form", "type": "invalid_request_error", "code": 400}}),
        "bad form",
    );
}

#[test]
fn on_failure_extract_writes_a_summary_and_says_so() {
    let (dir, server) = (one_talk(), MockServer::start());
    server.mock(|_, then| {
        then.status(200).json_body(chat("no headings", "stop"));
    });
    compact(&dir, &server, "--set summarizer.on_failure=extract")
        .ok()
        .says(["embedded summarizer", "lacks the heading"]);
    assert_eq!(dir.entries()[0]["status"], "compacted");
    assert!(
        dir.read("out/in.jsonl").contains("<summary>")
            && !dir.read("out/in.jsonl").contains("no headings")
    );
}

#[test]
fn on_failure_fail_ends_the_run() {
    let (dir, server) = (one_talk(), MockServer::start());
    server.mock(|_, then| {
        then.status(200).json_body(chat("no headings", "stop"));
    });
    compact(&dir, &server, "--set summarizer.on_failure=fail")
        .fails(2)
        .says(["stopped early", "lacks the heading", "--resume"]);
    assert!(!dir.exists("out/in.jsonl"));
}

#[test]
fn what_every_call_would_meet_ends_the_run_at_once() {
    for status in ["401 Unauthorized", "402 Payment", "403 Forbidden", "404 Not Found", "302 Found"]
    {
        let dir = Dir::new();
        dir.write(
            "in.jsonl",
            (0..40).map(|number| talk(&format!("t{number}"), 8)).collect::<String>(),
        );
        let (code, stderr, calls) = scripted(
            &dir,
            &[&error(status, "", &format!("no: {KEY}"))],
            "--set summarizer.concurrency=1",
        );
        assert_eq!((code, calls), (2, 1), "{status}: {stderr}");
        assert!(stderr.contains("stopped early") && stderr.contains(&status[..3]), "{stderr}");
        assert!(!dir.exists("out/in.jsonl"));
    }
    let quota = r#"{"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}}"#;
    let dir = one_talk();
    let (code, stderr, calls) =
        scripted(&dir, &[&crate::server::answer("429 Too Many Requests", "", quota)], "");
    assert_eq!((code, calls), (2, 1), "{stderr}");
}

#[test]
fn a_request_that_is_refused_costs_one_transcript() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8) + &talk("b", 8));
    let (code, stderr, calls) = scripted(
        &dir,
        &[&error("400 Bad Request", "", "odd"), &good()],
        "--set summarizer.concurrency=1",
    );
    assert_eq!((code, calls), (3, 2), "{stderr}");
    let statuses: Vec<Value> = dir.entries().iter().map(|entry| entry["status"].clone()).collect();
    assert!(statuses.contains(&"failed".into()) && statuses.contains(&"compacted".into()));
}

#[test]
fn a_server_that_is_not_there_ends_the_run() {
    let dir = one_talk();
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=m --set summarizer.base_url=http://127.0.0.1:{CLOSED_PORT} --set summarizer.cache= --set summarizer.retries=1"
    );
    dir.epitome(&command).fails(2).says(["can't connect", "stopped early"]);
}

#[test]
fn an_overflow_is_asked_once_more_with_the_middle_cut_out() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 60));
    let overflow =
        error("400 Bad Request", "", "This model's maximum context length is 8192 tokens.");
    let server = crate::server::Server::start(&[&overflow, &good()]);
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={} --set summarizer.cache=cache",
        server.url()
    );
    dir.epitome(&command).ok();
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(
        requests[0].contains("Step 28 of t")
            && !requests[0].contains("middle of conversation omitted")
    );
    assert!(requests[1].contains("[... middle of conversation omitted ...]"));
    assert!(
        requests[1].contains("Step 1 of t")
            && requests[1].contains("Step 57 of t")
            && !requests[1].contains("Step 20 of t"),
        "a quarter head, the rest tail"
    );
    assert_eq!(dir.entries()[0]["asked"]["calls"], 2);
    // The answer is one to the whole conversation: it is found again.
    dir.epitome(&format!("{command} --force")).ok();
    assert_eq!(server.calls(), 2);
    let again = one_talk();
    let (code, stderr, calls) = scripted(&again, &[&overflow], "");
    assert_eq!((code, calls), (3, 2), "{stderr}");
    assert!(stderr.contains("also with the middle of the conversation cut out"), "{stderr}");
}

#[test]
fn replay_goes_on_where_the_model_fails_and_evaluate_tells_it() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 12));
    let server = crate::server::Server::start(&[&error("400 Bad Request", "", "odd")]);
    let options = format!(
        "--summarizer http --set summarizer.model=small --set summarizer.base_url={} --set summarizer.cache=",
        server.url()
    );
    let ran = dir
        .epitome(&format!("replay in.jsonl -o out {CUT} {options}"))
        .env("OPENAI_API_KEY", KEY)
        .fails(3)
        .says(["odd"]);
    keeps_the_key(&dir, &[&ran.stderr]);
    let calls = dir.read("out/replay.jsonl");
    assert!(calls.lines().count() >= 6, "every call is there, sent as it was: {calls}");
    let ran = dir
        .epitome(&format!("evaluate in.jsonl {options}"))
        .env("OPENAI_API_KEY", KEY)
        .fails(3)
        .says(["odd"]);
    keeps_the_key(&dir, &[&ran.stderr, &String::from_utf8_lossy(&ran.stdout)]);

    let server = crate::server::Server::start(&[&good()]);
    let ran = dir.epitome(&format!(
        "evaluate in.jsonl --summarizer http --set summarizer.model=small --set summarizer.base_url={} --set summarizer.cache= --json",
        server.url()
    ));
    let ran = ran.env("OPENAI_API_KEY", KEY).ok();
    assert!(server.calls() > 0 && ran.stdout().contains("recall"));
}

//! Summaries by a model over HTTP: what is sent, what counts as an answer, what is retried, cached
//! and paid.

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
fn compact(dir: &Dir, server: &MockServer, options: &str) -> Epitome {
    let url = server.base_url();
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --summarizer http --summary-model small --base-url {url}/v1 --cache cache {options}"))
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
        assert!(
            !String::from_utf8_lossy(&bytes).contains(KEY),
            "{name} holds the key"
        );
    }
    assert!(said.iter().all(|text| !text.contains(KEY)), "{said:?}");
}

#[test]
fn chat_completions_are_asked_and_answer() {
    let (dir, server) = (one_talk(), MockServer::start());
    let mock = server.mock(|when, then| {
        when.method(POST)
            .path("/v1/chat/completions")
            .header("authorization", format!("Bearer {KEY}"))
            .header("x-team", "blue")
            .body_includes(r#""model":"small""#)
            .body_includes(r#""temperature":0.2"#)
            .body_includes(r#""max_tokens":700"#)
            .body_includes("Step 0 of t")
            .body_includes("## SESSION INTENT");
        then.status(200)
            .json_body(chat(&format!("\n{SUMMARY}\n"), "stop"));
    });
    let ran = compact(
        &dir,
        &server,
        "--temperature 0.2 --max-output-tokens 700 --price 2,10",
    )
    .arg("--header")
    .arg("X-Team: blue")
    .ok();
    mock.assert();
    assert!(
        dir.read("out/in.jsonl")
            .contains("<summary>\\n## SESSION INTENT\\nBook.\\n\\n## SUMMARY")
    );
    let asked = &dir.entries()[0]["asked"];
    assert_eq!(
        (&asked["calls"], &asked["retries"], &asked["cache_hit"]),
        (&1.into(), &0.into(), &false.into())
    );
    assert_eq!(
        (
            &asked["input_tokens"],
            &asked["output_tokens"],
            &asked["model"]
        ),
        (&500.into(), &40.into(), &"small".into())
    );
    assert!((asked["cost"].as_f64().unwrap() - 0.0014).abs() < 1e-9);
    assert_eq!(dir.report()["totals"]["asked"]["calls"], 1);
    keeps_the_key(&dir, &[&ran.stderr, ran.stdout()]);
}

#[test]
fn anthropic_messages_are_asked_and_answer() {
    let (dir, server) = (one_talk(), MockServer::start());
    let mock = server.mock(|when, then| {
        when.method(POST)
            .path("/v1/messages")
            .header("x-api-key", KEY)
            .header("anthropic-version", "2023-06-01")
            .body_includes(r#""model":"claude-small""#)
            .body_includes(r#""max_tokens":4096"#)
            .body_includes(r#""system":""#);
        let content = json!([{"type": "text", "text": SUMMARY}]);
        then.status(200).json_body(json!({"type": "message", "content": content, "stop_reason": "end_turn", "usage": {"input_tokens": 7, "output_tokens": 3}}));
    });
    let url = server.base_url();
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --summary-model anthropic:claude-small --base-url {url} --no-cache"
    );
    let ran = dir.epitome(&command).env("ANTHROPIC_API_KEY", KEY).ok();
    mock.assert();
    assert_eq!(dir.entries()[0]["asked"]["input_tokens"], 7);
    keeps_the_key(&dir, &[&ran.stderr]);
}

#[test]
fn the_key_may_lie_in_a_file_and_a_server_of_ones_own_needs_none() {
    let (dir, server) = (one_talk(), MockServer::start());
    let mock = server.mock(|when, then| {
        when.header("authorization", "Bearer from-a-file");
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    dir.write("key.txt", "from-a-file\n");
    compact(&dir, &server, "--api-key-file key.txt").ok();
    mock.assert();
    let url = server.base_url();
    let open = server.mock(|when, then| {
        when.header_missing("authorization");
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    dir.epitome(&format!("compact in.jsonl -o open {CUT} --summarizer http --summary-model small --base-url {url} --no-cache")).ok();
    open.assert();
}

#[test]
fn what_is_missing_is_told_before_anything_is_written() {
    let dir = one_talk();
    let base = format!("compact in.jsonl -o out {CUT} --summarizer http");
    dir.epitome(&base).fails(2).says(["--summary-model"]);
    dir.epitome(&format!("{base} --summary-model openai:gpt-5.2 --no-cache"))
        .fails(2)
        .says(["OPENAI_API_KEY", "--api-key-file"]);
    dir.epitome(&format!(
        "{base} --summary-model openai:gpt-5.2 --api-key-env MY_KEY --no-cache"
    ))
    .fails(2)
    .says(["MY_KEY"]);
    dir.epitome(&format!(
        "{base} --summary-model m --base-url localhost:80 --no-cache"
    ))
    .fails(2)
    .says(["--base-url", "http://HOST"]);
    dir.epitome(&format!(
        "{base} --summary-model m --base-url http://me:pass1234@h --no-cache"
    ))
    .fails(2)
    .says(["--base-url", "***@h"]);
    dir.epitome(&format!("{base} --summary-model m --base-url http://h"))
        .fails(2)
        .says(["--cache", "--no-cache"]);
    dir.epitome(&format!(
        "{base} --summary-model m --base-url http://h --no-cache --max-cost 1"
    ))
    .fails(2)
    .says(["--price"]);
    dir.epitome(&format!("{base} --summary-model m --dialect opanai"))
        .fails(2)
        .says(["--dialect", "similar value exists: 'openai'"]);
    dir.epitome(&format!("{base} --summary-model m --on-failure stop"))
        .fails(2)
        .says(["--on-failure", "keep, extract, fail"]);
    dir.write("prompt.txt", "no place")
        .epitome(&format!("{base} --prompt-file prompt.txt"))
        .fails(2)
        .says(["{messages}"]);
    assert!(!dir.exists("out"));
}

/// The transcript must be as it came and be marked, with this reason.
fn fails_with(answer: &Value, reason: &str) {
    let (dir, server) = (one_talk(), MockServer::start());
    let mock = server.mock(|_, then| {
        then.status(200).json_body(answer.clone());
    });
    let ran = compact(&dir, &server, "")
        .fails(3)
        .says(["in.jsonl:1: ", reason]);
    mock.assert_calls(1);
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"), "{reason}");
    assert_eq!(dir.entries()[0]["status"], "failed");
    assert!(!dir.exists("out/conversation_history"));
    assert!(
        dir.tree("cache")
            .keys()
            .all(|name| name.starts_with("locks/")),
        "failures are not kept"
    );
    keeps_the_key(&dir, &[&ran.stderr]);
}

#[test]
fn an_answer_that_is_no_summary_is_a_failure() {
    fails_with(&chat(SUMMARY, "length"), "cut off");
    fails_with(&chat("  \n", "stop"), "empty");
    fails_with(
        &chat("I can't help with that.", "stop"),
        "lacks the heading",
    );
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
    compact(&dir, &server, "--on-failure extract")
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
    compact(&dir, &server, "--on-failure fail").fails(2).says([
        "stopped early",
        "lacks the heading",
        "--force",
    ]);
    assert!(!dir.exists("out/in.jsonl"));
}

/// Answers the calls in order, as a server would; the last answer repeats. Gives how many calls
/// came.
fn scripted(dir: &Dir, answers: &[&str], options: &str) -> (i32, String, usize) {
    let server = crate::server::Server::start(answers);
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --summary-model small --base-url {} --cache cache {options}",
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
    crate::server::answer(
        status,
        headers,
        &json!({"error": {"message": message}}).to_string(),
    )
}

#[test]
fn what_may_pass_is_tried_again() {
    let good = good();
    for status in [
        "408 Timeout",
        "409 Conflict",
        "429 Too Many Requests",
        "500 Error",
        "503 Unavailable",
        "529 Overloaded",
    ] {
        let dir = one_talk();
        let (code, stderr, calls) = scripted(
            &dir,
            &[&error(status, "retry-after-ms: 10\r\n", "busy"), &good],
            "",
        );
        assert_eq!((code, calls), (0, 2), "{status}: {stderr}");
        assert_eq!(dir.entries()[0]["asked"]["retries"], 1);
    }
    // The connection ends at once, in the middle, and with a body that is no JSON.
    let cut = &good[..good.len() - 20];
    for broken in [
        "",
        cut,
        &crate::server::answer("200 OK", "", "<html>busy</html>"),
    ] {
        let dir = one_talk();
        let (code, stderr, calls) = scripted(&dir, &[broken, &good], "");
        assert_eq!((code, calls), (0, 2), "{broken}: {stderr}");
    }
}

#[test]
fn the_servers_pause_is_kept() {
    let dir = one_talk();
    let start = std::time::Instant::now();
    let (code, stderr, calls) = scripted(
        &dir,
        &[
            &error("429 Too Many Requests", "retry-after: 1\r\n", "slow down"),
            &good(),
        ],
        "",
    );
    assert_eq!((code, calls), (0, 2), "{stderr}");
    assert!(
        start.elapsed() >= std::time::Duration::from_secs(1),
        "retried before the server's time"
    );
}

#[test]
fn a_limit_that_an_answer_has_spent_is_waited_for() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8) + &talk("b", 8));
    let spent = "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 1s\r\n";
    let first = good().replacen("content-type", &format!("{spent}content-type"), 1);
    let start = std::time::Instant::now();
    let (code, stderr, calls) = scripted(&dir, &[&first, &good()], "--concurrency 1");
    assert_eq!((code, calls), (0, 2), "{stderr}");
    assert!(
        start.elapsed() >= std::time::Duration::from_secs(1),
        "asked before there was anything left"
    );
}

#[test]
fn a_pause_beyond_the_deadline_is_not_waited_for() {
    let dir = one_talk();
    let (code, stderr, calls) = scripted(
        &dir,
        &[&error(
            "429 Too Many Requests",
            "retry-after: 3600\r\n",
            "slow down",
        )],
        "--deadline 5",
    );
    assert_eq!((code, calls), (3, 1), "{stderr}");
    assert!(
        stderr.contains("--deadline") && stderr.contains("slow down"),
        "{stderr}"
    );
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
}

#[test]
fn an_answer_that_takes_too_long_is_not_waited_for() {
    let dir = one_talk();
    let server = crate::server::Server::answering(|_, _| {
        std::thread::sleep(std::time::Duration::from_secs(30));
        String::new()
    });
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --summary-model small --base-url {} --no-cache",
        server.url()
    );
    dir.epitome(&format!("{command} --timeout 1 --retries 1"))
        .fails(3)
        .says(["no answer in time", "given up after 2 attempts"]);
    assert_eq!(server.calls(), 2);
    dir.epitome(&format!("{command} --deadline 1 --force"))
        .fails(3)
        .says(["no answer in time"]);
}

#[test]
fn retries_end() {
    let dir = one_talk();
    let (code, stderr, calls) = scripted(
        &dir,
        &[&error("500 Error", "retry-after-ms: 1\r\n", "broken")],
        "--retries 2",
    );
    assert_eq!((code, calls), (3, 3), "{stderr}");
    assert!(
        stderr.contains("given up after 3 attempts") && stderr.contains("broken"),
        "{stderr}"
    );
}

#[test]
fn what_every_call_would_meet_ends_the_run_at_once() {
    for status in [
        "401 Unauthorized",
        "402 Payment",
        "403 Forbidden",
        "404 Not Found",
        "302 Found",
    ] {
        let dir = Dir::new();
        dir.write(
            "in.jsonl",
            (0..40)
                .map(|number| talk(&format!("t{number}"), 8))
                .collect::<String>(),
        );
        let (code, stderr, calls) = scripted(
            &dir,
            &[&error(status, "", &format!("no: {KEY}"))],
            "--concurrency 1",
        );
        assert_eq!((code, calls), (2, 1), "{status}: {stderr}");
        assert!(
            stderr.contains("stopped early") && stderr.contains(&status[..3]),
            "{stderr}"
        );
        assert!(!dir.exists("out/in.jsonl"));
    }
    let quota = r#"{"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}}"#;
    let dir = one_talk();
    let (code, stderr, calls) = scripted(
        &dir,
        &[&crate::server::answer("429 Too Many Requests", "", quota)],
        "",
    );
    assert_eq!((code, calls), (2, 1), "{stderr}");
}

#[test]
fn a_request_that_is_refused_costs_one_transcript() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8) + &talk("b", 8));
    let (code, stderr, calls) = scripted(
        &dir,
        &[&error("400 Bad Request", "", "odd"), &good()],
        "--concurrency 1",
    );
    assert_eq!((code, calls), (3, 2), "{stderr}");
    let statuses: Vec<Value> = dir
        .entries()
        .iter()
        .map(|entry| entry["status"].clone())
        .collect();
    assert!(statuses.contains(&"failed".into()) && statuses.contains(&"compacted".into()));
}

#[test]
fn a_server_that_is_not_there_ends_the_run() {
    let dir = one_talk();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --summary-model m --base-url http://127.0.0.1:{port} --no-cache --retries 1"
    );
    dir.epitome(&command)
        .fails(2)
        .says(["can't connect", "stopped early"]);
}

#[test]
fn an_overflow_is_asked_once_more_with_the_middle_cut_out() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 60));
    let overflow = error(
        "400 Bad Request",
        "",
        "This model's maximum context length is 8192 tokens.",
    );
    let server = crate::server::Server::start(&[&overflow, &good()]);
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --summary-model small --base-url {} --cache cache",
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
    assert!(
        stderr.contains("also with the middle of the conversation cut out"),
        "{stderr}"
    );
}

#[test]
fn an_answer_is_paid_once() {
    let (dir, server) = (Dir::new(), MockServer::start());
    // Two of them are the same conversation.
    dir.write(
        "in.jsonl",
        ["a", "b", "a", "c"].map(|name| talk(name, 40)).concat(),
    );
    let mock = server.mock(|_, then| {
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    compact(&dir, &server, "").ok();
    mock.assert_calls(3);
    let first = dir.read("out/in.jsonl");
    assert_eq!(dir.report()["totals"]["asked"]["cache_hits"], 1);
    compact(&dir, &server, "--force").ok();
    mock.assert_calls(3);
    assert_eq!(dir.read("out/in.jsonl"), first);
    let totals = &dir.report()["totals"]["asked"];
    assert_eq!(
        (
            &totals["cache_hits"],
            &totals["calls"],
            &totals["input_tokens"]
        ),
        (&4.into(), &0.into(), &0.into())
    );
    compact(&dir, &server, "--force --temperature 1").ok();
    mock.assert_calls(6);
}

#[test]
fn limits_stop_the_calls_and_not_the_run() {
    let (dir, server) = (Dir::new(), MockServer::start());
    dir.write(
        "in.jsonl",
        (0..5)
            .map(|number| talk(&format!("t{number}"), 8))
            .collect::<String>(),
    );
    let mock = server.mock(|_, then| {
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    compact(&dir, &server, "--max-calls 2")
        .fails(3)
        .says(["--max-calls"]);
    mock.assert_calls(2);
    assert_eq!(
        (
            &dir.report()["totals"]["compacted"],
            &dir.report()["totals"]["failed"]
        ),
        (&2.into(), &3.into())
    );
    // What was answered before counts nothing; a dollar is enough for two calls more.
    compact(
        &dir,
        &server,
        "--force --concurrency 1 --price 1000,1000 --max-cost 1.7",
    )
    .fails(3)
    .says(["--max-cost"]);
    mock.assert_calls(4);
    compact(&dir, &server, "--force --max-calls 1").ok();
    mock.assert_calls(5);
}

#[test]
fn waiting_for_a_model_takes_no_job() {
    let (dir, server) = (Dir::new(), MockServer::start());
    dir.write(
        "in.jsonl",
        (0..8)
            .map(|number| talk(&format!("t{number}"), 8))
            .collect::<String>(),
    );
    let mock = server.mock(|_, then| {
        then.status(200)
            .json_body(chat(SUMMARY, "stop"))
            .delay(std::time::Duration::from_millis(500));
    });
    let start = std::time::Instant::now();
    compact(&dir, &server, "-j1 --concurrency 8").ok();
    mock.assert_calls(8);
    assert!(
        start.elapsed() < std::time::Duration::from_secs(3),
        "one after the other: {:?}",
        start.elapsed()
    );
}

#[test]
fn threads_of_one_file_are_asked_for_side_by_side() {
    let (dir, server) = (Dir::new(), MockServer::start());
    let lines = (0..8).flat_map(|number| (0..8).map(move |thread| (thread, number)));
    let line = |(thread, number): (usize, usize)| {
        let message = crate::talk::message(&format!("t{thread}"), number);
        message.replacen('{', &format!("{{\"thread_id\": \"t{thread}\", "), 1) + "\n"
    };
    dir.write("in.jsonl", lines.map(line).collect::<String>());
    let mock = server.mock(|_, then| {
        then.status(200)
            .json_body(chat(SUMMARY, "stop"))
            .delay(std::time::Duration::from_millis(500));
    });
    let start = std::time::Instant::now();
    compact(&dir, &server, "--concurrency 8").ok();
    mock.assert_calls(8);
    assert!(
        start.elapsed() < std::time::Duration::from_secs(3),
        "one after the other: {:?}",
        start.elapsed()
    );
}

#[test]
fn another_prompt_demands_other_headings() {
    let (dir, server) = (one_talk(), MockServer::start());
    let mock = server.mock(|when, then| {
        when.body_includes("In one line:");
        then.status(200).json_body(chat("All is booked.", "stop"));
    });
    dir.write("prompt.txt", "In one line:\n{messages}");
    compact(&dir, &server, "--prompt-file prompt.txt").ok();
    mock.assert();
    dir.write(
        "policy.toml",
        "[summarizer]\nprompt = \"In one line:\\n{messages}\"\nheadings = [\"Facts\"]\n",
    );
    compact(&dir, &server, "--force --config policy.toml")
        .fails(3)
        .says(["\"Facts\""]);
}

#[test]
fn the_configuration_says_the_same() {
    let (dir, server) = (one_talk(), MockServer::start());
    let mock = server.mock(|when, then| {
        when.header("authorization", "Bearer from-my-variable")
            .header("x-gateway", "gate-secret")
            .body_includes(r#""model":"small""#);
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    let url = server.base_url();
    let policy = format!(
        "[summarizer]\nkind = \"http\"\nmodel = \"small\"\nbase_url = \"{url}\"\napi_key_env = \"MINE\"\ncache = \"\"\nprice = \"1,2\"\n[summarizer.headers]\nX-Gateway = \"$GATE\"\n"
    );
    dir.write("policy.toml", policy);
    let run = |words: &str| {
        dir.epitome(words)
            .env("MINE", "from-my-variable")
            .env("GATE", "gate-secret")
    };
    run(&format!(
        "compact in.jsonl -o out {CUT} --config policy.toml"
    ))
    .ok();
    mock.assert();
    let printed = run("compact --config policy.toml --print-config").ok();
    assert!(
        !printed.stdout().contains("gate-secret")
            && printed.stdout().contains("X-Gateway = \"$GATE\""),
        "{}",
        printed.stdout()
    );
    dir.write("printed.toml", printed.stdout());
    assert_eq!(
        run("compact --config printed.toml --print-config")
            .ok()
            .stdout(),
        printed.stdout()
    );
}

#[test]
fn plan_says_what_it_will_cost_and_asks_nobody() {
    let (dir, server) = (Dir::new(), MockServer::start());
    dir.write(
        "in.jsonl",
        ["a", "b", "a", "short"]
            .map(|name| talk(name, if name == "short" { 2 } else { 40 }))
            .concat(),
    );
    let mock = server.mock(|_, then| {
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    let plan = |options: &str| {
        let url = server.base_url();
        dir.epitome(&format!("plan in.jsonl {CUT} --summarizer http --summary-model small --base-url {url} --cache cache {options}"))
    };
    let told = plan("--price 1000,0 --max-calls 1").ok();
    let last = told.stdout().lines().last().unwrap();
    assert!(
        last.starts_with(
            "3 summaries by small, 1 of them answered before or asked twice: 2 calls, about "
        ),
        "{last}"
    );
    assert!(
        last.contains("$") && last.ends_with("more than --max-calls 1 allows"),
        "{last}"
    );
    assert!(!dir.exists("cache"), "a dry run writes nothing");
    mock.assert_calls(0);
    compact(&dir, &server, "").ok();
    let told = plan("").ok();
    assert!(
        told.stdout().contains(": 0 calls, about 0 tokens in")
            && told.stdout().contains("price not known"),
        "{}",
        told.stdout()
    );
    let told = plan("--json --price 1,1")
        .ok()
        .says(["3 summaries by small", "0 calls"]);
    let lines: Vec<Value> = told
        .stdout()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (lines.len(), &lines[0]["asks"]["cache_hit"]),
        (4, &true.into())
    );
    assert_eq!(lines[0]["asks"]["id"], dir.entries()[0]["asked"]["id"]);
    assert_eq!(lines[3].get("asks"), None);
    // What was expected is what the server then counted, about.
    let known = dir
        .epitome(&format!(
            "plan in.jsonl {CUT} --summarizer http --summary-model openai:gpt-5.2 --no-cache"
        ))
        .ok();
    assert!(
        known.stdout().contains("3 summaries by gpt-5.2")
            && known.stdout().contains("at most about $0."),
        "{}",
        known.stdout()
    );
}

#[test]
fn secrets_are_masked_where_they_would_leave_and_counted() {
    let (dir, server) = (Dir::new(), MockServer::start());
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    dir.write(
        "in.jsonl",
        talk("t", 8).replace("Step 1 of", &format!("Use {secret} for step 1 of")),
    );
    let leaky = format!("{SUMMARY} {secret}");
    let mock = server.mock(|when, then| {
        when.body_includes("[REDACTED github_token]")
            .body_excludes(&secret);
        then.status(200).json_body(chat(&leaky, "stop"));
    });
    compact(&dir, &server, "--redact")
        .ok()
        .says(["secrets masked: 1 in requests, 1 in summaries, 1 in archives"]);
    mock.assert();
    assert_eq!(
        dir.entries()[0]["redacted"],
        json!({"request": 1, "summary": 1, "archive": 1})
    );
    assert!(
        dir.read("out/in.jsonl").contains("[REDACTED github_token]")
            && !dir.read("out/in.jsonl").contains(&secret)
    );
    assert!(
        dir.read("out/conversation_history/t.md")
            .contains("Use [REDACTED github_token] for step 1")
    );
    assert!(!dir.read("out/conversation_history/t.md").contains(&secret));
    // The embedded summarizer reads masked text, too; without the option nothing is touched.
    dir.epitome(&format!("compact in.jsonl -o masked {CUT} --redact"))
        .ok();
    assert!(!dir.read("masked/in.jsonl").contains(&secret));
    dir.epitome(&format!("compact in.jsonl -o plain {CUT}"))
        .ok();
    assert!(
        dir.read("plain/conversation_history/t.md")
            .contains(&secret)
    );
    assert!(!dir.read("plain/report.json").contains("redacted"));
}

#[test]
fn replay_asks_the_model_and_hides_secrets_from_it() {
    let dir = Dir::new();
    // Put together here, so that no scanner takes this file for a leak.
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    dir.write(
        "in.jsonl",
        talk("t", 10).replacen("Step 0", &format!("Step 0 with {secret}"), 1),
    );
    let server = crate::server::Server::start(&[&good()]);
    let command = format!(
        "replay in.jsonl -o out {CUT} --summarizer http --summary-model small --base-url {} --no-cache --redact",
        server.url()
    );
    let ran = dir.epitome(&command).env("OPENAI_API_KEY", KEY).ok();
    keeps_the_key(&dir, &[&ran.stderr]);
    assert!(server.calls() > 0);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| !request.contains(&secret)),
        "a secret was sent"
    );
    assert!(server.requests()[0].contains("[REDACTED github_token]"));
    let archive = dir.read("out/conversation_history/t.md");
    assert!(
        !archive.contains(&secret) && archive.contains("[REDACTED github_token]"),
        "{archive}"
    );
}

#[test]
fn replay_goes_on_where_the_model_fails_and_evaluate_tells_it() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 12));
    let server = crate::server::Server::start(&[&error("400 Bad Request", "", "odd")]);
    let options = format!(
        "--summarizer http --summary-model small --base-url {} --no-cache",
        server.url()
    );
    let ran = dir
        .epitome(&format!("replay in.jsonl -o out {CUT} {options}"))
        .env("OPENAI_API_KEY", KEY)
        .fails(3)
        .says(["odd"]);
    keeps_the_key(&dir, &[&ran.stderr]);
    let calls = dir.read("out/replay.jsonl");
    assert!(
        calls.lines().count() >= 6,
        "every call is there, sent as it was: {calls}"
    );
    let ran = dir
        .epitome(&format!("evaluate in.jsonl {options}"))
        .env("OPENAI_API_KEY", KEY)
        .fails(3)
        .says(["odd"]);
    keeps_the_key(&dir, &[&ran.stderr, &String::from_utf8_lossy(&ran.stdout)]);

    let server = crate::server::Server::start(&[&good()]);
    let ran = dir.epitome(&format!(
        "evaluate in.jsonl --summarizer http --summary-model small --base-url {} --no-cache --json",
        server.url()
    ));
    let ran = ran.env("OPENAI_API_KEY", KEY).ok();
    assert!(server.calls() > 0 && ran.stdout().contains("recall"));
}

/// OpenCode's prompt demands five headings of its own: each of them must be there.
#[test]
fn a_summary_of_opencodes_has_its_headings() {
    let headings = [
        "Objective",
        "Important Details",
        "Work State",
        "Next Move",
        "Relevant Files",
    ];
    let whole = |left_out: Option<&str>| {
        let headings = headings
            .iter()
            .filter(|heading| Some(**heading) != left_out);
        headings
            .map(|heading| format!("## {heading}\nnone\n"))
            .collect::<String>()
    };
    for left_out in headings.map(Some).into_iter().chain([None]) {
        let (dir, server) = (Dir::new(), MockServer::start());
        dir.write("in.jsonl", talk("t", 14));
        server.mock(|_, then| {
            then.status(200).json_body(chat(&whole(left_out), "stop"));
        });
        let ran = compact(&dir, &server, "--preset opencode");
        match left_out {
            None => drop(ran.ok()),
            Some(heading) => drop(ran.fails(3).says(["lacks the heading", heading])),
        }
    }
}

/// Where a prompt has a place of its own for the earlier summary, secrets in that are masked as
/// well.
#[test]
fn a_secret_in_an_earlier_summary_is_masked() {
    let (dir, server) = (Dir::new(), MockServer::start());
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    dir.write(
        "first.jsonl",
        talk("t", 8).replace("Step 0 of", &format!("Use {secret} for step 0 of")),
    );
    dir.epitome(&format!("compact first.jsonl -o first {CUT}"))
        .ok();
    let first = dir.read("first/first.jsonl");
    assert!(
        first.contains(&secret),
        "the embedded summarizer quotes the goal: {first}"
    );
    let more: Vec<String> = (8..16)
        .map(|number| crate::talk::message("t", number))
        .collect();
    dir.write(
        "in.jsonl",
        format!(
            "{}, {}]}}\n",
            first.trim_end().strip_suffix("]}").unwrap(),
            more.join(", ")
        ),
    );
    dir.write("policy.toml", "[summarizer]\nheadings = []\nprompt = \"Sum up: {messages}\"\nmerge_prompt = \"Before: {prior_summary} Since: {messages}\"\n");
    let mock = server.mock(|when, then| {
        when.body_includes("Before: ")
            .body_includes("[REDACTED github_token]")
            .body_excludes(&secret);
        then.status(200).json_body(chat("All went on.", "stop"));
    });
    compact(&dir, &server, "--redact --config policy.toml").ok();
    mock.assert();
    assert!(!dir.read("out/in.jsonl").contains(&secret));
}

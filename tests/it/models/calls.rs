//! Requests and answers of both interfaces, and calls that are made side by side.

use super::support::{KEY, SUMMARY, chat, compact, keeps_the_key, one_talk};
use crate::harness::Dir;
use crate::talk::{CUT, talk};
use httpmock::prelude::*;
use serde_json::json;

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
        then.status(200).json_body(chat(&format!("\n{SUMMARY}\n"), "stop"));
    });
    let ran = compact(
        &dir,
        &server,
        "--set summarizer.temperature=0.2 --set summarizer.max_output_tokens=700 --set summarizer.price=2,10",
    )
    .arg("--set")
    .arg("summarizer.headers={X-Team = \"blue\"}")
    .ok();
    mock.assert();
    assert!(
        dir.read("out/in.jsonl").contains("<summary>\\n## SESSION INTENT\\nBook.\\n\\n## SUMMARY")
    );
    let asked = &dir.entries()[0]["asked"];
    assert_eq!(
        (&asked["calls"], &asked["retries"], &asked["cache_hit"]),
        (&1.into(), &0.into(), &false.into())
    );
    assert_eq!(
        (&asked["input_tokens"], &asked["output_tokens"], &asked["model"]),
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
        "compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=anthropic:claude-small --set summarizer.base_url={url} --set summarizer.cache="
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
    compact(&dir, &server, "--set summarizer.api_key_file=key.txt").ok();
    mock.assert();
    let url = server.base_url();
    let open = server.mock(|when, then| {
        when.header_missing("authorization");
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    dir.epitome(&format!("compact in.jsonl -o open {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={url} --set summarizer.cache=")).ok();
    open.assert();
}

#[test]
fn what_is_missing_is_told_before_anything_is_written() {
    let dir = one_talk();
    let base = format!("compact in.jsonl -o out {CUT} --summarizer http");
    dir.epitome(&base).fails(2).says(["summarizer.model"]);
    dir.epitome(&format!("{base} --set summarizer.model=openai:gpt-5.2 --set summarizer.cache="))
        .fails(2)
        .says(["OPENAI_API_KEY", "summarizer.api_key_file"]);
    dir.epitome(&format!(
        "{base} --set summarizer.model=openai:gpt-5.2 --set summarizer.api_key_env=MY_KEY --set summarizer.cache="
    ))
    .fails(2)
    .says(["MY_KEY"]);
    dir.epitome(&format!(
        "{base} --set summarizer.model=m --set summarizer.base_url=localhost:80 --set summarizer.cache="
    ))
    .fails(2)
    .says(["summarizer.base_url", "http://HOST"]);
    dir.epitome(&format!(
        "{base} --set summarizer.model=m --set summarizer.base_url=http://me:pass1234@h --set summarizer.cache="
    ))
    .fails(2)
    .says(["summarizer.base_url", "***@h"]);
    dir.epitome(&format!("{base} --set summarizer.model=m --set summarizer.base_url=http://h"))
        .fails(2)
        .says(["summarizer.cache", "an empty one"]);
    dir.epitome(&format!(
        "{base} --set summarizer.model=m --set summarizer.base_url=http://h --set summarizer.cache= --set summarizer.max_cost=1"
    ))
    .fails(2)
    .says(["summarizer.price"]);
    dir.epitome(&format!("{base} --set summarizer.model=m --set summarizer.dialect=opanai"))
        .fails(2)
        .says(["[summarizer] dialect", "did you mean \"openai\""]);
    dir.epitome(&format!("{base} --set summarizer.model=m --set summarizer.on_failure=stop"))
        .fails(2)
        .says(["on_failure", "keep, extract, fail"]);
    dir.write("prompt.txt", "no place")
        .epitome(&format!("{base} --set summarizer.prompt=@prompt.txt"))
        .fails(2)
        .says(["{messages}"]);
    assert!(!dir.exists("out"));
}

#[test]
fn no_key_goes_over_plain_http_to_another_machine() {
    let dir = one_talk();
    dir.write("key", KEY);
    let base = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=m --set summarizer.cache= --set summarizer.retries=0 --set summarizer.timeout=1"
    );
    let url = "--set summarizer.base_url=http://model.invalid:8000/v1";
    for key in ["--set summarizer.api_key_file=key", "--set summarizer.headers.X-Api-Key=abc"] {
        let ran = dir.epitome(&format!("{base} {url} {key}")).fails(2);
        ran.says(["http://model.invalid:8000/v1", "summarizer.allow_plain_http"]);
        assert!(!dir.exists("out"));
    }
    dir.epitome(&format!(
        "{base} {url} --set summarizer.api_key_file=key --set summarizer.allow_plain_http=true"
    ))
    .fails(2)
    .says(["can't connect"]);
    dir.epitome(&format!("{base} {url} --force")).fails(2).says(["can't connect"]);
    dir.write("p.toml", "[summarizer]\nallow_plain_http = true\n");
    dir.epitome(&format!("{base} {url} --set summarizer.api_key_file=key --config p.toml --force"))
        .fails(2)
        .says(["can't connect"]);
}

#[test]
fn waiting_for_a_model_takes_no_job() {
    let (dir, server) = (Dir::new(), MockServer::start());
    dir.write("in.jsonl", (0..8).map(|number| talk(&format!("t{number}"), 8)).collect::<String>());
    let mock = server.mock(|_, then| {
        then.status(200)
            .json_body(chat(SUMMARY, "stop"))
            .delay(std::time::Duration::from_millis(500));
    });
    let start = std::time::Instant::now();
    compact(&dir, &server, "-j1 --set summarizer.concurrency=8").ok();
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
    compact(&dir, &server, "--set summarizer.concurrency=8").ok();
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
    compact(&dir, &server, "--set summarizer.prompt=@prompt.txt").ok();
    mock.assert();
    dir.write(
        "policy.toml",
        "[summarizer]\nprompt = \"In one line:\\n{messages}\"\nheadings = [\"Facts\"]\n",
    );
    compact(&dir, &server, "--force --config policy.toml").fails(3).says(["\"Facts\""]);
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
    let run =
        |words: &str| dir.epitome(words).env("MINE", "from-my-variable").env("GATE", "gate-secret");
    run(&format!("compact in.jsonl -o out {CUT} --config policy.toml")).ok();
    mock.assert();
    let printed = run("compact --config policy.toml --print-config").ok();
    assert!(
        !printed.stdout().contains("gate-secret")
            && printed.stdout().contains("X-Gateway = \"$GATE\""),
        "{}",
        printed.stdout()
    );
    dir.write("printed.toml", printed.stdout());
    assert_eq!(run("compact --config printed.toml --print-config").ok().stdout(), printed.stdout());
}

/// OpenCode's prompt demands five headings of its own: each of them must be there.
#[test]
fn a_summary_of_opencodes_has_its_headings() {
    let headings = ["Objective", "Important Details", "Work State", "Next Move", "Relevant Files"];
    let whole = |left_out: Option<&str>| {
        let headings = headings.iter().filter(|heading| Some(**heading) != left_out);
        headings.map(|heading| format!("## {heading}\nnone\n")).collect::<String>()
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

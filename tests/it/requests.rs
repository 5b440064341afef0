//! Summaries through batch files: what is exported, and what becomes of results in any order and
//! state.

use crate::harness::Dir;
use crate::models::SUMMARY;
use crate::server::{Server, answer};
use crate::talk::{CUT, talk};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) const KEY: &str = "sk-batch-0f1e2d3c4b5a69788796a5b4";

/// Ten conversations, two of them the same, and one that needs no summary.
pub(crate) fn talks() -> Dir {
    let dir = Dir::new();
    let names = ["a", "b", "c", "d", "e", "a", "f", "g", "h"];
    dir.write(
        "logs/in.jsonl",
        names.map(|name| talk(name, 40)).concat() + &talk("short", 2),
    );
    dir
}

pub(crate) fn export(dir: &Dir, options: &str) {
    dir.epitome(&format!(
        "requests export logs -o requests {CUT} --summary-model openai:gpt-5.2 --no-cache {options}"
    ))
    .ok();
}

/// All requests, in order.
pub(crate) fn requests(dir: &Dir) -> Vec<Value> {
    let files = dir
        .tree("requests")
        .into_iter()
        .filter(|(name, _)| name.starts_with("requests-") && name.ends_with(".jsonl"));
    files
        .flat_map(|(_, bytes)| {
            String::from_utf8(bytes)
                .unwrap()
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// A good result line, in OpenAI's form.
pub(crate) fn result(request: &Value, text: &str) -> String {
    let choice =
        json!({"message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    let body =
        json!({"choices": [choice], "usage": {"prompt_tokens": 900, "completion_tokens": 50}});
    json!({"id": "r", "custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}, "error": null}).to_string() + "\n"
}

#[test]
fn requests_lie_in_files_that_the_provider_takes() {
    let dir = talks();
    export(
        &dir,
        "--max-requests 3 --temperature 0.1 --max-output-tokens 600",
    );
    let all = requests(&dir);
    assert_eq!(all.len(), 8, "the same question is asked once");
    let ids: BTreeSet<&str> = all
        .iter()
        .map(|request| request["custom_id"].as_str().unwrap())
        .collect();
    assert!(
        ids.len() == 8
            && ids
                .iter()
                .all(|id| id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    );
    assert_eq!(
        (&all[0]["method"], &all[0]["url"]),
        (&"POST".into(), &"/v1/chat/completions".into())
    );
    let body = &all[0]["body"];
    assert_eq!(
        (
            &body["model"],
            &body["temperature"],
            &body["max_completion_tokens"]
        ),
        (&"gpt-5.2".into(), &0.1.into(), &600.into())
    );
    assert!(
        body["messages"][1]["content"]
            .as_str()
            .unwrap()
            .contains("Step 0 of a")
    );
    let manifest: Value = serde_json::from_slice(&dir.bytes("requests/manifest.json")).unwrap();
    let counts: Vec<u64> = manifest["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["requests"].as_u64().unwrap())
        .collect();
    assert_eq!(counts, [3, 3, 2]);
    assert_eq!(
        manifest["files"][0]["bytes"],
        dir.bytes("requests/requests-0001.jsonl").len()
    );
    assert_eq!(dir.read("requests/index.jsonl").lines().count(), 8);
    dir.epitome(&format!(
        "requests export logs -o requests {CUT} --summary-model m"
    ))
    .fails(2)
    .says(["not empty"]);
    dir.epitome(&format!(
        "requests export - -o other {CUT} --summary-model m"
    ))
    .fails(2)
    .says(["stdin"]);
}

#[test]
fn files_stay_below_the_limit_of_bytes() {
    let dir = talks();
    let most = 30_000;
    export(&dir, &format!("--max-bytes {most}"));
    let files: Vec<Vec<u8>> = dir
        .tree("requests")
        .into_iter()
        .filter(|(name, _)| name.starts_with("requests-"))
        .map(|(_, bytes)| bytes)
        .collect();
    assert!(files.len() > 2 && files.iter().all(|bytes| bytes.len() <= most));
    assert_eq!(requests(&dir).len(), 8);
    dir.epitome(&format!(
        "requests export logs -o tight {CUT} --summary-model m --max-bytes 100"
    ))
    .fails(3)
    .says(["logs/in.jsonl:1", "--max-bytes 100"]);
}

#[test]
fn anthropics_form() {
    let dir = talks();
    dir.epitome(&format!("requests export logs -o requests {CUT} --summary-model anthropic:claude-sonnet-4-5 --no-cache")).ok().says(["at most about $"]);
    let body: Value = serde_json::from_slice(&dir.bytes("requests/requests-0001.json")).unwrap();
    let all = body["requests"].as_array().unwrap();
    assert_eq!(all.len(), 8);
    assert_eq!(
        (&all[0]["params"]["model"], &all[0]["params"]["max_tokens"]),
        (&"claude-sonnet-4-5".into(), &4096.into())
    );
    assert!(
        all[0]["params"]["system"].is_string() && all[0]["params"]["messages"][0]["role"] == "user"
    );
    let message = json!({"type": "message", "content": [{"type": "text", "text": SUMMARY}], "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 3}});
    let line = |request: &Value| {
        json!({"custom_id": request["custom_id"], "result": {"type": "succeeded", "message": message}}).to_string() + "\n"
    };
    dir.write(
        "requests/results-0001.jsonl",
        all.iter().map(line).collect::<String>(),
    );
    dir.epitome("requests apply requests -o out").ok();
    assert_eq!(dir.report()["totals"]["asked"]["input_tokens"], 9 * 9);
    assert_eq!(dir.report()["totals"]["compacted"], 9);
}

#[test]
fn results_in_any_order_give_what_live_calls_give() {
    let dir = talks();
    export(&dir, "--max-requests 3");
    let all = requests(&dir);
    let lines: Vec<String> = all.iter().map(|request| result(request, SUMMARY)).collect();
    dir.write(
        "one.jsonl",
        lines[3..].iter().rev().cloned().collect::<String>(),
    )
    .write("two.jsonl", lines[..3].concat());
    dir.epitome("requests apply one.jsonl two.jsonl --requests requests -o out")
        .ok()
        .says(["9 summaries written, 0 failed, 0 missing"]);
    let server = Server::answering(|_, _| {
        answer(
            "200 OK",
            "",
            &json!({"choices": [{"message": {"content": SUMMARY}, "finish_reason": "stop"}]})
                .to_string(),
        )
    });
    let url = server.url();
    let live = format!(
        "compact logs -o live {CUT} --summarizer http --summary-model openai:gpt-5.2 --base-url {url} --no-cache"
    );
    dir.epitome(&live).env("OPENAI_API_KEY", KEY).ok();
    assert_eq!(dir.read("out/in.jsonl"), dir.read("live/in.jsonl"));
    assert_eq!(
        dir.tree("out/conversation_history"),
        dir.tree("live/conversation_history")
    );
    // Again, with the files the other way round.
    dir.epitome("requests apply two.jsonl one.jsonl --requests requests -o again -j1")
        .ok();
    assert_eq!(dir.read("out/in.jsonl"), dir.read("again/in.jsonl"));
}

#[test]
fn partial_failed_duplicate_and_foreign_results_are_each_told() {
    let dir = talks();
    export(&dir, "");
    let all = requests(&dir);
    let error = json!({"custom_id": all[1]["custom_id"], "response": {"status_code": 400, "body": {"error": {"message": "too long"}}}, "error": null});
    let foreign = json!({"custom_id": "somebody-elses", "response": {"status_code": 200, "body": {}}, "error": null});
    let results = [
        result(&all[0], SUMMARY),
        // A failure and a success for the same request: the success counts.
        error.to_string().replace(
            all[1]["custom_id"].as_str().unwrap(),
            all[0]["custom_id"].as_str().unwrap(),
        ) + "\n",
        error.to_string() + "\n",
        result(&all[2], "no headings"),
        result(&all[3], SUMMARY),
        result(&all[3], &format!("{SUMMARY} once more")),
        foreign.to_string() + "\n",
        "{\"custom_id\": \"cut of".to_owned(),
    ];
    dir.write("results.jsonl", results.concat());
    let ran = dir
        .epitome("requests apply results.jsonl --requests requests -o out")
        .fails(3);
    let ran = ran.says([
        "too long",
        "lacks the heading",
        "no result for its request",
        "results.jsonl:8: no result line",
    ]);
    ran.says(["3 summaries written, 2 failed, 4 missing; 2 duplicates, 0 of requests that no longer occur, 1 foreign, 1 malformed"]);
    let statuses: Vec<String> = dir
        .entries()
        .iter()
        .map(|entry| entry["status"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        statuses,
        [
            "compacted",
            "failed",
            "failed",
            "compacted",
            "failed",
            "compacted",
            "failed",
            "failed",
            "failed",
            "unchanged"
        ]
    );
    let (out, input) = (dir.read("out/in.jsonl"), dir.read("logs/in.jsonl"));
    for ((out, input), status) in out.lines().zip(input.lines()).zip(&statuses) {
        assert_eq!(out == input, status != "compacted");
    }
    // Which of two good answers counts does not hang on their order.
    let reversed: Vec<String> = results[..7].iter().rev().cloned().collect();
    dir.write("reversed.jsonl", reversed.concat());
    dir.epitome("requests apply reversed.jsonl --requests requests -o out2")
        .fails(3);
    assert_eq!(dir.read("out/in.jsonl"), dir.read("out2/in.jsonl"));
    dir.epitome("requests apply results.jsonl --requests requests -o filled --on-missing extract")
        .ok();
    assert!(
        !dir.read("filled/report.json")
            .contains("\"status\":\"failed\"")
    );
}

#[test]
fn a_result_whose_question_has_changed_is_not_used() {
    let dir = talks();
    export(&dir, "");
    dir.write(
        "results.jsonl",
        requests(&dir)
            .iter()
            .map(|request| result(request, SUMMARY))
            .collect::<String>(),
    );
    dir.write(
        "logs/in.jsonl",
        dir.read("logs/in.jsonl")
            .replace("Step 3 of b", "Step three of b"),
    );
    let ran = dir
        .epitome("requests apply results.jsonl --requests requests -o out")
        .fails(3);
    ran.says([
        "1 missing",
        "1 of requests that no longer occur",
        "the input has changed since the export",
    ]);
    assert_eq!(dir.entries()[1]["status"], "failed");
}

#[test]
fn wrong_places_are_named() {
    let dir = talks();
    dir.write("results.jsonl", "");
    dir.epitome("requests apply results.jsonl -o out")
        .fails(2)
        .says(["--requests"]);
    dir.epitome("requests submit logs")
        .fails(2)
        .says(["manifest.json", "requests export"]);
    export(&dir, "");
    dir.epitome("requests apply requests -o out")
        .fails(2)
        .says(["no results", "requests fetch"]);
    dir.epitome("requests apply nowhere.jsonl --requests requests -o out")
        .fails(2)
        .says(["nowhere.jsonl"]);
    dir.epitome("requests submit requests")
        .fails(2)
        .says(["OPENAI_API_KEY"]);
    assert!(!dir.exists("out"));
}

/// The batch interface of OpenAI, as far as it is used.
fn openai(lines: String) -> Server {
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
    let server = openai(
        requests(&dir)
            .iter()
            .map(|request| result(request, SUMMARY))
            .collect(),
    );
    let url = server.url();
    let run = |words: &str| {
        dir.epitome(&format!("requests {words} requests --base-url {url}"))
            .env("OPENAI_API_KEY", KEY)
    };
    run("status")
        .ok()
        .stdout()
        .contains("not submitted")
        .then_some(())
        .unwrap();
    run("fetch").ok().says(["nothing was submitted"]);
    assert!(
        run("submit")
            .ok()
            .stdout()
            .contains("8 requests submitted as batch_1")
    );
    let calls = server.calls();
    run("submit").ok().says(["was submitted before"]);
    assert_eq!(server.calls(), calls, "nothing is submitted twice");
    assert!(
        server.requests()[0].contains(&dir.read("requests/requests-0001.jsonl")),
        "the whole file is sent"
    );
    assert!(
        run("status")
            .ok()
            .stdout()
            .contains("batch_1 is completed, 8 of 8 answered, 0 failed")
    );
    let line: Value = serde_json::from_str(run("status --json").ok().stdout()).unwrap();
    assert_eq!(
        (&line["ended"], &line["succeeded"]),
        (&true.into(), &8.into())
    );
    run("fetch").ok().says(["all results are there"]);
    dir.epitome("requests apply requests -o out").ok();
    assert_eq!(dir.report()["totals"]["compacted"], 9);
    for (name, bytes) in dir.tree("") {
        assert!(
            !String::from_utf8_lossy(&bytes).contains(KEY),
            "{name} holds the key"
        );
    }
}

#[test]
fn anthropics_batches_are_submitted_and_fetched() {
    let dir = talks();
    dir.epitome(&format!("requests export logs -o requests {CUT} --summary-model anthropic:claude-sonnet-4-5 --no-cache")).ok();
    let body: Value = serde_json::from_slice(&dir.bytes("requests/requests-0001.json")).unwrap();
    let message = json!({"type": "message", "content": [{"type": "text", "text": SUMMARY}], "stop_reason": "end_turn"});
    let line = |request: &Value| {
        json!({"custom_id": request["custom_id"], "result": {"type": "succeeded", "message": message}}).to_string() + "\n"
    };
    let lines: String = body["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect();
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
        dir.epitome(&format!("requests {words} requests --base-url {url}"))
            .env("ANTHROPIC_API_KEY", KEY)
    };
    run("submit").ok();
    run("fetch").ok().says(["all results are there"]);
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
        .epitome(&format!(
            "requests submit requests --base-url {}",
            server.url()
        ))
        .env("OPENAI_API_KEY", KEY)
        .fails(2);
    assert!(
        ran.stderr.contains("bad key ***") && !ran.stderr.contains(KEY),
        "{}",
        ran.stderr
    );
    assert!(!dir.exists("requests/batches.json"));
    assert_eq!(server.calls(), 1);
}

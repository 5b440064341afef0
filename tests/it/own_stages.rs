//! The stages dedup and cut, and pins, beside the other stages and in formats that can't take them.

use crate::harness::Dir;
use serde_json::{Value, json};
use std::path::Path;

fn called(id: &str, path: &str) -> Value {
    let arguments = json!({ "path": path }).to_string();
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": "read_file", "arguments": arguments}}
    ]})
}

/// A file that is read three times, twice before the cutoff, and a log of 700 lines.
fn session() -> Value {
    let file: String = (0..600).map(|n| format!("line {n} of the file\n")).collect();
    let log: String = (0..700).map(|n| format!("step {n} went well\n")).collect();
    json!({"thread_id": "t", "messages": [
        {"role": "user", "content": "read all of it"},
        called("c1", "a.txt"),
        {"role": "tool", "tool_call_id": "c1", "content": file},
        called("c2", "log.txt"),
        {"role": "tool", "tool_call_id": "c2", "content": log},
        called("c3", "./a.txt"),
        {"role": "tool", "tool_call_id": "c3", "content": file.replace("line 7 ", "line seven ")},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "again"},
        called("c4", "a.txt"),
        {"role": "tool", "tool_call_id": "c4", "content": file},
        {"role": "assistant", "content": "read"},
    ]})
}

fn planned(dir: &Dir, options: &str) -> Value {
    let run = dir.epitome(&format!("plan in.jsonl --no-config --json {options}")).ok();
    serde_json::from_str(run.stdout().lines().next().unwrap()).unwrap()
}

fn summary_of(line: &Value) -> &Value {
    let edits = line["edits"].as_array().unwrap();
    edits.iter().find(|edit| edit["edit"] == "summarize").unwrap()
}

#[test]
fn a_summary_has_the_budget_of_what_its_writer_reads() {
    let dir = Dir::new();
    dir.write("in.jsonl", session().to_string() + "\n");
    let trigger = "--trigger messages=4 --keep messages=2";
    let plain = planned(&dir, trigger);
    let own = planned(&dir, &format!("{trigger} --set dedup.enabled=true --set cut.tokens=500"));
    let budget = |line: &Value| summary_of(line)["hole"]["budget"].as_u64().unwrap();
    assert!(budget(&plain) > 256);
    // A message and its text differ by a few tokens.
    assert!(budget(&plain).abs_diff(budget(&own)) < 3, "{own}");
    let call = |line: &Value| line["total_tokens"].as_u64().unwrap();
    assert!(call(&own) + 5000 < call(&plain));
}

#[test]
fn results_that_were_replaced_come_back() {
    let dir = Dir::new();
    dir.write("in.jsonl", session().to_string() + "\n");
    dir.epitome(
        "compact in.jsonl -o out --no-config --set dedup.enabled=true --set cut.tokens=500",
    )
    .ok();
    let entry = &dir.entries()[0];
    assert_eq!(entry["deduplicated"], 2);
    let history = dir.read("out/conversation_history/t.md");
    assert!(history.contains("line seven of the file"), "{history}");
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
}

#[test]
fn a_replay_sends_references_from_the_call_that_repeats_a_result() {
    let dir = Dir::new();
    dir.write("in.jsonl", session().to_string() + "\n");
    dir.epitome("replay in.jsonl -o out --no-config --set dedup.enabled=true").ok();
    let calls = dir.read("out/replay.jsonl");
    let replaced: Vec<Value> = calls
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["deduplicated"].clone())
        .collect();
    assert_eq!(replaced, [Value::Null, Value::Null, Value::Null, json!(1), json!(1), json!(2)]);
}

#[test]
fn a_journal_that_is_only_appended_to_says_so() {
    let dir = Dir::new();
    let log = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/claude-code/boundary-and-summary-are-appended/input.jsonl");
    dir.write("in.jsonl", std::fs::read(log).unwrap());
    let line = planned(&dir, "--set dedup.enabled=true --set cut.tokens=1");
    let reasons = line["reasons"].as_array().unwrap();
    for stage in ["dedup", "cut"] {
        let reason = reasons.iter().find(|reason| reason["stage"] == stage);
        let why = reason.unwrap()["why"].as_str().unwrap();
        assert!(why.starts_with("not done: this journal"), "{why}");
    }
    let line = planned(&dir, "--trigger messages=2 --keep messages=1 --set pin.roles=['user']");
    let reasons = line["reasons"].as_array().unwrap();
    let summarize = reasons.iter().find(|reason| reason["stage"] == "summarize");
    let why = summarize.unwrap()["why"].as_str().unwrap();
    assert!(why.contains("is pinned, and this format"), "{why}");
}

#[test]
fn labels_pin_where_they_label_a_message() {
    let dir = Dir::new();
    let message = |content: &str, more: Value| {
        let mut message = json!({"role": "user", "content": content});
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message
    };
    let messages = [
        message("one", json!({"labels": ["a", "keep"]})),
        message("two", json!({"metadata": {"tag": "keep"}})),
        message("a text with \"labels\": [\"keep\"] in it", json!({})),
        message("four", json!({"label": "keeper"})),
        message("five", json!({})),
        message("six", json!({})),
    ];
    dir.write("in.jsonl", json!({"messages": messages}).to_string() + "\n");
    let options =
        "--trigger messages=2 --keep messages=1 --set pin.labels=['keep'] --config allow.toml";
    dir.write("allow.toml", "[summarize]\non_growth = \"allow\"\n");
    let run = dir.epitome(&format!("plan in.jsonl --json {options}")).ok();
    let line: Value = serde_json::from_str(run.stdout()).unwrap();
    let summary = summary_of(&line);
    assert_eq!(summary["kept_system"], json!([0, 1]));
    assert_eq!(summary["messages"], json!([2, 3, 4]));
}

#[test]
fn wrong_pins_are_refused_by_name() {
    let dir = Dir::new();
    dir.write("in.jsonl", session().to_string() + "\n");
    for (pin, says) in [
        ("pin.roles=['human']", "no such name"),
        ("pin.calls=['x']", "known here: roles, tools, patterns, labels"),
        ("pin.roles=user", "expected a list"),
        ("pin.patterns=['(']", "not a regular expression"),
    ] {
        dir.epitome("plan in.jsonl --no-config --set").arg(pin).fails(2).says([says]);
    }
    dir.write("p.toml", "[pin]\npatterns = [\"(\"]\n");
    dir.epitome("plan in.jsonl --config p.toml")
        .fails(2)
        .says(["p.toml", "not a regular expression"]);
}

#[test]
fn a_pin_of_users_keeps_no_earlier_summary() {
    let dir = Dir::new();
    let messages: Vec<Value> = (0..14)
        .map(|n| {
            let role = if n % 2 == 0 { "user" } else { "assistant" };
            json!({"role": role, "content": format!("word {n} {}", "long text of it ".repeat(20))})
        })
        .collect();
    let record = json!({"thread_id": "t", "messages": messages});
    dir.write("in.jsonl", record.to_string() + "\n");
    let options =
        "--trigger messages=4 --keep messages=2 --set pin.roles=['user'] --config allow.toml";
    dir.write("allow.toml", "[summarize]\non_growth = \"allow\"\n");
    dir.epitome(&format!("replay in.jsonl -o out --per-call {options}")).ok();
    let samples = dir.read("out/segments.jsonl");
    let mut summarized = 0;
    for sample in samples.lines() {
        let sample: Value = serde_json::from_str(sample).unwrap();
        let messages = sample["messages"].as_array().unwrap();
        assert!(messages.iter().all(Value::is_object), "{sample}");
        let summaries = messages
            .iter()
            .filter(|message| message.to_string().contains("You are in the middle of"))
            .count();
        assert!(summaries <= 1, "{sample}");
        summarized += summaries;
    }
    assert!(summarized > 2, "{samples}");
}

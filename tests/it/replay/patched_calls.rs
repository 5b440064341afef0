//! `[patch]`: calls without an answer get the one that the live agent adds.

use super::support::{calls, column, lines};
use crate::harness::Dir;
use serde_json::{Value, json};

fn answer(calls: &[(&str, &str, &str)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| {
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    json!({"role": "assistant", "content": "", "tool_calls": calls})
}

fn write_log(dir: &Dir) {
    let messages = [
        json!({"role": "user", "content": "go"}),
        answer(&[("c1", "read", "{}"), ("c2", "read", "{}"), ("c3", "read", "{broken")]),
        json!({"role": "tool", "tool_call_id": "c1", "content": "one"}),
        json!({"role": "user", "content": "and?"}),
        json!({"role": "assistant", "content": "done"}),
        json!({"role": "user", "content": "more"}),
        answer(&[("c4", "read", "{}")]),
    ];
    let record = json!({"thread_id": "t", "messages": messages});
    dir.write("in.jsonl", record.to_string() + "\n");
}

fn texts(sample: &Value) -> Vec<String> {
    let messages = sample["messages"].as_array().unwrap().iter();
    messages
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn answers_stand_behind_their_calls_and_are_counted() {
    let dir = Dir::new();
    write_log(&dir);
    let older = "Tool call read with id c2 was cancelled - another message came in before it could be completed.";
    let newer = "Tool call read with id c2 did not complete - no result was recorded. It may have been cancelled or interrupted.";
    let invalid =
        "Tool call read with id c3 could not be executed - arguments were malformed or truncated.";
    for (preset, added) in [
        ("deepagents", vec![older]),
        ("deepagents-0.7", vec![newer, invalid]),
        ("langchain", vec![]),
    ] {
        dir.epitome(&format!("replay in.jsonl -o out --preset {preset} --segments --force")).ok();
        // Positions are those of the log.
        assert_eq!(column(&calls(&dir), "at"), [1, 4, 6]);
        let sample = lines(&dir, "out/segments.jsonl").pop().unwrap();
        let mut wanted: Vec<String> = added.iter().map(|text| (*text).to_owned()).collect();
        wanted.push("one".to_owned());
        assert_eq!(texts(&sample), wanted, "{preset}");
        let warnings = dir.read("out/report.json");
        let says = format!("{} call", added.len());
        assert_eq!(
            warnings.contains("without an answer got the one that the live agent adds"),
            !added.is_empty()
        );
        assert!(added.is_empty() || warnings.contains(&says), "{warnings}");
        // What the log itself would have been sent has none of them.
        let logged = column(&calls(&dir), "tokens_logged");
        let sent = column(&calls(&dir), "tokens_sent");
        let extra: usize = added
            .iter()
            .map(|text| (text.len() + "tool".len() + "read".len() + "c2".len()).div_ceil(4) + 3)
            .sum();
        for call in 0..3 {
            let (logged, sent) = (logged[call].as_u64().unwrap(), sent[call].as_u64().unwrap());
            let added = if call == 0 { 0 } else { extra as u64 };
            assert_eq!(sent, logged + added, "{preset}, call {call}");
        }
    }
}

#[test]
fn a_call_that_nothing_follows_and_other_commands_get_none() {
    let dir = Dir::new();
    write_log(&dir);
    dir.epitome("compact in.jsonl -o out").ok();
    assert_eq!(dir.bytes("out/in.jsonl"), dir.bytes("in.jsonl"));
    dir.write("p.toml", "[patch]\ncalls = \"off\"\n");
    dir.epitome("replay in.jsonl -o replayed --config p.toml --segments").ok();
    let segments = dir.read("replayed/segments.jsonl");
    assert!(!segments.contains("was cancelled"), "{segments}");
}

#[test]
fn cutoffs_are_those_of_the_log() {
    let dir = Dir::new();
    write_log(&dir);
    for (calls_patched, name) in [("off", "a"), ("0.7", "b")] {
        dir.write(
            "p.toml",
            format!("[patch]\ncalls = \"{calls_patched}\"\n[summarize]\ntrigger = [{{ messages = 6 }}]\nkeep = {{ messages = 1 }}\non_growth = \"allow\"\n"),
        );
        dir.epitome(&format!("replay in.jsonl -o {name} --config p.toml")).ok();
    }
    let cutoffs = |name: &str| {
        let calls = lines(&dir, &format!("{name}/replay.jsonl"));
        column(&calls, "cutoff_index")
    };
    assert_eq!(cutoffs("a"), [Value::Null, Value::Null, json!(5)]);
    // The two answers make the second call long enough.
    assert_eq!(cutoffs("b"), [Value::Null, json!(3), Value::Null]);
}

/// Returns how the added answers of a replay read, shortened to the id and the kind.
fn added(dir: &Dir, calls: &str) -> Vec<String> {
    dir.write("p.toml", format!("[patch]\ncalls = \"{calls}\"\n"));
    dir.epitome("replay in.jsonl -o out --config p.toml --segments --force").ok();
    let sample = lines(dir, "out/segments.jsonl").pop().unwrap();
    let texts = texts(&sample).into_iter();
    texts
        .filter_map(|text| {
            let rest = text.strip_prefix("Tool call read with id ")?;
            Some(rest.split(' ').take(3).collect::<Vec<_>>().join(" "))
        })
        .collect()
}

fn write_messages(dir: &Dir, messages: &[Value]) {
    let record = json!({"thread_id": "t", "messages": messages});
    dir.write("in.jsonl", record.to_string() + "\n");
}

#[test]
fn the_newer_agent_answers_the_valid_calls_of_a_message_first() {
    let dir = Dir::new();
    let messages = [
        json!({"role": "user", "content": "go"}),
        answer(&[("bad", "read", "{broken"), ("good", "read", "{}")]),
        json!({"role": "user", "content": "and?"}),
        json!({"role": "assistant", "content": "done"}),
    ];
    write_messages(&dir, &messages);
    assert_eq!(added(&dir, "0.7"), ["good did not", "bad could not"]);
    assert_eq!(added(&dir, "0.4"), ["good was cancelled"]);
}

#[test]
fn an_id_that_is_used_again_is_judged_by_what_the_agent_had_seen() {
    let dir = Dir::new();
    let user = |text: &str| json!({"role": "user", "content": text});
    let messages = [
        user("go"),
        answer(&[("again", "read", "{}")]),
        user("stop"),
        answer(&[("again", "read", "{}")]),
        json!({"role": "tool", "tool_call_id": "again", "content": "one"}),
        answer(&[("again", "read", "{}")]),
        user("and?"),
        json!({"role": "assistant", "content": "done"}),
    ];
    write_messages(&dir, &messages);
    // The first and the last call have no result. The newer agent takes the id as answered.
    assert_eq!(added(&dir, "0.4"), ["again was cancelled"; 2]);
    assert_eq!(added(&dir, "0.7"), ["again did not"]);
}

#[test]
fn a_result_that_comes_late_is_the_only_answer() {
    let dir = Dir::new();
    let messages = [
        json!({"role": "user", "content": "go"}),
        answer(&[("late", "read", "{}")]),
        json!({"role": "user", "content": "hurry"}),
        json!({"role": "tool", "tool_call_id": "late", "content": "one"}),
        json!({"role": "assistant", "content": "done"}),
    ];
    write_messages(&dir, &messages);
    for calls in ["0.4", "0.7"] {
        assert_eq!(added(&dir, calls), Vec::<String>::new(), "{calls}");
    }
}

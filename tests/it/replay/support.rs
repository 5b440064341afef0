//! The files that a replay writes, and messages for its input.

use crate::harness::Dir;
use serde_json::{Value, json};

pub(super) fn lines(dir: &Dir, name: &str) -> Vec<Value> {
    dir.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(super) fn calls(dir: &Dir) -> Vec<Value> {
    lines(dir, "out/replay.jsonl")
}

/// One key of all calls.
pub(super) fn column(calls: &[Value], key: &str) -> Vec<Value> {
    calls.iter().map(|call| call[key].clone()).collect()
}

pub(super) fn roles(sample: &Value) -> Vec<&str> {
    sample["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect()
}

/// The texts of the messages that are trained on.
pub(super) fn trained(sample: &Value) -> Vec<&str> {
    let messages = sample["messages"].as_array().unwrap().iter();
    messages
        .filter(|message| message["role"] == "assistant" && message["weight"] != 0)
        .map(|message| message["content"].as_str().unwrap())
        .collect()
}

pub(super) fn said(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": text })
}

/// A tool call and its result.
pub(super) fn called(number: usize, result: &Value) -> [Value; 2] {
    let call = json!({ "id": format!("c{number}"), "type": "function", "function": { "name": "read", "arguments": "{}" } });
    [
        json!({ "role": "assistant", "content": null, "tool_calls": [call] }),
        json!({ "role": "tool", "tool_call_id": format!("c{number}"), "content": result }),
    ]
}

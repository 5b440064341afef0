//! The published cases of OpenCode, the plans for them, and a conversation to compact.

use crate::harness::Dir;
use serde_json::{Value, json};

const CASES: &str = include_str!("../../../fixtures/presets/opencode.jsonl");
pub(super) const PLACEHOLDER: &str = "[Old tool result content cleared]";

pub(super) fn cases() -> Vec<Value> {
    CASES.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The messages with their contents written out.
pub(super) fn messages(case: &Value) -> Vec<Value> {
    let mut messages = case["messages"].as_array().unwrap().clone();
    for message in &mut messages {
        if let Some([Value::String(text), Value::Number(times)]) =
            message["content"].as_array().map(Vec::as_slice)
        {
            message["content"] =
                json!(text.repeat(usize::try_from(times.as_u64().unwrap()).unwrap()));
        }
    }
    messages
}

/// The case's input and policy, and its plan.
pub(super) fn planned(case: &Value) -> (Dir, Value) {
    let dir = Dir::new();
    dir.write("in.jsonl", json!({"thread_id": "t", "messages": messages(case)}).to_string() + "\n");
    dir.write("policy.toml", case["policy"].as_str().unwrap());
    let ran = dir.epitome("plan in.jsonl --json --config policy.toml").ok();
    let plan = serde_json::from_slice(&ran.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}: {}", case["name"], ran.stderr));
    (dir, plan)
}

pub(super) fn edits<'p>(plan: &'p Value, kind: &str) -> Vec<&'p Value> {
    plan["edits"].as_array().unwrap().iter().filter(|edit| edit["edit"] == kind).collect()
}

pub(super) fn reason<'p>(plan: &'p Value, stage: &str) -> &'p str {
    plan["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .find(|reason| reason["stage"] == stage)
        .and_then(|reason| reason["why"].as_str())
        .unwrap()
}

/// A conversation of four turns with a system prompt.
pub(super) fn talk() -> Value {
    let say = |role: &str, text: &str| json!({"role": role, "content": text});
    let mut messages = vec![say("system", "Be brief.")];
    for number in 1..=4 {
        messages.push(say(
            "user",
            &format!(
                "Question {number}: {}",
                "what about the parcel and its long way home? ".repeat(20)
            ),
        ));
        messages.push(say(
            "assistant",
            &format!(
                "Answer {number}: {}",
                "it is on its way, and will be there soon. ".repeat(20)
            ),
        ));
    }
    json!({"thread_id": "t", "messages": messages})
}

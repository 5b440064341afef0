//! Logs of two models, and the rows of a table.

use crate::harness::Dir;
use serde_json::{Value, json};

/// Two conversations: of a model whose encoding is public, and of one whose is not.
pub(super) fn two_models() -> Dir {
    let dir = Dir::new();
    let talk = |model: &str| json!({ "model": model, "messages": [{ "role": "user", "content": "Don't panic: count 12345 tokens, 你好！" }] });
    dir.write(
        "in.jsonl",
        format!("{}\n{}\n", talk("openai:gpt-4o"), talk("anthropic:claude-opus-4-5")),
    );
    dir
}

pub(super) fn rows(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

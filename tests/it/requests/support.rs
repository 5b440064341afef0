//! Logs whose summaries are asked for in batch files, and the lines of these files.

use crate::harness::Dir;
use crate::talk::{CUT, talk};
use serde_json::{Value, json};

pub(crate) const KEY: &str = "sk-batch-0f1e2d3c4b5a69788796a5b4";

/// Ten conversations, two of them the same, and one that needs no summary.
pub(crate) fn talks() -> Dir {
    let dir = Dir::new();
    let names = ["a", "b", "c", "d", "e", "a", "f", "g", "h"];
    dir.write("logs/in.jsonl", names.map(|name| talk(name, 40)).concat() + &talk("short", 2));
    dir
}

pub(crate) fn export(dir: &Dir, options: &str) {
    dir.epitome(&format!(
        "requests export logs -o requests {CUT} --set summarizer.model=openai:gpt-5.2 --set summarizer.cache= {options}"
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

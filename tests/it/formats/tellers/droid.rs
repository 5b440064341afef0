//! Sessions and streams of Factory Droid.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

/// Entries that hang on each other.
struct DroidEntries {
    lines: Vec<Value>,
    last: Value,
}

impl DroidEntries {
    fn say(&mut self, role: &str, content: Value) {
        let id = json!(format!("m{}", self.lines.len()));
        self.lines.push(json!({
            "type": "message", "id": id, "parentId": self.last, "timestamp": STAMP, "message": {"role": role, "content": content},
        }));
        self.last = id;
    }
}

pub(crate) fn droid(story: &Story) -> Vec<Value> {
    let start = json!({"type": "session_start", "id": "d-1", "title": "t", "cwd": "/p", "owner": "u", "version": 2});
    let mut entries = DroidEntries { lines: vec![start], last: json!("d-1") };
    let text = |text: &String| json!({"type": "text", "text": text});
    for round in &story.rounds {
        // A branch that is left again. One without a known parent would go on.
        let back = entries.last.clone();
        if back != "d-1" {
            entries.say("user", json!("never mind"));
            entries.last = back;
        }
        entries.say("user", json!([text(&round.ask)]));
        for exchange in &round.exchanges {
            let calls = exchange.calls.iter().map(|call| {
                json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)})
            });
            let words = exchange.say.iter().map(text);
            entries.say("assistant", words.chain(calls).collect());
            let results = pairs(exchange).map(|(call, result)| {
                json!({"type": "tool_result", "tool_use_id": call.id, "content": result})
            });
            let words = exchange.beside.iter().map(text);
            if !exchange.results.is_empty() {
                entries.say("user", results.chain(words).collect());
            }
        }
        entries.say(
            "assistant",
            json!([{"type": "thinking", "thinking": "hm", "signature": "Eq"}, text(&round.answer)]),
        );
        entries.lines.push(
            json!({"type": "todo_state", "id": "x", "timestamp": STAMP, "todos": "1. to do"}),
        );
    }
    entries.lines
}

pub(crate) fn droid_stream(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "system", "subtype": "init", "session_id": "d-1", "model": "m", "reasoning_effort": "none"}),
    ];
    let say = |role: &str, text: &str| json!({"type": "message", "role": role, "id": "m", "text": text, "session_id": "d-1"});
    for round in &story.rounds {
        lines.push(say("user", &round.ask));
        for exchange in &round.exchanges {
            let words = exchange.say.iter();
            lines.extend(words.map(|text| say("assistant", text)));
            lines.extend(exchange.calls.iter().map(|call| {
                json!({"type": "tool_call", "id": call.id, "messageId": "m", "toolId": call.tool, "toolName": call.tool, "parameters": arguments(call)})
            }));
            lines.extend(pairs(exchange).map(|(call, result)| {
                json!({"type": "tool_result", "id": call.id, "messageId": "r", "isError": false, "value": result})
            }));
            let words = exchange.beside.iter();
            let words = words.filter(|_| !exchange.results.is_empty());
            lines.extend(words.map(|text| say("user", text)));
        }
        lines.push(say("assistant", &round.answer));
        lines.push(json!({"type": "completion", "finalText": round.answer, "session_id": "d-1"}));
    }
    lines
}

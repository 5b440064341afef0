//! Sessions of Qwen Code.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

/// Lines that hang on each other.
struct QwenLines {
    lines: Vec<Value>,
    last: Value,
}

impl QwenLines {
    fn push(&mut self, kind: &str, mut line: Value) {
        let uuid = json!(format!("q{}", self.lines.len()));
        (line["uuid"], line["parentUuid"], line["type"]) =
            (uuid.clone(), self.last.clone(), json!(kind));
        (line["sessionId"], line["timestamp"]) = (json!("q-1"), json!(STAMP));
        self.lines.push(line);
        self.last = uuid;
    }

    fn say(&mut self, kind: &str, parts: Value) {
        let role = if kind == "assistant" { "model" } else { "user" };
        self.push(kind, json!({"message": {"role": role, "parts": parts}}));
        self.push(
            "system",
            json!({"subtype": "ui_telemetry", "systemPayload": {"uiEvent": {"duration_ms": 1}}}),
        );
    }
}

pub(crate) fn qwen_code(story: &Story) -> Vec<Value> {
    let mut lines = QwenLines { lines: Vec::new(), last: Value::Null };
    for round in &story.rounds {
        // A branch that is left again.
        let back = lines.last.clone();
        lines.say("user", json!([{"text": "never mind"}]));
        lines.last = back;
        lines.push("system", json!({"subtype": "rewind", "systemPayload": {"truncatedCount": 1}}));
        lines.say("user", json!([{"text": round.ask}]));
        for exchange in &round.exchanges {
            let words = exchange.say.iter().map(|text| json!({"text": text}));
            let calls = exchange.calls.iter().map(|call| {
                json!({"functionCall": {"id": call.id, "name": call.tool, "args": arguments(call)}})
            });
            lines.say("assistant", words.chain(calls).collect());
            for (call, result) in pairs(exchange) {
                let response =
                    json!({"id": call.id, "name": call.tool, "response": {"output": result}});
                lines.say("tool_result", json!([{"functionResponse": response}]));
            }
            let words = exchange.beside.iter();
            for text in words.filter(|_| !exchange.results.is_empty()) {
                lines.say("user", json!([{"text": text}]));
            }
        }
        lines.say("assistant", json!([{"text": "hm", "thought": true}, {"text": round.answer}]));
    }
    lines.lines
}

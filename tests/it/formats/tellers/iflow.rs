//! Sessions of iFlow.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

/// Lines that hang on each other.
struct IFlowLines {
    lines: Vec<Value>,
    last: Value,
}

impl IFlowLines {
    /// Adds a line that hangs on `parent`.
    fn push(&mut self, role: &str, content: Value, parent: &Value) {
        let uuid = json!(format!("i{}", self.lines.len()));
        self.lines.push(json!({
            "uuid": uuid, "parentUuid": parent, "sessionId": "session-1", "timestamp": STAMP, "type": role, "isSidechain": false,
            "userType": "external", "message": {"role": role, "content": content},
        }));
        self.last = uuid;
    }
}

pub(crate) fn iflow(story: &Story) -> Vec<Value> {
    let mut lines = IFlowLines { lines: Vec::new(), last: Value::Null };
    for round in &story.rounds {
        let parent = lines.last.clone();
        lines.push("user", json!(round.ask), &parent);
        for exchange in &round.exchanges {
            // All pieces of an answer hang on the same line.
            let parent = lines.last.clone();
            let words = exchange.say.iter();
            let words = words.map(|text| json!({"type": "text", "text": text}));
            let calls = exchange.calls.iter().map(|call| {
                json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)})
            });
            for block in words.chain(calls) {
                lines.push("assistant", json!([block]), &parent);
            }
            for (call, result) in pairs(exchange) {
                let response =
                    json!({"id": call.id, "name": call.tool, "response": {"output": result}});
                let content = json!({"callId": call.id, "responseParts": {"functionResponse": response}, "resultDisplay": "for the screen"});
                let block =
                    json!({"type": "tool_result", "tool_use_id": call.id, "content": content});
                lines.push("user", json!([block]), &parent);
            }
            let words = exchange.beside.iter();
            for text in words.filter(|_| !exchange.results.is_empty()) {
                let parent = lines.last.clone();
                lines.push("user", json!(text), &parent);
            }
        }
        let parent = lines.last.clone();
        lines.push("assistant", json!([{"type": "text", "text": round.answer}]), &parent);
    }
    lines.lines
}

//! Transcripts of Antigravity.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

pub(crate) fn antigravity(story: &Story) -> Vec<Value> {
    let mut steps: Vec<Value> = Vec::new();
    let mut say = |source: &str, kind: &str, more: Value| {
        let mut step = json!({"step_index": steps.len(), "source": source, "type": kind, "status": "DONE", "created_at": STAMP});
        for (key, value) in more.as_object().unwrap() {
            step[key] = value.clone();
        }
        steps.push(step);
    };
    for round in &story.rounds {
        say("USER_EXPLICIT", "USER_INPUT", json!({"content": round.ask}));
        say("SYSTEM", "CONVERSATION_HISTORY", json!({}));
        for exchange in &round.exchanges {
            let calls = exchange.calls.iter();
            let calls: Vec<Value> =
                calls.map(|call| json!({"name": call.tool, "args": arguments(call)})).collect();
            let mut answer = json!({"thinking": "Look at the files.", "tool_calls": calls});
            if let Some(words) = &exchange.say {
                answer["content"] = json!(words);
            }
            say("MODEL", "PLANNER_RESPONSE", answer);
            for (_, result) in pairs(exchange) {
                say("MODEL", "VIEW_FILE", json!({"content": result}));
            }
            let words = exchange.beside.iter();
            for text in words.filter(|_| !exchange.results.is_empty()) {
                say("USER_EXPLICIT", "USER_INPUT", json!({"content": text}));
            }
        }
        say("MODEL", "PLANNER_RESPONSE", json!({"content": round.answer}));
    }
    steps
}

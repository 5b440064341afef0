//! Exports of OpenCode.

use super::json::arguments;
use crate::formats::story::Story;
use serde_json::{Value, json};

pub(crate) fn opencode(story: &Story) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    let mut say = |role: &str, parts: Vec<Value>| {
        let number = messages.len();
        let info = json!({"id": format!("msg_{number:012x}abc"), "sessionID": "ses_1", "role": role, "time": {"created": number}, "summary": {"title": "t"}});
        messages.push(json!({"info": info, "parts": parts}));
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    for round in &story.rounds {
        say(
            "user",
            vec![
                text(&round.ask),
                json!({"type": "text", "text": "for the screen", "ignored": true}),
            ],
        );
        for exchange in &round.exchanges {
            let mut parts = vec![json!({"type": "step-start"})];
            parts.extend(exchange.say.iter().map(|words| text(words)));
            for (number, call) in exchange.calls.iter().enumerate() {
                let mut state = json!({"status": "pending", "input": arguments(call)});
                if let Some(result) = exchange.results.get(number) {
                    state = json!({"status": "completed", "input": arguments(call), "output": result, "time": {"start": 1, "end": 2}});
                }
                parts.push(
                    json!({"type": "tool", "callID": call.id, "tool": call.tool, "state": state}),
                );
            }
            parts.push(json!({"type": "step-finish", "reason": "tool-calls"}));
            say("assistant", parts);
            for words in exchange.beside.iter().filter(|_| !exchange.results.is_empty()) {
                say("user", vec![text(words)]);
            }
        }
        say(
            "assistant",
            vec![
                json!({"type": "step-start"}),
                text(&round.answer),
                json!({"type": "patch", "hash": "x"}),
            ],
        );
    }
    vec![json!({"info": {"id": "ses_1", "title": "t"}, "messages": messages})]
}

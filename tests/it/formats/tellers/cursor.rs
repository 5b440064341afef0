//! Transcripts of Cursor's agent.

use super::json::{arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

pub(crate) fn cursor(story: &Story) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut say = |role: &str, content: Value| {
        lines.push(json!({"role": role, "message": {"content": content}}));
    };
    let text = |text: &String| json!({"type": "text", "text": text});
    for round in &story.rounds {
        say("user", json!([text(&round.ask)]));
        for exchange in &round.exchanges {
            if let Some(words) = &exchange.say {
                say("assistant", json!([text(words)]));
            }
            let calls = exchange.calls.iter().map(|call| {
                json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)})
            });
            say("assistant", calls.collect());
            let results = pairs(exchange).map(|(call, result)| {
                json!({"type": "tool_result", "tool_use_id": call.id, "content": result})
            });
            let words = exchange.beside.iter().map(text);
            let blocks: Vec<Value> = results.chain(words).collect();
            if !exchange.results.is_empty() {
                say("user", json!(blocks));
            }
        }
        say("assistant", json!([text(&round.answer)]));
    }
    lines.push(json!({"type": "turn_ended", "status": "success"}));
    lines
}

//! Chat histories of Grok Build.

use super::json::{arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

pub(crate) fn grok_build(story: &Story) -> Vec<Value> {
    let mut items: Vec<Value> =
        story.system.iter().map(|text| json!({"type": "system", "content": text})).collect();
    for (number, round) in story.rounds.iter().enumerate() {
        items.push(json!({"type": "user", "content": [{"type": "text", "text": round.ask}], "prompt_index": number}));
        for exchange in &round.exchanges {
            let calls = exchange.calls.iter().map(|call| {
                json!({"id": call.id, "name": call.tool, "arguments": arguments(call).to_string()})
            });
            let calls: Vec<Value> = calls.collect();
            let words = exchange.say.clone().unwrap_or_default();
            items.push(json!({"type": "assistant", "content": words, "tool_calls": calls}));
            items.extend(pairs(exchange).map(|(call, result)| {
                json!({"type": "tool_result", "tool_call_id": call.id, "content": result})
            }));
            let words = exchange.beside.iter();
            let words = words.filter(|_| !exchange.results.is_empty());
            items.extend(words.map(|text| json!({"type": "user", "content": text})));
        }
        items.push(json!({"type": "assistant", "content": round.answer, "model_id": "grok-4"}));
    }
    items
}

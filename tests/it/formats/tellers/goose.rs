//! Sessions of Goose: one message a line, and exports.

use super::json::{arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

pub(crate) fn goose_lines(story: &Story) -> Vec<Value> {
    let mut lines = vec![json!({"working_dir": "/p", "description": "t", "message_count": 1})];
    lines.extend(messages(story));
    lines
}

pub(crate) fn goose_export(story: &Story) -> Vec<Value> {
    vec![json!({"id": "20260101_1", "working_dir": "/p", "conversation": messages(story)})]
}

fn messages(story: &Story) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut say = |role: &str, content: Value, is_seen: bool| {
        messages.push(json!({
            "role": role, "created": 1, "content": content, "metadata": {"userVisible": true, "agentVisible": is_seen},
        }));
    };
    let text = |text: &String| json!({"type": "text", "text": text});
    for round in &story.rounds {
        say("user", json!([{"type": "text", "text": "of old"}]), false);
        say("user", json!([text(&round.ask)]), true);
        for exchange in &round.exchanges {
            let calls = exchange.calls.iter().map(|call| {
                json!({"type": "toolRequest", "id": call.id, "toolCall": {"status": "success", "value": {"name": call.tool, "arguments": arguments(call)}}})
            });
            let words = exchange.say.iter().map(text);
            say("assistant", words.chain(calls).collect(), true);
            let results = pairs(exchange).map(|(call, result)| {
                let screen = json!({"type": "text", "text": "for the screen", "annotations": {"audience": ["user"]}});
                json!({"type": "toolResponse", "id": call.id, "toolResult": {"status": "success", "value": [{"type": "text", "text": result}, screen]}})
            });
            let words = exchange.beside.iter().map(text);
            if !exchange.results.is_empty() {
                say("user", results.chain(words).collect(), true);
            }
        }
        say(
            "assistant",
            json!([{"type": "thinking", "thinking": "hm", "signature": "Eq"}, text(&round.answer)]),
            true,
        );
    }
    messages
}

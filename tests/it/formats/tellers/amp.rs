//! Threads of Amp.

use super::json::{arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

pub(crate) fn amp(story: &Story) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    let mut say = |role: &str, content: Value| {
        let number = messages.len();
        messages.push(json!({"role": role, "messageId": number, "content": content}));
    };
    let text = |text: &String| json!({"type": "text", "text": text});
    say("user", json!([{"type": "text", "text": "of old"}]));
    if story.system.is_none() {
        say("assistant", json!([{"type": "text", "text": "of old, too"}]));
    }
    say(
        "info",
        json!([{"type": "summary", "summary": {"type": "message", "summary": story.rounds[0].ask}}]),
    );
    for (number, round) in story.rounds.iter().enumerate() {
        // A summary asked the first question.
        if number > 0 {
            say("user", json!([text(&round.ask)]));
        }
        for exchange in &round.exchanges {
            let calls = exchange.calls.iter().map(|call| {
                json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call), "complete": true})
            });
            let words = exchange.say.iter().map(text);
            say("assistant", words.chain(calls).collect());
            let results = pairs(exchange).map(|(call, result)| {
                json!({"type": "tool_result", "toolUseID": call.id, "run": {"status": "done", "result": result}})
            });
            let words = exchange.beside.iter().map(text);
            if !exchange.results.is_empty() {
                say("user", results.chain(words).collect());
            }
        }
        say("assistant", json!([text(&round.answer)]));
        say("info", json!([{"type": "manual_bash_invocation", "args": {"cmd": "ls"}}]));
    }
    vec![json!({"v": 5, "id": "T-1", "created": 1, "title": "t", "messages": messages})]
}

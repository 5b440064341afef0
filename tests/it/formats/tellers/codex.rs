//! Rollouts, items and `exec` events of Codex.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::{Call, Story};
use serde_json::{Value, json};

fn codex_items_of(story: &Story) -> Vec<Value> {
    let text = |role: &str, text: &str| {
        let kind = if role == "assistant" { "output_text" } else { "input_text" };
        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    };
    let mut items = vec![text("user", "<environment_context>/srv/app</environment_context>")];
    for round in &story.rounds {
        items.push(text("user", &round.ask));
        for exchange in &round.exchanges {
            items
                .push(json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABo"}));
            items.extend(exchange.say.iter().map(|say| text("assistant", say)));
            let call = |call: &Call| json!({"type": "function_call", "call_id": call.id, "name": call.tool, "arguments": arguments(call).to_string()});
            items.extend(exchange.calls.iter().map(call));
            items.extend(pairs(exchange).map(|(call, result)| json!({"type": "function_call_output", "call_id": call.id, "output": result})));
            items.extend(
                exchange
                    .beside
                    .iter()
                    .filter(|_| !exchange.results.is_empty())
                    .map(|words| text("user", words)),
            );
        }
        items.push(text("assistant", &round.answer));
    }
    items
}

pub(crate) fn codex(story: &Story) -> Vec<Value> {
    let line =
        |kind: &str, payload: Value| json!({"timestamp": STAMP, "type": kind, "payload": payload});
    let mut lines = vec![line(
        "session_meta",
        json!({"id": "0199-1", "base_instructions": {"text": story.system}}),
    )];
    lines.push(line("turn_context", json!({"model": "gpt-5-codex"})));
    for (number, item) in codex_items_of(story).into_iter().enumerate() {
        let is_answer = item["role"] == "assistant";
        let copy = item["content"][0]["text"].clone();
        lines.push(line("response_item", item));
        if is_answer {
            lines.push(line("event_msg", json!({"type": "agent_message", "message": copy})));
            lines.push(line("event_msg", json!({"type": "token_count", "info": null})));
        }
        if is_answer && number % 3 == 0 {
            lines.push(line("response_item", json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "never mind"}]})));
            lines.push(line("response_item", json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "dropped"}]})));
            lines.push(line("event_msg", json!({"type": "thread_rolled_back", "num_turns": 1})));
        }
    }
    lines
}

pub(crate) fn codex_items(story: &Story) -> Vec<Value> {
    let mut lines =
        vec![json!({"id": "a-1", "timestamp": STAMP, "instructions": story.system, "git": {}})];
    for item in codex_items_of(story) {
        lines.extend([item, json!({"record_type": "state"})]);
    }
    lines
}

pub(crate) fn codex_exec(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "thread.started", "thread_id": "0199-2"}),
        json!({"type": "turn.started"}),
    ];
    let mut number = 0;
    let mut item = |kind: &str, mut item: Value| {
        item["id"] = json!(format!("item_{number}"));
        lines.push(json!({"type": kind, "item": item}));
        number += usize::from(kind == "item.completed" || item["status"] == "in_progress");
    };
    for round in &story.rounds {
        for exchange in &round.exchanges {
            item("item.completed", json!({"type": "reasoning", "text": ""}));
            exchange.say.iter().for_each(|text| {
                item("item.completed", json!({"type": "agent_message", "text": text}))
            });
            for (at, call) in exchange.calls.iter().enumerate() {
                let own = json!({"type": "mcp_tool_call", "server": "s", "tool": call.tool, "arguments": arguments(call)});
                let Some(result) = exchange.results.get(at) else {
                    let mut begun = own;
                    begun["status"] = json!("in_progress");
                    item("item.started", begun);
                    continue;
                };
                item("item.started", own.clone());
                let mut ended = own;
                (ended["status"], ended["result"]) = (json!("completed"), json!(result));
                item("item.completed", ended);
            }
        }
        item("item.completed", json!({"type": "agent_message", "text": round.answer}));
    }
    lines.push(json!({"type": "turn.completed", "usage": {"input_tokens": 900}}));
    lines
}

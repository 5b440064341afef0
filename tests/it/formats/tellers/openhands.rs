//! Events of OpenHands.

use super::json::arguments;
use crate::formats::story::{Call, Story};
use serde_json::{Value, json};

fn openhands_events(story: &Story) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    let mut push = |event: Value| {
        let mut event = event;
        event["id"] = json!(events.len());
        events.push(event);
        events.len() - 1
    };
    if let Some(text) = &story.system {
        push(
            json!({"source": "agent", "action": "system", "args": {"content": text, "tools": []}}),
        );
    }
    let mut answers = 0;
    for round in &story.rounds {
        push(
            json!({"source": "user", "action": "message", "message": round.ask, "args": {"content": round.ask}}),
        );
        push(
            json!({"source": "environment", "observation": "agent_state_changed", "content": "", "extras": {"agent_state": "running"}}),
        );
        for exchange in &round.exchanges {
            answers += 1;
            let call = |call: &Call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}});
            let calls: Vec<Value> = exchange.calls.iter().map(call).collect();
            let message =
                json!({"role": "assistant", "content": exchange.say, "tool_calls": calls});
            let response = json!({"id": format!("chatcmpl-{answers}"), "model": "claude-sonnet-4", "choices": [{"message": message}]});
            for (number, call) in exchange.calls.iter().enumerate() {
                let metadata = json!({"function_name": call.tool, "tool_call_id": call.id, "model_response": response});
                let cause = push(
                    json!({"source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": metadata}),
                );
                if let Some(result) = exchange.results.get(number) {
                    push(
                        json!({"source": "agent", "observation": "run", "content": result, "cause": cause, "extras": {}, "tool_call_metadata": metadata}),
                    );
                }
            }
            for text in exchange.beside.iter().filter(|_| !exchange.results.is_empty()) {
                push(json!({"source": "user", "action": "message", "args": {"content": text}}));
            }
        }
        push(json!({"source": "agent", "action": "message", "args": {"content": round.answer}}));
    }
    events
}

pub(crate) fn openhands(story: &Story) -> Vec<Value> {
    vec![
        json!({"instance_id": "x__y-1", "instruction": "Fix", "history": openhands_events(story), "metrics": {}}),
    ]
}

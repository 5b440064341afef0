//! Trajectories of mini-SWE-agent.

use super::json::{arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

pub(crate) fn mini_swe_agent(story: &Story) -> Vec<Value> {
    let say = |role: &str, text: &String| json!({"role": role, "content": text});
    let mut messages: Vec<Value> = Vec::new();
    messages.extend(story.system.iter().map(|text| say("system", text)));
    for round in &story.rounds {
        messages.push(say("user", &round.ask));
        for exchange in &round.exchanges {
            let calls = exchange.calls.iter().map(|call| {
                json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}})
            });
            let calls: Vec<Value> = calls.collect();
            messages.push(
                json!({"role": "assistant", "content": exchange.say, "tool_calls": calls, "extra": {"cost": 0.1}}),
            );
            messages.extend(pairs(exchange).map(
                |(call, result)| json!({"role": "tool", "tool_call_id": call.id, "content": result}),
            ));
            let words = exchange.beside.iter();
            let words = words.filter(|_| !exchange.results.is_empty());
            messages.extend(words.map(|text| say("user", text)));
        }
        messages.push(say("assistant", &round.answer));
    }
    messages.push(json!({"role": "exit", "content": "Submitted", "extra": {"submission": "diff"}}));
    vec![json!({
        "instance_id": "pump__7", "messages": messages, "info": {"exit_status": "Submitted"}, "trajectory_format": "mini-swe-agent-1.1",
    })]
}

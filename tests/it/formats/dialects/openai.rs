//! OpenAI chat messages, SWE-agent trajectories, and items of the Responses API.

use super::dialect::Teller;
use super::json::{arguments, name, pairs};
use crate::formats::story::Call;
use serde_json::{Value, json};

fn openai_with(teller: &mut Teller<'_>, answers: fn(&Call) -> Value) {
    let say = |who, text: &str| json!({"role": name(who, ["system", "user", "assistant"]), "content": text});
    teller.walk(true, say, |teller, exchange| {
        let call = |call: &Call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}});
        let calls: Vec<Value> = exchange.calls.iter().map(call).collect();
        teller.push('a', json!({"role": "assistant", "content": exchange.say, "tool_calls": calls, "weight": 0}));
        for (call, result) in pairs(exchange) {
            let mut message = answers(call);
            (message["role"], message["content"]) = (json!("tool"), json!(result));
            teller.push('u', message);
        }
    });
}

pub(crate) fn openai(teller: &mut Teller<'_>) {
    openai_with(teller, |call| json!({"tool_call_id": call.id}));
}

pub(crate) fn swe_agent(teller: &mut Teller<'_>) {
    openai_with(teller, |call| json!({"tool_call_ids": [call.id], "message_type": "observation"}));
}

pub(crate) fn responses(teller: &mut Teller<'_>) {
    let text = |role: &str, text: &str| {
        let kind = if role == "assistant" { "output_text" } else { "input_text" };
        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    };
    teller.walk(
        true,
        |who, words| text(name(who, ["developer", "user", "assistant"]), words),
        |teller, exchange| {
            teller.push('a', json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"}));
            if let Some(say) = &exchange.say {
                teller.push('a', text("assistant", say));
            }
            for call in &exchange.calls {
                teller.push('a', json!({"type": "function_call", "call_id": call.id, "name": call.tool, "arguments": arguments(call).to_string()}));
            }
            for (call, result) in pairs(exchange) {
                teller.push('u', json!({"type": "function_call_output", "call_id": call.id, "output": [{"type": "input_text", "text": result}]}));
            }
        },
    );
}

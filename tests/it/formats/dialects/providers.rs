//! Anthropic, Gemini, Bedrock and the AI SDK.

use super::dialect::Teller;
use super::json::{arguments, name, pairs};
use crate::formats::story::Call;
use serde_json::{Value, json};

pub(crate) fn anthropic(teller: &mut Teller<'_>) {
    let say = |who, text: &str| match who {
        'u' => json!({"role": "user", "content": text}),
        _ => {
            json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "Eq"}, {"type": "text", "text": text}]})
        }
    };
    teller.walk(false, say, |teller, exchange| {
        let mut blocks: Vec<Value> = exchange.say.iter().map(|text| json!({"type": "text", "text": text})).collect();
        blocks.extend(exchange.calls.iter().map(|call| json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)})));
        teller.push('a', json!({"role": "assistant", "content": blocks}));
        let mut blocks: Vec<Value> = pairs(exchange).map(|(call, text)| json!({"type": "tool_result", "tool_use_id": call.id, "content": text})).collect();
        blocks.extend(exchange.beside.iter().filter(|_| !exchange.results.is_empty()).map(|text| json!({"type": "text", "text": text})));
        if !blocks.is_empty() {
            teller.push('u', json!({"role": "user", "content": blocks}));
        }
    });
}

pub(crate) fn gemini(teller: &mut Teller<'_>) {
    let say = |who, text: &str| json!({"role": name(who, ["system", "user", "model"]), "parts": [{"text": text}]});
    teller.walk(false, say, |teller, exchange| {
        let mut parts: Vec<Value> = exchange.say.iter().map(|text| json!({"text": text, "thought": true})).collect();
        parts.extend(exchange.calls.iter().map(|call| json!({"functionCall": {"name": call.tool, "args": arguments(call)}})));
        teller.push('a', json!({"role": "model", "parts": parts}));
        let result = |(call, text): (&Call, &String)| json!({"functionResponse": {"name": call.tool, "response": {"output": text}}});
        // Words before the results: they still belong to the call before.
        let mut parts: Vec<Value> = exchange.beside.iter().filter(|_| !exchange.results.is_empty()).map(|text| json!({"text": text})).collect();
        parts.extend(pairs(exchange).map(result));
        if !parts.is_empty() {
            teller.push('u', json!({"role": "user", "parts": parts}));
        }
    });
}

pub(crate) fn bedrock(teller: &mut Teller<'_>) {
    let say = |who, text: &str| json!({"role": name(who, ["system", "user", "assistant"]), "content": [{"text": text}]});
    teller.walk(false, say, |teller, exchange| {
        let mut blocks: Vec<Value> = exchange.say.iter().map(|text| json!({"text": text})).collect();
        blocks.extend(exchange.calls.iter().map(|call| json!({"toolUse": {"toolUseId": call.id, "name": call.tool, "input": arguments(call)}})));
        teller.push('a', json!({"role": "assistant", "content": blocks}));
        let result = |(call, text): (&Call, &String)| json!({"toolResult": {"toolUseId": call.id, "content": [{"text": text}]}});
        let mut blocks: Vec<Value> = pairs(exchange).map(result).collect();
        blocks.extend(exchange.beside.iter().filter(|_| !exchange.results.is_empty()).map(|text| json!({"text": text})));
        if !blocks.is_empty() {
            teller.push('u', json!({"role": "user", "content": blocks}));
        }
    });
}

pub(crate) fn ai_sdk(teller: &mut Teller<'_>) {
    let say = |who, text: &str| match who {
        'a' => {
            json!({"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": text}]})
        }
        's' => json!({"role": "system", "content": text, "providerOptions": {}}),
        who => json!({"role": name(who, ["system", "user", "assistant"]), "content": text}),
    };
    teller.walk(true, say, |teller, exchange| {
        let mut parts: Vec<Value> = exchange.say.iter().map(|text| json!({"type": "text", "text": text})).collect();
        parts.extend(exchange.calls.iter().map(|call| json!({"type": "tool-call", "toolCallId": call.id, "toolName": call.tool, "input": arguments(call)})));
        teller.push('a', json!({"role": "assistant", "content": parts}));
        let result = |(call, text): (&Call, &String)| json!({"type": "tool-result", "toolCallId": call.id, "toolName": call.tool, "output": {"type": "text", "value": text}});
        let results: Vec<Value> = pairs(exchange).map(result).collect();
        if !results.is_empty() {
            teller.push('u', json!({"role": "tool", "content": results}));
        }
    });
}

//! LangChain, in each of its spellings.

use super::dialect::Teller;
use super::json::{arguments, name, pairs};
use crate::formats::story::Call;
use serde_json::{Map, Value, json};

fn langchain(teller: &mut Teller<'_>, spell: fn(&'static str, Map<String, Value>) -> Value) {
    let fields = |value: Value| {
        if let Value::Object(fields) = value { fields } else { Map::new() }
    };
    let say = |who, text: &str| {
        let kind = name(who, ["system", "human", "ai"]);
        spell(kind, fields(json!({"content": text, "type": kind})))
    };
    teller.walk(true, say, |teller, exchange| {
        let mut blocks: Vec<Value> = exchange.say.iter().map(|text| json!({"type": "text", "text": text})).collect();
        blocks.extend(exchange.calls.iter().map(|call| json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)})));
        let calls: Vec<Value> =
            exchange.calls.iter().map(|call| json!({"name": call.tool, "args": arguments(call), "id": call.id, "type": "tool_call"})).collect();
        let raw = |call: &Call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}});
        let raw: Vec<Value> = exchange.calls.iter().map(raw).collect();
        teller.push('a', spell("ai", fields(json!({"content": blocks, "type": "ai", "tool_calls": calls, "additional_kwargs": {"tool_calls": raw}}))));
        for (call, result) in pairs(exchange) {
            teller.push('u', spell("tool", fields(json!({"content": result, "type": "tool", "tool_call_id": call.id, "artifact": {"raw": result}}))));
        }
    });
}

pub(crate) fn langchain_dict(teller: &mut Teller<'_>) {
    langchain(teller, |kind, fields| json!({"type": kind, "data": fields}));
}

pub(crate) fn langchain_flat(teller: &mut Teller<'_>) {
    langchain(teller, |_, fields| Value::Object(fields));
}

pub(crate) fn langchain_dumpd(teller: &mut Teller<'_>) {
    langchain(teller, |kind, fields| {
        let class = ["SystemMessage", "HumanMessage", "AIMessage", "ToolMessage"]
            [["system", "human", "ai", "tool"].iter().position(|known| *known == kind).unwrap()];
        json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": fields})
    });
}

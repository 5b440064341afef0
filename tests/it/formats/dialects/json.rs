//! JSON that several dialects share.

use crate::formats::story::{Call, Exchange, Story};
use serde_json::{Value, json};

pub(crate) fn arguments(call: &Call) -> Value {
    json!({"path": call.path, "content": call.content})
}

pub(crate) fn pairs(exchange: &Exchange) -> impl Iterator<Item = (&Call, &String)> {
    exchange.calls.iter().zip(&exchange.results)
}

pub(crate) fn name(who: char, names: [&'static str; 3]) -> &'static str {
    names["sua".find(who).unwrap()]
}

pub(crate) fn in_text(call: &Call) -> String {
    json!({"name": call.tool, "arguments": arguments(call)}).to_string()
}

pub(crate) fn record(list: Vec<Value>) -> Value {
    json!({"id": "alma", "messages": list, "metadata": {"n": 1.0}})
}

/// A record whose system prompt stands beside the list.
pub(crate) fn beside(
    story: &Story,
    key: &str,
    prompt: fn(&str) -> Value,
    mut record: Value,
) -> Value {
    if let Some(text) = &story.system {
        record[key] = prompt(text);
    }
    record
}

/// A list of messages, and two lists that go on with an answer each.
pub(crate) fn pair(keys: [&str; 2], list: Vec<Value>, answer: fn(&str) -> Value) -> Value {
    let with = |text| [list.as_slice(), &[answer(text)]].concat();
    json!({keys[0]: with("a"), keys[1]: with("b"), "messages": list})
}

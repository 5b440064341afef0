//! ShareGPT, Hermes and LLaMA-Factory.

use super::dialect::Teller;
use super::json::{in_text, name};
use serde_json::{Value, json};

pub(crate) fn sharegpt(teller: &mut Teller<'_>) {
    teller.walk(
        false,
        |who, text| json!({"from": name(who, ["system", "human", "gpt"]), "value": text}),
        |teller, exchange| {
            let calls: Vec<String> = exchange.calls.iter().map(in_text).collect();
            let value = if let [call] = calls.as_slice() {
                call.clone()
            } else {
                format!("[{}]", calls.join(", "))
            };
            teller.push('a', json!({"from": "function_call", "value": value}));
            if !exchange.results.is_empty() {
                teller.push(
                    'u',
                    json!({"from": "observation", "value": exchange.results.join("\n")}),
                );
            }
        },
    );
}

pub(crate) fn hermes(teller: &mut Teller<'_>) {
    teller.walk(
        true,
        |who, text| json!({"from": name(who, ["system", "human", "gpt"]), "value": text}),
        |teller, exchange| {
            let tag = |name: &str, texts: Vec<String>| texts.into_iter().map(|text| format!("<{name}>\n{text}\n</{name}>")).collect::<Vec<_>>().join("\n");
            let calls = tag("tool_call", exchange.calls.iter().map(in_text).collect());
            teller.push('a', json!({"from": "gpt", "value": format!("{}{calls}", exchange.say.as_deref().unwrap_or_default())}));
            // Tags on both sides are what tells this dialect from ShareGPT.
            teller.push('u', json!({"from": "tool", "value": tag("tool_response", exchange.results.clone()) + "<tool_response></tool_response>"}));
        },
    );
    if teller.story.rounds.iter().all(|round| round.exchanges.is_empty()) {
        let more = [
            ('u', "human", "and?"),
            ('a', "gpt", "<tool_call>{}</tool_call>"),
            ('u', "tool", "<tool_response>1</tool_response>"),
            ('a', "gpt", "1"),
        ];
        more.into_iter()
            .for_each(|(who, from, value)| teller.push(who, json!({"from": from, "value": value})));
    }
}

pub(crate) fn llamafactory(teller: &mut Teller<'_>) {
    let block = |kind: &str, value: &str| json!({"type": kind, "value": value});
    let say = |who, text: &str| json!({"role": name(who, ["system", "user", "assistant"]), "content": [block("text", text)], "loss_weight": 1.0});
    teller.walk(true, say, |teller, exchange| {
        let mut blocks: Vec<Value> =
            exchange.say.iter().map(|text| block("reasoning", text)).collect();
        blocks.extend(exchange.calls.iter().map(|call| block("tool_call", &in_text(call))));
        teller.push('a', json!({"role": "assistant", "content": blocks, "loss_weight": 0.5}));
        if !exchange.results.is_empty() {
            teller.push(
                'u',
                json!({"role": "tool", "content": [block("text", &exchange.results.join("\n"))]}),
            );
        }
    });
}

//! Reads what each target wrote, and the texts in it.

use serde_json::Value;
use std::collections::HashSet;

/// What was said of one element of the result.
#[derive(Debug, Default)]
pub(crate) struct ConvertedChat {
    /// Who speaks, message by message: `u`ser, `a`ssistant, `t`ool results, `s`ystem.
    pub(crate) speakers: Vec<char>,
    /// Ids of calls, message by message; results beside them.
    pub(crate) calls: Vec<Vec<String>>,
    pub(crate) results: Vec<Vec<String>>,
    pub(crate) texts: Vec<String>,
}

pub(crate) fn read(target: &str, line: &str) -> ConvertedChat {
    let record: Value = serde_json::from_str(line).unwrap();
    let mut read = ConvertedChat::default();
    let list =
        record[if target == "sharegpt" { "conversations" } else { "messages" }].as_array().unwrap();
    for message in list {
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        let id = |value: &Value| value.as_str().unwrap().to_owned();
        let who = match target {
            "sharegpt" => match message["from"].as_str().unwrap() {
                "human" => 'u',
                "observation" => 't',
                "function_call" => {
                    calls.push("call".to_owned());
                    'a'
                }
                "gpt" => 'a',
                other => panic!("{other}"),
            },
            "langchain" => {
                let data = &message["data"];
                calls.extend(
                    ["tool_calls", "invalid_tool_calls"]
                        .iter()
                        .flat_map(|key| data[key].as_array())
                        .flatten()
                        .map(|call| id(&call["id"])),
                );
                results.extend(data["tool_call_id"].as_str().map(str::to_owned));
                match message["type"].as_str().unwrap() {
                    "human" => 'u',
                    "ai" => 'a',
                    "tool" => 't',
                    _ => 's',
                }
            }
            _ => {
                let blocks = |kind: &str, key: &str| -> Vec<String> {
                    let blocks = message["content"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .filter(|block| block["type"] == kind);
                    blocks.map(|block| id(&block[key])).collect()
                };
                calls.extend(
                    message["tool_calls"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .map(|call| id(&call["id"])),
                );
                calls.extend(blocks("tool_use", "id"));
                results.extend(message["tool_call_id"].as_str().map(str::to_owned));
                results.extend(blocks("tool_result", "tool_use_id"));
                match message["role"].as_str().unwrap() {
                    "user" => 'u',
                    "assistant" => 'a',
                    "tool" => 't',
                    _ => 's',
                }
            }
        };
        read.speakers.push(who);
        read.calls.push(calls);
        read.results.push(results);
    }
    list.iter().for_each(|message| strings(message, &mut |text| read.texts.push(text.to_owned())));
    read
}

/// All strings of a value, also those of JSON that stands in a string.
pub(crate) fn strings(value: &Value, take: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => {
            take(text);
            let json = text.rsplit_once("</think>").map_or(text.as_str(), |(_, json)| json);
            // The user's words may stand behind the results.
            let first = serde_json::Deserializer::from_str(json).into_iter::<Value>().next();
            if let Some(Ok(inner @ (Value::Object(_) | Value::Array(_)))) = first {
                strings(&inner, take);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, take)),
        Value::Object(entries) => entries.values().for_each(|item| strings(item, take)),
        _ => {}
    }
}

/// A text, or what stands in it: between tags, in JSON.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let tags = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"];
    let mut parts = vec![text.to_owned()];
    for tag in tags {
        parts = parts
            .iter()
            .flat_map(|part| part.split(tag).map(str::to_owned).collect::<Vec<_>>())
            .collect();
    }
    let mut found = Vec::new();
    for part in parts {
        match serde_json::from_str::<Value>(&part) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => {
                strings(&inner, &mut |text| found.push(text.to_owned()))
            }
            _ => found.push(part),
        }
    }
    found
}

pub(crate) fn leaves(
    value: &Value,
    blocks: &HashSet<&str>,
    path: &mut Vec<String>,
    take: &mut impl FnMut(&str, &str),
) {
    match value {
        Value::String(text) => take(&path.join(".").replace(".[]", "[]"), text),
        Value::Array(items) => {
            path.push("[]".to_owned());
            items.iter().for_each(|item| leaves(item, blocks, path, take));
            path.pop();
        }
        Value::Object(entries) => {
            let name = value["type"].as_str().or(entries.keys().next().map(String::as_str));
            if name.is_some_and(|name| blocks.contains(name)) {
                return;
            }
            for (key, item) in entries {
                path.push(key.clone());
                leaves(item, blocks, path, take);
                path.pop();
            }
        }
        _ => {}
    }
}

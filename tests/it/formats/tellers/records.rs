//! Records that each hold a conversation in a spelling of their own.

use super::json::arguments;
use crate::formats::dialects::DIALECTS;
use crate::formats::story::{Call, Story};
use serde_json::{Value, json};

/// A story whose assistant calls nothing.
pub(super) fn without_calls(story: &Story) -> Story {
    let mut story = story.clone();
    for round in &mut story.rounds {
        round.exchanges.clear();
    }
    story
}

/// A story of one answer, whose calls are not answered yet.
pub(super) fn last_answer(story: &Story) -> Story {
    let mut round = story.rounds.last().unwrap().clone();
    if let Some(mut exchange) = round.exchanges.pop() {
        exchange.say = Some(std::mem::take(&mut round.answer));
        exchange.results.clear();
        round.exchanges = vec![exchange];
    }
    Story { system: None, rounds: vec![round] }
}

pub(super) fn alpaca(story: &Story) -> Vec<Value> {
    let (last, earlier) = story.rounds.split_last().unwrap();
    let (instruction, input) = last.ask.split_once('\n').unwrap_or((&last.ask, ""));
    let history: Vec<Value> =
        earlier.iter().map(|round| json!([round.ask, round.answer])).collect();
    vec![json!({
        "id": "a-1", "system": story.system.clone().unwrap_or_default(), "instruction": instruction, "input": input,
        "output": last.answer, "history": history,
    })]
}

pub(super) fn json_string(story: &Story) -> Vec<Value> {
    let mut dialects = DIALECTS.iter();
    let chat = dialects.find(|dialect| dialect.name == "openai_chat").unwrap();
    let record: Value = serde_json::from_slice(&chat.tell(story, false).bytes).unwrap();
    let tools = json!([{"type": "function", "function": {"name": "look_up"}}]);
    vec![
        json!({"uuid": "u-1", "messages": record["messages"].to_string(), "tools": tools.to_string()}),
    ]
}

/// The last answer of a chat, beside the messages before it.
pub(super) fn logged_call(story: &Story) -> Vec<Value> {
    let mut dialects = DIALECTS.iter();
    let chat = dialects.find(|dialect| dialect.name == "openai_chat").unwrap();
    let record: Value = serde_json::from_slice(&chat.tell(story, false).bytes).unwrap();
    let mut messages = record["messages"].as_array().unwrap().clone();
    let answer = messages.pop().unwrap();
    let response =
        json!({"object": "chat.completion", "choices": [{"index": 0, "message": answer}]});
    vec![json!({"id": "l-1", "model": "gpt-4o", "messages": messages, "response": response})]
}

pub(super) fn text_trajectory(story: &Story) -> Vec<Value> {
    let mut trajectory: Vec<Value> = Vec::new();
    if let Some(text) = &story.system {
        trajectory.push(json!({"role": "system", "system_prompt": text, "text": null}));
    }
    for round in &story.rounds {
        trajectory.push(json!({"role": "user", "text": round.ask, "mask": false}));
        trajectory.push(json!({"role": "ai", "text": round.answer, "mask": true}));
    }
    vec![json!({"instance_id": "i-1", "trajectory": trajectory, "exit_status": "submitted"})]
}

/// Returns the text and the calls of a story of one answer.
fn only_answer(story: &Story) -> (&str, &[Call]) {
    let round = &story.rounds[0];
    match round.exchanges.first() {
        Some(exchange) => (exchange.say.as_deref().unwrap(), &exchange.calls),
        None => (&round.answer, &[]),
    }
}

pub(super) fn openai_batch_output(story: &Story) -> Vec<Value> {
    let (text, calls) = only_answer(story);
    let mut message = json!({"role": "assistant", "content": text});
    let calls: Vec<Value> = calls.iter().map(|call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}})).collect();
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let body = json!({"object": "chat.completion", "model": "gpt-4.1", "choices": [{"index": 0, "message": message}], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}});
    vec![
        json!({"id": "b-1", "custom_id": "r-1", "response": {"status_code": 200, "body": body}, "error": null}),
    ]
}

pub(super) fn anthropic_batch_output(story: &Story) -> Vec<Value> {
    let (text, calls) = only_answer(story);
    let mut blocks = vec![json!({"type": "text", "text": text})];
    blocks.extend(calls.iter().map(|call| json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)})));
    let message = json!({"type": "message", "role": "assistant", "model": "m", "content": blocks});
    vec![json!({"custom_id": "r-1", "result": {"type": "succeeded", "message": message}})]
}

pub(super) fn gemini_batch_output(story: &Story) -> Vec<Value> {
    let (text, calls) = only_answer(story);
    let mut parts = vec![json!({"text": text})];
    parts.extend(
        calls
            .iter()
            .map(|call| json!({"functionCall": {"name": call.tool, "args": arguments(call)}})),
    );
    vec![
        json!({"key": "r-1", "response": {"candidates": [{"content": {"role": "model", "parts": parts}}], "modelVersion": "m"}}),
    ]
}

//! The messages of samples: chat messages whatever the format, and in them what is trained on.

use super::support::{lines, roles};
use crate::harness::Dir;
use serde_json::{Value, json};

/// Samples are chat messages, whatever the log is: calls without ids get some, images are told to
/// be missing.
#[test]
fn other_formats_become_chat_messages() {
    let dir = Dir::new();
    let gemini = r#"{"contents": [{"role": "user", "parts": [{"text": "Weather?"}]}, {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {"city": "Oslo"}}}]}, {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"t": 4}}}]}, {"role": "model", "parts": [{"text": "Four."}]}]}"#;
    let anthropic = r#"{"id": "a", "messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}, {"type": "text", "text": "Which?"}]}, {"role": "assistant", "content": [{"type": "tool_use", "id": "u1", "name": "look", "input": {"at": 1}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u1", "content": "a map"}]}, {"role": "assistant", "content": "A map."}]}"#;
    dir.write("g.jsonl", format!("{gemini}\n")).write("h.jsonl", format!("{anthropic}\n"));
    dir.epitome("replay g.jsonl h.jsonl -o out --segments --train-key train").ok();
    assert!(
        dir.read("out/segments.jsonl")
            .contains("\"image_url\": {\"url\": \"data:image/png;base64,iVBORw0KGgo=\"}")
    );
    for sample in lines(&dir, "out/segments.jsonl") {
        assert_eq!(roles(&sample), ["user", "assistant", "tool", "assistant"]);
        let (call, result) = (&sample["messages"][1]["tool_calls"][0], &sample["messages"][2]);
        assert!(
            result["content"]
                .as_str()
                .is_some_and(|content| content.contains("map") || content.contains("\"t\": 4")),
            "{result}"
        );
        assert!(
            call["id"].as_str().is_some_and(|id| !id.is_empty())
                && call["id"] == result["tool_call_id"]
        );
        assert!(
            serde_json::from_str::<Value>(call["function"]["arguments"].as_str().unwrap())
                .unwrap()
                .is_object()
        );
        assert_eq!(
            (&sample["messages"][1]["train"], &sample["messages"][3]["train"]),
            (&true.into(), &true.into())
        );
    }
}

/// Samples of other formats are what `convert` makes of them: an answer that is logged in pieces is
/// one, each call has its result.
#[test]
fn an_answer_in_pieces_is_one_message_and_what_is_empty_or_unwanted_is_not_trained_on() {
    let dir = Dir::new();
    let responses = r#"{"model": "m", "input": [{"role": "user", "content": "List"}, {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Use ls."}]}, {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": "{}"}, {"type": "function_call", "call_id": "c2", "name": "pwd", "arguments": "{}"}, {"type": "function_call_output", "call_id": "c1", "output": "a"}, {"type": "function_call_output", "call_id": "c2", "output": "/x"}, {"role": "assistant", "content": [{"type": "output_text", "text": "One."}]}]}"#;
    let sharegpt = r#"{"conversations": [{"from": "human", "value": "q"}, {"from": "function_call", "value": "[{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"g\", \"arguments\": {}}]"}, {"from": "observation", "value": "[1, 2]"}, {"from": "gpt", "value": "ok"}]}"#;
    dir.write("r.jsonl", format!("{responses}\n")).write("s.jsonl", format!("{sharegpt}\n"));
    dir.epitome("replay r.jsonl s.jsonl -o out --segments").ok();
    for sample in lines(&dir, "out/segments.jsonl") {
        assert_eq!(roles(&sample), ["user", "assistant", "tool", "tool", "assistant"], "{sample}");
        let ids: Vec<&Value> =
            (0..2).map(|call| &sample["messages"][1]["tool_calls"][call]["id"]).collect();
        assert_eq!(
            [&sample["messages"][2]["tool_call_id"], &sample["messages"][3]["tool_call_id"]],
            [ids[0], ids[1]]
        );
        assert!(
            sample["messages"][1]["content"].is_null(),
            "what the model thought is no answer: {sample}"
        );
    }
    let thinking = r#"{"tools": [{"name": "t", "input_schema": {"type": "object"}}], "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]}, {"role": "user", "content": "q?"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "u", "name": "t", "input": {}}]}]}"#;
    let unwanted = r#"{"messages": [{"role": "user", "content": [{"type": "text", "value": "q"}], "loss_weight": 0.0}, {"role": "assistant", "content": [{"type": "text", "value": "BAD"}], "loss_weight": 0.0}, {"role": "user", "content": [{"type": "text", "value": "q"}], "loss_weight": 0.0}, {"role": "assistant", "content": [{"type": "text", "value": "GOOD"}], "loss_weight": 1.0}]}"#;
    let marked = r#"{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "BAD", "train": false}, {"role": "user", "content": "q"}, {"role": "assistant", "content": "GOOD"}]}"#;
    for (name, record) in [("t.jsonl", thinking), ("u.jsonl", unwanted), ("m.jsonl", marked)] {
        dir.write(name, format!("{record}\n"));
        let out =
            dir.epitome(&format!("replay {name} -o {name}-out --segments --train-key train")).ok();
        if name == "t.jsonl" {
            out.says(["left out of samples", "block thinking"]);
        }
    }
    let sample = &lines(&dir, "t.jsonl-out/segments.jsonl")[0];
    assert_eq!(roles(sample), ["user", "user", "assistant"]);
    assert_eq!(sample["tools"][0]["function"]["name"], "t", "tools come along");
    for name in ["u.jsonl-out", "m.jsonl-out"] {
        let sample = &lines(&dir, &format!("{name}/segments.jsonl"))[0];
        assert_eq!(
            [&sample["messages"][1]["train"], &sample["messages"][3]["train"]],
            [&json!(false), &json!(true)],
            "{sample}"
        );
    }
}

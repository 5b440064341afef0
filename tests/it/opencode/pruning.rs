//! Pruned results: their placeholder, the archive and the way back.

use super::support::{PLACEHOLDER, cases, messages, planned};
use crate::harness::Dir;
use crate::originals::restored;
use serde_json::{Value, json};

#[test]
fn what_is_pruned_is_replaced_and_can_be_read_and_put_back() {
    let cases = cases();
    let pruning = cases
        .iter()
        .filter(|case| case["pruned"].as_array().is_some_and(|pruned| !pruned.is_empty()));
    for case in pruning.step_by(5) {
        let (dir, plan) = planned(case);
        dir.epitome("compact in.jsonl -o out --config policy.toml").ok();
        let before = messages(case);
        let after: Value = serde_json::from_slice(&dir.bytes("out/in.jsonl")).unwrap();
        let after = after["messages"].as_array().unwrap();
        assert_eq!(after.len(), before.len(), "{}", case["name"]);
        let history = dir.read("out/conversation_history/t.md");
        for (index, (before, after)) in before.iter().zip(after).enumerate() {
            let pruned = case["pruned"].as_array().unwrap().contains(&json!(index));
            let mut wanted = before.clone();
            if pruned {
                wanted["content"] = json!(PLACEHOLDER);
                assert!(
                    history.contains(before["content"].as_str().unwrap()),
                    "{}: message {index} is not in the history",
                    case["name"]
                );
            }
            assert_eq!(*after, wanted, "{}: message {index}", case["name"]);
        }
        let entry = &dir.entries()[0];
        assert_eq!(entry["pruned"], json!(case["pruned"].as_array().unwrap().len()));
        assert_eq!(entry["tokens_after"], plan["tokens_after"]);
        let restored =
            restored(&dir.bytes("out/in.jsonl"), &dir.path("out/originals/in.jsonl.originals"));
        assert_eq!(restored, dir.bytes("in.jsonl"), "{}", case["name"]);
    }
}

#[test]
fn attachments_of_a_cleared_result_go_along() {
    let dir = Dir::new();
    let content = json!([{"type": "text", "text": "x".repeat(200)}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]);
    let messages = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "screen", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": content},
    ]);
    dir.write("in.jsonl", json!({"thread_id": "t", "messages": messages}).to_string() + "\n");
    dir.write("policy.toml", "[prune]\nskip_turns = 0\nprotect = 0\nminimum = 0\n");
    dir.epitome("compact in.jsonl -o out --config policy.toml").ok();
    let after: Value = serde_json::from_slice(&dir.bytes("out/in.jsonl")).unwrap();
    assert_eq!(after["messages"][2]["content"], PLACEHOLDER);
    let again: Value = serde_json::from_slice(
        &dir.epitome("plan out/in.jsonl --json --config policy.toml").ok().stdout,
    )
    .unwrap();
    assert_eq!(
        (&again["tokens_before"], &again["status"]),
        (&dir.entries()[0]["tokens_after"], &json!("unchanged")),
        "what was cleared stays"
    );
}

#[test]
fn two_results_of_one_call_are_those_of_its_tool_in_a_replay_too() {
    let dir = Dir::new();
    let call = json!({"role": "assistant", "content": "I look", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "grep", "arguments": "{}"}}]});
    let result = |text: &str| json!({"role": "tool", "tool_call_id": "c1", "content": text});
    let long = "one more line of it, ".repeat(60);
    let messages = [call, result("first"), result(&long)];
    dir.write("in.jsonl", json!({"thread_id": "t", "messages": messages}).to_string() + "\n");
    let pruned = |tools: &str| {
        dir.write(
            "policy.toml",
            format!("preset = \"opencode-seed\"\n[evict]\ntokens = 238\n[prune]\nprotect = 1\nminimum = 1\nskip_turns = 0\nprotect_tools = {tools}\n"),
        );
        dir.epitome("replay in.jsonl -o out --force --config policy.toml").ok();
        let calls = dir.read("out/replay.jsonl");
        let last: Value = serde_json::from_str(calls.lines().last().unwrap()).unwrap();
        last["pruned_results"].as_u64()
    };
    assert_eq!(pruned("[]"), Some(2));
    assert_eq!(pruned("[\"grep\"]"), None);
}

#[test]
fn a_summary_behind_a_kept_result_does_not_age_it() {
    let dir = Dir::new();
    let call = json!({"role": "assistant", "content": "I look", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "grep", "arguments": "{}"}}]});
    let result =
        json!({"role": "tool", "tool_call_id": "c1", "content": "one line of it, ".repeat(60)});
    let report = |part: usize| json!({"role": "assistant", "content": format!("Part {part}: {}", "and so on. ".repeat(20))});
    let messages = [call, result, report(1), report(2)];
    dir.write("in.jsonl", json!({"thread_id": "t", "messages": messages}).to_string() + "\n");
    dir.write(
        "policy.toml",
        "preset = \"openhands\"\n[summarize]\nkeep_first = 2\ntrigger = [{ messages = 4 }]\nkeep = { messages = 1 }\nframe = \"opencode\"\n\
         [prune]\nenabled = true\nprotect = 10\nminimum = 10\nskip_turns = 1\nevery_result = true\n",
    );
    dir.epitome("compact in.jsonl -o out --config policy.toml").ok();
    let after: Value = serde_json::from_slice(&dir.bytes("out/in.jsonl")).unwrap();
    assert_eq!(after["messages"][1], messages[1], "{after}");
    assert_eq!(after["messages"][2]["role"], "user", "{after}");
    let again = dir.epitome("plan out/in.jsonl --json --config policy.toml").ok();
    let again: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["messages"][1]["fate"], "kept", "{again}");
}

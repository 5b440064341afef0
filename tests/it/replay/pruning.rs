//! When results are pruned in a replay.

use super::support::{called, calls, lines, said};
use crate::harness::Dir;
use serde_json::{Value, json};

/// OpenCode clears where the agent has ended its turn, in one go, and what it cleared stays so
/// until as much can go again.
#[test]
fn what_is_cleared_stays_so_and_goes_at_the_end_of_a_turn() {
    let dir = Dir::new();
    let mut messages = Vec::new();
    for turn in 0..10 {
        messages.push(json!({ "role": "user", "content": "on" }));
        messages.extend(called(turn, &json!("r".repeat(400))));
        messages.push(json!({ "role": "assistant", "content": "done" }));
    }
    dir.write("in.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": messages })));
    // A result has 100 tokens: of those before the last two turns one stays, and at least two go at
    // once.
    let policy = "counter = \"utf16\"\n[summarize]\ntrigger = []\n[prune]\nprotect = 150\nminimum = 150\nskip_turns = 2\n";
    for (each_call, wanted) in
        [(false, [0, 0, 0, 0, 0, 2, 2, 4, 4, 6]), (true, [0, 0, 0, 0, 2, 2, 4, 4, 6, 6])]
    {
        let out = format!("out-{each_call}");
        dir.write("policy.toml", format!("{policy}each_call = {each_call}\n"));
        dir.epitome(&format!("replay in.jsonl -o {out} --config policy.toml")).ok();
        let calls = lines(&dir, &format!("{out}/replay.jsonl"));
        let pruned = |call: &Value| call["pruned_results"].as_u64().unwrap_or(0);
        let seen: Vec<[u64; 2]> =
            calls.chunks(2).map(|turn| [pruned(&turn[0]), pruned(&turn[1])]).collect();
        assert_eq!(seen, wanted.map(|count| [count; 2]));
        let breaks: Vec<bool> = wanted.windows(2).map(|turns| turns[0] != turns[1]).collect();
        let broken: Vec<bool> =
            calls.iter().step_by(2).skip(1).map(|call| call["cache"] == "broken").collect();
        assert_eq!(broken, breaks, "only where results go");
        let archive = dir.read(&format!("{out}/conversation_history/t.md"));
        assert_eq!(archive.matches("## Pruned at").count() as u64, wanted[9] / 2);
    }
}

/// A turn of the agent has ended where it spoke since the user did: what a system message says
/// between is no turn.
#[test]
fn nothing_is_cleared_before_the_agent_has_spoken_again() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "a" })];
    messages.extend(called(0, &json!("r".repeat(4000))));
    messages.extend([
        said("assistant", "done"),
        said("user", "b"),
        said("system", "n"),
        said("user", "c"),
        said("assistant", "d"),
        said("user", "e"),
    ]);
    dir.write("in.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": messages })));
    dir.write("policy.toml", "[prune]\nprotect = 0\nminimum = 0\nskip_turns = 1\n");
    dir.epitome("replay in.jsonl -o out --config policy.toml").ok();
    let pruned: Vec<u64> =
        calls(&dir).iter().map(|call| call["pruned_results"].as_u64().unwrap_or(0)).collect();
    assert_eq!(pruned, [0, 0, 0, 1]);
}

/// Two calls of one answer may have one id: their results come in the order of the calls.
#[test]
fn a_result_is_that_of_its_own_call_where_ids_repeat() {
    let dir = Dir::new();
    let call = |name: &str| json!({ "id": "x", "type": "function", "function": { "name": name, "arguments": "{}" } });
    for (names, kept) in
        [(["bash", "skill"], "second"), (["skill", "bash"], "first"), (["bash", "bash"], "")]
    {
        let results = ["first", "second"].map(|text| json!({ "role": "tool", "tool_call_id": "x", "content": format!("{text} {}", "r".repeat(400)) }));
        let mut messages = vec![
            json!({ "role": "user", "content": "a" }),
            json!({ "role": "assistant", "content": null, "tool_calls": names.map(call) }),
        ];
        messages.extend(results);
        messages.extend(["assistant", "user"].map(|role| json!({ "role": role, "content": "b" })));
        dir.write("in.jsonl", format!("{}\n", json!({ "messages": messages })));
        dir.write("policy.toml", "[prune]\nprotect = 0\nminimum = 0\nskip_turns = 1\n");
        let plan: Value = serde_json::from_slice(
            &dir.epitome("plan in.jsonl --json --config policy.toml").ok().stdout,
        )
        .unwrap();
        let pruned: Vec<u64> = plan["edits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| edit["message"].as_u64().unwrap())
            .collect();
        let wanted: Vec<u64> = [("first", 2), ("second", 3)]
            .into_iter()
            .filter(|(text, _)| *text != kept)
            .map(|(_, index)| index)
            .collect();
        assert_eq!(pruned, wanted, "{names:?}");
    }
}

/// A result in many parts is more text than the message counts: between the parts there are line
/// ends.
#[test]
fn a_result_in_parts_is_pruned_in_a_replay_where_plan_prunes_it() {
    let dir = Dir::new();
    let parts = vec![json!({ "type": "text", "text": "x0" }); 100];
    let messages: Vec<Value> = std::iter::once(json!({ "role": "user", "content": "go" }))
        .chain(called(0, &json!(parts)))
        .collect();
    dir.write("in.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": messages })));
    dir.write("policy.toml", "counter = \"utf16\"\n[prune]\nprotect = 60\nminimum = 0\nskip_turns = 0\neach_call = true\n");
    let planned: Value = serde_json::from_str(
        dir.epitome("plan in.jsonl --config policy.toml --json")
            .ok()
            .stdout()
            .lines()
            .next()
            .unwrap(),
    )
    .unwrap();
    dir.epitome("replay in.jsonl -o out --config policy.toml").ok();
    let last = calls(&dir).pop().unwrap();
    assert_eq!(
        (&last["total_tokens"], &last["pruned_results"]),
        (&planned["total_tokens"], &1.into())
    );
}

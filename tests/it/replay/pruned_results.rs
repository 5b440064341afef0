//! The trace that pruned results leave in calls, samples and the archive.

use super::support::{called, calls, lines};
use crate::harness::Dir;
use serde_json::{Value, json};

/// What prune cleared is cleared in the training data, too, and stands in the archive.
#[test]
fn pruned_results_are_sent_cleared_trained_on_cleared_and_archived_once() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "look" })];
    for number in 0..8 {
        messages.extend(called(number, &json!(format!("result {number} {}", "word ".repeat(100)))));
        messages.push(json!({ "role": "assistant", "content": format!("answer {number}") }));
        messages.push(json!({ "role": "user", "content": "on" }));
    }
    dir.write("in.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": messages })));
    dir.write("policy.toml", "[prune]\nprotect = 200\nminimum = 50\n");
    dir.epitome("replay in.jsonl -o out --config policy.toml --segments").ok();
    let archive = dir.read("out/conversation_history/t.md");
    assert_eq!(
        archive.matches("result 0 ").count(),
        1,
        "archived once, though every later call clears it again"
    );
    let samples = lines(&dir, "out/segments.jsonl");
    let last = samples.last().unwrap().to_string();
    assert!(
        last.contains("[Old tool result content cleared]")
            && !last.contains("result 0 ")
            && last.contains("answer 7"),
        "{last}"
    );
    let calls = lines(&dir, "out/replay.jsonl");
    let last = calls.last().unwrap();
    assert!(
        last["tokens_sent"].as_u64().unwrap() < last["tokens_logged"].as_u64().unwrap(),
        "{last}"
    );
    let answered = &calls[calls.len() - 2];
    assert_eq!(
        answered["pruned_results"],
        samples.last().unwrap().to_string().matches("result content cleared").count()
    );
    assert!(
        calls.iter().all(|call| call["reasons"].is_null()),
        "the running sums know it, no call is planned anew"
    );
}

/// Stage overflow prunes what is large, wherever it stands; what stage prune clears later lies
/// before that.
#[test]
fn what_is_pruned_after_an_overflow_is_archived_too() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "go" })];
    let results = [
        "port 4711".to_owned(),
        "BIG1 ".repeat(160),
        "BIG2 ".repeat(160),
        "BIG3 ".repeat(160),
        "BIG4 ".repeat(160),
        "small result".to_owned(),
    ];
    for (number, result) in results.iter().enumerate() {
        messages.extend(called(number, &json!(result)));
    }
    messages.push(json!({ "role": "assistant", "content": "done" }));
    dir.write("in.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": messages })));
    dir.write(
        "policy.toml",
        "[evict]\ntokens = 0\n[truncate]\ntrigger = []\n[summarize]\ntrigger = []\n[prune]\nprotect = 60\nminimum = 500\nskip_turns = 0\neach_call = true\n",
    );
    dir.epitome(
        "replay in.jsonl -o out --config policy.toml --max-tokens 400 --summarizer none --per-call",
    )
    .run();
    let sent = dir.read("out/segments.jsonl");
    let last = sent.lines().last().unwrap();
    assert!(
        !last.contains("4711") && !last.contains("BIG3") && last.contains("BIG4"),
        "the last call: {last}"
    );
    let archive = dir.read("out/conversation_history/t.md");
    for (number, result) in results.iter().enumerate().take(4) {
        assert_eq!(archive.matches(result.as_str()).count(), 1, "result {number}");
    }
}

/// What the summary stands for is not sent as a placeholder.
#[test]
fn only_what_is_sent_cleared_is_told_as_pruned() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "go" })];
    for number in 0..12 {
        messages.extend(called(number, &json!(format!("R{number} {}", "word ".repeat(256)))));
    }
    messages.push(json!({ "role": "assistant", "content": "done" }));
    dir.write("in.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": messages })));
    let policy = "[evict]\ntokens = 0\n[truncate]\ntrigger = []\n[summarize]\ntrigger = [{ messages = 16 }]\nkeep = { messages = 8 }\n[prune]\nprotect = 400\nminimum = 900\nskip_turns = 0\neach_call = true\n";
    dir.write("policy.toml", policy)
        .epitome("replay in.jsonl -o out --config policy.toml --per-call")
        .ok();
    let samples = lines(&dir, "out/segments.jsonl");
    let (mut summarized, mut before) = (0, Vec::new());
    for (call, sample) in calls(&dir).iter().zip(&samples) {
        let cleared = sample.to_string().matches("[Old tool result content cleared]").count();
        assert_eq!(call["pruned_results"].as_u64().unwrap_or(0) as usize, cleared, "{call}");
        summarized += usize::from(call["summarized"] == true && cleared > 0);
        let is_cleared =
            |message: &&Value| message["content"] == "[Old tool result content cleared]";
        let results: Vec<Value> = sample["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| message["role"] == "tool")
            .cloned()
            .collect();
        let again = results
            .iter()
            .filter(|now| !is_cleared(now))
            .find(|now| before.contains(&now["tool_call_id"]));
        assert_eq!(again, None, "cleared before, also where a summary came since");
        before
            .extend(results.iter().filter(is_cleared).map(|result| result["tool_call_id"].clone()));
    }
    assert!(summarized > 0, "a call that does both");
}

//! Stage prune by the number of results, as LangChain's `ClearToolUsesEdit` and Anthropic's
//! servers clear them.

use crate::harness::Dir;
use serde_json::{Value, json};

fn called(name: &str, ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"p\": 1}"}}))
        .collect();
    json!({"role": "assistant", "content": "", "tool_calls": calls})
}

fn result(id: &str, length: usize) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "x".repeat(length)})
}

/// The results whose text is the placeholder.
fn cleared(messages: &Value) -> Vec<String> {
    let messages = messages["messages"].as_array().unwrap().iter();
    messages
        .filter(|message| message["content"] == "[cleared]")
        .map(|message| message["tool_call_id"].as_str().unwrap().to_owned())
        .collect()
}

/// Six results of 100 tokens each, and what is odd about some of them.
fn six() -> Vec<Value> {
    vec![
        json!({"role": "system", "content": "s".repeat(4000)}),
        json!({"role": "user", "content": "go"}),
        called("read", &["c1", "c2"]),
        result("c1", 400),
        result("c2", 400),
        called("search", &["c3"]),
        json!({"role": "assistant", "content": "no call here"}),
        result("c3", 400),
        called("bash", &["c4"]),
        result("c4", 400),
        called("read", &["c5"]),
        result("c5", 400),
        called("read", &["c6"]),
        result("c6", 400),
    ]
}

fn compact(dir: &Dir, messages: &[Value], preset: &str, prune: &str) -> Value {
    dir.write("in.jsonl", json!({"thread_id": "t", "messages": messages}).to_string() + "\n");
    dir.write(
        "p.toml",
        format!("preset = \"{preset}\"\n[prune]\nplaceholder = \"[cleared]\"\n{prune}\n"),
    );
    dir.epitome("compact in.jsonl -o out --config p.toml --force").ok();
    dir.epitome("restore out -o back --force").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
    serde_json::from_str(&dir.read("out/in.jsonl")).unwrap()
}

const LANGCHAIN: &str = "langchain-context-editing";

#[test]
fn all_results_but_the_newest_go_if_they_answer_the_answer_before_them() {
    let dir = Dir::new();
    let of = |prune: &str| cleared(&compact(&dir, &six(), LANGCHAIN, prune));
    // c3 comes behind another answer.
    assert_eq!(of("trigger = 0"), ["c1", "c2"]);
    assert_eq!(of("trigger = 0\nkeep = 0"), ["c1", "c2", "c4", "c5", "c6"]);
    assert_eq!(of("trigger = 0\nkeep = 6"), [""; 0]);
    // What is excluded counts among the newest.
    assert_eq!(of("trigger = 0\nkeep = 1\nprotect_tools = [\"read\"]"), ["c4"]);
    assert_eq!(of("results = 7"), [""; 0]);
    assert_eq!(of("results = 6\nkeep = 5"), ["c1"]);
}

#[test]
fn the_trigger_is_strict_and_looks_at_messages_alone() {
    let dir = Dir::new();
    compact(&dir, &six(), LANGCHAIN, "trigger = 0\nkeep = 6");
    let entry = &dir.entries()[0];
    let all = entry["tokens_before"].as_u64().unwrap();
    // The system prompt: 4000 characters, its role, and 3.
    let tokens = all - (4006_u64.div_ceil(4) + 3);
    let of =
        |trigger: u64| cleared(&compact(&dir, &six(), LANGCHAIN, &format!("trigger = {trigger}")));
    assert_eq!(of(tokens), [""; 0]);
    assert_eq!(of(tokens - 1), ["c1", "c2"]);
}

#[test]
fn the_least_to_clear_ends_the_clearing_or_is_needed() {
    let dir = Dir::new();
    let of = |least: u32, meaning: &str| {
        let prune = format!(
            "trigger = 0\nkeep = 0\nclear_at_least = {least}\nat_least = \"{meaning}\"\nmeasure = \"messages\""
        );
        cleared(&compact(&dir, &six(), LANGCHAIN, &prune))
    };
    assert_eq!(of(150, "stop"), ["c1", "c2"]);
    assert_eq!(of(9999, "stop").len(), 5);
    assert_eq!(of(150, "need").len(), 5);
    assert_eq!(of(9999, "need"), [""; 0]);
}

#[test]
fn arguments_go_with_their_results() {
    let dir = Dir::new();
    let prune = "trigger = 0\nkeep = 4\nclear_inputs = true";
    let compacted = compact(&dir, &six(), LANGCHAIN, prune);
    let arguments = |index: usize, call: usize| {
        compacted["messages"][index]["tool_calls"][call]["function"]["arguments"].clone()
    };
    assert_eq!([arguments(2, 0), arguments(2, 1)], ["{}", "{}"]);
    assert_eq!(arguments(5, 0), "{\"p\": 1}");
    let history = dir.read("out/conversation_history/t.md");
    assert!(history.contains("{'p': 1}"), "{history}");
    let entry = &dir.entries()[0];
    let (before, after) = (&entry["tokens_before"], &entry["tokens_after"]);
    let saved = before.as_u64().unwrap() - after.as_u64().unwrap();
    // Two results of 400 characters become 9, and the arguments of their message lose 12.
    assert_eq!(saved, 2 * 98 + 3);
}

#[test]
fn a_marked_result_and_one_of_an_invalid_call_stay() {
    let dir = Dir::new();
    let mut messages = six();
    messages[3]["response_metadata"] = json!({"context_editing": {"cleared": true}});
    messages[2]["tool_calls"][1]["function"]["arguments"] = json!("{broken");
    let compacted = compact(&dir, &messages, LANGCHAIN, "trigger = 0\nkeep = 1");
    assert_eq!(cleared(&compacted), ["c4", "c5"]);
}

#[test]
fn anthropic_needs_what_the_log_reports_or_the_whole_call() {
    let dir = Dir::new();
    let of = |messages: &[Value], trigger: u32| {
        let prune = format!("trigger = {trigger}");
        cleared(&compact(&dir, messages, "anthropic-clear", &prune))
    };
    // With the system prompt the call has about 2,000 tokens of 3.3 characters.
    assert_eq!(of(&six(), 1500), ["c1", "c2"]);
    let mut messages = six();
    messages[12]["usage_metadata"] =
        json!({"input_tokens": 900, "output_tokens": 100, "total_tokens": 1000});
    assert_eq!(of(&messages, 1500), [""; 0]);
    assert_eq!(of(&messages, 999), ["c1", "c2"]);
}

#[test]
fn a_replay_decides_for_each_call_anew() {
    let dir = Dir::new();
    dir.write("in.jsonl", json!({"thread_id": "t", "messages": six()}).to_string() + "\n");
    dir.write("p.toml", format!("preset = \"{LANGCHAIN}\"\n[prune]\ntrigger = 0\nkeep = 2\n"));
    dir.epitome("replay in.jsonl -o out --config p.toml --per-call").ok();
    let calls: Vec<Value> = dir
        .read("out/replay.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let pruned: Vec<u64> =
        calls.iter().map(|call| call["pruned_results"].as_u64().unwrap_or(0)).collect();
    // Of 0, 2, 2, 3, 4, 5 and 6 results all but two, and never c3.
    assert_eq!(pruned, [0, 0, 0, 1, 2, 2, 3]);
    let tokens = |key: &str| {
        let last = calls.last().unwrap();
        last[key].as_u64().unwrap()
    };
    dir.epitome("compact in.jsonl -o compacted --config p.toml").ok();
    let report: Value = serde_json::from_str(&dir.read("compacted/report.json")).unwrap();
    assert_eq!(report["transcripts"][0]["tokens_after"], tokens("tokens_sent"));
    let history = dir.read("out/conversation_history/t.md");
    assert_eq!(history.matches("xxxx\n").count(), 3, "{history}");
}

/// Where nothing is marked, SWE-agent's rule takes the task for the first observation. What a user
/// says later is none, and a summary in the place of the task is all that is left of it.
#[test]
fn neither_a_users_words_nor_a_summary_go_as_old_observations() {
    let dir = Dir::new();
    let mut messages = vec![called("bash", &["c0"]), result("c0", 40)];
    messages.extend(six().into_iter().skip(1));
    let first_user = json!({"role": "user", "content": "go"});
    let sent = compact(&dir, &messages, "swe-agent-last-n", "keep = 2");
    assert_eq!(cleared(&sent), ["c1", "c2", "c3", "c4"], "the first stays");
    assert!(sent["messages"].as_array().unwrap().contains(&first_user));
    // Also where nothing else of the oldest stays.
    let sent = compact(&dir, &messages[2..], "swe-agent-last-n", "keep = 2\nkeep_first = 0");
    assert!(sent["messages"].as_array().unwrap().contains(&first_user));
    let summary =
        "Here is a summary of the conversation to date:\n\nThe user wants the fare of Oslo.";
    let summary = json!({"role": "user", "content": summary});
    messages.splice(..3, [summary.clone()]);
    let sent = compact(&dir, &messages, "swe-agent-last-n", "keep = 2\nkeep_first = 0");
    assert_eq!(cleared(&sent), ["c1", "c2", "c3", "c4"]);
    assert_eq!(sent["messages"][0], summary);
}

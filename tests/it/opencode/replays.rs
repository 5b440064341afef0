//! What a replay sends under OpenCode's rules.

use crate::harness::Dir;
use serde_json::{Value, json};

const POLICY: &str = "preset = \"opencode\"\n[overflow]\ncontext = 100000\noutput = 100\n[summarize]\non_growth = \"allow\"\nkeep = { turns = 1, tokens = 4000 }\n";

fn ask(number: usize) -> Value {
    json!({"role": "user", "content": format!("question {number}")})
}

fn say(words: &str, used: u64) -> Value {
    let usage = json!({"prompt_tokens": used, "completion_tokens": 0});
    json!({"role": "assistant", "content": words, "usage": usage})
}

/// A call with a result of 100 tokens.
fn read(number: usize) -> [Value; 2] {
    let id = format!("c{number}");
    let call =
        json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": "{}"}});
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 0});
    [
        json!({"role": "assistant", "content": null, "tool_calls": [call], "usage": usage}),
        json!({"role": "tool", "tool_call_id": id, "content": "r".repeat(400)}),
    ]
}

fn replay(messages: &[Value], policy: &str, options: &str) -> (Dir, Vec<Value>) {
    let dir = Dir::new();
    let record = json!({"thread_id": "t", "messages": messages});
    dir.write("in.jsonl", record.to_string() + "\n");
    dir.write("policy.toml", policy);
    dir.epitome(&format!("replay in.jsonl -o out --config policy.toml {options}")).ok();
    let calls = dir.read("out/replay.jsonl");
    let calls = calls.lines().map(|line| serde_json::from_str(line).unwrap());
    let calls = calls.collect();
    (dir, calls)
}

#[test]
fn results_of_a_kept_tail_are_older_than_the_summary() {
    let mut messages = vec![ask(0), say("zero", 10), ask(1)];
    messages.extend(read(1));
    messages.push(say("one", 99_950));
    for number in [2, 3] {
        messages.push(ask(number));
        messages.extend(read(number));
        messages.push(say("more", 10));
    }
    for number in [4, 5, 6] {
        messages.extend([ask(number), say("end", 10)]);
    }
    let pruned = |stored_order: bool| {
        let prune =
            format!("[prune]\nprotect = 150\nminimum = 50\nstored_order = {stored_order}\n");
        let (_dir, calls) = replay(&messages, &format!("{POLICY}{prune}"), "");
        let summaries = calls.iter().filter(|call| call["summarized"] == true);
        assert_eq!(summaries.count(), 1);
        calls.last().unwrap()["pruned_results"].clone()
    };
    assert_eq!(pruned(true), 1, "the summary ends the scan, and the tail stands before it");
    assert_eq!(pruned(false), 2);
}

#[test]
fn a_sample_never_loses_the_question_that_it_answers() {
    let mut messages = Vec::new();
    for number in 0..4 {
        messages.extend([ask(number), say(&"word ".repeat(900), 99_950)]);
    }
    messages.extend([
        json!({"role": "user", "content": "large question ".repeat(3000)}),
        say("the answer", 10),
    ]);
    let (dir, calls) = replay(&messages, POLICY, "--segments");
    assert!(calls.iter().skip(1).all(|call| call["summarized"] == true));
    let samples = dir.read("out/segments.jsonl");
    let last: Value = serde_json::from_str(samples.lines().last().unwrap()).unwrap();
    let last = last["messages"].as_array().unwrap();
    let [.., question, answer] = last.as_slice() else { panic!("{last:?}") };
    assert_eq!(answer["content"], "the answer");
    assert_eq!(question["content"], messages[8]["content"]);
}

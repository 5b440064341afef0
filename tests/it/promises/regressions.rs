//! Inputs on which a promise was once not kept: each is a regression test.

use crate::promises::support::{Place, json_lines};
use serde_json::{Value, json};
use std::fs;

const GOOD: &str = "{\"messages\": [{\"role\": \"user\", \"content\": \"good\"}]}";
const QUIET: &str = "[summarize]\ntrigger = []\n";

/// How many transcripts `plan` finds in an input.
fn found(input: &str) -> usize {
    json_lines(&Place::new(input.as_bytes(), QUIET).plan("in.jsonl", "policy.toml")).len()
}

#[test]
fn a_broken_element_of_an_array_costs_only_itself() {
    assert_eq!(
        found(&format!("[{GOOD}, {{\"messages\": [{{\"role\": \"user\" 1}}]}}, {GOOD}]")),
        2
    );
}

#[test]
fn a_bad_first_element_of_an_array_costs_only_itself() {
    assert_eq!(found(&format!("[{{\"no\": 1}}, {GOOD}]")), 1);
}

#[test]
fn many_bad_lines_at_the_start_cost_only_themselves() {
    assert_eq!(found(&format!("{}{GOOD}\n", "header\n".repeat(20))), 1);
}

#[test]
fn a_cut_first_line_before_a_long_one_costs_only_itself() {
    let long = GOOD.replace("good", &"x".repeat(1 << 20));
    assert_eq!(found(&format!("{{\"messages\": [\n{long}\n{GOOD}\n")), 2);
}

/// Compacts twice with one policy; the report's entry of the second time.
fn compacted_twice(messages: &Value, policy: &str) -> Value {
    let line = json!({"thread_id": "t", "messages": messages}).to_string();
    let place = Place::new(line.as_bytes(), policy);
    for (input, output) in [("in.jsonl", "once"), ("once/in.jsonl", "twice")] {
        let output = place.compact(input, output, &[]);
        assert!(output.status.success(), "{output:?}");
    }
    let report = fs::read(place.path("twice/report.json")).expect("a report");
    serde_json::from_slice::<Value>(&report).expect("JSON")["transcripts"][0].clone()
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": tool, "arguments": arguments.to_string()}}]})
}

#[test]
fn an_eviction_notice_is_not_evicted_again() {
    let result = (0..30).map(|line| format!("{line} {}\n", "z".repeat(1000))).collect::<String>();
    let messages = json!([{"role": "user", "content": "go"}, call("execute", &json!({})), {"role": "tool", "tool_call_id": "c", "content": result}]);
    let entry = compacted_twice(&messages, "[evict]\ntokens = 100\n");
    assert_eq!(entry["status"], "unchanged", "{entry}");
}

#[test]
fn a_cut_argument_is_not_cut_again() {
    let write = call("write_file", &json!({"path": "a", "content": "w".repeat(500)}));
    let messages = json!([write, {"role": "tool", "tool_call_id": "c", "content": "ok"}, {"role": "user", "content": "go on"}]);
    let entry = compacted_twice(
        &messages,
        "[truncate]\ntrigger = [{ messages = 1 }]\nkeep = { messages = 1 }\nmax_length = 30\n",
    );
    assert_eq!(entry["status"], "unchanged", "{entry}");
}

//! The preset `langchain` beside the live middleware.
//!
//! `fixtures/presets/langchain.jsonl` holds one case a line: messages and tool schemas, a trigger
//! and a keep, and what langchain 1.2.10's `SummarizationMiddleware` found for the messages without
//! their leading system message: its count, and its cutoff if it summarizes.

use crate::harness::Dir;
use serde_json::{Value, json};

const CASES: &str = include_str!("../../fixtures/presets/langchain.jsonl");

fn amount(value: &Value) -> String {
    format!("{}={}", value[0].as_str().unwrap(), value[1])
}

#[test]
fn every_case_is_decided_as_the_middleware_decides() {
    let (mut wrong, mut cases) = (Vec::new(), 0);
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let dir = Dir::new();
        let mut record = json!({"thread_id": "t", "messages": case["messages"]});
        if case["tools"] != json!([]) {
            record["tools"] = case["tools"].clone();
        }
        dir.write("in.jsonl", record.to_string() + "\n");
        dir.write("policy.toml", "[summarize]\non_growth = \"allow\"\n");
        let plan = |more: &str| -> Value {
            let ran = dir
                .epitome(&format!(
                    "plan in.jsonl --json --preset langchain --config policy.toml --trigger {} --keep {} {more}",
                    amount(&case["trigger"]),
                    amount(&case["keep"])
                ))
                .ok();
            serde_json::from_slice(&ran.stdout).unwrap()
        };
        let planned = plan("");
        let edits = planned["edits"].as_array().unwrap();
        let cutoff = edits.first().map_or(Value::Null, |edit| edit["cutoff"].clone());
        let got = (planned["total_tokens"].clone(), cutoff);
        let wanted = (case["total_tokens"].clone(), case["cutoff"].clone());
        if got != wanted {
            wrong.push(format!("{}: {got:?}, not {wanted:?}", case["name"]));
        }
        cases += 1;
    }
    assert!(cases >= 24, "only {cases} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_trigger_counts_is_a_matter_of_two_keys() {
    let dir = Dir::new();
    let tool = json!({"name": "find", "description": "Finds a bag. ".repeat(9)});
    let system = json!({"role": "system", "content": "Be kind. ".repeat(9)});
    let messages = json!([system, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]);
    let record = json!({"thread_id": "t", "messages": messages, "tools": [tool]});
    dir.write("in.jsonl", record.to_string() + "\n");
    let counted = |system: bool, tools: bool| {
        dir.write("policy.toml", format!("[count]\nsystem = {system}\ntools = {tools}\n"));
        let plan = dir.epitome("plan in.jsonl --json --config policy.toml").ok();
        let plan: Value = serde_json::from_slice(&plan.stdout).unwrap();
        let number = |key: &str| plan[key].as_u64().unwrap();
        assert!(number("tokens_before") == number("tokens_after"));
        (number("total_tokens"), number("tokens_before"))
    };
    let (all, call) = counted(true, true);
    assert_eq!(all, call);
    let (messages, same_call) = counted(false, false);
    assert_eq!(same_call, call, "what is sent is the same");
    let (system, tools) = (counted(true, false).0, counted(false, true).0);
    assert!(messages < system && messages < tools);
    assert_eq!(system - messages + tools, all);
}

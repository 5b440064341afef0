//! Large results, evicted at the call that first sends them.

use super::support::{calls, column, lines};
use crate::harness::Dir;
use crate::talk::{log, message, with_result};
use serde_json::{Value, json};

#[test]
fn a_large_result_is_evicted_when_it_arrives() {
    let dir = Dir::new();
    let result = log(200);
    let line = with_result("t", "call_1", &result);
    let open = line.trim_end().strip_suffix("]}").unwrap();
    let line = format!("{open}, {}, {}]}}", message("t", 1), message("t", 2));
    dir.write("in.jsonl", line + "\n").write("policy.toml", "[evict]\ntokens = 1000\n");
    dir.epitome("replay in.jsonl -o out --config policy.toml --segments").ok();
    let calls = calls(&dir);
    assert_eq!(column(&calls, "evicted"), [Value::Null, json!(["call_1"]), Value::Null]);
    assert_eq!(dir.read("out/large_tool_results/t/call_1"), result);
    let sample = &lines(&dir, "out/segments.jsonl")[0];
    assert!(
        sample["messages"][2]["content"].as_str().unwrap().starts_with("Tool result too large")
    );
}

#[test]
fn what_would_not_fit_is_evicted_as_compact_does_it_wherever_it_stands() {
    let dir = Dir::new();
    // The result in the middle is too large by itself; the others go only where the list does not
    // fit.
    let exchange = |id: &str, lines: usize| {
        let call =
            json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}});
        let result =
            json!({"role": "tool", "tool_call_id": id, "content": "some words\n".repeat(lines)});
        [json!({"role": "assistant", "content": null, "tool_calls": [call]}), result]
    };
    let user = |text: &str| [json!({"role": "user", "content": text})];
    let messages: Vec<Value> = user("do it")
        .into_iter()
        .chain(exchange("c1", 180))
        .chain(exchange("c2", 800))
        .chain(exchange("c3", 180))
        .chain(user("and now?"))
        .collect();
    dir.write("in.jsonl", json!({"thread_id": "t", "messages": messages}).to_string());
    dir.write("p.toml", "max_input_tokens = 1100\n[evict]\ntokens = 1000\n[summarize]\ntrigger = [{ tokens = 100000 }]\nkeep = { messages = 6 }\n");
    dir.epitome("compact in.jsonl -o compacted --config p.toml").ok();
    let report: Value = serde_json::from_str(&dir.read("compacted/report.json")).unwrap();
    let compacted = &report["transcripts"][0];
    assert_eq!(compacted["evicted"], json!(["c1", "c2", "c3"]));
    dir.epitome("replay in.jsonl -o out --config p.toml").ok();
    let calls = calls(&dir);
    let last = calls.last().unwrap();
    assert_eq!(
        (&last["tokens_sent"], &last["reasons"]),
        (&compacted["tokens_after"], &compacted["reasons"])
    );
    let entry = &dir.entries()[0];
    assert_eq!(
        (&entry["status"], &entry["evicted"]),
        (&"compacted".into(), &json!(["c2", "c1", "c3"])),
        "in the order of the calls that they are left out of"
    );
    assert_eq!((&calls[2]["evicted"], &last["evicted"]), (&json!(["c2"]), &json!(["c1", "c3"])));
    for result in ["c1", "c2", "c3"] {
        let file = format!("large_tool_results/t/{result}");
        assert_eq!(dir.read(&format!("out/{file}")), dir.read(&format!("compacted/{file}")));
    }
}

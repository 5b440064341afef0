use crate::harness::Dir;
use serde_json::{Value, json};

/// Two conversations: of a model whose encoding is public, and of one whose is not.
fn two_models() -> Dir {
    let dir = Dir::new();
    let talk = |model: &str| json!({ "model": model, "messages": [{ "role": "user", "content": "Don't panic: count 12345 tokens, 你好！" }] });
    dir.write("in.jsonl", format!("{}\n{}\n", talk("openai:gpt-4o"), talk("anthropic:claude-opus-4-5")));
    dir
}

fn rows(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_exact_counter_counts_text_role_and_frame() {
    let rows = rows(two_models().epitome("count --json --counter o200k_base in.jsonl").ok().stdout());
    let text = tiktoken_rs::o200k_base_singleton().encode_ordinary("Don't panic: count 12345 tokens, 你好！").len();
    assert_eq!(rows[0]["counts"]["tokens"], text + 3 + 1);
    assert_eq!(rows[0]["counter"], "o200k_base");
}

#[test]
fn auto_is_exact_where_the_encoding_is_known() {
    let rows = rows(two_models().epitome("count --json --counter auto in.jsonl").ok().stdout());
    assert_eq!([&rows[0]["counter"], &rows[1]["counter"]], ["o200k_base", "approx"]);
}

#[test]
fn compact_and_report_name_the_counter() {
    let dir = two_models();
    dir.epitome("compact in.jsonl -o out --counter cl100k_base").ok();
    assert!(dir.entries().iter().all(|entry| entry["counter"] == "cl100k_base"));
}

#[test]
fn an_estimate_is_shown_beside_the_exact_count() {
    let dir = two_models();
    let plain = dir.epitome("count --compare in.jsonl").ok();
    assert!(plain.stdout().contains("by o200k_base (") && plain.stdout().contains("approx against o200k_base on 1 transcripts"), "{}", plain.stdout());
    let rows = rows(dir.epitome("count --json --compare=r50k_base in.jsonl").ok().stdout());
    assert_eq!(rows[2]["compared"]["transcripts"], 2);
    assert_eq!(rows[0]["compared"]["counter"], "r50k_base");
    let none = dir.epitome("count --compare --model anthropic:claude-opus-4-5 in.jsonl").ok();
    assert!(none.stdout().contains("no transcript was compared"), "{}", none.stdout());
}

#[test]
fn an_unknown_counter_names_the_nearest() {
    two_models().epitome("count --counter o200k in.jsonl").fails(2).says(["--counter", "o200k_base"]);
    two_models().epitome("count --compare=o200k in.jsonl").fails(2).says(["--compare", "o200k_base"]);
}

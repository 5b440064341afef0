//! Counters from `tokenizer.json` files.

use super::support::rows;
use super::support::two_models;
use crate::harness::is_full_program;

/// Where the tokenizer of the tests lies.
const TOKENIZER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tokenizer/tokenizer.json");

#[test]
fn a_tokenizer_json_counts_everywhere() {
    if !is_full_program() {
        return;
    }
    let dir = two_models();
    dir.write("tokenizer.json", std::fs::read(TOKENIZER).unwrap());
    let rows =
        rows(dir.epitome("count --json --counter file:tokenizer.json in.jsonl").ok().stdout());
    let role = 2; // "us" and "er" are tokens of this tokenizer
    assert_eq!(
        (&rows[0]["counter"], &rows[0]["counts"]["tokens"]),
        (&"file:tokenizer.json".into(), &(28 + 3 + role).into())
    );
    dir.write("policy.toml", "counter = \"file:tokenizer.json\"\n");
    dir.epitome("compact in.jsonl -o out --config policy.toml").ok();
    assert!(dir.entries().iter().all(|entry| entry["counter"] == "file:tokenizer.json"));
    dir.epitome("plan in.jsonl --config policy.toml").ok();
    dir.epitome("replay in.jsonl -o replayed --counter file:tokenizer.json").ok();
    assert!(
        dir.epitome("compact in.jsonl -o out --config policy.toml --print-config")
            .ok()
            .stdout()
            .contains("counter = \"file:tokenizer.json\"")
    );
    dir.write("broken.json", "{\"model\": 3}");
    dir.epitome("compact in.jsonl -o none --counter file:broken.json")
        .fails(2)
        .says(["tokenizer broken.json", "not a tokenizer.json"]);
    assert!(!dir.exists("none"));
}

#[test]
fn without_tokenizers_it_is_said_how_to_get_them() {
    if is_full_program() {
        return;
    }
    let dir = two_models();
    dir.epitome(&format!("compact in.jsonl -o none --counter file:{TOKENIZER}"))
        .fails(2)
        .says(["the tokenizer ", "cargo install", "--features full"]);
    assert!(!dir.exists("none"));
}

#[test]
fn a_missing_tokenizer_is_named() {
    let dir = two_models();
    dir.epitome("compact in.jsonl -o none --counter file:nowhere.json")
        .fails(2)
        .says(["can't read the tokenizer nowhere.json"]);
    assert!(!dir.exists("none"));
}

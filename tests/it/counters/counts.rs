//! The counters by name and by model, and the limits that `count` compares with.

use super::support::{rows, two_models};
use crate::harness::Dir;
use serde_json::json;

#[test]
fn an_exact_counter_counts_text_role_and_frame() {
    let rows =
        rows(two_models().epitome("count --json --counter o200k_base in.jsonl").ok().stdout());
    let text = tiktoken_rs::o200k_base_singleton()
        .encode_ordinary("Don't panic: count 12345 tokens, 你好！")
        .len();
    assert_eq!(rows[0]["counts"]["tokens"], text + 3 + 1);
    assert_eq!(rows[0]["counter"], "o200k_base");
}

/// A call that is a block of the content is among the calls of the message, too.
#[test]
fn a_call_counts_once_in_every_dialect() {
    let dir = Dir::new();
    let arguments = json!({"command": "grep -rn pressure sensors/ | sort | uniq -c"});
    let block = json!({"type": "tool_use", "id": "c1", "name": "run", "input": arguments});
    let call = json!({"id": "c1", "type": "function", "function": {"name": "run", "arguments": arguments.to_string()}});
    let asked = json!({"role": "user", "content": "Which sensors?"});
    let anthropic = json!({"messages": [asked, {"role": "assistant", "content": [block]}]});
    let openai =
        json!({"messages": [asked, {"role": "assistant", "content": null, "tool_calls": [call]}]});
    dir.write("in.jsonl", format!("{anthropic}\n{openai}\n"));
    for counter in ["o200k_base", "utf16", "utf16-up", "bytes", "cline"] {
        let counted = dir.epitome(&format!("count --json --counter {counter} in.jsonl"));
        let rows = rows(counted.ok().stdout());
        let tokens = |row: usize| rows[row]["counts"]["tokens"].as_u64().unwrap();
        assert_eq!(tokens(0), tokens(1), "{counter}");
        assert!(tokens(0) < 80, "{counter}: {}", tokens(0));
    }
}

#[test]
fn auto_is_exact_where_the_encoding_is_known() {
    let rows = rows(two_models().epitome("count --json --counter auto in.jsonl").ok().stdout());
    assert_eq!([&rows[0]["counter"], &rows[1]["counter"]], ["o200k_base", "approx"]);
}

#[test]
fn count_knows_limits() {
    let dir = two_models();
    dir.write(
        "mine.tsv",
        "provider\tmodel\tcontext\tinput\toutput\nopenai\tgpt-4o\t9000\t7000\t\n",
    );
    let rows = rows(dir.epitome("count --json --limits mine.tsv in.jsonl").ok().stdout());
    assert_eq!(
        (&rows[0]["model"], &rows[0]["input_limit"]),
        (&"openai:gpt-4o".into(), &7000.into())
    );
    dir.epitome("count --limits nowhere.tsv in.jsonl").fails(2).says(["--limits", "nowhere.tsv"]);
    dir.epitome("count --set strict_model=true in.jsonl").ok();
    dir.epitome("count --set strict_model=true --model gpt-5-2 in.jsonl")
        .fails(2)
        .says(["strict_model", "gpt-5.2"]);
    dir.write(
        "unknown.jsonl",
        r#"{"model": "gtp-4o", "messages": [{"role": "user", "content": "hi"}]}"#,
    );
    dir.epitome("count --set strict_model=true unknown.jsonl")
        .fails(3)
        .says(["unknown.jsonl:1", "strict_model"]);
    dir.epitome("count unknown.jsonl")
        .ok()
        .says(["unknown.jsonl:1: warning:", "gtp-4o", "\"gpt-4o\""]);
    // Also in a quiet run: the triggers are not those that the user may expect.
    dir.epitome("count --quiet unknown.jsonl").ok().says(["gtp-4o"]);
    // Each name once.
    dir.write(
        "unknown.jsonl",
        "{\"model\": \"gtp-4o\", \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}\n"
            .repeat(3),
    );
    let told = dir.epitome("count unknown.jsonl").ok().says(["2 more times"]);
    assert_eq!(told.stderr.matches("unknown.jsonl:").count(), 1, "{}", told.stderr);
    // However many there are: no report has the rest.
    let record = |number: usize| {
        json!({ "model": format!("gtp-{number}x"), "messages": [{ "role": "user", "content": "hi" }] }).to_string() + "\n"
    };
    dir.write("unknown.jsonl", (0..30).map(record).collect::<String>());
    assert_eq!(dir.epitome("count unknown.jsonl").ok().stderr.matches("warning: ").count(), 30);
}

#[test]
fn special_tokens_are_plain_text() {
    let dir = Dir::new();
    let text = "<|endoftext|><|im_start|>user<|fim_prefix|>";
    dir.write("in.jsonl", json!({ "messages": [{ "role": "user", "content": text }] }).to_string());
    let row = &rows(dir.epitome("count --json --counter cl100k_base in.jsonl").ok().stdout())[0];
    assert_eq!(
        row["counts"]["tokens"],
        tiktoken_rs::cl100k_base_singleton().encode_ordinary(text).len() + 3 + 1
    );
}

#[test]
fn an_unknown_counter_names_the_nearest() {
    two_models()
        .epitome("count --counter o200k in.jsonl")
        .fails(2)
        .says(["--counter", "o200k_base"]);
    two_models()
        .epitome("count --compare=o200k in.jsonl")
        .fails(2)
        .says(["--compare", "o200k_base"]);
}

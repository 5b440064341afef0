//! The prompt cache: which calls find their beginning in it.

use super::support::{called, calls, column, lines, said};
use crate::harness::Dir;
use crate::talk::message;
use serde_json::{Value, json};

#[test]
fn a_summary_behind_all_that_was_sent_before_breaks_no_cache() {
    let dir = Dir::new();
    let first = r#"{"messages": [{"role": "system", "content": "be brief"}, {"role": "assistant", "content": "hello"}, {"role": "user", "content": "a long question"}, {"role": "user", "content": "and more of it"}, {"role": "assistant", "content": "yes"}]}"#;
    dir.write("first.jsonl", format!("{first}\n"))
        .write("allow.toml", "[summarize]\non_growth = \"allow\"\n");
    dir.epitome(
        "replay first.jsonl -o out --config allow.toml --trigger messages=3 --keep messages=1",
    )
    .ok();
    assert_eq!(
        (column(&calls(&dir), "cache"), column(&calls(&dir), "summarized")),
        (vec!["first".into(), "hit".into()], vec![false.into(), true.into()])
    );
}

#[test]
fn a_gap_that_is_longer_than_the_cache_lives_is_a_miss() {
    let dir = Dir::new();
    let timed = |number: usize, seconds: usize| {
        message("t", number).replacen(
            '{',
            &format!("{{\"timestamp\": {}, ", 1_767_225_600 + seconds),
            1,
        )
    };
    let messages: Vec<String> =
        (0..8).map(|number| timed(number, [0, 1, 10, 11, 500, 501, 510, 511][number])).collect();
    dir.write("in.jsonl", format!("{{\"messages\": [{}]}}\n", messages.join(", ")));
    dir.epitome("replay in.jsonl -o out").ok();
    assert_eq!(column(&calls(&dir), "cache"), ["first", "hit", "expired", "hit"]);
    // Where only answers have times, a call was made at about that of its answer.
    let answers = [0, 1, 10_000, 10_001]
        .map(|second| format!(r#"{{"role": "user", "content": "q"}}, {{"role": "assistant", "content": "a", "created": {}}}"#, 1_767_225_600 + second));
    dir.write("answers.jsonl", format!("{{\"messages\": [{}]}}\n", answers.join(", ")));
    dir.epitome("replay answers.jsonl -o out --force").ok();
    assert_eq!(column(&calls(&dir), "cache"), ["first", "hit", "expired", "hit"]);
    let cached = column(&calls(&dir), "cached_tokens");
    assert_eq!((&cached[2], &cached[3]), (&0.into(), &calls(&dir)[2]["tokens_sent"]));
    dir.write("prices.toml", "[gpt-4]\ninput = 1\ncache_life = 3600\n");
    dir.epitome("replay in.jsonl -o patient --model gpt-4 --prices prices.toml").ok();
    assert_eq!(
        column(&lines(&dir, "patient/replay.jsonl"), "cache"),
        ["first", "hit", "hit", "hit"]
    );
}

/// Of a result that was evicted and then cleared nothing is left of the first: whoever cleared it,
/// the same is sent.
#[test]
fn what_is_cleared_twice_breaks_no_cache() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "a" })];
    messages.extend(called(0, &json!("line of a long result\n".repeat(300))));
    messages.extend([
        said("user", &"b ".repeat(300)),
        said("assistant", "x"),
        said("user", "c"),
        said("assistant", "y"),
    ]);
    dir.write("in.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": messages })));
    let off =
        "[truncate]\ntrigger = []\n[summarize]\ntrigger = []\n[summarizer]\nkind = \"none\"\n";
    dir.write("policy.toml", format!("counter = \"utf16\"\n[evict]\ntokens = 200\n[prune]\nprotect = 0\nminimum = 0\nskip_turns = 1\n{off}"));
    dir.epitome("replay in.jsonl -o out --config policy.toml --max-tokens 180").ok();
    let calls = calls(&dir);
    let [.., before, last] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!((&before["pruned_results"], &last["pruned_results"]), (&1.into(), &1.into()));
    assert_eq!((&last["cache"], &last["cached_tokens"]), (&"hit".into(), &before["tokens_sent"]));
}

/// Of a result that was shortened and then cleared or evicted nothing is left of the first: the
/// same is sent where it was not shortened before.
#[test]
fn what_is_replaced_twice_breaks_no_cache_and_is_sent_as_the_last_stage_left_it() {
    let long = "line of a long result\n".repeat(300);
    let turn = |text: &str| [said("user", text), said("assistant", "x")];
    let off =
        "[truncate]\ntrigger = []\n[summarize]\ntrigger = []\n[summarizer]\nkind = \"none\"\n";
    let last_text = |messages: Vec<Value>, policy: &str, limit: usize| {
        let dir = Dir::new();
        dir.write("in.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": messages })))
            .write("policy.toml", format!("counter = \"utf16\"\n{policy}{off}"));
        dir.epitome(&format!(
            "replay in.jsonl -o out --config policy.toml --per-call --max-tokens {limit}"
        ))
        .run();
        let calls = calls(&dir);
        let [.., before, last] = calls.as_slice() else { panic!("{calls:?}") };
        assert_ne!(before["shortened_results"], last["shortened_results"]);
        assert_eq!(
            (&last["cache"], &last["cached_tokens"]),
            (&"hit".into(), &before["tokens_sent"])
        );
        let sample = lines(&dir, "out/segments.jsonl").pop().unwrap();
        sample["messages"][2]["content"].clone()
    };
    // Stage overflow clears the shortened result, until it is old enough for stage prune.
    let mut messages = vec![said("user", "a")];
    messages.extend(called(0, &json!(long)));
    messages.push(said("assistant", "x"));
    messages.extend([turn(&"b ".repeat(20)), turn("c"), turn("d")].concat());
    let prune = "[evict]\ntokens = 0\n[cut]\nkeep = 0\ntokens = 100\n[prune]\nprotect = 0\nminimum = 0\nskip_turns = 2\n";
    assert_eq!(last_text(messages, prune, 60), "[Old tool result content cleared]");
    // Stage overflow evicts the result, which stage cut shortens once it is not the newest.
    for content in [json!(long), json!([{ "type": "text", "text": long, "id": 1 }])] {
        let mut messages = vec![said("user", "a")];
        messages.extend([called(0, &content), called(1, &json!("short"))].concat());
        messages.push(said("assistant", "x"));
        let cut = "[evict]\ntokens = 5000\n[cut]\nkeep = 1\ntokens = 1000\n";
        let text = last_text(messages, cut, 800);
        let text = text.as_str().or_else(|| text[0]["text"].as_str());
        assert!(text.is_some_and(|text| text.starts_with("Tool result too large")));
        assert!(text.is_some_and(|text| text.contains("/large_tool_results/")));
    }
}

//! Samples that are longer than `--max-tokens`.

use super::support::{column, lines};
use crate::harness::Dir;
use crate::talk::{CUT, talk};
use serde_json::{Value, json};

#[test]
fn a_sample_that_is_too_long_is_set_apart_and_told() {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{}{}", talk("short", 2), talk("long", 12)));
    dir.epitome("replay in.jsonl -o out --segments --max-tokens 300 --summarizer none")
        .fails(1)
        .says(["in.jsonl:2: warning: 1 of 1 samples are longer than --max-tokens"]);
    assert_eq!(column(&lines(&dir, "out/segments.jsonl"), "thread_id"), ["short"]);
    assert_eq!(column(&lines(&dir, "out/segments-too-long.jsonl"), "thread_id"), ["long"]);
    assert_eq!(dir.report()["totals"]["samples_too_long"], 1);
    dir.epitome(&format!("replay in.jsonl -o shorter {CUT} --segments --max-tokens 600")).ok();
    assert!(!dir.exists("shorter/segments-too-long.jsonl"));
}

/// A sample is as long as `count` says, also where turns were joined; what an earlier run set apart
/// goes with it.
#[test]
fn samples_are_measured_as_they_are_written() {
    let dir = Dir::new();
    let turns = |count: usize| {
        (0..count)
            .map(|_| json!({ "role": "user", "content": "word word" }))
            .chain([json!({ "role": "assistant", "content": "yes" })])
    };
    dir.write(
        "in.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": turns(20).collect::<Vec<_>>() })),
    );
    let tokens = |file: &str| {
        serde_json::from_str::<Value>(
            dir.epitome(&format!("count {file} --counter utf16 --json"))
                .ok()
                .stdout()
                .lines()
                .next()
                .unwrap(),
        )
        .unwrap()["counts"]["tokens"]
            .as_u64()
            .unwrap()
    };
    dir.epitome("replay in.jsonl -o all --segments --counter utf16").ok();
    let length = tokens("all/segments.jsonl");
    for (most, status) in [(length, 0), (length - 1, 1)] {
        let run = dir.epitome(&format!("replay in.jsonl -o out --segments --counter utf16 --max-tokens {most} --summarizer none --force"));
        if status == 0 {
            run.ok()
        } else {
            run.fails(status)
        };
        assert_eq!(dir.exists("out/segments-too-long.jsonl"), status == 1);
    }
    dir.epitome("replay in.jsonl -o out --segments --force").ok();
    assert!(!dir.exists("out/segments-too-long.jsonl"), "of the run before");
    // What is read is nothing that an earlier run left.
    let samples = dir.read("out/segments.jsonl");
    dir.epitome("replay out/segments.jsonl -o out --force").ok();
    assert_eq!(dir.read("out/segments.jsonl"), samples);
}

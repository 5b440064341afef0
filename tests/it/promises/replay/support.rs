//! A replay of a generated file, and its calls and samples.

use crate::promises::generate::{Message, Sample};
use crate::promises::reader::value;
use crate::promises::support::{Place, epitome, json_lines, messages_of};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;

/// How an answer ends that is not trained on.
pub(crate) const UNTRAINED: &str = ", \"weight\": 0}";

/// Replays the sample; status, and the output's files.
pub(crate) fn replay(place: &Place, more: &[&str]) -> (i32, String) {
    let output = epitome(place.directory.path())
        .args(["replay", "in.jsonl", "-o", "out", "--config", "policy.toml", "--quiet"])
        .args(more)
        .output()
        .expect("a program that runs");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap_or(-1), stderr)
}

pub(crate) fn read(place: &Place, name: &str) -> Vec<u8> {
    fs::read(place.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The calls by thread, in the order of the threads.
pub(crate) fn calls(place: &Place, sample: &Sample) -> Vec<Vec<Value>> {
    let report: Value = serde_json::from_slice(&read(place, "out/report.json")).expect("JSON");
    let entries = report["transcripts"].as_array().cloned().unwrap_or_default();
    let threads: Vec<&Value> =
        entries.iter().filter(|entry| !entry["thread_id"].is_null()).collect();
    assert_eq!(threads.len(), sample.threads.len());
    let mut calls = json_lines(&read(place, "out/replay.jsonl")).into_iter();
    threads.iter().map(|entry| calls.by_ref().take(number(entry, "calls")).collect()).collect()
}

pub(crate) fn number(value: &Value, key: &str) -> usize {
    usize::try_from(value[key].as_u64().unwrap_or_else(|| panic!("{key} is {}", value[key])))
        .expect("a number")
}

pub(crate) fn is_answer(message: &&Message) -> bool {
    message.role == "assistant"
}

pub(crate) fn role_of(message: &[u8]) -> String {
    value(message, "role")
        .map(|range| crate::promises::reader::decode(&message[range]))
        .unwrap_or_default()
}

/// The same policy with stage truncate off.
pub(crate) fn without_cuts(policy: &str) -> String {
    let mut section = "";
    let mut lines: Vec<&str> = Vec::new();
    for line in policy.lines() {
        section = if line.starts_with('[') { line } else { section };
        if section != "[truncate]" {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n[truncate]\ntrigger = []\n"
}

/// One line, as a sample has it.
pub(crate) fn on_one_line(raw: &str) -> String {
    raw.replace(['\n', '\r'], " ")
}

/// A policy without truncation and eviction: what one call sends is what the next one begins with.
pub(crate) fn summaries_only() -> impl Strategy<Value = String> {
    let amount = || {
        prop_oneof![
            (1..9u32).prop_map(|number| format!("messages = {number}")),
            (5..900u32).prop_map(|number| format!("tokens = {number}"))
        ]
    };
    (amount(), amount(), prop_oneof![2 => Just(0), 1 => 200..2000u32]).prop_map(|(trigger, keep, overflow)| {
        format!(
            "[patch]\ncalls = \"off\"\n[evict]\ntokens = 0\n[truncate]\ntrigger = []\n[summarize]\ntrigger = [{{ {trigger} }}]\nkeep = {{ {keep} }}\non_growth = \"allow\"\n\
             [overflow]\nlimit = {overflow}\n"
        )
    })
}

/// A record with other messages.
pub(crate) fn with_messages(record: &[u8], messages: &[String]) -> Vec<u8> {
    let places = messages_of(record);
    let (start, end) =
        (places.first().expect("a message").start, places.last().expect("a message").end);
    [&record[..start], messages.join(", ").as_bytes(), &record[end..]].concat()
}

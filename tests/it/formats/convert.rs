//! Conversions of the story, from every dialect to every target: what comes out
//! is as its readers demand it, and every text is there or is listed.

use super::dialects::{Dialect, Told};
use super::{Story, TAG, show};
use crate::catalog::TARGETS;
use crate::originals::restored;
use crate::promises::support::{Place, epitome, json_lines};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fs;

/// What was said of one element of the result.
#[derive(Debug, Default)]
struct Read {
    /// Who speaks, message by message: `u`ser, `a`ssistant, `t`ool results, `s`ystem.
    speakers: Vec<char>,
    /// Ids of calls, message by message; results beside them.
    calls: Vec<Vec<String>>,
    results: Vec<Vec<String>>,
    texts: Vec<String>,
}

/// Converts with each target and looks at what comes of it.
pub(super) fn check(dialect: &Dialect, story: &Story, pretty: bool) {
    let told = dialect.tell(story, pretty);
    for target in TARGETS.iter() {
        let (line, entry, _place) = convert(&told, dialect, target);
        let shown = || {
            format!(
                "{} -> {}\n{}\nbecame\n{line}\n{entry}",
                dialect.name,
                target,
                show(&told.bytes)
            )
        };
        let read = read(target, &line);
        well_formed(target, &read, &shown());
        nothing_is_lost(&told, &line, &entry, &shown());
        let calls = |line: &str| {
            line.matches("write_file").count()
                + line.matches("edit_file").count()
                + line.matches("look_up").count()
        };
        assert!(
            calls(&line)
                >= story
                    .rounds
                    .iter()
                    .flat_map(|round| &round.exchanges)
                    .map(|exchange| exchange.calls.len())
                    .sum(),
            "{}",
            shown()
        );
    }
}

/// Compacts and converts at once: the same rules hold, and the summary is told.
pub(super) fn check_compacted(dialect: &Dialect, story: &Story, policy: &str) {
    let told = dialect.tell(story, false);
    for target in TARGETS.iter() {
        let place = Place::new(&told.bytes, policy);
        let output = place.compact("in.jsonl", "out", &["--to", target]);
        let stderr = show(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "status {:?}: {stderr}",
            output.status
        );
        let bytes = fs::read(place.path("out/in.jsonl")).unwrap();
        let line = show(&bytes);
        let report: Value =
            serde_json::from_slice(&fs::read(place.path("out/report.json")).unwrap()).unwrap();
        let entry = &report["transcripts"][0];
        let shown = || {
            format!(
                "{} -> {} under\n{policy}\n{}\nbecame\n{line}\n{entry}",
                dialect.name,
                target,
                show(&told.bytes)
            )
        };
        well_formed(target, &read(target, &line), &shown());
        let is_told = [
            "has been summarized",
            "Here is a summary",
            "What did we do so far?",
        ]
        .iter()
        .any(|words| line.contains(words));
        assert!(
            is_told || entry["summarized"] == false,
            "no summary: {}",
            shown()
        );
        // What was read is there byte for byte.
        let restored = restored(&bytes, &place.path("out/originals/in.jsonl.originals"));
        assert!(
            restored == told.bytes,
            "restored:\n{}\n{}",
            show(&restored),
            shown()
        );
    }
}

/// There and back: what the openai transcript says, and who is called, is the same after a detour.
pub(super) fn check_round_trip(dialect: &Dialect, story: &Story) {
    let told = dialect.tell(story, false);
    let (first, ..) = convert(&told, dialect, "openai");
    for target in TARGETS.iter().filter(|target| *target != "openai") {
        let place = Place::new(first.as_bytes(), "");
        run(
            &place,
            &[
                "convert", "in.jsonl", "--to", target, "-o", "there", "--quiet",
            ],
        );
        run(
            &place,
            &[
                "convert",
                "there/in.jsonl",
                "--format",
                target,
                "--to",
                "openai",
                "-o",
                "back",
                "--quiet",
            ],
        );
        let back = fs::read_to_string(place.path("back/in.jsonl")).unwrap();
        let (before, after) = (read("openai", &first), read("openai", &back));
        let shown = || {
            format!(
                "{} -> {} -> openai\n{first}\nbecame\n{back}",
                dialect.name, target
            )
        };
        let count = |read: &Read| read.calls.iter().map(Vec::len).sum::<usize>();
        assert_eq!(count(&before), count(&after), "calls: {}", shown());
        let everything = after.texts.join("\n");
        // Not every target has ids.
        let ids: HashSet<&String> = before
            .calls
            .iter()
            .chain(&before.results)
            .flatten()
            .collect();
        for text in before.texts.iter().filter(|text| {
            !text.trim().is_empty()
                && !ids.contains(text)
                && !["developer", "text"].contains(&text.as_str())
        }) {
            assert!(
                everything.contains(text.trim()),
                "{text:?} is gone: {}",
                shown()
            );
        }
    }
}

fn run(place: &Place, words: &[&str]) {
    let output = epitome(place.directory.path())
        .args(words)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{words:?}: {}",
        show(&output.stderr)
    );
}

fn convert(told: &Told, dialect: &Dialect, target: &str) -> (String, Value, Place) {
    let place = Place::new(&told.bytes, "");
    run(
        &place,
        &[
            "convert", "in.jsonl", "--to", target, "-o", "out", "--quiet",
        ],
    );
    let line = fs::read_to_string(place.path("out/in.jsonl")).unwrap();
    let report: Value =
        serde_json::from_slice(&fs::read(place.path("out/report.json")).unwrap()).unwrap();
    assert_eq!(
        report["transcripts"].as_array().map(Vec::len),
        Some(1),
        "{}: {report}",
        dialect.name
    );
    assert_eq!(json_lines(line.as_bytes()).len(), 1, "one line: {line}");
    (line, report["transcripts"][0].clone(), place)
}

fn read(target: &str, line: &str) -> Read {
    let record: Value = serde_json::from_str(line).unwrap();
    let mut read = Read::default();
    let list = record[if target == "sharegpt" {
        "conversations"
    } else {
        "messages"
    }]
    .as_array()
    .unwrap();
    for message in list {
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        let id = |value: &Value| value.as_str().unwrap().to_owned();
        let who = match target {
            "sharegpt" => match message["from"].as_str().unwrap() {
                "human" => 'u',
                "observation" => 't',
                "function_call" => {
                    calls.push("call".to_owned());
                    'a'
                }
                "gpt" => 'a',
                other => panic!("{other}"),
            },
            "langchain" => {
                let data = &message["data"];
                calls.extend(
                    ["tool_calls", "invalid_tool_calls"]
                        .iter()
                        .flat_map(|key| data[key].as_array())
                        .flatten()
                        .map(|call| id(&call["id"])),
                );
                results.extend(data["tool_call_id"].as_str().map(str::to_owned));
                match message["type"].as_str().unwrap() {
                    "human" => 'u',
                    "ai" => 'a',
                    "tool" => 't',
                    _ => 's',
                }
            }
            _ => {
                let blocks = |kind: &str, key: &str| -> Vec<String> {
                    let blocks = message["content"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .filter(|block| block["type"] == kind);
                    blocks.map(|block| id(&block[key])).collect()
                };
                calls.extend(
                    message["tool_calls"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .map(|call| id(&call["id"])),
                );
                calls.extend(blocks("tool_use", "id"));
                results.extend(message["tool_call_id"].as_str().map(str::to_owned));
                results.extend(blocks("tool_result", "tool_use_id"));
                match message["role"].as_str().unwrap() {
                    "user" => 'u',
                    "assistant" => 'a',
                    "tool" => 't',
                    _ => 's',
                }
            }
        };
        read.speakers.push(who);
        read.calls.push(calls);
        read.results.push(results);
    }
    list.iter()
        .for_each(|message| strings(message, &mut |text| read.texts.push(text.to_owned())));
    read
}

/// All strings of a value, also those of JSON that stands in a string.
fn strings(value: &Value, take: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => {
            take(text);
            let json = text
                .rsplit_once("</think>")
                .map_or(text.as_str(), |(_, json)| json);
            // The user's words may stand behind the results.
            let first = serde_json::Deserializer::from_str(json)
                .into_iter::<Value>()
                .next();
            if let Some(Ok(inner @ (Value::Object(_) | Value::Array(_)))) = first {
                strings(&inner, take);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, take)),
        Value::Object(entries) => entries.values().for_each(|item| strings(item, take)),
        _ => {}
    }
}

/// Pairs stand together, ids are one of a kind, roles alternate where they must.
fn well_formed(target: &str, read: &Read, shown: &str) {
    let alternates = matches!(target, "anthropic" | "sharegpt");
    if alternates {
        let sides: Vec<bool> = read.speakers.iter().map(|who| *who == 'a').collect();
        assert_eq!(
            sides.first(),
            Some(&false),
            "the user is not first: {shown}"
        );
        assert!(
            sides.windows(2).all(|pair| pair[0] != pair[1]),
            "roles do not alternate: {shown}"
        );
    }
    if target == "sharegpt" {
        let follows = |at: usize| read.speakers.get(at + 1).is_none_or(|who| *who == 't');
        assert!(
            (0..read.calls.len()).all(|at| read.calls[at].is_empty() || follows(at)),
            "a call without its observation: {shown}"
        );
        return;
    }
    let mut seen = HashSet::new();
    let mut open: HashSet<String> = HashSet::new();
    for (at, (calls, results)) in read.calls.iter().zip(&read.results).enumerate() {
        for result in results {
            assert!(
                open.remove(result),
                "message {at} answers no open call: {shown}"
            );
        }
        if results.is_empty() || alternates {
            assert!(open.is_empty(), "message {at} leaves calls open: {shown}");
        }
        assert!(
            calls.iter().all(|id| seen.insert(id.clone())),
            "an id twice: {shown}"
        );
        open.extend(calls.iter().cloned());
    }
}

/// Every string of the log stands in the result, or it is listed: by its path, or in a block of a
/// type that is.
fn nothing_is_lost(told: &Told, line: &str, entry: &Value, shown: &str) {
    let mut there = Vec::new();
    strings(&serde_json::from_str(line).unwrap(), &mut |text| {
        there.push(text.to_owned())
    });
    let there = there.join("\n");
    let left_out = entry["converted"]["left_out"].as_array().unwrap();
    let listed: Vec<&str> = left_out
        .iter()
        .filter_map(|note| note["what"].as_str())
        .collect();
    let blocks: HashSet<&str> = listed
        .iter()
        .filter_map(|what| {
            what.strip_prefix("block ")
                .or(what.strip_prefix("records of type "))
        })
        .collect();
    let records: Vec<Value> = match serde_json::from_slice(&told.bytes) {
        Ok(value) => vec![value],
        Err(_) => json_lines(&told.bytes),
    };
    let mut lost = HashMap::new();
    for record in &records {
        leaves(record, &blocks, &mut Vec::new(), &mut |path, text| {
            let last = path.rsplit('.').next().unwrap_or_default();
            let is_structure = ["role", "type", "from", "object", "lc", "status"].contains(&last)
                || text.starts_with("langchain")
                || last == "id[]";
            // A path is listed as far up as nothing in it was converted.
            let is_id = [
                "id",
                "tool_use_id",
                "tool_call_id",
                "call_id",
                "toolUseId",
                "tool_call_ids[]",
            ]
            .contains(&last);
            let is_listed = listed
                .iter()
                .any(|what| path.starts_with(what) || (is_id && *what == "call id"));
            if !is_structure
                && !is_listed
                && !pieces(text)
                    .iter()
                    .all(|piece| there.contains(piece.trim()))
            {
                lost.insert(path.to_owned(), text.to_owned());
            }
        });
    }
    assert!(lost.is_empty(), "lost in silence: {lost:#?}\n{shown}");
    // The tags of the story are keys that no target knows.
    assert!(
        listed.iter().any(|what| what.contains(TAG)) || line.contains(TAG),
        "the tags went in silence: {shown}"
    );
}

/// A text, or what stands in it: between tags, in JSON.
fn pieces(text: &str) -> Vec<String> {
    let tags = [
        "<tool_call>",
        "</tool_call>",
        "<tool_response>",
        "</tool_response>",
    ];
    let mut parts = vec![text.to_owned()];
    for tag in tags {
        parts = parts
            .iter()
            .flat_map(|part| part.split(tag).map(str::to_owned).collect::<Vec<_>>())
            .collect();
    }
    let mut found = Vec::new();
    for part in parts {
        match serde_json::from_str::<Value>(&part) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => {
                strings(&inner, &mut |text| found.push(text.to_owned()))
            }
            _ => found.push(part),
        }
    }
    found
}

fn leaves(
    value: &Value,
    blocks: &HashSet<&str>,
    path: &mut Vec<String>,
    take: &mut impl FnMut(&str, &str),
) {
    match value {
        Value::String(text) => take(&path.join(".").replace(".[]", "[]"), text),
        Value::Array(items) => {
            path.push("[]".to_owned());
            items
                .iter()
                .for_each(|item| leaves(item, blocks, path, take));
            path.pop();
        }
        Value::Object(entries) => {
            let name = value["type"]
                .as_str()
                .or(entries.keys().next().map(String::as_str));
            if name.is_some_and(|name| blocks.contains(name)) {
                return;
            }
            for (key, item) in entries {
                path.push(key.clone());
                leaves(item, blocks, path, take);
                path.pop();
            }
        }
        _ => {}
    }
}

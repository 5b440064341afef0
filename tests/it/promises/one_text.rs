//! One text stays one text: an answer whose text is logged in two pieces is trained on as the answer
//! whose text is one. In every format whose answers have pieces.

use crate::harness::{Dir, tree};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// What tells that a model speaks, in any format: a role, a speaker or the type of a message.
const MODELS: [&str; 10] = [
    "assistant", "model", "ai", "AIMessage", "gemini", "agent", "message", "gpt", "kimi.assistant",
    "assistant.message",
];
/// The shortest text that is split.
const LEAST_TEXT: usize = 9;
/// The most keys of a piece: one with more is no piece of a text.
const MOST_KEYS: usize = 4;

/// Splits the pieces of text below a value in two if a model speaks. Returns how many.
fn split_answers(value: &mut Value, is_answer: bool) -> usize {
    match value {
        Value::Object(entries) => {
            let speaker =
                ["role", "from", "type"].iter().find_map(|key| entries.get(*key)?.as_str());
            let is_answer = speaker.map_or(is_answer, |speaker| MODELS.contains(&speaker));
            let split = entries.values_mut();
            split.map(|entry| split_answers(entry, is_answer)).sum()
        }
        Value::Array(items) => {
            let mut count = 0;
            for mut item in std::mem::take(items) {
                if let Some(end) = is_answer.then(|| cut_piece(&mut item)).flatten() {
                    items.extend([item, end]);
                    count += 1;
                } else {
                    count += split_answers(&mut item, is_answer);
                    items.push(item);
                }
            }
            count
        }
        _ => 0,
    }
}

/// Cuts a piece of text in the middle and returns its end, with all its other keys.
fn cut_piece(item: &mut Value) -> Option<Value> {
    let entries = item.as_object()?;
    let kind = entries.get("type").map_or(Some("text"), Value::as_str)?;
    let is_piece = ["text", "output_text"].contains(&kind)
        && entries.len() <= MOST_KEYS
        && !["role", "thought"].iter().any(|key| entries.contains_key(*key));
    let text = entries.get("text")?.as_str().filter(|_| is_piece)?;
    if text.len() < LEAST_TEXT {
        return None;
    }
    let (start, end) = text.split_at(text.floor_char_boundary(text.len() / 2));
    let (start, end) = (Value::from(start), Value::from(end));
    let mut behind = item.clone();
    behind["text"] = end;
    item["text"] = start;
    Some(behind)
}

/// Returns what trainers get of a log, without ids that are made of its bytes.
fn trained_on(log: &str) -> String {
    let dir = Dir::new();
    dir.write("log.jsonl", log);
    for job in ["convert --to sharegpt -o shared", "dataset --to trl -o samples"] {
        // Some logs of fixtures give no sample.
        let (status, _) = dir.epitome(&format!("{job} log.jsonl --max-errors all")).run();
        assert!(matches!(status, 0 | 1), "{job}: {status}");
    }
    let files = [dir.tree("shared"), dir.tree("samples")];
    let lines = files.into_iter().flatten();
    let lines = lines.filter(|(name, _)| name.ends_with("log.jsonl") || name.contains("train"));
    let text: String = lines.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
    let mut parts = text.split("session_");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + &part[8..])
}

#[test]
fn an_answer_in_pieces_is_trained_on_as_one_text() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut formats = BTreeSet::new();
    for (path, bytes) in tree(&fixtures) {
        let is_input = path.ends_with("/input.jsonl") || path.ends_with("/input.json");
        // One log of each format is enough.
        let format = path.split('/').next().unwrap_or_default().to_owned();
        if !is_input || path.contains("/expected/") || formats.contains(&format) {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        let lines = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let Ok(mut records) = lines.collect::<Result<Vec<Value>, _>>() else {
            continue;
        };
        let log = |records: &[Value]| -> String {
            records.iter().map(|record| format!("{record}\n")).collect()
        };
        let whole = log(&records);
        let split: usize = records.iter_mut().map(|record| split_answers(record, false)).sum();
        if split > 0 {
            assert_eq!(trained_on(&log(&records)), trained_on(&whole), "{path}");
            formats.insert(format);
        }
    }
    assert!(formats.len() >= 20, "{formats:?}");
}

//! What must hold for every output: it is well formed, and it holds every text of the story.

use super::reading::{ConvertedChat, leaves, pieces, strings};
use crate::formats::TAG;
use crate::formats::dialects::ToldStory;
use crate::promises::support::json_lines;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Pairs stand together, ids are one of a kind, roles alternate where they must.
pub(crate) fn well_formed(target: &str, read: &ConvertedChat, shown: &str) {
    let alternates = matches!(target, "anthropic" | "sharegpt");
    if alternates {
        let sides: Vec<bool> = read.speakers.iter().map(|who| *who == 'a').collect();
        assert_eq!(sides.first(), Some(&false), "the user is not first: {shown}");
        assert!(sides.windows(2).all(|pair| pair[0] != pair[1]), "roles do not alternate: {shown}");
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
            assert!(open.remove(result), "message {at} answers no open call: {shown}");
        }
        if results.is_empty() || alternates {
            assert!(open.is_empty(), "message {at} leaves calls open: {shown}");
        }
        assert!(calls.iter().all(|id| seen.insert(id.clone())), "an id twice: {shown}");
        open.extend(calls.iter().cloned());
    }
}

/// Every string of the log stands in the result, or it is listed: by its path, or in a block of a
/// type that is.
pub(crate) fn nothing_is_lost(told: &ToldStory, line: &str, entry: &Value, shown: &str) {
    let mut there = Vec::new();
    strings(&serde_json::from_str(line).unwrap(), &mut |text| there.push(text.to_owned()));
    let there = there.join("\n");
    let left_out = entry["converted"]["left_out"].as_array().unwrap();
    let listed: Vec<&str> = left_out.iter().filter_map(|note| note["what"].as_str()).collect();
    // A target without call ids expresses them by the order of calls and results.
    let changed = entry["converted"]["changed"].as_array().unwrap();
    let has_order = changed.iter().any(|note| note["what"] == "call id");
    let blocks: HashSet<&str> = listed
        .iter()
        .filter_map(|what| what.strip_prefix("block ").or(what.strip_prefix("records of type ")))
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
                "id", "tool_use_id", "tool_call_id", "call_id", "toolUseId", "toolCallId",
                "tool_call_ids[]",
            ]
            .contains(&last);
            let is_listed =
                listed.iter().any(|what| path.starts_with(what)) || (is_id && has_order);
            if !is_structure
                && !is_listed
                && !pieces(text).iter().all(|piece| there.contains(piece.trim()))
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

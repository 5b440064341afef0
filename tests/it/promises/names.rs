//! A name from the log never leaves the output directory, and two
//! different names never share a file.

use crate::promises::generate::{IDS, sample};
use crate::promises::support::{Place, cases, tree};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const POLICY: &str = "[evict]\ntokens = 5\n[summarize]\ntrigger = [{ messages = 2 }]\nkeep = { messages = 1 }\non_growth = \"allow\"\n";

/// A conversation of a thread with large results of these calls.
fn conversation(thread: &str, calls: &[String]) -> Value {
    let mut messages = vec![serde_json::json!({"role": "user", "content": format!("go {thread}")})];
    for (number, id) in calls.iter().enumerate() {
        messages.push(serde_json::json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "execute", "arguments": "{}"}}]}));
        messages.push(serde_json::json!({"role": "tool", "tool_call_id": id, "content": format!("{number} of {thread}: {}", "x".repeat(40))}));
    }
    messages.push(serde_json::json!({"role": "user", "content": "end"}));
    serde_json::json!({"thread_id": thread, "messages": messages})
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => prop::sample::select(IDS).prop_map(str::to_owned),
        2 => "[./\\\\~%a-bA\u{0}é]{0,4}",
        1 => prop::sample::select(vec!["../../../../tmp/escaped", "../report.json", "report.json", "in.jsonl", "..\\..\\x", "CON", "a~2", "a"]).prop_map(str::to_owned),
        1 => "[a-z]{120,300}",
    ]
}

/// What lies beside the output directory, and what in it.
fn split(parent: &Path) -> (Vec<(PathBuf, Vec<u8>)>, Vec<PathBuf>) {
    let (inside, outside): (Vec<_>, Vec<_>) =
        tree(parent).into_iter().partition(|(path, _)| path.starts_with("deep/deeper/out"));
    (outside, inside.into_iter().map(|(path, _)| path).collect())
}

fn check_tree(place: &Place, arguments: &[&str]) {
    fs::create_dir_all(place.path("deep/deeper")).expect("a directory");
    let (before, _) = split(place.directory.path());
    let output = place.compact("in.jsonl", "deep/deeper/out", arguments);
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{output:?}");
    let (after, inside) = split(place.directory.path());
    assert!(before == after, "something was written beside the output directory");
    assert!(!Path::new("/absolute").exists() && !Path::new("/absolute.md").exists());
    let out = Path::new("deep/deeper/out");
    let known = [
        out.join("in.jsonl"),
        out.join("report.json"),
        out.join("originals/in.jsonl.originals"),
        out.join("originals/manifest.jsonl"),
    ];
    let archived = |path: &PathBuf| {
        path.starts_with(out.join("conversation_history"))
            || path.starts_with(out.join("large_tool_results"))
    };
    assert!(inside.iter().all(|path| known.contains(path) || archived(path)), "{inside:?}");

    let report: Value = serde_json::from_slice(
        &fs::read(place.path("deep/deeper/out/report.json")).expect("a report"),
    )
    .expect("JSON");
    let entries = report["transcripts"].as_array().cloned().unwrap_or_default();
    assert!(
        entries.iter().all(|entry| entry["status"] != "failed" || entry["thread_id"].is_null()),
        "{report}"
    );
    let histories: BTreeSet<&str> =
        entries.iter().filter_map(|entry| entry["archive"].as_str()).collect();
    assert_eq!(
        histories.len(),
        entries.iter().filter(|entry| entry["archive"].is_string()).count(),
        "two threads share a history"
    );
    let below = |directory: &str| {
        inside.iter().filter(|path| path.starts_with(out.join(directory))).count()
    };
    assert_eq!(
        below("conversation_history"),
        histories.len(),
        "a history for each summary: {inside:?}"
    );
    let evicted: usize =
        entries.iter().map(|entry| entry["evicted"].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(below("large_tool_results"), evicted, "a file for each evicted result: {inside:?}");
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn names_from_the_log_stay_inside_and_apart(
        threads in prop::collection::vec((id(), prop::collection::vec(id(), 0..5)), 1..6),
        one_directory in any::<bool>(),
    ) {
        let lines: String = threads.iter().map(|(thread, calls)| conversation(thread, calls).to_string() + "\n").collect();
        let archive = if one_directory { "[archive]\nresults_prefix = \"/large_tool_results\"\n" } else { "" };
        let place = Place::new(lines.as_bytes(), &format!("{POLICY}{archive}"));
        check_tree(&place, &[]);
        // The text of each result is in a file of its own.
        let results: BTreeSet<Vec<u8>> = tree(&place.path("deep/deeper/out/large_tool_results")).into_values().collect();
        let wanted: BTreeSet<&String> = threads.iter().flat_map(|(_, calls)| calls).collect();
        prop_assert!(results.len() >= usize::from(!wanted.is_empty()));
    }

    #[test]
    fn odd_transcripts_stay_inside_too(sample in sample()) {
        check_tree(&Place::new(&sample.bytes, POLICY), &[]);
    }
}

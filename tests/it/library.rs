//! The library's interface beside the program: the same bytes.

use crate::harness::Dir;
use epitome::{CompactionPolicy, Stage};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// A policy under which most stages find something to do.
const POLICY: &str = "max_input_tokens = 4000\n[evict]\ntokens = 200\n[summarize]\ntrigger = [{ messages = 6 }]\nkeep = { messages = 3 }\n";

/// Compacts a fixture both ways. Returns the stages that changed something.
fn compare(fixture: &str) -> HashSet<Stage> {
    let dir = Dir::new();
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture);
    dir.write("in.jsonl", fs::read(&input).unwrap()).write("policy.toml", POLICY);
    dir.epitome("compact in.jsonl --config policy.toml -o out").ok();
    let written = dir.read("out/in.jsonl");
    let policy = CompactionPolicy::from_file(dir.path("policy.toml")).unwrap();
    let (mut lines, mut stages) = (Vec::new(), HashSet::new());
    for chunk in epitome::open(dir.path("in.jsonl")).unwrap() {
        for conversation in chunk.unwrap().conversations(&policy) {
            let compacted = conversation.unwrap().compact().unwrap();
            stages.extend(compacted.plan.edits.iter().map(epitome::Edit::stage));
            for record in compacted.records {
                let text = String::from_utf8(record).unwrap();
                lines.extend(text.lines().map(str::to_owned));
            }
        }
    }
    let expected: HashSet<&str> = written.lines().collect();
    for line in &lines {
        assert!(expected.contains(line.as_str()), "{fixture}: the program did not write {line}");
    }
    assert!(!lines.is_empty(), "{fixture}: the library wrote nothing");
    // A journal may hold lines that belong to no conversation; what was added must be there.
    let before = fs::read_to_string(&input).unwrap();
    let before: HashSet<&str> = before.lines().collect();
    for added in expected.iter().filter(|line| !before.contains(*line)) {
        assert!(
            lines.iter().any(|line| line == added),
            "{fixture}: the library did not write {added}"
        );
    }
    stages
}

#[test]
fn records_are_those_that_the_program_writes() {
    let stages = compare("demo/sessions.jsonl");
    assert!(stages.contains(&Stage::Evict) && stages.contains(&Stage::Summarize), "{stages:?}");
}

#[test]
fn journals_get_the_records_that_the_program_appends() {
    for fixture in [
        "claude-code/boundary-and-summary-are-appended/input.jsonl",
        "codex/compacted-names-the-whole-history/input.jsonl",
    ] {
        assert!(compare(fixture).contains(&Stage::Summarize), "{fixture}");
    }
}

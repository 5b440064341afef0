//! Runs `convert` on a story in a dialect, and compares what comes out.

use super::expectations::{nothing_is_lost, well_formed};
use super::reading::{ConvertedChat, read};
use crate::catalog::TARGETS;
use crate::formats::dialects::{Dialect, ToldStory};
use crate::formats::{Story, show};
use crate::originals::restored;
use crate::promises::support::{Place, epitome, json_lines};
use serde_json::Value;
use std::collections::HashSet;
use std::fs;

/// Converts with each target and looks at what comes of it.
pub(crate) fn check(dialect: &Dialect, story: &Story, pretty: bool) {
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

/// Compacts and converts at once: the same rules hold, and the summary is told or reported as left out.
pub(crate) fn check_compacted(dialect: &Dialect, story: &Story, policy: &str) {
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
        let is_told = ["has been summarized", "Here is a summary", "What did we do so far?"]
            .iter()
            .any(|words| line.contains(words));
        let is_left_out = entry["converted"]["left_out"]
            .as_array()
            .is_some_and(|notes| notes.iter().any(|note| note["what"] == "summary at the end"));
        assert!(is_told || is_left_out || entry["summarized"] == false, "no summary: {}", shown());
        // What was read is there byte for byte.
        let restored = restored(&bytes, &place.path("out/originals/in.jsonl.originals"));
        assert!(restored == told.bytes, "restored:\n{}\n{}", show(&restored), shown());
    }
}

/// There and back: what the openai transcript says, and who is called, is the same after a detour.
pub(crate) fn check_round_trip(dialect: &Dialect, story: &Story) {
    let told = dialect.tell(story, false);
    let (first, ..) = convert(&told, dialect, "openai");
    for target in TARGETS.iter().filter(|target| *target != "openai") {
        let place = Place::new(first.as_bytes(), "");
        run(&place, &["convert", "in.jsonl", "--to", target, "-o", "there", "--quiet"]);
        run(
            &place,
            &[
                "convert", "there/in.jsonl", "--format", target, "--to", "openai", "-o", "back",
                "--quiet",
            ],
        );
        let back = fs::read_to_string(place.path("back/in.jsonl")).unwrap();
        let (before, after) = (read("openai", &first), read("openai", &back));
        let shown = || format!("{} -> {} -> openai\n{first}\nbecame\n{back}", dialect.name, target);
        let count = |read: &ConvertedChat| read.calls.iter().map(Vec::len).sum::<usize>();
        assert_eq!(count(&before), count(&after), "calls: {}", shown());
        let everything = after.texts.join("\n");
        // Not every target has ids.
        let ids: HashSet<&String> = before.calls.iter().chain(&before.results).flatten().collect();
        for text in before.texts.iter().filter(|text| {
            !text.trim().is_empty()
                && !ids.contains(text)
                && !["developer", "text"].contains(&text.as_str())
        }) {
            assert!(everything.contains(text.trim()), "{text:?} is gone: {}", shown());
        }
    }
}

fn run(place: &Place, words: &[&str]) {
    let output = epitome(place.directory.path()).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", show(&output.stderr));
}

fn convert(told: &ToldStory, dialect: &Dialect, target: &str) -> (String, Value, Place) {
    let place = Place::new(&told.bytes, "");
    run(&place, &["convert", "in.jsonl", "--to", target, "-o", "out", "--quiet"]);
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

//! Promises 2, 7 and 8: the same bytes for any `-j`, a bad record costs only
//! itself, and memory does not grow with the input.

use crate::promises::generate::{Sample, Shape, bad_line, policy, sample, sample_of_lines};
use crate::promises::support::{Place, cases, epitome, tree};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const EAGER: &str = "[evict]\ntokens = 50\n[summarize]\ntrigger = [{ messages = 3 }]\nkeep = { messages = 1 }\non_growth = \"allow\"\n";

/// Compacts the directory `logs` of a place with so many threads.
fn compact_all(place: &Place, jobs: &str, more: &[&str]) -> BTreeMap<PathBuf, Vec<u8>> {
    let out = format!("out{jobs}");
    let output = place.compact("logs", &out, &[&["-j", jobs], more].concat());
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{output:?}");
    tree(&place.path(&out))
}

/// Files and lines as the report names them, in its order.
fn places(tree: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<(String, u64)> {
    let report: Value = serde_json::from_slice(&tree[&PathBuf::from("report.json")]).expect("JSON");
    let entries = report["transcripts"].as_array().cloned().unwrap_or_default();
    entries
        .iter()
        .map(|entry| {
            (
                entry["file"].as_str().unwrap_or_default().to_owned(),
                entry["line"].as_u64().unwrap_or_default(),
            )
        })
        .collect()
}

proptest! {
    #![proptest_config(cases(2))]

    /// With a program as summarizer each record is a unit of its own: many may overtake each other.
    #[test]
    fn the_output_is_the_same_for_any_number_of_threads(samples in prop::collection::vec(sample(), 2..6), policy in policy(None), program in any::<bool>()) {
        let place = Place::new(b"", if program { EAGER } else { &policy.toml });
        fs::create_dir(place.path("logs")).expect("a directory");
        for (number, sample) in samples.iter().enumerate() {
            place.write(&format!("logs/{number}.jsonl"), &sample.bytes);
        }
        let more: &[&str] = if program { &["--summarizer", "command:cksum"] } else { &[] };
        let single = compact_all(&place, "1", more);
        let three = compact_all(&place, "3", more);
        prop_assert_eq!(single.keys().collect::<Vec<_>>(), three.keys().collect::<Vec<_>>());
        for (path, bytes) in &single {
            prop_assert!(*bytes == three[path], "{} differs:\n{}\n{}", path.display(), String::from_utf8_lossy(bytes), String::from_utf8_lossy(&three[path]));
        }
        let order = places(&three);
        prop_assert!(order.is_sorted(), "{:?}", order);
    }
}

/// A file with bad lines put in, and the bad lines.
fn with_bad(
    good: &[u8],
    shape: Shape,
    places: &[(prop::sample::Index, usize)],
) -> (Vec<u8>, Vec<(u64, Vec<u8>)>) {
    let mut lines: Vec<Vec<u8>> =
        good.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for (number, (place, kind)) in places.iter().enumerate() {
        let bad = [bad_line(*kind, number, shape).as_slice(), b"\n"].concat();
        lines.insert(place.index(lines.len() + 1), bad);
    }
    let is_bad = |line: &Vec<u8>| {
        places.iter().enumerate().any(|(number, (_, kind))| {
            line.strip_suffix(b"\n").is_some_and(|line| line == bad_line(*kind, number, shape))
        })
    };
    let bad = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| is_bad(line))
        .map(|(at, line)| (at as u64 + 1, line.clone()))
        .collect();
    (lines.concat(), bad)
}

/// A sample without bad records, with line feeds only, the last line ended.
fn tidy(sample: &Sample) -> Vec<u8> {
    let lines = sample
        .untouched
        .split(|byte| *byte == b'\n')
        .filter(|line| !sample.bad.iter().any(|bad| bad.bytes == *line));
    let mut bytes = lines.collect::<Vec<_>>().join(&b'\n');
    while bytes.ends_with(b"\n") {
        bytes.pop();
    }
    bytes.push(b'\n');
    bytes
}

/// The archive of a run.
fn archive(place: &Place, out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    tree(&place.path(out))
        .into_iter()
        .filter(|(path, _)| !path.starts_with("originals") && path.parent() != Some("".as_ref()))
        .collect()
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn a_bad_record_costs_only_itself(
        sample in sample_of_lines(),
        bad in prop::collection::vec((any::<prop::sample::Index>(), 0..8usize), 1..5),
        policy in policy(None),
    ) {
        let good = tidy(&sample);
        let (input, bad) = with_bad(&good, sample.shape, &bad);
        let place = Place::new(&good, &policy.toml);
        let output = place.compact("in.jsonl", "without", &[]);
        prop_assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}", output);
        place.write("in.jsonl", &input);
        let output = place.compact("in.jsonl", "with", &[]);
        prop_assert_eq!(output.status.code(), Some(3), "{:?}", output);
        let stderr = String::from_utf8_lossy(&output.stderr);
        for (line, bytes) in &bad {
            prop_assert!(stderr.lines().any(|told| told.starts_with(&format!("in.jsonl:{line}:"))), "{} is not told:\n{}\n{}", line, String::from_utf8_lossy(bytes), stderr);
        }
        prop_assert_eq!(stderr.lines().filter(|told| told.starts_with("in.jsonl:") && !told.contains(": warning: ")).count(), bad.len(), "{}", stderr);

        let written = fs::read(place.path("with/in.jsonl")).expect("an output");
        let lines: Vec<&[u8]> = written.split_inclusive(|byte| *byte == b'\n').collect();
        let (ours, rest): (Vec<&[u8]>, Vec<&[u8]>) = lines.iter().partition(|line| bad.iter().any(|(_, bad)| bad == *line));
        prop_assert!(ours == bad.iter().map(|(_, bad)| bad.as_slice()).collect::<Vec<_>>(), "bad records do not leave as they came:\n{}", String::from_utf8_lossy(&written));
        if sample.shape == Shape::Lines {
            prop_assert!(bad.iter().all(|(line, bad)| lines[usize::try_from(line - 1).unwrap()] == bad), "bad records leave in another place");
        }
        let without = fs::read(place.path("without/in.jsonl")).expect("an output");
        prop_assert!(rest.concat() == without, "bad records change others:\n{}\n{}", String::from_utf8_lossy(&rest.concat()), String::from_utf8_lossy(&without));
        prop_assert!(archive(&place, "with") == archive(&place, "without"), "bad records change the archive");
    }
}

#[cfg(target_os = "linux")]
mod memory {
    use super::{EAGER, Place, epitome, fs};
    use std::io::Write;
    use std::process::Stdio;

    /// Transcripts of about 34 KB each; one in five is long enough to change.
    fn transcript(number: usize) -> String {
        let text = "All work and no play makes a dull log. ".repeat(72);
        let count = if number.is_multiple_of(5) { 6 } else { 2 };
        let message = |at: usize| {
            format!(
                "{{\"role\": \"{}\", \"content\": \"{at} {}\"}}",
                if at.is_multiple_of(2) { "user" } else { "assistant" },
                text.repeat(12 / count)
            )
        };
        let messages: Vec<String> = (0..count).map(message).collect();
        format!("{{\"thread_id\": \"t{number}\", \"messages\": [{}]}}", messages.join(", "))
    }

    /// The peak memory of a run over so many bytes, in KB. Asked while the program still waits for
    /// more.
    fn peak(megabytes: usize, opening: &str, separator: &str, closing: &str) -> usize {
        let place = Place::new(b"", &EAGER.replace("messages = 3", "messages = 5"));
        let mut child = epitome(place.directory.path())
            .args([
                "compact", "-", "-o", "out", "--config", "policy.toml", "--summarizer", "extract",
                "--quiet", "-j", "2",
            ])
            .stdin(Stdio::piped())
            .spawn()
            .expect("a program that runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        let (mut sent, mut number) = (0, 0);
        stdin.write_all(opening.as_bytes()).expect("a program that reads");
        while sent < megabytes << 20 {
            let record = if number == 0 {
                transcript(number)
            } else {
                format!("{separator}{}", transcript(number))
            };
            stdin.write_all(record.as_bytes()).expect("a program that reads");
            sent += record.len();
            number += 1;
        }
        stdin.write_all(closing.as_bytes()).expect("a program that reads");
        let status =
            fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a running program");
        drop(stdin);
        assert!(child.wait().expect("an end").success());
        let written = fs::metadata(place.path("out/stdin.jsonl")).expect("an output").len();
        assert!(
            written > 0
                && fs::read_dir(place.path("out/conversation_history")).expect("histories").count()
                    == number.div_ceil(5)
        );
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        peak.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    fn check(opening: &str, separator: &str, closing: &str) {
        let (small, large) =
            (peak(12, opening, separator, closing), peak(48, opening, separator, closing));
        assert!(
            large < small + 5_000 && large < 50_000,
            "peak memory grows with the input: {small} KB for 12 MB, {large} KB for 48 MB"
        );
    }

    #[test]
    fn memory_does_not_grow_with_a_file_of_lines() {
        check("", "\n", "\n");
    }

    #[test]
    fn memory_does_not_grow_with_an_array() {
        check("[", ",\n", "]\n");
    }
}

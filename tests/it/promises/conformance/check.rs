//! Runs each case, and compares its plan and its output with what is expected.

use super::case::{CALL_FIELDS, Case, FIELDS, NULL, expectations, load, parse, text};
use super::policy::{input_limit, input_line, policy, summarizer};
use crate::promises::support::{Place, epitome, messages_of, tree};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Output;

/// Where two values first differ.
fn diff(want: &Value, got: &Value, place: &str) -> Option<String> {
    match (want, got) {
        _ if want == got => None,
        (Value::Object(ours), Value::Object(theirs)) => {
            let keys = ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                diff(
                    want.get(key).unwrap_or(&NULL),
                    got.get(key).unwrap_or(&NULL),
                    &format!("{place}.{key}"),
                )
            })
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => ours
            .iter()
            .zip(theirs)
            .enumerate()
            .find_map(|(at, (want, got))| diff(want, got, &format!("{place}[{at}]"))),
        _ => Some(format!("{place}: want {want}, got {got}")),
    }
}

/// Arguments that the reference rewrote are compared as JSON: their spelling is free.
fn loosened(message: &Value, want: &Value, source: &Value) -> Value {
    let mut message = message.clone();
    if want["tool_calls"] == source["tool_calls"] {
        return message;
    }
    for (at, call) in message["tool_calls"].as_array_mut().into_iter().flatten().enumerate() {
        let arguments =
            |message: &Value| message["tool_calls"][at]["function"]["arguments"].clone();
        if arguments(want) == arguments(source) {
            continue;
        }
        if let Some(read) =
            call["function"]["arguments"].as_str().and_then(|json| serde_json::from_str(json).ok())
        {
            call["function"]["arguments"] = read;
        }
    }
    message
}

fn allowed_statuses(case: &Value, want: &Value) -> Vec<i64> {
    if let Some(statuses) = want["exit_status"].as_array() {
        return statuses.iter().filter_map(Value::as_i64).collect();
    }
    if want.get("error").is_some() {
        return vec![1, 2, 3];
    }
    let over =
        input_limit(case).is_some_and(|limit| want["tokens_sent"].as_u64().unwrap_or(0) > limit);
    if over { vec![0, 1] } else { vec![0] }
}

struct Checked {
    problems: Vec<String>,
}

impl Checked {
    fn compare(&mut self, want: &Value, got: &Value, place: &str) {
        self.problems.extend(diff(want, got, place));
    }

    fn check(&mut self, holds: bool, problem: impl FnOnce() -> String) {
        if !holds {
            self.problems.push(problem());
        }
    }

    /// The report, the messages, and the bytes of what was not touched.
    fn result(&mut self, case: &Value, want: &Value, line: &str, out: &Path) {
        let report = fs::read_to_string(out.join("report.json")).unwrap_or_default();
        let entry = serde_json::from_str(&report)
            .map_or(NULL, |report: Value| report["transcripts"][0].clone());
        for (field, key) in FIELDS {
            if let Some(want) = want.get(field) {
                self.compare(want, &entry[key], key);
            }
        }
        let raws = case["line"]["messages"].as_array().cloned().unwrap_or_default();
        let head = raws
            .first()
            .filter(|first| matches!(first["role"].as_str(), Some("system" | "developer")));
        let head_source = head.map(|_| Value::from(0));
        let list = |key: &str| want[key].as_array().cloned().unwrap_or_default();
        let messages: Vec<Value> = head.cloned().into_iter().chain(list("messages")).collect();
        let sources: Vec<Value> = head_source.into_iter().chain(list("src")).collect();
        self.check(messages.len() == sources.len(), || {
            "the case names a source for other messages".to_owned()
        });

        let written = fs::read_to_string(out.join("input.jsonl")).unwrap_or_default();
        let rows: Vec<&str> = written.lines().filter(|row| !row.trim().is_empty()).collect();
        let [row] = rows[..] else {
            return self.problems.push(format!("input.jsonl: want 1 line, got {}", rows.len()));
        };
        let result = parse(row);
        let got = result["messages"].as_array().cloned().unwrap_or_default();
        self.check(messages.len() == got.len(), || {
            format!("messages: want {}, got {}", messages.len(), got.len())
        });
        for (at, ((want, got), source)) in messages.iter().zip(&got).zip(&sources).enumerate() {
            let source = source
                .as_u64()
                .map_or(&NULL, |index| &raws[usize::try_from(index).expect("an index")]);
            let (ours, theirs) = if source.is_null() {
                (want.clone(), got.clone())
            } else {
                (loosened(want, want, source), loosened(got, want, source))
            };
            self.compare(&ours, &theirs, &format!("messages[{at}]"));
        }
        let without_messages = |value: &Value| {
            let mut value = value.clone();
            value.as_object_mut().map(|object| object.shift_remove("messages"));
            value
        };
        self.compare(&without_messages(&parse(line)), &without_messages(&result), "record");
        self.check(messages != raws || row == line, || {
            "nothing changed, but the line is not the input's, byte for byte".to_owned()
        });
        let (before, after) = (messages_of(line.as_bytes()), messages_of(row.as_bytes()));
        for (at, (message, source)) in messages.iter().zip(&sources).enumerate() {
            let Some(source) = source
                .as_u64()
                .and_then(|index| usize::try_from(index).ok())
                .filter(|index| raws[*index] == *message)
            else {
                continue;
            };
            let same = after
                .get(at)
                .is_some_and(|range| row[range.clone()] == line[before[source].clone()]);
            self.check(same, || {
                format!("bytes: untouched message {source} is not in the output as it was written")
            });
        }
    }

    /// Each model call of a replay.
    fn calls(&mut self, want: &Value, out: &Path) {
        let written = fs::read_to_string(out.join("replay.jsonl")).unwrap_or_default();
        let got: Vec<Value> = written.lines().map(parse).collect();
        let calls = want["calls"].as_array().cloned().unwrap_or_default();
        self.check(calls.len() == got.len(), || {
            format!("calls: want {}, got {}", calls.len(), got.len())
        });
        for (at, (want, got)) in calls.iter().zip(&got).enumerate() {
            for field in CALL_FIELDS {
                self.compare(&want[field], &got[field], &format!("calls[{at}].{field}"));
            }
        }
    }

    fn files(&mut self, want: &Value, out: &Path) {
        let mut got = serde_json::Map::new();
        for root in ["conversation_history", "large_tool_results"] {
            for (path, bytes) in tree(&out.join(root)) {
                got.insert(
                    format!("/{root}/{}", path.display()),
                    String::from_utf8_lossy(&bytes).into_owned().into(),
                );
            }
        }
        self.compare(&want["files"], &Value::Object(got), "files");
    }
}

fn run(case: &Case, want: &Value) -> Vec<String> {
    let line = input_line(case);
    let place = Place::new(b"", &policy(&case.read));
    place.write("input.jsonl", format!("{line}\n").as_bytes());
    let summarizer = summarizer(&case.read, place.directory.path());
    let mut command = epitome(place.directory.path());
    let is_replay = case.read["mode"] == "replay";
    command.args([
        if is_replay { "replay" } else { "compact" },
        "input.jsonl",
        "-o",
        "out",
        "--config",
        "policy.toml",
        "--summarizer",
        &summarizer,
    ]);
    let Output { status, stderr, .. } = command.output().expect("a program that runs");
    let stderr = String::from_utf8_lossy(&stderr);
    let mut checked = Checked { problems: Vec::new() };
    let allowed = allowed_statuses(&case.read, want);
    let code = status.code().map_or(-1, i64::from);
    checked.check(allowed.contains(&code), || {
        format!("exit status: want {allowed:?}, got {code}; stderr: {stderr}")
    });
    if let Some(word) = want["stderr_contains"].as_str() {
        checked.check(stderr.contains(word), || {
            format!("stderr: want the word {word:?}, got {stderr}")
        });
    }
    let out = place.path("out");
    if is_replay {
        checked.calls(want, &out);
        checked.files(want, &out);
    } else if want.get("messages").is_some() {
        checked.result(&case.read, want, &line, &out);
        checked.files(want, &out);
    } else {
        checked.check(code != 2 || tree(&out).is_empty(), || {
            "exit status 2, but something was written".to_owned()
        });
    }
    checked.problems
}

#[test]
#[expect(clippy::print_stdout, reason = "what was skipped must be seen")]
fn every_published_case_is_decided_as_published() {
    let mut expected = expectations("expected-0.4.3.jsonl");
    expected.extend(expectations("expected-epitome-overrides.jsonl"));
    let replays = epitome(Path::new("."))
        .args(["replay", "--help"])
        .output()
        .is_ok_and(|output| output.status.success());
    let (mut passed, mut failures) = (0, String::new());
    for case in load("cases.jsonl") {
        let name = text(&case.read["name"]);
        if case.read["mode"] == "replay" && !replays {
            println!("skipped {name}: no replay command yet");
            continue;
        }
        let problems =
            run(&case, expected.get(&name).unwrap_or_else(|| panic!("no result for {name}")));
        passed += usize::from(problems.is_empty());
        for problem in problems {
            let _ = writeln!(failures, "{name}: {problem}");
        }
    }
    println!("{passed} passed");
    assert!(failures.is_empty(), "\n{failures}");
    assert!(passed > 70, "only {passed} cases were found");
}

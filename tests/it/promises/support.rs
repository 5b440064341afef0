//! Runs of the binary, and what came of them.

use crate::promises::generate::{Bad, Message, Sample, Shape, TAG, THREAD_KEY, Thread};
use crate::promises::plan::{Edit, Fate, Plan, Stage};
use crate::promises::reader::{elements, value};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The time of all runs.
pub(crate) const EPOCH: &str = "1767225600";
/// Cases of a property, where `PROPTEST_CASES` does not say.
const CASES: u32 = 20;

/// How many cases a property runs; `share` is for those whose cases cost more.
pub(crate) fn cases(share: u32) -> proptest::test_runner::Config {
    let cases =
        std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES);
    proptest::test_runner::Config {
        cases: (cases / share).max(1),
        max_shrink_time: 20_000,
        failure_persistence: None,
        ..Default::default()
    }
}

/// The program, in a directory, with a fixed clock.
pub(crate) fn epitome(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.current_dir(directory).env("SOURCE_DATE_EPOCH", EPOCH).stdin(Stdio::null());
    command
}

/// A private directory with an input file and a policy.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
}

impl Place {
    pub(crate) fn new(input: &[u8], policy: &str) -> Self {
        let place = Self { directory: tempfile::tempdir().expect("a temporary directory") };
        place.write("in.jsonl", input);
        place.write("policy.toml", policy.as_bytes());
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("a file that can be written");
    }

    /// `compact` with the policy into a directory.
    pub(crate) fn compact(&self, input: &str, output: &str, more: &[&str]) -> Output {
        let mut command = epitome(self.directory.path());
        command
            .args(["compact", input, "-o", output, "--config", "policy.toml", "--quiet"])
            .args(more);
        command.output().expect("a program that runs")
    }

    /// `plan --json` with a policy.
    pub(crate) fn plan(&self, input: &str, policy: &str) -> Vec<u8> {
        let mut command = epitome(self.directory.path());
        let output = command
            .args(["plan", "--json", input, "--config", policy, "--quiet"])
            .output()
            .expect("a program that runs");
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "plan: {output:?}");
        output.stdout
    }
}

/// All files below a directory, by path.
pub(crate) fn tree(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(entry.path());
            } else {
                let below = entry.path().strip_prefix(directory).expect("below").to_path_buf();
                found.insert(below, fs::read(entry.path()).unwrap_or_default());
            }
        }
    }
    found
}

/// `compact` of one sample, beside its `plan`.
pub(crate) struct Compacted {
    pub(crate) place: Place,
    pub(crate) status: i32,
    pub(crate) stderr: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) report: Value,
    pub(crate) threads: Vec<ThreadOutcome>,
    /// Whether threads keep their places in the file.
    one_a_record: bool,
}

/// One conversation: what was planned, reported and written.
pub(crate) struct ThreadOutcome {
    pub(crate) planned: Plan,
    /// The whole line of `plan --json`.
    pub(crate) explained: Value,
    /// Its entry in `report.json`.
    pub(crate) entry: Value,
    /// The messages in the output, each as it is spelled there.
    pub(crate) written: Vec<Vec<u8>>,
}

impl Compacted {
    pub(crate) fn run(sample: &Sample, policy: &str) -> Self {
        Self::run_with(sample, policy, &[])
    }

    pub(crate) fn run_with(sample: &Sample, policy: &str, more: &[&str]) -> Self {
        let place = Place::new(&sample.bytes, policy);
        let planned = place.plan("in.jsonl", "policy.toml");
        let output = place.compact("in.jsonl", "out", more);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let status = output.status.code().unwrap_or(-1);
        assert!(matches!(status, 0 | 1 | 3), "status {status}: {stderr}");
        let bytes = fs::read(place.path("out/in.jsonl")).expect("an output");
        let report: Value =
            serde_json::from_slice(&fs::read(place.path("out/report.json")).expect("a report"))
                .expect("a report that is JSON");
        let entries = report["transcripts"].as_array().cloned().unwrap_or_default();
        let entries: Vec<Value> =
            entries.into_iter().filter(|entry| !entry["thread_id"].is_null()).collect();
        let explained = json_lines(&planned);
        let written = written(sample, &bytes);
        assert_eq!(
            explained.len(),
            sample.threads.len(),
            "plan names other transcripts than there are; stderr: {stderr}"
        );
        assert_eq!(
            entries.len(),
            sample.threads.len(),
            "the report names other transcripts than there are; stderr: {stderr}"
        );
        assert_eq!(
            written.len(),
            sample.threads.len(),
            "the output holds other transcripts than there are"
        );
        let threads =
            explained.into_iter().zip(entries).zip(written).map(|((explained, entry), written)| {
                ThreadOutcome {
                    planned: serde_json::from_value(explained.clone()).expect("a plan"),
                    explained,
                    entry,
                    written,
                }
            });
        let one_a_record = sample.shape != Shape::MessageLines || sample.threads.len() == 1;
        Self { threads: threads.collect(), one_a_record, place, status, stderr, bytes, report }
    }
}

impl ThreadOutcome {
    /// The plan as it was carried out: without a summary that came out too long.
    pub(crate) fn carried_out(&self) -> Plan {
        let mut plan = self.planned.clone();
        if self.entry["summarized"] == Value::Bool(false) {
            plan.edits.retain(|edit| !matches!(edit, Edit::Summarize(_)));
        }
        plan
    }

    /// What happened to each message.
    pub(crate) fn fates(&self) -> Vec<Fate> {
        self.carried_out().fates()
    }

    /// Whether a stage was carried out.
    pub(crate) fn applied(&self, stage: Stage) -> bool {
        self.carried_out().edits.iter().any(|edit| edit.stage() == stage)
    }
}

impl Compacted {
    /// `plan --json` of the output, one line a thread of the input.
    pub(crate) fn planned_again(&self, policy: &str) -> Vec<Value> {
        let lines = json_lines(&self.place.plan("out/in.jsonl", policy));
        let ids: Vec<&Value> =
            self.threads.iter().map(|outcome| &outcome.explained["thread_id"]).collect();
        assert_eq!(lines.len(), ids.len(), "the output holds other transcripts than the input");
        if lines.iter().zip(&ids).all(|(line, id)| line["thread_id"] == **id || self.one_a_record) {
            return lines;
        }
        // Threads come in the order of their first record, which may have gone.
        let find = |id: &Value| lines.iter().find(|line| line["thread_id"] == *id).cloned();
        ids.into_iter().map(|id| find(id).expect("the thread is still there")).collect()
    }
}

/// The values of JSON lines.
pub(crate) fn json_lines(bytes: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_slice(bytes)
        .into_iter()
        .map(|line| line.expect("a line of JSON"))
        .collect()
}

/// The tag of a message; none for one that the program wrote.
pub(crate) fn tag_of(message: &[u8]) -> Option<u64> {
    std::str::from_utf8(&message[value(message, TAG)?]).ok()?.parse().ok()
}

/// The made messages by their tags.
pub(crate) fn by_tag(thread: &Thread) -> BTreeMap<u64, &Message> {
    thread.messages.iter().map(|message| (message.tag, message)).collect()
}

/// Lines without their ends; neither blank ones nor bad ones.
pub(crate) fn good_lines<'b>(bytes: &'b [u8], bad: &[Bad]) -> Vec<&'b [u8]> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.filter(|line| !bad.iter().any(|bad| bad.bytes == *line)).collect()
}

/// The messages of a record, by place.
pub(crate) fn messages_of(record: &[u8]) -> Vec<std::ops::Range<usize>> {
    if record.trim_ascii_start().starts_with(b"[") {
        return elements(record);
    }
    let Some(list) = value(record, "messages") else {
        return Vec::new();
    };
    elements(&record[list.clone()])
        .into_iter()
        .map(|range| range.start + list.start..range.end + list.start)
        .collect()
}

/// The records of a file of conversations, without the bad ones.
pub(crate) fn records<'b>(sample: &Sample, bytes: &'b [u8]) -> Vec<&'b [u8]> {
    match sample.shape {
        Shape::Lines => good_lines(bytes, &sample.bad),
        Shape::Messages => vec![bytes.trim_ascii()],
        Shape::Array => {
            let all = elements(bytes).into_iter().map(|range| &bytes[range]);
            all.filter(|element| !sample.bad.iter().any(|bad| bad.bytes == *element)).collect()
        }
        Shape::MessageLines => Vec::new(),
    }
}

/// The messages of each conversation in the output.
fn written(sample: &Sample, bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
    if sample.shape != Shape::MessageLines {
        let records = records(sample, bytes).into_iter();
        return records
            .map(|record| {
                messages_of(record).into_iter().map(|range| record[range].to_vec()).collect()
            })
            .collect();
    }
    let mut threads = vec![Vec::new(); sample.threads.len()];
    for line in good_lines(bytes, &sample.bad) {
        let key =
            value(line, THREAD_KEY).map(|range| String::from_utf8_lossy(&line[range]).into_owned());
        let thread = sample
            .threads
            .iter()
            .position(|thread| thread.key == key)
            .expect("a line of a known thread");
        threads[thread].push(line.trim_ascii().to_vec());
    }
    threads
}

/// A script in the place's directory, as a summarizer option.
pub(crate) fn script(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    let mut file = fs::File::create(&path).expect("a script that can be written");
    file.write_all(format!("#!/bin/sh\n{text}\n").as_bytes())
        .expect("a script that can be written");
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("a script that can be run");
    format!("command:{}", path.display())
}

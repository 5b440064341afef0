//! The runs that are disturbed, and what they may leave.

use crate::harness::{Dir, tree};
use crate::models::SUMMARY;
use crate::requests::{KEY, openai, requests, result};
use crate::talk::{CUT, talk};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

/// The beginning of the names of all files that are not under their final name.
const LEFTOVER: &str = ".epitome-";
/// A policy that gives other files than [`CUT`].
pub(super) const OTHER_CUT: &str = "--trigger messages=4 --keep messages=1";

/// A small run that is disturbed.
pub(super) struct Scenario {
    /// The words of the command.
    pub(super) command: String,
    /// What is added where the same is done again.
    again: &'static str,
    /// The folder before the run.
    prepared: Dir,
    /// The folder that is disturbed.
    pub(super) dir: Dir,
    old: Files,
    new: Files,
    stdout: Vec<u8>,
}

type Files = BTreeMap<String, Vec<u8>>;

impl Scenario {
    pub(super) fn new(dir: Dir, command: String, again: &'static str) -> Self {
        let (prepared, old) = (Dir::in_memory(), dir.tree(""));
        copy(&dir, &prepared);
        let undisturbed = dir.command(&command).output().unwrap();
        let stderr = String::from_utf8_lossy(&undisturbed.stderr);
        assert!(undisturbed.status.success(), "{command}: {stderr}");
        Self { command, again, prepared, new: dir.tree(""), dir, old, stdout: undisturbed.stdout }
    }

    /// Makes the folder as it was before the run.
    pub(super) fn prepare(&self) {
        for entry in fs::read_dir(self.dir.path("")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        copy(&self.prepared, &self.dir);
    }

    /// Checks what a disturbed run left, and that the next run makes it good. `fault` is for
    /// messages. The run's own message may be lost.
    pub(super) fn check(&self, output: &Output, fault: &str, lost_message: bool) {
        let what = format!("epitome {}, {fault}", self.command);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let left = published(&self.dir);
        if stderr.contains("unexpected error during closedir") {
            // The standard library panics where a directory can't be closed.
        } else if let Some(status) = output.status.code() {
            assert!(matches!(status, 0 | 2 | 3 | 4), "{what}: {status}\n{stderr}");
            if status == 0 {
                assert_eq!(
                    left.keys().collect::<Vec<_>>(),
                    self.new.keys().collect::<Vec<_>>(),
                    "{what}"
                );
                assert!(left == self.new, "{what}: status 0, and other files");
                // A note that can't be looked at may be told; then counts differ, too.
                let is_told = stderr.contains("warning");
                assert!(
                    output.stdout == self.stdout || is_told,
                    "{what}: status 0, and other data"
                );
            } else {
                let names_file = [
                    "in/", ".json", "back", "out", "reports", "arch", "stdout", "requests",
                    "epitome-file", "127.0.0.1", "batch_1", "HTTPS",
                ];
                assert!(
                    lost_message || names_file.iter().any(|name| stderr.contains(name)),
                    "{what}: {stderr}"
                );
            }
        }
        let failed = output.status.code() == Some(3);
        for (name, bytes) in &left {
            let is_known =
                [&self.old, &self.new].iter().any(|files| files.get(name) == Some(bytes));
            let may_differ = name.contains("manifest") || failed;
            assert!(
                is_known || (may_differ && is_whole(name, bytes)),
                "{what}: {name} is half\n{stderr}"
            );
        }
        let kept = self.old.keys().filter(|name| self.new.contains_key(*name));
        // A transcript that can't be compacted is written as it came, and has no archives then.
        let is_archive =
            |name: &str| name.contains("conversation_history/") || name.contains("originals/");
        for name in kept.filter(|name| !(failed && is_archive(name))) {
            assert!(left.contains_key(name), "{what}: {name} is lost\n{stderr}");
        }
        self.check_next(&what, failed);
    }

    fn check_next(&self, what: &str, failed: bool) {
        let next = self.dir.command(&format!("{} {}", self.command, self.again)).output().unwrap();
        let stderr = String::from_utf8_lossy(&next.stderr);
        // An export is in the directory: that of the disturbed run, whole or without inputs that
        // could not be read.
        let is_refused = next.status.code() == Some(2) && stderr.contains("not empty");
        assert!(next.status.success() || is_refused, "{what}: then {stderr}");
        let files = self.dir.tree("");
        let leftover = files.keys().find(|name| name.contains(LEFTOVER));
        assert_eq!(leftover, None, "{what}");
        assert!(files == self.new || (is_refused && failed), "{what}: then other files");
    }
}

/// All files under final names.
fn published(dir: &Dir) -> Files {
    let mut files = dir.tree("");
    files.retain(|name, _| !name.contains(LEFTOVER));
    files
}

/// Returns true if a file has no end within its data.
fn is_whole(name: &str, bytes: &[u8]) -> bool {
    let is_json = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    if name.ends_with(".jsonl") {
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        lines.all(|line| line.ends_with(b"\n") && is_json(line))
    } else if name.ends_with(".html") {
        bytes.trim_ascii_end().ends_with(b"</html>")
    } else {
        name.ends_with(".json") && is_json(bytes)
    }
}

fn copy(from: &Dir, to: &Dir) {
    for (name, bytes) in from.tree("") {
        to.write(&name, bytes);
    }
}

pub(super) fn logs(messages: usize) -> Dir {
    let dir = Dir::in_memory();
    dir.write("in/a.jsonl", talk("a", messages));
    dir
}

pub(super) fn after(dir: Dir, words: &str) -> Dir {
    dir.epitome(words).ok();
    dir
}

/// Every command that reads or writes files, on logs of so many messages.
pub(super) fn scenario(name: &str, messages: usize) -> Scenario {
    let dir = logs(messages);
    let compact = format!("compact in -o out --quiet -j1 {CUT}");
    match name {
        "compact" => {
            let reports = "--report reports/r.html --report reports/r.json";
            Scenario::new(dir, format!("{compact} {reports}"), "--force")
        }
        "compact --force" => {
            let new = format!("compact in -o out --quiet -j1 --force {OTHER_CUT}");
            Scenario::new(after(dir, &compact), new, "")
        }
        "compact --archive" => {
            let archived = format!("{compact} --archive arch");
            let new = format!("compact in -o out --archive arch --quiet -j1 --force {OTHER_CUT}");
            Scenario::new(after(dir, &archived), new, "")
        }
        "compact to stdout" => {
            let words = format!("compact in/a.jsonl -o - --archive arch --quiet -j1 {CUT}");
            Scenario::new(dir, words, "--force")
        }
        "convert" => {
            Scenario::new(dir, "convert in -o out --to anthropic --quiet -j1".to_owned(), "--force")
        }
        "replay" => {
            Scenario::new(dir, format!("replay in -o out --segments --quiet -j1 {CUT}"), "--force")
        }
        "restore" => {
            Scenario::new(after(dir, &compact), "restore out -o back".to_owned(), "--force")
        }
        "restore --check" => {
            Scenario::new(after(dir, &compact), "restore out --check".to_owned(), "")
        }
        "plan" => Scenario::new(dir, format!("plan in -j1 {CUT}"), ""),
        "plan --report" => {
            let words = format!("plan in --report reports/p.json -j1 {CUT}");
            Scenario::new(dir, words, "--force")
        }
        "plan --json" => Scenario::new(dir, format!("plan in --json -j1 {CUT}"), ""),
        "formats FILE" => Scenario::new(dir, "formats in/a.jsonl".to_owned(), ""),
        "models" => Scenario::new(dir, "models gpt-4o".to_owned(), ""),
        "presets" => Scenario::new(dir, "presets deepagents".to_owned(), ""),
        "count" => Scenario::new(dir, "count in -j1".to_owned(), ""),
        "evaluate" => Scenario::new(dir, format!("evaluate in -j1 --quiet {CUT}"), ""),
        "audit" => {
            let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/audit");
            for (name, bytes) in tree(&fixtures).into_iter().filter(|(name, _)| name == "pi.jsonl")
            {
                dir.write(&format!("in/{name}"), bytes);
            }
            let words =
                "audit in/pi.jsonl --report reports/a.html --report reports/a.json -j1 --quiet";
            Scenario::new(dir, words.to_owned(), "--force")
        }
        "requests export" => Scenario::new(dir, export(), ""),
        "requests fetch" => {
            let dir = after(dir, &export());
            // A file of several blocks; one result of a request is enough.
            let server = openai(results(&dir).repeat(20));
            dir.write("key", KEY);
            let server = format!(
                "--set summarizer.base_url={} --set summarizer.api_key_file=key",
                server.url()
            );
            let dir = after(dir, &format!("requests submit requests {server}"));
            Scenario::new(dir, format!("requests fetch requests {server}"), "")
        }
        "requests apply" => {
            let dir = after(dir, &export());
            dir.write("requests/results-0001.jsonl", results(&dir));
            Scenario::new(dir, "requests apply requests -o out --quiet -j1".to_owned(), "--force")
        }
        _ => panic!("no scenario {name}"),
    }
}

/// The results of all exported requests.
fn results(dir: &Dir) -> String {
    let requests = requests(dir);
    requests.iter().map(|request| result(request, SUMMARY)).collect()
}

fn export() -> String {
    format!(
        "requests export in -o requests --set summarizer.model=m --set summarizer.cache= --quiet -j1 {CUT}"
    )
}

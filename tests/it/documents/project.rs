//! The folder in which the samples run: logs under the names that the pages use.

use crate::harness::{Dir, PROGRAM, environment};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Fixtures that stand where the agents keep their logs.
const SESSIONS: [(&str, &str); 7] = [
    (".claude/projects/shop/3b1f.jsonl", "audit/claude-code.jsonl"),
    (".codex/sessions/2026/03/01/rollout.jsonl", "audit/codex.jsonl"),
    (".pi/agent/sessions/shop/session.jsonl", "audit/pi.jsonl"),
    ("claude-code.jsonl", "audit/claude-code.jsonl"),
    ("export.json", "audit/opencode.json"),
    ("pairs.jsonl", "preference-pairs/the-prompt-of-both/input.jsonl"),
    ("trajectories.jsonl", "hermes/tags-of-one-exchange-stay-together/input.jsonl"),
];

/// A project as its owner sees it: logs, datasets, a home folder with sessions.
pub(super) fn project() -> Dir {
    let dir = Dir::new();
    let demo = fixture("demo/sessions.jsonl");
    dir.write("fixtures/demo/sessions.jsonl", &demo)
        .write("fixtures/demo/flight-change.jsonl", fixture("demo/flight-change.jsonl"))
        .write("logs/sessions.jsonl", &demo)
        .write("session.jsonl", &demo)
        .write("dataset.jsonl", &demo)
        .write("dataset.jsonl.gz", gzip(&demo));
    for (path, name) in SESSIONS {
        dir.write(path, fixture(name));
    }
    dir
}

fn fixture(name: &str) -> Vec<u8> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    fs::read(fixtures.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Runs a script of `sh` in the folder. Returns its status and what it printed, stderr and stdout
/// in one.
pub(crate) fn run_shell(dir: &Dir, script: &str) -> (i32, String) {
    let programs = Path::new(PROGRAM).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-euc", &format!("exec 2>&1\n{script}")])
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .env("PATH", path)
        .env("HOME", dir.path(""))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap(), printed)
}

//! Who may read what a run writes: nobody who may not read its inputs.

use crate::harness::{Dir, PROGRAM, environment};
use crate::talk::text;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Cuts the transcript; a result is evicted, too.
const POLICY: &str = "--trigger messages=4 --keep messages=2";

fn transcript() -> String {
    let call =
        json!({"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}});
    let mut messages = vec![
        json!({"role": "user", "content": "Read it."}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "a", "content": "line of a log\n".repeat(8000)}),
    ];
    for number in 0..12 {
        let role = ["assistant", "user"][number % 2];
        messages.push(json!({"role": role, "content": text("t", number)}));
    }
    format!("{}\n", json!({"messages": messages}))
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The modes of everything below a folder, the folder included.
fn modes(folder: &Path) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        found.insert(name, metadata.permissions().mode() & 0o777);
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    found
}

/// Runs the program under a umask. It must end with 0.
fn run(dir: &Dir, umask: &str, words: &str, stdin: Stdio) {
    let output = Command::new("sh")
        .args(["-c", &format!("umask {umask}; exec {PROGRAM} {words}")])
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .stdin(stdin)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "epitome {words}\n{stderr}");
}

fn input_of_mode(mode: u32) -> Dir {
    let dir = Dir::new();
    dir.write("in/s.jsonl", transcript());
    set_mode(&dir.path("in/s.jsonl"), mode);
    dir
}

/// Nothing below a folder is for more users than a mode allows to read.
fn assert_private(dir: &Dir, folder: &str) {
    for (name, mode) in modes(&dir.path(folder)) {
        assert_eq!(mode & 0o077, 0, "{folder}/{name}: {mode:o}");
        assert_eq!(mode & 0o600, 0o600, "{folder}/{name}: {mode:o}");
    }
}

#[test]
fn nothing_that_is_made_of_private_inputs_is_open() {
    let dir = input_of_mode(0o600);
    let reports = "--report made/r.json --report made/r.md --report made/r.html";
    for words in [
        format!("compact in -o out --archive kept {POLICY} {reports}"),
        format!("compact in -o both --to anthropic {POLICY}"),
        "convert in -o converted --to sharegpt".to_owned(),
        format!("replay in -o replayed {POLICY} --segments"),
        "fit in -o refs/r.toml".to_owned(),
        "requests export in -o exported --trigger messages=4 --keep messages=2 --model gpt-5"
            .to_owned(),
        "restore out --archive kept -o back".to_owned(),
    ] {
        run(&dir, "000", &words, Stdio::null());
    }
    for folder in
        ["out", "kept", "made", "both", "converted", "replayed", "refs", "exported", "back"]
    {
        assert_private(&dir, folder);
    }
    let archived = dir.tree("kept").into_keys().collect::<Vec<_>>().join(" ");
    for kind in ["conversation_history", "large_tool_results", "originals"] {
        assert!(archived.contains(kind), "{archived}");
    }
    assert_eq!(dir.read("back/s.jsonl"), transcript());
}

#[test]
fn each_output_is_as_open_as_its_input_and_the_rest_as_the_strictest() {
    let dir = input_of_mode(0o640);
    dir.write("in/open.jsonl", transcript());
    set_mode(&dir.path("in/open.jsonl"), 0o444);
    run(&dir, "000", &format!("compact in -o out {POLICY}"), Stdio::null());
    let modes_out = modes(&dir.path("out"));
    assert_eq!(modes_out["s.jsonl"], 0o640);
    assert_eq!(modes_out["open.jsonl"], 0o644);
    assert_eq!(modes_out[""], 0o750);
    assert_eq!(modes_out["report.json"], 0o640);
    assert_eq!(modes_out["originals/open.jsonl.originals"], 0o640);
    set_mode(&dir.path("out/s.jsonl"), 0o600);
    run(&dir, "000", "restore out -o back", Stdio::null());
    assert_eq!(modes(&dir.path("back"))["s.jsonl"], 0o600);
}

#[test]
fn a_stricter_umask_or_a_stricter_file_that_is_replaced_decides() {
    let dir = input_of_mode(0o644);
    run(&dir, "077", &format!("compact in -o out {POLICY}"), Stdio::null());
    assert_private(&dir, "out");
    run(&dir, "022", &format!("compact in -o out --force {POLICY}"), Stdio::null());
    for (name, mode) in modes(&dir.path("out")) {
        assert_eq!(mode & 0o077, 0, "{name}: {mode:o}");
    }
    run(&dir, "022", &format!("compact in -o fresh {POLICY}"), Stdio::null());
    let fresh = modes(&dir.path("fresh"));
    assert_eq!((fresh[""], fresh["s.jsonl"]), (0o755, 0o644));
}

#[test]
fn for_a_pipe_the_umask_decides() {
    let dir = Dir::new();
    dir.write("s.jsonl", transcript());
    set_mode(&dir.path("s.jsonl"), 0o600);
    let input = fs::File::open(dir.path("s.jsonl")).unwrap();
    run(&dir, "027", &format!("compact - -o out {POLICY}"), input.into());
    let modes_out = modes(&dir.path("out"));
    assert_eq!((modes_out[""], modes_out["stdin.jsonl"]), (0o750, 0o640));
}

//! stdout carries data, stderr carries talk; a reader that goes away is a normal end.

use crate::harness::{Dir, PROGRAM, environment};
use crate::talk::{CUT, talk};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

#[test]
fn stdin_to_stdout() {
    let dir = Dir::new();
    let text = talk("a", 8) + &talk("b", 2);
    let ran = dir
        .epitome(&format!("compact - -o - {CUT}"))
        .stdin(text.as_str())
        .ok()
        .says(["epitome-archive"]);
    let lines: Vec<&str> = ran.stdout().lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("<summary>"));
    assert_eq!(lines[1], text.lines().nth(1).unwrap());
    assert!(
        dir.exists("epitome-archive/conversation_history/a.md"),
        "archives have a place of their own"
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_leaves_no_folder_where_it_runs() {
    let dir = Dir::new();
    dir.write("work/in.jsonl", talk("a", 8));
    let home = dir.path("home");
    let pipe = || {
        dir.epitome(&format!("compact in.jsonl -o - {CUT}"))
            .from("work")
            .env("HOME", home.to_str().unwrap())
            .ok()
            .says(["what was removed is in"])
    };
    let (first, second) = (pipe(), pipe());
    assert_eq!(first.stdout(), second.stdout());
    assert_eq!(dir.tree("work").len(), 1);
    let archives = std::fs::read_dir(dir.path("home/.local/state/epitome/archives")).unwrap();
    let archives: Vec<_> = archives.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(archives.len(), 2, "one for each run");
    for place in [&dir.path("home/.local/state/epitome"), &archives[0]] {
        let mode = std::fs::metadata(place).unwrap().permissions();
        let mode = std::os::unix::fs::PermissionsExt::mode(&mode);
        assert_eq!(mode & 0o777, 0o700, "{}", place.display());
    }
    dir.write("out/in.jsonl", first.stdout());
    let archive = archives[0].to_str().unwrap();
    dir.epitome("restore out -o back --archive").arg(archive).ok();
    assert_eq!(dir.read("back/in.jsonl"), dir.read("work/in.jsonl"));
}

#[test]
fn what_went_through_a_pipe_is_restored_from_its_archive() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8));
    let pipe = dir.epitome(&format!("compact - -o - --archive removed {CUT}"));
    let ran = pipe.stdin(dir.read("in.jsonl")).ok();
    dir.epitome("restore removed -o back").fails(3).says(["if it went to stdout, put it there"]);
    dir.write("removed/stdin.jsonl", ran.stdout());
    let restored = dir.epitome("restore removed -o back --force").ok();
    assert!(!restored.stderr.contains("not an output of epitome"), "{}", restored.stderr);
    assert_eq!(dir.read("back/stdin.jsonl"), dir.read("in.jsonl"));
}

#[test]
fn one_file_to_stdout() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 2));
    assert_eq!(dir.epitome("compact in.jsonl -o - --quiet").ok().stdout(), dir.read("in.jsonl"));
    assert_eq!(
        dir.tree("").into_keys().collect::<Vec<_>>(),
        ["in.jsonl"],
        "nothing to archive, nothing written"
    );
}

#[test]
fn two_inputs_do_not_fit_into_stdout() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", talk("a", 2)).write("in/b.jsonl", talk("b", 2));
    let ran = dir.epitome("compact in -o -").fails(2).says(["-o -", "2"]);
    assert!(ran.stdout.is_empty());
    dir.epitome("compact in/a.jsonl - -o -").stdin(talk("c", 2)).fails(2).says(["-o -"]);
    assert_eq!(dir.tree("").len(), 2);
}

#[test]
fn stdin_twice_is_refused() {
    let dir = Dir::new();
    dir.epitome("compact - - -o out").stdin(talk("a", 2)).fails(2).says(["stdin"]);
    dir.epitome("count - -").stdin(talk("a", 2)).fails(2).says(["stdin"]);
}

#[test]
fn bad_records_and_failures_go_through_stdout_in_their_place() {
    let text = format!("{}bad\n{}", talk("a", 2), talk("b", 2));
    let ran =
        Dir::new().epitome("compact - -o -").stdin(text.as_str()).fails(3).says(["stdin:2:1: "]);
    assert_eq!(ran.stdout(), text);
}

#[test]
fn plan_prints_json_lines_and_writes_nothing() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8) + &talk("b", 2));
    let ran = dir.epitome(&format!("plan in.jsonl --json {CUT}")).ok();
    let lines: Vec<serde_json::Value> =
        ran.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&lines[0]["status"], &lines[1]["status"]),
        (&"compacted".into(), &"unchanged".into())
    );
    assert_eq!(ran.stderr, "");
    assert_eq!(dir.tree("").into_keys().collect::<Vec<_>>(), ["in.jsonl"]);
}

/// Runs with a reader that takes one line and goes away.
#[cfg(unix)]
fn read_one_line_of(dir: &Dir, words: &str) {
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .args(words.split_whitespace());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert!(!line.is_empty(), "{words}");
    drop(reader);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let status = child.wait().unwrap();
    assert!(!stderr.contains("panicked") && !stderr.contains("roken pipe"), "{words}: {stderr}");
    assert_eq!(status.code(), Some(0), "{words}: {stderr}");
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_a_normal_end() {
    let dir = Dir::new();
    // More than any pipe or buffer holds.
    dir.write(
        "in.jsonl",
        (0..2_000).map(|number| talk(&format!("t{number}"), 8)).collect::<String>(),
    );
    for words in [
        "compact in.jsonl -o - --quiet",
        "compact in.jsonl -o - --quiet -j2",
        "plan in.jsonl --verbose",
        "plan in.jsonl --json",
        "count in.jsonl --json",
    ] {
        read_one_line_of(&dir, words);
    }
}

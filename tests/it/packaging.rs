//! The files by which other programs run this one: the action for GitHub, and the hooks for
//! pre-commit.

use crate::documents::project::run_shell;
use crate::harness::Dir;
use crate::talk::talk;
use std::fs;
use std::path::Path;

fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect(name)
}

/// Returns the last script of the action.
fn action_script() -> String {
    let action = file("action.yml");
    let (_, script) = action.rsplit_once("run: |\n").expect("a script");
    script.lines().map(|line| line.trim_start_matches("        ").to_owned() + "\n").collect()
}

#[test]
fn the_action_runs_the_command_and_leaves_a_summary() {
    let dir = Dir::new();
    dir.write("logs/in.jsonl", format!("{}{{bad\n", talk("long", 40)));
    let run = |command: &str, options: &str| {
        let variables = format!(
            "export EPITOME_COMMAND={command} EPITOME_INPUTS=logs/ EPITOME_OPTIONS='{options}' GITHUB_STEP_SUMMARY=step\n"
        );
        fs::write(dir.path("step"), "").expect("an empty summary");
        let (status, printed) =
            run_shell(&dir, &(variables + "bash -e <<'SCRIPT'\n" + &action_script() + "SCRIPT\n"));
        (status, printed, dir.read("step"))
    };
    let (status, printed, summary) = run("plan", "--trigger messages=6 --keep messages=2");
    // A failed record is status 3, and the summary is there all the same.
    assert_eq!(status, 3, "{printed}");
    assert!(printed.contains("::error file=logs/in.jsonl,line=2"), "{printed}");
    assert!(summary.starts_with("## Plan of"), "{summary}");
    let (status, printed, summary) = run("compact", "-o out --max-errors all --trigger messages=6");
    assert_eq!(status, 0, "{printed}");
    assert!(dir.exists("out/in.jsonl"));
    assert!(summary.starts_with("## Transcript compaction"), "{summary}");
    let (status, printed, _) = run("evaluate", "--max-errors all");
    assert_eq!(status, 0, "{printed}");
}

#[test]
fn the_hooks_fail_where_they_say() {
    let dir = Dir::new();
    dir.write("good.jsonl", talk("short", 2))
        .write("long.jsonl", talk("long", 40))
        .write("bad.jsonl", "{bad\n");
    let hooks = file(".pre-commit-hooks.yaml");
    let entries: Vec<&str> =
        hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    let [readable, check] = entries[..] else {
        panic!("{entries:?}");
    };
    for (command, status) in [
        (format!("{readable} good.jsonl long.jsonl"), 0),
        (format!("{readable} good.jsonl bad.jsonl"), 3),
        (format!("{check} --trigger messages=6 good.jsonl"), 0),
        (format!("{check} --trigger messages=6 good.jsonl long.jsonl"), 1),
    ] {
        let (got, printed) = run_shell(&dir, &command);
        assert_eq!(got, status, "{command}: {printed}");
    }
}

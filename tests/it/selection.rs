//! What is read of a named directory: patterns, and hidden directories.

use crate::harness::Dir;

const TALK: &str = r#"{"messages": [{"role": "user", "content": "Which pump?"}]}"#;

/// A directory with files in several places.
fn logs() -> Dir {
    let dir = Dir::new();
    for path in [
        "logs/a.jsonl", "logs/b.json", "logs/old/c.jsonl", "logs/new/d.jsonl",
        "logs/new/.cache/e.jsonl",
    ] {
        dir.write(path, TALK);
    }
    dir
}

/// The files that a command reads, in order.
fn read_files(dir: &Dir, options: &str) -> Vec<String> {
    let plan = dir.epitome(&format!("plan logs --json {options}")).ok();
    let lines = std::str::from_utf8(&plan.stdout).unwrap().lines();
    let values = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    values.map(|value| value["file"].as_str().unwrap().replace("logs/", "")).collect()
}

#[test]
fn patterns_choose_the_files_of_a_directory() {
    let dir = logs();
    for (options, wanted) in [
        ("", &["a.jsonl", "b.json", "new/d.jsonl", "old/c.jsonl"][..]),
        ("--include *.json", &["b.json"]),
        ("--include new/ --include /a.jsonl", &["a.jsonl", "new/d.jsonl"]),
        ("--exclude old", &["a.jsonl", "b.json", "new/d.jsonl"]),
        ("--exclude *.jsonl --exclude !c.jsonl", &["b.json", "old/c.jsonl"]),
        ("--include *.jsonl --exclude new/", &["a.jsonl", "old/c.jsonl"]),
        ("--include d.* --hidden", &["new/d.jsonl"]),
        ("--include .cache --hidden", &["new/.cache/e.jsonl"]),
    ] {
        assert_eq!(read_files(&dir, options), wanted, "{options}");
    }
    // What is named itself is read whatever the patterns.
    dir.epitome("count logs/a.jsonl --exclude *.jsonl").ok();
}

#[test]
fn hidden_directories_are_entered_only_if_asked_for_and_are_told() {
    let dir = logs();
    dir.epitome("count logs")
        .ok()
        .says(["warning: logs/new/.cache is hidden and is not entered; --hidden reads it"]);
    let run = dir.epitome("count logs --hidden").ok();
    assert_eq!(run.stderr, "");
    // A directory that is named itself is read.
    dir.epitome("count logs/new/.cache").ok();
    dir.write("only/.x/a.jsonl", TALK);
    dir.epitome("count only")
        .fails(2)
        .says(["a hidden directory in it is not entered (--hidden reads it)"]);
}

#[test]
fn a_pattern_that_is_wrong_or_leaves_nothing_is_an_error() {
    let dir = logs();
    dir.epitome("count logs --include [z-a]").fails(2).says(["--include", "[z-a]"]);
    dir.epitome("count logs --include *.txt")
        .fails(2)
        .says(["holds no transcript file", "4 files in it are left out by --include or --exclude"]);
}

#[test]
fn a_directory_of_a_database_says_how_its_sessions_are_read() {
    let dir = Dir::new();
    dir.write("data/opencode.db", b"SQLite format 3\0 and pages");
    dir.write("data/notes.db", "no database");
    dir.epitome("count data").fails(2).says([
        "the directory data holds no transcript file",
        "opencode.db in it can't be read: it is an SQLite database",
        "`opencode export` writes a session",
    ]);
}

/// `apply` reads what `export` has read.
#[test]
fn an_export_keeps_the_choice_of_its_files() {
    let dir = Dir::new();
    let talk: Vec<String> = (0..12)
        .map(|number| {
            let role = ["user", "assistant"][number % 2];
            format!(
                r#"{{"role": "{role}", "content": "Step {number} of the repair of the pump."}}"#
            )
        })
        .collect();
    let record = format!(r#"{{"messages": [{}]}}"#, talk.join(", "));
    dir.write("logs/a.jsonl", &record);
    dir.write("logs/b.jsonl", &record);
    dir.epitome(
        "requests export logs --exclude b.jsonl -o requests --set summarizer.model=openai:gpt-5.2 --trigger messages=4 --keep messages=2",
    )
    .ok();
    dir.write("results.jsonl", "");
    dir.epitome("requests apply requests results.jsonl -o out --max-errors all");
    let manifest = String::from_utf8(dir.bytes("requests/manifest.json")).unwrap();
    assert!(manifest.contains("\"exclude\""), "{manifest}");
    assert!(!dir.path("out/b.jsonl").exists());
}

#[test]
fn a_file_lists_inputs() {
    let dir = logs();
    dir.write("list", "logs/b.json\n\nlogs/new\n")
        .write("list0", "logs/b.json\0logs/new\0")
        .write("empty", "\n")
        .write("logs/a b.jsonl", TALK);
    let files = |options: &str, stdin: &str| -> Vec<String> {
        let plan = dir.epitome(&format!("plan --json {options}")).stdin(stdin).ok();
        let lines = std::str::from_utf8(&plan.stdout).unwrap().lines();
        let values = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        values.map(|value| value["file"].as_str().unwrap().to_owned()).collect()
    };
    let listed = ["logs/b.json", "logs/new/d.jsonl"];
    assert_eq!(files("--files-from list", ""), listed);
    assert_eq!(files("--files-from list0", ""), listed);
    assert_eq!(
        files("logs/a.jsonl --files-from -", "logs/a b.jsonl\n"),
        ["logs/a.jsonl", "logs/a b.jsonl"]
    );
    for (arguments, message) in [
        ("plan --files-from none", "can't read the list of inputs none"),
        ("plan --files-from empty", "the list of inputs empty is empty"),
        ("plan - --files-from -", "stdin holds the list of --files-from"),
    ] {
        dir.epitome(arguments).fails(2).says([message]);
    }
}

//! Help of every command works and mentions its options; version and formats are data on stdout.

use crate::catalog::TARGETS;
use crate::harness::Dir;

const INPUT: [&str; 2] = ["--format", "--max-record-bytes"];
const COUNTING: [&str; 3] = ["--model", "--counter", "--config"];
const POLICY: [&str; 9] = [
    "--preset", "--max-input-tokens", "--max-tokens", "--limits", "--trigger", "--keep",
    "--summarizer", "--summary-tokens", "--print-config",
];
const MODEL: [&str; 2] = ["--redact", "--set"];
const SERVER: [&str; 2] = ["--set", "summarizer.base_url"];
const RUN: [&str; 4] = ["--jobs", "--max-errors", "--quiet", "--progress"];

fn help_of(command: &str) -> String {
    let ran = Dir::new().epitome(&format!("{command} --help")).ok();
    assert_eq!(ran.stderr, "", "{command}");
    let text = ran.stdout().to_owned();
    let brief = Dir::new().epitome(&format!("{command} -h")).ok();
    assert!(brief.stdout().contains("Usage:"));
    text
}

#[test]
fn every_command_has_help_that_names_its_options() {
    let all = [INPUT.as_slice(), &COUNTING, &POLICY, &MODEL, &RUN].concat();
    for (command, options) in [
        (
            "compact",
            [
                all.as_slice(),
                &[
                    "--output", "--archive", "--report", "--force", "--check", "--to",
                    "--merge-user",
                ],
            ]
            .concat(),
        ),
        (
            "convert",
            [
                INPUT.as_slice(),
                &RUN,
                &["--to", "--output", "--report", "--force", "--check", "--merge-user"],
            ]
            .concat(),
        ),
        ("plan", [all.as_slice(), &["--json", "--verbose", "--check"]].concat()),
        ("evaluate", [all.as_slice(), &["--json", "--compare", "--fail-under"]].concat()),
        ("fit", [INPUT.as_slice(), &COUNTING, &RUN, &["--output", "--force"]].concat()),
        ("count", [INPUT.as_slice(), &COUNTING, &RUN, &["--json"]].concat()),
        ("models", vec!["--limits", "--preset", "--json"]),
        ("formats", Vec::new()),
        ("requests", vec!["export", "submit", "status", "fetch", "apply"]),
        (
            "requests export",
            [all.as_slice(), &["--output", "--max-requests", "--shard-size"]].concat(),
        ),
        (
            "requests apply",
            [RUN.as_slice(), &["--output", "--archive", "--report", "--force", "--set", "--check"]]
                .concat(),
        ),
        ("requests submit", SERVER.to_vec()),
        ("requests status", [SERVER.as_slice(), &["--json"]].concat()),
        ("requests fetch", SERVER.to_vec()),
    ] {
        let help = help_of(command);
        assert!(help.contains(&format!("epitome {command}")), "{help}");
        for option in options {
            assert!(help.contains(option), "{command} --help does not mention {option}");
        }
    }
}

#[test]
fn help_of_the_program_names_the_commands_and_the_statuses() {
    let help = help_of("");
    for wanted in
        ["compact", "plan", "requests", "count", "evaluate", "formats", "Exit status", "Examples"]
    {
        assert!(help.contains(wanted), "{wanted}");
    }
    assert_eq!(
        Dir::new().epitome("--version").ok().stdout(),
        concat!("epitome ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn help_names_the_values_that_are_known() {
    let help = help_of("compact");
    for wanted in [
        "deepagents", "langchain", "extract", "command:PROGRAM", "none", ".json", ".md", "auto",
        "always", "never",
    ] {
        assert!(help.contains(wanted), "{wanted}");
    }
}

#[test]
fn help_names_what_can_be_converted_to() {
    for command in ["compact", "convert"] {
        let help = help_of(command);
        for target in TARGETS.iter() {
            assert!(help.contains(target), "{command}: {target}");
        }
    }
}

#[test]
fn formats_lists_what_the_format_option_takes() {
    let dir = Dir::new();
    dir.write("in.jsonl", crate::talk::talk("t", 2));
    let ran = dir.epitome("formats").ok();
    let names: Vec<&str> = ran
        .stdout()
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.contains(&"openai"), "{names:?}");
    dir.epitome("count in.jsonl --format openai").ok();
    for name in names {
        let ran = dir.epitome(&format!("count in.jsonl --format {name} --max-errors all")).ok();
        assert!(!ran.stderr.contains("--format"), "{name} is listed and not taken");
    }
}

#[test]
fn count_counts_by_role() {
    let dir = Dir::new();
    dir.write("in.jsonl", crate::talk::talk("t", 4));
    let ran = dir.epitome("count in.jsonl --json").ok();
    let lines: Vec<serde_json::Value> =
        ran.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["thread_id"], &lines[0]["counts"]["messages"]), (&"t".into(), &4.into()));
    let roles = &lines[0]["counts"]["roles"];
    let sum = roles["user"].as_u64().unwrap() + roles["assistant"].as_u64().unwrap();
    assert_eq!(lines[1]["total"]["tokens"], sum);
    assert!(dir.epitome("count in.jsonl").ok().stdout().contains("assistant"));
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let dir = Dir::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script =
            String::from_utf8(dir.epitome(&format!("completions {shell}")).ok().stdout).unwrap();
        for word in ["compact", "requests", "max-record-bytes", "deepagents"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    let page = |words: &str| String::from_utf8(dir.epitome(words).ok().stdout).unwrap();
    assert!(page("man").contains(".TH epitome 1"));
    let compact = page("man compact");
    assert!(compact.contains(".TH epitome-compact 1") && compact.contains("truncate"), "{compact}");
    dir.epitome("man compat").fails(2).says(["no such command", "compact"]);
    dir.epitome("completions tcsh").fails(2).says(["zsh"]);
}

//! Help texts and tables exactly as the program prints them, in `tests/snapshots/`.
//!
//! `help/` holds the short and the long help of every command. The other folders hold stdout,
//! stderr and the status of a command that ran on the demonstration file. A file that no case
//! claims is a failure.
//!
//! `EPITOME_FIXTURES=overwrite cargo test --test it -- snapshots` writes them anew; read the diff
//! before you keep it.

use crate::catalog::{PRESETS, TARGETS, commands};
use crate::expected::{Files, assert_none, differences, overwrites, write};
#[cfg(target_os = "linux")]
use crate::harness::PROGRAM;
use crate::harness::{Dir, Epitome, FinishedRun, tree};
use std::fs;
use std::path::{Path, PathBuf};

/// A policy under which the demonstration file is summarized early.
const EARLY: &str = "[summarize]\ntrigger = [{ tokens = 1000 }]\nkeep = { messages = 6 }\n";

/// Tables: the file's name below `tests/snapshots/`, and the command. Commands before the last ` &&
/// ` only prepare.
const TABLES: &[(&str, &str)] = &[
    ("compact/defaults", "compact sessions.jsonl -o out"),
    ("compact/several-files", "compact sessions.jsonl other.jsonl broken.jsonl -o out"),
    ("compact/early", "compact sessions.jsonl -o out --config early.toml"),
    ("compact/check", "compact sessions.jsonl -o out --max-tokens 200 --check"),
    ("compact/quiet", "compact sessions.jsonl -o out --quiet"),
    ("compact/converted", "compact sessions.jsonl -o out --to anthropic"),
    ("compact/exists", "compact sessions.jsonl -o out && compact sessions.jsonl -o out"),
    ("plan/defaults", "plan sessions.jsonl"),
    ("plan/verbose", "plan sessions.jsonl -v"),
    (
        "plan/list",
        "compact sessions.jsonl -o out && plan sessions.jsonl other.jsonl out/sessions.jsonl --trigger messages=6",
    ),
    ("plan/full", "plan sessions.jsonl --full"),
    ("plan/top", "plan sessions.jsonl --top"),
    ("plan/thread", "plan sessions.jsonl --thread quick-question"),
    ("plan/unknown-thread", "plan sessions.jsonl --thread slow-question"),
    ("plan/changed", "plan sessions.jsonl --changed"),
    ("plan/quiet", "plan sessions.jsonl -q"),
    ("plan/check", "plan sessions.jsonl --check"),
    ("plan/json", "plan sessions.jsonl --json"),
    ("plan/opencode", "plan sessions.jsonl --preset opencode"),
    ("plan/overflow", "plan sessions.jsonl --max-tokens 900"),
    (
        "plan/model-summaries",
        "plan sessions.jsonl --summarizer http --set summarizer.model=openai:gpt-5.2 --set summarizer.cache=",
    ),
    ("plan/print-config", "plan --print-config --trigger tokens=4000,messages=10"),
    ("count/defaults", "count sessions.jsonl"),
    ("count/json", "count sessions.jsonl --json"),
    ("count/exact", "count sessions.jsonl --counter o200k_base --limits limits.tsv"),
    ("count/compare", "count sessions.jsonl --compare=o200k_base"),
    ("replay/defaults", "replay sessions.jsonl -o out"),
    ("replay/segments", "replay sessions.jsonl -o out --config early.toml --segments"),
    (
        "replay/compared",
        "replay sessions.jsonl -o out --policy deepagents --policy early=early.toml",
    ),
    ("evaluate/defaults", "evaluate sessions.jsonl"),
    ("evaluate/json", "evaluate sessions.jsonl --json"),
    ("evaluate/compared", "evaluate sessions.jsonl --compare early.toml --fail-under recall=0.99"),
    ("audit/claude-code", "audit claude-code.jsonl"),
    ("audit/codex", "audit codex.jsonl"),
    ("audit/pi", "audit pi.jsonl"),
    ("audit/opencode", "audit opencode.json"),
    ("audit/gemini-cli", "audit gemini-cli.jsonl"),
    (
        "audit/several",
        "audit claude-code.jsonl pi.jsonl without.jsonl sessions.jsonl --fail-under recall=0.6 --fail-under false_reads=0",
    ),
    ("audit/json", "audit pi.jsonl without.jsonl --json"),
    ("models/exact", "models gpt-5.2"),
    ("models/dated", "models gpt-5.2-2025-12-11"),
    ("models/unknown", "models gtp-5"),
    ("formats/all", "formats"),
    ("formats/explained", "formats sessions.jsonl"),
    ("formats/unknown", "formats limits.tsv"),
    ("presets/all", "presets"),
    (
        "requests/export",
        "requests export sessions.jsonl -o requests --set summarizer.model=openai:gpt-5.2",
    ),
    (
        "requests/apply-without-results",
        "requests export sessions.jsonl -o requests --set summarizer.model=openai:gpt-5.2 && requests apply requests -o out",
    ),
    ("restore/defaults", "compact sessions.jsonl -o out && restore out -o back"),
    ("restore/no-originals", "compact sessions.jsonl -o out && restore . -o back"),
    ("errors/unknown-option", "compact sessions.jsonl --triger"),
    ("errors/unknown-key", "plan sessions.jsonl --config wrong.toml"),
    ("errors/no-input", "plan missing.jsonl"),
    ("errors/unknown-preset", "plan --preset deepagent"),
];

/// Widths of a terminal, in columns.
#[cfg(target_os = "linux")]
const WIDTHS: [u16; 3] = [40, 80, 200];

#[test]
fn every_help_text_and_table_is_as_expected() {
    let mut produced = Files::new();
    for command in commands() {
        let name =
            if command.is_empty() { "epitome".to_owned() } else { command.replace(' ', "-") };
        for (flag, length) in [("-h", "short"), ("--help", "long")] {
            let words = format!("{command} {flag}");
            let text = session(&Dir::new(), words.trim_start());
            produced.insert(format!("help/{name}.{length}.txt"), text);
        }
    }
    for target in TARGETS.iter() {
        let words = format!("convert sessions.jsonl --to {target} -o out");
        produced.insert(format!("convert/{target}.txt"), session(&workplace(), &words));
    }
    for preset in PRESETS.iter() {
        let words = format!("presets {preset}");
        produced.insert(format!("presets/{preset}.txt"), session(&workplace(), &words));
    }
    for (name, words) in TABLES {
        produced.insert(format!("{name}.txt"), session(&workplace(), words));
    }
    let dir = workplace();
    dir.epitome("compact sessions.jsonl -o out --report digest.md").ok();
    produced.insert("compact/digest.md".to_owned(), dir.bytes("digest.md"));
    for report in ["audit.md", "audit.html"] {
        let words = format!("audit claude-code.jsonl codex.jsonl without.jsonl --report {report}");
        dir.epitome(&words).ok();
        produced.insert(format!("audit/{report}"), dir.bytes(report));
    }
    #[cfg(target_os = "linux")]
    for width in WIDTHS {
        produced.insert(format!("plan/{width}-columns.txt"), plan_in_terminal(width));
    }
    if overwrites() {
        write(&root(), &produced);
    }
    let mut expected = tree(&root());
    expected.retain(|name, _| cfg!(target_os = "linux") || !name.ends_with("-columns.txt"));
    assert_none(&differences(&expected, &produced));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots")
}

/// A folder with the files that the commands name.
fn workplace() -> Dir {
    let dir = Dir::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo/sessions.jsonl");
    let audited = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/audit");
    for (name, bytes) in tree(&audited) {
        dir.write(&name, bytes);
    }
    dir.write("sessions.jsonl", fs::read(demo).unwrap())
        .write("other.jsonl", crate::talk::talk("other", 6))
        .write("broken.jsonl", "{\"messages\": [\n")
        .write("early.toml", EARLY)
        .write("wrong.toml", "[summarise]\ntrigger = []\n")
        .write(
            "limits.tsv",
            "provider\tmodel\tcontext\tinput\toutput\nopenai\tgpt-4\t8000\t\t2000\n",
        );
    dir
}

/// Runs commands, and returns the last as a terminal would show it: the command, stdout, then
/// stderr and status where there are any.
fn session(dir: &Dir, words: &str) -> Vec<u8> {
    let (status, ran) =
        words.split(" && ").map(|words| dir.epitome(words)).map(Epitome::run).last().unwrap();
    transcript(words, status, &ran)
}

fn transcript(words: &str, status: i32, ran: &FinishedRun) -> Vec<u8> {
    let command = words.replace(" && ", " && epitome ");
    let mut text = format!("$ epitome {command}\n").into_bytes();
    text.extend_from_slice(&ran.stdout);
    if !ran.stderr.is_empty() {
        text.extend_from_slice(format!("[stderr]\n{}", ran.stderr).as_bytes());
    }
    if status != 0 {
        text.extend_from_slice(format!("[status {status}]\n").as_bytes());
    }
    text
}

/// The stdout of `plan` in a terminal of this width.
#[cfg(target_os = "linux")]
fn plan_in_terminal(width: u16) -> Vec<u8> {
    let dir = workplace();
    let shell =
        format!("stty rows 24 cols {width}; NO_COLOR=1 {PROGRAM} plan sessions.jsonl 2>/dev/null");
    let output = std::process::Command::new("script")
        .args(["--quiet", "--return", "--command", &shell, "/dev/null"])
        .current_dir(dir.path(""))
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the tests need `script` of util-linux");
    assert!(output.status.success(), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n");
    format!("$ epitome plan sessions.jsonl\n{shown}").into_bytes()
}

//! `audit`: what the compactions that agents made themselves have lost.

use crate::harness::{Dir, tree};
use serde_json::{Value, json};
use std::path::Path;

/// The logs of agents, one for each journal that records compactions.
const LOGS: [&str; 5] =
    ["claude-code.jsonl", "codex.jsonl", "pi.jsonl", "opencode.json", "gemini-cli.jsonl"];

fn workplace() -> Dir {
    let dir = Dir::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/audit");
    for (name, bytes) in tree(&fixtures) {
        dir.write(&name, bytes);
    }
    dir
}

fn audited(dir: &Dir, words: &str) -> Value {
    let ran = dir.epitome(&format!("audit {words} --json")).ok();
    serde_json::from_str(ran.stdout()).unwrap()
}

#[test]
fn the_compactions_of_every_agent_are_found_and_measured() {
    let dir = workplace();
    for log in LOGS {
        let audit = audited(&dir, log);
        let compactions = audit["compactions"].as_array().unwrap();
        assert_eq!(compactions.len(), 1, "{log}");
        let compaction = &compactions[0];
        assert_eq!(compaction["summarized_messages"], 6, "{log}");
        assert_eq!(compaction["kept_messages"], 1, "{log}");
        let [before, after] =
            ["tokens_before", "tokens_after"].map(|key| compaction[key].as_u64().unwrap());
        assert!(after < before, "{log}: {compaction}");
        assert_eq!(compaction["agent"]["recall"]["kept"], 3, "{log}");
        assert_eq!(compaction["agent"]["recall"]["of"], 6, "{log}");
        // The value of the first edit stands in the message that was kept.
        let lost: Vec<&str> = compaction["lost"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fact| fact["reference"].as_str().unwrap())
            .collect();
        assert_eq!(lost, ["src/legacy/tax.py", "AC_7714", "tests/test_export.py"], "{log}");
        assert_eq!(audit["totals"]["agent"], compaction["agent"], "{log}");
    }
}

#[test]
fn each_compaction_is_measured_by_what_came_before_the_next() {
    let dir = workplace();
    let once = dir.read("pi.jsonl");
    let last: Value = serde_json::from_str(once.lines().last().unwrap()).unwrap();
    let again = [
        json!({"type": "compaction", "id": "f1", "parentId": last["id"], "timestamp": last["timestamp"], "summary": "All is done.", "firstKeptEntryId": "f1", "tokensBefore": 900}),
        json!({"type": "message", "id": "f2", "parentId": "f1", "timestamp": last["timestamp"], "message": {"role": "assistant", "content": [{"type": "text", "text": "The table was config/rates.toml."}]}}),
    ];
    let lines: String = again.iter().map(|line| format!("{line}\n")).collect();
    dir.write("twice.jsonl", once.clone() + &lines);
    let audit = audited(&dir, "twice.jsonl");
    let [first, second] = audit["compactions"].as_array().unwrap().as_slice() else {
        panic!("{audit}");
    };
    assert_eq!(first["agent"], audited(&dir, "pi.jsonl")["compactions"][0]["agent"]);
    assert_eq!(second["agent"]["recall"]["of"], 1);
    assert_eq!(second["lost"][0]["reference"], "config/rates.toml");
    assert_eq!(audit["totals"]["agent"]["recall"]["of"], 7);
    // Without an answer there is nothing to measure by.
    let cut: String = once.lines().take(9).map(|line| format!("{line}\n")).collect();
    dir.write("cut.jsonl", cut);
    let audit = audited(&dir, "cut.jsonl");
    assert_eq!(audit["compactions"][0]["not_measured"], "the assistant wrote nothing after it");
}

#[test]
fn a_log_without_a_compaction_is_named_and_passes_no_gate() {
    let dir = workplace();
    dir.write("chat.jsonl", crate::talk::talk("t", 6));
    let audit = audited(&dir, "without.jsonl chat.jsonl");
    assert_eq!(
        audit["without_compaction"],
        json!([
            {"file": "without.jsonl", "format": "claude-code"},
            {"file": "chat.jsonl", "format": "openai"}
        ])
    );
    dir.epitome("audit without.jsonl --fail-under recall=0")
        .fails(1)
        .says(["recall could not be measured", "no compaction was found"]);
    dir.epitome("audit codex.jsonl --fail-under recall=0.5 --fail-under false_reads=0").ok();
    dir.epitome("audit codex.jsonl --fail-under recall=0.6")
        .fails(1)
        .says(["agent: recall is 0.500, less than 0.6"]);
}

#[test]
fn lost_facts_are_written_as_lines_for_the_agent() {
    let dir = workplace();
    dir.epitome("audit claude-code.jsonl --lost lost.md").ok();
    let text = dir.read("lost.md");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].contains("claude-code.jsonl:8"), "{text}");
    assert!(lines[2].starts_with("- AC_7714: # ledger account AC_7714"), "{text}");
    dir.epitome("audit claude-code.jsonl --lost both.md --report ./both.md")
        .fails(2)
        .says(["both.md", "written twice"]);
    dir.epitome("audit claude-code.jsonl --lost lost.md").fails(2).says(["lost.md", "--force"]);
    dir.epitome("audit without.jsonl --lost none.md").ok().says(["nothing was lost"]);
    assert!(!dir.exists("none.md"));
}

#[test]
fn an_audit_that_measured_nothing_says_so() {
    let dir = workplace();
    let log = dir.read("pi.jsonl");
    let lines: Vec<&str> = log.lines().take(9).collect();
    let answer = json!({"type": "message", "id": "f2", "parentId": null, "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}});
    let last: Value = serde_json::from_str(lines[8]).unwrap();
    let mut answer = answer;
    answer["parentId"] = last["id"].clone();
    dir.write("cut.jsonl", lines.join("\n") + "\n")
        .write("idle.jsonl", format!("{}\n{answer}\n", lines.join("\n")));
    let ran = dir.epitome("audit cut.jsonl").ok();
    assert!(ran.stdout().contains("nothing could be measured"));
    let ran = dir.epitome("audit idle.jsonl").ok();
    let nothing = "nothing that the summary replaced was needed later";
    assert!(ran.stdout().contains(nothing), "{}", ran.stdout());
    assert!(!ran.stdout().contains("0 of 0"), "{}", ran.stdout());
}

#[test]
fn text_from_a_log_neither_steers_the_terminal_nor_becomes_markup() {
    let dir = workplace();
    let hostile = "evil_1<script>alert(1)</script>\\u001b[31m";
    let log = dir.read("claude-code.jsonl");
    let log =
        log.replace("src/legacy/tax.py", &format!("`{hostile}`")).replace("audit-claude", hostile);
    dir.write("hostile.jsonl", log);
    let ran = dir.epitome("audit hostile.jsonl --report a.html --report a.md --report a.json").ok();
    assert!(ran.stdout().contains("evil_1<script>"), "{}", ran.stdout());
    for text in [ran.stdout().to_owned(), dir.read("a.html"), dir.read("a.md")] {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    let page = dir.read("a.html");
    assert!(page.contains("evil_1&lt;script&gt;") && !page.contains("<script"), "{page}");
    let value: Value = serde_json::from_str(&dir.read("a.json")).unwrap();
    assert_eq!(value["totals"]["compactions"], 1);
    dir.epitome("audit hostile.jsonl --report a.html").fails(2).says(["a.html"]);
    dir.epitome("audit hostile.jsonl --report a.txt")
        .fails(2)
        .says([".json, .jsonl, .md, .html or .xml"]);
}

#[test]
fn what_an_audit_does_not_measure_is_said_once() {
    let long = "the tide is in. ".repeat(16_000);
    let mut log =
        r#"{"type": "session", "id": "s", "cwd": "/w", "timestamp": "t"}"#.to_owned() + "\n";
    let mut push = |rest: String, id: usize| {
        let parent = id.checked_sub(1).map_or("null".to_owned(), |at| format!("\"e{at}\""));
        log += &format!(
            "{{{rest}, \"id\": \"e{id}\", \"parentId\": {parent}, \"timestamp\": \"t\"}}\n"
        );
    };
    let said = |text: &str| {
        let content = format!(r#"[{{"type": "text", "text": "{text}"}}]"#);
        format!(r#""type": "message", "message": {{"role": "user", "content": {content}}}"#)
    };
    push(said(&long), 0);
    for at in 0..100 {
        let kept = r#""type": "compaction", "summary": "so far", "firstKeptEntryId": "e0""#;
        push(kept.to_owned(), at * 2 + 1);
        push(said("Go on"), at * 2 + 2);
    }
    let dir = Dir::new();
    dir.write("s.jsonl", log);
    let (_, ran) = dir.epitome("audit s.jsonl --json").run();
    let audit: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let measured = audit["compactions"].as_array().unwrap().len();
    assert!((40..100).contains(&measured), "{measured}");
    let (_, ran) = dir.epitome("audit s.jsonl").run();
    let left = format!("not measured: {} compactions from here on, because", 100 - measured);
    assert_eq!(ran.stdout().matches("from here on").count(), 1, "{}", ran.stdout());
    assert!(ran.stdout().contains(&left), "{}", ran.stdout());
}

//! What `plan` shows of many transcripts: one screen, whatever is in the logs.

use crate::harness::Dir;
use serde_json::Value;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

/// A directory with a log of this many transcripts. The later ones are longer.
fn log_of(transcripts: usize) -> Dir {
    let dir = Dir::new();
    let lines: Vec<String> = (0..transcripts)
        .map(|number| {
            let words = "pump ".repeat(20 + number);
            let messages: Vec<_> = (0..12)
                .map(|turn| {
                    let role = if turn % 2 == 0 { "user" } else { "assistant" };
                    json!({"role": role, "content": format!("{turn} 日本語 {words}")})
                })
                .collect();
            json!({"thread_id": format!("thread-{number}"), "messages": messages}).to_string()
        })
        .collect();
    dir.write("log.jsonl", lines.join("\n"));
    dir
}

/// A trigger that every transcript of [`log_of`] reaches.
const EARLY: &str = "--trigger messages=4 --keep messages=2 --summary-tokens 20";

#[test]
fn a_few_transcripts_are_shown_with_their_messages_and_more_as_a_list() {
    let few = log_of(5).epitome(&format!("plan log.jsonl {EARLY}")).ok();
    assert!(few.stdout().contains("preview"), "{}", few.stdout());
    let many = log_of(6).epitome(&format!("plan log.jsonl {EARLY}")).ok();
    assert!(!many.stdout().contains("preview"), "{}", many.stdout());
    assert!(many.stdout().contains("transcript\n"), "{}", many.stdout());
    for run in [few, many] {
        let last = run.stdout().lines().last().unwrap().to_owned();
        assert!(last.contains("would change"), "{last}");
    }
}

#[test]
fn hundreds_of_transcripts_fit_a_screen_and_those_that_save_most_come_first() {
    let dir = log_of(500);
    let run = dir.epitome(&format!("plan log.jsonl {EARLY}")).ok();
    let lines: Vec<&str> = run.stdout().lines().collect();
    assert!(lines.len() < 40, "{}", run.stdout());
    assert!(lines[1].contains("thread-499 "), "{}", run.stdout());
    assert!(lines[2].contains("thread-498 "), "{}", run.stdout());
    assert!(run.stdout().contains("… and 480 more"), "{}", run.stdout());
    assert!(run.stdout().contains("500 transcripts, 500 would change"), "{}", run.stdout());
    for jobs in ["-j1", "-j2"] {
        let again = dir.epitome(&format!("plan log.jsonl {EARLY} {jobs}")).ok();
        assert_eq!(again.stdout(), run.stdout());
    }
}

#[test]
fn options_choose_what_is_listed() {
    let dir = log_of(8);
    let rows = |words: &str| -> Vec<String> {
        let run = dir.epitome(&format!("plan log.jsonl {words}")).ok();
        let named = run.stdout().lines().filter(|line| line.contains("thread-"));
        named.map(str::to_owned).collect()
    };
    assert_eq!(rows(EARLY).len(), 8);
    let many = log_of(25);
    for (words, wanted) in [("", 20), ("--full", 25)] {
        let run = many.epitome(&format!("plan log.jsonl {EARLY} {words}")).ok();
        let named = run.stdout().lines().filter(|line| line.contains("  thread-"));
        assert_eq!(named.count(), wanted, "{}", run.stdout());
    }
    // Only the largest reach this trigger.
    let late = "--trigger tokens=440 --keep messages=2 --summary-tokens 20";
    let changed = rows(&format!("{late} --changed --full"));
    assert!(!changed.is_empty() && changed.len() < 8, "{changed:?}");
    assert_eq!(rows(late).len(), 8);
    let top = rows(&format!("{EARLY} --top=2"));
    assert_eq!(top.len(), 2);
    assert!(top[0].contains("thread-7"), "{top:?}");
    let thread = rows(&format!("{EARLY} --thread thread-3"));
    assert_eq!(thread.len(), 1);
    assert!(thread[0].contains("thread-3"), "{thread:?}");
    let quiet = dir.epitome(&format!("plan log.jsonl {EARLY} -q")).ok();
    assert_eq!(quiet.stdout().lines().count(), 1);
}

#[test]
fn reasons_of_those_that_stay_are_counted_together() {
    let dir = log_of(7);
    let run = dir.epitome("plan log.jsonl --trigger tokens=170000").ok();
    assert!(
        run.stdout().contains("7 unchanged: below the trigger tokens=170000"),
        "{}",
        run.stdout()
    );
    let run = dir.epitome("compact log.jsonl -o out --trigger tokens=170000").ok();
    assert!(run.stderr.contains("7 unchanged: below the trigger tokens=170000"), "{}", run.stderr);
}

#[test]
fn color_is_there_only_where_it_is_asked_for() {
    let dir = log_of(2);
    let words = format!("plan log.jsonl {EARLY}");
    let plain = dir.epitome(&words).ok();
    let colored = dir.epitome(&words).env("CLICOLOR_FORCE", "1").ok();
    assert!(!plain.stdout().contains('\u{1b}'));
    assert!(colored.stdout().contains('\u{1b}'));
    let stripped = regex::Regex::new("\u{1b}\\[[0-9;]*m")
        .unwrap()
        .replace_all(colored.stdout(), "")
        .into_owned();
    assert_eq!(stripped, plain.stdout());
}

#[test]
fn a_run_of_one_fate_is_folded_unless_all_is_asked_for() {
    let dir = log_of(1);
    let rows = |words: &str| {
        let run = dir.epitome(&format!("plan log.jsonl {EARLY} {words}")).ok();
        let shown = run.stdout().lines().filter(|line| line.contains("日本語"));
        shown.count()
    };
    // Of ten summarized messages the first and the last, and two that are kept.
    assert_eq!(rows(""), 4);
    assert_eq!(rows("--full"), 12);
}

#[test]
fn no_line_is_wider_than_its_terminal() {
    let dir = log_of(9);
    for words in [EARLY.to_owned(), format!("{EARLY} --top=3 --full")] {
        let run = dir.epitome(&format!("plan log.jsonl {words}")).ok();
        for line in run.stdout().lines() {
            assert!(line.width() <= 120, "{}: {line}", line.width());
        }
    }
}

/// The reports of a plan have the entries that those of the compaction have, but for the tokens of
/// a summary and the archives.
#[test]
fn a_plan_reports_what_compact_would() {
    let dir = log_of(3);
    let good = dir.read("log.jsonl");
    dir.write("in/log.jsonl", good + "{\"messages\": 1}\n")
        .write("in/table.jsonl", "role,content\nuser,hi\n");
    dir.epitome(&format!("plan in {EARLY} --report plan.json --report plan.md --report plan.html"))
        .fails(3);
    dir.epitome(&format!("compact in {EARLY} -o out")).fails(3);
    let entries = |path: &str| -> Vec<Value> {
        let report: Value = serde_json::from_str(&dir.read(path)).unwrap();
        let kept = ["file", "line", "status", "messages_before", "messages_after", "tokens_before"];
        let entries = report["transcripts"].as_array().unwrap().iter();
        entries.map(|entry| kept.iter().map(|key| entry[*key].clone()).collect()).collect()
    };
    let planned = entries("plan.json");
    assert!(planned.len() > 3);
    assert_eq!(planned, entries("out/report.json"));
    for page in ["plan.md", "plan.html"] {
        let page = dir.read(page);
        assert!(page.contains("nothing was written"), "{page}");
        assert!(page.contains("it is a table (CSV)"), "{page}");
    }
    let again = dir.epitome(&format!("plan in {EARLY} --report plan.json"));
    again.fails(2).says(["plan.json", "--force"]);
    dir.epitome(&format!("plan in {EARLY} --report plan.json --force")).fails(3);
}

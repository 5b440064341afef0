//! External summarizers: what they get, and what becomes of a transcript whose summary fails.
#![cfg(unix)]

use crate::harness::{Dir, FinishedRun};
use crate::talk::{CUT, talk, text};

/// Compacts one transcript with a script as summarizer.
fn summarized_by(body: &str, options: &str, status: i32) -> (Dir, FinishedRun) {
    let dir = Dir::new();
    let script = dir.script("summarize", body);
    dir.write("in.jsonl", talk("t", 8));
    let ran = dir
        .epitome(&format!("compact in.jsonl -o out {CUT} {options} --summarizer command:{script}"))
        .fails(status);
    (dir, ran)
}

/// The transcript must be as it came, be marked failed, and leave nothing in the archive.
fn fails(body: &str, reason: &str) {
    let (dir, ran) = summarized_by(body, "", 3);
    ran.says(["in.jsonl:1: ", reason]);
    unchanged(&dir, "failed");
    assert!(dir.entries()[0]["error"].as_str().unwrap().contains(reason));
    assert_eq!(dir.report()["totals"]["failed"], 1);
}

fn unchanged(dir: &Dir, status: &str) {
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
    assert_eq!(dir.entries()[0]["status"], status);
    assert_eq!(dir.entries()[0]["summarized"], false);
    assert_eq!(
        dir.tree("out").into_keys().collect::<Vec<_>>(),
        ["in.jsonl", "originals/manifest.jsonl", "report.json"],
        "an archive of what was not removed"
    );
}

#[test]
fn its_trimmed_stdout_is_the_summary() {
    let (dir, _) =
        summarized_by("cat >/dev/null; printf '\\n  Bookings are compared.\\n\\n'", "", 0);
    assert!(dir.read("out/in.jsonl").contains("<summary>\\nBookings are compared.\\n</summary>"));
    assert_eq!(dir.entries()[0]["status"], "compacted");
}

#[test]
fn it_gets_the_prompt_the_thread_and_the_number_of_messages() {
    let dir = Dir::new();
    let script = dir.script("summarize", "cat > prompt.txt; echo \"$EPITOME_THREAD_ID has $EPITOME_MESSAGES messages; arguments: $*\"");
    dir.write("in.jsonl", talk("a thread", 8))
        .write("policy.toml", "[summarizer]\nprompt = \"Before {messages} after {messages}\"\n");
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --config policy.toml"))
        .arg("--summarizer")
        .arg(format!("command:{script} -m small"))
        .ok();
    assert!(dir.read("out/in.jsonl").contains("a thread has 6 messages; arguments: -m small"));
    let turns: Vec<String> = (0..6)
        .map(|number| format!("{}: {}", ["Human", "AI"][number % 2], text("a thread", number)))
        .collect();
    assert_eq!(
        dir.read("prompt.txt"),
        format!("Before {} after {{messages}}", turns.join("\n")),
        "filled in once, literally"
    );
    assert_eq!(
        dir.read("out/conversation_history/a%20thread.md"),
        format!("## Summarized at 2026-01-01T00:00:00+00:00\n\n{}\n\n", turns.join("\n"))
    );
}

#[test]
fn it_gets_a_small_environment() {
    for (passed, wanted) in
        [("", "no no"), ("--set summarizer.pass_env=['MY_KEY','TOKEN']", "key no")]
    {
        let dir = Dir::new();
        let script = dir.script(
            "summarize",
            "cat >/dev/null; echo \"${MY_KEY-no} ${SECRET-no} $LC_ALL $HOME\"",
        );
        dir.write("in.jsonl", talk("t", 8));
        let words = format!("compact in.jsonl -o out {CUT} {passed} --summarizer command:{script}");
        let run = dir.epitome(&words).env("MY_KEY", "key").env("SECRET", "s");
        run.env("LC_ALL", "C").env("HOME", "/home/me").ok();
        let summary = format!("{wanted} C /home/me");
        assert!(dir.read("out/in.jsonl").contains(&summary), "{wanted}");
    }
    let dir = Dir::new();
    let script = dir.script("summarize", "cat >/dev/null; echo \"${MY_KEY-no}\"");
    dir.write("in.jsonl", talk("t", 8));
    dir.write("p.toml", "[summarizer]\npass_env = [\"MY_KEY\"]\n");
    let words =
        format!("compact in.jsonl -o out {CUT} --config p.toml --summarizer command:{script}");
    dir.epitome(&words).env("MY_KEY", "of TOML").ok();
    assert!(dir.read("out/in.jsonl").contains("of TOML"));
}

#[test]
fn it_may_ignore_its_stdin() {
    let dir = Dir::new();
    let script = dir.script("summarize", "exec 0<&-; echo I know it already");
    // A prompt that no pipe holds.
    dir.write("in.jsonl", talk("t", 3_000));
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --summarizer command:{script}")).ok();
    assert!(dir.read("out/in.jsonl").contains("I know it already"));
}

#[test]
fn a_status_that_is_not_zero_is_a_failure() {
    fails(
        "cat >/dev/null; echo half a summary; echo 'the model is overloaded' >&2; exit 7",
        "the model is overloaded",
    );
    fails("kill -9 $$", "signal");
}

#[test]
fn no_output_is_a_failure() {
    fails("cat >/dev/null", "empty");
    fails("cat >/dev/null; printf ' \\n\\t\\n'", "empty");
}

#[test]
fn output_that_is_no_text_is_a_failure() {
    fails("cat >/dev/null; printf 'caf\\351'", "UTF-8");
}

#[test]
fn a_program_that_is_not_there_is_told_before_anything_is_written() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8));
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --summarizer command:./missing"))
        .fails(2)
        .says(["--summarizer", "./missing"]);
    assert!(dir.tree("out").is_empty());
}

#[test]
fn a_summary_longer_than_what_it_replaces_is_not_used() {
    let huge = "cat >/dev/null; yes 'and so on and so on' | head -1000";
    let (dir, _) = summarized_by(huge, "", 0);
    unchanged(&dir, "unchanged");
    assert!(dir.entries()[0]["reasons"].to_string().contains("on_growth"));
    let dir = Dir::new();
    let script = dir.script("summarize", huge);
    dir.write("in.jsonl", talk("t", 8))
        .write("policy.toml", "[summarize]\non_growth = \"allow\"\n");
    dir.epitome(&format!(
        "compact in.jsonl -o out {CUT} --config policy.toml --summarizer command:{script}"
    ))
    .ok();
    assert!(
        dir.read("out/in.jsonl").contains("and so on and so on\\nand so on"),
        "as the reference does"
    );
}

#[test]
fn a_summary_that_fails_takes_the_other_stages_with_it() {
    let dir = Dir::new();
    let script = dir.script("summarize", "exit 1");
    let result = crate::talk::with_result("t", "call", &crate::talk::log(40));
    let more: Vec<String> = (0..8).map(|number| crate::talk::message("t", number)).collect();
    dir.write(
        "in.jsonl",
        format!("{}, {}]}}\n", result.trim_end().strip_suffix("]}").unwrap(), more.join(", ")),
    );
    dir.write("policy.toml", "[evict]\ntokens = 100\n");
    dir.epitome(&format!(
        "compact in.jsonl -o out {CUT} --config policy.toml --summarizer command:{script}"
    ))
    .fails(3);
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
    let tree = dir.tree("out");
    assert_eq!(
        tree.keys().collect::<Vec<_>>(),
        ["in.jsonl", "originals/manifest.jsonl", "report.json"]
    );
    assert_eq!(dir.entries()[0]["evicted"].as_array().map(Vec::len), Some(0));
}

#[test]
fn one_failure_costs_one_transcript() {
    let dir = Dir::new();
    let script =
        dir.script("summarize", "cat >/dev/null; [ \"$EPITOME_THREAD_ID\" != t3 ] && echo fine");
    dir.write("in.jsonl", (0..6).map(|number| talk(&format!("t{number}"), 8)).collect::<String>());
    let command = format!("compact in.jsonl {CUT} --summarizer command:{script}");
    dir.epitome(&format!("{command} -o out -j2")).fails(3).says(["in.jsonl:4: "]);
    let out = dir.read("out/in.jsonl");
    for (number, (line, original)) in out.lines().zip(dir.read("in.jsonl").lines()).enumerate() {
        assert_eq!(line == original, number == 3, "line {number}");
    }
    assert!(
        !dir.exists("out/conversation_history/t3.md")
            && dir.exists("out/conversation_history/t4.md")
    );
    dir.epitome(&format!("{command} -o tolerant --max-errors 1")).ok();
}

#[test]
fn plan_calls_nobody() {
    let dir = Dir::new();
    let script = dir.script("summarize", "touch called; echo x");
    dir.write("in.jsonl", talk("t", 8))
        .epitome(&format!("plan in.jsonl {CUT} --summarizer command:{script} --check"))
        .fails(1);
    assert!(!dir.exists("called"));
}

#[test]
fn none_summarises_nothing_and_still_evicts() {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        talk("t", 8) + &crate::talk::with_result("r", "call", &crate::talk::log(40)),
    );
    dir.write("policy.toml", "[evict]\ntokens = 100\n[summarizer]\nkind = \"none\"\n");
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --config policy.toml")).ok();
    let entries = dir.entries();
    assert_eq!(
        (&entries[0]["status"], &entries[1]["status"]),
        (&"unchanged".into(), &"compacted".into())
    );
    assert_eq!(dir.read("out/large_tool_results/r/call"), crate::talk::log(40));
    assert!(!dir.exists("out/conversation_history"));
}

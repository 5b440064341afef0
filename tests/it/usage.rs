//! Options: the message names the option, the value and what would be right; status 2; nothing is
//! written.

use crate::harness::Dir;
use crate::talk::{CUT, talk};

/// Each of these command lines must be refused with these words, and write nothing.
fn refused<const N: usize>(options: &str, wanted: [&str; N]) {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8));
    let ran = dir.epitome(&format!("compact in.jsonl -o out {options}")).fails(2);
    for text in wanted {
        assert!(ran.stderr.contains(text), "{options}: stderr lacks {text:?}:\n{}", ran.stderr);
    }
    assert!(ran.stdout.is_empty(), "{options}: something on stdout");
    assert_eq!(
        dir.tree("").into_keys().collect::<Vec<_>>(),
        ["in.jsonl"],
        "{options}: something was written"
    );
}

#[test]
fn unknown_flags_and_commands_name_the_nearest() {
    refused("--triger tokens=5", ["--triger", "--trigger"]);
    refused("--sumarizer none", ["--summarizer"]);
    refused("--max-inputtokens 5", ["--max-input-tokens"]);
    Dir::new().epitome("compcat a -o b").fails(2).says(["compcat", "compact"]);
    Dir::new().epitome("").fails(2);
    Dir::new().epitome("compact").fails(2).says(["INPUT"]);
    Dir::new().epitome("compact a.jsonl").fails(2).says(["--output"]);
    Dir::new().epitome("plan").fails(2).says(["INPUT"]);
}

#[test]
fn triggers() {
    let example = "tokens=4000";
    refused("--trigger 4000", ["--trigger", "4000", example]);
    refused("--trigger 0k", ["--trigger", "tokens", "greater than 0"]);
    refused("--trigger tokens", ["--trigger", "tokens", example]);
    refused("--trigger tokens=", ["--trigger", "tokens=", example]);
    refused("--trigger tokens=many", ["--trigger", "many", example]);
    refused("--trigger tokens=0", ["--trigger", "tokens", "0", "greater than 0"]);
    refused("--trigger tokens=-5", ["--trigger", "-5", "greater than 0"]);
    refused("--trigger tokens=4.5", ["--trigger", "4.5", "whole number"]);
    refused("--trigger messages=0", ["--trigger", "messages", "greater than 0"]);
    refused("--trigger fraction=1.5", ["--trigger", "fraction", "1.5", "at most 1"]);
    refused("--trigger fraction=0", ["--trigger", "fraction", "above 0"]);
    refused("--trigger fraction=nan", ["--trigger", "fraction", "above 0"]);
    refused("--trigger token=5", ["--trigger", "token", "did you mean \"tokens\"?"]);
    refused("--trigger words=5", ["--trigger", "words", "tokens, messages, fraction"]);
    refused("--trigger tokens=5,", ["--trigger", example]);
    refused("--trigger tokens=5,messages=x", ["--trigger", "\"x\"", example]);
    refused("--trigger overflw", ["--trigger", "overflw", "or overflow"]);
    refused("--trigger overflow=5", ["--trigger", "overflow takes no number; write it alone"]);
    refused("--trigger overflows=5", ["known: tokens, messages, fraction, events, overflow"]);
    for number in [
        "99999999999999999999", "18446744073709551615", "9223372036854775808",
        "99_999_999_999_999_999_999",
    ] {
        refused(&format!("--trigger tokens={number}"), ["--trigger", number, "too large"]);
    }
    refused("--trigger tokens=5,tokens=6", ["--trigger", "tokens=5,tokens=6", "two of one kind"]);
    refused("--trigger tokens=5,messages=2,tokens=5", ["two of one kind"]);
    refused("--trigger overflow,overflow", ["two of one kind"]);
}

#[test]
fn a_record_may_have_at_least_one_byte() {
    refused("--max-record-bytes 0", ["--max-record-bytes", "'0'", "greater than 0"]);
}

#[test]
fn keeps() {
    refused("--keep 6", ["--keep", "6", "messages=20"]);
    refused("--keep messages=0", ["--keep", "messages", "greater than 0"]);
    refused("--keep messages=6,tokens=5", ["--keep", "messages=6,tokens=5", "only one"]);
    refused("--keep fraction=2", ["--keep", "fraction", "at most 1"]);
    refused("--keep turns=2,turns=3", ["--keep", "twice"]);
    refused("--keep turns=some", ["--keep", "some", "`all`"]);
    refused("--keep turns=2,messages=5", ["--keep", "turns takes only tokens=N"]);
    refused("--keep turns=2,tokens=5,tokens=6", ["--keep", "turns=N,tokens=N"]);
    refused("--keep turn=2", ["--keep", "did you mean \"turns\"?"]);
    refused("--keep message=6", ["--keep", "did you mean \"messages\"?"]);
}

#[test]
fn names_in_tables() {
    refused(
        "--preset deepagent",
        ["--preset", "deepagent", "similar value exists: 'deepagents'", "langchain"],
    );
    refused("--counter aprox", ["--counter", "aprox", "did you mean \"approx\"?"]);
    refused("--format openia", ["--format", "openia", "similar value exists: 'openai'"]);
    refused(
        "--summarizer extrct",
        ["--summarizer", "extrct", "did you mean \"extract\"?", "command:PROGRAM", "none"],
    );
    refused("--summarizer command:", ["--summarizer", "command:"]);
    refused("--progress maybe", ["--progress", "maybe", "auto", "always", "never"]);
}

#[test]
fn numbers() {
    refused("--max-input-tokens 0", ["--max-input-tokens", "0", "greater than 0"]);
    refused("--max-input-tokens many", ["--max-input-tokens", "many"]);
    refused("--summary-tokens -1", ["-1"]);
    refused("--jobs 0", ["--jobs", "0", "at least one"]);
    refused("--jobs two", ["--jobs", "two"]);
    refused("--max-record-bytes lots", ["--max-record-bytes", "lots"]);
    refused("--max-errors -1", ["-1"]);
}

#[test]
fn a_fraction_without_a_limit_is_refused_where_the_policy_alone_decides() {
    refused(
        "--model nobody:nothing --trigger fraction=0.5",
        ["trigger", "fraction", "--max-input-tokens"],
    );
    refused(
        "--model nobody:nothing --trigger tokens=5 --keep fraction=0.5",
        ["keep", "fraction", "--max-input-tokens"],
    );
}

#[test]
fn a_fraction_without_a_limit_costs_the_transcripts_it_concerns() {
    let dir = Dir::new();
    let known = talk("known", 8).replacen('{', "{\"model\": \"openai:gpt-5.2\", ", 1);
    let text = talk("unknown", 8) + &known;
    dir.write("in.jsonl", &text);
    dir.epitome("compact in.jsonl -o out --trigger fraction=0.5")
        .fails(3)
        .says(["in.jsonl:1:", "trigger", "--max-input-tokens"]);
    assert_eq!(dir.read("out/in.jsonl"), text);
    let statuses: Vec<_> = dir.entries().iter().map(|entry| entry["status"].clone()).collect();
    assert_eq!(statuses, ["failed", "unchanged"]);
}

#[test]
fn reports_have_an_ending_that_is_known() {
    refused("--report r.txt", ["--report", "r.txt", ".json", ".md"]);
    refused("--report report", ["--report", "report", ".json", ".md"]);
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a<b>|`c", 8) + "bad <i>\n");
    dir.epitome(&format!("compact in.jsonl -o out --max-errors 1 --report r.json --report sub/r.md --report r.html {CUT}")).ok();
    assert_eq!(dir.read("r.json"), dir.read("out/report.json"));
    let markdown = dir.read("sub/r.md");
    assert!(
        markdown.starts_with(
            "## Transcript compaction\n\nTokens are counted by `approx`.\n\n|  | before | after | change |\n|---|---:|---:|---:|\n| messages | 8 | 3 |"
        ),
        "{markdown}"
    );
    assert!(
        markdown.contains("\n2 transcripts: **1 compacted**, 0 unchanged, 1 failed")
            && markdown.contains("| `a<b>\\| c` | `in.jsonl:1` |"),
        "{markdown}"
    );
    let page = dir.read("r.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for part in [
        "<td class=\"number\">8</td>",
        "<strong>1 compacted</strong>",
        // The table of transcripts is made from data, in which no `<` stands.
        r#"["a\u003cb>|`c","in.jsonl",1,"#,
        r#"[null,"in.jsonl",2,"#,
        r#""error":"not JSON: expected a value, found 'b'""#,
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn thousands_alone_are_tokens() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8));
    let alone = dir.epitome("plan --json --trigger 0.2k --keep 0.1k in.jsonl").ok();
    let named = dir.epitome("plan --json --trigger tokens=200 --keep tokens=100 in.jsonl").ok();
    assert_eq!(alone.stdout(), named.stdout());
    assert_ne!(alone.stdout(), dir.epitome("plan --json in.jsonl").ok().stdout());
}

#[test]
fn a_time_that_is_none_is_refused() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8));
    for time in ["yesterday", "1e9", "99999999999999"] {
        dir.epitome("compact in.jsonl -o out")
            .env("SOURCE_DATE_EPOCH", time)
            .fails(2)
            .says(["SOURCE_DATE_EPOCH"]);
    }
    assert!(!dir.exists("out"));
    dir.epitome("compact in.jsonl -o out").env("SOURCE_DATE_EPOCH", "").ok();
}

#[test]
fn check_tells_a_change_by_its_status() {
    let dir = Dir::new();
    dir.write("long.jsonl", talk("t", 8)).write("short.jsonl", talk("s", 2));
    let trigger = "--trigger messages=6 --keep messages=2";
    dir.epitome(&format!("plan long.jsonl {trigger} --check")).fails(1);
    dir.epitome(&format!("plan short.jsonl {trigger} --check")).ok();
    dir.epitome(&format!("plan long.jsonl {trigger}")).ok();
    dir.epitome(&format!("compact long.jsonl {trigger} -o changed --check")).fails(1);
    assert!(
        dir.read("changed/long.jsonl").contains("<summary>"),
        "a check that fails still writes"
    );
    dir.epitome(&format!("compact short.jsonl {trigger} -o same --check")).ok();
}

#[test]
fn a_result_over_its_limit_ends_with_one() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8));
    let options = "--max-input-tokens 60 --trigger messages=6 --keep messages=2";
    dir.epitome(&format!("compact in.jsonl -o out {options}"))
        .fails(1)
        .says(["in.jsonl:1:", "limit of 60"]);
    dir.epitome(&format!("plan in.jsonl {options}")).fails(1);
    assert_eq!(dir.report()["totals"]["over_limit"], 1);
}

#[test]
fn a_message_names_only_what_the_command_has() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8));
    dir.epitome("plan in.jsonl --report r.json").ok();
    let ran = dir.epitome("plan in.jsonl --report r.json").fails(2).says(["--force replaces it"]);
    assert!(!ran.stderr.contains("--resume"), "{}", ran.stderr);
    dir.epitome("compact in.jsonl -o out").ok();
    dir.epitome("compact in.jsonl -o out").fails(2).says(["--force", "--resume"]);
    for (key, meant) in [
        ("budget", "\"summarizer.budget\" or \"overflow.budget\""),
        ("summarize.budget", "\"summarizer.budget\" or \"overflow.budget\""),
        ("kind", "\"summarizer.kind\""),
    ] {
        let ran = dir.epitome(&format!("plan in.jsonl --set {key}=5")).fails(2);
        ran.says([&format!("did you mean {meant}?")]);
    }
    let ran = dir.epitome("dataset in.jsonl -o d --to trl --tokenizer x/").fails(2);
    assert!(ran.stderr.contains("tokenizer x/: ") && !ran.stderr.contains("file:"));
    dir.epitome("count --files-from in.jsonl").fails(2).says(["holds JSON; it names files"]);
    for option in ["--jobs", "--summary-tokens", "--max-record-bytes"] {
        let ran = dir.epitome(&format!("plan in.jsonl {option} x")).fails(2);
        ran.says(["expected a whole number, 0 or greater"]);
    }
    let ran = dir.epitome("dataset in.jsonl -o - --to trl").fails(2).says(["name a directory"]);
    assert!(!ran.stderr.contains("--force"), "{}", ran.stderr);
    dir.epitome("compact in.jsonl -o /dev/null").fails(2).says(["it is not a directory"]);
    dir.epitome("plan in.jsonl --set redact=5").fails(2).says(["true, false, \"secrets\""]);
}

#[test]
fn one_is_not_several() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 40));
    let learnt = dir.epitome("fit in.jsonl -o weights.txt").ok();
    assert!(learnt.stdout().starts_with("1 session, "), "{}", learnt.stdout());
    assert!(dir.read("weights.txt").contains("from 1 session."));
    dir.write("one.jsonl", talk("t", 1));
    let counted = dir.epitome("count one.jsonl").ok();
    assert!(counted.stdout().contains(" 1 message "), "{}", counted.stdout());
}

#[test]
fn quiet_says_only_what_went_wrong() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8)).write("bad.jsonl", "bad\n");
    assert_eq!(dir.epitome("compact in.jsonl -o out --quiet").ok().stderr, "");
    assert_ne!(dir.epitome("compact in.jsonl -o loud").ok().stderr, "");
    let ran = dir.epitome("compact bad.jsonl -o bad --quiet").fails(3);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

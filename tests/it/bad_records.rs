//! One bad record costs that record: it is reported as `file:line:column: reason`, leaves as it
//! came and in its place, the rest is compacted, and the run ends with 3.

use crate::harness::{Dir, FinishedRun};
use crate::talk::{CUT, talk};

/// Compacts `bad` between two good conversations; both must be compacted, and `bad` must stand
/// between them as it came.
fn between_good_ones(bad: &[u8]) -> FinishedRun {
    let dir = Dir::new();
    let [before, after] = ["before", "after"].map(|thread| talk(thread, 8));
    dir.write("in.jsonl", [before.as_bytes(), bad, b"\n", after.as_bytes()].concat());
    let ran = dir.epitome(&format!("compact in.jsonl -o out {CUT}")).fails(3);
    let out = dir.bytes("out/in.jsonl");
    let lines: Vec<&[u8]> = out.split(|byte| *byte == b'\n').collect();
    assert_eq!(
        lines.len(),
        4,
        "two conversations, the bad record, and nothing after the last line end"
    );
    assert!(
        lines[1] == bad,
        "the bad record is not as it came: {}",
        String::from_utf8_lossy(lines[1])
    );
    for (line, thread) in [(lines[0], "before"), (lines[2], "after")] {
        let line = std::str::from_utf8(line).unwrap();
        assert!(line.contains(thread) && line.contains("<summary>"), "{line}");
    }
    let statuses: Vec<_> = dir
        .entries()
        .iter()
        .map(|entry| (entry["line"].clone(), entry["status"].clone()))
        .collect();
    assert_eq!(
        statuses,
        [
            (1.into(), "compacted".into()),
            (2.into(), "failed".into()),
            (3.into(), "compacted".into())
        ]
    );
    assert!(dir.entries()[1]["error"].is_string());
    ran
}

#[test]
fn a_line_cut_in_the_middle() {
    between_good_ones(br#"{"thread_id": "cut", "messages": [{"role": "user", "content": "the"#)
        .says(["in.jsonl:2:67: ", "string"]);
}

#[test]
fn a_line_that_is_no_json_at_all() {
    between_good_ones(b"2026-01-01 12:00:00 INFO started").says(["in.jsonl:2:"]);
}

#[test]
fn invalid_utf8_names_its_byte() {
    let bad = b"{\"messages\": [{\"role\": \"user\", \"content\": \"caf\xE9\"}]}";
    between_good_ones(bad).says(["in.jsonl:2:47: invalid UTF-8: byte 0xe9"]);
}

#[test]
fn utf16_is_told_by_its_name() {
    let dir = Dir::new();
    let utf16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("{\"messages\": []}\n{\"messages\": []}\n".bytes().flat_map(|byte| [byte, 0]))
        .collect();
    dir.write("in/a.jsonl", &utf16).write("in/b.jsonl", talk("t", 2));
    let ran = dir
        .epitome("compact in -o out")
        .fails(3)
        .says(["in/a.jsonl: can't read it: it is text in UTF-16", "iconv"]);
    assert_eq!(ran.stderr.matches("a.jsonl").count(), 1, "{}", ran.stderr);
    // A record between others is told by itself.
    between_good_ones(b"{\0\"\0m\0\"\0:\0").says(["in.jsonl:2:1: it looks like UTF-16"]);
}

#[test]
fn a_raw_control_byte_inside_a_string() {
    between_good_ones(b"{\"messages\": [{\"role\": \"user\", \"content\": \"a\x01b\"}]}")
        .says(["in.jsonl:2:45: ", "0x01"]);
}

#[test]
fn records_of_another_kind_name_what_was_found() {
    for (bad, wanted) in [
        (r#"{"messages": "hello"}"#, "in.jsonl:2:14: messages is a string, it must be an array"),
        (
            r#"{"messages": {"role": "user"}}"#,
            "in.jsonl:2:14: messages is an object, it must be an array",
        ),
        (r#"{"messages": null}"#, "in.jsonl:2:14: messages is null, it must be an array"),
        (r#"{"prompt": "x", "reply": "y"}"#, "record without messages; its keys: prompt, reply"),
        ("{}", "record without messages; it has no keys"),
        ("42", "in.jsonl:2:1: the record is a number"),
        ("\"text\"", "in.jsonl:2:1: the record is a string"),
        (r#"{"messages": ["hello"]}"#, "messages[0] is a string, it must be an object"),
        (r#"{"messages": [{"role": "user", "content": 7}]}"#, "messages[0].content is a number"),
        (r#"{"messages": [{"content": "x"}]}"#, "messages[0].role is missing"),
        (r#"{"messages": [{"role": "critic", "content": "x"}]}"#, "messages[0].role is \"critic\""),
        (r#"{"messages": []} trailing"#, "in.jsonl:2:18: "),
    ] {
        between_good_ones(bad.as_bytes()).says(["in.jsonl:2:", wanted]);
    }
}

#[test]
fn nesting_deeper_than_127_levels_is_an_error_and_no_overflow() {
    for depth in [128, 100_000] {
        // The record and its key `extra` are one level; so many arrays are inside it.
        let bad = format!(
            r#"{{"messages": [], "extra": {}{}}}"#,
            "[".repeat(depth - 1),
            "]".repeat(depth - 1)
        );
        between_good_ones(bad.as_bytes()).says(["in.jsonl:2:", "127"]);
    }
}

#[test]
fn nesting_of_127_levels_is_read() {
    let dir = Dir::new();
    let deep = format!(
        r#"{{"messages": [{{"role": "user", "content": "x"}}], "extra": {}{}}}"#,
        "[".repeat(126),
        "]".repeat(126)
    );
    dir.write("in.jsonl", format!("{deep}\n")).epitome("compact in.jsonl -o out").ok();
    assert_eq!(dir.read("out/in.jsonl"), format!("{deep}\n"));
    assert_eq!(dir.entries()[0]["status"], "unchanged");
}

#[test]
fn a_last_line_that_is_cut_may_still_be_written() {
    let dir = Dir::new();
    let (good, cut) = (talk("good", 8), r#"{"messages": [{"role": "user", "content": "Is the"#);
    dir.write("in.jsonl", format!("{good}{cut}"));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}"))
        .fails(3)
        .says(["in.jsonl:2:", "unterminated"]);
    let out = dir.read("out/in.jsonl");
    assert!(out.ends_with(&format!("\n{cut}")), "{out}");
    assert!(out.contains("<summary>"));
}

#[test]
fn a_last_line_without_its_line_end_is_good() {
    let dir = Dir::new();
    let text = talk("a", 8) + talk("b", 8).trim_end();
    dir.write("in.jsonl", text).epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let out = dir.read("out/in.jsonl");
    assert!(!out.ends_with('\n'));
    assert_eq!(out.matches("<summary>").count(), 2);
}

#[test]
fn a_bad_message_record_costs_only_itself() {
    let dir = Dir::new();
    let mut lines: Vec<String> = (0..8).map(|number| crate::talk::message("t", number)).collect();
    lines.insert(7, r#"{"role": "user", "content": "cut"#.to_owned());
    lines.insert(3, "not json".to_owned());
    dir.write("in.jsonl", lines.join("\n") + "\n");
    dir.epitome(&format!("compact in.jsonl -o out {CUT}"))
        .fails(3)
        .says(["in.jsonl:4:1: ", "in.jsonl:9:33: "]);
    let out = dir.read("out/in.jsonl");
    let kept: Vec<&str> = out.lines().filter(|line| !line.contains("<summary>")).collect();
    assert_eq!(
        kept,
        ["not json", lines[7].as_str(), lines[8].as_str(), lines[9].as_str()],
        "the bad ones as they came, and the last two"
    );
}

#[test]
fn a_bad_element_of_an_array_costs_only_itself() {
    let dir = Dir::new();
    let [a, b] = ["a", "b"].map(|thread| talk(thread, 8).trim_end().to_owned());
    dir.write("in.json", format!("[\n{a},\n{{\"messages\": 5}},\n{b}\n]\n"));
    dir.epitome(&format!("compact in.json -o out {CUT}"))
        .fails(3)
        .says(["in.json:3:14: messages is a number"]);
    let out = dir.read("out/in.json");
    assert!(out.contains(",\n{\"messages\": 5},\n{"), "{out}");
    assert_eq!(out.matches("<summary>").count(), 2);
    serde_json::from_str::<serde_json::Value>(&out).unwrap();
}

#[test]
fn so_many_errors_as_are_tolerated_are_a_good_end() {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{}bad\nbad too\n", talk("a", 8)));
    for (tolerance, status) in [("0", 3), ("1", 3), ("2", 0), ("all", 0)] {
        for command in ["compact in.jsonl -o out --force", "plan in.jsonl", "count in.jsonl"] {
            dir.epitome(&format!("{command} --max-errors {tolerance}"))
                .fails(status)
                .says(["in.jsonl:2:", "in.jsonl:3:"]);
        }
    }
    dir.epitome("plan in.jsonl --max-errors some").fails(2).says(["--max-errors", "some", "all"]);
}

#[test]
fn a_failure_goes_before_an_objection() {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{}bad\n", talk("a", 8)));
    dir.epitome(&format!("plan in.jsonl --check {CUT}")).fails(3);
    dir.epitome(&format!("plan in.jsonl --check --max-errors 1 {CUT}")).fails(1);
}

#[test]
fn a_file_of_no_known_format_is_named_with_its_keys() {
    let dir = Dir::new();
    dir.write("in.jsonl", "{\"prompt\": \"x\", \"reply\": \"y\"}\n");
    dir.epitome("compact in.jsonl -o out")
        .fails(3)
        .says(["in.jsonl:1:", "no known format", "prompt, reply"]);
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
}

/// Compacts what begins with `bad`; the last line is a good conversation and must be compacted, the
/// rest is as it came.
fn before_a_good_one(bad: &str, options: &str) -> FinishedRun {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{bad}\n{}", talk("good", 8)));
    let ran = dir.epitome(&format!("compact in.jsonl -o out {CUT} {options}")).fails(3);
    let out = dir.read("out/in.jsonl");
    assert!(out.starts_with(&format!("{bad}\n")), "the bad records are not as they came");
    assert!(
        out.lines().last().unwrap().contains("<summary>"),
        "the good record is lost, too: {}",
        ran.stderr
    );
    ran
}

#[test]
fn many_bad_records_at_the_beginning_cost_only_themselves() {
    before_a_good_one(&["a banner of the logger"; 25].join("\n"), "").says(["in.jsonl:20:1: "]);
}

#[test]
fn a_first_record_over_the_limit_costs_only_itself() {
    before_a_good_one(talk("long", 2_000).trim_end(), "--max-record-bytes 100000")
        .says(["in.jsonl:1:", "--max-record-bytes"]);
}

#[test]
fn a_first_line_that_is_cut_behind_a_comma_costs_only_itself() {
    let cut = r#"{"messages": [{"role": "user", "content": "x"},"#;
    before_a_good_one(cut, "").says(["in.jsonl:1:48: "]);
    // The next line is longer than what is looked at to tell lines from a document.
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{cut}\n{}{}", talk("long", 12_000), talk("good", 8)));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).fails(3).says(["in.jsonl:1:48: "]);
    assert_eq!(dir.read("out/in.jsonl").matches("<summary>").count(), 2);
}

#[test]
fn an_error_without_a_column_is_set_off_from_its_line() {
    between_good_ones(br#"{"prompt": "x"}"#).says(["in.jsonl:2: record without messages"]);
    let dir = Dir::new();
    dir.write("in.jsonl", "{\"prompt\": \"x\"}\n")
        .epitome("count in.jsonl")
        .fails(3)
        .says(["in.jsonl:1: of no known format"]);
}

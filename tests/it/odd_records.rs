//! Records that look odd and are good: they are read, and what nobody touches leaves as the same
//! bytes.

use crate::harness::Dir;
use crate::talk::{CUT, message, quoted, talk};

/// A record that is left alone must leave as the same bytes, without a word.
fn leaves_as_it_came(record: &str) -> Dir {
    let dir = Dir::new();
    let text = format!("{record}\n");
    dir.write("in.jsonl", &text).epitome("compact in.jsonl -o out").ok();
    assert_eq!(dir.entries()[0]["status"], "unchanged");
    assert!(dir.read("out/in.jsonl") == text, "{}", dir.read("out/in.jsonl"));
    dir
}

#[test]
fn spelling_stays() {
    for record in [
        // Numbers that no float holds, in arguments and beside the messages.
        r#"{"cost": 123456789012345678901234567890, "a": 1e400, "b": -0, "c": 1E+2, "d": 0.1234567890123456789, "messages": [{"role": "user", "content": "x"}]}"#,
        r#"{"messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"n\": 123456789012345678901234567890, \"m\": 1e400, \"z\": -0}"}}]}]}"#,
        r#"{"z": 1, "messages": [{"content": "keys out of order", "role": "user"}], "a": {"y": 1, "x": 2}}"#,
        r#"{ "messages" :[ {"role":"user" ,"content":"\u0041\/\u00e9" } ] }"#,
        r#"{"messages": [{"role": "user", "content": "a NUL \u0000 escape"}]}"#,
        r#"{"messages": []}"#,
    ] {
        leaves_as_it_came(record);
    }
}

#[test]
fn a_lone_surrogate_survives_with_a_warning() {
    let dir =
        leaves_as_it_came(r#"{"messages": [{"role": "user", "content": "cut emoji \ud83d"}]}"#);
    assert!(dir.entries()[0]["warnings"][0].as_str().unwrap().contains("surrogate"));
}

#[test]
fn a_lone_surrogate_stays_in_a_kept_message_of_a_compacted_record() {
    let dir = Dir::new();
    let kept = r#"{"role": "user", "content": "cut emoji \ud83d"}"#;
    let gone: Vec<String> = (0..6).map(|number| message("t", number)).collect();
    let odd = r#"{"role": "user", "content": "a cut one \udc00 goes into the archive"}"#;
    dir.write(
        "in.jsonl",
        format!("{{\"messages\": [{odd}, {}, {kept}, {kept}]}}\n", gone.join(", ")),
    );
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    assert!(dir.read("out/in.jsonl").ends_with(&format!("{kept}, {kept}]}}\n")));
    let archive = dir.entries()[0]["archive"].as_str().unwrap().to_owned();
    assert!(
        dir.read(&format!("out/{archive}"))
            .contains("Human: a cut one \u{fffd} goes into the archive\n")
    );
}

#[test]
fn a_repeated_key_is_reported_and_kept() {
    let dir = leaves_as_it_came(
        r#"{"note": 1, "messages": [{"role": "user", "content": "first", "content": "second"}], "note": 2}"#,
    );
    let warnings = dir.entries()[0]["warnings"].to_string();
    assert!(warnings.contains("is there twice"), "{warnings}");
}

#[test]
fn a_byte_order_mark_is_dropped_and_noted_once() {
    let dir = Dir::new();
    let text = talk("a", 3) + &talk("b", 3);
    dir.write("in.jsonl", format!("\u{feff}{text}"));
    let ran = dir.epitome("compact in.jsonl -o out").ok();
    assert_eq!(ran.stderr.matches("byte order mark").count(), 1, "{}", ran.stderr);
    assert_eq!(dir.read("out/in.jsonl"), text);
    let originals = dir.read("out/originals/in.jsonl.originals");
    assert_eq!(originals.matches('\u{feff}').count(), 1, "{originals}");
}

#[test]
fn crlf_comes_in_and_lf_goes_out() {
    let dir = Dir::new();
    let text = talk("a", 3) + &talk("b", 8);
    dir.write("lf.jsonl", &text).write("crlf.jsonl", text.replace('\n', "\r\n"));
    dir.epitome(&format!("compact lf.jsonl -o lf {CUT}")).ok();
    dir.epitome(&format!("compact crlf.jsonl -o out {CUT}")).ok();
    assert_eq!(dir.read("out/crlf.jsonl"), dir.read("lf/lf.jsonl"));
}

#[test]
fn blank_lines_count_as_lines_and_stay() {
    let dir = Dir::new();
    let [a, b] = ["a", "b"].map(|thread| talk(thread, 3));
    let text = format!("\n  \n{a}\n\t\n{b}bad\n\n");
    dir.write("in.jsonl", &text)
        .epitome("compact in.jsonl -o out")
        .fails(3)
        .says(["in.jsonl:7:1: "]);
    let lines: Vec<_> = dir.entries().iter().map(|entry| entry["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [3, 6, 7]);
    assert_eq!(dir.read("out/in.jsonl"), text);
}

#[test]
fn a_file_without_records_is_a_good_end() {
    for text in ["", "\n", "\n  \n\r\n", "\u{feff}", "[]", "[ ]\n"] {
        let dir = Dir::new();
        dir.write("in.jsonl", text).epitome("compact in.jsonl -o out").ok();
        assert_eq!(dir.read("out/in.jsonl"), text.replace(['\u{feff}', '\r'], ""), "{text:?}");
        let report = dir.report();
        let transcripts = usize::from(text.starts_with('['));
        assert!(
            report["transcripts"].as_array().unwrap().len() <= transcripts,
            "{text:?}: {report}"
        );
        assert_eq!(report["totals"]["failed"], 0, "{text:?}");
        dir.epitome("plan in.jsonl --check").ok();
        dir.epitome("count in.jsonl").ok();
    }
}

#[test]
fn a_line_of_five_megabytes() {
    let dir = Dir::new();
    let text = talk("a", 30_000);
    assert!(text.len() > 5_000_000);
    dir.write("in.jsonl", text + &talk("b", 8))
        .epitome(&format!("compact in.jsonl -o out {CUT}"))
        .ok();
    let entries = dir.entries();
    assert_eq!(
        (&entries[0]["messages_before"], &entries[0]["messages_after"]),
        (&30_000.into(), &3.into())
    );
    assert_eq!((&entries[1]["line"], &entries[1]["status"]), (&2.into(), &"compacted".into()));
}

#[test]
fn a_record_over_the_limit_passes_through_unread() {
    let dir = Dir::new();
    let text = talk("short", 8) + &talk("long", 2_000) + &talk("after", 8);
    dir.write("in.jsonl", &text);
    dir.epitome(&format!("compact in.jsonl -o out --max-record-bytes 100000 {CUT}"))
        .fails(3)
        .says(["in.jsonl:2:", "--max-record-bytes"]);
    let out = dir.read("out/in.jsonl");
    assert!(out.lines().nth(1) == text.lines().nth(1), "the long record is not as it came");
    assert_eq!(out.matches("<summary>").count(), 2);
}

#[test]
fn an_element_over_the_limit_passes_through_unread_however_much_of_it_was_read() {
    for turns in [300, 1_500, 5_000] {
        let elements =
            [talk("long", turns), talk("first", 8), talk("long", turns), talk("second", 8)];
        for (open, between, place) in [("[", ",", "1:2"), ("[\n  ", ",\n  ", "2:3")] {
            let dir = Dir::new();
            dir.write(
                "in.json",
                [
                    open,
                    &elements.each_ref().map(|element| element.trim_end()).join(between),
                    "\n]\n",
                ]
                .concat(),
            );
            let ran = dir
                .epitome(&format!("compact in.json -o out --max-record-bytes 10000 {CUT}"))
                .fails(3);
            ran.says([format!("in.json:{place}: longer than 10000 bytes").as_str()]);
            let out = dir.read("out/in.json");
            assert_eq!(
                (out.matches(elements[0].trim_end()).count(), out.matches("<summary>").count()),
                (2, 2)
            );
        }
    }
}

#[test]
fn an_array_with_an_element_of_megabytes_over_the_limit_is_left_out() {
    let dir = Dir::new();
    dir.write(
        "in.json",
        format!("[{}, {}]", talk("first", 8).trim_end(), talk("long", 20_000).trim_end()),
    );
    let ran =
        dir.epitome(&format!("compact in.json -o out --max-record-bytes 10000 {CUT}")).fails(3);
    ran.says(["in.json: line 1: the record is longer than 10000 bytes (--max-record-bytes); it is not written"]);
    assert!(!dir.exists("out/in.json"));
}

#[test]
fn records_over_several_lines_are_found_by_their_brackets() {
    let dir = Dir::new();
    let records = [talk("first", 8), talk("second", 8), talk("third", 8)];
    let pretty = records.map(|record| {
        let value: serde_json::Value = serde_json::from_str(&record).expect("a record");
        serde_json::to_string_pretty(&value).expect("JSON")
    });
    let [first, second, third] = &pretty;
    dir.write("in.json", format!("{first}\n{second}, {third}\n{{\"a\":"));
    let ran = dir.epitome(&format!("compact in.json -o out {CUT}")).fails(3);
    let ran = ran.says(["this is between two records", "the record ends"]);
    assert_eq!(ran.stderr.matches("in.json:").count(), 2, "{}", ran.stderr);
    let written = dir.read("out/in.json");
    assert_eq!(written.matches("\"thread_id\"").count(), 3);
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.read("back/in.json"), dir.read("in.json"));
}

#[test]
fn messages_over_several_lines_are_refused_in_a_line() {
    let dir = Dir::new();
    dir.write("in.json", "{\n\"role\": \"user\", \"content\": \"a\"}\n{\n\"role\": \"assistant\", \"content\": \"b\"}\n");
    let ran = dir.epitome("count in.json").fails(3).says([
        "its records are single messages over several lines; write one a line, as `jq -c .` does",
    ]);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

#[test]
fn runs_of_one_character() {
    for content in [
        " ".repeat(1_000_000),
        "=".repeat(3_000_000),
        "\n".repeat(3_000_000),
        "é".repeat(1_500_000),
    ] {
        let dir = Dir::new();
        let long = format!("{{\"role\": \"user\", \"content\": {}}}", quoted(&content));
        let rest: Vec<String> = (1..8).map(|number| message("t", number)).collect();
        dir.write("in.jsonl", format!("{{\"messages\": [{long}, {}]}}\n", rest.join(", ")));
        dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
        assert_eq!(dir.entries()[0]["status"], "compacted");
        dir.epitome("plan in.jsonl --verbose").ok();
    }
}

#[test]
fn a_warning_is_told_once_with_its_count() {
    let dir = Dir::new();
    let odd = "{\"messages\": [{\"role\": \"user\", \"content\": \"cut emoji \\ud83d\"}]}\n";
    dir.write("in.jsonl", odd.repeat(5));
    let ran = dir
        .epitome("compact in.jsonl -o out")
        .ok()
        .says(["in.jsonl:1: warning: ", "4 more times: warning: "]);
    assert_eq!(ran.stderr.matches("surrogate").count(), 2, "{}", ran.stderr);
    assert_eq!(dir.epitome("compact in.jsonl -o quiet -q").ok().stderr, "");
}

#[test]
fn a_record_that_goes_takes_its_line_end_along_and_blank_lines_stay() {
    let dir = Dir::new();
    let line = |role: &str, text: &str| {
        format!(r#"{{"session_id": "a", "role": "{role}", "content": "{}"}}"#, text.repeat(400))
    };
    let lines = [
        line("user", "one "),
        line("assistant", "two "),
        "\t ".to_owned(),
        String::new(),
        line("user", "three "),
        line("assistant", "four "),
    ];
    dir.write("in.jsonl", lines.join("\n") + "\n");
    dir.epitome("compact in.jsonl -o out --trigger messages=1 --keep messages=2").ok();
    let written = dir.read("out/in.jsonl");
    let written: Vec<&str> = written.split('\n').collect();
    assert_eq!(written[1..], ["\t ", "", &lines[4], &lines[5], ""]);
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
}

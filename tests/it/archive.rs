//! Everything removed is in the archive before the compacted file appears; where it can't be,
//! nothing is removed.

use crate::harness::Dir;
use crate::talk::{CUT, log, talk, with_result};

const POLICY: &str = "[evict]\ntokens = 100\n";

/// Two conversations of which one is summarised and the other loses a result.
fn input() -> String {
    talk("t", 8) + &with_result("r", "call", &log(40))
}

#[test]
fn a_place_that_is_no_directory_is_found_before_anything_is_written() {
    for blocked in ["conversation_history", "large_tool_results", "originals"] {
        let dir = Dir::new();
        dir.write("in.jsonl", input())
            .write("policy.toml", POLICY)
            .write(&format!("out/{blocked}"), "a file");
        dir.epitome(&format!("compact in.jsonl -o out --config policy.toml {CUT}"))
            .fails(2)
            .says([blocked, "not a directory"]);
        assert_eq!(dir.tree("out").into_keys().collect::<Vec<_>>(), [blocked]);
    }
}

#[test]
fn an_archive_that_is_a_file_is_refused_before_anything_is_written() {
    let dir = Dir::new();
    dir.write("in.jsonl", input() + &talk("short", 2))
        .write("policy.toml", POLICY)
        .write("aside", "a file");
    dir.epitome(&format!("compact in.jsonl -o out --archive aside --config policy.toml {CUT}"))
        .fails(2)
        .says(["aside"]);
    assert!(!dir.exists("out"), "it can't be locked");
    assert_eq!(dir.read("aside"), "a file");
}

#[test]
fn what_was_written_of_an_archive_that_fails_is_taken_back() {
    let dir = Dir::new();
    // The evicted result can be written, the history after it can not.
    let result = with_result("t", "call", &log(40));
    let more: Vec<String> = (0..8).map(|number| crate::talk::message("t", number)).collect();
    let line =
        format!("{}, {}]}}\n", result.trim_end().strip_suffix("]}").unwrap(), more.join(", "));
    dir.write("in.jsonl", line + &talk("u", 8))
        .write("policy.toml", POLICY)
        .write("out/conversation_history/t.md/x", "in the way");
    dir.epitome(&format!("compact in.jsonl -o out --force --config policy.toml {CUT}"))
        .fails(3)
        .says(["in.jsonl:1: ", "t.md"]);
    let out = dir.read("out/in.jsonl");
    assert_eq!(out.lines().next(), dir.read("in.jsonl").lines().next());
    assert!(out.lines().nth(1).unwrap().contains("<summary>"), "the other one is compacted");
    assert!(
        dir.tree("out/large_tool_results").is_empty(),
        "a result that the transcript still holds"
    );
}

#[test]
fn archives_may_lie_elsewhere() {
    let dir = Dir::new();
    dir.write("in.jsonl", input()).write("policy.toml", POLICY);
    dir.epitome(&format!("compact in.jsonl -o out --archive a/side --config policy.toml {CUT}"))
        .ok();
    assert_eq!(dir.tree("out").into_keys().collect::<Vec<_>>(), ["in.jsonl", "report.json"]);
    let aside: Vec<String> = dir.tree("a/side").into_keys().collect();
    assert_eq!(
        aside,
        [
            "conversation_history/t.md", "large_tool_results/r/call",
            "originals/in.jsonl.originals", "originals/manifest.jsonl"
        ]
    );
}

#[test]
fn the_originals_give_the_input_back() {
    let messages: String = (0..9).map(|number| crate::talk::message("m", number) + "\n").collect();
    let array = format!(
        "[\n  {},\n  {}\n]\n",
        talk("a", 8).trim_end(),
        with_result("b", "call", &log(40)).trim_end()
    );
    let mix = format!(
        "\u{feff}{}bad\r\n\n{}",
        talk("t", 8).replace('\n', "\r\n"),
        with_result("r", "call", &log(40))
    );
    for text in [input(), messages, array, mix] {
        let dir = Dir::new();
        dir.write("in.jsonl", &text).write("policy.toml", POLICY);
        dir.epitome(&format!(
            "compact in.jsonl -o out --max-errors all --config policy.toml {CUT}"
        ))
        .ok();
        let out = dir.bytes("out/in.jsonl");
        assert_ne!(out, text.as_bytes());
        dir.epitome("restore out -o back").ok().says(["1 restored"]);
        assert!(
            dir.bytes("back/in.jsonl") == text.as_bytes(),
            "{}",
            String::from_utf8_lossy(&dir.bytes("back/in.jsonl"))
        );
    }
}

#[test]
fn messages_that_stay_leave_byte_for_byte() {
    let dir = Dir::new();
    let kept = [
        r#"{ "content":"caf\u00e9","role" :"user", "n": 1.50 }"#,
        r#"{"role": "assistant",  "content": "b\/c", "x": -0}"#,
    ];
    let gone: Vec<String> = (0..6).map(|number| crate::talk::message("t", number)).collect();
    let system = r#"{"role":"system","content":"Be brief.","cache":{"z":1,"a":2}}"#;
    dir.write(
        "in.jsonl",
        format!(
            "{{\"z\": 1e2, \"messages\" : [ {system} , {} ,{} , {} ] , \"a\": null}}\n",
            gone.join(" , "),
            kept[0],
            kept[1]
        ),
    );
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let out = dir.read("out/in.jsonl");
    assert!(out.starts_with(&format!("{{\"z\": 1e2, \"messages\" : [ {system} , {{\"role\": \"user\", \"content\": \"You are in")), "{out}");
    assert!(out.ends_with(&format!("}} ,{} , {} ] , \"a\": null}}\n", kept[0], kept[1])), "{out}");
}

#[test]
#[cfg(unix)]
fn a_run_that_breaks_off_when_archives_are_written_has_its_own_status() {
    let dir = Dir::new();
    for number in 0..60 {
        dir.write(&format!("in/{number}.jsonl"), talk(&format!("t{number}"), 8));
    }
    // As a full disk does, the limit refuses what grows: the report, and the calls of a replay. It is not
    // the fault of a record: nothing tolerates it.
    for command in ["compact", "replay"] {
        let shell = format!(
            "trap '' XFSZ; ulimit -f 16; '{}' {command} in -o {command} {CUT} --max-errors all",
            crate::harness::PROGRAM
        );
        let output = assert_cmd::Command::new("sh")
            .current_dir(dir.path(""))
            .args(["-c", &shell])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{command}: {stderr}");
        assert!(stderr.contains("epitome: the run broke off: "), "{stderr}");
        // Whole groups of outputs are there with their archives; the calls of a replay belong together.
        assert_eq!(dir.exists(&format!("{command}/conversation_history")), command == "compact");
        assert!(
            !dir.exists(&format!("{command}/report.json"))
                && !dir.exists(&format!("{command}/.epitome-run"))
        );
    }
}

/// The fault is not reported for one record after the other.
#[test]
#[cfg(unix)]
fn an_archive_directory_that_takes_no_file_ends_the_run() {
    let dir = Dir::new();
    let input: String = (0..9).map(|number| talk(&format!("t{number}"), 40)).collect();
    dir.write("in.jsonl", input);
    for (command, way_on) in [("compact", Some("free some space")), ("replay", None)] {
        // The lock and the beginning of a report fit, a history does not.
        let shell = format!(
            "trap '' XFSZ; ulimit -f 1; '{}' {command} in.jsonl -o {command} {CUT} --max-errors all -q",
            crate::harness::PROGRAM
        );
        let output = assert_cmd::Command::new("sh")
            .current_dir(dir.path(""))
            .args(["-c", &shell])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let told = ["can't write the archive"].into_iter().chain(way_on);
        assert_eq!(stderr.lines().count(), told.clone().count(), "{stderr}");
        for (line, told) in stderr.lines().zip(told) {
            assert!(line.contains(told), "{command}: {stderr}");
        }
        assert_eq!(output.status.code(), Some(4), "{command}: {stderr}");
        assert!(!dir.exists(&format!("{command}/in.jsonl")));
    }
}

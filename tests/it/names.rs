//! Ids from the log as file names: they never leave the output directory, and no two share a file.

use crate::harness::Dir;
use crate::talk::{CUT, log, talk, with_result};
use std::collections::BTreeSet;

/// Ids that a log may hold, by accident or by malice.
fn nasty_ids() -> Vec<String> {
    let mut ids: Vec<String> = [
        "../../etc/x", "..", ".", "/etc/passwd", "a/b", "a\\b", "C:\\x", "~root", "-rf", "CON",
        "nul\0byte", "line\nend", "a b", "%2E%2E",
    ]
    .map(str::to_owned)
    .to_vec();
    ids.extend(
        [
            "\u{202e}gpj.exe",
            "e\u{301}",
            "\u{e9}",
            "Thread",
            "thread",
            "THREAD",
            "a~2",
            "a",
            "report.json",
            "x".repeat(300).as_str(),
        ]
        .map(str::to_owned),
    );
    ids.extend([
        format!("{}1", "x".repeat(300)),
        "é".repeat(64),
        ".hidden".to_owned(),
        "*?<>|\"".to_owned(),
    ]);
    ids
}

#[test]
fn no_thread_leaves_the_output_directory_or_shares_a_file() {
    let dir = Dir::new();
    let ids = nasty_ids();
    dir.write("deep/er/in.jsonl", ids.iter().map(|id| talk(id, 8)).collect::<String>());
    dir.epitome(&format!("compact deep/er/in.jsonl -o deep/er/out {CUT}")).ok();
    let outside: Vec<String> = dir
        .tree("")
        .into_keys()
        .filter(|path| !path.starts_with("deep/er/out/") && path != "deep/er/in.jsonl")
        .collect();
    assert_eq!(outside, Vec::<String>::new());
    let histories = dir.tree("deep/er/out/conversation_history");
    assert_eq!(histories.len(), ids.len(), "{:?}", histories.keys());
    for name in histories.keys() {
        let safe =
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-%~".contains(&byte));
        assert!(safe && name.len() <= 140 && name.ends_with(".md"), "{name}");
    }
    // Each history is that of its own thread.
    let report: serde_json::Value =
        serde_json::from_slice(&dir.bytes("deep/er/out/report.json")).unwrap();
    let mut places = BTreeSet::new();
    for (entry, id) in report["transcripts"].as_array().unwrap().iter().zip(&ids) {
        assert_eq!(entry["thread_id"], *id);
        let archive = entry["archive"].as_str().unwrap();
        assert!(places.insert(archive.to_owned()), "{archive} twice");
        assert!(
            dir.read(&format!("deep/er/out/{archive}")).contains(&crate::talk::text(id, 0)),
            "{archive} is not {id:?}"
        );
    }
}

#[test]
fn names_follow_the_published_rules() {
    let dir = Dir::new();
    let wanted = [
        ("../x", "..%2Fx"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("a b%", "a%20b%25"),
        ("é", "%C3%A9"),
        ("A.b_c-1", "A.b_c-1"),
        ("A.b_c-1", "A.b_c-1~2"),
    ];
    dir.write("in.jsonl", wanted.map(|(id, _)| talk(id, 8)).concat());
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let archives: Vec<String> =
        dir.entries().iter().map(|entry| entry["archive"].as_str().unwrap().to_owned()).collect();
    assert_eq!(archives, wanted.map(|(_, name)| format!("conversation_history/{name}.md")));
    let out = dir.read("out/in.jsonl");
    for (line, (_, name)) in out.lines().zip(wanted) {
        assert!(
            line.contains(&format!("saved to /conversation_history/{name}.md should")),
            "the summary names the file: {line}"
        );
    }
}

#[test]
fn an_empty_id_is_no_id() {
    let dir = Dir::new();
    let nameless = talk("", 8).replace("\"thread_id\": \"\", ", "");
    dir.write("in.jsonl", talk("", 8) + &nameless + &nameless);
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let ids: Vec<String> =
        dir.entries().iter().map(|entry| entry["thread_id"].as_str().unwrap().to_owned()).collect();
    for id in &ids {
        let hex = id.strip_prefix("session_").unwrap();
        assert!(hex.len() == 8 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    }
    assert!(ids[0] != ids[1] && ids[1] == ids[2], "by content: {ids:?}");
    assert!(dir.exists(&format!("out/conversation_history/{}~2.md", ids[1])));
}

#[test]
fn an_id_that_looks_like_a_numbered_one_keeps_its_own_file() {
    let dir = Dir::new();
    dir.write("in.jsonl", ["a~2", "a", "a", "a~2"].map(|id| talk(id, 8)).concat());
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    assert_eq!(dir.tree("out/conversation_history").len(), 4);
}

#[test]
fn no_call_leaves_its_directory_or_shares_a_file() {
    let dir = Dir::new();
    let ids = nasty_ids();
    dir.write("policy.toml", "[evict]\ntokens = 100\n");
    let result = |number: usize| format!("result {number}\n{}", log(40));
    dir.write(
        "in.jsonl",
        ids.iter()
            .enumerate()
            .map(|(number, id)| with_result("../t", id, &result(number)))
            .collect::<String>(),
    );
    dir.epitome("compact in.jsonl -o out --config policy.toml").ok();
    let outside: Vec<String> =
        dir.tree("").into_keys().filter(|path| !path.starts_with("out/")).collect();
    assert_eq!(outside, ["in.jsonl", "policy.toml"]);
    let texts: BTreeSet<Vec<u8>> = dir.tree("out/large_tool_results").into_values().collect();
    assert_eq!(
        texts,
        (0..ids.len()).map(|number| result(number).into_bytes()).collect(),
        "every result is readable back"
    );
}

#[test]
fn repeated_calls_are_all_readable_back() {
    for prefix in ["/large_tool_results/{thread_id}", "/large_tool_results"] {
        let dir = Dir::new();
        dir.write(
            "policy.toml",
            format!("[evict]\ntokens = 100\n[archive]\nresults_prefix = \"{prefix}\"\n"),
        );
        let results: Vec<String> =
            (0..4).map(|number| format!("result {number}\n{}", log(40))).collect();
        dir.write(
            "in.jsonl",
            [("a", 0), ("a", 1), ("b", 2), ("", 3)]
                .map(|(thread, number)| with_result(thread, "call", &results[number]))
                .concat(),
        );
        dir.epitome("compact in.jsonl -o out --config policy.toml").ok();
        let texts: BTreeSet<Vec<u8>> = dir.tree("out/large_tool_results").into_values().collect();
        assert_eq!(texts, results.iter().map(|text| text.clone().into_bytes()).collect());
        // What the message names is where the text lies.
        let out = dir.read("out/in.jsonl");
        for (line, result) in out.lines().zip(&results) {
            let path = line.split("at this path: ").nth(1).unwrap().split("\\n").next().unwrap();
            assert_eq!(dir.read(&format!("out{path}")), *result);
        }
    }
}

#[test]
fn a_call_without_id_has_a_name_too() {
    let dir = Dir::new();
    dir.write("policy.toml", "[evict]\ntokens = 100\n");
    dir.write("in.jsonl", with_result("t", "", &log(40)))
        .epitome("compact in.jsonl -o out --config policy.toml")
        .ok();
    assert_eq!(dir.read("out/large_tool_results/t/unknown"), log(40));
}

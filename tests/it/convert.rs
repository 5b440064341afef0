//! `convert`, and `compact --to`: which files appear, what is told, and how it ends.

use crate::harness::Dir;
use crate::talk::talk;
use serde_json::Value;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const WEIGHTED: &str = r#"{"id": "w", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello", "weight": 1}]}"#;

#[test]
fn every_file_becomes_one_of_jsonl_in_input_order() {
    let dir = Dir::new();
    let list = format!("[\n{},\n{}\n]", talk("a", 4).trim_end(), talk("b", 4).trim_end());
    dir.write("logs/list.json", list).write("logs/deep/one.jsonl", talk("c", 4)).write(
        "logs/lines.ndjson",
        "{\"thread_id\": \"x\", \"role\": \"user\", \"content\": \"1\"}\n{\"thread_id\": \"y\", \"role\": \"user\", \"content\": \"2\"}\n{\"thread_id\": \"x\", \"role\": \"assistant\", \"content\": \"3\"}\n",
    );
    dir.epitome("convert logs --to openai -o out").ok().says(["5 transcripts converted to openai"]);
    let ids = |file: &str| {
        lines(&dir.read(file))
            .iter()
            .map(|line| line["thread_id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("out/list.jsonl"), ["a", "b"]);
    assert_eq!(ids("out/lines.jsonl"), ["x", "y"]);
    assert_eq!(ids("out/deep/one.jsonl"), ["c"]);
    let x = &lines(&dir.read("out/lines.jsonl"))[0]["messages"];
    assert_eq!(
        *x,
        serde_json::json!([{"role": "user", "content": "1"}, {"role": "assistant", "content": "3"}])
    );
    assert_eq!(dir.report()["totals"]["converted"]["transcripts"], 5);
}

#[test]
fn any_number_of_threads_writes_the_same() {
    let dir = Dir::new();
    let many: String = (0..300).map(|number| talk(&format!("t{number}"), 4 + number % 7)).collect();
    dir.write("in.jsonl", many);
    for to in ["openai", "anthropic", "sharegpt", "langchain"] {
        dir.epitome(&format!("convert in.jsonl --to {to} -o {to}/one -j1")).ok();
        dir.epitome(&format!("convert in.jsonl --to {to} -o {to}/four -j4")).ok();
        assert_eq!(dir.tree(&format!("{to}/one")), dir.tree(&format!("{to}/four")), "{to}");
    }
}

#[test]
fn stdin_goes_to_stdout() {
    let ran = Dir::new().epitome("convert - --to sharegpt -o -").stdin(talk("s", 2)).ok();
    let line = &lines(ran.stdout())[0];
    assert_eq!((&line["id"], &line["conversations"][0]["from"]), (&"s".into(), &"human".into()));
}

#[test]
fn a_bad_record_costs_itself_and_is_not_written() {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        format!("{}{{\"messages\": 7}}\n{{\"mess\n{}", talk("a", 2), talk("b", 2)),
    );
    let ran = dir.epitome("convert in.jsonl --to anthropic -o out").fails(3);
    ran.says([
        "in.jsonl:2:14: messages is a number, it must be an array",
        "in.jsonl:3:7: not JSON",
        "2 failed",
    ]);
    let written: Vec<Value> =
        lines(&dir.read("out/in.jsonl")).iter().map(|line| line["thread_id"].clone()).collect();
    assert_eq!(written, ["a", "b"]);
    assert_eq!(dir.entries().iter().filter(|entry| entry["status"] == "failed").count(), 2);
}

#[test]
fn what_is_left_out_is_told_with_its_place_and_checked() {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        format!("{}\n{WEIGHTED}\n", WEIGHTED.replace("\"id\": \"w\"", "\"id\": \"v\"")),
    );
    let ran = dir.epitome("convert in.jsonl --to anthropic -o out --check").fails(1);
    ran.says(["messages[].weight", "in.jsonl:1, message 1", "anthropic has no place for it"]);
    let note = &dir.entries()[1]["converted"]["left_out"][0];
    let wanted = serde_json::json!({"what": "messages[].weight", "why": "anthropic has no place for it", "message": 1, "line": 2, "times": 1});
    assert_eq!(*note, wanted);
    assert_eq!(dir.report()["totals"]["converted"]["left_out"], 2);
    // In the log's own format it comes along.
    dir.epitome("convert in.jsonl --to openai -o same --check").ok();
    assert!(dir.read("same/in.jsonl").contains("\"weight\": 1"));
}

#[test]
fn a_message_that_leaves_in_another_role_is_told() {
    let dir = Dir::new();
    let said = |role: &str, kind: &str, text: &str| {
        let text = crate::talk::quoted(text);
        format!(
            r#"{{"timestamp": "2026-01-01T00:00:00.000Z", "type": "response_item", "payload": {{"type": "message", "role": "{role}", "content": [{{"type": "{kind}", "text": {text}}}]}}}}"#
        )
    };
    let start = r#"{"timestamp": "2026-01-01T00:00:00.000Z", "type": "session_meta", "payload": {"id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/srv", "originator": "codex_cli_rs", "cli_version": "0.60.0"}}"#;
    let context = said("user", "input_text", "<environment_context>linux</environment_context>");
    dir.write(
        "in.jsonl",
        [
            start,
            &context,
            &said("user", "input_text", "Hi"),
            &said("assistant", "output_text", "Hello"),
            "",
        ]
        .join("\n"),
    );
    let why = "its role becomes developer: the agent put it there in the user's name";
    dir.epitome("convert in.jsonl --to openai -o out")
        .ok()
        .says(["user message", "in.jsonl:2, message 0", why]);
    let messages = &lines(&dir.read("out/in.jsonl"))[0]["messages"];
    assert_eq!((&messages[0]["role"], &messages[1]["role"]), (&"developer".into(), &"user".into()));
    let wanted = serde_json::json!([{"what": "user message", "why": why, "message": 0, "line": 2, "times": 1}]);
    assert_eq!(dir.entries()[0]["converted"]["changed"], wanted);
}

#[test]
fn wrong_options_are_named_and_nothing_is_written() {
    let dir = Dir::new();
    dir.write("in.jsonl", WEIGHTED);
    dir.epitome("convert in.jsonl --to antropic -o out").fails(2).says(["--to", "anthropic"]);
    dir.epitome("convert in.jsonl -o out").fails(2).says(["--to"]);
    dir.epitome("compact in.jsonl -o out --merge-user").fails(2).says(["--to"]);
    assert!(!dir.exists("out"));
    dir.epitome("convert in.jsonl --to openai -o out").ok();
    dir.epitome("convert in.jsonl --to openai -o out").fails(2).says(["exists", "--force"]);
    dir.epitome("convert in.jsonl --to openai -o out --force --quiet").ok();
}

#[test]
fn files_that_differ_in_their_ending_are_converted_beside_each_other() {
    let dir = Dir::new();
    for name in ["d/a.json", "d/a.jsonl", "d/a.ndjson"] {
        dir.write(name, WEIGHTED);
    }
    dir.epitome("convert d --to openai -o out").ok();
    for name in ["a.json.jsonl", "a.jsonl", "a.ndjson.jsonl"] {
        assert!(dir.exists(&format!("out/{name}")), "{name}");
    }
}

#[test]
fn consecutive_users_are_joined_where_that_is_asked_for() {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        r#"{"messages": [{"role": "user", "content": "One."}, {"role": "user", "content": "Two."}, {"role": "assistant", "content": "Yes."}]}"#,
    );
    dir.epitome("convert in.jsonl --to openai -o apart").ok();
    dir.epitome("convert in.jsonl --to openai -o joined --merge-user")
        .ok()
        .says(["joined with the message before"]);
    let roles = |file: &str| lines(&dir.read(file))[0]["messages"].as_array().unwrap().len();
    assert_eq!((roles("apart/in.jsonl"), roles("joined/in.jsonl")), (3, 2));
    assert!(
        dir.read("joined/in.jsonl")
            .contains(r#"[{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]"#)
    );
}

#[test]
fn compact_to_compacts_first_and_archives_what_goes() {
    let dir = Dir::new();
    dir.write("in.json", talk("long", 30));
    dir.epitome("compact in.json -o out --to anthropic --trigger messages=10 --keep messages=4 --report r.md")
        .ok()
        .says(["1 compacted", "converted to anthropic"]);
    let line = &lines(&dir.read("out/in.jsonl"))[0];
    let first = line["messages"][0]["content"].to_string();
    assert!(first.contains("conversation_history/long.md"), "{first}");
    assert!(line["messages"].as_array().unwrap().len() < 10);
    assert!(dir.read("out/conversation_history/long.md").contains("Human: "));
    // The exact bytes of what was read.
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.read("back/in.json"), talk("long", 30));
}

#[test]
fn where_a_summary_fails_the_transcript_is_converted_as_it_came() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 30));
    let program = dir.script("fails", "exit 7");
    let ran = dir
        .epitome("compact in.jsonl -o out --to openai --trigger messages=10 --keep messages=4")
        .arg("--summarizer")
        .arg(format!("command:{program}"));
    ran.fails(3).says(["in.jsonl:1"]);
    assert_eq!(lines(&dir.read("out/in.jsonl"))[0]["messages"].as_array().unwrap().len(), 30);
}

/// The trainers skip a sample that ends with the user, as every summary does that replaces the last answer.
#[test]
fn a_summary_at_the_end_of_a_sample_is_told_by_its_name() {
    let answer = "The parser reads past the end of its buffer. ".repeat(80);
    let messages = serde_json::json!([
        {"role": "user", "content": "Fix src/parse.rs"},
        {"role": "assistant", "content": "I look at it."},
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": "I have it."},
        {"role": "user", "content": "What is it?"},
        {"role": "assistant", "content": answer},
    ]);
    let dir = Dir::new();
    let record = serde_json::json!({"id": "s", "messages": messages});
    dir.write("in.jsonl", format!("{record}\n")).write(
        "policy.toml",
        "preset = \"openhands\"\n[summarize]\ntrigger = { messages = 5 }\nkeep = { turns = \"all\", tokens = 40 }\n",
    );
    dir.epitome("compact in.jsonl -o out --to sharegpt --config policy.toml").ok();
    let entry = &dir.entries()[0];
    assert_eq!(entry["summarized"], true, "{entry}");
    let left_out = entry["converted"]["left_out"].as_array().unwrap();
    assert!(left_out.iter().any(|note| note["what"] == "summary at the end"), "{entry}");
    assert!(!dir.read("out/in.jsonl").contains("has been summarized"));
}

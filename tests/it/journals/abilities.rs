//! What each journal can take in, and its conversion to chat messages.

use super::support::{file, plans, session};
use crate::harness::Dir;
use crate::talk::{CUT, quoted, text};
use serde_json::{Value, json};

#[test]
fn a_journal_without_a_record_of_compactions_is_left_and_says_what_to_do() {
    let dir = Dir::new();
    let say = |number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        format!(
            "{{\"type\": \"message\", \"timestamp\": \"t\", \"role\": \"{role}\", \"content\": {}}}\n",
            quoted(&text("g", number))
        )
    };
    let input = format!(
        "{{\"type\": \"init\", \"session_id\": \"g\", \"model\": \"m\"}}\n{}",
        (0..10).map(say).collect::<String>()
    );
    dir.write("in.jsonl", &input);
    dir.epitome(&format!("compact in.jsonl -o out {CUT}"))
        .fails(3)
        .says(["in.jsonl:2: gemini-stream can't be compacted in place", "use --to openai"]);
    assert_eq!(dir.read("out/in.jsonl"), input);
    dir.epitome("compact in.jsonl -o same --trigger messages=100").ok();
    assert_eq!(dir.read("same/in.jsonl"), input);
    dir.epitome(&format!("compact in.jsonl -o chat --to openai {CUT}")).ok();
    let chat: Value = serde_json::from_str(&dir.read("chat/in.jsonl")).unwrap();
    assert_eq!(chat["messages"].as_array().map(Vec::len), Some(3), "{chat}");
    // What would be done can be seen, and what was done replayed.
    assert_eq!(plans(&dir, &format!("in.jsonl --to openai {CUT}"))[0]["messages_after"], 3);
    dir.epitome(&format!("replay in.jsonl -o replayed {CUT}")).ok();
}

#[test]
fn the_stages_that_a_journal_can_t_take_in_say_so_and_replay_knows_no_such_limit() {
    let dir = Dir::new();
    let mut lines = session(4);
    lines[1]["message"]["content"] =
        json!([{"type": "tool_use", "id": "t1", "name": "look_up", "input": {}}]);
    lines[2]["message"]["content"] =
        json!([{"type": "tool_result", "tool_use_id": "t1", "content": text("s", 2).repeat(20)}]);
    dir.write("in.jsonl", file(&lines)).write("small.toml", "[evict]\ntokens = 100\n");
    let plan = dir.epitome("plan in.jsonl --config small.toml").ok();
    assert!(
        plan.stdout().contains("evict: not done: this journal records only summaries"),
        "{}",
        plan.stdout()
    );
    dir.epitome("replay in.jsonl -o out --config small.toml --quiet").ok();
    assert!(
        dir.tree("out").keys().any(|path| path.contains("large_tool_results")),
        "{:?}",
        dir.tree("out").keys()
    );
}

#[test]
fn a_stream_on_stdin_is_a_journal_too() {
    let dir = Dir::new();
    let out = dir
        .epitome(&format!("compact - -o - --archive kept {CUT}"))
        .stdin(file(&session(10)))
        .ok()
        .stdout;
    assert_eq!(String::from_utf8(out).unwrap().lines().count(), 12);
}

#[test]
fn the_list_of_formats_says_how_each_takes_a_compaction_in() {
    let list = Dir::new().epitome("formats").ok();
    for (name, how) in [
        ("openai", "rewritten"),
        ("claude-code", "appended"),
        ("opencode", "appended"),
        ("gemini-stream", "--to only"),
    ] {
        let row = list
            .stdout()
            .lines()
            .find(|line| line.split_whitespace().next() == Some(name))
            .unwrap();
        assert!(row.contains(how), "{row}");
    }
}

#[test]
fn a_journal_becomes_a_chat_transcript_and_what_has_no_place_there_is_listed() {
    let dir = Dir::new();
    let mut lines = session(10);
    lines[1]["message"]["content"] =
        json!([{"type": "tool_use", "id": "t1", "name": "look_up", "input": {"day": 1}}]);
    lines[2]["message"]["content"] =
        json!([{"type": "tool_result", "tool_use_id": "t1", "content": text("s", 2).repeat(40)}]);
    lines[2]["toolUseResult"] = json!("a copy for the screen");
    lines.push(json!({"type": "queue-operation", "operation": "enqueue"}));
    dir.write("in.jsonl", file(&lines)).write("small.toml", "[evict]\ntokens = 100\n");
    for to in ["openai", "anthropic", "sharegpt", "langchain"] {
        dir.epitome(&format!("convert in.jsonl -o {to} --to {to}")).ok();
        let chat = dir.read(&format!("{to}/in.jsonl"));
        assert!(
            chat.lines().count() == 1
                && chat.contains("look_up")
                && chat.contains("Step 9 of s")
                && !chat.contains("a copy for the screen"),
            "{chat}"
        );
        let report = dir.read(&format!("{to}/report.json"));
        assert!(
            report.contains("toolUseResult")
                && report.contains("records of type queue-operation")
                && !report.contains("\"records of type user"),
            "{report}"
        );
    }
    // There every stage can do its work.
    dir.epitome("compact in.jsonl -o out --to openai --config small.toml").ok();
    assert_eq!(dir.entries()[0]["evicted"], json!(["t1"]));
    assert!(dir.read("out/in.jsonl").contains("Tool result too large"));
}

//! Journals of agents as they lie on disk: cut, broken, forked, and compacted before.

use crate::harness::Dir;
use crate::originals::restored;
use crate::promises::support::json_lines;
use crate::talk::{CUT, quoted, text};
use serde_json::{Value, json};

/// A line of a Claude Code session.
fn line(uuid: &str, parent: Option<&str>, number: usize) -> Value {
    let kind = if number.is_multiple_of(2) {
        "user"
    } else {
        "assistant"
    };
    let mut message = json!({"role": kind, "content": text("s", number)});
    if kind == "assistant" {
        message["id"] = json!(format!("msg_{uuid}"));
    }
    json!({
        "parentUuid": parent, "isSidechain": false, "cwd": "/srv/app", "sessionId": "s", "version": "2.1.0", "type": kind, "message": message,
        "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z",
    })
}

/// A session of so many lines in a row.
fn session(lines: usize) -> Vec<Value> {
    let uuid = |number: usize| format!("u{number}");
    (0..lines)
        .map(|number| {
            line(
                &uuid(number),
                number.checked_sub(1).map(uuid).as_deref(),
                number,
            )
        })
        .collect()
}

fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The lines of `plan --json`.
fn plans(dir: &Dir, words: &str) -> Vec<Value> {
    json_lines(
        &dir.epitome(&format!("plan --json --quiet {words}"))
            .run()
            .1
            .stdout,
    )
}

#[test]
fn what_was_compacted_reads_as_the_summary_and_what_was_kept() {
    let dir = Dir::new();
    dir.write("in.jsonl", file(&session(10)));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let out = dir.read("out/in.jsonl");
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        out.starts_with(&file(&session(10))) && lines.len() == 12,
        "{out}"
    );
    let [boundary, summary] = &lines[10..] else {
        panic!("{out}")
    };
    assert_eq!(
        (
            &boundary["subtype"],
            &boundary["parentUuid"],
            &boundary["logicalParentUuid"]
        ),
        (&json!("compact_boundary"), &Value::Null, &json!("u9"))
    );
    assert_eq!(
        (&summary["isCompactSummary"], &summary["parentUuid"]),
        (&json!(true), &boundary["uuid"])
    );
    let segment = json!({"headUuid": "u8", "anchorUuid": summary["uuid"], "tailUuid": "u9"});
    assert_eq!(boundary["compactMetadata"]["preservedSegment"], segment);
    assert_eq!(
        boundary["compactMetadata"]["preservedMessages"]["uuids"],
        json!(["u8", "u9"])
    );
    let plan = &plans(&dir, "out/in.jsonl")[0];
    let entry = &dir.entries()[0];
    assert_eq!(entry["messages_after"], 3);
    assert_eq!(
        (&plan["messages_before"], &plan["tokens_before"]),
        (&entry["messages_after"], &entry["tokens_after"])
    );
}

#[test]
fn a_session_goes_on_behind_what_was_appended_and_is_compacted_again() {
    let dir = Dir::new();
    dir.write("in.jsonl", file(&session(10)));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let mut out = dir.read("out/in.jsonl");
    let summary: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let mut parent = summary["uuid"].as_str().unwrap().to_owned();
    for number in 10..18 {
        let next = line(&format!("v{number}"), Some(&parent), number);
        parent = format!("v{number}");
        out.push_str(&format!("{next}\n"));
    }
    dir.write("more.jsonl", &out);
    let before = &plans(&dir, &format!("more.jsonl {CUT}"))[0];
    assert_eq!(
        before["messages_before"], 11,
        "the summary, two that were kept, eight new ones"
    );
    dir.epitome(&format!("compact more.jsonl -o again {CUT}"))
        .ok();
    assert!(dir.read("again/more.jsonl").starts_with(&out));
    let after = &plans(&dir, "again/more.jsonl")[0];
    assert_eq!(after["messages_before"], 3);
    let told = dir.read("again/conversation_history/s.md");
    assert!(
        told.contains("Step 8 of s") && !told.contains("Step 0 of s"),
        "{told}"
    );
}

#[test]
fn a_preserved_line_that_was_written_again_behind_the_summary_is_sent_once() {
    let dir = Dir::new();
    let mut lines = session(8);
    let mut boundary = line("b", None, 0);
    (boundary["type"], boundary["subtype"]) = (json!("system"), json!("compact_boundary"));
    boundary["compactMetadata"] = json!({
        "preservedSegment": {"headUuid": "u5", "anchorUuid": "c", "tailUuid": "u7"},
        "preservedMessages": {"anchorUuid": "c", "uuids": ["u5", "u6", "u7"]},
    });
    let mut summary = line("c", Some("b"), 0);
    (summary["isCompactSummary"], summary["message"]["content"]) =
        (json!(true), json!("What was before."));
    lines.extend([
        boundary,
        summary,
        line("u7", Some("c"), 7),
        line("v8", Some("u7"), 8),
    ]);
    dir.write("in.jsonl", file(&lines));
    let plan = dir
        .epitome("plan in.jsonl --trigger messages=2 --keep messages=1")
        .ok();
    let shown = plan.stdout();
    let at = |text: &str| {
        shown
            .find(text)
            .unwrap_or_else(|| panic!("{text} is missing in {shown}"))
    };
    assert!(
        shown.contains("5 -> ") || shown.contains("5 messages"),
        "{shown}"
    );
    assert!(
        at("What was before.") < at("Step 5")
            && at("Step 5") < at("Step 6")
            && at("Step 6") < at("Step 7")
            && at("Step 7") < at("Step 8"),
        "{shown}"
    );
}

#[test]
fn every_thread_of_a_file_has_its_own_entry_and_is_compacted_by_itself() {
    let dir = Dir::new();
    let mut lines = session(10);
    for number in 0..8_usize {
        let mut own = line(
            &format!("x{number}"),
            number
                .checked_sub(1)
                .map(|before| format!("x{before}"))
                .as_deref(),
            number,
        );
        (own["isSidechain"], own["agentId"]) = (json!(true), json!("ag1"));
        lines.push(own);
    }
    dir.write("in.jsonl", file(&lines));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let ids: Vec<Value> = dir
        .entries()
        .iter()
        .map(|entry| {
            json!([
                entry["thread_id"],
                entry["line"],
                entry["status"],
                entry["messages_after"]
            ])
        })
        .collect();
    assert_eq!(
        ids,
        [
            json!(["s", 1, "compacted", 3]),
            json!(["s-agent-ag1", 11, "compacted", 3])
        ]
    );
    let again: Vec<Value> = plans(&dir, "out/in.jsonl")
        .iter()
        .map(|plan| json!([plan["thread_id"], plan["messages_before"]]))
        .collect();
    assert_eq!(again, [json!(["s", 3]), json!(["s-agent-ag1", 3])]);
    assert_eq!(
        restored(
            &dir.bytes("out/in.jsonl"),
            &dir.path("out/originals/in.jsonl.originals")
        ),
        file(&lines).as_bytes()
    );
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.read("back/in.jsonl"), file(&lines));
}

#[test]
fn a_file_that_is_still_written_keeps_its_half_line_and_the_rest_is_compacted() {
    let dir = Dir::new();
    let whole = file(&session(10));
    dir.write(
        "in.jsonl",
        format!("{whole}{{\"parentUuid\": \"u9\", \"type\": \"us"),
    );
    dir.epitome(&format!("compact in.jsonl -o out {CUT}"))
        .fails(3)
        .says(["in.jsonl:11:", "the file may still be written"]);
    let out = dir.read("out/in.jsonl");
    assert!(
        out.starts_with(&whole)
            && out.contains("compact_boundary")
            && out.contains("{\"parentUuid\": \"u9\", \"type\": \"us"),
        "{out}"
    );
    assert_eq!(plans(&dir, "out/in.jsonl")[0]["messages_before"], 3);
}

#[test]
fn lines_that_hang_on_each_other_in_a_circle_on_nothing_or_stand_twice_are_told() {
    let dir = Dir::new();
    let mut circle = session(8);
    circle[0]["parentUuid"] = json!("u5");
    dir.write("circle.jsonl", file(&circle));
    dir.epitome("count circle.jsonl").ok();
    assert!(
        plans(&dir, "circle.jsonl")[0]["warnings"]
            .to_string()
            .contains("in a circle")
    );
    let mut orphan = session(8);
    orphan[3]["parentUuid"] = json!("gone");
    dir.write("orphan.jsonl", file(&orphan));
    let plan = &plans(&dir, "orphan.jsonl")[0];
    assert_eq!(plan["messages_before"], 5);
    assert!(
        plan["warnings"]
            .to_string()
            .contains("line u3 hangs on gone, which is not in the file"),
        "{plan}"
    );
    let mut twice = session(8);
    twice.insert(4, line("u3", Some("u2"), 3));
    twice[4]["message"]["content"] = json!("written again");
    dir.write("twice.jsonl", file(&twice));
    let plan = &plans(&dir, "twice.jsonl")[0];
    assert_eq!(plan["messages_before"], 8);
    assert!(
        dir.epitome("plan --trigger messages=2 --keep messages=1 twice.jsonl")
            .ok()
            .stdout()
            .contains("written again")
    );
}

#[test]
fn a_message_that_can_t_be_read_costs_that_line() {
    let dir = Dir::new();
    let mut lines = session(10);
    lines[4]["message"]["content"] = json!({"no": "content"});
    let input = file(&lines);
    dir.write("in.jsonl", format!("{input}[1]\n"));
    let said = [
        "in.jsonl:5: messages[0].content is an object",
        "in.jsonl:11:1: the record is an array, it must be an object",
    ];
    dir.epitome(&format!("compact in.jsonl -o out {CUT}"))
        .fails(3)
        .says(said);
    assert!(dir.read("out/in.jsonl").starts_with(&input));
    let good = dir
        .entries()
        .into_iter()
        .find(|entry| entry["status"] == "compacted")
        .unwrap();
    assert_eq!(
        (&good["messages_before"], &good["messages_after"]),
        (&json!(9), &json!(3))
    );
}

#[test]
fn a_journal_without_a_record_of_compactions_is_left_and_says_what_to_do() {
    let dir = Dir::new();
    let say = |number: usize| {
        let role = if number.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        };
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
        .says([
            "in.jsonl:2: gemini-stream has no record of a compaction",
            "--to openai|anthropic|sharegpt|langchain",
        ]);
    assert_eq!(dir.read("out/in.jsonl"), input);
    dir.epitome("compact in.jsonl -o same --trigger messages=100")
        .ok();
    assert_eq!(dir.read("same/in.jsonl"), input);
    dir.epitome(&format!("compact in.jsonl -o chat --to openai {CUT}"))
        .ok();
    let chat: Value = serde_json::from_str(&dir.read("chat/in.jsonl")).unwrap();
    assert_eq!(chat["messages"].as_array().map(Vec::len), Some(3), "{chat}");
    // What would be done can be seen, and what was done replayed.
    assert_eq!(
        plans(&dir, &format!("in.jsonl {CUT}"))[0]["messages_after"],
        3
    );
    dir.epitome(&format!("replay in.jsonl -o replayed {CUT}"))
        .ok();
}

#[test]
fn the_stages_that_a_journal_can_t_take_in_say_so_and_replay_knows_no_such_limit() {
    let dir = Dir::new();
    let mut lines = session(4);
    lines[1]["message"]["content"] =
        json!([{"type": "tool_use", "id": "t1", "name": "look_up", "input": {}}]);
    lines[2]["message"]["content"] =
        json!([{"type": "tool_result", "tool_use_id": "t1", "content": text("s", 2).repeat(20)}]);
    dir.write("in.jsonl", file(&lines))
        .write("small.toml", "[evict]\ntokens = 100\n");
    let plan = dir.epitome("plan in.jsonl --config small.toml").ok();
    assert!(
        plan.stdout()
            .contains("evict: not done: this journal records only summaries"),
        "{}",
        plan.stdout()
    );
    dir.epitome("replay in.jsonl -o out --config small.toml --quiet")
        .ok();
    assert!(
        dir.tree("out")
            .keys()
            .any(|path| path.contains("large_tool_results")),
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
    dir.write("in.jsonl", file(&lines))
        .write("small.toml", "[evict]\ntokens = 100\n");
    for to in ["openai", "anthropic", "sharegpt", "langchain"] {
        dir.epitome(&format!("convert in.jsonl -o {to} --to {to}"))
            .ok();
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
    dir.epitome("compact in.jsonl -o out --to openai --config small.toml")
        .ok();
    assert_eq!(dir.entries()[0]["evicted"], json!(["t1"]));
    assert!(dir.read("out/in.jsonl").contains("Tool result too large"));
}

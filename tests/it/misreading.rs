//! No record decides for others, and no text is overlooked in silence.

use crate::catalog::FORMATS;
use crate::harness::{Dir, tree};
use crate::promises::support::json_lines;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A record of each of four formats, as a gateway may log them side by side.
const RECORDS: [(&str, &str); 4] = [
    (
        "openai",
        r#"{"id": "a", "messages": [{"role": "system", "content": "Help."}, {"role": "user", "content": "Which pump?"}]}"#,
    ),
    (
        "anthropic",
        r#"{"id": "b", "system": "Help.", "messages": [{"role": "user", "content": "Which pump?"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "find", "input": {"q": "pump"}}]}]}"#,
    ),
    (
        "gemini",
        r#"{"id": "c", "contents": [{"role": "user", "parts": [{"text": "Which pump?"}]}]}"#,
    ),
    (
        "sharegpt",
        r#"{"id": "d", "conversations": [{"from": "human", "value": "Which pump?"}, {"from": "gpt", "value": "P-7."}]}"#,
    ),
];

fn planned_formats(dir: &Dir, file: &str) -> Vec<String> {
    let plan = dir.epitome(&format!("plan --json {file}")).ok().stdout;
    json_lines(&plan).iter().map(|line| line["format"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_record_of_another_format_leaves_the_others_as_they_are() {
    let dir = Dir::new();
    for (name, record) in RECORDS {
        for (foreign_name, foreign) in RECORDS {
            for place in [0, 1, 20, 39] {
                let mut lines = vec![record; 40];
                let mut wanted = vec![name; 40];
                lines.insert(place, foreign);
                wanted.insert(place, foreign_name);
                dir.write("mixed.jsonl", lines.join("\n"));
                assert_eq!(
                    planned_formats(&dir, "mixed.jsonl"),
                    wanted,
                    "{foreign_name} in line {} of {name}",
                    place + 1
                );
            }
        }
    }
}

#[test]
fn a_file_of_several_formats_is_read_record_by_record() {
    let dir = Dir::new();
    let lines: Vec<&str> = (0..400).map(|number| RECORDS[number % 4].1).collect();
    dir.write("gateway.jsonl", lines.join("\n"));
    let wanted: Vec<&str> = (0..400).map(|number| RECORDS[number % 4].0).collect();
    assert_eq!(planned_formats(&dir, "gateway.jsonl"), wanted);
    dir.epitome("compact gateway.jsonl -o out --trigger messages=1 --keep messages=1").ok();
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/gateway.jsonl"), dir.bytes("gateway.jsonl"));
}

#[test]
fn records_of_no_known_format_are_reported_wherever_they_stand() {
    let dir = Dir::new();
    let unknown = format!(r#"{{"when": 1, "what": "{}"}}"#, "x".repeat(400));
    let known = RECORDS[0].1;
    // Most of these units hold nothing that is known.
    let lines = [vec![known; 3], vec![&*unknown; 6000]].concat();
    dir.write("log.jsonl", lines.join("\n"));
    dir.epitome("compact log.jsonl -o out")
        .fails(3)
        .says(["log.jsonl:4: of no known format", "and 5980 more errors"]);
    assert_eq!(dir.entries().len(), 6003);
    assert_eq!(dir.bytes("out/log.jsonl"), dir.bytes("log.jsonl"));
}

/// Compaction leaves fewer messages beside the same number of foreign records.
#[test]
fn a_log_of_messages_is_read_again_as_such_after_compaction() {
    let dir = Dir::new();
    let messages = (0..12).map(|number| {
        let role = ["user", "assistant"][number % 2];
        format!("{{\"role\": \"{role}\", \"content\": \"Step {number} of the repair.\"}}\n")
    });
    let foreign = "{\"event\": \"saved\"}\n".repeat(9);
    dir.write("in.jsonl", messages.collect::<String>() + &foreign);
    let cut = "--trigger messages=4 --keep messages=2";
    dir.epitome(&format!("compact in.jsonl -o out {cut}")).fails(3);
    let plan = dir.epitome("plan --json out/in.jsonl").fails(3);
    assert_eq!(plan.stderr.lines().count(), 9, "{}", plan.stderr);
    let lines = json_lines(&plan.stdout);
    let read: Vec<_> = lines
        .iter()
        .map(|line| (&line["format"], line["messages"].as_array().unwrap().len()))
        .collect();
    assert_eq!(read, [(&"openai".into(), 3)]);
}

#[test]
fn what_a_log_calls_its_blocks_is_cut_and_escaped() {
    let dir = Dir::new();
    let kind = format!("\\u001b[2J{}", "x".repeat(100_000));
    dir.write(
        "a.jsonl",
        format!(r#"{{"messages": [{{"role": "user", "content": [{{"type": "{kind}", "body": "It is too hot."}}]}}]}}"#),
    );
    let run = dir.epitome("count a.jsonl").fails(3);
    assert!(run.stderr.len() < 1000 && !run.stderr.contains('\u{1b}'), "{}", run.stderr);
}

#[test]
fn an_event_of_a_journal_does_not_hide_the_conversations_of_a_file() {
    let dir = Dir::new();
    let event = r#"{"type": "session", "version": 3, "id": "x", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/x"}"#;
    let openai = RECORDS[0].1;
    dir.write("log.jsonl", [openai, openai, event, openai].join("\n"));
    let run = dir.epitome("plan --json log.jsonl").fails(3);
    let run = run.says(["log.jsonl:3"]);
    let planned = json_lines(&run.stdout);
    let formats = planned.iter().filter(|line| line["format"] == "openai");
    assert_eq!(formats.count(), 3);
}

#[test]
fn text_that_is_not_found_is_an_error_that_names_its_keys() {
    let dir = Dir::new();
    for (record, named) in [
        (
            r#"{"messages": [{"role": "user", "text": "Why does the pump trip?"}]}"#,
            ["no text was found in any", "its keys: role, text"],
        ),
        (
            r#"{"messages": [{"role": "user", "content": "Why?"}, {"role": "tool", "content": [{"type": "tool-output", "output": {"value": "It is too hot today."}}]}]}"#,
            ["content of type tool-output", "message 2"],
        ),
        (
            r#"{"messages": [{"role": "user", "text": "Why?"}]}"#,
            ["no text was found in any", "its keys: role, text"],
        ),
        (
            r#"[{"ts": 1, "type": "say", "say": "task", "text": "Why does the pump trip?"}]"#,
            [
                "the screen of Cline or Roo Code (ui_messages.json), which is not read",
                "api_conversation_history.json beside it",
            ],
        ),
    ] {
        dir.write("a.jsonl", record);
        dir.epitome("count a.jsonl").fails(3).says(named);
    }
    // Messages without text of their own are common beside others.
    for message in [
        r#"{"role": "assistant", "content": null, "reasoning_content": "The user wants the pump."}"#,
        r#"{"role": "assistant", "content": null, "tool_calls": []}"#,
        r#"{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"}}]}"#,
        r#"{"role": "assistant", "content": "", "timestamp": "2026-01-01 10:00:00"}"#,
        // A result without content, beside another in the same message.
        r#"{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "The pump runs."}, {"type": "tool_result", "tool_use_id": "b"}]}"#,
    ] {
        let record =
            format!(r#"{{"messages": [{{"role": "user", "content": "Why?"}}, {message}]}}"#);
        dir.write("a.jsonl", record);
        dir.epitome("count a.jsonl").ok();
    }
}

#[test]
fn a_request_of_a_batch_without_an_answer_costs_only_itself() {
    let dir = Dir::new();
    for (answered, failed, reason) in [
        (
            r#"{"custom_id": "a", "response": {"body": {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}}, "error": null}"#,
            r#"{"custom_id": "b", "response": {"status_code": 400, "body": {"error": {"message": "The context is too long."}}}, "error": null}"#,
            "no answer: \"The context is too long.\"",
        ),
        (
            r#"{"custom_id": "a", "response": {"body": {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]}]}}, "error": null}"#,
            r#"{"custom_id": "b", "response": null, "error": {"code": "batch_expired", "message": ""}}"#,
            "no answer: \"batch_expired\"",
        ),
        (
            r#"{"custom_id": "a", "result": {"type": "succeeded", "message": {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}}}"#,
            r#"{"custom_id": "b", "result": {"type": "errored", "error": {"error": {"message": "max_tokens is required"}}}}"#,
            "no answer: \"max_tokens is required\"",
        ),
        (
            r#"{"key": "a", "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Yes."}]}}]}}"#,
            r#"{"key": "b", "response": {"candidates": []}}"#,
            "this request of the batch has no answer",
        ),
    ] {
        dir.write("a.jsonl", format!("{failed}\n{answered}\n"));
        let run = dir.epitome("plan --json a.jsonl").fails(3);
        assert!(run.stderr.contains(reason), "{}", run.stderr);
        let lines = json_lines(&run.stdout);
        let lengths: Vec<_> =
            lines.iter().map(|line| line["messages"].as_array().unwrap().len()).collect();
        assert_eq!(lengths, [1], "{answered}");
    }
}

#[test]
fn a_line_of_another_program_is_no_empty_message_of_a_chat() {
    let dir = Dir::new();
    let chat = "{\"role\": \"user\", \"content\": \"Which pump?\"}\n".repeat(3);
    let contents = "{\"role\": \"user\", \"parts\": [{\"text\": \"Which pump?\"}]}\n".repeat(3);
    for messages in [chat, contents] {
        for line in [
            r#"{"type": "message", "role": "user", "text": "Why does it trip?", "session_id": "d"}"#,
            r#"{"uuid": "u", "parentUuid": null, "sessionId": "q", "type": "user", "message": {"role": "user", "parts": [{"text": "Why?"}]}}"#,
        ] {
            dir.write("log.jsonl", format!("{messages}{line}\n"));
            let counted = dir.epitome("count log.jsonl").fails(3);
            assert!(counted.stderr.contains("log.jsonl:4"), "{}", counted.stderr);
        }
    }
}

/// Some of their records fit formats that are read: the rest would be missing.
#[test]
fn a_log_of_a_program_that_is_not_read_is_named_in_one_line() {
    let logs = [
        (
            "a message or a part of OpenCode's storage",
            r#"{"id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1", "type": "text", "text": "Why?"}
{"id": "prt_2", "messageID": "msg_2", "sessionID": "ses_1", "type": "reasoning", "text": "Hm."}
{"id": "prt_3", "messageID": "msg_2", "sessionID": "ses_1", "type": "text", "text": "It is too hot."}
"#,
        ),
        (
            "an older wire log of Kimi CLI",
            r#"{"type": "metadata", "protocol_version": "1.1"}
{"timestamp": 1.0, "message": {"type": "TurnBegin", "payload": {"user_input": "Why?"}}}
{"timestamp": 2.0, "message": {"type": "ContentPart", "payload": {"type": "text", "text": "It is too hot."}}}
"#,
        ),
        (
            "training data whose prompts and answers are texts",
            r#"{"prompt": "Why?", "completion": "It is too hot."}
{"prompt": "Why again?", "completion": "It is too hot still."}
"#,
        ),
    ];
    for (name, log) in logs {
        let dir = Dir::new();
        dir.write("log.jsonl", log);
        let counted = dir.epitome("count log.jsonl").fails(3);
        let errors = counted.stderr.lines().filter(|line| line.contains("log.jsonl:"));
        assert_eq!(errors.count(), 1, "{}", counted.stderr);
        counted.says([name, "which is not read"]);
        let explained = dir.epitome("formats log.jsonl").fails(3);
        assert!(explained.stdout().contains(name), "{}", explained.stdout());
        dir.epitome("compact log.jsonl -o out").fails(3);
        assert_eq!(dir.bytes("out/log.jsonl"), log.as_bytes());
    }
}

#[test]
fn a_journal_without_a_conversation_is_told() {
    let dir = Dir::new();
    dir.write(
        "rollout.jsonl",
        r#"{"timestamp": "2026-03-02T09:00:00.000Z", "type": "session_meta", "payload": {"id": "0199-77"}}"#,
    );
    dir.epitome("compact rollout.jsonl -o out")
        .fails(3)
        .says(["no conversation is found", "codex"]);
    assert_eq!(dir.bytes("out/rollout.jsonl"), dir.bytes("rollout.jsonl"));
}

/// One input of each format in `fixtures`, by the folder of the format.
fn example_of_each_format() -> BTreeMap<String, Vec<u8>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut examples = BTreeMap::new();
    for (path, bytes) in tree(&fixtures) {
        let mut parts = path.split('/');
        let format = parts.next().unwrap().to_owned();
        let is_input = parts.nth(1).is_some_and(|name| name.starts_with("input.json"));
        if is_input && parts.next().is_none() {
            examples.entry(format).or_insert(bytes);
        }
    }
    examples
}

#[test]
fn no_reader_takes_the_records_of_another_format_for_empty_messages() {
    let dir = Dir::new();
    let examples = example_of_each_format();
    assert!(examples.len() > 15, "{:?}", examples.keys());
    for (source, bytes) in &examples {
        dir.write(&format!("examples/{source}.json"), bytes);
    }
    let mut read = 0;
    for name in FORMATS.iter().map(|format| &format.name) {
        let (status, run) = dir.epitome(&format!("count --json --format {name} examples")).run();
        assert!([0, 3].contains(&status), "read as {name}: {status}");
        let transcripts = json_lines(&run.stdout);
        read += usize::from(!transcripts.is_empty());
        for transcript in transcripts.iter().filter(|transcript| !has_text(transcript)) {
            // Told, by itself.
            let file = transcript["file"].as_str().unwrap();
            dir.epitome(&format!("count --format {name} {file}")).fails(3);
        }
    }
    // Each format reads at least its own example.
    assert!(read > 15, "{read}");
}

/// Returns true if the messages that were counted hold more than their roles.
fn has_text(transcript: &Value) -> bool {
    let number = |key: &str| transcript["counts"][key].as_u64().unwrap_or_default();
    // The overhead of a message is three tokens and its role.
    number("messages") == 0 || number("tokens") > 5 * number("messages")
}

#[test]
fn every_event_that_openhands_forgot_is_forgotten() {
    let dir = Dir::new();
    let events: Vec<String> = (0..300)
        .map(|id| {
            let source = if id % 2 == 0 { "user" } else { "agent" };
            format!(
                r#"{{"id": {id}, "timestamp": "2026-03-02T09:00:00", "source": "{source}", "message": "Step {id}.", "action": "message", "args": {{"content": "Step {id}."}}}}"#
            )
        })
        .collect();
    let forgotten: Vec<String> = (1..=290).map(|id: u64| id.to_string()).collect();
    let condensation = format!(
        r#"{{"id": 300, "timestamp": "2026-03-02T09:01:00", "source": "agent", "action": "condensation", "args": {{"forgotten_event_ids": [{}], "summary": "Steps were taken.", "summary_offset": 1}}}}"#,
        forgotten.join(", ")
    );
    dir.write("events.json", format!("[{}, {condensation}]", events.join(", ")));
    let counted = dir.epitome("count --json events.json").ok().stdout;
    assert_eq!(json_lines(&counted)[0]["counts"]["messages"], 300 - 290 + 1);
}

/// The other messages are compacted around it, and it stays where it stood.
#[test]
fn a_message_of_an_unknown_role_costs_itself() {
    const CUT: &str = "--trigger messages=8 --keep messages=2";
    let filler = " The pump tripped at night, and the oil was far too hot.".repeat(20);
    let said = |role: &str, number: usize| {
        format!(r#"{{"role": "{role}", "content": "Step {number}.{filler}"}}"#)
    };
    let list = |role: &str, odd: &str| -> String {
        let messages: Vec<String> = (0..10)
            .map(|number| match number {
                0 | 5 => said(odd, number),
                _ => said(["user", role][number % 2], number),
            })
            .collect();
        messages.join(", ")
    };
    let turns = list("gpt", "moderator")
        .replace("\"role\"", "\"from\"")
        .replace("\"content\"", "\"value\"")
        .replace("\"user\"", "\"human\"");
    let records = [
        ("openai", format!(r#"{{"messages": [{}]}}"#, list("assistant", "moderator"))),
        (
            "anthropic",
            format!(
                r#"{{"system": "Help.", "messages": [{}], "tools": [{{"name": "f", "input_schema": {{}}}}]}}"#,
                list("assistant", "moderator")
            ),
        ),
        ("sharegpt", format!(r#"{{"conversations": [{turns}]}}"#)),
    ];
    for (format, record) in records {
        let dir = Dir::new();
        dir.write("in.jsonl", format!("{record}\n{record}\n"));
        let ran = dir.epitome(&format!("compact in.jsonl -o out --format {format} {CUT}")).fails(3);
        assert_eq!(ran.stderr.matches("in.jsonl:1:").count(), 2, "{}", ran.stderr);
        ran.says(["in.jsonl:1:", "in.jsonl:2:", "is \"moderator\", it must be one of"]);
        let written = dir.read("out/in.jsonl");
        for line in written.lines() {
            serde_json::from_str::<Value>(line).unwrap();
            for odd in [0, 5] {
                let text = format!("\"Step {odd}.{filler}\"");
                assert!(line.contains(&text), "{format}: {line}");
            }
            assert!(line.len() < record.len(), "{format}: {line}");
        }
        let first = json_lines(&dir.bytes("out/report.json"))[0]["transcripts"][0].clone();
        assert_eq!(first["format"], format);
        assert_eq!(first["status"], "compacted");
        dir.epitome("restore out -o back").ok();
        assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
        let again =
            dir.epitome(&format!("compact out/in.jsonl -o again --format {format} {CUT}")).fails(3);
        assert_eq!(again.stderr.matches("moderator").count(), 4, "{}", again.stderr);
        assert_eq!(dir.read("again/in.jsonl"), written);
        // Of such messages alone there is no conversation.
        dir.write(
            "odd.jsonl",
            r#"{"messages": [{"role": "moderator", "content": "Which pump?"}]}"#,
        );
        dir.epitome("count odd.jsonl")
            .fails(3)
            .says(["odd.jsonl:1:24: messages[0].role is \"moderator\""]);
    }
}

/// A thread without an id is named by its own records: what is appended for another changes nothing.
#[test]
fn a_compaction_of_a_thread_leaves_the_names_of_others() {
    let dir = Dir::new();
    let line = |session: &str, number: usize, parent: &str| {
        let role = ["user", "assistant"][number % 2];
        format!(
            r#"{{"type": "{role}", "uuid": "{session}{number}", "parentUuid": {parent}, {} "message": {{"role": "{role}", "content": "Step {number} of the repair."}}}}"#,
            if session == "s" { r#""sessionId": "s","# } else { "" }
        )
    };
    let mut lines = vec![line("n", 0, "null"), line("n", 1, "\"n0\"")];
    lines.extend((0..12).map(|number| match number {
        0 => line("s", 0, "null"),
        _ => line("s", number, &format!("\"s{}\"", number - 1)),
    }));
    dir.write("in.jsonl", lines.join("\n"));
    let names = |file: &str| -> Vec<String> {
        let plan = dir.epitome(&format!("plan --json {file}")).ok().stdout;
        let lines = json_lines(&plan).into_iter();
        lines.map(|line| line["thread_id"].as_str().unwrap().to_owned()).collect()
    };
    let before = names("in.jsonl");
    assert_eq!(before.len(), 2, "{before:?}");
    dir.epitome("compact in.jsonl -o out --trigger messages=6 --keep messages=2").ok();
    assert_eq!(names("out/in.jsonl"), before);
}

/// A file of messages says nothing of a record that is none.
#[test]
fn a_record_among_messages_is_read_by_itself_or_is_an_error() {
    let dir = Dir::new();
    let contents = [
        r#"{"role": "user", "parts": [{"text": "Which pump?"}]}"#,
        r#"{"role": "model", "parts": [{"text": "P-7."}]}"#,
    ];
    let conversation = RECORDS[1].1;
    dir.write("known.jsonl", [contents[0], contents[1], conversation].join("\n"));
    assert_eq!(planned_formats(&dir, "known.jsonl"), ["gemini", "anthropic"]);
    dir.epitome("compact known.jsonl -o out --trigger messages=1 --keep messages=1").ok();
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/known.jsonl"), dir.bytes("known.jsonl"));
    // What could be of several formats is told.
    let plain = r#"{"id": "g", "messages": [{"role": "user", "content": "Which pump?"}]}"#;
    dir.write("plain.jsonl", [contents[0], contents[1], plain].join("\n"));
    dir.epitome("count plain.jsonl")
        .fails(3)
        .says(["plain.jsonl:3: record without parts; its keys: id, messages"]);
    let list = r#"[{"task": 1, "steps": ["Look at the pump."]}]"#;
    dir.write("list.jsonl", [RECORDS[2].1, RECORDS[2].1, list].join("\n"));
    dir.epitome("count list.jsonl")
        .fails(3)
        .says(["list.jsonl:3: record without parts; a list whose first element has the keys"]);
    // A message whose text stands under another key is not read as an empty one.
    let call = r#"{"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}}]}"#;
    let nested = r#"{"role": "user", "message": {"content": "Which pump trips at night?"}}"#;
    dir.write("nested.jsonl", [call, call, call, nested].join("\n"));
    dir.epitome("count nested.jsonl").fails(3).says(["nested.jsonl:4: no text was found"]);
}

/// A journal is read as a whole, and tells of a conversation of another program between its lines.
#[test]
fn a_conversation_in_a_journal_of_another_program_is_told() {
    let dir = Dir::new();
    let event = |kind: &str, text: &str| {
        format!(
            r#"{{"timestamp": "2025-01-01T00:00:00Z", "type": "response_item", "payload": {{"type": "message", "role": "{kind}", "content": [{{"type": "input_text", "text": "{text}"}}]}}}}"#
        )
    };
    let meta = r#"{"timestamp": "2025-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "x", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/x"}}"#;
    for (format, stranger) in [
        ("langchain", r#"{"messages": [{"type": "human", "data": {"content": "Which valve?"}}]}"#),
        ("openai", r#"{"messages": [{"role": "user", "content": "Which valve?"}]}"#),
    ] {
        let lines = [meta, &event("user", "Which pump?"), stranger, &event("user", "P-7?")];
        dir.write("log.jsonl", lines.join("\n"));
        let told = format!("log.jsonl:3: a record of {format} in a journal of codex, not read");
        for command in ["plan", "count", "convert --to openai -o out --force"] {
            dir.epitome(&format!("{command} log.jsonl")).fails(3).says([told.as_str()]);
        }
    }
}

/// A line without messages would be a transcript without text.
#[test]
fn a_conversation_of_which_the_target_can_say_nothing_is_an_error() {
    let dir = Dir::new();
    let reasoning = r#"{"messages": [{"role": "assistant", "content": [{"type": "thinking", "thinking": "A pump.", "signature": "s"}]}]}"#;
    let question =
        r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "Which pump?"}]}]}"#;
    dir.write("in.jsonl", [reasoning, question].join("\n"));
    dir.epitome("convert in.jsonl --to openai -o out")
        .fails(3)
        .says(["in.jsonl:1: nothing in it can be written as openai"]);
    let written = json_lines(&dir.bytes("out/in.jsonl"));
    assert_eq!(written.len(), 1);
    assert!(has_text(&written[0]));
}

#[test]
fn an_answer_of_codex_to_somebody_stays_the_models() {
    let dir = Dir::new();
    let item = |role: &str, text: &str| {
        json!({"timestamp": "2026-03-02T09:00:00.000Z", "type": "response_item", "payload": {
            "type": "message", "role": role, "recipient": "all",
            "content": [{"type": if role == "user" { "input_text" } else { "output_text" }, "text": text}],
        }})
    };
    let meta = json!({"timestamp": "2026-03-02T09:00:00.000Z", "type": "session_meta", "payload": {"id": "0199-77"}});
    let lines = [meta, item("user", "Why does it trip?"), item("assistant", "It is hot.")];
    dir.write("in.jsonl", lines.map(|line| format!("{line}\n")).concat());
    dir.epitome("convert in.jsonl --to openai -o out").ok();
    let chat: Value = serde_json::from_str(&dir.read("out/in.jsonl")).unwrap();
    let last = chat["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["role"], "assistant", "{chat}");
}

#[test]
fn the_spelling_of_a_call_that_is_there_counts_before_those_of_other_programs() {
    let dir = Dir::new();
    let call = r#"{"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{\"q\": \"pump\"}", "parameters": {}, "tool": "web"}}"#;
    dir.write(
        "in.jsonl",
        format!(
            r#"{{"messages": [{{"role": "user", "content": "hi"}}, {{"role": "assistant", "content": null, "tool_calls": [{call}]}}, {{"role": "tool", "tool_call_id": "c1", "content": "ok"}}, {{"role": "assistant", "content": "done"}}]}}"#
        ) + "\n",
    );
    dir.epitome("convert in.jsonl --to anthropic -o out").ok();
    let out = dir.read("out/in.jsonl");
    assert!(out.contains("\"search\"") && out.contains("pump") && !out.contains("web"), "{out}");
}

#[test]
fn a_list_of_runs_is_read_as_its_lines_are() {
    let dir = Dir::new();
    let messages = |text: &str| json!([[{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"type": "human", "content": text}}]]);
    let run = json!({"id": "r1", "trace_id": "r1", "run_type": "llm", "name": "ChatOpenAI", "start_time": "2026-03-02T09:00:00", "inputs": {"messages": messages("Why does it trip?")}, "outputs": {"generations": [[{"text": "It is hot.", "message": {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"type": "ai", "content": "It is hot."}}}]]}});
    dir.write("line.jsonl", format!("{run}\n")).write("list.json", format!("[{run}]"));
    let read = |file: &str| {
        let plan = dir.epitome(&format!("plan {file} --json")).ok();
        json_lines(&plan.stdout).remove(0)
    };
    let (of_line, of_list) = (read("line.jsonl"), read("list.json"));
    assert_eq!(of_line["format"], "langsmith");
    for field in ["format", "messages_before", "tokens_before"] {
        assert_eq!(of_list[field], of_line[field], "{field}");
    }
}

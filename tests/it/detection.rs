//! Which format a file is: told by its content, explained, and overridden.

use crate::harness::{Dir, is_full_program};

const PLAIN: &str = r#"{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}"#;
const BLOCKS: &str = r#"{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a"}]}]}"#;

fn formats_of(dir: &Dir, words: &str) -> Vec<String> {
    let out = dir.epitome(&format!("plan --json {words}")).ok().stdout;
    crate::promises::support::json_lines(&out)
        .iter()
        .map(|line| line["format"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_most_specific_record_tells_though_plain_ones_come_first() {
    let dir = Dir::new();
    dir.write("mixed.jsonl", format!("{PLAIN}\n{PLAIN}\n{BLOCKS}\n"));
    assert_eq!(formats_of(&dir, "mixed.jsonl"), ["anthropic"; 3]);
    dir.write("plain.jsonl", format!("{PLAIN}\n"));
    assert_eq!(formats_of(&dir, "plain.jsonl"), ["openai"]);
}

#[test]
fn the_format_option_overrides_what_the_content_tells() {
    let dir = Dir::new();
    dir.write("plain.jsonl", format!("{PLAIN}\n"));
    assert_eq!(formats_of(&dir, "plain.jsonl --format anthropic"), ["anthropic"]);
    dir.write("blocks.jsonl", format!("{BLOCKS}\n"));
    dir.epitome("plan blocks.jsonl --format gemini")
        .fails(3)
        .says(["blocks.jsonl:1", "record without contents; its keys: messages"]);
    dir.epitome("plan blocks.jsonl --format gemnii")
        .fails(2)
        .says(["--format", "gemnii", "gemini"]);
}

#[test]
fn a_file_of_no_known_format_is_an_error_that_names_its_keys() {
    let dir = Dir::new();
    dir.write("a.jsonl", "{\"when\": 1, \"what\": {\"role\": \"user\"}}\n");
    dir.epitome("count a.jsonl")
        .fails(3)
        .says(["a.jsonl:1", "of no known format", "--format", "its keys: when, what"]);
    // One error for the file, however many records there are; what is no JSON is told beside.
    let lines: String = (0..5000)
        .map(|number| format!("{{\"when\": {number}, \"what\": \"{}\"}}\n", "x".repeat(400)))
        .collect();
    dir.write("long.jsonl", format!("\n{lines}no json\n"));
    let ran = dir.epitome("compact long.jsonl -o out").fails(3).says([
        "long.jsonl:2: of no known format",
        "its keys: when, what",
        "long.jsonl:5002:1: ",
    ]);
    assert_eq!(ran.stderr.matches("no known format").count(), 1, "{}", ran.stderr);
    assert_eq!(dir.entries().len(), 2);
    assert_eq!(dir.read("out/long.jsonl"), format!("\n{lines}no json\n"));
    dir.write("b.json", "[{\"when\": 1}]\n");
    dir.epitome("count b.json").fails(3).says(["first element has the keys: when"]);
    dir.write("c.jsonl", "[1, 2]\n");
    dir.epitome("count c.jsonl").fails(3).says(["it is a list without objects"]);
}

#[test]
fn what_other_keys_say_does_not_make_a_chat_a_journal() {
    let dir = Dir::new();
    for (place, beside) in [
        "\"source\": \"web\", \"action\": \"run\"",
        "\"id\": \"a\", \"timestamp\": \"t\", \"instructions\": null",
        "\"type\": \"item.chat\", \"uuid\": \"u\"",
    ]
    .into_iter()
    .enumerate()
    {
        dir.write(&format!("{place}.jsonl"), PLAIN.replacen('{', &format!("{{{beside}, "), 1));
        assert_eq!(formats_of(&dir, &format!("{place}.jsonl")), ["openai"], "{beside}");
    }
}

#[test]
fn parts_are_no_openai_messages() {
    let dir = Dir::new();
    dir.write("ui.jsonl", "{\"id\": \"c\", \"messages\": [{\"role\": \"user\", \"parts\": [{\"kind\": \"text\", \"text\": \"List\"}]}]}\n");
    dir.epitome("count ui.jsonl").fails(3).says(["of no known format", "its keys: id, messages"]);
}

#[test]
fn explain_says_what_was_seen_and_what_follows() {
    let dir = Dir::new();
    dir.write("mixed.jsonl", format!("{PLAIN}\n{BLOCKS}\n{{\"x\": 1}}\n\nno json\n"));
    let ran = dir.epitome("formats mixed.jsonl").ok();
    for wanted in [
        "mixed.jsonl: anthropic, a conversation a record",
        "one record a line; 3 records looked at",
        "anthropic: 1 record recognized by what is in the messages: blocks that only Anthropic has",
        "openai: 1 record fits: a key messages",
        "openai: 1 record would fit, too",
        "1 record of no known format; its keys: x",
    ] {
        assert!(ran.stdout().contains(wanted), "{wanted:?} is missing in\n{}", ran.stdout());
    }
    dir.write("doc.json", "{\"history\": [\n{\"role\": \"user\", \"content\": \"x\"}]}");
    assert!(
        dir.epitome("formats doc.json")
            .ok()
            .stdout()
            .contains("swe-agent, a conversation a record\n  the whole file is one record")
    );
}

#[test]
fn explain_fails_where_no_format_is_found_and_goes_on_with_the_next_file() {
    let dir = Dir::new();
    dir.write("a.jsonl", "{\"x\": 1}\n").write("b.jsonl", format!("{PLAIN}\n"));
    let ran = dir.epitome("formats a.jsonl b.jsonl").fails(3);
    assert!(
        ran.stdout().contains("a.jsonl: of no known format")
            && ran.stdout().contains("its keys: x"),
        "{}",
        ran.stdout()
    );
    assert!(ran.stdout().contains("b.jsonl: openai"), "{}", ran.stdout());
    dir.epitome("formats none.jsonl").fails(2).says(["none.jsonl"]);
    dir.write("wide.jsonl", b"\xff\xfe{\0").write("empty.jsonl", "");
    let ran = dir.epitome("formats wide.jsonl empty.jsonl").fails(3).says(["text in UTF-16"]);
    assert!(ran.stdout().contains("empty.jsonl: it holds no record"), "{}", ran.stdout());
}

#[test]
fn errors_name_the_field_in_every_format() {
    for (record, wanted) in [
        (
            r#"{"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": 5}]}]}"#,
            "messages[0].content.content is a number, it must be a string, a list or null",
        ),
        (
            r#"{"contents": [{"role": "robot", "parts": []}]}"#,
            "contents[0].role is \"robot\", it must be one of user, model, function, tool, system",
        ),
        (
            r#"{"contents": [{"role": "user", "parts": "x"}]}"#,
            "contents[0].parts is a string, it must be an array",
        ),
        (
            r#"{"conversations": [{"from": "human", "value": 5}]}"#,
            "conversations[0].value is a number, it must be a string",
        ),
        (
            r#"{"conversations": [{"from": "human", "value": "x"}, {"from": "gpt"}]}"#,
            "conversations[1].value is missing",
        ),
        (
            r#"[{"type": "human", "data": {"content": {}}}]"#,
            "messages[0].content is an object, it must be a string, a list or null",
        ),
        (
            r#"{"model": "m", "input": [{"type": "message", "role": "critic"}]}"#,
            "input[0].role is \"critic\", it must be one of",
        ),
        (
            r#"{"messages": [{"role": "user", "content": [{"text": "x"}]}, {"role": "tool", "content": []}]}"#,
            "messages[1].role is \"tool\", it must be one of",
        ),
        (
            r#"{"task_id": 1, "traj": [{"role": "user", "content": "x"}, {"role": "critic"}]}"#,
            "traj[1].role is \"critic\", it must be one of",
        ),
        (
            r#"{"input": {"messages": [5]}, "preferred_output": []}"#,
            "messages[0] is a number, it must be an object",
        ),
    ] {
        let dir = Dir::new();
        dir.write("a.jsonl", format!("{record}\n"));
        dir.epitome("count a.jsonl").fails(3).says(["a.jsonl:1:", wanted]);
    }
}

/// A file that holds no JSON is one error with the way out, and its neighbours are worked on.
#[test]
fn files_that_hold_no_json_are_told_as_a_whole() {
    let dir = Dir::new();
    // The start of a Parquet file, and no more of it.
    let parquet = [&b"PAR1"[..], &b"\x15\x04\x15\xff\n".repeat(50)].concat();
    dir.write("logs/a.jsonl", parquet)
        .write("logs/b.jsonl", "role,content\nuser,hi\nassistant,ok\n")
        .write("logs/c.jsonl", "- role: user\n  content: hi\n")
        .write("logs/d.jsonl", [&b"\x01\0\x02"[..], &[0xff; 90]].concat())
        .write("logs/e.jsonl", crate::talk::talk("t", 2));
    let ran = dir.epitome("compact logs -o out").fails(3).says([
        if is_full_program() {
            "a damaged Parquet file"
        } else {
            "logs/a.jsonl: can't read it: it is a Parquet file, not JSON; this epitome was built without Parquet"
        },
        "logs/b.jsonl: can't read it: it is a table (CSV), not JSON",
        "logs/c.jsonl: can't read it: it is YAML, not JSON; convert it first",
        "logs/d.jsonl: can't read it: it is binary, not JSON",
    ]);
    assert_eq!(ran.stderr.matches("can't read it").count(), 4, "{}", ran.stderr);
    assert!(dir.exists("out/e.jsonl") && !dir.exists("out/a.jsonl"));
    let failed = dir.entries().iter().filter(|entry| entry["status"] == "failed").count();
    assert_eq!(failed, 4);
}

/// The first record of each fixture whose records stand in lines.
fn one_record_of_each_format() -> Vec<(String, String)> {
    let mut records = Vec::new();
    for format in std::fs::read_dir("fixtures").unwrap() {
        let format = format.unwrap().path();
        let cases = std::fs::read_dir(&format).into_iter().flatten();
        let lines = cases.filter_map(|case| {
            let text = std::fs::read_to_string(case.unwrap().path().join("input.jsonl")).ok()?;
            let line = text.lines().find(|line| !line.trim().is_empty())?;
            serde_json::from_str::<serde_json::Value>(line).ok()?;
            Some(line.to_owned())
        });
        let name = format.file_name().unwrap().to_str().unwrap().to_owned();
        records.extend(lines.take(1).map(|line| (name.clone(), line)));
    }
    assert!(records.len() > 40, "{}", records.len());
    records
}

#[test]
fn one_odd_line_never_fails_the_others() {
    let chats: Vec<String> =
        (0..6).map(|number| PLAIN.replace("Hi", &format!("Hi {number}"))).collect();
    let dir = Dir::new();
    for (format, odd) in one_record_of_each_format() {
        for place in [0, 3, 6] {
            let mut lines = chats.clone();
            lines.insert(place, odd.clone());
            dir.write("in.jsonl", lines.join("\n") + "\n");
            let (_, ran) = dir.epitome("count in.jsonl --json").run();
            let read = ran.stdout().lines().filter(|line| line.contains("\"thread_id\""));
            assert!(read.count() >= chats.len(), "{format} at {place}: {}", ran.stderr);
        }
    }
}

/// The format of each record by its line, as `plan` reads a file.
fn formats_by_line(dir: &Dir, file: &str) -> Vec<String> {
    let (_, ran) = dir.epitome(&format!("plan --json {file}")).run();
    let entry = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let entries = ran.stdout().lines().map(entry).collect::<Vec<_>>();
    let told = |entry: &serde_json::Value| format!("{} {}", entry["line"], entry["format"]);
    entries.iter().map(told).collect()
}

#[test]
fn what_is_compacted_beside_records_of_other_formats_is_read_as_before() {
    let called = r#"{"messages": [{"role": "user", "content": "Read a.log"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c1", "content": "oil 94 C"}, {"role": "assistant", "content": "It is hot."}, {"role": "user", "content": "And now?"}]}"#;
    let dir = Dir::new();
    let mut mixed = 0;
    for (format, other) in one_record_of_each_format() {
        // The format of a file is told by its first records; those of others may follow them.
        let late = [vec![called; 25], vec![&*other]].concat();
        for records in
            [vec![&*other, called, called, called], vec![called, &*other, &*other, &*other], late]
        {
            dir.write("in.jsonl", records.join("\n") + "\n");
            let before = formats_by_line(&dir, "in.jsonl");
            dir.epitome(&format!("compact in.jsonl {CUT_SHORT}")).run();
            mixed += usize::from(
                before.len() == records.len()
                    && before.iter().any(|line| !line.ends_with("openai")),
            );
            // Plain messages that are left of OpenAI's calls say the same in every format.
            let after = formats_by_line(&dir, "out/in.jsonl");
            let own = before.iter().enumerate().filter(|(_, line)| !line.ends_with("openai"));
            for (at, line) in own {
                assert_eq!(after[at], *line, "{format}");
            }
        }
    }
    assert!(mixed > 20, "{mixed}");
}

/// What is read of the first record of a file: its format and its messages.
fn first_read(dir: &Dir, records: &[&str]) -> Option<(serde_json::Value, serde_json::Value)> {
    dir.write("in.jsonl", records.join("\n") + "\n");
    let (_, ran) = dir.epitome("plan --json in.jsonl").run();
    let entry: serde_json::Value = serde_json::from_str(ran.stdout().lines().next()?).unwrap();
    (entry["line"] == 1).then(|| (entry["format"].clone(), entry["messages_before"].clone()))
}

#[test]
fn a_record_beside_those_of_another_format_is_read_as_if_alone() {
    let anthropic = r#"{"messages": [{"role": "user", "content": "Read a.log"}, {"role": "assistant", "content": [{"type": "text", "text": "I read it."}, {"type": "tool_use", "id": "t", "name": "read", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "94 C"}, {"type": "text", "text": "Well?"}]}]}"#;
    let bedrock = r#"{"messages": [{"role": "user", "content": [{"text": "Hi"}]}, {"role": "assistant", "content": [{"toolUse": {"toolUseId": "x", "name": "f", "input": {}}}]}, {"role": "user", "content": [{"toolResult": {"toolUseId": "x", "content": [{"text": "r"}]}}]}]}"#;
    let alpaca = r#"{"instruction": "Add.", "input": "1 and 2", "output": "3"}"#;
    let responses = r#"{"model": "gpt-5.2", "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}], "output": [{"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Yes?"}]}]}"#;
    let dir = Dir::new();
    for (record, beside) in
        [(anthropic, bedrock), (bedrock, anthropic), (alpaca, responses), (responses, alpaca)]
    {
        let alone = first_read(&dir, &[record]);
        assert!(alone.is_some(), "{record}");
        for others in 1..3 {
            let records = [vec![record], vec![beside; others]].concat();
            assert_eq!(first_read(&dir, &records), alone, "{record} beside {beside}");
        }
    }
}

#[test]
fn a_call_of_another_format_between_messages_is_reported() {
    let calls = [
        ("openai", r#""content": null, "tool_calls": [{"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}]"#),
        ("anthropic", r#""content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]"#),
        ("ai-sdk", r#""content": [{"type": "tool-call", "toolCallId": "t", "toolName": "f", "input": {}}]"#),
    ]
    .map(|(format, call)| (format, format!(r#"{{"role": "assistant", {call}}}"#)));
    let dir = Dir::new();
    for (format, call) in &calls {
        for (other, odd) in calls.iter().filter(|(other, _)| other != format) {
            let question = r#"{"role": "user", "content": "Well?"}"#;
            dir.write("in.jsonl", [question, call, question, call, question, odd].join("\n"));
            let found = format!(
                "in.jsonl:6: it is a message of {other}, in a file that is read as {format}"
            );
            dir.epitome("plan in.jsonl").run().1.says([&*found]);
        }
    }
}

const CUT_SHORT: &str = "-o out --force --trigger messages=1 --keep messages=1";

#[test]
fn a_summary_bears_the_mark_of_its_format_where_nothing_else_tells_it() {
    let anthropic = r#"[{"role": "user", "content": "Read a.log"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "read", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "94 C"}]}, {"role": "assistant", "content": "Hot."}, {"role": "user", "content": "And now?"}]"#;
    let sdk = r#"[{"role": "user", "content": "Read a.log"}, {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "read", "input": {}}]}, {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "read", "output": {"type": "text", "value": "94 C"}}]}, {"role": "user", "content": "And now?"}]"#;
    let hermes = r#"[{"from": "human", "value": "Read a.log"}, {"from": "gpt", "value": "<tool_call>{\"name\": \"read\", \"arguments\": {}}</tool_call>"}, {"from": "tool", "value": "<tool_response>94 C</tool_response>"}, {"from": "gpt", "value": "Hot."}, {"from": "human", "value": "And now?"}]"#;
    let own_words = r#"{"type": "text", "text": "And now?"}]}"#;
    let dir = Dir::new();
    for (record, marks, rest) in [
        (format!(r#"{{"messages": {anthropic}}}"#), 1, own_words),
        (format!(r#"{{"system": "Be kind.", "messages": {anthropic}}}"#), 0, own_words),
        (format!(r#"{{"params": {{"messages": {anthropic}}}}}"#), 0, own_words),
        (format!(r#"{{"messages": {sdk}}}"#), 1, r#"{"role": "user", "content": "And now?"}"#),
        (format!(r#"{{"conversations": {hermes}}}"#), 1, "And now?"),
    ] {
        let long = record.replace("94 C", &"94 degrees. ".repeat(200));
        dir.write("in.jsonl", long + "\n");
        dir.epitome(&format!("compact in.jsonl {CUT_SHORT}")).ok();
        let out = dir.read("out/in.jsonl");
        let found = [r#""citations": null"#, r#""providerOptions": {}"#, r#""format": "hermes""#];
        let found: usize = found.iter().map(|mark| out.matches(mark).count()).sum();
        assert_eq!(found, marks, "{out}");
        assert!(out.contains(rest), "{out}");
        assert_eq!(formats_by_line(&dir, "in.jsonl"), formats_by_line(&dir, "out/in.jsonl"));
    }
}

#[test]
fn blocks_of_bedrock_are_told_by_their_only_key() {
    let dir = Dir::new();
    for (block, text) in [
        (r#"{"cachePoint": {"type": "default"}}"#, ""),
        (r#"{"document": {"format": "pdf", "name": "x", "source": {"bytes": "AAAA"}}}"#, ""),
        (r#"{"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://a/b"}}}}"#, ""),
        (r#"{"guardContent": {"text": {"text": "What is guarded."}}}"#, "What is guarded."),
        (
            r#"{"reasoningContent": {"reasoningText": {"text": "First the log.", "signature": "E"}}}"#,
            "",
        ),
        (
            r#"{"citationsContent": {"content": [{"text": "As cited."}], "citations": []}}"#,
            "As cited.",
        ),
        (r#"{"ofTomorrow": {"a": 1}}"#, ""),
    ] {
        for role in ["user", "assistant"] {
            let messages = [
                ("user", r#"{"text": "hello there"}"#),
                ("assistant", r#"{"text": "yes"}"#),
                (role, block),
                ("assistant", r#"{"text": "ok"}"#),
            ];
            let messages = messages.map(|(role, block)| {
                let said = "What was said is long enough to be worth a summary. ".repeat(20);
                format!(r#"{{"role": "{role}", "content": [{{"text": "{said}"}}, {block}]}}"#)
            });
            let record = format!(
                r#"{{"system": [{{"text": "Be brief."}}], "messages": [{}]}}"#,
                messages.join(", ")
            );
            dir.write("in.jsonl", format!("{record}\n"));
            assert_eq!(formats_of(&dir, "in.jsonl"), ["bedrock"], "{block}");
            dir.epitome("compact in.jsonl -o out --force --trigger messages=3 --keep messages=1")
                .ok();
            let history = dir.tree("out/conversation_history").into_values().next().unwrap();
            assert!(String::from_utf8(history).unwrap().contains(text), "{block}");
        }
    }
}

//! Training samples: the stretches that they hold, and the answers that they train on.

use super::support::{calls, column, lines, roles, said, trained};
use crate::harness::Dir;
use crate::talk::{CUT, message, quoted, talk, text};
use serde_json::{Value, json};

#[test]
fn a_sample_is_a_stretch_between_two_compactions() {
    let dir = Dir::new();
    let record =
        talk("t", 12).replacen("\"messages\"", "\"label\": 1.50, \"tools\": [ ], \"messages\"", 1);
    dir.write("in.jsonl", record);
    dir.epitome(&format!("replay in.jsonl -o out {CUT} --segments")).ok();
    let samples = lines(&dir, "out/segments.jsonl");
    assert_eq!(samples.len(), 3);
    assert_eq!(roles(&samples[0]), ["user", "assistant", "user", "assistant", "user", "assistant"]);
    assert_eq!(roles(&samples[1]), ["user", "assistant", "user", "assistant", "user", "assistant"]);
    assert!(
        samples[1]["messages"][0]["content"]
            .as_str()
            .unwrap()
            .starts_with("You are in the middle of a conversation")
    );
    let all: Vec<String> = [1, 3, 5, 7, 9, 11].map(|number| text("t", number)).into();
    assert_eq!(
        samples.iter().flat_map(trained).collect::<Vec<_>>(),
        all,
        "each answer once, in order"
    );
    assert_eq!(samples[1]["messages"][1]["weight"], 0, "kept, but it was trained on before");
    assert!(dir.read("out/segments.jsonl").lines().all(|line| {
        line.starts_with("{\"thread_id\": \"t\", \"label\": 1.50, \"tools\": [ ], \"messages\": [")
    }));
    assert_eq!(dir.entries()[0]["samples"], 3);
}

#[test]
fn each_call_can_be_a_sample() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 9));
    dir.epitome(&format!("replay in.jsonl -o out {CUT} --per-call --train-key train")).ok();
    let samples = lines(&dir, "out/segments.jsonl");
    assert_eq!(
        samples.iter().map(|sample| roles(sample).len()).collect::<Vec<_>>(),
        [2, 4, 6, 4],
        "what the call sent, and its answer"
    );
    for sample in &samples {
        let messages = sample["messages"].as_array().unwrap();
        let marks: Vec<&Value> = messages
            .iter()
            .filter(|message| message["role"] == "assistant")
            .map(|message| &message["train"])
            .collect();
        assert!(
            marks[..marks.len() - 1].iter().all(|mark| **mark == false)
                && *marks[marks.len() - 1] == true
        );
        assert!(messages.iter().all(|message| message.get("weight").is_none()
            && (message["role"] == "assistant" || message.get("train").is_none())));
    }
}

#[test]
fn what_the_log_does_not_want_trained_on_is_not() {
    let dir = Dir::new();
    let mute = |number: usize| message("t", number).replacen('{', "{\"weight\": 0, ", 1);
    let messages = [message("t", 0), mute(1), message("t", 2), message("t", 3)];
    dir.write(
        "in.jsonl",
        format!(
            "{{\"messages\": [{}]}}\n{{\"messages\": [{}, {}]}}\n",
            messages.join(", "),
            messages[0],
            messages[1]
        ),
    );
    dir.epitome("replay in.jsonl -o out --segments").ok().says(["no sample for 1 stretches"]);
    let samples = lines(&dir, "out/segments.jsonl");
    assert_eq!(samples.len(), 1);
    assert_eq!(trained(&samples[0]), [text("t", 3)]);
    // Keys may be spelled with escapes.
    let said = r#"{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "bad", "\u8bad\u7ec3": false}, {"role": "user", "content": "b"}, {"role": "assistant", "content": "so so", "weig\u0068t": 0}, {"role": "user", "content": "c"}, {"role": "assistant", "content": "good"}]}"#;
    dir.write("escaped.jsonl", format!("{said}\n"));
    dir.epitome("replay escaped.jsonl -o escaped --segments --train-key 训练").ok();
    let sample = &lines(&dir, "escaped/segments.jsonl")[0];
    let told: Vec<&Value> = sample["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .map(|message| &message["训练"])
        .collect();
    assert_eq!(told, [&Value::Bool(false), &Value::Bool(false), &Value::Bool(true)]);
}

/// Truncation changes what was sent before: the context of later answers is another one.
#[test]
fn a_stretch_ends_where_truncation_changes_what_was_sent() {
    let dir = Dir::new();
    let write = format!(
        r#"{{"role": "assistant", "content": null, "tool_calls": [{{"id": "w", "type": "function", "function": {{"name": "write_file", "arguments": {}}}}}]}}, {{"role": "tool", "tool_call_id": "w", "content": "ok"}}"#,
        quoted(&format!("{{\"content\": \"{}\"}}", "x".repeat(100)))
    );
    dir.write(
        "in.jsonl",
        format!(
            "{{\"messages\": [{}, {write}, {}]}}\n",
            message("t", 0),
            (1..8).map(|number| message("t", number)).collect::<Vec<_>>().join(", ")
        ),
    );
    dir.write(
        "policy.toml",
        "[truncate]\ntrigger = [{ messages = 4 }]\nkeep = { messages = 4 }\nmax_length = 50\n",
    );
    dir.epitome("replay in.jsonl -o out --config policy.toml --segments").ok();
    let calls = calls(&dir);
    assert_eq!(column(&calls, "truncated_args"), [0, 0, 0, 1, 1]);
    assert_eq!(column(&calls, "cache"), ["first", "hit", "hit", "broken", "hit"]);
    let samples = lines(&dir, "out/segments.jsonl");
    let written = |sample: &Value| {
        sample["messages"][1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap().to_owned()
    };
    assert_eq!(samples.len(), 2);
    assert!(written(&samples[0]).contains(&"x".repeat(100)), "trained on as it was logged");
    assert_eq!(
        serde_json::from_str::<Value>(&written(&samples[1])).unwrap()["content"],
        format!("{}...(argument truncated)", "x".repeat(20))
    );
    assert_eq!(samples[1]["messages"][1]["weight"], 0);
}

/// Samples of every call are many times as long as the log: they wait in a file, not in memory.
#[test]
fn samples_that_no_memory_should_hold_are_all_there_in_order() {
    let dir = Dir::new();
    let long = |role: &str, number: usize| {
        said(role, &format!("{role} {number} {}", "word ".repeat(2000)))
    };
    let messages: Vec<Value> =
        (0..32).flat_map(|number| [long("user", number), long("assistant", number)]).collect();
    let records = ["one", "two"]
        .map(|thread| format!("{}\n", json!({ "thread_id": thread, "messages": messages })));
    dir.write("in.jsonl", records.concat());
    dir.epitome("replay in.jsonl -o out --trigger tokens=1000000 --per-call").ok();
    assert!(
        std::fs::metadata(dir.path("out/segments.jsonl")).unwrap().len() > 2 * (8 << 20),
        "each thread has more than is held in memory"
    );
    let samples = lines(&dir, "out/segments.jsonl");
    let seen: Vec<(&str, usize)> = samples
        .iter()
        .map(|sample| {
            (sample["thread_id"].as_str().unwrap(), sample["messages"].as_array().unwrap().len())
        })
        .collect();
    let wanted: Vec<(&str, usize)> = ["one", "two"]
        .into_iter()
        .flat_map(|thread| (1..=32).map(move |turn| (thread, 2 * turn)))
        .collect();
    assert_eq!(seen, wanted);
}

//! Preference data: the prompt is compacted alike for both answers, and the answers stay.

use crate::harness::Dir;
use serde_json::{Value, json};

const SHORT: &str = "--trigger messages=6 --keep messages=3";

fn message(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// A prompt that ends with a question.
fn prompt() -> Vec<Value> {
    let mut messages = vec![message("system", "Be brief.")];
    for number in 0..6 {
        let question = format!("Which ferry leaves pier {number}? {}", "Look twice. ".repeat(30));
        messages.push(message("user", &question));
        messages.push(message("assistant", &format!("Ferry {number}. {}", "Sure. ".repeat(30))));
    }
    messages.push(message("user", "And which one comes back?"));
    messages
}

fn with(prompt: &[Value], answers: &[Value]) -> Vec<Value> {
    [prompt, answers].concat()
}

/// The one record of a file.
fn record(dir: &Dir, path: &str) -> Value {
    serde_json::from_str(&dir.read(path)).unwrap()
}

/// Compacts a record, checks that it shrank and is restored, and returns it.
fn compacted(input: &Value, format: &str) -> Value {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{input}\n"));
    dir.epitome(&format!("compact in.jsonl -o out {SHORT}")).ok();
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.read("back/in.jsonl"), dir.read("in.jsonl"));
    let entry = &record(&dir, "out/report.json")["transcripts"][0];
    assert_eq!(entry["format"], format);
    assert_eq!(entry["status"], "compacted");
    record(&dir, "out/in.jsonl")
}

fn list<'v>(record: &'v Value, key: &str) -> &'v [Value] {
    record[key].as_array().unwrap()
}

#[test]
fn both_whole_conversations_keep_the_same_compacted_prompt_and_their_answers() {
    let prompt = prompt();
    let chosen =
        [message("assistant", "Ferry 3."), message("user", "Sure?"), message("assistant", "Yes.")];
    let rejected = [message("assistant", "No idea.")];
    let input = json!({
        "prompt": "Which ferry leaves pier 0?",
        "chosen": with(&prompt, &chosen),
        "rejected": with(&prompt, &rejected),
        "messages": with(&prompt, &chosen),
        "score_chosen": 8.5,
    });
    let output = compacted(&input, "preference-pairs");
    let (good, bad) = (list(&output, "chosen"), list(&output, "rejected"));
    let short = &good[..good.len() - chosen.len()];
    assert!(short.len() < prompt.len(), "{output}");
    assert_eq!(good[short.len()..], chosen);
    assert_eq!(bad[..short.len()], *short);
    assert_eq!(bad[short.len()..], rejected);
    assert_eq!(list(&output, "messages"), good);
    assert_eq!(output["prompt"], input["prompt"]);
    assert_eq!(output["score_chosen"], 8.5);
}

#[test]
fn an_explicit_prompt_is_compacted_and_the_answers_stay() {
    let input = json!({
        "prompt": prompt(),
        "chosen": [message("assistant", "Ferry 3.")],
        "rejected": [message("assistant", "No idea.")],
    });
    let output = compacted(&input, "trl");
    assert!(list(&output, "prompt").len() < prompt().len());
    assert_eq!(output["chosen"], input["chosen"]);
    assert_eq!(output["rejected"], input["rejected"]);
}

#[test]
fn rows_of_llama_factory_keep_both_answers() {
    let turn = |message: &Value| {
        let from = match message["role"].as_str().unwrap() {
            "assistant" => "gpt",
            _ => "human",
        };
        json!({"from": from, "value": message["content"]})
    };
    let input = json!({
        "conversations": prompt()[1..].iter().map(turn).collect::<Vec<_>>(),
        "system": "Be brief.",
        "chosen": {"from": "gpt", "value": "Ferry 3."},
        "rejected": {"from": "gpt", "value": "No idea."},
    });
    let output = compacted(&input, "sharegpt");
    let conversations = list(&output, "conversations");
    assert!(conversations.len() < prompt().len() - 1);
    assert_eq!(conversations.len() % 2, 1, "a question comes last");
    assert_eq!(output["chosen"], input["chosen"]);
    assert_eq!(output["rejected"], input["rejected"]);
}

#[test]
fn pairs_that_can_not_be_compacted_are_refused_with_the_remedy() {
    let dir = Dir::new();
    let answers =
        json!({"chosen": [message("assistant", "a")], "rejected": [message("assistant", "b")]});
    let texts = json!({"prompt": "q", "chosen": "a", "rejected": "b"});
    for (record, remedy) in [
        (&answers, "write the messages of the prompt at the start of both"),
        (&texts, "write prompt, chosen and rejected as lists of messages"),
    ] {
        dir.write("in.jsonl", format!("{record}\n"));
        dir.epitome(&format!("compact in.jsonl -o out --force {SHORT}")).fails(3).says([remedy]);
        assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
    }
}

#[test]
fn samples_of_single_answers_are_not_made_of_pairs() {
    let dir = Dir::new();
    let pair = json!({
        "prompt": prompt(),
        "chosen": [message("assistant", "Ferry 3.")],
        "rejected": [message("assistant", "No idea.")],
    });
    let plain = json!({"messages": with(&prompt(), &[message("assistant", "Ferry 3.")])});
    dir.write("in.jsonl", format!("{pair}\n{plain}\n"));
    dir.epitome("dataset in.jsonl -o out --to trl")
        .fails(3)
        .says(["its chosen is outside the messages", "`epitome compact`"]);
    assert_eq!(dir.tree("out/data").len(), 1);
}

//! `epitome dataset`: what is written, what is dropped and why, splits, shards, order and targets.

use crate::harness::{Dir, FinishedRun, is_full_program};
use crate::talk::{CUT, talk, text};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const TARGETS: [&str; 7] =
    ["openai", "trl", "trl-messages", "axolotl", "llamafactory", "sharegpt", "anthropic"];

/// One message.
fn message(role: &str, text: &str) -> String {
    json!({"role": role, "content": text}).to_string()
}

fn values(jsonl: &str) -> Vec<Value> {
    let values = jsonl.lines().map(serde_json::from_str);
    values.collect::<Result<_, _>>().unwrap()
}

/// The rows of all files below `data/`, in the order of their names.
fn rows(dir: &Dir, out: &str) -> Vec<Value> {
    let files = dir.tree(&format!("{out}/data"));
    let texts = files.into_values().map(|file| String::from_utf8(file).unwrap());
    texts.flat_map(|text| values(&text)).collect()
}

fn dropped(dir: &Dir) -> Vec<(String, Value)> {
    let lines = values(&dir.read("out/dropped.jsonl"));
    let reason = |line: &Value| line["reason"].as_str().unwrap().to_owned();
    lines.iter().map(|line| (reason(line), line.clone())).collect()
}

fn made(dir: &Dir, options: &str) -> FinishedRun {
    dir.epitome(&format!("dataset in.jsonl -o out {options}")).ok()
}

fn contents(messages: &Value, trained: impl Fn(&Value) -> bool) -> Vec<String> {
    let messages = messages.as_array().unwrap().iter();
    let texts = messages.filter(|message| message["role"] == "assistant" && trained(message));
    texts.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

fn with_tools() -> String {
    let messages = json!([
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "How warm is it in Oslo?"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "warmth", "arguments": "{\"town\": \"Oslo\"}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "7 °C"},
        {"role": "assistant", "content": "It is 7 °C."},
    ]);
    let tools = json!([{"type": "function", "function": {"name": "warmth", "parameters": {"type": "object", "properties": {}}}}]);
    json!({"thread_id": "w", "tools": tools, "messages": messages}).to_string() + "\n"
}

#[test]
fn every_answer_is_trained_on_once_and_no_summary_names_a_file() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 12));
    made(&dir, CUT);
    let rows = rows(&dir, "out");
    assert!(rows.len() > 1, "{}", rows.len());
    let trained =
        rows.iter().flat_map(|row| contents(&row["messages"], |message| message["weight"] == 1));
    let all: Vec<String> = [1, 3, 5, 7, 9, 11].map(|number| text("t", number)).into();
    assert_eq!(trained.collect::<Vec<_>>(), all, "each answer once, in order");
    let summary = rows[1]["messages"][0]["content"].as_str().unwrap();
    assert!(summary.starts_with("Here is a summary of the conversation to date:"), "{summary}");
    assert!(!summary.contains("conversation_history"), "{summary}");
    assert!(dir.exists("out/conversation_history/t.md"));
    assert!(dir.read("out/dropped.jsonl").is_empty());
}

#[test]
fn the_frame_is_the_users_where_it_is_given() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 12));
    made(&dir, &format!("{CUT} --set summarize.frame=archived"));
    let rows = rows(&dir, "out");
    let summary = rows[1]["messages"][0]["content"].as_str().unwrap();
    assert!(summary.contains("/conversation_history/t.md"), "{summary}");
}

#[test]
fn a_large_result_leaves_a_preview_that_names_no_file() {
    let dir = Dir::new();
    let long = (0..400).map(|n| format!("line {n}\\n")).collect::<String>();
    dir.write("in.jsonl", with_tools().replace("7 °C\"", &format!("{long}\"")));
    made(&dir, "--set evict.tokens=100");
    let row = &rows(&dir, "out")[0];
    let result = row["messages"][3]["content"].as_str().unwrap();
    assert!(
        result.starts_with("This result is too long to be shown in full. Here is a preview"),
        "{result}"
    );
    assert!(!result.contains("large_tool_results") && !result.contains("read_file"), "{result}");
    assert!(dir.exists("out/large_tool_results/w/c1"));
}

#[test]
fn each_target_spells_calls_tools_and_masks_in_its_way() {
    let dir = Dir::new();
    dir.write("in.jsonl", with_tools());
    let row = |target: &str| {
        dir.epitome(&format!("dataset in.jsonl -o {target} --to {target}")).ok();
        rows(&dir, target).remove(0)
    };
    let openai = row("openai");
    assert_eq!(openai["messages"][4]["weight"], 1);
    assert_eq!(
        openai["messages"][2]["tool_calls"][0]["function"]["arguments"],
        "{\"town\": \"Oslo\"}"
    );
    assert_eq!(openai["tools"][0]["function"]["name"], "warmth");
    assert!(openai.get("thread_id").is_none(), "OpenAI refuses other keys");
    let trl = row("trl");
    assert_eq!(trl["prompt"].as_array().unwrap().len(), 2);
    assert_eq!(
        trl["completion"][0]["tool_calls"][0]["function"]["arguments"],
        json!({"town": "Oslo"})
    );
    assert_eq!(row("trl-messages")["messages"].as_array().unwrap().len(), 5);
    let axolotl = row("axolotl");
    let train: Vec<&Value> =
        axolotl["messages"].as_array().unwrap().iter().map(|message| &message["train"]).collect();
    assert_eq!(train, [false, false, true, false, true]);
    assert!(axolotl["tools"].as_str().unwrap().starts_with('['));
    let factory = row("llamafactory");
    assert_eq!(
        factory["messages"][2]["content"][0]["value"],
        "{\"name\": \"warmth\", \"arguments\": {\"town\": \"Oslo\"}}"
    );
    assert_eq!(factory["messages"][4]["loss_weight"], 1.0);
    let sharegpt = row("sharegpt");
    assert_eq!(sharegpt["conversations"][1]["from"], "function_call");
    assert_eq!(sharegpt["system"], "Be short.");
    let info: Value = serde_json::from_str(&dir.read("sharegpt/dataset_info.json")).unwrap();
    assert_eq!(info["train"]["file_name"], "data/train-00000-of-00001.jsonl");
    let anthropic = row("anthropic");
    assert_eq!(anthropic["messages"][1]["content"][0]["type"], "tool_use");
    assert_eq!(anthropic["system"], "Be short.");
}

#[test]
fn no_sample_is_above_its_budget_and_what_is_lost_is_listed() {
    let dir = Dir::new();
    let long = "many words ".repeat(300);
    let messages = [
        message("user", "A question."),
        message("assistant", "An answer."),
        message("user", "Another question."),
        message("assistant", &long),
    ];
    let record = format!("{{\"id\": \"a\", \"messages\": [{}]}}\n", messages.join(", "));
    let alone = format!("{{\"id\": \"b\", \"messages\": [{}, {}]}}\n", messages[0], messages[3]);
    dir.write("in.jsonl", record + &alone);
    let ran = made(&dir, "--max-tokens 200 --counter o200k_base");
    let rows = rows(&dir, "out");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["messages"].as_array().unwrap().len(), 2, "{}", rows[0]);
    let lost = dropped(&dir);
    let facts: Vec<_> = lost
        .iter()
        .map(|(reason, line)| {
            (reason.as_str(), &line["thread_id"], &line["shortened"], &line["answers"])
        })
        .collect();
    assert_eq!(
        facts,
        [
            ("too-long", &json!("a"), &json!(true), &json!(1)),
            ("too-long", &json!("b"), &json!(false), &json!(1)),
        ]
    );
    assert!(lost[1].1["tokens"].as_u64().unwrap() > 600, "{}", lost[1].1);
    for wanted in ["1 sample dropped, too-long", "1 sample shortened", "counted by o200k_base"] {
        assert!(ran.stdout().contains(wanted), "{}", ran.stdout());
    }
    dir.epitome("dataset in.jsonl -o strict --max-tokens 200 --counter o200k_base --check")
        .fails(1);
    assert!(dir.exists("strict/data/train-00000-of-00001.jsonl"));
}

#[test]
fn samples_that_are_not_worth_training_on_are_dropped_with_their_reason() {
    let user = |text: &str| message("user", text);
    let answer = |text: &str| message("assistant", text);
    let image = json!({"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]});
    let excluded = json!({"role": "assistant", "content": "Not this.", "weight": 0});
    for (messages, target, reason) in [
        (vec![user("Hello?")], "openai", "no-answer"),
        (vec![user("Hello?"), excluded.to_string()], "openai", "no-trained-answer"),
        (vec![user(" "), answer("Yes.")], "openai", "empty-text"),
        (vec![answer("Hello.")], "trl", "turn-order"),
        (vec![answer("Hello.")], "sharegpt", "turn-order"),
        (
            vec![
                user("Weather?"),
                json!({"role": "tool", "tool_call_id": "c", "content": "-3"}).to_string(),
                answer("It is -3."),
            ],
            "openai",
            "unread",
        ),
        (vec![image.to_string(), answer("Yes.")], "openai", "not-text"),
        (
            vec![r#"{"role": "user", "content": "\ud83d?"}"#.to_owned(), answer("Yes.")],
            "openai",
            "lone-surrogate",
        ),
        (
            vec![user("Q"), answer("A"), user("Q"), excluded.to_string(), user("Q"), answer("B")],
            "trl",
            "mask",
        ),
        (vec![user("Q"), excluded.to_string(), user("Q"), answer("B")], "trl-messages", "mask"),
    ] {
        let dir = Dir::new();
        dir.write(
            "in.jsonl",
            format!("{{\"id\": \"a\", \"messages\": [{}]}}\n", messages.join(", ")),
        );
        let ran = dir
            .epitome(&format!("dataset in.jsonl -o out --to {target}"))
            .fails(1)
            .says(["no sample was written"]);
        assert_eq!(rows(&dir, "out"), [Value::Null; 0], "{reason}");
        let reasons: Vec<String> = dropped(&dir).into_iter().map(|(reason, _)| reason).collect();
        assert_eq!(reasons, [reason], "{messages:?}");
        assert!(ran.stdout().contains(&format!("dropped, {reason}:")), "{}", ran.stdout());
        assert!(dir.read("out/README.md").contains(&format!("`{reason}`")));
    }
}

#[test]
fn openai_keeps_an_excluded_answer_as_context() {
    let dir = Dir::new();
    let messages = [
        message("user", "Q"),
        json!({"role": "assistant", "content": "Not this.", "weight": 0}).to_string(),
        message("user", "R"),
        message("assistant", "This."),
    ];
    dir.write("in.jsonl", format!("{{\"id\": \"a\", \"messages\": [{}]}}\n", messages.join(", ")));
    made(&dir, "");
    let row = &rows(&dir, "out")[0];
    assert_eq!(contents(&row["messages"], |message| message["weight"] == 1), ["This."]);
    assert_eq!(contents(&row["messages"], |message| message["weight"] == 0), ["Not this."]);
}

#[test]
fn a_thread_is_in_one_split_and_the_order_is_the_seeds() {
    let dir = Dir::new();
    let log: String = (0..40).map(|number| talk(&format!("t{number}"), 12)).collect();
    dir.write("in.jsonl", &log);
    let options = format!("{CUT} --to trl --split train=0.7,test=0.3 --shuffle 5");
    made(&dir, &options);
    let threads = |split: &str| -> BTreeSet<String> {
        let name = format!("out/data/{split}-00000-of-00001.jsonl");
        let rows = values(&dir.read(&name));
        rows.iter().map(|row| row["thread_id"].as_str().unwrap().to_owned()).collect()
    };
    let (train, test) = (threads("train"), threads("test"));
    assert!(train.is_disjoint(&test) && test.len() > 3 && train.len() + test.len() == 40);
    dir.epitome(&format!("dataset in.jsonl -o again {options} -j1")).ok();
    assert_eq!(dir.tree("out/data"), dir.tree("again/data"), "the same for any number of threads");
    dir.epitome(&format!("dataset in.jsonl -o plain {CUT} --to trl --split train=0.7,test=0.3"))
        .ok();
    let (plain, shuffled) = (rows(&dir, "plain"), rows(&dir, "out"));
    assert_ne!(plain, shuffled);
    let sorted = |rows: Vec<Value>| -> Vec<String> {
        let mut texts: Vec<String> = rows.iter().map(Value::to_string).collect();
        texts.sort();
        texts
    };
    assert_eq!(sorted(plain), sorted(shuffled));
}

#[test]
fn shards_stay_below_their_size_and_an_earlier_data_set_is_replaced_as_a_whole() {
    let dir = Dir::new();
    let log: String = (0..30).map(|number| talk(&format!("t{number}"), 6)).collect();
    dir.write("in.jsonl", &log);
    made(&dir, "--shard-size 2kB");
    let files: BTreeMap<String, Vec<u8>> = dir.tree("out/data");
    assert!(files.len() > 3 && files.values().all(|file| file.len() <= 2000), "{}", files.len());
    let last = format!("train-{:05}-of-{:05}.jsonl", files.len() - 1, files.len());
    assert!(files.contains_key(&last), "{last}");
    assert_eq!(rows(&dir, "out").len(), 30);
    dir.epitome("dataset in.jsonl -o out").fails(2).says(["not empty"]);
    dir.epitome("dataset in.jsonl -o out --force").ok();
    let names: Vec<String> = dir.tree("out/data").into_keys().collect();
    assert_eq!(names, ["train-00000-of-00001.jsonl"]);
}

#[test]
fn duplicates_are_dropped_where_that_is_asked_for() {
    let dir = Dir::new();
    let turns = format!("[{}, {}]", message("user", "Q"), message("assistant", "A"));
    let record = |id: &str| format!("{{\"id\": \"{id}\", \"messages\": {turns}}}\n");
    dir.write("in.jsonl", record("a") + &record("b"));
    made(&dir, "--to trl");
    assert_eq!(rows(&dir, "out").len(), 2);
    dir.epitome("dataset in.jsonl -o out --to trl --dedup exact --force").ok();
    assert_eq!(rows(&dir, "out").len(), 1);
    let (reason, line) = dropped(&dir).remove(0);
    assert_eq!((reason.as_str(), &line["thread_id"]), ("duplicate", &json!("b")));
}

#[test]
fn near_duplicates_are_dropped_where_that_is_asked_for() {
    let dir = Dir::new();
    let story = (0..200).map(|n| format!("word{n} ")).collect::<String>();
    let other = (0..200).map(|n| format!("other{n} ")).collect::<String>();
    let record = |id: &str, answer: &str| {
        let turns = format!("[{}, {}]", message("user", "Q"), message("assistant", answer));
        format!("{{\"id\": \"{id}\", \"messages\": {turns}}}\n")
    };
    let near = story.replace("word100 ", "ward100 ");
    dir.write(
        "in.jsonl",
        record("a", &story) + &record("b", &other) + &record("c", &near) + &record("d", &story),
    );
    made(&dir, "--to trl --dedup near");
    let threads: Vec<Value> =
        rows(&dir, "out").iter().map(|row| row["thread_id"].clone()).collect();
    assert_eq!(threads, ["a", "b"]);
    let reasons: Vec<String> = dropped(&dir).into_iter().map(|(reason, _)| reason).collect();
    assert_eq!(reasons, ["near-duplicate", "duplicate"]);
    let tree = dir.tree("out/data");
    dir.epitome("dataset in.jsonl -o again --to trl --dedup near -j1").ok();
    assert_eq!(tree, dir.tree("again/data"));
}

#[test]
fn the_card_tells_loaders_the_files_and_columns() {
    let dir = Dir::new();
    dir.write("in.jsonl", with_tools());
    for target in TARGETS {
        dir.epitome(&format!("dataset in.jsonl -o {target} --to {target}")).ok();
        let card = dir.read(&format!("{target}/README.md"));
        let row = rows(&dir, target).remove(0);
        let (head, _) = card[4..].split_once("\n---\n").unwrap();
        assert!(head.contains("path: data/train-*.jsonl\n"), "{head}");
        assert!(head.contains("num_examples: 1"), "{head}");
        for key in row.as_object().unwrap().keys() {
            // Names that come from the log are quoted.
            let names = [key.clone(), format!("\"{key}\"")];
            assert!(
                names.iter().any(|name| head.contains(&format!("\n  - name: {name}\n"))),
                "{target}: {key}"
            );
        }
    }
    let report: Value = serde_json::from_str(&dir.read("trl/report.json")).unwrap();
    assert_eq!(report["totals"]["dataset"]["splits"][0]["samples"], 1);
}

#[test]
fn a_record_that_can_t_be_read_costs_itself() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 4) + "{\"messages\": 1}\n" + &talk("b", 4));
    let ran = dir.epitome("dataset in.jsonl -o out").fails(3);
    assert!(ran.stderr.contains("in.jsonl:2"), "{}", ran.stderr);
    assert_eq!(rows(&dir, "out").len(), 2);
}

#[test]
fn wrong_options_are_refused_with_what_to_write() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 4));
    dir.epitome("dataset in.jsonl -o -").fails(2).says(["name a directory"]);
    assert!(!dir.exists("-"));
    for (options, wanted) in [
        ("--split train", "train=0.98,test=0.02"),
        ("--split train=0.5,test=0.4", "add up to 0.9"),
        ("--to nemo", "openai"),
        ("--shard-size 0", "greater than 0"),
        ("--dedup fuzzy", "exact"),
    ] {
        let ran = dir.epitome(&format!("dataset in.jsonl -o out {options}")).fails(2);
        assert!(ran.stderr.contains(wanted), "{options}: {}", ran.stderr);
        assert!(!dir.exists("out"));
    }
}

/// The folder of a model with the tokenizer of the tests and this chat template.
fn model_folder(dir: &Dir, template: Option<&str>) {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tokenizer/tokenizer.json");
    dir.write("model/tokenizer.json", std::fs::read(fixture).unwrap());
    if let Some(template) = template {
        dir.write("model/chat_template.jinja", template);
    }
}

#[test]
fn a_tokenizer_counts_the_rendered_sample() {
    if !is_full_program() {
        return;
    }
    let dir = Dir::new();
    let turns = format!("[{}, {}]", message("user", "Hello, world!"), message("assistant", "A"));
    dir.write("in.jsonl", format!("{{\"id\": \"a\", \"messages\": {turns}}}\n"));
    model_folder(&dir, Some("<s>{{ messages[0].content }}</s>"));
    let counts: Value =
        serde_json::from_str(include_str!("../../fixtures/tokenizer/counts.json")).unwrap();
    let mut counts = counts.as_array().unwrap().iter();
    let hello = counts.find(|count| count["text"] == "Hello, world!").unwrap();
    let tokens = hello["tokens"].as_u64().unwrap() + 2;
    let totals = |options: &str, status: i32| -> Value {
        dir.epitome(&format!("dataset in.jsonl -o out --force --tokenizer {options}"))
            .fails(status);
        let report: Value = serde_json::from_str(&dir.read("out/report.json")).unwrap();
        report["totals"]["dataset"].clone()
    };
    let made = totals("model", 0);
    assert_eq!(made["splits"][0]["tokens"], tokens, "{made}");
    let fits = totals(&format!("model/tokenizer.json --max-tokens {tokens}"), 0);
    assert_eq!(fits["splits"][0]["samples"], 1, "{fits}");
    let above = totals(&format!("model --max-tokens {}", tokens - 1), 1);
    assert_eq!(above["dropped"]["too-long"], 1, "{above}");
    dir.write("other.jinja", "{{ raise_exception('no') }}");
    let refused = totals("model --tokenizer other.jinja", 1);
    assert_eq!(refused["dropped"]["template"], 1, "{refused}");
    dir.write("other.jinja", "{% if %}");
    dir.epitome("dataset in.jsonl -o none --tokenizer model --tokenizer other.jinja")
        .fails(2)
        .says(["--tokenizer", "chat template"]);
    assert!(!dir.exists("none"));
}

#[test]
fn a_tokenizer_without_a_chat_template_is_refused_with_what_to_do() {
    if !is_full_program() {
        return;
    }
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 4));
    model_folder(&dir, None);
    dir.epitome("dataset in.jsonl -o out --tokenizer model")
        .fails(2)
        .says(["chat_template.jinja", "--tokenizer FILE.jinja"]);
    dir.write(
        "model/tokenizer_config.json",
        json!({"chat_template": [{"name": "default", "template": "{{ bos_token }}"}], "bos_token": {"content": "<s>"}}).to_string(),
    );
    dir.epitome("dataset in.jsonl -o out --tokenizer model").ok();
    let report: Value = serde_json::from_str(&dir.read("out/report.json")).unwrap();
    assert_eq!(report["totals"]["dataset"]["splits"][0]["tokens"], 1);
}

#[test]
fn a_tokenizer_needs_a_build_that_has_them() {
    if is_full_program() {
        return;
    }
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 4));
    model_folder(&dir, Some("{{ messages }}"));
    dir.epitome("dataset in.jsonl -o out --tokenizer model")
        .fails(2)
        .says(["cargo install", "--features full"]);
}

/// Other columns of a row, as its line spells them.
const LABELS: &str = r#""score": 1.50, "label": "good", "tags": ["a", {"b": null}], "big": 12345678901234567890, "on": true"#;

#[test]
fn other_columns_stand_in_each_sample_of_every_target_as_they_were() {
    let dir = Dir::new();
    let labelled = talk("t", 12).replacen('{', &format!("{{{LABELS}, "), 1);
    dir.write("in.jsonl", labelled + &with_tools());
    for target in TARGETS {
        let options = format!("--to {target} --columns keep {CUT}");
        dir.epitome(&format!("dataset in.jsonl -o {target} {options}")).ok();
        let files = dir.tree(&format!("{target}/data"));
        let text = String::from_utf8(files.into_values().next().unwrap()).unwrap();
        let labelled: Vec<&str> = text.lines().filter(|line| line.contains("score")).collect();
        assert!(labelled.len() > 1, "{target}: {text}");
        for line in &labelled {
            for label in LABELS.split(", \"") {
                assert!(line.contains(label.trim_matches('"')), "{target}: {label} in {line}");
            }
        }
        assert!(text.lines().count() > labelled.len(), "{target}: {text}");
        let card = dir.read(&format!("{target}/README.md"));
        for (name, dtype) in [
            ("score", "float64"),
            ("label", "string"),
            ("tags", "json"),
            ("big", "float64"),
            ("on", "bool"),
        ] {
            let feature = format!("\n  - name: \"{name}\"\n    dtype: {dtype}\n");
            assert!(card.contains(&feature), "{target}: {name} in {card}");
        }
    }
    for (options, warning) in [
        ("--columns drop", false),
        ("--to trl --columns drop", false),
        // OpenAI refuses other keys.
        ("--to openai", true),
    ] {
        let ran = dir.epitome(&format!("dataset in.jsonl -o bare --force {options} {CUT}")).ok();
        assert_eq!(ran.stderr.contains(": big, label, on, score, tags"), warning, "{}", ran.stderr);
        assert!(rows(&dir, "bare").iter().all(|row| row["score"].is_null()));
    }
}

#[test]
fn a_column_that_the_target_writes_itself_is_named_as_left_out() {
    let dir = Dir::new();
    let row = talk("t", 4).replacen('{', r#"{"prompt": "p", "source": "s", "#, 1);
    dir.write("in.jsonl", row);
    dir.epitome("dataset in.jsonl -o out --to trl").ok().says(["left out of samples", ": prompt"]);
    let rows = rows(&dir, "out");
    assert!(rows[0]["prompt"].is_array() && rows[0]["source"] == "s");
}

#[test]
fn columns_of_rows_whose_messages_are_spelled_otherwise_are_kept() {
    let dir = Dir::new();
    let alpaca = json!({"instruction": "Sum up.", "input": "All of it.", "output": "It is.", "history": [["a", "b"]], "lang": "en"});
    let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    let text = json!({"messages": messages.to_string(), "tools": "[]", "lang": "de"});
    let turns = json!([{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]);
    let sharegpt = json!({"conversations": turns, "system": "Be brief.", "lang": "fr"});
    let anthropic = json!({"system": "Be brief.", "max_tokens": 9, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "q"}]}, {"role": "assistant", "content": "a"}], "lang": "it"});
    for (row, columns) in [
        (&alpaca, &["lang"][..]),
        (&text, &["lang"]),
        (&sharegpt, &["lang"]),
        (&anthropic, &["max_tokens", "lang"]),
    ] {
        dir.write("in.jsonl", format!("{row}\n"));
        made(&dir, "--force --columns keep");
        let written = rows(&dir, "out").remove(0);
        let mut keys: Vec<&String> = written.as_object().unwrap().keys().collect();
        keys.retain(|key| *key != "messages" && *key != "tools");
        assert_eq!(keys, columns, "{row}");
        assert_eq!(written["lang"], row["lang"]);
    }
}

/// Returns a value without the members that are null, which Parquet does not tell from absent ones.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            let members = members.map(|(key, value)| (key.clone(), without_nulls(value)));
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

#[test]
fn parquet_holds_the_same_rows_as_lines_and_is_read_as_they_are() {
    if !is_full_program() {
        return;
    }
    let columns = r#"{"score": 0.5, "n": 7, "ok": true, "meta": {"a": [1, null]}, "source": "x\u00e9", "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi there"}]}"#;
    for target in
        ["openai", "trl", "trl-messages", "axolotl", "llamafactory", "sharegpt", "anthropic"]
    {
        let dir = Dir::new();
        dir.write("logs/a.jsonl", with_tools() + "\n");
        dir.write("logs/b.jsonl", format!("{columns}\n"));
        let make = |out: &str, options: &str| {
            let command = format!("dataset logs --to {target} --shuffle 1 {options} -o {out}");
            dir.epitome(&command).ok();
        };
        make("lines", "");
        make("rows", "--file-type parquet");
        let card = dir.read("rows/README.md");
        assert!(card.contains("path: data/train-*.parquet"), "{card}");
        let name = "data/train-00000-of-00001.parquet";
        // A policy that compacts nothing leaves the rows as they are read.
        dir.epitome(&format!("compact rows/{name} -o back --max-errors all")).ok();
        let lines = values(&dir.read("lines/data/train-00000-of-00001.jsonl"));
        let back = values(&dir.read("back/train-00000-of-00001.parquet.jsonl"));
        let plain = |rows: &[Value]| rows.iter().map(without_nulls).collect::<Vec<_>>();
        assert!(lines.len() > 1, "{target}");
        assert_eq!(plain(&back), plain(&lines), "{target}");
    }
}

#[test]
fn rows_of_parquet_are_compacted_and_restored_with_equal_values() {
    if !is_full_program() {
        return;
    }
    let dir = Dir::new();
    let turns = (0..40).map(|n| {
        format!(
            "{},{}",
            message("user", &format!("Q{n} {}", "x".repeat(200))),
            message("assistant", &format!("A{n}"))
        )
    });
    let turns: Vec<String> = turns.collect();
    dir.write("a.jsonl", format!("{{\"id\": \"t1\", \"messages\": [{}]}}\n", turns.join(",")));
    dir.epitome(
        "dataset a.jsonl --to trl-messages --file-type parquet --trigger tokens=100000 -o set",
    )
    .ok();
    dir.epitome("compact set/data -o short --trigger messages=20 --keep messages=4").ok();
    let short = values(&dir.read("short/train-00000-of-00001.parquet.jsonl"));
    assert!(short[0]["messages"].as_array().unwrap().len() < 20);
    dir.epitome("restore short -o back").ok();
    let back = values(&dir.read("back/train-00000-of-00001.parquet.jsonl"));
    let logged = values(&dir.read("a.jsonl"));
    assert_eq!(without_nulls(&back[0]["messages"]), logged[0]["messages"]);
}

#[test]
fn a_damaged_parquet_file_costs_itself() {
    if !is_full_program() {
        return;
    }
    let dir = Dir::new();
    dir.write("a.jsonl", with_tools() + "\n");
    dir.epitome("dataset a.jsonl --file-type parquet -o set").ok();
    let bytes = std::fs::read(dir.path("set/data/train-00000-of-00001.parquet")).unwrap();
    dir.write("in/cut.parquet", &bytes[..bytes.len() / 2]);
    let mut turned = bytes.clone();
    for byte in &mut turned[100..400] {
        *byte = !*byte;
    }
    dir.write("in/turned.parquet", &turned);
    dir.write("in/whole.parquet", &bytes);
    dir.epitome("count in")
        .fails(3)
        .says(["cut.parquet", "a damaged Parquet file", "turned.parquet"]);
}

#[test]
fn parquet_needs_a_build_that_has_it() {
    if is_full_program() {
        return;
    }
    let dir = Dir::new();
    dir.write("a.jsonl", with_tools() + "\n");
    dir.epitome("dataset a.jsonl --file-type parquet -o set")
        .fails(2)
        .says(["built without Parquet", "--features full"]);
    dir.write("b.parquet", b"PAR1\x15\x04\0\0");
    dir.epitome("count b.parquet").fails(3).says(["b.parquet", "--features full"]);
}

#[test]
fn every_sample_of_a_conversation_has_the_images_that_its_own_turns_show() {
    let dir = Dir::new();
    let turns: Vec<Value> = (0..8)
        .flat_map(|number| {
            [
                json!({"role": "user", "content": format!("<image>What is on picture {number}? {}", "It stands there. ".repeat(8))}),
                json!({"role": "assistant", "content": format!("Cup {number}. {}", "It is blue. ".repeat(8))}),
            ]
        })
        .collect();
    let images: Vec<String> = (0..8).map(|number| format!("{number}.png")).collect();
    dir.write("in.jsonl", json!({"messages": turns, "images": images}).to_string() + "\n");
    dir.epitome("dataset in.jsonl --to sharegpt -o out --trigger messages=6 --keep messages=4")
        .ok();
    let mut samples = 0;
    for (_, bytes) in dir.tree("out/data") {
        for line in String::from_utf8(bytes).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let marks = row["conversations"].to_string().matches("<image>").count();
            assert_eq!(row["images"].as_array().unwrap().len(), marks, "{row}");
            samples += 1;
        }
    }
    assert!(samples > 1, "only {samples} samples");
}

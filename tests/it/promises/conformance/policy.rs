//! The configuration and the input of a case.

use super::case::{Case, text};
use crate::promises::reader::value;
use crate::promises::support::script;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// `["tokens", 5]`, or `{"tokens": 5, "messages": 2}`: keys of one table are AND.
fn clause(value: &Value) -> String {
    let pairs: Vec<String> = match value {
        Value::Object(object) => {
            object.iter().map(|(key, number)| format!("{key} = {number}")).collect()
        }
        pair => vec![format!("{} = {}", text(&pair[0]), pair[1])],
    };
    format!("{{ {} }}", pairs.join(", "))
}

/// A list of clauses; null and an empty list are never.
fn trigger(value: &Value) -> String {
    let clauses: Vec<String> = match value {
        Value::Array(items) if items.first().is_some_and(Value::is_string) => vec![clause(value)],
        Value::Array(items) => items.iter().map(clause).collect(),
        Value::Object(_) => vec![clause(value)],
        _ => Vec::new(),
    };
    format!("[{}]", clauses.join(", "))
}

fn toml_text(value: &Value) -> String {
    value.to_string().replace('\u{7f}', "\\u007f")
}

/// The given value of a key; none where the preset's is meant.
fn given<'v>(config: &'v Value, key: &str) -> Option<&'v Value> {
    config.get(key).filter(|value| *value != "auto")
}

pub(crate) fn input_limit(case: &Value) -> Option<u64> {
    let config = &case["config"];
    config["models"]
        .get(text(&case["line"]["model"]))
        .unwrap_or(&config["max_input_tokens"])
        .as_u64()
}

pub(crate) fn policy(case: &Value) -> String {
    let config = &case["config"];
    let mut out = String::from("preset = \"deepagents\"\ncounter = \"approx\"\n");
    let mut row = |text: &str| writeln!(out, "{text}").expect("memory");
    let messages = case["line"]["messages"].as_array().cloned().unwrap_or_default();
    if messages.iter().any(|message| message.get("usage_metadata").is_some()) {
        row("model = \"fake:fake\"");
    }
    if let Some(limit) = input_limit(case) {
        row(&format!("max_input_tokens = {limit}"));
    }
    if config["llm_type"] == "anthropic-chat" {
        row("chars_per_token = 3.3");
    }
    row(&format!(
        "[evict]\ntokens = {}",
        config.get("evict_tokens").map_or(20_000, |tokens| tokens.as_u64().unwrap_or(0))
    ));
    match given(config, "truncate_args") {
        None => {}
        Some(Value::Null) => row("[truncate]\ntrigger = []"),
        Some(arguments) => {
            let keep = arguments.get("keep").map_or("{ messages = 20 }".to_owned(), clause);
            let length = arguments.get("max_length").and_then(Value::as_u64).unwrap_or(2000);
            let text = arguments
                .get("truncation_text")
                .map_or("\"...(argument truncated)\"".to_owned(), toml_text);
            row(&format!(
                "[truncate]\ntrigger = {}\nkeep = {keep}\nmax_length = {length}\ntext = {text}",
                trigger(&arguments["trigger"])
            ));
        }
    }
    row(&format!(
        "[summarize]\non_growth = \"allow\"\ntrim_tokens = {}",
        config["trim_tokens_to_summarize"].as_u64().unwrap_or(0)
    ));
    if let Some(value) = given(config, "trigger") {
        row(&format!("trigger = {}", trigger(value)));
    }
    if let Some(value) = given(config, "keep") {
        row(&format!("keep = {}", clause(value)));
    }
    row(
        "[summarizer]\nprompt = \"<<<{messages}>>>\"\n[archive]\nprefix = \"/conversation_history\"\nresults_prefix = \"/large_tool_results\"",
    );
    if let Some(limit) = config["overflow_tokens"].as_u64() {
        row(&format!("[overflow]\nlimit = {limit}"));
    }
    out
}

/// The input line as it is spelled in the suite, with the tool schemas of the config.
pub(crate) fn input_line(case: &Case) -> String {
    let raw = case.raw.as_bytes();
    let place = |bytes: &[u8], key: &str| {
        value(bytes, key).map(|range| String::from_utf8_lossy(&bytes[range]).into_owned())
    };
    let line = place(raw, "line").expect("a line");
    let tools = place(raw, "config").and_then(|config| place(config.as_bytes(), "tools"));
    match tools.filter(|tools| tools.starts_with('[')) {
        Some(tools) => format!("{}, \"tools\": {tools}}}", &line[..line.len() - 1]),
        None => line,
    }
}

pub(crate) fn summarizer(case: &Value, directory: &Path) -> String {
    let mode = text(&case["config"]["summarizer"]);
    if mode == "error" {
        return script(
            directory,
            "summarizer.sh",
            "cat > /dev/null; echo 'fake summarizer failure' >&2; exit 1",
        );
    }
    if let Some(fixed) = mode.strip_prefix("fixed:") {
        fs::write(directory.join("summary.txt"), fixed).expect("a file that can be written");
        return script(directory, "summarizer.sh", "cat > /dev/null; exec cat summary.txt");
    }
    format!("command:{}/fixtures/conformance/summarizer.sh", env!("CARGO_MANIFEST_DIR"))
}

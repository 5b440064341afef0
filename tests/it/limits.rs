//! What a model takes: names, tables of the user's own, and what is done about a transcript that is
//! above its limit.

use crate::harness::Dir;
use crate::talk::{quoted, talk};

const HEADING: &str = "provider\tmodel\tcontext\tinput\toutput";

fn said(role: &str, text: &str) -> String {
    format!(r#"{{"role": "{role}", "content": {}}}"#, quoted(text))
}

/// A long conversation of a model.
fn of_model(model: &str) -> String {
    talk("t", 8).replace("\"messages\"", &format!("\"model\": {}, \"messages\"", quoted(model)))
}

#[test]
fn models_explains_a_limit_and_what_follows() {
    let dir = Dir::new();
    let known = dir.epitome("models openai:gpt-5.2").ok();
    for wanted in [
        "input limit  272,000", "context      400,000", "models.dev", "(231200 tokens)",
        "tokens=27200",
    ] {
        assert!(known.stdout().contains(wanted), "{}", known.stdout());
    }
    assert!(
        dir.epitome("models azure:gpt-5.1-codex-max")
            .ok()
            .stdout()
            .contains("azure declares 400,000")
    );
    assert!(dir.epitome("models gpt-5.2-2025-12-11").ok().stdout().contains("without its date"));
    dir.epitome("models gpt-5-2").fails(2).says(["\"gpt-5-2\"", "\"gpt-5.2\"", "tokens=170000"]);
    let all = dir.epitome("models").ok();
    assert!(all.stdout().lines().count() > 400 && all.stdout().contains("gpt-4o"));
    let objects = dir.epitome("models --json").ok();
    let objects: Vec<serde_json::Value> =
        objects.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(objects.iter().all(|object| object["max_input_tokens"].as_u64() > Some(0)));
}

#[test]
fn an_unknown_name_is_told_once_and_stands_in_the_report() {
    let dir = Dir::new();
    let lines: String = std::iter::repeat_n(of_model("gpt-5-2"), 3).collect();
    dir.write("in.jsonl", lines);
    let ran = dir
        .epitome("compact in.jsonl -o out")
        .ok()
        .says(["\"gpt-5-2\"", "\"gpt-5.2\"", "2 more times"]);
    assert_eq!(
        ran.stderr.matches("no input limit is known").count(),
        2,
        "once, and once in the count of the others: {}",
        ran.stderr
    );
    assert!(
        dir.entries()
            .iter()
            .all(|entry| { entry["warnings"].to_string().contains("no input limit is known") })
    );
    // What is strict about the record's model costs that record; what is strict about the policy's
    // costs the run.
    dir.write("known.jsonl", of_model("gpt-4o") + &of_model("gpt-5-2"));
    dir.epitome("compact known.jsonl -o strict --set strict_model=true")
        .fails(3)
        .says(["known.jsonl:2", "strict_model"]);
    assert_eq!(dir.bytes("strict/known.jsonl"), dir.bytes("known.jsonl"));
    dir.epitome("compact in.jsonl -o none --set strict_model=true --model gpt-5-2")
        .fails(2)
        .says(["strict_model", "gpt-5.2"]);
    assert!(!dir.exists("none"));
    dir.epitome(
        "compact in.jsonl -o given --set strict_model=true --model gpt-5-2 --max-input-tokens 9000",
    )
    .ok();
}

#[test]
fn a_table_of_ones_own_goes_first() {
    let dir = Dir::new();
    dir.write("in.jsonl", of_model("home:mine") + &of_model("gpt-4o")).write(
        "mine.tsv",
        format!("# ours\n{HEADING}\nhome\tmine\t7000\t\t\nopenai\tgpt-4o\t9000\t8000\t\n"),
    );
    dir.epitome("compact in.jsonl -o out --limits mine.tsv").ok();
    let limits: Vec<_> = dir.entries().iter().map(|entry| entry["input_limit"].clone()).collect();
    assert_eq!(limits, [7000, 8000]);
    dir.write("policy.toml", "limits = \"mine.tsv\"\nstrict_model = true\n");
    dir.epitome("compact in.jsonl -o again --config policy.toml").ok();
    assert!(
        dir.epitome("models home/mine --limits mine.tsv")
            .ok()
            .stdout()
            .contains("--limits mine.tsv")
    );
    dir.write("bad.tsv", format!("{HEADING}\nhome\tmine\tmany\n"));
    dir.epitome("plan in.jsonl --limits bad.tsv")
        .fails(2)
        .says(["--limits", "bad.tsv", "line 2", "\"many\""]);
    dir.epitome("plan in.jsonl --limits nowhere.tsv").fails(2).says(["--limits", "nowhere.tsv"]);
}

/// A conversation whose results are long: `count` exchanges, and a last answer.
fn with_results(count: usize, chars: usize) -> String {
    let mut messages = vec![said("system", "be brief"), said("user", "look at them all")];
    for number in 0..count {
        let call = format!(
            r#"{{"id": "c{number}", "type": "function", "function": {{"name": "show", "arguments": "{{\"n\": {number}}}"}}}}"#
        );
        messages
            .push(format!(r#"{{"role": "assistant", "content": null, "tool_calls": [{call}]}}"#));
        let text = quoted(&format!("line {number}\n").repeat(chars / 7));
        messages
            .push(format!(r#"{{"role": "tool", "tool_call_id": "c{number}", "content": {text}}}"#));
    }
    messages.push(said("assistant", "seen"));
    format!("{{\"messages\": [{}]}}\n", messages.join(", "))
}

/// Runs with a budget; the reason of stage overflow, and the tokens that are left.
fn within(dir: &Dir, tokens: u64, more: &str, status: i32) -> (serde_json::Value, u64) {
    dir.epitome(&format!("compact in.jsonl -o out --force --max-tokens {tokens} {more}"))
        .fails(status);
    let entry = dir.entries()[0].clone();
    let reason = entry["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .find(|reason| reason["stage"] == "overflow")
        .cloned()
        .unwrap_or_default();
    (reason, entry["tokens_after"].as_u64().unwrap())
}

#[test]
fn keep_shrinks_step_by_step_until_it_fits() {
    let dir = Dir::new();
    dir.write("in.jsonl", with_results(6, 4000));
    // Six exchanges of 1,000 tokens: the policy's keep of 6 messages leaves two and a half.
    let (reason, left) = within(&dir, 4000, "", 0);
    assert!(left <= 4000 && reason.is_null(), "{reason}");
    let (reason, left) = within(&dir, 2000, "", 0);
    assert!(left <= 2000 && reason["why"].as_str().unwrap().contains("evicted"), "{reason}");
    assert!(!dir.tree("out/large_tool_results").is_empty(), "what was evicted is there");
    let (reason, left) = within(&dir, 450, "", 0);
    assert!(
        left <= 450 && reason["why"].as_str().unwrap().contains("kept, from message"),
        "{reason}"
    );
    let (reason, left) = within(&dir, 800, "--summarizer none", 0);
    assert!(left <= 800 && reason["why"].as_str().unwrap().contains("pruned"), "{reason}");
}

#[test]
fn the_reason_names_what_is_in_the_plan() {
    let dir = Dir::new();
    dir.write("in.jsonl", with_results(8, 1600));
    for budget in [300, 400, 500, 600, 800, 1000] {
        let (reason, _) = within(&dir, budget, "", 0);
        let why = reason["why"].as_str().unwrap();
        // Results that were shortened before the cutoff moved past them are summarised whole.
        let named = |done: &str| {
            let count = why
                .split([':', ','])
                .find_map(|part| part.trim().strip_suffix(done)?.split(' ').next()?.parse().ok());
            count.unwrap_or(0)
        };
        let entry = dir.entries()[0].clone();
        let made = (
            entry["evicted"].as_array().unwrap().len() as u64,
            entry["pruned"].as_u64().unwrap_or(0),
        );
        assert_eq!((named("evicted"), named("pruned")), made, "{budget}: {why}");
        assert!(why.contains("kept, from message") || made.0 > 0, "{budget}: {why}");
    }
}

#[test]
fn what_cannot_fit_is_left_as_it_is_with_the_sizes() {
    let dir = Dir::new();
    let long = "word ".repeat(2000);
    dir.write(
        "in.jsonl",
        format!(
            "{{\"messages\": [{}, {}, {}]}}\n",
            said("user", "hello"),
            said("assistant", "yes"),
            said("user", &long)
        ),
    );
    let (reason, left) = within(&dir, 1000, "", 1);
    assert_eq!(
        (&reason["applies"], dir.bytes("out/in.jsonl")),
        (&serde_json::json!(false), dir.bytes("in.jsonl"))
    );
    let entry = dir.entries()[0].clone();
    assert_eq!(entry["status"], "unchanged");
    for wanted in [left.to_string().as_str(), "limit of 1000", "in message 2, user", "can't fit"] {
        assert!(entry["warnings"].to_string().contains(wanted), "{wanted}: {entry}");
    }
    dir.epitome("plan in.jsonl --max-tokens 1000").fails(1);
    dir.epitome("plan in.jsonl --max-tokens 0")
        .fails(2)
        .says(["--max-tokens", "'0'", "greater than 0"]);
}

#[test]
fn a_program_that_writes_too_much_is_not_believed() {
    let dir = Dir::new();
    let program = dir.script("long.sh", "cat > /dev/null; printf 'word%.0s ' $(seq 700)");
    dir.write("in.jsonl", with_results(6, 4000));
    dir.epitome(&format!(
        "compact in.jsonl -o out --max-tokens 700 --summarizer command:{program}"
    ))
    .fails(1)
    .says(["limit of 700"]);
    assert!(dir.entries()[0]["reasons"].to_string().contains("came out too long"));
    assert_eq!(dir.bytes("out/in.jsonl"), dir.bytes("in.jsonl"));
}

#[test]
fn reported_usage_stands_beside_our_count() {
    let dir = Dir::new();
    let answer = format!(
        r#"{{"role": "assistant", "content": {}, "usage": {{"total_tokens": 130}}}}"#,
        quoted(&"a".repeat(388))
    );
    dir.write(
        "in.jsonl",
        format!(
            "{{\"messages\": [{}, {answer}, {}]}}\n",
            said("user", "hello"),
            said("user", "and then?")
        ),
    );
    let shown = dir.epitome("plan in.jsonl").ok();
    dir.epitome("compact in.jsonl -o out").ok();
    let usage = dir.entries()[0]["usage"].clone();
    assert_eq!(
        (&usage["message"], &usage["reported"]),
        (&serde_json::json!(1), &serde_json::json!(130))
    );
    let counted = usage["counted"].as_f64().unwrap();
    assert!(
        (100.0..120.0).contains(&counted)
            && (usage["ratio"].as_f64().unwrap() - 130.0 / counted).abs() < 0.001,
        "{usage}"
    );
    assert!(
        shown.stdout().contains("the log reports 130 tokens up to message 1"),
        "{}",
        shown.stdout()
    );
    dir.write("none.jsonl", talk("t", 4)).epitome("compact none.jsonl -o none").ok();
    assert!(!String::from_utf8(dir.bytes("none/report.json")).unwrap().contains("usage"));
}

#[test]
fn limits_that_deep_agents_had_go_before_the_embedded_ones() {
    let dir = Dir::new();
    let limit = |words: &str| {
        let shown = dir.epitome(&format!("models claude-opus-4-6 --json {words}")).ok();
        let model: serde_json::Value = serde_json::from_str(shown.stdout()).unwrap();
        (model["max_input_tokens"].as_u64().unwrap(), model["source"].as_str().unwrap().to_owned())
    };
    assert_eq!(limit(""), (1_000_000, "embedded".to_owned()));
    let profiles = "profiles".to_owned();
    assert_eq!(limit("--set profiles=0.4.3"), (200_000, profiles.clone()));
    assert_eq!(limit("--set profiles=0.7.32"), (1_000_000, profiles));
    dir.write(
        "mine.tsv",
        "provider\tmodel\tcontext\tinput\toutput\nanthropic\tclaude-opus-4-6\t5000\t\t\n",
    );
    let own = limit("--set profiles=0.4.3 --limits mine.tsv");
    assert_eq!(own, (5000, "--limits".to_owned()));
    // A policy decides with them.
    dir.write("in.jsonl", "{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}\n")
        .write("p.toml", "profiles = \"0.4.3\"\nmodel = \"claude-opus-4-6\"\n");
    let config = dir.epitome("plan in.jsonl --config p.toml --print-config").ok();
    assert!(config.stdout().contains("max_input_tokens = 200000"));
}

#[test]
fn a_check_with_a_trigger_compares_the_length_as_logged_and_after_eviction() {
    let dir = Dir::new();
    let long = crate::talk::with_result("long", "call", &crate::talk::log(4000));
    dir.write("long.jsonl", long).write("short.jsonl", talk("short", 4));
    let evicts = "--set evict.tokens=100 --trigger tokens=4000 --check";
    dir.epitome(&format!("plan long.jsonl {evicts}")).fails(1).says(["--check: 1 of 1 transcript"]);
    dir.epitome(&format!("plan short.jsonl {evicts}")).ok();
    dir.epitome(&format!("compact long.jsonl -o out {evicts}")).fails(1);
    // A trigger of messages says nothing of tokens.
    let messages = "--set evict.tokens=100 --trigger messages=50 --check";
    dir.epitome(&format!("plan long.jsonl {messages}")).ok();
}

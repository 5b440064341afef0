//! Several policies side by side, their prices, and wrong options.

use crate::harness::Dir;
use crate::talk::talk;
use serde_json::Value;

#[test]
fn policies_that_count_differently_are_each_compared_with_the_log_as_they_count_it() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 16)).write(
        "early.toml",
        "[summarize]\ntrigger = [{ messages = 6 }]\nkeep = { messages = 2 }\n",
    );
    dir.write("other.toml", format!("counter = \"cjk\"\n{}", dir.read("early.toml")));
    let run = dir.epitome("replay in.jsonl -o out --policy early=early.toml --policy other=other.toml --policy deepagents").ok();
    let table: Vec<Vec<&str>> = run
        .stdout()
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    // A column for each policy, behind that of the log as their counter counts it.
    assert_eq!(
        table[0],
        ["(as logged, approx)", "early", "deepagents", "(as logged, cjk)", "other"],
        "{}",
        run.stdout()
    );
    let sent = table.iter().find(|row| row[0] == "tokens sent").unwrap();
    for (name, column, logged) in [("early", 2, 1), ("deepagents", 3, 1), ("other", 5, 4)] {
        let report: Value =
            serde_json::from_slice(&dir.bytes(&format!("out/{name}/report.json"))).unwrap();
        let tokens = |of: &str| report["totals"][of]["tokens"].as_u64().unwrap();
        let shown = |column: usize| sent[column].replace(',', "").parse::<u64>().unwrap();
        assert_eq!(
            (shown(column), shown(logged)),
            (tokens("sent"), tokens("logged")),
            "{name}: {}",
            run.stdout()
        );
    }
    assert_ne!(sent[1], sent[4], "the two count differently");
}

#[test]
fn several_policies_stand_side_by_side() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 16)).write(
        "early.toml",
        "[summarize]\ntrigger = [{ messages = 6 }]\nkeep = { messages = 2 }\n",
    );
    dir.write("prices.toml", "[m]\ninput = 2\ncached_input = 0.5\n");
    let run = dir.epitome("replay in.jsonl -o out --policy deepagents --policy early=early.toml --model m --prices prices.toml").ok();
    let row = |figure: &str| -> Vec<&str> {
        let mut lines = run.stdout().lines();
        let line = lines.find(|line| line.trim_start().starts_with(figure));
        let line = line.unwrap_or_else(|| panic!("{figure}: {}", run.stdout()));
        line.trim_start()[figure.len()..].split_whitespace().collect()
    };
    assert_eq!(row("(as logged)"), ["deepagents", "early"]);
    assert_eq!(row("calls"), ["8", "8", "8"]);
    assert_eq!(row("compactions"), ["0", "3"], "nothing to do for deepagents");
    assert!(row("change")[2].starts_with('-'), "tokens saved");
    // The same as alone, but for the directory.
    dir.epitome("replay in.jsonl -o alone --config early.toml --model m").ok();
    assert_eq!(dir.read("alone/replay.jsonl"), dir.read("out/early/replay.jsonl"));
    assert_eq!(dir.tree("alone/conversation_history"), dir.tree("out/early/conversation_history"));
    let report: Value = serde_json::from_slice(&dir.bytes("out/early/report.json")).unwrap();
    let (sent, cost) = (&report["totals"]["sent"], &report["totals"]["cost"]["sent"]);
    let (tokens, cached) = (sent["tokens"].as_f64().unwrap(), sent["cached"].as_f64().unwrap());
    assert!((cost["uncached"].as_f64().unwrap() - tokens * 2e-6).abs() < 1e-12);
    assert!(
        (cost["cached"].as_f64().unwrap() - ((tokens - cached) * 2e-6 + cached * 0.5e-6)).abs()
            < 1e-12
    );
}

#[test]
fn a_price_that_is_not_known_is_not_guessed() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 4));
    let run = dir.epitome("replay in.jsonl -o out").ok();
    assert!(
        run.stdout().contains("no price is known for the model of 2 of 2 calls"),
        "{}",
        run.stdout()
    );
    assert_eq!(dir.entries()[0]["cost"], Value::Null);
    let run = dir.epitome("replay in.jsonl -o two --model openai:gpt-5.2").ok();
    assert!(run.stdout().contains("no price is known for cached input"), "{}", run.stdout());
}

#[test]
fn what_exists_is_not_replaced_and_wrong_options_are_named() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 4))
        .write("p.toml", "trigger = 1\n")
        .write("prices.toml", "[m]\ninptu = 1\n");
    dir.epitome("replay in.jsonl -o out").ok();
    dir.epitome("replay in.jsonl -o out").fails(2).says(["replay.jsonl exists", "--force"]);
    dir.epitome("replay in.jsonl -o out --force").ok();
    for (words, wanted) in [
        ("-o -", "several files"),
        ("-o x --policy nobody", "neither NAME=FILE nor a preset (deepagents, "),
        ("-o x --policy ../x=p.toml", "the name becomes a directory"),
        ("-o x --policy a=p.toml", "--policy a: p.toml:1:1: trigger: no such key"),
        ("-o x --policy deepagents --policy deepagents", "there is another policy deepagents"),
        ("-o x --prices prices.toml", "--prices prices.toml: "),
        ("-o x --segments --train-key content", "messages use that key"),
    ] {
        dir.epitome(&format!("replay in.jsonl {words}")).fails(2).says([wanted]);
        assert!(!dir.exists("x"), "{words}: nothing is written");
    }
}

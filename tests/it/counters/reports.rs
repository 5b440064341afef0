//! The name of the counter beside every number, and the error of an estimate.

use super::support::{rows, two_models};
use crate::harness::Dir;
use serde_json::{Value, json};

#[test]
fn compact_and_report_name_the_counter() {
    let dir = two_models();
    dir.epitome("compact in.jsonl -o out --counter cl100k_base").ok();
    assert!(dir.entries().iter().all(|entry| entry["counter"] == "cl100k_base"));
}

#[test]
fn the_pages_of_a_report_name_the_counters() {
    let dir = two_models();
    dir.write(
        "in.jsonl",
        crate::talk::talk("a", 8).replacen('{', "{\"model\": \"gpt-4o\", ", 1)
            + &crate::talk::talk("b", 8),
    );
    let cut = crate::talk::CUT;
    dir.epitome(&format!("compact in.jsonl -o out {cut} --report one.md --report one.html")).ok();
    assert!(
        dir.read("one.md").contains("\nTokens are counted by `approx`.\n")
            && dir.read("one.html").contains("<code>approx</code>.</p>"),
        "{}",
        dir.read("one.html")
    );
    assert!(!dir.read("one.md").contains("| counter |"));
    dir.epitome(&format!("compact in.jsonl -o more {cut} --counter auto --report more.md")).ok();
    let page = dir.read("more.md");
    for wanted in [
        "Tokens are counted by `approx`, `o200k_base`, each",
        "| place | counter | tokens before |",
        "| `in.jsonl:1` | `o200k_base` | ",
    ] {
        assert!(page.contains(wanted), "{page}");
    }
}

#[test]
fn an_estimate_is_shown_beside_the_exact_count() {
    let dir = two_models();
    let plain = dir.epitome("count --compare in.jsonl").ok();
    assert!(
        plain.stdout().contains("by o200k_base (")
            && plain.stdout().contains("approx against o200k_base on 1 transcript"),
        "{}",
        plain.stdout()
    );
    let rows = rows(dir.epitome("count --json --compare=r50k_base in.jsonl").ok().stdout());
    assert_eq!(rows[2]["compared"][0]["transcripts"], 2);
    assert_eq!(
        (&rows[0]["compared"]["counter"], &rows[2]["compared"][0]["against"]),
        (&json!("r50k_base"), &json!("r50k_base"))
    );
    let rows = self::rows(dir.epitome("count --json --compare in.jsonl").ok().stdout());
    assert_eq!((&rows[1]["compared"], &rows[2]["not_compared"]), (&Value::Null, &json!(1)));
}

#[test]
fn every_number_of_a_mix_names_its_counter() {
    let dir = two_models();
    dir.write("more.jsonl", dir.read("in.jsonl").replace("gpt-4o", "gpt-4"));
    let text = dir.epitome("count --compare in.jsonl more.jsonl").ok().stdout().to_owned();
    for wanted in [
        "\ncounted by approx\n",
        "\napprox against cl100k_base on 1 transcript: ",
        "\napprox against o200k_base on 1 transcript: ",
        "\nnot compared: 2 transcripts\n",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
    let text = dir.epitome("count --counter auto in.jsonl more.jsonl").ok().stdout().to_owned();
    let counters = ["o200k_base", "approx", "cl100k_base", "approx"];
    assert!(
        text.lines()
            .zip(counters)
            .all(|(line, counter)| line.contains(&format!("tokens by {counter} "))),
        "{text}"
    );
    assert!(text.ends_with("counted by approx, cl100k_base, o200k_base\n"), "{text}");
    let rows =
        rows(dir.epitome("count --json --compare --counter cjk in.jsonl more.jsonl").ok().stdout());
    let total = rows.last().unwrap();
    let pairs: Vec<_> = total["compared"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair["counter"].as_str().unwrap(), pair["against"].as_str().unwrap()))
        .collect();
    assert_eq!(pairs, [("cjk", "approx"), ("cjk", "cl100k_base"), ("cjk", "o200k_base")]);
    assert_eq!(total["counters"], json!(["cjk"]));
}

#[test]
fn a_dry_run_names_its_counter() {
    let dir = two_models();
    let first = |command: &str| {
        dir.epitome(command).ok().stdout().lines().next().unwrap_or_default().to_owned()
    };
    assert!(first("plan in.jsonl --counter cjk").ends_with(" tokens by cjk"));
    assert!(first("plan in.jsonl --counter auto").ends_with(" tokens by o200k_base"));
    dir.write("in.jsonl", crate::talk::talk("t", 8));
    let cut = first(&format!("plan in.jsonl --counter cjk {}", crate::talk::CUT));
    assert!(cut.contains(" tokens by cjk and a summary of at most "), "{cut}");
}

#[test]
fn a_counter_is_not_compared_with_itself() {
    let dir = two_models();
    for words in [
        "--compare=approx",
        "--compare=cl100k_base --counter cl100k_base",
        "--compare --counter auto",
    ] {
        dir.epitome(&format!("count in.jsonl {words}"))
            .fails(2)
            .says(["--compare", "that is the counter itself"]);
    }
    // Where it only happens to be the same, a transcript is not said to have none.
    let text =
        dir.epitome("count --compare --counter o200k_base in.jsonl").ok().stdout().to_owned();
    assert!(!text.lines().next().unwrap().contains("no exact counter"), "{text}");
}

#[test]
fn where_no_exact_counter_is_known_it_is_said_at_once() {
    let dir = two_models();
    // Of the models in the log it is said where they stand; of one that the user names, before
    // anything is counted.
    let lines = dir.epitome("count --compare in.jsonl").ok().stdout().to_owned();
    let lines: Vec<&str> = lines.lines().collect();
    assert!(
        lines[1].contains("no exact counter is known for its model")
            && lines.last().unwrap().ends_with("not compared: 1 transcript"),
        "{lines:#?}"
    );
    dir.epitome("count --compare --model anthropic:claude-opus-4-5 in.jsonl")
        .fails(2)
        .says(["anthropic:claude-opus-4-5", "--compare=o200k_base"]);
    dir.epitome("count --compare=cl100k_base --model anthropic:claude-opus-4-5 in.jsonl").ok();
}

#[test]
fn reported_usage_stands_beside_the_count() {
    let dir = Dir::new();
    let answer = json!({ "role": "assistant", "content": "Two.", "usage_metadata": { "input_tokens": 90, "output_tokens": 10, "total_tokens": 100 } });
    dir.write("in.jsonl", json!({ "messages": [{ "role": "user", "content": "One?" }, answer, { "role": "user", "content": "Three?" }] }).to_string());
    let row = &rows(dir.epitome("count --json --counter o200k_base in.jsonl").ok().stdout())[0];
    let counted = row["usage"]["counted"].as_u64().unwrap();
    assert!(
        (5..20).contains(&counted)
            && row["usage"]["reported"] == 100
            && row["usage"]["message"] == 1,
        "{row}"
    );
    assert!((row["usage"]["ratio"].as_f64().unwrap() - 100.0 / counted as f64).abs() < 0.001);
    let text = dir.epitome("count --counter o200k_base in.jsonl").ok();
    assert!(
        text.stdout().contains(&format!("the log reports 100 for {counted} of them (ratio ")),
        "{}",
        text.stdout()
    );
    let plan = &rows(dir.epitome("plan --json --counter o200k_base in.jsonl").ok().stdout())[0];
    assert_eq!(plan["usage"], row["usage"]);
}

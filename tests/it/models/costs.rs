//! The limits of calls and costs, and answers from the cache.

use super::support::{SUMMARY, chat, compact};
use crate::harness::Dir;
use crate::talk::{CUT, talk};
use httpmock::prelude::*;
use serde_json::Value;

#[test]
fn an_answer_is_paid_once() {
    let (dir, server) = (Dir::new(), MockServer::start());
    // Two of them are the same conversation.
    dir.write("in.jsonl", ["a", "b", "a", "c"].map(|name| talk(name, 40)).concat());
    let mock = server.mock(|_, then| {
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    compact(&dir, &server, "").ok();
    mock.assert_calls(3);
    let first = dir.read("out/in.jsonl");
    assert_eq!(dir.report()["totals"]["asked"]["cache_hits"], 1);
    compact(&dir, &server, "--force").ok();
    mock.assert_calls(3);
    assert_eq!(dir.read("out/in.jsonl"), first);
    let totals = &dir.report()["totals"]["asked"];
    assert_eq!(
        (&totals["cache_hits"], &totals["calls"], &totals["input_tokens"]),
        (&4.into(), &0.into(), &0.into())
    );
    compact(&dir, &server, "--force --set summarizer.temperature=1").ok();
    mock.assert_calls(6);
}

#[test]
fn limits_stop_the_calls_and_not_the_run() {
    let (dir, server) = (Dir::new(), MockServer::start());
    dir.write("in.jsonl", (0..5).map(|number| talk(&format!("t{number}"), 8)).collect::<String>());
    let mock = server.mock(|_, then| {
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    compact(&dir, &server, "--set summarizer.max_calls=2").fails(3).says(["summarizer.max_calls"]);
    mock.assert_calls(2);
    assert_eq!(
        (&dir.report()["totals"]["compacted"], &dir.report()["totals"]["failed"]),
        (&2.into(), &3.into())
    );
    // What was answered before counts nothing; a dollar is enough for two calls more.
    compact(
        &dir,
        &server,
        "--force --set summarizer.concurrency=1 --set summarizer.price=1000,1000 --set summarizer.max_cost=1.7",
    )
    .fails(3)
    .says(["summarizer.max_cost"]);
    mock.assert_calls(4);
    compact(&dir, &server, "--force --set summarizer.max_calls=1").ok();
    mock.assert_calls(5);
}

#[test]
fn no_estimate_and_no_silent_server_voids_the_limit_of_cost() {
    let (dir, server) = (Dir::new(), MockServer::start());
    dir.write("in.jsonl", (0..5).map(|number| talk(&format!("t{number}"), 8)).collect::<String>());
    let mut silent = chat(SUMMARY, "stop");
    silent.as_object_mut().unwrap().remove("usage");
    let mock = server.mock(|_, then| {
        then.status(200).json_body(silent);
    });
    let limit = "--set summarizer.concurrency=1 --set summarizer.price=1000,0 --set summarizer.max_cost=1.2";
    compact(&dir, &server, limit).fails(3).says(["summarizer.max_cost"]);
    let asked = mock.calls();
    assert!((1..5).contains(&asked), "{asked}");
    // A configuration that is found may estimate with any counter.
    dir.write("epitome.toml", "chars_per_token = 100000000\n");
    let again = format!("--force --set summarizer.temperature=1 {limit}");
    compact(&dir, &server, &again).fails(3).says(["summarizer.max_cost"]);
    assert!(mock.calls() <= 2 * asked, "{}", mock.calls());
}

#[test]
fn plan_says_what_it_will_cost_and_asks_nobody() {
    let (dir, server) = (Dir::new(), MockServer::start());
    dir.write(
        "in.jsonl",
        ["a", "b", "a", "short"]
            .map(|name| talk(name, if name == "short" { 2 } else { 40 }))
            .concat(),
    );
    let mock = server.mock(|_, then| {
        then.status(200).json_body(chat(SUMMARY, "stop"));
    });
    let plan = |options: &str| {
        let url = server.base_url();
        dir.epitome(&format!("plan in.jsonl {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={url} --set summarizer.cache=cache {options}"))
    };
    let told = plan("--set summarizer.price=1000,0 --set summarizer.max_calls=1").ok();
    let last = told.stdout().lines().last().unwrap();
    assert!(
        last.starts_with(
            "3 summaries by small, 1 of them answered before or asked twice: 2 calls, about "
        ),
        "{last}"
    );
    assert!(
        last.contains("$") && last.ends_with("more than summarizer.max_calls 1 allows"),
        "{last}"
    );
    assert!(!dir.exists("cache"), "a dry run writes nothing");
    mock.assert_calls(0);
    compact(&dir, &server, "").ok();
    let told = plan("").ok();
    assert!(
        told.stdout().contains(": 0 calls, about 0 tokens in")
            && told.stdout().contains("price not known"),
        "{}",
        told.stdout()
    );
    let told =
        plan("--json --set summarizer.price=1,1").ok().says(["3 summaries by small", "0 calls"]);
    let lines: Vec<Value> =
        told.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["asks"]["cache_hit"]), (4, &true.into()));
    assert_eq!(lines[0]["asks"]["id"], dir.entries()[0]["asked"]["id"]);
    assert_eq!(lines[3].get("asks"), None);
    // What was expected is what the server then counted, about.
    let known = dir
        .epitome(&format!(
            "plan in.jsonl {CUT} --summarizer http --set summarizer.model=openai:gpt-5.2 --set summarizer.cache="
        ))
        .ok();
    assert!(
        known.stdout().contains("3 summaries by gpt-5.2")
            && known.stdout().contains("at most about $0."),
        "{}",
        known.stdout()
    );
}

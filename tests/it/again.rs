//! Compacting a result again: nothing changes below the trigger, nothing is archived twice, no
//! summary of a summary alone.

use crate::harness::Dir;
use crate::talk::{CUT, log, message, talk, text, with_result};

/// The messages of the first line of a file.
fn messages(dir: &Dir, path: &str) -> Vec<serde_json::Value> {
    let line: serde_json::Value =
        serde_json::from_str(dir.read(path).lines().next().unwrap()).unwrap();
    line["messages"].as_array().unwrap().clone()
}

#[test]
fn below_the_trigger_nothing_changes() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8) + &with_result("r", "call", &log(40)))
        .write("policy.toml", "[evict]\ntokens = 400\n");
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --config policy.toml")).ok();
    assert!(
        dir.exists("out/conversation_history/t.md") && dir.exists("out/large_tool_results/r/call")
    );
    dir.epitome(&format!("compact out/in.jsonl -o again {CUT} --config policy.toml")).ok();
    let tree = dir.tree("again");
    assert_eq!(
        tree.keys().collect::<Vec<_>>(),
        ["in.jsonl", "originals/manifest.jsonl", "report.json"],
        "nothing is archived again"
    );
    assert_eq!(tree["in.jsonl"], dir.bytes("out/in.jsonl"));
    dir.epitome(&format!("plan out/in.jsonl {CUT} --config policy.toml --check")).ok();
}

#[test]
fn a_summary_is_never_summarised_alone() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    assert_eq!(messages(&dir, "out/in.jsonl").len(), 3);
    // The trigger fires on what is left, and all that lies before the cutoff is the summary.
    let ran =
        dir.epitome("compact out/in.jsonl -o again --trigger messages=2 --keep messages=2").ok();
    assert_eq!(dir.read("again/in.jsonl"), dir.read("out/in.jsonl"), "{}", ran.stderr);
    assert!(!dir.exists("again/conversation_history"));
}

#[test]
fn a_chain_archives_each_message_once_and_never_a_summary() {
    let dir = Dir::new();
    dir.write("1.jsonl", talk("t", 8));
    dir.epitome(&format!("compact 1.jsonl -o one {CUT}")).ok();
    // The session goes on for six messages.
    let more: Vec<String> = (8..14).map(|number| message("t", number)).collect();
    let first = dir.read("one/1.jsonl");
    dir.write(
        "2.jsonl",
        format!("{}, {}]}}\n", first.trim_end().strip_suffix("]}").unwrap(), more.join(", ")),
    );
    dir.epitome(&format!("compact 2.jsonl -o two {CUT}")).ok();
    let archives =
        dir.read("one/conversation_history/t.md") + &dir.read("two/conversation_history/t.md");
    for number in 0..12 {
        assert_eq!(archives.matches(&text("t", number)).count(), 1, "message {number}");
    }
    assert!(
        !archives.contains("has been summarized") && !archives.contains("<summary>"),
        "{archives}"
    );
    let left = messages(&dir, "two/2.jsonl");
    assert_eq!(left.len(), 3, "one summary, not two");
    assert!(left[0]["content"].as_str().unwrap().contains("<summary>"));
    assert_eq!(left[1]["content"], text("t", 12));
}

#[test]
fn a_user_who_quotes_a_frame_is_no_summary() {
    let dir = Dir::new();
    let quote = crate::talk::quoted(
        "You are in the middle of a conversation that has been summarized. What does that mean?",
    );
    let rest: Vec<String> = (1..8).map(|number| message("t", number)).collect();
    dir.write("in.jsonl", format!("{{\"thread_id\": \"t\", \"messages\": [{{\"role\": \"user\", \"content\": {quote}}}, {}]}}\n", rest.join(", ")));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    assert!(
        dir.read("out/conversation_history/t.md").contains("What does that mean?"),
        "it is archived as any other message"
    );
}

#[test]
fn running_twice_gives_the_same_bytes() {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        (0..20).map(|number| talk(&format!("t{number}"), 5 + number)).collect::<String>(),
    );
    dir.epitome(&format!("compact in.jsonl -o one {CUT}")).ok();
    dir.epitome(&format!("compact in.jsonl -o two {CUT}")).ok();
    assert_eq!(dir.tree("one"), dir.tree("two"));
}

#[test]
fn plan_and_compact_agree() {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        (0..12).map(|number| talk(&format!("t{number}"), number)).collect::<String>()
            + &with_result("r", "call", &log(40)),
    );
    dir.write("policy.toml", "[evict]\ntokens = 100\n");
    let options = format!("in.jsonl --config policy.toml {CUT}");
    let planned = dir.epitome(&format!("plan {options} --json")).ok();
    dir.epitome(&format!("compact {options} -o out")).ok();
    let entries = dir.entries();
    assert_eq!(planned.stdout().lines().count(), entries.len());
    for (line, entry) in planned.stdout().lines().zip(entries) {
        let plan: serde_json::Value = serde_json::from_str(line).unwrap();
        for field in [
            "thread_id", "line", "messages_before", "messages_after", "tokens_before",
            "total_tokens", "reasons",
        ] {
            assert_eq!(plan[field], entry[field], "{field} of {}", plan["thread_id"]);
        }
        assert_eq!(plan["status"], entry["status"]);
        if entry["summarized"] == false {
            assert_eq!(plan["tokens_after"], entry["tokens_after"]);
        }
    }
}

/// A round of a session: other bookings come and go, the first one is asked for again.
fn round(number: usize) -> Vec<String> {
    let mut messages = vec![
        format!(r#"{{"role": "user", "content": "Round {number}: how far is it?"}}"#),
        r#"{"role": "assistant", "content": "Refund RF-90417-Q is not settled yet, I look on."}"#
            .to_owned(),
    ];
    for step in 0..12 {
        let id = format!("call_{number}_{step}");
        let call = format!(
            r#"{{\"booking_id\": \"BK-{number}{step:02}777\", \"agent\": \"agent_{step}\"}}"#
        );
        let result = format!(
            r#"{{\"status\": \"ok\", \"invoice\": \"INV-{number}{step:02}88\", \"ledger\": \"LG{number}{step:02}55X\", \"note\": \"{}\"}}"#,
            log(3).replace('\n', " ")
        );
        messages.push(format!(
            r#"{{"role": "assistant", "content": null, "tool_calls": [{{"id": "{id}", "type": "function", "function": {{"name": "look_up", "arguments": "{call}"}}}}]}}"#
        ));
        messages
            .push(format!(r#"{{"role": "tool", "tool_call_id": "{id}", "content": "{result}"}}"#));
    }
    messages
}

#[test]
fn a_fact_that_is_still_spoken_of_survives_three_rounds() {
    let dir = Dir::new();
    let goal = r#"{"role": "user", "content": "Settle the refund for the Alvarez family before Friday; never call them by phone."}"#;
    let found = r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "c0", "type": "function", "function": {"name": "find", "arguments": "{\"name\": \"Alvarez\"}"}}]},
        {"role": "tool", "tool_call_id": "c0", "content": "{\"refund_id\": \"RF-90417-Q\", \"iban\": \"NL91ABNA0417164300\"}"}"#;
    let mut line =
        format!(r#"{{"thread_id": "t", "messages": [{goal}, {}"#, found.replace('\n', " "));
    for number in 1..=3 {
        line = format!("{line}, {}", round(number).join(", "));
        dir.write("in.jsonl", format!("{line}]}}\n"));
        dir.epitome(&format!("compact in.jsonl -o out{number} --trigger messages=10 --keep messages=4 --summary-tokens 300")).ok();
        let out = dir.read(&format!("out{number}/in.jsonl"));
        let left = messages(&dir, &format!("out{number}/in.jsonl"));
        let summary = left[0]["content"].as_str().unwrap();
        assert_eq!(out.matches("has been summarized").count(), 1, "round {number}");
        for fact in ["RF-90417-Q", "Alvarez family before Friday; never call them by phone"] {
            assert!(summary.contains(fact), "round {number} lost {fact}:\n{summary}");
        }
        line = out.trim_end().strip_suffix("]}").unwrap().to_owned();
    }
}

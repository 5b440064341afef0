//! `epitome replay` as its users run it.

use crate::harness::Dir;
use crate::talk::{CUT, log, message, quoted, talk, text, with_result};
use serde_json::{Value, json};

fn lines(dir: &Dir, name: &str) -> Vec<Value> {
    dir.read(name)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn calls(dir: &Dir) -> Vec<Value> {
    lines(dir, "out/replay.jsonl")
}

/// One key of all calls.
fn column(calls: &[Value], key: &str) -> Vec<Value> {
    calls.iter().map(|call| call[key].clone()).collect()
}

fn roles(sample: &Value) -> Vec<&str> {
    sample["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect()
}

/// The texts of the messages that are trained on.
fn trained(sample: &Value) -> Vec<&str> {
    let messages = sample["messages"].as_array().unwrap().iter();
    messages
        .filter(|message| message["role"] == "assistant" && message["weight"] != 0)
        .map(|message| message["content"].as_str().unwrap())
        .collect()
}

#[test]
fn every_summary_is_a_section_of_the_archive_and_each_call_goes_on_from_the_last() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 16));
    dir.epitome(&format!("replay in.jsonl -o out {CUT}")).ok();
    let calls = calls(&dir);
    assert_eq!(column(&calls, "at"), [1, 3, 5, 7, 9, 11, 13, 15]);
    assert_eq!(column(&calls, "n_sent"), [1, 3, 5, 3, 5, 3, 5, 3]);
    assert_eq!(
        column(&calls, "cutoff_index"),
        [None, None, None, Some(5), None, Some(9), None, Some(13)].map(|index| json!(index))
    );
    assert_eq!(
        column(&calls, "cache"),
        [
            "first", "hit", "hit", "broken", "hit", "broken", "hit", "broken"
        ]
    );
    assert_eq!(calls[3]["summarized_messages"], 5);
    assert!(
        calls[3]["reasons"][3]["why"]
            .as_str()
            .unwrap()
            .contains("trigger messages=6 reached")
    );
    let archive = dir.read("out/conversation_history/t.md");
    let sections: Vec<&str> = archive
        .split("## Summarized at 2026-01-01T00:00:00+00:00\n\n")
        .skip(1)
        .collect();
    assert_eq!(sections.len(), 3);
    for (number, section) in [(0..5), (5..9), (9..13)].into_iter().zip(sections) {
        let turns: Vec<String> = number
            .map(|number| format!("{}: {}", ["Human", "AI"][number % 2], text("t", number)))
            .collect();
        assert_eq!(
            section,
            turns.join("\n") + "\n\n",
            "what was summarised, without the summary before"
        );
    }
    let entry = &dir.entries()[0];
    assert_eq!(
        (&entry["calls"], &entry["status"], &entry["archive"]),
        (
            &8.into(),
            &"compacted".into(),
            &"conversation_history/t.md".into()
        )
    );
    assert_eq!(
        column(entry["compactions"].as_array().unwrap(), "at"),
        [7, 11, 15]
    );
    let saved =
        entry["logged"]["tokens"].as_i64().unwrap() - entry["sent"]["tokens"].as_i64().unwrap();
    assert_eq!(entry["tokens_saved"], saved);
    assert_eq!(
        calls
            .iter()
            .map(|call| call["tokens_sent"].as_i64().unwrap())
            .sum::<i64>(),
        entry["sent"]["tokens"].as_i64().unwrap()
    );
}

#[test]
fn policies_that_count_differently_are_each_compared_with_the_log_as_they_count_it() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 16)).write(
        "early.toml",
        "[summarize]\ntrigger = [{ messages = 6 }]\nkeep = { messages = 2 }\n",
    );
    dir.write(
        "other.toml",
        format!("counter = \"cjk\"\n{}", dir.read("early.toml")),
    );
    let run = dir.epitome("replay in.jsonl -o out --policy early=early.toml --policy other=other.toml --policy deepagents").ok();
    let table: Vec<Vec<&str>> = run
        .stdout()
        .lines()
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect()
        })
        .collect();
    let names: Vec<&str> = table
        .iter()
        .map(|row| row[0])
        .take_while(|name| !name.contains(':'))
        .collect();
    assert_eq!(
        names,
        [
            "policy",
            "(as logged, approx)",
            "early",
            "deepagents",
            "(as logged, cjk)",
            "other"
        ],
        "{}",
        run.stdout()
    );
    for (name, row, logged) in [("early", 2, 1), ("deepagents", 3, 1), ("other", 5, 4)] {
        let report: Value =
            serde_json::from_slice(&dir.bytes(&format!("out/{name}/report.json"))).unwrap();
        let tokens = |of: &str| report["totals"][of]["tokens"].as_u64().unwrap();
        let shown = |row: usize| table[row][2].replace(',', "").parse::<u64>().unwrap();
        assert_eq!(
            (shown(row), shown(logged)),
            (tokens("sent"), tokens("logged")),
            "{name}: {}",
            run.stdout()
        );
    }
    assert_ne!(table[1][2], table[4][2], "the two count differently");
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
    let table: Vec<Vec<&str>> = run
        .stdout()
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let row = |name: &str| {
        table
            .iter()
            .find(|row| row.first() == Some(&name))
            .unwrap_or_else(|| panic!("{name}: {}", run.stdout()))
            .clone()
    };
    assert_eq!(row("policy")[..3], ["policy", "calls", "tokens"]);
    assert_eq!(row("(as")[2], "8");
    assert_eq!(
        (row("deepagents")[1], row("deepagents")[5]),
        ("8", "0"),
        "nothing to do for it"
    );
    assert_eq!((row("early")[1], row("early")[5]), ("8", "3"));
    assert!(row("early")[3].starts_with('-'), "tokens saved");
    // The same as alone, but for the directory.
    dir.epitome("replay in.jsonl -o alone --config early.toml --model m")
        .ok();
    assert_eq!(
        dir.read("alone/replay.jsonl"),
        dir.read("out/early/replay.jsonl")
    );
    assert_eq!(
        dir.tree("alone/conversation_history"),
        dir.tree("out/early/conversation_history")
    );
    let report: Value = serde_json::from_slice(&dir.bytes("out/early/report.json")).unwrap();
    let (sent, cost) = (&report["totals"]["sent"], &report["totals"]["cost"]["sent"]);
    let (tokens, cached) = (
        sent["tokens"].as_f64().unwrap(),
        sent["cached"].as_f64().unwrap(),
    );
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
        run.stdout()
            .contains("no price is known for the model of 2 of 2 calls"),
        "{}",
        run.stdout()
    );
    assert_eq!(dir.entries()[0]["cost"], Value::Null);
    let run = dir
        .epitome("replay in.jsonl -o two --model openai:gpt-5.2")
        .ok();
    assert!(
        run.stdout().contains("no price is known for cached input"),
        "{}",
        run.stdout()
    );
}

#[test]
fn a_summary_behind_all_that_was_sent_before_breaks_no_cache() {
    let dir = Dir::new();
    let first = r#"{"messages": [{"role": "system", "content": "be brief"}, {"role": "assistant", "content": "hello"}, {"role": "user", "content": "a long question"}, {"role": "user", "content": "and more of it"}, {"role": "assistant", "content": "yes"}]}"#;
    dir.write("first.jsonl", format!("{first}\n"))
        .write("allow.toml", "[summarize]\non_growth = \"allow\"\n");
    dir.epitome(
        "replay first.jsonl -o out --config allow.toml --trigger messages=3 --keep messages=1",
    )
    .ok();
    assert_eq!(
        (
            column(&calls(&dir), "cache"),
            column(&calls(&dir), "summarized")
        ),
        (
            vec!["first".into(), "hit".into()],
            vec![false.into(), true.into()]
        )
    );
}

#[test]
fn a_gap_that_is_longer_than_the_cache_lives_is_a_miss() {
    let dir = Dir::new();
    let timed = |number: usize, seconds: usize| {
        message("t", number).replacen(
            '{',
            &format!("{{\"timestamp\": {}, ", 1_767_225_600 + seconds),
            1,
        )
    };
    let messages: Vec<String> = (0..8)
        .map(|number| timed(number, [0, 1, 10, 11, 500, 501, 510, 511][number]))
        .collect();
    dir.write(
        "in.jsonl",
        format!("{{\"messages\": [{}]}}\n", messages.join(", ")),
    );
    dir.epitome("replay in.jsonl -o out").ok();
    assert_eq!(
        column(&calls(&dir), "cache"),
        ["first", "hit", "expired", "hit"]
    );
    // Where only answers have times, a call was made at about that of its answer.
    let answers = [0, 1, 10_000, 10_001]
        .map(|second| format!(r#"{{"role": "user", "content": "q"}}, {{"role": "assistant", "content": "a", "created": {}}}"#, 1_767_225_600 + second));
    dir.write(
        "answers.jsonl",
        format!("{{\"messages\": [{}]}}\n", answers.join(", ")),
    );
    dir.epitome("replay answers.jsonl -o out --force").ok();
    assert_eq!(
        column(&calls(&dir), "cache"),
        ["first", "hit", "expired", "hit"]
    );
    let cached = column(&calls(&dir), "cached_tokens");
    assert_eq!(
        (&cached[2], &cached[3]),
        (&0.into(), &calls(&dir)[2]["tokens_sent"])
    );
    dir.epitome("replay in.jsonl -o patient --cache-life 3600")
        .ok();
    assert_eq!(
        column(&lines(&dir, "patient/replay.jsonl"), "cache"),
        ["first", "hit", "hit", "hit"]
    );
}

#[cfg(unix)]
#[test]
fn a_summary_that_fails_costs_its_call_and_the_next_one_tries_again() {
    let dir = Dir::new();
    let script = dir.script("summarize", "cat > prompt; if [ ! -e tried ]; then touch tried; echo not now >&2; exit 1; fi; echo Bookings.");
    dir.write("in.jsonl", talk("t", 10));
    dir.epitome(&format!(
        "replay in.jsonl -o out {CUT} --summarizer command:{script}"
    ))
    .fails(3)
    .says(["in.jsonl:1: at message 7: ", "not now"]);
    let calls = calls(&dir);
    assert_eq!(
        column(&calls, "summarized"),
        [false, false, false, false, true]
    );
    assert_eq!(
        (&calls[3]["n_sent"], &calls[3]["tokens_sent"]),
        (&7.into(), &calls[3]["tokens_logged"]),
        "sent as it was"
    );
    assert!(calls[3]["error"].as_str().unwrap().contains("not now"));
    assert_eq!(
        dir.read("out/conversation_history/t.md")
            .matches("## Summarized")
            .count(),
        1
    );
    assert_eq!(
        (
            &dir.entries()[0]["status"],
            &dir.entries()[0]["failed_summaries"]
        ),
        (&"failed".into(), &1.into())
    );
}

#[test]
fn a_large_result_is_evicted_when_it_arrives() {
    let dir = Dir::new();
    let result = log(200);
    let line = with_result("t", "call_1", &result).trim_end().replace(
        "]}",
        &format!(", {}, {}]}}", message("t", 1), message("t", 2)),
    );
    dir.write("in.jsonl", line + "\n")
        .write("policy.toml", "[evict]\ntokens = 1000\n");
    dir.epitome("replay in.jsonl -o out --config policy.toml --segments")
        .ok();
    let calls = calls(&dir);
    assert_eq!(
        column(&calls, "evicted"),
        [Value::Null, json!(["call_1"]), Value::Null]
    );
    assert_eq!(dir.read("out/large_tool_results/t/call_1"), result);
    let sample = &lines(&dir, "out/segments.jsonl")[0];
    assert!(
        sample["messages"][2]["content"]
            .as_str()
            .unwrap()
            .starts_with("Tool result too large")
    );
}

#[test]
fn what_would_not_fit_is_evicted_as_compact_does_it_wherever_it_stands() {
    let dir = Dir::new();
    // The result in the middle is too large by itself; the others go only where the list does not
    // fit.
    let exchange = |id: &str, lines: usize| {
        let call =
            json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}});
        let result =
            json!({"role": "tool", "tool_call_id": id, "content": "some words\n".repeat(lines)});
        [
            json!({"role": "assistant", "content": null, "tool_calls": [call]}),
            result,
        ]
    };
    let user = |text: &str| [json!({"role": "user", "content": text})];
    let messages: Vec<Value> = user("do it")
        .into_iter()
        .chain(exchange("c1", 180))
        .chain(exchange("c2", 800))
        .chain(exchange("c3", 180))
        .chain(user("and now?"))
        .collect();
    dir.write(
        "in.jsonl",
        json!({"thread_id": "t", "messages": messages}).to_string(),
    );
    dir.write("p.toml", "max_input_tokens = 1100\n[evict]\ntokens = 1000\n[summarize]\ntrigger = [{ tokens = 100000 }]\nkeep = { messages = 6 }\n");
    dir.epitome("compact in.jsonl -o compacted --config p.toml")
        .ok();
    let report: Value = serde_json::from_str(&dir.read("compacted/report.json")).unwrap();
    let compacted = &report["transcripts"][0];
    assert_eq!(compacted["evicted"], json!(["c1", "c2", "c3"]));
    dir.epitome("replay in.jsonl -o out --config p.toml").ok();
    let calls = calls(&dir);
    let last = calls.last().unwrap();
    assert_eq!(
        (&last["tokens_sent"], &last["reasons"]),
        (&compacted["tokens_after"], &compacted["reasons"])
    );
    let entry = &dir.entries()[0];
    assert_eq!(
        (&entry["status"], &entry["evicted"]),
        (&"compacted".into(), &json!(["c2", "c1", "c3"])),
        "in the order of the calls that they are left out of"
    );
    assert_eq!(
        (&calls[2]["evicted"], &last["evicted"]),
        (&json!(["c2"]), &json!(["c1", "c3"]))
    );
    for result in ["c1", "c2", "c3"] {
        let file = format!("large_tool_results/t/{result}");
        assert_eq!(
            dir.read(&format!("out/{file}")),
            dir.read(&format!("compacted/{file}"))
        );
    }
}

#[test]
fn threads_of_one_file_replay_on_their_own() {
    let dir = Dir::new();
    let threads = ["main", "agent"];
    let turn = |thread: &str, number: usize| {
        message(thread, number).replacen('{', &format!("{{\"session_id\": {}, ", quoted(thread)), 1)
    };
    let mixed: Vec<String> = (0..16)
        .map(|number| turn(threads[number % 2], number / 2))
        .collect();
    dir.write("in.jsonl", mixed.join("\n") + "\n")
        .write("alone.jsonl", talk("agent", 8));
    dir.epitome(&format!("replay in.jsonl -o out {CUT} --segments"))
        .ok();
    dir.epitome(&format!("replay alone.jsonl -o alone {CUT}"))
        .ok();
    let of = |name: &str, thread: &str| -> Vec<Value> {
        let keys = [
            "at",
            "n_sent",
            "total_tokens",
            "tokens_sent",
            "cutoff_index",
            "cached_tokens",
        ];
        let calls = lines(&dir, name)
            .into_iter()
            .filter(|call| call["thread_id"] == thread);
        calls
            .map(|call| keys.iter().map(|key| call[key].clone()).collect())
            .collect()
    };
    assert_eq!(
        of("out/replay.jsonl", "agent"),
        of("alone/replay.jsonl", "agent")
    );
    assert_eq!(of("out/replay.jsonl", "main").len(), 4);
    let samples = lines(&dir, "out/segments.jsonl");
    assert_eq!(
        column(&samples, "session_id"),
        ["main", "main", "agent", "agent"]
    );
}

#[test]
fn a_bad_record_costs_only_itself() {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        format!("{}{{\"messages\": 5}}\n{}", talk("a", 4), talk("b", 4)),
    );
    dir.epitome("replay in.jsonl -o out")
        .fails(3)
        .says(["in.jsonl:2:", "messages is a number"]);
    assert_eq!(column(&calls(&dir), "thread_id"), ["a", "a", "b", "b"]);
    assert_eq!(
        column(&dir.entries(), "status"),
        ["unchanged", "failed", "unchanged"]
    );
}

#[test]
fn a_sample_is_a_stretch_between_two_compactions() {
    let dir = Dir::new();
    let record = talk("t", 12).replacen(
        "\"messages\"",
        "\"label\": 1.50, \"tools\": [ ], \"messages\"",
        1,
    );
    dir.write("in.jsonl", record);
    dir.epitome(&format!("replay in.jsonl -o out {CUT} --segments"))
        .ok();
    let samples = lines(&dir, "out/segments.jsonl");
    assert_eq!(samples.len(), 3);
    assert_eq!(
        roles(&samples[0]),
        [
            "user",
            "assistant",
            "user",
            "assistant",
            "user",
            "assistant"
        ]
    );
    assert_eq!(
        roles(&samples[1]),
        [
            "user",
            "assistant",
            "user",
            "assistant",
            "user",
            "assistant"
        ]
    );
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
    assert_eq!(
        samples[1]["messages"][1]["weight"], 0,
        "kept, but it was trained on before"
    );
    assert!(dir.read("out/segments.jsonl").lines().all(|line| {
        line.starts_with("{\"thread_id\": \"t\", \"label\": 1.50, \"tools\": [ ], \"messages\": [")
    }));
    assert_eq!(dir.entries()[0]["samples"], 3);
}

#[test]
fn each_call_can_be_a_sample() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 9));
    dir.epitome(&format!(
        "replay in.jsonl -o out {CUT} --per-call --train-key train"
    ))
    .ok();
    let samples = lines(&dir, "out/segments.jsonl");
    assert_eq!(
        samples
            .iter()
            .map(|sample| roles(sample).len())
            .collect::<Vec<_>>(),
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
        assert!(
            messages
                .iter()
                .all(|message| message.get("weight").is_none()
                    && (message["role"] == "assistant" || message.get("train").is_none()))
        );
    }
}

#[test]
fn turns_alternate_where_that_is_asked_for() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 12));
    dir.epitome(
        "replay in.jsonl -o out --trigger messages=6 --keep messages=1 --segments --alternate",
    )
    .ok();
    let samples = lines(&dir, "out/segments.jsonl");
    assert!(samples.len() > 1);
    for sample in &samples {
        assert!(
            roles(sample)
                .chunks(2)
                .all(|pair| pair == ["user", "assistant"]),
            "{:?}",
            roles(sample)
        );
    }
    let joined = samples[1]["messages"][0]["content"].as_str().unwrap();
    assert!(
        joined.starts_with("You are in the middle")
            && joined.ends_with(&format!("</summary>\n\n{}", text("t", 6))),
        "{joined}"
    );
    // What does not alternate by itself is told.
    dir.write(
        "two.jsonl",
        format!(
            "{{\"messages\": [{}, {}, {}]}}\n",
            message("t", 0),
            message("t", 1),
            message("t", 3)
        ),
    );
    dir.epitome("replay two.jsonl -o told --segments --alternate")
        .ok()
        .says(["1 of 1 samples do not alternate"]);
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
    dir.epitome("replay in.jsonl -o out --segments")
        .ok()
        .says(["no sample for 1 stretches"]);
    let samples = lines(&dir, "out/segments.jsonl");
    assert_eq!(samples.len(), 1);
    assert_eq!(trained(&samples[0]), [text("t", 3)]);
    // Keys may be spelled with escapes.
    let said = r#"{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "bad", "\u8bad\u7ec3": false}, {"role": "user", "content": "b"}, {"role": "assistant", "content": "so so", "weig\u0068t": 0}, {"role": "user", "content": "c"}, {"role": "assistant", "content": "good"}]}"#;
    dir.write("escaped.jsonl", format!("{said}\n"));
    dir.epitome("replay escaped.jsonl -o escaped --segments --train-key 训练")
        .ok();
    let sample = &lines(&dir, "escaped/segments.jsonl")[0];
    let told: Vec<&Value> = sample["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .map(|message| &message["训练"])
        .collect();
    assert_eq!(
        told,
        [&Value::Bool(false), &Value::Bool(false), &Value::Bool(true)]
    );
}

#[test]
fn a_sample_that_is_too_long_is_set_apart_and_told() {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        format!("{}{}", talk("short", 2), talk("long", 12)),
    );
    dir.epitome("replay in.jsonl -o out --segments --max-tokens 300 --summarizer none")
        .fails(1)
        .says(["in.jsonl:2: warning: 1 of 1 samples are longer than --max-tokens"]);
    assert_eq!(
        column(&lines(&dir, "out/segments.jsonl"), "thread_id"),
        ["short"]
    );
    assert_eq!(
        column(&lines(&dir, "out/segments-too-long.jsonl"), "thread_id"),
        ["long"]
    );
    assert_eq!(dir.report()["totals"]["samples_too_long"], 1);
    dir.epitome(&format!(
        "replay in.jsonl -o shorter {CUT} --segments --max-tokens 600"
    ))
    .ok();
    assert!(!dir.exists("shorter/segments-too-long.jsonl"));
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
            (1..8)
                .map(|number| message("t", number))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    );
    dir.write(
        "policy.toml",
        "[truncate]\ntrigger = [{ messages = 4 }]\nkeep = { messages = 4 }\nmax_length = 50\n",
    );
    dir.epitome("replay in.jsonl -o out --config policy.toml --segments")
        .ok();
    let calls = calls(&dir);
    assert_eq!(column(&calls, "truncated_args"), [0, 0, 0, 1, 1]);
    assert_eq!(
        column(&calls, "cache"),
        ["first", "hit", "hit", "broken", "hit"]
    );
    let samples = lines(&dir, "out/segments.jsonl");
    let written = |sample: &Value| {
        sample["messages"][1]["tool_calls"][0]["function"]["arguments"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(samples.len(), 2);
    assert!(
        written(&samples[0]).contains(&"x".repeat(100)),
        "trained on as it was logged"
    );
    assert_eq!(
        serde_json::from_str::<Value>(&written(&samples[1])).unwrap()["content"],
        format!("{}...(argument truncated)", "x".repeat(20))
    );
    assert_eq!(samples[1]["messages"][1]["weight"], 0);
}

#[test]
fn a_call_that_the_model_would_have_refused_is_counted() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 12));
    let run = dir
        .epitome("replay in.jsonl -o out --max-input-tokens 400 --summarizer none")
        .ok();
    assert_eq!(dir.entries()[0]["refused_calls"], 2);
    assert_eq!(
        column(&calls(&dir), "refused"),
        [false, false, false, false, true, true]
    );
    assert!(run.stdout().contains("refused"));
    dir.epitome("replay in.jsonl -o checked --max-input-tokens 400 --summarizer none --check")
        .fails(1);
    dir.epitome("replay in.jsonl -o fits --max-input-tokens 400 --check")
        .ok();
}

#[test]
fn what_exists_is_not_replaced_and_wrong_options_are_named() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 4))
        .write("p.toml", "trigger = 1\n")
        .write("prices.toml", "[m]\ninptu = 1\n");
    dir.epitome("replay in.jsonl -o out").ok();
    dir.epitome("replay in.jsonl -o out")
        .fails(2)
        .says(["replay.jsonl exists", "--force"]);
    dir.epitome("replay in.jsonl -o out --force").ok();
    for (words, wanted) in [
        ("-o -", "several files"),
        (
            "-o x --policy nobody",
            "neither NAME=FILE nor a preset (deepagents, ",
        ),
        ("-o x --policy ../x=p.toml", "the name becomes a directory"),
        (
            "-o x --policy a=p.toml",
            "--policy a: p.toml:1:1: trigger: no such key",
        ),
        (
            "-o x --policy deepagents --policy deepagents",
            "there is another policy deepagents",
        ),
        ("-o x --prices prices.toml", "--prices prices.toml: "),
        (
            "-o x --segments --train-key content",
            "messages use that key",
        ),
    ] {
        dir.epitome(&format!("replay in.jsonl {words}"))
            .fails(2)
            .says([wanted]);
        assert!(!dir.exists("x"), "{words}: nothing is written");
    }
}

#[cfg(unix)]
#[test]
fn calls_whose_archive_cannot_be_written_are_left_out() {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{}{}", talk("a", 10), talk("b", 4)));
    // The history's directory is a file.
    dir.write("out/conversation_history", "");
    dir.epitome(&format!("replay in.jsonl -o out {CUT} --force --segments"))
        .fails(3)
        .says(["in.jsonl:1: ", "its calls are left out"]);
    assert_eq!(column(&calls(&dir), "thread_id"), ["b", "b"]);
    assert_eq!(
        column(&lines(&dir, "out/segments.jsonl"), "thread_id"),
        ["b"]
    );
    assert_eq!(column(&dir.entries(), "status"), ["failed", "unchanged"]);
}

/// Samples are chat messages, whatever the log is: calls without ids get some, images are told to
/// be missing.
#[test]
fn other_formats_become_chat_messages() {
    let dir = Dir::new();
    let gemini = r#"{"contents": [{"role": "user", "parts": [{"text": "Weather?"}]}, {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {"city": "Oslo"}}}]}, {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"t": 4}}}]}, {"role": "model", "parts": [{"text": "Four."}]}]}"#;
    let anthropic = r#"{"id": "a", "messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}, {"type": "text", "text": "Which?"}]}, {"role": "assistant", "content": [{"type": "tool_use", "id": "u1", "name": "look", "input": {"at": 1}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u1", "content": "a map"}]}, {"role": "assistant", "content": "A map."}]}"#;
    dir.write("g.jsonl", format!("{gemini}\n"))
        .write("h.jsonl", format!("{anthropic}\n"));
    dir.epitome("replay g.jsonl h.jsonl -o out --segments --train-key train")
        .ok();
    assert!(
        dir.read("out/segments.jsonl")
            .contains("\"image_url\": {\"url\": \"data:image/png;base64,iVBORw0KGgo=\"}")
    );
    for sample in lines(&dir, "out/segments.jsonl") {
        assert_eq!(roles(&sample), ["user", "assistant", "tool", "assistant"]);
        let (call, result) = (
            &sample["messages"][1]["tool_calls"][0],
            &sample["messages"][2],
        );
        assert!(
            result["content"]
                .as_str()
                .is_some_and(|content| content.contains("map") || content.contains("\"t\": 4")),
            "{result}"
        );
        assert!(
            call["id"].as_str().is_some_and(|id| !id.is_empty())
                && call["id"] == result["tool_call_id"]
        );
        assert!(
            serde_json::from_str::<Value>(call["function"]["arguments"].as_str().unwrap())
                .unwrap()
                .is_object()
        );
        assert_eq!(
            (
                &sample["messages"][1]["train"],
                &sample["messages"][3]["train"]
            ),
            (&true.into(), &true.into())
        );
    }
}

/// Samples of other formats are what `convert` makes of them: an answer that is logged in pieces is
/// one, each call has its result.
#[test]
fn an_answer_in_pieces_is_one_message_and_what_is_empty_or_unwanted_is_not_trained_on() {
    let dir = Dir::new();
    let responses = r#"{"model": "m", "input": [{"role": "user", "content": "List"}, {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Use ls."}]}, {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": "{}"}, {"type": "function_call", "call_id": "c2", "name": "pwd", "arguments": "{}"}, {"type": "function_call_output", "call_id": "c1", "output": "a"}, {"type": "function_call_output", "call_id": "c2", "output": "/x"}, {"role": "assistant", "content": [{"type": "output_text", "text": "One."}]}]}"#;
    let sharegpt = r#"{"conversations": [{"from": "human", "value": "q"}, {"from": "function_call", "value": "[{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"g\", \"arguments\": {}}]"}, {"from": "observation", "value": "[1, 2]"}, {"from": "gpt", "value": "ok"}]}"#;
    dir.write("r.jsonl", format!("{responses}\n"))
        .write("s.jsonl", format!("{sharegpt}\n"));
    dir.epitome("replay r.jsonl s.jsonl -o out --segments").ok();
    for sample in lines(&dir, "out/segments.jsonl") {
        assert_eq!(
            roles(&sample),
            ["user", "assistant", "tool", "tool", "assistant"],
            "{sample}"
        );
        let ids: Vec<&Value> = (0..2)
            .map(|call| &sample["messages"][1]["tool_calls"][call]["id"])
            .collect();
        assert_eq!(
            [
                &sample["messages"][2]["tool_call_id"],
                &sample["messages"][3]["tool_call_id"]
            ],
            [ids[0], ids[1]]
        );
        assert!(
            sample["messages"][1]["content"].is_null(),
            "what the model thought is no answer: {sample}"
        );
    }
    let thinking = r#"{"tools": [{"name": "t", "input_schema": {"type": "object"}}], "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]}, {"role": "user", "content": "q?"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "u", "name": "t", "input": {}}]}]}"#;
    let unwanted = r#"{"messages": [{"role": "user", "content": [{"type": "text", "value": "q"}], "loss_weight": 0.0}, {"role": "assistant", "content": [{"type": "text", "value": "BAD"}], "loss_weight": 0.0}, {"role": "user", "content": [{"type": "text", "value": "q"}], "loss_weight": 0.0}, {"role": "assistant", "content": [{"type": "text", "value": "GOOD"}], "loss_weight": 1.0}]}"#;
    let marked = r#"{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "BAD", "train": false}, {"role": "user", "content": "q"}, {"role": "assistant", "content": "GOOD"}]}"#;
    for (name, record) in [
        ("t.jsonl", thinking),
        ("u.jsonl", unwanted),
        ("m.jsonl", marked),
    ] {
        dir.write(name, format!("{record}\n"));
        let out = dir
            .epitome(&format!(
                "replay {name} -o {name}-out --segments --train-key train"
            ))
            .ok();
        if name == "t.jsonl" {
            out.says(["left out of samples", "block thinking"]);
        }
    }
    let sample = &lines(&dir, "t.jsonl-out/segments.jsonl")[0];
    assert_eq!(roles(sample), ["user", "user", "assistant"]);
    dir.epitome("replay t.jsonl -o joined --segments --alternate")
        .ok();
    assert_eq!(
        roles(&lines(&dir, "joined/segments.jsonl")[0]),
        ["user", "assistant"],
        "turns are joined in samples of any format"
    );
    assert_eq!(
        sample["tools"][0]["function"]["name"], "t",
        "tools come along"
    );
    for name in ["u.jsonl-out", "m.jsonl-out"] {
        let sample = &lines(&dir, &format!("{name}/segments.jsonl"))[0];
        assert_eq!(
            [
                &sample["messages"][1]["train"],
                &sample["messages"][3]["train"]
            ],
            [&json!(false), &json!(true)],
            "{sample}"
        );
    }
}

/// A sample is as long as `count` says, also where turns were joined; what an earlier run set apart
/// goes with it.
#[test]
fn samples_are_measured_as_they_are_written() {
    let dir = Dir::new();
    let turns = |count: usize| {
        (0..count)
            .map(|_| json!({ "role": "user", "content": "word word" }))
            .chain([json!({ "role": "assistant", "content": "yes" })])
    };
    dir.write(
        "in.jsonl",
        format!(
            "{}\n",
            json!({ "thread_id": "t", "messages": turns(20).collect::<Vec<_>>() })
        ),
    );
    let tokens = |file: &str| {
        serde_json::from_str::<Value>(
            dir.epitome(&format!("count {file} --counter utf16 --json"))
                .ok()
                .stdout()
                .lines()
                .next()
                .unwrap(),
        )
        .unwrap()["counts"]["tokens"]
            .as_u64()
            .unwrap()
    };
    dir.epitome("replay in.jsonl -o all --segments --alternate --counter utf16")
        .ok();
    let length = tokens("all/segments.jsonl");
    for (most, status) in [(length, 0), (length - 1, 1)] {
        let run = dir.epitome(&format!("replay in.jsonl -o out --segments --alternate --counter utf16 --max-tokens {most} --summarizer none --force"));
        if status == 0 {
            run.ok()
        } else {
            run.fails(status)
        };
        assert_eq!(dir.exists("out/segments-too-long.jsonl"), status == 1);
    }
    dir.epitome("replay in.jsonl -o out --segments --force")
        .ok();
    assert!(
        !dir.exists("out/segments-too-long.jsonl"),
        "of the run before"
    );
    // What is read is nothing that an earlier run left.
    let samples = dir.read("out/segments.jsonl");
    dir.epitome("replay out/segments.jsonl -o out --force").ok();
    assert_eq!(dir.read("out/segments.jsonl"), samples);
}

/// Where the trigger looks at reported usage only the planner knows whether it fires: what it says
/// is what is sent.
#[test]
fn a_truncation_by_reported_usage_is_decided_as_plan_decides_it() {
    let dir = Dir::new();
    let call = |id: &str, name: &str, arguments: &str| json!([{ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } }]);
    let messages = json!([
        { "role": "assistant", "content": "", "tool_calls": call("a", "write_file", &json!({ "content": "word ".repeat(20) }).to_string()) },
        { "role": "tool", "tool_call_id": "a", "content": "done" },
        { "role": "user", "content": "on" },
        { "role": "assistant", "content": "", "tool_calls": call("b", "read_file", "{}"), "usage": { "prompt_tokens": 200, "completion_tokens": 50 } },
        { "role": "tool", "tool_call_id": "b", "content": "long ".repeat(1300) },
    ]);
    let all = messages
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .chain([json!({ "role": "assistant", "content": "so" })])
        .collect::<Vec<_>>();
    dir.write(
        "in.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": all })),
    )
    .write(
        "before.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": messages })),
    );
    let truncate =
        "[truncate]\ntrigger = [{ overflow = true }]\nkeep = { messages = 2 }\nmax_length = 32\n";
    dir.write("policy.toml", format!("{truncate}[summarize]\ntrigger = []\n[overflow]\ncontext = 1635\noutput = 159\nreserved = 159\n"));
    dir.epitome("replay in.jsonl -o out --config policy.toml")
        .ok();
    let planned: Value = serde_json::from_str(
        dir.epitome("plan before.jsonl --config policy.toml --json")
            .ok()
            .stdout()
            .lines()
            .next()
            .unwrap(),
    )
    .unwrap();
    let last = calls(&dir).pop().unwrap();
    let truncated = planned["edits"].as_array().map_or(0, Vec::len);
    assert_eq!(
        (&last["total_tokens"], &last["truncated_args"]),
        (&planned["total_tokens"], &truncated.into()),
        "{last}\n{planned}"
    );
    assert_eq!(truncated, 0, "250 tokens were used, as reported");
}

fn said(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": text })
}

/// A tool call and its result.
fn called(number: usize, result: &Value) -> [Value; 2] {
    let call = json!({ "id": format!("c{number}"), "type": "function", "function": { "name": "read", "arguments": "{}" } });
    [
        json!({ "role": "assistant", "content": null, "tool_calls": [call] }),
        json!({ "role": "tool", "tool_call_id": format!("c{number}"), "content": result }),
    ]
}

/// What prune cleared is cleared in the training data, too, and stands in the archive.
#[test]
fn pruned_results_are_sent_cleared_trained_on_cleared_and_archived_once() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "look" })];
    for number in 0..8 {
        messages.extend(called(
            number,
            &json!(format!("result {number} {}", "word ".repeat(100))),
        ));
        messages.push(json!({ "role": "assistant", "content": format!("answer {number}") }));
        messages.push(json!({ "role": "user", "content": "on" }));
    }
    dir.write(
        "in.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": messages })),
    );
    dir.write("policy.toml", "[prune]\nprotect = 200\nminimum = 50\n");
    dir.epitome("replay in.jsonl -o out --config policy.toml --segments")
        .ok();
    let archive = dir.read("out/conversation_history/t.md");
    assert_eq!(
        archive.matches("result 0 ").count(),
        1,
        "archived once, though every later call clears it again"
    );
    let samples = lines(&dir, "out/segments.jsonl");
    let last = samples.last().unwrap().to_string();
    assert!(
        last.contains("[Old tool result content cleared]")
            && !last.contains("result 0 ")
            && last.contains("answer 7"),
        "{last}"
    );
    let calls = lines(&dir, "out/replay.jsonl");
    let last = calls.last().unwrap();
    assert!(
        last["tokens_sent"].as_u64().unwrap() < last["tokens_logged"].as_u64().unwrap(),
        "{last}"
    );
    let answered = &calls[calls.len() - 2];
    assert_eq!(
        answered["pruned_results"],
        samples
            .last()
            .unwrap()
            .to_string()
            .matches("result content cleared")
            .count()
    );
    assert!(
        calls.iter().all(|call| call["reasons"].is_null()),
        "the running sums know it, no call is planned anew"
    );
}

/// OpenCode clears where the agent has ended its turn, in one go, and what it cleared stays so
/// until as much can go again.
#[test]
fn what_is_cleared_stays_so_and_goes_at_the_end_of_a_turn() {
    let dir = Dir::new();
    let mut messages = Vec::new();
    for turn in 0..10 {
        messages.push(json!({ "role": "user", "content": "on" }));
        messages.extend(called(turn, &json!("r".repeat(400))));
        messages.push(json!({ "role": "assistant", "content": "done" }));
    }
    dir.write(
        "in.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": messages })),
    );
    // A result has 100 tokens: of those before the last two turns one stays, and at least two go at
    // once.
    let policy = "counter = \"utf16\"\n[summarize]\ntrigger = []\n[prune]\nprotect = 150\nminimum = 150\nskip_turns = 2\n";
    for (each_call, wanted) in [
        (false, [0, 0, 0, 0, 0, 2, 2, 4, 4, 6]),
        (true, [0, 0, 0, 0, 2, 2, 4, 4, 6, 6]),
    ] {
        let out = format!("out-{each_call}");
        dir.write("policy.toml", format!("{policy}each_call = {each_call}\n"));
        dir.epitome(&format!("replay in.jsonl -o {out} --config policy.toml"))
            .ok();
        let calls = lines(&dir, &format!("{out}/replay.jsonl"));
        let pruned = |call: &Value| call["pruned_results"].as_u64().unwrap_or(0);
        let seen: Vec<[u64; 2]> = calls
            .chunks(2)
            .map(|turn| [pruned(&turn[0]), pruned(&turn[1])])
            .collect();
        assert_eq!(seen, wanted.map(|count| [count; 2]));
        let breaks: Vec<bool> = wanted
            .windows(2)
            .map(|turns| turns[0] != turns[1])
            .collect();
        let broken: Vec<bool> = calls
            .iter()
            .step_by(2)
            .skip(1)
            .map(|call| call["cache"] == "broken")
            .collect();
        assert_eq!(broken, breaks, "only where results go");
        let archive = dir.read(&format!("{out}/conversation_history/t.md"));
        assert_eq!(
            archive.matches("## Pruned at").count() as u64,
            wanted[9] / 2
        );
    }
}

/// A turn of the agent has ended where it spoke since the user did: what a system message says
/// between is no turn.
#[test]
fn nothing_is_cleared_before_the_agent_has_spoken_again() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "a" })];
    messages.extend(called(0, &json!("r".repeat(4000))));
    messages.extend([
        said("assistant", "done"),
        said("user", "b"),
        said("system", "n"),
        said("user", "c"),
        said("assistant", "d"),
        said("user", "e"),
    ]);
    dir.write(
        "in.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": messages })),
    );
    dir.write(
        "policy.toml",
        "[prune]\nprotect = 0\nminimum = 0\nskip_turns = 1\n",
    );
    dir.epitome("replay in.jsonl -o out --config policy.toml")
        .ok();
    let pruned: Vec<u64> = calls(&dir)
        .iter()
        .map(|call| call["pruned_results"].as_u64().unwrap_or(0))
        .collect();
    assert_eq!(pruned, [0, 0, 0, 1]);
}

/// Two calls of one answer may have one id: their results come in the order of the calls.
#[test]
fn a_result_is_that_of_its_own_call_where_ids_repeat() {
    let dir = Dir::new();
    let call = |name: &str| json!({ "id": "x", "type": "function", "function": { "name": name, "arguments": "{}" } });
    for (names, kept) in [
        (["bash", "skill"], "second"),
        (["skill", "bash"], "first"),
        (["bash", "bash"], ""),
    ] {
        let results = ["first", "second"].map(|text| json!({ "role": "tool", "tool_call_id": "x", "content": format!("{text} {}", "r".repeat(400)) }));
        let mut messages = vec![
            json!({ "role": "user", "content": "a" }),
            json!({ "role": "assistant", "content": null, "tool_calls": names.map(call) }),
        ];
        messages.extend(results);
        messages.extend(["assistant", "user"].map(|role| json!({ "role": role, "content": "b" })));
        dir.write("in.jsonl", format!("{}\n", json!({ "messages": messages })));
        dir.write(
            "policy.toml",
            "[prune]\nprotect = 0\nminimum = 0\nskip_turns = 1\n",
        );
        let plan: Value = serde_json::from_slice(
            &dir.epitome("plan in.jsonl --json --config policy.toml")
                .ok()
                .stdout,
        )
        .unwrap();
        let pruned: Vec<u64> = plan["edits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| edit["message"].as_u64().unwrap())
            .collect();
        let wanted: Vec<u64> = [("first", 2), ("second", 3)]
            .into_iter()
            .filter(|(text, _)| *text != kept)
            .map(|(_, index)| index)
            .collect();
        assert_eq!(pruned, wanted, "{names:?}");
    }
}

/// Of a result that was evicted and then cleared nothing is left of the first: whoever cleared it,
/// the same is sent.
#[test]
fn what_is_cleared_twice_breaks_no_cache() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "a" })];
    messages.extend(called(0, &json!("line of a long result\n".repeat(300))));
    messages.extend([
        said("user", &"b ".repeat(300)),
        said("assistant", "x"),
        said("user", "c"),
        said("assistant", "y"),
    ]);
    dir.write(
        "in.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": messages })),
    );
    let off =
        "[truncate]\ntrigger = []\n[summarize]\ntrigger = []\n[summarizer]\nkind = \"none\"\n";
    dir.write("policy.toml", format!("counter = \"utf16\"\n[evict]\ntokens = 200\n[prune]\nprotect = 0\nminimum = 0\nskip_turns = 1\n{off}"));
    dir.epitome("replay in.jsonl -o out --config policy.toml --max-tokens 180")
        .ok();
    let calls = calls(&dir);
    let [.., before, last] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert_eq!(
        (&before["pruned_results"], &last["pruned_results"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        (&last["cache"], &last["cached_tokens"]),
        (&"hit".into(), &before["tokens_sent"])
    );
}

/// Samples of every call are many times as long as the log: they wait in a file, not in memory.
#[test]
fn samples_that_no_memory_should_hold_are_all_there_in_order() {
    let dir = Dir::new();
    let long = |role: &str, number: usize| {
        said(role, &format!("{role} {number} {}", "word ".repeat(2000)))
    };
    let messages: Vec<Value> = (0..32)
        .flat_map(|number| [long("user", number), long("assistant", number)])
        .collect();
    let records = ["one", "two"]
        .map(|thread| format!("{}\n", json!({ "thread_id": thread, "messages": messages })));
    dir.write("in.jsonl", records.concat());
    dir.epitome("replay in.jsonl -o out --trigger tokens=1000000 --per-call")
        .ok();
    assert!(
        std::fs::metadata(dir.path("out/segments.jsonl"))
            .unwrap()
            .len()
            > 2 * (8 << 20),
        "each thread has more than is held in memory"
    );
    let samples = lines(&dir, "out/segments.jsonl");
    let seen: Vec<(&str, usize)> = samples
        .iter()
        .map(|sample| {
            (
                sample["thread_id"].as_str().unwrap(),
                sample["messages"].as_array().unwrap().len(),
            )
        })
        .collect();
    let wanted: Vec<(&str, usize)> = ["one", "two"]
        .into_iter()
        .flat_map(|thread| (1..=32).map(move |turn| (thread, 2 * turn)))
        .collect();
    assert_eq!(seen, wanted);
}

/// Stage overflow prunes what is large, wherever it stands; what stage prune clears later lies
/// before that.
#[test]
fn what_is_pruned_after_an_overflow_is_archived_too() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "go" })];
    let results = [
        "port 4711".to_owned(),
        "BIG1 ".repeat(160),
        "BIG2 ".repeat(160),
        "BIG3 ".repeat(160),
        "BIG4 ".repeat(160),
        "small result".to_owned(),
    ];
    for (number, result) in results.iter().enumerate() {
        messages.extend(called(number, &json!(result)));
    }
    messages.push(json!({ "role": "assistant", "content": "done" }));
    dir.write(
        "in.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": messages })),
    );
    dir.write(
        "policy.toml",
        "[evict]\ntokens = 0\n[truncate]\ntrigger = []\n[summarize]\ntrigger = []\n[prune]\nprotect = 60\nminimum = 500\nskip_turns = 0\neach_call = true\n",
    );
    dir.epitome(
        "replay in.jsonl -o out --config policy.toml --max-tokens 400 --summarizer none --per-call",
    )
    .run();
    let sent = dir.read("out/segments.jsonl");
    let last = sent.lines().last().unwrap();
    assert!(
        !last.contains("4711") && !last.contains("BIG3") && last.contains("BIG4"),
        "the last call: {last}"
    );
    let archive = dir.read("out/conversation_history/t.md");
    for (number, result) in results.iter().enumerate().take(4) {
        assert_eq!(
            archive.matches(result.as_str()).count(),
            1,
            "result {number}"
        );
    }
}

/// A result in many parts is more text than the message counts: between the parts there are line
/// ends.
#[test]
fn a_result_in_parts_is_pruned_in_a_replay_where_plan_prunes_it() {
    let dir = Dir::new();
    let parts = vec![json!({ "type": "text", "text": "x0" }); 100];
    let messages: Vec<Value> = std::iter::once(json!({ "role": "user", "content": "go" }))
        .chain(called(0, &json!(parts)))
        .collect();
    dir.write(
        "in.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": messages })),
    );
    dir.write("policy.toml", "counter = \"utf16\"\n[prune]\nprotect = 60\nminimum = 0\nskip_turns = 0\neach_call = true\n");
    let planned: Value = serde_json::from_str(
        dir.epitome("plan in.jsonl --config policy.toml --json")
            .ok()
            .stdout()
            .lines()
            .next()
            .unwrap(),
    )
    .unwrap();
    dir.epitome("replay in.jsonl -o out --config policy.toml")
        .ok();
    let last = calls(&dir).pop().unwrap();
    assert_eq!(
        (&last["total_tokens"], &last["pruned_results"]),
        (&planned["total_tokens"], &1.into())
    );
}

/// What the summary stands for is not sent as a placeholder.
#[test]
fn only_what_is_sent_cleared_is_told_as_pruned() {
    let dir = Dir::new();
    let mut messages = vec![json!({ "role": "user", "content": "go" })];
    for number in 0..12 {
        messages.extend(called(
            number,
            &json!(format!("R{number} {}", "word ".repeat(256))),
        ));
    }
    messages.push(json!({ "role": "assistant", "content": "done" }));
    dir.write(
        "in.jsonl",
        format!("{}\n", json!({ "thread_id": "t", "messages": messages })),
    );
    let policy = "[evict]\ntokens = 0\n[truncate]\ntrigger = []\n[summarize]\ntrigger = [{ messages = 16 }]\nkeep = { messages = 8 }\n[prune]\nprotect = 400\nminimum = 900\nskip_turns = 0\neach_call = true\n";
    dir.write("policy.toml", policy)
        .epitome("replay in.jsonl -o out --config policy.toml --per-call")
        .ok();
    let samples = lines(&dir, "out/segments.jsonl");
    let (mut summarized, mut before) = (0, Vec::new());
    for (call, sample) in calls(&dir).iter().zip(&samples) {
        let cleared = sample
            .to_string()
            .matches("[Old tool result content cleared]")
            .count();
        assert_eq!(
            call["pruned_results"].as_u64().unwrap_or(0) as usize,
            cleared,
            "{call}"
        );
        summarized += usize::from(call["summarized"] == true && cleared > 0);
        let is_cleared =
            |message: &&Value| message["content"] == "[Old tool result content cleared]";
        let results: Vec<Value> = sample["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| message["role"] == "tool")
            .cloned()
            .collect();
        let again = results
            .iter()
            .filter(|now| !is_cleared(now))
            .find(|now| before.contains(&now["tool_call_id"]));
        assert_eq!(
            again, None,
            "cleared before, also where a summary came since"
        );
        before.extend(
            results
                .iter()
                .filter(is_cleared)
                .map(|result| result["tool_call_id"].clone()),
        );
    }
    assert!(summarized > 0, "a call that does both");
}

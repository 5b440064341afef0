//! The calls of a thread: their summaries, their failures, and their refusals.

use super::support::{calls, column, lines};
use crate::harness::Dir;
use crate::talk::{CUT, message, quoted, talk, text};
use serde_json::{Value, json};

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
        ["first", "hit", "hit", "broken", "hit", "broken", "hit", "broken"]
    );
    assert_eq!(calls[3]["summarized_messages"], 5);
    assert!(calls[3]["reasons"][3]["why"].as_str().unwrap().contains("trigger messages=6 reached"));
    let archive = dir.read("out/conversation_history/t.md");
    let sections: Vec<&str> =
        archive.split("## Summarized at 2026-01-01T00:00:00+00:00\n\n").skip(1).collect();
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
        (&8.into(), &"compacted".into(), &"conversation_history/t.md".into())
    );
    assert_eq!(column(entry["compactions"].as_array().unwrap(), "at"), [7, 11, 15]);
    let saved =
        entry["logged"]["tokens"].as_i64().unwrap() - entry["sent"]["tokens"].as_i64().unwrap();
    assert_eq!(entry["tokens_saved"], saved);
    assert_eq!(
        calls.iter().map(|call| call["tokens_sent"].as_i64().unwrap()).sum::<i64>(),
        entry["sent"]["tokens"].as_i64().unwrap()
    );
}

#[cfg(unix)]
#[test]
fn a_summary_that_fails_costs_its_call_and_the_next_one_tries_again() {
    let dir = Dir::new();
    let script = dir.script("summarize", "cat > prompt; if [ ! -e tried ]; then touch tried; echo not now >&2; exit 1; fi; echo Bookings.");
    dir.write("in.jsonl", talk("t", 10));
    dir.epitome(&format!("replay in.jsonl -o out {CUT} --summarizer command:{script}"))
        .fails(3)
        .says(["in.jsonl:1: at message 7: ", "not now"]);
    let calls = calls(&dir);
    assert_eq!(column(&calls, "summarized"), [false, false, false, false, true]);
    assert_eq!(
        (&calls[3]["n_sent"], &calls[3]["tokens_sent"]),
        (&7.into(), &calls[3]["tokens_logged"]),
        "sent as it was"
    );
    assert!(calls[3]["error"].as_str().unwrap().contains("not now"));
    assert_eq!(dir.read("out/conversation_history/t.md").matches("## Summarized").count(), 1);
    assert_eq!(
        (&dir.entries()[0]["status"], &dir.entries()[0]["failed_summaries"]),
        (&"failed".into(), &1.into())
    );
}

#[test]
fn threads_of_one_file_replay_on_their_own() {
    let dir = Dir::new();
    let threads = ["main", "agent"];
    let turn = |thread: &str, number: usize| {
        message(thread, number).replacen('{', &format!("{{\"session_id\": {}, ", quoted(thread)), 1)
    };
    let mixed: Vec<String> = (0..16).map(|number| turn(threads[number % 2], number / 2)).collect();
    dir.write("in.jsonl", mixed.join("\n") + "\n").write("alone.jsonl", talk("agent", 8));
    dir.epitome(&format!("replay in.jsonl -o out {CUT} --segments")).ok();
    dir.epitome(&format!("replay alone.jsonl -o alone {CUT}")).ok();
    let of = |name: &str, thread: &str| -> Vec<Value> {
        let keys = ["at", "n_sent", "total_tokens", "tokens_sent", "cutoff_index", "cached_tokens"];
        let calls = lines(&dir, name).into_iter().filter(|call| call["thread_id"] == thread);
        calls.map(|call| keys.iter().map(|key| call[key].clone()).collect()).collect()
    };
    assert_eq!(of("out/replay.jsonl", "agent"), of("alone/replay.jsonl", "agent"));
    assert_eq!(of("out/replay.jsonl", "main").len(), 4);
    let samples = lines(&dir, "out/segments.jsonl");
    assert_eq!(column(&samples, "session_id"), ["main", "main", "agent", "agent"]);
}

#[test]
fn a_bad_record_costs_only_itself() {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{}{{\"messages\": 5}}\n{}", talk("a", 4), talk("b", 4)));
    dir.epitome("replay in.jsonl -o out").fails(3).says(["in.jsonl:2:", "messages is a number"]);
    assert_eq!(column(&calls(&dir), "thread_id"), ["a", "a", "b", "b"]);
    assert_eq!(column(&dir.entries(), "status"), ["unchanged", "failed", "unchanged"]);
}

#[test]
fn a_call_that_the_model_would_have_refused_is_counted() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 12));
    let run = dir.epitome("replay in.jsonl -o out --max-input-tokens 400 --summarizer none").ok();
    assert_eq!(dir.entries()[0]["refused_calls"], 2);
    assert_eq!(column(&calls(&dir), "refused"), [false, false, false, false, true, true]);
    assert!(run.stdout().contains("refused"));
    dir.epitome("replay in.jsonl -o checked --max-input-tokens 400 --summarizer none --check")
        .fails(1);
    dir.epitome("replay in.jsonl -o fits --max-input-tokens 400 --check").ok();
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
    assert_eq!(column(&lines(&dir, "out/segments.jsonl"), "thread_id"), ["b"]);
    assert_eq!(column(&dir.entries(), "status"), ["failed", "unchanged"]);
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
    dir.write("in.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": all })))
        .write("before.jsonl", format!("{}\n", json!({ "thread_id": "t", "messages": messages })));
    let truncate =
        "[truncate]\ntrigger = [{ overflow = true }]\nkeep = { messages = 2 }\nmax_length = 32\n";
    dir.write("policy.toml", format!("{truncate}[summarize]\ntrigger = []\n[overflow]\ncontext = 1635\noutput = 159\nreserved = 159\n"));
    dir.epitome("replay in.jsonl -o out --config policy.toml").ok();
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

//! Exports as OpenCode sends them, and decisions about them. The sessions are made here.

use super::support::edits;
use crate::harness::Dir;
use serde_json::{Value, json};

/// A session whose messages are numbered in their ids.
struct Session(Vec<Value>);

impl Session {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn id(number: usize) -> String {
        format!("msg_{number:012x}abc")
    }

    fn push(&mut self, mut info: Value, parts: Value) -> usize {
        let number = self.0.len();
        info["id"] = json!(Self::id(number));
        info["time"] = json!({"created": number, "completed": number});
        self.0.push(json!({"info": info, "parts": parts}));
        number
    }

    fn user(&mut self, parts: Value) -> usize {
        let model = json!({"providerID": "fake", "modelID": "m"});
        self.push(json!({"role": "user", "model": model}), parts)
    }

    fn ask(&mut self, words: &str) -> usize {
        self.user(json!([text(words)]))
    }

    fn answer(&mut self, parts: Value, used: u64) -> usize {
        let tokens =
            json!({"input": used, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}});
        let info = json!({"role": "assistant", "providerID": "fake", "modelID": "m", "finish": "stop", "tokens": tokens});
        self.push(info, parts)
    }

    fn say(&mut self, words: &str, used: u64) -> usize {
        self.answer(json!([{"type": "step-start"}, text(words)]), used)
    }

    fn compaction(&mut self, tail: Option<usize>, summary: &str) -> usize {
        let mut part = json!({"type": "compaction", "auto": true});
        if let Some(tail) = tail {
            part["tail_start_id"] = json!(Self::id(tail));
        }
        let question = self.user(json!([part]));
        let info = json!({"role": "assistant", "summary": true, "parentID": Self::id(question), "finish": "stop", "providerID": "fake", "modelID": "m", "tokens": {"input": 100, "output": 50}});
        self.push(info, json!([text(summary)]))
    }

    fn write(&self, dir: &Dir) {
        let session = json!({"info": {"id": "ses_1"}, "messages": self.0});
        dir.write("export.json", session.to_string());
        dir.write(
            "limits.tsv",
            "provider\tmodel\tcontext\tinput\toutput\nfake\tm\t100000\t\t100\nfake\tsmall\t40000\t\t100\n",
        );
    }

    /// The messages as `[role, text, calls]`.
    fn sent(&self) -> Vec<(String, String, usize)> {
        let dir = Dir::new();
        self.write(&dir);
        dir.epitome("convert export.json --to openai -o out").ok();
        let line: Value = serde_json::from_slice(&dir.bytes("out/export.jsonl")).unwrap();
        let messages = line["messages"].as_array().unwrap().iter();
        messages
            .map(|message| {
                let content = &message["content"];
                let words = match content.as_array() {
                    Some(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
                    None => content.as_str().unwrap_or_default().to_owned(),
                };
                let calls = message["tool_calls"].as_array().map_or(0, Vec::len);
                (message["role"].as_str().unwrap().to_owned(), words, calls)
            })
            .collect()
    }

    fn plan(&self, policy: &str) -> Value {
        let dir = Dir::new();
        self.write(&dir);
        let policy = if policy.contains("[summarize]\n") {
            policy.replace("[summarize]\n", "[summarize]\non_growth = \"allow\"\n")
        } else {
            format!("[summarize]\non_growth = \"allow\"\n{policy}")
        };
        dir.write("policy.toml", format!("preset = \"opencode\"\n{policy}"));
        let ran =
            dir.epitome("plan export.json --json --config policy.toml --limits limits.tsv").ok();
        serde_json::from_slice(&ran.stdout).unwrap()
    }
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn tool(id: &str, state: Value) -> Value {
    json!({"type": "tool", "callID": id, "tool": "bash", "state": state})
}

fn summarizes(plan: &Value) -> bool {
    !edits(plan, "summarize").is_empty()
}

fn first_kept(plan: &Value) -> Value {
    edits(plan, "summarize")[0]["first_kept"].clone()
}

#[test]
fn a_compaction_that_failed_hides_nothing() {
    let with_answer = |change: fn(&mut Value)| {
        let mut session = Session::new();
        session.ask("one");
        session.say("two", 10);
        let answer = session.compaction(None, "all");
        change(&mut session.0[answer]["info"]);
        session.ask("three");
        let sent = session.sent();
        sent.into_iter().map(|(role, words, _)| format!("{role}: {words}")).collect::<Vec<_>>()
    };
    let question = "user: What did we do so far?";
    assert_eq!(with_answer(|_| ()), [question, "assistant: all", "user: three"]);
    assert_eq!(
        with_answer(|info| info["error"] = json!({"name": "APIError"})),
        ["user: one", "assistant: two", question, "user: three"]
    );
    assert_eq!(
        with_answer(|info| info["finish"] = Value::Null),
        ["user: one", "assistant: two", question, "assistant: all", "user: three"]
    );
}

#[test]
fn a_tail_stands_behind_the_summary_and_may_begin_in_an_earlier_tail() {
    let mut session = Session::new();
    session.ask("one");
    session.say("two", 10);
    let kept = session.ask("three");
    session.say("four", 10);
    session.compaction(Some(kept), "first");
    session.ask("five");
    session.say("six", 10);
    let words = |session: &Session| -> Vec<String> {
        let sent = session.sent().into_iter();
        sent.map(|(_, words, _)| words).collect()
    };
    let question = "What did we do so far?";
    assert_eq!(words(&session), [question, "first", "three", "four", "five", "six"]);
    let mut again = session;
    again.compaction(Some(6), "second");
    assert_eq!(words(&again), [question, "second", "five", "six"]);
}

#[test]
fn messages_are_read_as_they_are_sent() {
    let mut session = Session::new();
    session.user(json!([text("go"), {"type": "file", "mime": "text/plain", "filename": "a.txt", "url": "data:text/plain;base64,AA=="}]));
    session.answer(
        json!([
            {"type": "step-start"},
            {"type": "reasoning", "text": "thinking"},
            text("calling"),
            tool("c1", json!({"status": "running", "input": {}})),
            tool("c2", json!({"status": "error", "input": {}, "error": "stopped", "metadata": {"interrupted": true, "output": "half"}})),
            tool("c3", json!({"status": "completed", "input": {}, "output": "seen", "attachments": [{"type": "file", "mime": "image/png", "filename": "p.png", "url": "data:image/png;base64,AAAA"}]})),
        ]),
        10,
    );
    session.user(json!([{"type": "subtask", "prompt": "p"}]));
    let failed = session.say("lost words", 10);
    session.0[failed]["info"]["error"] = json!({"name": "APIError"});
    let stopped = session.say("stopped words", 10);
    session.0[stopped]["info"]["error"] = json!({"name": "MessageAbortedError"});
    let sent = session.sent();
    let sent: Vec<(&str, &str, usize)> =
        sent.iter().map(|(role, words, calls)| (role.as_str(), words.as_str(), *calls)).collect();
    assert_eq!(
        sent,
        [
            ("user", "go", 0),
            ("assistant", "calling", 3),
            ("tool", "[Tool execution was interrupted]", 0),
            ("tool", "half", 0),
            ("tool", "seen", 0),
            ("user", "Attached media from tool result:", 0),
            ("user", "The following tool was executed by the user", 0),
            ("assistant", "stopped words", 0),
        ]
    );
}

#[cfg(unix)]
#[test]
fn a_summarizer_is_shown_the_messages_as_they_are_stored() {
    let mut session = Session::new();
    let picture = json!({"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"});
    session.user(json!([text("look"), text("twice"), picture]));
    session.answer(
        json!([
            {"type": "step-start"},
            {"type": "reasoning", "text": "hm"},
            text("two calls"),
            tool("c1", json!({"status": "completed", "input": {"b": [1, 2], "a": "x y"}, "output": "r".repeat(2001)})),
            tool("c2", json!({"status": "error", "input": {}, "error": "no"})),
        ]),
        10,
    );
    let failed = session.say("half an answer", 10);
    session.0[failed]["info"]["error"] = json!({"name": "APIError"});
    session.ask("last");
    session.say("done", 10);
    let dir = Dir::new();
    session.write(&dir);
    let program = dir.script("asked", "cat > prompt; echo '## Objective'");
    dir.epitome(&format!("compact export.json -o out --preset opencode --trigger messages=1 --keep turns=1 --summarizer command:{program}"))
        .ok();
    let prompt = dir.read("prompt");
    let (_, conversation) = prompt.split_once("<conversation>\n").unwrap();
    let (conversation, _) = conversation.split_once("\n</conversation>").unwrap();
    let wanted = [
        "[User]: look\ntwice\n[Attached image/png: file]\n\n",
        "[Assistant reasoning]: hm\n[Assistant]: two calls\n",
        "[Assistant tool call]: bash({\"b\":[1,2],\"a\":\"x y\"})\n[Tool result]: ",
        &"r".repeat(2000),
        "\n[truncated]\n[Assistant tool call]: bash({})\n[Tool error]: no\n\n",
        "[Assistant]: half an answer",
    ];
    assert_eq!(conversation, wanted.concat());
}

#[test]
fn an_unanswered_question_is_no_part_of_the_decision_and_stays() {
    let mut session = Session::new();
    for turn in 0..4 {
        session.ask(&format!("question {turn} {}", "q".repeat(900)));
        session.say(&"a".repeat(900), 99_950);
    }
    let policy = "[summarize]\nkeep = { turns = \"all\", tokens = 600 }\n";
    assert_eq!(first_kept(&session.plan(policy)), 6);
    // It is larger than the budget, and changes nothing.
    session.ask(&"new ".repeat(2000));
    let plan = session.plan(policy);
    assert_eq!(first_kept(&plan), 6);
    assert_eq!(plan["messages"][8]["fate"], "kept");
    let plan = session.plan("[summarize]\nkeep = { turns = 0 }\n");
    assert_eq!(first_kept(&plan), 8);
}

#[test]
fn usage_counts_if_it_is_newer_than_the_last_summary() {
    let mut session = Session::new();
    session.ask("one");
    let kept = session.ask("two");
    session.say("three", 99_950);
    assert!(summarizes(&session.plan("")));
    session.compaction(Some(kept), "all");
    assert!(!summarizes(&session.plan("")), "that usage is older");
    session.ask("four");
    session.say("five", 100);
    assert!(!summarizes(&session.plan("")));
    session.say("six", 99_950);
    assert!(summarizes(&session.plan("")));
    let answer = session.compaction(None, "again");
    session.0[answer]["info"]["error"] = json!({"name": "APIError"});
    session.ask("seven");
    assert!(!summarizes(&session.plan("")), "nothing was used since the attempt");
}

#[test]
fn an_attempt_that_was_cut_off_waits_for_the_next_question() {
    let mut session = Session::new();
    session.ask("one");
    session.say("two", 10);
    session.ask("three");
    session.say("four", 99_950);
    let answer = session.compaction(None, "half");
    session.0[answer]["info"]["error"] = json!({"name": "APIError"});
    session.0[answer]["info"]["finish"] = Value::Null;
    assert!(!summarizes(&session.plan("")), "it was just tried");
    session.ask("five");
    assert!(summarizes(&session.plan("")), "it is tried again");
}

#[test]
fn a_log_with_usage_is_not_judged_by_the_estimate() {
    let mut session = Session::new();
    session.ask(&"long ".repeat(100_000));
    session.say("two", 0);
    session.ask("three");
    session.say("four", 0);
    let skips = "[summarize]\nkeep = { turns = 1 }\n";
    let decides = |session: &Session, policy: &str| {
        let dir = Dir::new();
        session.write(&dir);
        dir.write("policy.toml", format!("preset = \"opencode\"\n{policy}"));
        let ran =
            dir.epitome("plan export.json --json --config policy.toml --limits limits.tsv").run().1;
        summarizes(&serde_json::from_slice(&ran.stdout).unwrap())
    };
    // The estimate is 125,000 of 100,000 tokens.
    assert!(decides(&session, skips));
    session.0[3]["info"]["tokens"]["input"] = json!(50_000);
    assert!(!decides(&session, skips));
    // A limit of the user's is compared all the same.
    assert!(decides(&session, &format!("{skips}[overflow]\nlimit = 90000\n")));
}

#[test]
fn usage_beside_a_list_is_that_of_the_list_with_its_summary() {
    let messages = json!([
        {"role": "user", "content": "What did we do so far?"},
        {"role": "assistant", "content": "All of it."},
        {"role": "user", "content": "next ".repeat(200)},
        {"role": "assistant", "content": "done ".repeat(200)},
        {"role": "user", "content": "and now?"},
        {"role": "assistant", "content": "This."},
    ]);
    let decides = |usage: Value| {
        let dir = Dir::new();
        Session::new().write(&dir);
        let mut record = json!({"thread_id": "t", "model": "fake/m", "messages": messages});
        record["usage"] = usage;
        dir.write("in.jsonl", record.to_string() + "\n");
        let ran = dir.epitome("plan in.jsonl --json --preset opencode --limits limits.tsv").ok();
        let plan: Value = serde_json::from_slice(&ran.stdout).unwrap();
        super::support::reason(&plan, "summarize").contains("reached")
    };
    let usage = |prompt: u64| json!({"prompt_tokens": prompt, "completion_tokens": 10});
    assert!(decides(usage(99_950)));
    assert!(!decides(usage(50_000)));
    assert!(!decides(Value::Null));
}

#[test]
fn the_limits_are_those_of_the_model_of_the_newest_question() {
    let mut session = Session::new();
    session.ask("one");
    session.say("two", 50_000);
    session.ask("three");
    assert!(!summarizes(&session.plan("")));
    session.0[2]["info"]["model"]["modelID"] = json!("small");
    assert!(summarizes(&session.plan("")));
}

#[test]
fn a_turn_costs_what_is_sent_of_it() {
    // As JSON, in tokens: [{"role":"user","content":[{"type":"text","text":"two"}]},
    // {"role":"assistant","content":[{"type":"text","text":"three"}]}]
    let units = 2 + 56 + 1 + 63;
    let mut session = Session::new();
    session.ask("one");
    session.say("answer", 99_950);
    session.ask("two");
    session.say("three", 99_950);
    let kept = |tokens: usize| {
        let keep = format!("[summarize]\nkeep = {{ turns = 1, tokens = {tokens} }}\n");
        first_kept(&session.plan(&keep))
    };
    let tokens = (units + 2) / 4;
    assert_eq!((kept(tokens), kept(tokens - 1)), (json!(2), json!(3)));
}

#[test]
fn results_of_a_kept_tail_stay_once_two_turns_follow() {
    let mut session = Session::new();
    session.ask("one");
    let kept = session.ask("two");
    let result = |session: &mut Session, id: &str| {
        let state = json!({"status": "completed", "input": {}, "output": "r".repeat(400), "time": {"start": 1, "end": 2}});
        session.answer(json!([tool(id, state)]), 10);
        session.say("done", 10);
    };
    result(&mut session, "c1");
    result(&mut session, "c2");
    session.compaction(Some(kept), "all");
    let policy = "[prune]\nprotect = 50\nminimum = 50\n";
    let pruned = |session: &Session| edits(&session.plan(policy), "prune").len();
    // The question of the compaction is a turn, so the scan goes on through the tail.
    session.ask("three");
    session.say("four", 10);
    assert_eq!(pruned(&session), 2);
    session.ask("five");
    session.say("six", 10);
    assert_eq!(pruned(&session), 0);
}

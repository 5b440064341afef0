//! The claims of the five documents that the project was founded on, each run: what Deep Agents,
//! LangChain and OpenCode do at which number. Where a document is wrong, the claim is that of the
//! live program, and `docs/decisions.md` says so.

use crate::harness::Dir;
use serde_json::{Value, json};

/// A claim about one call: what `plan` decides on these messages.
struct Claim {
    says: &'static str,
    messages: Vec<Value>,
    /// Options, and behind them keys of the policy.
    words: String,
    policy: &'static str,
    /// The facts that must hold, of those of [`facts`].
    wanted: Value,
}

fn claim(says: &'static str, messages: &[Value], words: impl Into<String>, wanted: Value) -> Claim {
    Claim { says, messages: messages.to_vec(), words: words.into(), policy: "", wanted }
}

impl Claim {
    fn under(self, policy: &'static str) -> Self {
        Self { policy, ..self }
    }
}

/// Returns what a plan decides, in the words of the claims.
fn facts(plan: &Value) -> Value {
    let edits = |kind: &str| {
        let all = plan["edits"].as_array().into_iter().flatten();
        all.filter(|edit| edit["edit"] == kind).cloned().collect::<Vec<_>>()
    };
    let summary = edits("summarize");
    let reasons = plan["reasons"].as_array().into_iter().flatten();
    let why = reasons.filter(|reason| reason["stage"] == "summarize");
    let why: String = why.filter_map(|reason| reason["why"].as_str()).collect();
    let threshold = why.split(" of ").nth(1).and_then(|rest| rest.split(' ').next());
    json!({
        "fires": !summary.is_empty(),
        "first_kept": summary.first().map(|edit| edit["first_kept"].clone()),
        "threshold": threshold.and_then(|number| number.parse::<u64>().ok()),
        "truncated": edits("truncate").len(),
        "evicted": edits("evict").len(),
        "pruned": edits("prune").iter().map(|edit| edit["message"].clone()).collect::<Vec<_>>(),
        "limit": plan["input_limit"],
    })
}

fn check(claims: Vec<Claim>) {
    let mut wrong = Vec::new();
    for claim in claims {
        let dir = Dir::new();
        let record = json!({"thread_id": "t", "messages": claim.messages});
        dir.write("in.jsonl", record.to_string() + "\n");
        dir.write("p.toml", claim.policy);
        let words = format!("plan in.jsonl --json --config p.toml {}", claim.words);
        let (status, run) = dir.epitome(&words).run();
        let found = match run.stdout().lines().next() {
            Some(line) if status < 2 => facts(&serde_json::from_str(line).unwrap()),
            _ => json!({"refused": status}),
        };
        for (fact, value) in claim.wanted.as_object().unwrap() {
            if found[fact] != *value {
                wrong.push(format!("{}: {fact} is {}, not {value}", claim.says, found[fact]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn said(role: &str, text: impl Into<String>) -> Value {
    json!({"role": role, "content": text.into()})
}

/// Questions and answers in turn, each of so many characters.
fn chat(count: usize, length: usize) -> Vec<Value> {
    let role = |index: usize| {
        if index.is_multiple_of(2) { "user" } else { "assistant" }
    };
    (0..count).map(|index| said(role(index), "q".repeat(length))).collect()
}

/// An answer that makes one call.
fn call(tool: &str, arguments: &Value) -> Value {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": function}]})
}

fn result(id: &str, text: impl Into<String>) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": text.into()})
}

/// A file written at the beginning, of so many characters, and a talk behind it.
fn written(tool: &str, length: usize, behind: usize) -> Vec<Value> {
    let arguments = json!({"file_path": "/app.py", "content": "x".repeat(length)});
    let first = [said("user", "go"), call(tool, &arguments), result("c1", "ok")];
    [first.as_slice(), &chat(behind, 40)].concat()
}

/// The result of a tool, of so many characters.
fn answered(tool: &str, length: usize) -> Vec<Value> {
    let text = "a line of the log\n".repeat(length / 18 + 1);
    let answer = result("c1", &text[..length]);
    vec![said("user", "go"), call(tool, &json!({"x": 1})), answer]
}

fn fires(fires: bool) -> Value {
    json!({"fires": fires})
}

const LOW: &str = "--trigger messages=2 --keep messages=2";

#[test]
fn triggers_fire_from_their_number_on_and_keeps_leave_theirs() {
    let messages = chat(50, 40);
    // 50 messages of 10 tokens, 3 and the role.
    let tokens = 50 * 13 + 25 + 25 * 3;
    let at = |trigger: String| format!("--trigger {trigger} --keep messages=6");
    let fraction =
        |limit: u64| format!("{} --max-input-tokens {limit}", at("fraction=0.85".to_owned()));
    let limit = |tokens: u64| tokens * 100 / 85;
    check(vec![
        claim("50 messages reach 50", &messages, at("messages=50".into()), fires(true)),
        claim("they do not reach 51", &messages, at("messages=51".into()), fires(false)),
        claim("tokens far below", &messages, at("tokens=600".into()), fires(true)),
        claim("tokens far above", &messages, at("tokens=900".into()), fires(false)),
        claim("85 % of a small limit", &messages, fraction(limit(tokens - 60)), fires(true)),
        claim("85 % of a larger limit", &messages, fraction(limit(tokens + 60)), fires(false)),
        claim(
            "any trigger is enough",
            &messages,
            format!("{} --trigger messages=999", at("messages=50".into())),
            fires(true),
        ),
        claim("the last 6 stay", &messages, at("messages=50".into()), json!({"first_kept": 44})),
        claim(
            "tokens of a keep are at most so many",
            &messages,
            "--trigger messages=50 --keep tokens=31",
            json!({"first_kept": 48}),
        ),
        claim(
            "a hundredth of 3,100 tokens is 31",
            &messages,
            "--trigger messages=50 --keep fraction=0.01 --max-input-tokens 3100",
            json!({"first_kept": 48}),
        ),
        claim(
            "a fraction without a limit is refused",
            &messages,
            "--trigger fraction=0.85",
            json!({"refused": 3}),
        ),
        claim(
            "a fraction is at most 1",
            &messages,
            "--trigger fraction=1.5",
            json!({"refused": 2}),
        ),
        claim(
            "a fraction is more than 0",
            &messages,
            "--trigger fraction=0",
            json!({"refused": 2}),
        ),
        claim("no trigger is 0", &messages, "--trigger tokens=0", json!({"refused": 2})),
    ]);
}

#[test]
fn models_have_the_defaults_that_the_documents_name() {
    let messages = chat(8, 40);
    let with = |model: &str| format!("--preset deepagents --model {model}");
    check(vec![
        claim(
            "Sonnet 4.5: 85 % of 200,000",
            &messages,
            with("anthropic:claude-sonnet-4-5"),
            json!({"limit": 200_000, "threshold": 170_000}),
        ),
        claim(
            "GPT-4o: 85 % of 128,000",
            &messages,
            with("openai:gpt-4o"),
            json!({"limit": 128_000, "threshold": 108_800}),
        ),
        claim(
            "GPT-4o mini is the same",
            &messages,
            with("openai:gpt-4o-mini"),
            json!({"threshold": 108_800}),
        ),
        claim(
            "GPT-5.2 takes 272,000 of its 400,000",
            &messages,
            with("openai:gpt-5.2"),
            json!({"limit": 272_000, "threshold": 231_200}),
        ),
        claim(
            "with 400,000, 85 % is 340,000",
            &messages,
            format!("{} --max-input-tokens 400000", with("openai:gpt-5.2")),
            json!({"threshold": 340_000}),
        ),
        claim(
            "an unknown model: 170,000",
            &messages,
            with("openai:gpt-5-2"),
            json!({"limit": null, "threshold": 170_000}),
        ),
        claim(
            "names with a date are unknown to the live packages",
            &messages,
            format!("{} --set profiles=0.4.3", with("openai:gpt-5.2-2025-12-11")),
            json!({"limit": null, "threshold": 170_000}),
        ),
        claim(
            "a strict run refuses an unknown model",
            &messages,
            format!("{} --set strict_model=true", with("openai:gpt-5-2")),
            json!({"refused": 2}),
        ),
    ]);
}

#[test]
fn old_arguments_are_truncated_and_large_results_evicted() {
    let set = |tokens: u64| format!("--set evict.tokens={tokens}");
    let truncation = "[truncate]\ntrigger = [{ messages = 50 }]\nkeep = { messages = 20 }\n";
    let count = |truncated: u64| json!({"truncated": truncated});
    let evicted = |evicted: u64| json!({"evicted": evicted});
    check(vec![
        claim("2,000 characters stay", &written("write_file", 2000, 30), "", count(0)),
        claim("2,001 are truncated", &written("write_file", 1990 + 11, 30), "", count(1)),
        claim("edit_file, too", &written("edit_file", 3000, 30), "", count(1)),
        claim("no other tool", &written("execute", 3000, 30), "", count(0)),
        claim("names are exact", &written("Write", 3000, 30), "", count(0)),
        claim(
            "without a limit from 20 messages on, and not among the last 20",
            &written("write_file", 3000, 18),
            "",
            count(0),
        ),
        claim("the settings of the document", &written("write_file", 3000, 47), "", count(1))
            .under(truncation),
        claim("one message fewer", &written("write_file", 3000, 46), "", count(0))
            .under(truncation),
        claim(
            "truncation comes before the trigger is looked at",
            &written("write_file", 40_000, 40),
            "--trigger tokens=9000 --keep messages=6",
            fires(false),
        ),
        claim("80,000 characters stay", &answered("execute", 80_000), "", evicted(0)),
        claim("80,001 go", &answered("execute", 80_001), "", evicted(1)),
        claim(
            "a threshold of 10,000 tokens",
            &answered("execute", 40_001),
            set(10_000),
            evicted(1),
        ),
        claim("0 turns eviction off", &answered("execute", 400_000), set(0), evicted(0)),
        claim("web_search is evicted", &answered("web_search", 90_000), "", evicted(1)),
        claim(
            "what is evicted does not fire",
            &answered("execute", 90_000),
            "--trigger tokens=20000 --keep messages=1",
            fires(false),
        ),
    ]);
    let excluded = ["ls", "glob", "grep", "read_file", "write_file", "edit_file", "write_todos"];
    let stays = |tool: &&str| {
        claim("results of tools for files stay", &answered(tool, 90_000), "", evicted(0))
    };
    check(excluded.iter().map(stays).collect());
}

#[test]
fn cuts_part_no_call_from_its_results() {
    let lang =
        |keep: u64| format!("--preset langchain --trigger messages=2 --keep messages={keep}");
    let calls: Vec<Value> = ["a", "b", "c"]
        .map(|id| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}))
        .to_vec();
    let text = "r".repeat(400);
    let mut messages = vec![
        said("user", text.clone()),
        json!({"role": "assistant", "content": null, "tool_calls": calls}),
    ];
    messages.extend(["a", "b", "c"].map(|id| result(id, text.clone())));
    messages.push(said("user", text.clone()));
    let strangers = [
        said("user", text.clone()),
        result("y", text.clone()),
        result("z", text.clone()),
        said("user", text),
    ];
    let kept = |first: u64| json!({"first_kept": first});
    check(vec![
        claim("a cut at the last result moves to the call", &messages, lang(2), kept(1)),
        claim("in the middle", &messages, lang(3), kept(1)),
        claim("at the first", &messages, lang(4), kept(1)),
        claim("behind them it stays", &messages, lang(1), kept(5)),
        claim("results of no call are skipped", &strangers, lang(2), kept(3)),
        claim(
            "LangChain has no trigger of its own",
            &chat(40, 400),
            "--preset langchain",
            fires(false),
        ),
        claim(
            "it keeps 20 messages",
            &chat(40, 400),
            "--preset langchain --trigger messages=30",
            kept(20),
        ),
        claim(
            "above the limit it summarizes without a trigger",
            &chat(30, 4000),
            "--max-input-tokens 20000 --trigger tokens=1000000 --keep messages=4",
            json!({"fires": true, "first_kept": 26}),
        ),
    ]);
}

#[test]
fn the_essays_opencode_prunes_and_overflows_at_its_numbers() {
    let tools = |sizes: &[usize]| {
        let mut messages = vec![said("system", "s"), said("user", "go")];
        for size in sizes {
            messages.push(call("read_file", &json!({"p": 1})));
            messages.push(result("c1", "x".repeat(4 * size)));
        }
        messages
    };
    let used = |tokens: u64| {
        let usage = json!({"prompt_tokens": tokens - 100, "completion_tokens": 100, "total_tokens": tokens});
        let answer = json!({"role": "assistant", "content": "done ".repeat(80), "usage": usage});
        vec![
            said("system", "s"),
            said("user", "x".repeat(400)),
            said("assistant", "y".repeat(400)),
            said("user", "z".repeat(400)),
            answer,
        ]
    };
    let pruned = |messages: &[u64]| json!({"pruned": messages});
    let seed = "--preset opencode-seed";
    check(vec![
        claim("20,000 tokens are protected", &tools(&[10_000, 10_000]), seed, pruned(&[])),
        claim("the result that crosses them goes, if over 10,000 go", &tools(&[10_001, 20_000]), seed, pruned(&[3])),
        claim("10,000 are too few", &tools(&[10_000, 20_000]), seed, pruned(&[])),
        claim("the newest goes, too, if it alone is larger", &tools(&[10_000, 20_001]), seed, pruned(&[3, 5])),
        claim("old ones go together", &tools(&[5000; 8]), seed, pruned(&[3, 5, 7, 9])),
        claim("96,000 used tokens are usable", &used(96_000), seed, fires(false)),
        claim("96,001 overflow", &used(96_001), seed, fires(true)),
        claim("the reserve can be set", &used(112_001), seed, fires(true)).under("preset = \"opencode-seed\"\n[overflow]\nreserved = 16000\nmax_output = 16000\noutput = 16000\n"),
        claim("one token fewer", &used(112_000), seed, fires(false)).under("preset = \"opencode-seed\"\n[overflow]\nreserved = 16000\nmax_output = 16000\noutput = 16000\n"),
    ]);
}

/// Compacts a conversation. Returns its folder and the new messages.
fn compacted(messages: &[Value], words: &str, policy: &str) -> (Dir, Vec<Value>) {
    let dir = Dir::new();
    let record = json!({"thread_id": "abc123", "messages": messages});
    dir.write("in.jsonl", record.to_string() + "\n");
    dir.write("p.toml", policy);
    dir.epitome(&format!("compact in.jsonl -o out --config p.toml {words}")).ok();
    let after: Value = serde_json::from_str(&dir.read("out/in.jsonl")).unwrap();
    let after = after["messages"].as_array().unwrap().clone();
    (dir, after)
}

#[test]
fn a_summary_names_its_history_and_stands_before_what_stays() {
    let (dir, after) = compacted(&chat(30, 200), "--trigger messages=20 --keep messages=6", "");
    let history = dir.read("out/conversation_history/abc123.md");
    assert!(history.starts_with("## Summarized at 2026-01-01T00:00:00+00:00\n\nHuman: "));
    assert!(history.ends_with("\n\n"));
    let text = after[0]["content"].as_str().unwrap();
    assert!(text.contains(" has been saved to /conversation_history/abc123.md should you need "));
    assert!(text.contains("\n\n<summary>\n") && text.ends_with("\n</summary>"));
    assert_eq!((after.len(), &after[0]["role"]), (7, &json!("user")));
    let entry = &dir.entries()[0];
    assert_eq!((&entry["cutoff_index"], &entry["summarized_messages"]), (&json!(24), &json!(24)));
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
    let (dir, after) = compacted(&chat(30, 200), LOW, "[archive]\nprefix = \"/old\"\n");
    assert!(after[0]["content"].as_str().unwrap().contains("/old/abc123.md"));
    // A second summary has a section of its own, without the first summary.
    dir.write("p.toml", "[summarize]\ntrigger = [{ messages = 12 }]\nkeep = { messages = 4 }\n");
    dir.epitome("replay in.jsonl -o twice --config p.toml").ok();
    let history = dir.read("twice/conversation_history/abc123.md");
    assert!(history.matches("## Summarized at").count() > 1, "{history}");
    assert!(!history.contains("A condensed summary follows"), "{history}");
}

#[test]
fn truncated_arguments_and_evicted_results_have_the_live_texts() {
    let (_, after) = compacted(&written("write_file", 3000, 30), "", "");
    let arguments = after[1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    assert_eq!(arguments["content"], format!("{}...(argument truncated)", "x".repeat(20)));
    assert_eq!(arguments["file_path"], "/app.py");
    let flat = "[archive]\nresults_prefix = \"/large_tool_results\"\n";
    let (dir, after) = compacted(&answered("execute", 80_001), "", flat);
    assert!(after[2]["content"].as_str().unwrap().contains("/large_tool_results/c1"));
    assert!(dir.exists("out/large_tool_results/c1"));
}

#[test]
fn the_examples_of_the_documents_come_out_as_they_say() {
    let growth = "on_growth = \"allow\"\n";
    let five: Vec<Value> = (1..=5).map(|number| said("user", format!("第 {number} 条"))).collect();
    let policy = format!("preset = \"langchain\"\n[summarize]\n{growth}");
    let (_, after) = compacted(&five, "--trigger messages=3 --keep messages=1", &policy);
    assert_eq!(after.len(), 2, "{after:?}");
    assert!(after[0]["content"].as_str().unwrap().contains("summary"));
    // Five tools at once, and a last word.
    let tools = ["wind", "heat", "sky", "rain", "dew"];
    let calls = tools.map(|tool| json!({"id": tool, "type": "function", "function": {"name": tool, "arguments": "{\"city\": \"Suzhou\"}"}}));
    let mut demo = vec![
        said("user", "How is the weather?"),
        json!({"role": "assistant", "content": "", "tool_calls": calls}),
    ];
    demo.extend(tools.map(|tool| result(tool, "It is 25 there.")));
    demo.push(said("assistant", "That is all of it."));
    let (_, after) = compacted(
        &demo,
        "--trigger messages=5 --keep messages=1",
        &format!("[summarize]\n{growth}"),
    );
    assert_eq!((after.len(), &after[1]), (2, &demo[7]), "{after:?}");
    // The essay's four messages: the question of the frame, the summary and the new question.
    let usage =
        json!({"prompt_tokens": 100_000, "completion_tokens": 100, "total_tokens": 100_100});
    let mut answer = said("assistant", "done ".repeat(800));
    answer["usage"] = usage;
    let essay = [
        said("system", "You are"),
        said("user", "one"),
        said("assistant", "x".repeat(4000)),
        said("user", "y".repeat(4000)),
        answer,
        said("user", "a new question"),
    ];
    let (_, after) = compacted(&essay, "--preset opencode-seed", "");
    let roles: Vec<&str> = after.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    assert_eq!(after[1]["content"], "What did we do so far?");
    assert_eq!(after[3], essay[5]);
    // Pruned results become a placeholder, and the number of messages stays.
    let mut pruned = vec![said("system", "s"), said("user", "go")];
    for _ in 0..3 {
        pruned.extend([call("read_file", &json!({"p": 1})), result("c1", "x".repeat(60_000))]);
    }
    let (_, after) = compacted(&pruned, "--preset opencode-seed", "");
    assert_eq!(after.len(), pruned.len());
    assert_eq!(after[3]["content"], "[Old tool result content cleared]");
    assert_eq!(after[7], pruned[7]);
}

#[test]
fn characters_count_as_the_documents_say() {
    let tokens = |text: &str, words: &str| {
        let dir = Dir::new();
        dir.write("in.jsonl", json!({"messages": [said("user", text)]}).to_string() + "\n");
        let run = dir.epitome(&format!("count in.jsonl --json {words}")).ok();
        let line: Value = serde_json::from_str(run.stdout().lines().next().unwrap()).unwrap();
        line["counts"]["tokens"].as_u64().unwrap()
    };
    // 1.5 tokens a Chinese character, a quarter any other; halves round to even.
    for (text, count) in
        [("漢", 2), ("漢字字", 4), ("漢字字a", 5), ("aa", 0), ("aaaaaa", 2), ("あ", 0), ("漢aa", 2)]
    {
        assert_eq!(tokens(text, "--counter cjk"), count, "{text}");
    }
    let text = "word ".repeat(400);
    let (four, three) = (tokens(&text, "--counter approx"), 2000 * 10 / 33);
    assert!((500..=505).contains(&four) && three > four);
    let dir = Dir::new();
    let record = json!({"model": "anthropic:claude-sonnet-4-5", "messages": [said("user", text)]});
    dir.write("in.jsonl", record.to_string() + "\n");
    let plan = dir.epitome("plan in.jsonl --json").ok();
    let plan: Value = serde_json::from_str(plan.stdout().lines().next().unwrap()).unwrap();
    assert!((606..=612).contains(&plan["total_tokens"].as_u64().unwrap()), "{plan}");
}

#[test]
fn a_history_that_an_earlier_summary_names_goes_on() {
    let (dir, mut after) = compacted(&chat(30, 200), LOW, "");
    after.extend(chat(30, 200));
    // The state of an agent has no thread id of its own.
    dir.write("next.jsonl", json!({"messages": after}).to_string() + "\n");
    dir.epitome(&format!("compact next.jsonl -o next {LOW}")).ok();
    let history = dir.read("next/conversation_history/abc123.md");
    assert!(history.contains("Human: "), "{history}");
    let next = dir.read("next/next.jsonl");
    assert!(next.contains("/conversation_history/abc123.md"), "{next}");
    // A name that is no thread's leaves the conversation without one.
    let odd = dir.read("next.jsonl").replace("abc123.md", "a b.md");
    dir.write("odd.jsonl", odd);
    dir.epitome(&format!("compact odd.jsonl -o odd {LOW}")).ok();
    let names: Vec<String> = dir.tree("odd/conversation_history").into_keys().collect();
    assert!(names.iter().all(|name| name.starts_with("session_")), "{names:?}");
}

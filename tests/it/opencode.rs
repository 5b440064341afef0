//! OpenCode's rules, case by case: both sides of every constant and comparison.
//!
//! `fixtures/presets/opencode.jsonl` holds one case a line: a policy, messages (a content of `["x",
//! 5]` is that text five times), and what must come of it: the messages that are `pruned`, whether
//! the overflow trigger `fires`, the `first_kept` message of a compaction. It was written from
//! OpenCode's rules, with a model of them of its own.

use crate::catalog::PRESETS;
use crate::harness::Dir;
use crate::originals::restored;
use serde_json::{Value, json};

const CASES: &str = include_str!("../../fixtures/presets/opencode.jsonl");
const PLACEHOLDER: &str = "[Old tool result content cleared]";

fn cases() -> Vec<Value> {
    CASES
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The messages with their contents written out.
fn messages(case: &Value) -> Vec<Value> {
    let mut messages = case["messages"].as_array().unwrap().clone();
    for message in &mut messages {
        if let Some([Value::String(text), Value::Number(times)]) =
            message["content"].as_array().map(Vec::as_slice)
        {
            message["content"] =
                json!(text.repeat(usize::try_from(times.as_u64().unwrap()).unwrap()));
        }
    }
    messages
}

/// The case's input and policy, and its plan.
fn planned(case: &Value) -> (Dir, Value) {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        json!({"thread_id": "t", "messages": messages(case)}).to_string() + "\n",
    );
    dir.write("policy.toml", case["policy"].as_str().unwrap());
    let ran = dir
        .epitome("plan in.jsonl --json --config policy.toml")
        .ok();
    let plan = serde_json::from_slice(&ran.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}: {}", case["name"], ran.stderr));
    (dir, plan)
}

fn edits<'p>(plan: &'p Value, kind: &str) -> Vec<&'p Value> {
    plan["edits"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|edit| edit["edit"] == kind)
        .collect()
}

fn reason<'p>(plan: &'p Value, stage: &str) -> &'p str {
    plan["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .find(|reason| reason["stage"] == stage)
        .and_then(|reason| reason["why"].as_str())
        .unwrap()
}

#[test]
fn every_case_is_decided_as_opencode_decides() {
    let (mut wrong, mut counts) = (Vec::new(), [0, 0, 0]);
    for case in cases() {
        let (_dir, plan) = planned(&case);
        let pruned = json!(
            edits(&plan, "prune")
                .iter()
                .map(|edit| edit["message"].clone())
                .collect::<Vec<_>>()
        );
        let why = reason(&plan, "summarize");
        let first_kept = edits(&plan, "summarize")
            .first()
            .map_or(Value::Null, |edit| edit["first_kept"].clone());
        for (place, (key, got, reason)) in [
            ("pruned", pruned, reason(&plan, "prune")),
            ("fires", json!(why.contains("reached")), why),
            ("first_kept", first_kept, why),
        ]
        .into_iter()
        .enumerate()
        {
            counts[place] += usize::from(case[key] != Value::Null);
            if case[key] != Value::Null && case[key] != got {
                wrong.push(format!(
                    "{}: {key} is {got}, it must be {} ({reason})",
                    case["name"], case[key]
                ));
            }
        }
    }
    assert!(
        counts.iter().all(|count| *count >= 30),
        "too few cases: {counts:?}"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_pruned_is_replaced_and_can_be_read_and_put_back() {
    let cases = cases();
    let pruning = cases.iter().filter(|case| {
        case["pruned"]
            .as_array()
            .is_some_and(|pruned| !pruned.is_empty())
    });
    for case in pruning.step_by(5) {
        let (dir, plan) = planned(case);
        dir.epitome("compact in.jsonl -o out --config policy.toml")
            .ok();
        let before = messages(case);
        let after: Value = serde_json::from_slice(&dir.bytes("out/in.jsonl")).unwrap();
        let after = after["messages"].as_array().unwrap();
        assert_eq!(after.len(), before.len(), "{}", case["name"]);
        let history = dir.read("out/conversation_history/t.md");
        for (index, (before, after)) in before.iter().zip(after).enumerate() {
            let pruned = case["pruned"].as_array().unwrap().contains(&json!(index));
            let mut wanted = before.clone();
            if pruned {
                wanted["content"] = json!(PLACEHOLDER);
                assert!(
                    history.contains(before["content"].as_str().unwrap()),
                    "{}: message {index} is not in the history",
                    case["name"]
                );
            }
            assert_eq!(*after, wanted, "{}: message {index}", case["name"]);
        }
        let entry = &dir.entries()[0];
        assert_eq!(
            entry["pruned"],
            json!(case["pruned"].as_array().unwrap().len())
        );
        assert_eq!(entry["tokens_after"], plan["tokens_after"]);
        let restored = restored(
            &dir.bytes("out/in.jsonl"),
            &dir.path("out/originals/in.jsonl.originals"),
        );
        assert_eq!(restored, dir.bytes("in.jsonl"), "{}", case["name"]);
    }
}

/// A conversation of four turns with a system prompt.
fn talk() -> Value {
    let say = |role: &str, text: &str| json!({"role": role, "content": text});
    let mut messages = vec![say("system", "Be brief.")];
    for number in 1..=4 {
        messages.push(say(
            "user",
            &format!(
                "Question {number}: {}",
                "what about the parcel and its long way home? ".repeat(20)
            ),
        ));
        messages.push(say(
            "assistant",
            &format!(
                "Answer {number}: {}",
                "it is on its way, and will be there soon. ".repeat(20)
            ),
        ));
    }
    json!({"thread_id": "t", "messages": messages})
}

#[cfg(unix)]
#[test]
fn a_compaction_has_the_shape_of_opencode_and_the_next_one_merges() {
    let dir = Dir::new();
    let program = dir.script("asked", "cat > prompt.$(ls prompt.* 2>/dev/null | wc -l | tr -d ' '); echo '## Objective'; echo 'to know 4711'");
    dir.write("in.jsonl", talk().to_string() + "\n");
    let options = format!(
        "--preset opencode --trigger messages=4 --keep turns=1 --summarizer command:{program}"
    );
    dir.epitome(&format!("compact in.jsonl -o out {options}"))
        .ok();
    let written = |path: &str| {
        serde_json::from_slice::<Value>(&dir.bytes(path)).unwrap()["messages"]
            .as_array()
            .unwrap()
            .clone()
    };
    let first = written("out/in.jsonl");
    let before = talk();
    let before = before["messages"].as_array().unwrap();
    let question = json!({"role": "user", "content": "What did we do so far?"});
    let answer = json!({"role": "assistant", "content": "## Objective\nto know 4711"});
    assert_eq!(
        first,
        [&before[0], &question, &answer, &before[7], &before[8]].map(Clone::clone)
    );
    let prompt = dir.read("prompt.0");
    assert!(
        prompt.contains("Create a new anchored summary") && !prompt.contains("<prior-summary>"),
        "{prompt}"
    );
    assert!(
        prompt.contains("[User]: Question 1:")
            && prompt.contains("\n\n[Assistant]: Answer 3:")
            && !prompt.contains("Question 4"),
        "{prompt}"
    );

    // One more turn, and again: the summary is handed over by itself, and neither archived nor
    // shown as a message.
    let mut more = first;
    more.extend([
        json!({"role": "user", "content": "And the other parcel? ".repeat(40)}),
        json!({"role": "assistant", "content": "No."}),
    ]);
    dir.write(
        "in2.jsonl",
        json!({"thread_id": "t", "messages": more}).to_string() + "\n",
    );
    dir.epitome(&format!("compact in2.jsonl -o out2 {options}"))
        .ok();
    let second = written("out2/in2.jsonl");
    assert_eq!(
        second,
        [&before[0], &question, &answer, &more[5], &more[6]].map(Clone::clone)
    );
    let prompt = dir.read("prompt.1");
    assert!(
        prompt.contains("<prior-summary>\n## Objective\nto know 4711\n</prior-summary>"),
        "{prompt}"
    );
    assert!(
        prompt.contains("<conversation>\n[User]: Question 4:")
            && !prompt.contains("What did we do so far?"),
        "{prompt}"
    );
    let history = dir.read("out2/conversation_history/t.md");
    assert!(
        history.contains("Question 4")
            && !history.contains("4711")
            && !history.contains("What did we do so far?"),
        "{history}"
    );
}

#[cfg(unix)]
#[test]
fn the_seed_asks_in_its_own_words_and_keeps_nothing() {
    let dir = Dir::new();
    let program = dir.script("asked", "cat > prompt; echo done");
    dir.write("in.jsonl", talk().to_string() + "\n");
    dir.epitome(&format!("compact in.jsonl -o out --preset opencode-seed --trigger messages=4 --summarizer command:{program}")).ok();
    let after: Value = serde_json::from_slice(&dir.bytes("out/in.jsonl")).unwrap();
    let roles: Vec<&str> = after["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant"]);
    let prompt = dir.read("prompt");
    assert!(
        prompt
            .starts_with("You are a helpful AI assistant tasked with summarizing conversations.\n")
            && prompt.ends_with("请总结上述对话，以便继续后续工作。")
    );
}

#[cfg(unix)]
#[test]
fn a_prompt_cuts_results_names_media_and_shows_the_placeholder() {
    let dir = Dir::new();
    let program = dir.script("asked", "cat > prompt; echo done");
    let call = |id: &str| json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"ls\"}"}}]});
    let result =
        |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
    let image = json!([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]);
    let mut failed = result("c4", &"e".repeat(2100));
    failed["status"] = json!("error");
    let messages = json!([
        {"role": "user", "content": image}, call("c1"), result("c1", "old and long enough to be cleared, all of it"), call("c2"), result("c2", &"x".repeat(2000)),
        call("c3"), result("c3", &"y".repeat(2001)), call("c4"), failed, {"role": "user", "content": "on"}, {"role": "assistant", "content": "z"},
    ]);
    dir.write(
        "in.jsonl",
        json!({"thread_id": "t", "messages": messages}).to_string() + "\n",
    );
    dir.write(
        "policy.toml",
        "preset = \"opencode\"\n[prune]\nskip_turns = 0\nprotect = 1000\nminimum = 0\n[summarize]\ntrigger = [{ messages = 4 }]\nkeep = { turns = 0 }\n",
    );
    dir.epitome(&format!(
        "compact in.jsonl -o out --config policy.toml --summarizer command:{program}"
    ))
    .ok();
    let prompt = dir.read("prompt");
    for wanted in [
        "[User]: look\n[Attached image]\n\n".to_owned(),
        "[Assistant tool call]: bash({\"command\": \"ls\"})\n\n[Tool result]: [Old tool result content cleared]\n\n".to_owned(),
        format!("[Tool result]: {}[truncated]\n\n", "y".repeat(2000)),
        format!("[Tool error]: {}\n\n", "e".repeat(2100)),
    ] {
        assert!(prompt.contains(&wanted), "{wanted:?} is not in {prompt}");
    }
    // The history has what was cleared, and then what was summarised.
    let history = dir.read("out/conversation_history/t.md");
    let places = [
        "## Pruned at ",
        "Tool: old and long enough",
        "## Summarized at ",
        "Tool: [Old tool result content cleared]",
    ]
    .map(|text| history.find(text).unwrap());
    assert!(places.is_sorted(), "{history}");
}

#[test]
fn the_embedded_summary_has_the_headings_of_opencode() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk().to_string() + "\n");
    dir.epitome("compact in.jsonl -o out --preset opencode --trigger messages=4 --keep turns=1 --summary-tokens 300").ok();
    let after: Value = serde_json::from_slice(&dir.bytes("out/in.jsonl")).unwrap();
    let summary = after["messages"][2]["content"].as_str().unwrap();
    let headings: Vec<&str> = summary
        .lines()
        .filter(|line| line.starts_with('#'))
        .collect();
    let wanted = [
        "## Objective",
        "## Important Details",
        "## Work State",
        "### Completed",
        "### Active",
        "### Blocked",
        "## Next Move",
        "## Relevant Files",
    ];
    assert_eq!(headings, wanted, "{summary}");
    assert!(
        summary.starts_with("## Objective\nQuestion 1:"),
        "{summary}"
    );
}

#[test]
fn attachments_of_a_cleared_result_go_along() {
    let dir = Dir::new();
    let content = json!([{"type": "text", "text": "x".repeat(200)}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]);
    let messages = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "screen", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": content},
    ]);
    dir.write(
        "in.jsonl",
        json!({"thread_id": "t", "messages": messages}).to_string() + "\n",
    );
    dir.write(
        "policy.toml",
        "[prune]\nskip_turns = 0\nprotect = 0\nminimum = 0\n",
    );
    dir.epitome("compact in.jsonl -o out --config policy.toml")
        .ok();
    let after: Value = serde_json::from_slice(&dir.bytes("out/in.jsonl")).unwrap();
    assert_eq!(after["messages"][2]["content"], PLACEHOLDER);
    let again: Value = serde_json::from_slice(
        &dir.epitome("plan out/in.jsonl --json --config policy.toml")
            .ok()
            .stdout,
    )
    .unwrap();
    assert_eq!(
        (&again["tokens_before"], &again["changes"]),
        (&dir.entries()[0]["tokens_after"], &json!(false)),
        "what was cleared stays"
    );
}

#[test]
fn presets_are_shown_as_configurations_that_give_them_again() {
    let dir = Dir::new();
    let all = dir.epitome("presets").ok();
    for preset in PRESETS.iter() {
        let shown = dir
            .epitome(&format!("presets {preset} --model openai:gpt-5.2"))
            .ok();
        // The description stands before the values, with at least one deliberate difference.
        let (description, _) = shown.stdout().split_once("\npreset = ").unwrap();
        assert!(
            description.starts_with(&format!("# {preset}\n#\n# "))
                && description.contains("# Where it differs on purpose:\n# - ")
                && all.stdout().contains(description),
            "{description}"
        );
        dir.write("policy.toml", &shown.stdout);
        let wanted = dir
            .epitome(&format!(
                "plan --print-config --preset {preset} --model openai:gpt-5.2"
            ))
            .ok();
        assert!(
            shown.stdout().ends_with(wanted.stdout()),
            "{}",
            shown.stdout()
        );
        assert_eq!(
            dir.epitome("plan --print-config --config policy.toml")
                .ok()
                .stdout(),
            wanted.stdout()
        );
    }
    dir.epitome("presets opncode")
        .fails(2)
        .says(["opncode", "similar value exists: 'opencode'"]);
}

#[test]
fn two_results_of_one_call_are_those_of_its_tool_in_a_replay_too() {
    let dir = Dir::new();
    let call = json!({"role": "assistant", "content": "I look", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "grep", "arguments": "{}"}}]});
    let result = |text: &str| json!({"role": "tool", "tool_call_id": "c1", "content": text});
    let long = "one more line of it, ".repeat(60);
    let messages = [call, result("first"), result(&long)];
    dir.write(
        "in.jsonl",
        json!({"thread_id": "t", "messages": messages}).to_string() + "\n",
    );
    let pruned = |tools: &str| {
        dir.write(
            "policy.toml",
            format!("preset = \"opencode-seed\"\n[evict]\ntokens = 238\n[prune]\nprotect = 1\nminimum = 1\nskip_turns = 0\nprotect_tools = {tools}\n"),
        );
        dir.epitome("replay in.jsonl -o out --force --config policy.toml")
            .ok();
        let calls = dir.read("out/replay.jsonl");
        let last: Value = serde_json::from_str(calls.lines().last().unwrap()).unwrap();
        last["pruned_results"].as_u64()
    };
    assert_eq!(pruned("[]"), Some(2));
    assert_eq!(pruned("[\"grep\"]"), None);
}

//! Summaries: their frame, their prompt and their headings.

use super::support::talk;
use crate::harness::Dir;
use serde_json::{Value, json};

#[cfg(unix)]
#[test]
fn a_compaction_has_the_shape_of_opencode_and_the_next_one_merges() {
    let dir = Dir::new();
    let program = dir.script("asked", "cat > prompt.$(ls prompt.* 2>/dev/null | wc -l | tr -d ' '); echo '## Objective'; echo 'to know 4711'");
    dir.write("in.jsonl", talk().to_string() + "\n");
    let options = format!(
        "--preset opencode --trigger messages=4 --keep turns=1 --summarizer command:{program}"
    );
    dir.epitome(&format!("compact in.jsonl -o out {options}")).ok();
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
    assert_eq!(first, [&before[0], &question, &answer, &before[7], &before[8]].map(Clone::clone));
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
    dir.write("in2.jsonl", json!({"thread_id": "t", "messages": more}).to_string() + "\n");
    dir.epitome(&format!("compact in2.jsonl -o out2 {options}")).ok();
    let second = written("out2/in2.jsonl");
    assert_eq!(second, [&before[0], &question, &answer, &more[5], &more[6]].map(Clone::clone));
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
    dir.write("in.jsonl", json!({"thread_id": "t", "messages": messages}).to_string() + "\n");
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
        "[User]: look\n[Attached image/png: file]\n\n".to_owned(),
        "[Assistant tool call]: bash({\"command\":\"ls\"})\n[Tool result]: [Old tool result content cleared]\n\n".to_owned(),
        format!("[Tool result]: {}\n[truncated]\n\n", "y".repeat(2000)),
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
    let headings: Vec<&str> = summary.lines().filter(|line| line.starts_with('#')).collect();
    let wanted = [
        "## Objective", "## Important Details", "## Work State", "### Completed", "### Active",
        "### Blocked", "## Next Move", "## Relevant Files",
    ];
    assert_eq!(headings, wanted, "{summary}");
    assert!(summary.starts_with("## Objective\nQuestion 1:"), "{summary}");
}

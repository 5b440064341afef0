//! `[system]`: memory and skills are counted as Deep Agents would have sent them.

use crate::harness::Dir;
use serde_json::{Value, json};

/// The template of a memory section in Deep Agents 0.4, without its slot.
const MEMORY: usize = 4452;

fn write_log(dir: &Dir, system: Option<&str>) {
    let mut messages = vec![json!({"role": "user", "content": "hi"})];
    if let Some(text) = system {
        messages.insert(0, json!({"role": "system", "content": text}));
    }
    let record = json!({"thread_id": "t", "messages": messages});
    dir.write("in.jsonl", record.to_string() + "\n");
}

fn plan(dir: &Dir, words: &str) -> Value {
    let plan = dir.epitome(&format!("plan in.jsonl --json {words}")).ok();
    serde_json::from_str(plan.stdout()).unwrap()
}

/// The tokens of a system message of these characters.
fn message(points: usize) -> u64 {
    ((points + "system".len()).div_ceil(4) + 3) as u64
}

#[test]
fn memory_counts_as_a_part_of_the_system_prompt() {
    let dir = Dir::new();
    dir.write("AGENTS.md", "# House rules\n\nUse tabs.\n");
    let filled = "AGENTS.md\n# House rules\n\nUse tabs.\n".len();
    write_log(&dir, None);
    let bare = plan(&dir, "")["tokens_before"].as_u64().unwrap();
    assert!(plan(&dir, "")["system"].is_null());
    let with = plan(&dir, "--set system.memory=['AGENTS.md']");
    let added = message(MEMORY + filled);
    assert_eq!(with["tokens_before"], bare + added);
    assert_eq!(with["system"]["memory"], added);
    // A prompt of the log stands before it, with an empty line between them.
    write_log(&dir, Some("You are terse."));
    let with = plan(&dir, "--set system.memory=['AGENTS.md']");
    assert_eq!(with["system"]["base"], message(14));
    let all = message(14 + 2 + MEMORY + filled);
    assert_eq!(with["system"]["memory"], all - message(14));
    assert_eq!(with["tokens_before"], bare + all);
    // In 0.7 only the provider counts it.
    let newest = plan(&dir, "--set system.memory=['AGENTS.md'] --preset deepagents-0.7");
    assert_eq!(newest["tokens_before"], bare + message(14));
    assert_eq!(newest["system"]["counted"], false);
    assert!(newest["system"]["memory"].as_u64() > with["system"]["memory"].as_u64());
}

#[test]
fn a_trigger_sees_what_is_counted() {
    let dir = Dir::new();
    dir.write("AGENTS.md", "x".repeat(4000));
    write_log(&dir, None);
    let fires = |words: &str| {
        let words = format!("--set system.memory=['AGENTS.md'] --trigger tokens=1500 {words}");
        let plan = plan(&dir, &words);
        let reasons = plan["reasons"].as_array().unwrap().clone();
        let summarize = reasons.iter().find(|reason| reason["stage"] == "summarize");
        !summarize.unwrap()["why"].as_str().unwrap().starts_with("not triggered")
    };
    assert!(fires("--keep messages=1"));
    assert!(!fires("--keep messages=1 --preset deepagents-0.7"));
}

#[test]
fn a_prompt_that_holds_a_section_gets_no_other() {
    let dir = Dir::new();
    dir.write("AGENTS.md", "rules");
    write_log(&dir, Some("You.\n<agent_memory>\nrules\n</agent_memory>"));
    let plan = plan(&dir, "--set system.memory=['AGENTS.md']");
    assert_eq!(plan["system"]["memory"], 0);
    assert!(plan["warnings"][0].as_str().unwrap().contains("holds the memory already"));
}

#[test]
fn files_that_deep_agents_fails_on_end_the_run() {
    let dir = Dir::new();
    write_log(&dir, None);
    dir.write("latin.md", b"caf\xe9\n").write("d/x", "");
    dir.epitome("compact in.jsonl -o out --set system.memory=['latin.md']")
        .fails(2)
        .says(["latin.md: not UTF-8 from byte 3 on"]);
    dir.epitome("compact in.jsonl -o out --set system.memory=['d']")
        .fails(2)
        .says(["can't read d"]);
    assert!(!dir.exists("out"));
    dir.epitome("plan in.jsonl --set system.memory=['none.md']").ok();
    dir.write("p.toml", "[system]\nroot = \"d\"\nmemory = [\"/../in.jsonl\"]\n");
    dir.epitome("plan in.jsonl --config p.toml").fails(2).says(["must not contain .."]);
}

#[test]
fn skills_are_listed_and_what_is_left_out_is_named() {
    let dir = Dir::new();
    write_log(&dir, None);
    let skill = |name: &str, rest: &str| {
        format!("---\nname: {name}\ndescription: What it does\n{rest}---\nSteps.\n")
    };
    dir.write("root/s/good/SKILL.md", skill("good", "license: MIT\nallowed-tools: a, b\n"))
        .write("root/s/colon/SKILL.md", skill("colon", "license: a: b\n"))
        .write("root/s/other/SKILL.md", skill("named", ""))
        .write("root/s/none/README.md", "no skill")
        .write("root/s/file.md", "no directory");
    dir.write("p.toml", "[system]\nroot = \"root\"\nskills = [\"/s/\", \"/gone\"]\n");
    let run = dir.epitome("plan in.jsonl --json --config p.toml").ok();
    let plan: Value = serde_json::from_str(run.stdout()).unwrap();
    let list = "- **good**: What it does (License: MIT)\n  -> Allowed tools: a, b\n  -> Read `/s/good/SKILL.md` for full instructions\n\
                - **named**: What it does\n  -> Read `/s/other/SKILL.md` for full instructions";
    let locations = "**S Skills**: `/s/`\n**Gone Skills**: `/gone` (higher priority)";
    let points = 1532 + list.len() + locations.len();
    assert_eq!(plan["system"]["skills"], message(points));
    run.says([
        "/s/colon/SKILL.md is left out: its front matter is not YAML",
        "/s/other/SKILL.md: listed as \"named\", but its directory is \"other\"",
        "no skills in /gone: path_not_found",
    ]);
}

#[test]
fn plan_shows_the_parts_and_what_triggers_would_compare_without_them() {
    let dir = Dir::new();
    dir.write("AGENTS.md", "rules");
    write_log(&dir, Some("You are terse."));
    let shown = dir.epitome("plan in.jsonl --verbose --set system.memory=['AGENTS.md']").ok();
    let text = shown.stdout().replace("\n    ", " ");
    assert!(text.contains("system prompt: base 8, memory 1,118, skills 0, tool schemas 0 tokens; counted; without what the log lacks triggers compare 13"), "{text}");
}

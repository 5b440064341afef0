//! A configuration that is found beside the input sets policy, and nothing else.

use super::SECRET;
use crate::harness::Dir;
use crate::talk::{CUT, talk};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

/// Each key that would choose who is asked what, cost something, turn a protection off, or open a
/// file.
const REFUSED: [&str; 29] = [
    "model = \"anthropic:claude-haiku-4-5\"",
    "redact = false",
    "strict_model = false",
    "counter = \"file:/dev/zero\"",
    "limits = \"/dev/zero\"",
    "limits = \"../limits.jsonl\"",
    "[system]\nbase = \"/dev/zero\"",
    "[system]\nmemory = [\"/dev/zero\"]",
    "[system]\nskills = [\"/\"]",
    "[system]\nroot = \"/\"",
    "[summarizer]\nkind = \"http\"",
    "[summarizer]\nkind = \"command:touch ran\"",
    "[summarizer]\nprompt = \"{messages}\"",
    "[summarizer]\nmerge_prompt = \"{messages} {prior_summary}\"",
    "[summarizer]\nresult_chars = 1",
    "[summarizer]\nheadings = [\"x\"]",
    "[summarizer]\nmodel = \"anthropic:claude-haiku-4-5\"",
    "[summarizer]\ndialect = \"anthropic\"",
    "[summarizer]\nbase_url = \"https://example.com/v1\"",
    "[summarizer]\napi_key_env = \"HOME\"",
    "[summarizer]\nallow_plain_http = true",
    "[summarizer]\nca_file = \"/etc/passwd\"",
    "[summarizer]\nprice = \"0,0\"",
    "[summarizer]\nmax_cost = 1000000.0",
    "[summarizer]\nmax_calls = 1000000",
    "[summarizer]\nretries = 9",
    "[summarizer]\nconcurrency = 256",
    "[summarizer]\ncache = \"/tmp\"",
    "[summarizer]\nheaders = { X = \"$HOME\" }",
];

#[test]
fn a_found_configuration_chooses_nobody_costs_nothing_and_turns_nothing_off() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8))
        .write("home/.config/epitome/epitome.toml", "redact = true\nstrict_model = true\n");
    let home = dir.path("home").display().to_string();
    for text in REFUSED {
        dir.write("epitome.toml", format!("{text}\n"));
        let key = text.rsplit('\n').next().unwrap().split(' ').next().unwrap();
        for command in
            ["compact in.jsonl -o out", "plan in.jsonl -q", "count in.jsonl", "audit in.jsonl"]
        {
            dir.epitome(command).env("HOME", &home).fails(2).says([
                "epitome.toml: ",
                &format!("{key}: a configuration file that was not named may not choose"),
                "--config",
            ]);
        }
        assert!(!dir.exists("out") && !dir.exists("ran"), "{text}");
        // Who names the file, means it.
        dir.epitome("plan in.jsonl --no-config").ok();
    }
    for text in ["redact = true", "strict_model = true", "[summarizer]\nkind = \"extract\""] {
        dir.write("epitome.toml", text);
        dir.epitome("plan in.jsonl -q").ok().says(["epitome.toml apply"]);
    }
}

#[test]
fn a_found_configuration_that_is_no_file_of_the_user_is_not_read() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8))
        .write("elsewhere", SECRET)
        .write("policy", "preset = \"langchain\"\n");
    let place = dir.path("epitome.toml");
    let is_ignored = |what: &str| {
        let ran = dir.epitome("plan in.jsonl -q").env("OPENAI_API_KEY", SECRET).ok();
        assert!(ran.stderr.contains("epitome.toml is not read"), "{what}: {}", ran.stderr);
        assert!(!ran.stderr.contains(SECRET), "{what}: {}", ran.stderr);
    };
    for target in ["/proc/self/environ", "/dev/zero", "/dev/null", "policy", "elsewhere", "nothing"]
    {
        symlink(target, &place).unwrap();
        is_ignored(target);
        fs::remove_file(&place).unwrap();
    }
    assert!(Command::new("mkfifo").arg(&place).status().unwrap().success());
    is_ignored("a pipe");
    fs::remove_file(&place).unwrap();
    dir.write("epitome.toml", vec![b'#'; 2 << 20]);
    is_ignored("a long file");
    // Only root can give a file away.
    dir.write("epitome.toml", "preset = \"langchain\"\n");
    if std::os::unix::fs::chown(&place, Some(12_345), None).is_ok() {
        is_ignored("a file of somebody else");
    }
}

#[test]
fn what_a_found_file_holds_is_told_by_its_place_only() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8));
    for (text, place) in [
        (format!("token = {SECRET}\n"), "epitome.toml:1:9"),
        (format!("\n[registry]\ntoken = \"{SECRET}\"\n"), "epitome.toml:2:"),
        (format!("preset = \"{SECRET}\"\n"), "epitome.toml:1:10"),
        (format!("[summarize]\ntrigger = \"{SECRET}\"\n"), "epitome.toml:2:11"),
        (format!("{SECRET}\u{0}A=b"), "epitome.toml:1:"),
    ] {
        dir.write("epitome.toml", &text);
        let ran =
            dir.epitome("plan in.jsonl").fails(2).says([place, "not a configuration of epitome"]);
        assert!(!ran.stderr.contains(SECRET), "{}", ran.stderr);
    }
}

#[test]
fn a_policy_of_an_export_that_is_no_policy_is_not_told() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 40));
    dir.epitome(&format!(
        "requests export in.jsonl -o requests {CUT} --set summarizer.model=openai:gpt-5.2"
    ))
    .ok();
    let policy = dir.path("requests/policy.toml");
    fs::remove_file(&policy).unwrap();
    for target in ["/proc/self/environ", "/dev/zero"] {
        symlink(target, &policy).unwrap();
        for words in [
            "requests submit requests",
            "requests status requests",
            "requests apply requests -o out",
        ] {
            let ran = dir.epitome(words).env("OPENAI_API_KEY", SECRET).fails(2);
            assert!(!ran.stderr.contains(SECRET), "{}", ran.stderr);
        }
        fs::remove_file(&policy).unwrap();
    }
}

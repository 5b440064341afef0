//! Secrets, masked in everything that is sent to a model.

use super::support::{KEY, SUMMARY, chat, compact, good, keeps_the_key};
use crate::harness::Dir;
use crate::talk::{CUT, talk};
use httpmock::prelude::*;
use serde_json::json;

#[test]
fn secrets_are_masked_where_they_would_leave_and_counted() {
    let (dir, server) = (Dir::new(), MockServer::start());
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    dir.write(
        "in.jsonl",
        talk("t", 8).replace("Step 1 of", &format!("Use {secret} for step 1 of")),
    );
    let leaky = format!("{SUMMARY} {secret}");
    let mock = server.mock(|when, then| {
        when.body_includes("[REDACTED github_token]").body_excludes(&secret);
        then.status(200).json_body(chat(&leaky, "stop"));
    });
    compact(&dir, &server, "--redact")
        .ok()
        .says(["secrets masked: 1 in requests, 1 in summaries, 1 in archives"]);
    mock.assert();
    assert_eq!(dir.entries()[0]["redacted"], json!({"request": 1, "summary": 1, "archive": 1}));
    assert!(
        dir.read("out/in.jsonl").contains("[REDACTED github_token]")
            && !dir.read("out/in.jsonl").contains(&secret)
    );
    assert!(
        dir.read("out/conversation_history/t.md")
            .contains("Use [REDACTED github_token] for step 1")
    );
    assert!(!dir.read("out/conversation_history/t.md").contains(&secret));
    // The embedded summarizer reads masked text, too; without the option nothing is touched.
    dir.epitome(&format!("compact in.jsonl -o masked {CUT} --redact")).ok();
    assert!(!dir.read("masked/in.jsonl").contains(&secret));
    dir.epitome(&format!("compact in.jsonl -o plain {CUT}")).ok();
    assert!(dir.read("plain/conversation_history/t.md").contains(&secret));
    assert!(!dir.read("plain/report.json").contains("redacted"));
}

#[test]
fn replay_asks_the_model_and_hides_secrets_from_it() {
    let dir = Dir::new();
    // Put together here, so that no scanner takes this file for a leak.
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    dir.write("in.jsonl", talk("t", 10).replacen("Step 0", &format!("Step 0 with {secret}"), 1));
    let server = crate::server::Server::start(&[&good()]);
    let command = format!(
        "replay in.jsonl -o out {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={} --set summarizer.cache= --redact",
        server.url()
    );
    let ran = dir.epitome(&command).env("OPENAI_API_KEY", KEY).ok();
    keeps_the_key(&dir, &[&ran.stderr]);
    assert!(server.calls() > 0);
    assert!(
        server.requests().iter().all(|request| !request.contains(&secret)),
        "a secret was sent"
    );
    assert!(server.requests()[0].contains("[REDACTED github_token]"));
    let archive = dir.read("out/conversation_history/t.md");
    assert!(!archive.contains(&secret) && archive.contains("[REDACTED github_token]"), "{archive}");
}

/// Where a prompt has a place of its own for the earlier summary, secrets in that are masked as
/// well.
#[test]
fn a_secret_in_an_earlier_summary_is_masked() {
    let (dir, server) = (Dir::new(), MockServer::start());
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    dir.write(
        "first.jsonl",
        talk("t", 8).replace("Step 0 of", &format!("Use {secret} for step 0 of")),
    );
    dir.epitome(&format!("compact first.jsonl -o first {CUT}")).ok();
    let first = dir.read("first/first.jsonl");
    assert!(first.contains(&secret), "the embedded summarizer quotes the goal: {first}");
    let more: Vec<String> = (8..16).map(|number| crate::talk::message("t", number)).collect();
    dir.write(
        "in.jsonl",
        format!("{}, {}]}}\n", first.trim_end().strip_suffix("]}").unwrap(), more.join(", ")),
    );
    dir.write("policy.toml", "[summarizer]\nheadings = []\nprompt = \"Sum up: {messages}\"\nmerge_prompt = \"Before: {prior_summary} Since: {messages}\"\n");
    let mock = server.mock(|when, then| {
        when.body_includes("Before: ")
            .body_includes("[REDACTED github_token]")
            .body_excludes(&secret);
        then.status(200).json_body(chat("All went on.", "stop"));
    });
    compact(&dir, &server, "--redact --config policy.toml").ok();
    mock.assert();
    assert!(!dir.read("out/in.jsonl").contains(&secret));
}

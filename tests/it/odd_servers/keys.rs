//! Keys and secret headers: sent to their server only, and never shown.

use super::support::compact;
use crate::models::{KEY, SUMMARY, chat, error, good, keeps_the_key, one_talk};
use crate::server::{Server, answer};
use serde_json::json;

#[test]
fn a_key_does_not_follow_to_another_host() {
    let other = Server::start(&[&good()]);
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let server = Server::start(&[&error(
            status,
            &format!("location: {}/v1/chat/completions\r\n", other.url()),
            "over there",
        )]);
        let dir = one_talk();
        let ran = compact(&dir, &server.url(), "")
            .fails(2)
            .says(["redirects are not followed", "summarizer.base_url"]);
        assert_eq!((server.calls(), other.calls()), (1, 0), "{status}");
        keeps_the_key(&dir, &[&ran.stderr]);
    }
}

#[test]
fn a_key_that_a_server_repeats_is_shown_nowhere() {
    let echo = |lead: &str| format!("{lead}{KEY} is wrong");
    // At every place of a long message, also where it is cut.
    for length in (230..330).step_by(7) {
        let dir = one_talk();
        let lead = format!("{} ", "x".repeat(length));
        let server = Server::start(&[&error("401 Unauthorized", "", &echo(&lead))]);
        let ran = compact(&dir, &server.url(), "").fails(2);
        for shown in (12..=KEY.len()).map(|end| &KEY[..end]) {
            assert!(!ran.stderr.contains(shown), "{length}: {}", ran.stderr);
        }
    }
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": echo(&"x".repeat(280))}, "finish_reason": "stop"}]});
    let (dir, server) = (one_talk(), Server::start(&[&answer("200 OK", "", &refusal.to_string())]));
    let ran = compact(&dir, &server.url(), "").fails(3);
    assert!(
        !ran.stderr.contains(&KEY[..12]) && !dir.read("out/report.json").contains(&KEY[..12]),
        "{}",
        ran.stderr
    );
    // In an answer that becomes a summary, with the code of an error, and where the error is no
    // message.
    let summary = format!("{SUMMARY} Authorization: Bearer {KEY}");
    for (body, status) in [
        (chat(&summary, "stop"), 0),
        (json!({"error": {"message": "no", "code": KEY, "type": KEY}}), 3),
        (json!({"detail": [{"input": {KEY: KEY}}]}), 3),
    ] {
        let (dir, server) = (
            one_talk(),
            Server::start(&[&answer("200 OK", "retry-after-ms: 1\r\n", &body.to_string())]),
        );
        let ran = compact(
            &dir,
            &server.url(),
            "--set summarizer.retries=0 --report out/r.html --report out/r.md",
        )
        .fails(status);
        keeps_the_key(&dir, &[&ran.stderr, ran.stdout()]);
    }
}

#[test]
fn a_secret_header_that_a_server_repeats_is_shown_nowhere() {
    let token = "gate-5f4e3d2c1b0a99887766";
    let (dir, server) = (
        one_talk(),
        Server::start(&[&error("401 Unauthorized", "", &format!("the token {token} has expired"))]),
    );
    let run = |header: &str| {
        compact(&dir, &server.url(), "--force")
            .arg("--set")
            .arg(format!("summarizer.headers={{Authorization = \"{header}\"}}"))
            .env("GATE", &format!("Bearer {token}"))
    };
    for header in ["$GATE".to_owned(), format!("Bearer {token}")] {
        let ran = run(&header).fails(2).says(["has expired"]);
        assert!(!ran.stderr.contains(token), "{}", ran.stderr);
    }
}

#[test]
fn a_key_file_is_read_as_editors_write_it() {
    for text in [format!("\u{feff}{KEY}\r\n"), format!("\n  {KEY}\t\n\n")] {
        let (dir, server) = (one_talk(), Server::start(&[&good()]));
        dir.write("key.txt", text);
        compact(&dir, &server.url(), "--set summarizer.api_key_file=key.txt").ok();
        assert!(
            server.came()[0].headers.contains(&format!("authorization: Bearer {KEY}\r\n")),
            "{}",
            server.came()[0].headers
        );
    }
}

#[test]
fn a_key_that_can_t_be_sent_is_told_and_not_shown() {
    let (dir, server) = (one_talk(), Server::start(&[&good()]));
    for text in [
        format!("{KEY}\n{KEY}"),
        format!("{KEY} x"),
        format!("{KEY}\u{e9}"),
        format!("{KEY}\u{0}"),
        String::new(),
        "\u{feff}".to_owned(),
    ] {
        dir.write("key.txt", &text);
        let ran = compact(&dir, &server.url(), "--set summarizer.api_key_file=key.txt")
            .fails(2)
            .says(["key.txt holds no API key"]);
        assert!(!ran.stderr.contains(KEY), "{}", ran.stderr);
        if !text.is_empty() && !text.contains('\u{0}') && text != "\u{feff}" {
            let ran = compact(&dir, &server.url(), "")
                .env("OPENAI_API_KEY", &text)
                .fails(2)
                .says(["OPENAI_API_KEY holds no API key"]);
            assert!(!ran.stderr.contains(KEY), "{}", ran.stderr);
        }
    }
    assert_eq!(server.calls(), 0);
}

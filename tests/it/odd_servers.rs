//! Servers that are slow, broken, talkative or hostile: no run hangs or dies of them, nothing is
//! lost, no key gets out.

use crate::harness::{Dir, Epitome};
use crate::models::{KEY, SUMMARY, chat, error, good, keeps_the_key, one_talk};
use crate::server::{Server, answer};
use crate::talk::{CUT, talk};
use serde_json::{Value, json};
use std::time::Duration;

fn compact(dir: &Dir, url: &str, options: &str) -> Epitome {
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --summarizer http --summary-model small --base-url {url} --cache cache {options}"))
        .env("OPENAI_API_KEY", KEY)
}

/// The transcript must be as it came and be marked, with this reason, after so many calls.
fn fails(server: &Server, options: &str, reason: &str, calls: usize) {
    let dir = one_talk();
    let ran = compact(&dir, &server.url(), options)
        .fails(3)
        .says(["in.jsonl:1: ", reason]);
    assert_eq!(server.calls(), calls, "{}", ran.stderr);
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
    assert_eq!(dir.entries()[0]["status"], "failed");
    keeps_the_key(&dir, &[&ran.stderr, ran.stdout()]);
}

/// Head and body of an answer of unknown length.
const CHUNKED: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";

fn chunk(bytes: &str) -> String {
    format!("{:x}\r\n{bytes}\r\n", bytes.len())
}

#[test]
fn an_answer_in_drops_has_the_same_time_as_any_other() {
    // It would be a good one after half a minute, and no drop lets the others wait for long.
    let server = Server::writing(|_, out| {
        let good = good();
        for drop in good.as_bytes().chunks(good.len() / 60) {
            out.write_all(drop)?;
            out.flush()?;
            std::thread::sleep(Duration::from_millis(500));
        }
        Ok(())
    });
    fails(
        &server,
        "--timeout 2 --retries 0",
        "no answer in time (--timeout)",
        1,
    );
}

#[test]
fn chunks_are_put_together_and_their_end_must_come() {
    let body = chat(SUMMARY, "stop").to_string();
    let pieces: String = body.split_inclusive(' ').map(chunk).collect();
    let whole = [CHUNKED, &pieces, "0\r\n\r\n"].concat();
    let dir = one_talk();
    let server = Server::start(&[&[CHUNKED, &pieces].concat(), &whole]);
    compact(&dir, &server.url(), "").ok();
    assert_eq!(
        (server.calls(), &dir.entries()[0]["asked"]["retries"]),
        (2, &1.into())
    );
}

#[test]
fn any_pause_that_a_server_wants_is_understood_or_passed_over() {
    let refused = |after: &str| {
        error(
            "429 Too Many Requests",
            &format!("retry-after: {after}\r\n"),
            "slow down",
        )
    };
    // Too long for any deadline, some of them for any clock.
    for after in [
        "86401",
        "1e12",
        "9300000000000000000",
        "18446744073709551615",
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ] {
        fails(
            &Server::start(&[&refused(after), &good()]),
            "",
            "--deadline",
            1,
        );
    }
    let milliseconds = error(
        "429 Too Many Requests",
        "retry-after-ms: 1e20\r\n",
        "slow down",
    );
    fails(
        &Server::start(&[&milliseconds, &good()]),
        "",
        "--deadline",
        1,
    );
    // Over, or no time at all.
    for after in [
        "Wed, 01 Jul 1998 12:00:00 GMT",
        "0",
        "soon",
        "-5",
        "NaN",
        "inf",
        "",
        "1e999",
    ] {
        let (dir, server) = (one_talk(), Server::start(&[&refused(after), &good()]));
        compact(&dir, &server.url(), "").ok();
        assert_eq!(server.calls(), 2, "{after:?}");
    }
}

/// A limit's reset is when all of it is back; the pause says when the next request may come.
#[test]
fn the_pause_counts_for_more_than_the_reset_of_a_limit() {
    let spent =
        "retry-after: 0\r\nx-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: 6m0s\r\n";
    let (dir, server) = (
        one_talk(),
        Server::start(&[&error("429 Too Many Requests", spent, "slow down"), &good()]),
    );
    compact(&dir, &server.url(), "--deadline 30").ok();
    assert_eq!(server.calls(), 2);
}

#[test]
fn a_key_does_not_follow_to_another_host() {
    let other = Server::start(&[&good()]);
    for status in [
        "301 Moved",
        "302 Found",
        "303 See Other",
        "307 Temporary",
        "308 Permanent",
    ] {
        let server = Server::start(&[&error(
            status,
            &format!("location: {}/v1/chat/completions\r\n", other.url()),
            "over there",
        )]);
        let dir = one_talk();
        let ran = compact(&dir, &server.url(), "")
            .fails(2)
            .says(["redirects are not followed", "--base-url"]);
        assert_eq!((server.calls(), other.calls()), (1, 0), "{status}");
        keeps_the_key(&dir, &[&ran.stderr]);
    }
}

#[test]
fn an_answer_that_was_not_asked_for_in_that_coding_is_not_paid_again() {
    let packed = answer("200 OK", "content-encoding: gzip\r\n", "\u{1f}not really");
    fails(&Server::start(&[&packed]), "", "content-encoding", 1);
}

#[test]
fn an_answer_without_end_is_not_taken_in() {
    let server = Server::writing(|_, out| {
        write!(
            out,
            "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n"
        )?;
        loop {
            out.write_all(&[b' '; 65536])?;
        }
    });
    fails(&server, "", "longer than", 1);
}

#[test]
fn text_that_is_none_is_no_answer() {
    let broken: [&[u8]; 3] = [
        b"{\"choices\": [{\"message\": {\"content\": \"\xff\xfe\"}}]}",
        br#"{"choices": [{"message": {"content": "\ud800"}}]}"#,
        b"<html>busy</html>",
    ];
    for body in broken {
        let server = Server::writing(move |_, out| {
            write!(
                out,
                "HTTP/1.1 200 OK\r\nretry-after-ms: 1\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            )?;
            out.write_all(body)
        });
        fails(&server, "--retries 1", "is no JSON", 2);
    }
    // Array upon array, deeper than any stack.
    let deep = answer("200 OK", "retry-after-ms: 1\r\n", &"[".repeat(1_000_000));
    fails(&Server::start(&[&deep]), "--retries 1", "is no JSON", 2);
}

#[test]
fn odd_characters_of_a_summary_arrive_as_they_are() {
    let text = format!("{SUMMARY} \u{0}\u{7}\u{1b}[31m \"quoted\" \\ \u{2028} \u{1f600} \u{202e}");
    let (dir, server) = (
        one_talk(),
        Server::start(&[&answer("200 OK", "", &chat(&text, "stop").to_string())]),
    );
    compact(&dir, &server.url(), "").ok();
    let line: Value =
        serde_json::from_str(dir.read("out/in.jsonl").lines().next().unwrap()).unwrap();
    assert!(
        line["messages"]
            .to_string()
            .contains(&json!(text).to_string()[1..text.len()]),
        "{line}"
    );
}

#[test]
fn counts_of_any_size_are_no_trouble() {
    let usage = json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX});
    let mut body = chat(SUMMARY, "stop");
    body["usage"] = usage;
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8) + &talk("b", 8));
    let server = Server::start(&[&answer("200 OK", "", &body.to_string())]);
    compact(&dir, &server.url(), "--price 1,1").ok();
    let message = json!({"type": "message", "content": [{"type": "text", "text": SUMMARY}], "stop_reason": "end_turn",
        "usage": {"input_tokens": u64::MAX, "cache_read_input_tokens": u64::MAX, "output_tokens": 1}});
    let server = Server::start(&[&answer("200 OK", "", &message.to_string())]);
    let url = server.url();
    dir.epitome(&format!("compact in.jsonl -o claude {CUT} --summarizer http --summary-model c --dialect anthropic --base-url {url} --no-cache")).ok();
}

/// OpenRouter ends an answer so that the provider behind it broke off; DeepSeek and vLLM have words
/// of their own.
#[test]
fn an_answer_that_a_server_broke_off_is_no_summary() {
    for reason in [
        "error",
        "abort",
        "insufficient_system_resource",
        "SAFETY",
        "MAX_TOKENS",
    ] {
        fails(
            &Server::start(&[&answer("200 OK", "", &chat(SUMMARY, reason).to_string())]),
            "--retries 0",
            "in.jsonl:1",
            1,
        );
    }
}

/// As Gemini's OpenAI-compatible server spells them.
#[test]
fn errors_in_a_list_are_read() {
    let listed = |status: &str, message: &str| {
        answer(
            status,
            "retry-after-ms: 1\r\n",
            &json!([{"error": {"code": 400, "message": message}}]).to_string(),
        )
    };
    let (dir, server) = (
        one_talk(),
        Server::start(&[&listed(
            "400 Bad Request",
            "API key not valid. Please pass a valid API key.",
        )]),
    );
    compact(&dir, &server.url(), "")
        .fails(2)
        .says(["API key not valid", "stopped early"]);
    let (dir, server) = (
        one_talk(),
        Server::start(&[
            &listed(
                "429 Too Many",
                "You exceeded your current quota, please check your plan and billing details. Please retry in 1s.",
            ),
            &good(),
        ]),
    );
    compact(&dir, &server.url(), "").ok();
    assert_eq!(server.calls(), 2);
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
    let (dir, server) = (
        one_talk(),
        Server::start(&[&answer("200 OK", "", &refusal.to_string())]),
    );
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
        (
            json!({"error": {"message": "no", "code": KEY, "type": KEY}}),
            3,
        ),
        (json!({"detail": [{"input": {KEY: KEY}}]}), 3),
    ] {
        let (dir, server) = (
            one_talk(),
            Server::start(&[&answer(
                "200 OK",
                "retry-after-ms: 1\r\n",
                &body.to_string(),
            )]),
        );
        let ran = compact(
            &dir,
            &server.url(),
            "--retries 0 --report out/r.html --report out/r.md",
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
        Server::start(&[&error(
            "401 Unauthorized",
            "",
            &format!("the token {token} has expired"),
        )]),
    );
    let run = |header: &str| {
        compact(&dir, &server.url(), "--force")
            .arg("--header")
            .arg(header)
            .env("GATE", &format!("Bearer {token}"))
    };
    for header in [
        "Authorization: $GATE".to_owned(),
        format!("Authorization: Bearer {token}"),
    ] {
        let ran = run(&header).fails(2).says(["has expired"]);
        assert!(!ran.stderr.contains(token), "{}", ran.stderr);
    }
}

#[test]
fn a_key_file_is_read_as_editors_write_it() {
    for text in [format!("\u{feff}{KEY}\r\n"), format!("\n  {KEY}\t\n\n")] {
        let (dir, server) = (one_talk(), Server::start(&[&good()]));
        dir.write("key.txt", text);
        compact(&dir, &server.url(), "--api-key-file key.txt").ok();
        assert!(
            server.came()[0]
                .headers
                .contains(&format!("authorization: Bearer {KEY}\r\n")),
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
        let ran = compact(&dir, &server.url(), "--api-key-file key.txt")
            .fails(2)
            .says(["key.txt holds no key"]);
        assert!(!ran.stderr.contains(KEY), "{}", ran.stderr);
        if !text.is_empty() && !text.contains('\u{0}') && text != "\u{feff}" {
            let ran = compact(&dir, &server.url(), "")
                .env("OPENAI_API_KEY", &text)
                .fails(2)
                .says(["OPENAI_API_KEY holds no key"]);
            assert!(!ran.stderr.contains(KEY), "{}", ran.stderr);
        }
    }
    assert_eq!(server.calls(), 0);
}

#[test]
fn addresses_are_taken_as_people_write_them() {
    for (end, path) in [
        ("", "/v1/"),
        ("/", "/v1/"),
        ("/v1", "/v1/"),
        ("/v1/", "/v1/"),
        ("/v1//", "/v1/"),
        ("/api/openai/", "/api/openai/"),
    ] {
        let (dir, server) = (one_talk(), Server::start(&[&good()]));
        compact(&dir, &format!("{}{end}", server.url()), "").ok();
        assert_eq!(
            server.came()[0].line,
            format!("POST {path}chat/completions HTTP/1.1"),
            "{end}"
        );
    }
}

#[test]
fn a_proxy_is_used_and_its_password_not_shown() {
    let (dir, proxy) = (one_talk(), Server::start(&[&good()]));
    compact(&dir, "http://models.invalid/v1", "")
        .env("http_proxy", &proxy.url())
        .ok();
    assert_eq!(
        proxy.came()[0].line,
        "POST http://models.invalid/v1/chat/completions HTTP/1.1"
    );
    let (dir, server) = (one_talk(), Server::start(&[&good()]));
    compact(&dir, &server.url(), "")
        .env("http_proxy", &proxy.url())
        .env("no_proxy", "127.0.0.1")
        .ok();
    assert_eq!((proxy.calls(), server.calls()), (1, 1));
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for base in ["http://models.invalid/v1", "https://models.invalid/v1"] {
        let dir = one_talk();
        let gone = format!("http://me:pr0xy-passw0rd@127.0.0.1:{port}");
        let ran = compact(&dir, base, "--retries 0")
            .env("http_proxy", &gone)
            .env("https_proxy", &gone)
            .fails(2)
            .says(["can't connect"]);
        assert!(!ran.stderr.contains("pr0xy"), "{}", ran.stderr);
    }
}

/// Models write more than they are told to.
#[test]
fn long_answers_don_t_break_the_limit_of_costs() {
    let dir = Dir::new();
    dir.write(
        "in.jsonl",
        (0..4)
            .map(|number| talk(&format!("t{number}"), 8))
            .collect::<String>(),
    );
    let mut body = chat(SUMMARY, "stop");
    body["usage"] = json!({"prompt_tokens": 100, "completion_tokens": 4000});
    let server = Server::start(&[&answer("200 OK", "", &body.to_string())]);
    let options = "--concurrency 1 --price 0,1000 --max-output-tokens 4000 --max-cost 9";
    compact(&dir, &server.url(), options)
        .fails(3)
        .says(["(--max-cost)"]);
    assert_eq!(
        (
            server.calls(),
            dir.report()["totals"]["asked"]["cost"].as_f64()
        ),
        (2, Some(8.0))
    );
}

#[test]
fn no_call_may_be_made() {
    fails(
        &Server::start(&[&good()]),
        "--max-calls 0",
        "--max-calls",
        0,
    );
    fails(
        &Server::start(&[&good()]),
        "--max-cost 0 --price 1,1",
        "--max-cost",
        0,
    );
}

//! Answers that are slow, endless, cut off, in pieces, or no text.

use super::support::{compact, fails};
use crate::harness::Dir;
use crate::models::{SUMMARY, chat, good, one_talk};
use crate::server::{Server, answer};
use crate::talk::{CUT, talk};
use serde_json::{Value, json};
use std::time::Duration;

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
        "--set summarizer.timeout=2 --set summarizer.retries=0",
        "no answer in time (summarizer.timeout)",
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
    assert_eq!((server.calls(), &dir.entries()[0]["asked"]["retries"]), (2, &1.into()));
}

#[test]
fn an_answer_that_was_not_asked_for_in_that_coding_is_not_paid_again() {
    let packed = answer("200 OK", "content-encoding: gzip\r\n", "\u{1f}not really");
    fails(&Server::start(&[&packed]), "", "content-encoding", 1);
}

#[test]
fn an_answer_without_end_is_not_taken_in() {
    let server = Server::writing(|_, out| {
        write!(out, "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n")?;
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
        fails(&server, "--set summarizer.retries=1", "is not JSON", 2);
    }
    // Array upon array, deeper than any stack.
    let deep = answer("200 OK", "retry-after-ms: 1\r\n", &"[".repeat(1_000_000));
    fails(&Server::start(&[&deep]), "--set summarizer.retries=1", "is not JSON", 2);
}

#[test]
fn odd_characters_of_a_summary_arrive_as_they_are() {
    let text = format!("{SUMMARY} \u{0}\u{7}\u{1b}[31m \"quoted\" \\ \u{2028} \u{1f600} \u{202e}");
    let (dir, server) =
        (one_talk(), Server::start(&[&answer("200 OK", "", &chat(&text, "stop").to_string())]));
    compact(&dir, &server.url(), "").ok();
    let line: Value =
        serde_json::from_str(dir.read("out/in.jsonl").lines().next().unwrap()).unwrap();
    assert!(
        line["messages"].to_string().contains(&json!(text).to_string()[1..text.len()]),
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
    compact(&dir, &server.url(), "--set summarizer.price=1,1").ok();
    let message = json!({"type": "message", "content": [{"type": "text", "text": SUMMARY}], "stop_reason": "end_turn",
        "usage": {"input_tokens": u64::MAX, "cache_read_input_tokens": u64::MAX, "output_tokens": 1}});
    let server = Server::start(&[&answer("200 OK", "", &message.to_string())]);
    let url = server.url();
    dir.epitome(&format!("compact in.jsonl -o claude {CUT} --summarizer http --set summarizer.model=c --set summarizer.dialect=anthropic --set summarizer.base_url={url} --set summarizer.cache=")).ok();
}

/// OpenRouter ends an answer so that the provider behind it broke off; DeepSeek and vLLM have words
/// of their own.
#[test]
fn an_answer_that_a_server_broke_off_is_no_summary() {
    for reason in ["error", "abort", "insufficient_system_resource", "SAFETY", "MAX_TOKENS"] {
        fails(
            &Server::start(&[&answer("200 OK", "", &chat(SUMMARY, reason).to_string())]),
            "--set summarizer.retries=0",
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
    compact(&dir, &server.url(), "").fails(2).says(["API key not valid", "stopped early"]);
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

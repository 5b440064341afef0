//! Failures that may pass: calls are tried again, with pauses.

use super::support::{error, good, one_talk, scripted};
use crate::harness::Dir;
use crate::talk::{CUT, talk};

#[test]
fn what_may_pass_is_tried_again() {
    let good = good();
    for status in [
        "408 Timeout", "409 Conflict", "429 Too Many Requests", "500 Error", "503 Unavailable",
        "529 Overloaded",
    ] {
        let dir = one_talk();
        let (code, stderr, calls) =
            scripted(&dir, &[&error(status, "retry-after-ms: 10\r\n", "busy"), &good], "");
        assert_eq!((code, calls), (0, 2), "{status}: {stderr}");
        assert_eq!(dir.entries()[0]["asked"]["retries"], 1);
    }
    // The connection ends at once, in the middle, and with a body that is no JSON.
    let cut = &good[..good.len() - 20];
    for broken in ["", cut, &crate::server::answer("200 OK", "", "<html>busy</html>")] {
        let dir = one_talk();
        let (code, stderr, calls) = scripted(&dir, &[broken, &good], "");
        assert_eq!((code, calls), (0, 2), "{broken}: {stderr}");
    }
}

#[test]
fn the_servers_pause_is_kept() {
    let dir = one_talk();
    let start = std::time::Instant::now();
    let (code, stderr, calls) = scripted(
        &dir,
        &[&error("429 Too Many Requests", "retry-after: 1\r\n", "slow down"), &good()],
        "",
    );
    assert_eq!((code, calls), (0, 2), "{stderr}");
    assert!(
        start.elapsed() >= std::time::Duration::from_secs(1),
        "retried before the server's time"
    );
}

#[test]
fn a_limit_that_an_answer_has_spent_is_waited_for() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8) + &talk("b", 8));
    let spent = "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 1s\r\n";
    let first = good().replacen("content-type", &format!("{spent}content-type"), 1);
    let start = std::time::Instant::now();
    let (code, stderr, calls) =
        scripted(&dir, &[&first, &good()], "--set summarizer.concurrency=1");
    assert_eq!((code, calls), (0, 2), "{stderr}");
    assert!(
        start.elapsed() >= std::time::Duration::from_secs(1),
        "asked before there was anything left"
    );
}

#[test]
fn a_pause_beyond_the_deadline_is_not_waited_for() {
    let dir = one_talk();
    let (code, stderr, calls) = scripted(
        &dir,
        &[&error("429 Too Many Requests", "retry-after: 3600\r\n", "slow down")],
        "--set summarizer.deadline=5",
    );
    assert_eq!((code, calls), (3, 1), "{stderr}");
    assert!(stderr.contains("summarizer.deadline") && stderr.contains("slow down"), "{stderr}");
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
}

#[test]
fn an_answer_that_takes_too_long_is_not_waited_for() {
    let dir = one_talk();
    let server = crate::server::Server::answering(|_, _| {
        std::thread::sleep(std::time::Duration::from_secs(30));
        String::new()
    });
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={} --set summarizer.cache=",
        server.url()
    );
    dir.epitome(&format!("{command} --set summarizer.timeout=1 --set summarizer.retries=1"))
        .fails(3)
        .says(["no answer in time", "gave up after 2 attempts"]);
    assert_eq!(server.calls(), 2);
    dir.epitome(&format!("{command} --set summarizer.deadline=1 --force"))
        .fails(3)
        .says(["no answer in time"]);
}

#[test]
fn retries_end() {
    let dir = one_talk();
    let (code, stderr, calls) = scripted(
        &dir,
        &[&error("500 Error", "retry-after-ms: 1\r\n", "broken")],
        "--set summarizer.retries=2",
    );
    assert_eq!((code, calls), (3, 3), "{stderr}");
    assert!(stderr.contains("gave up after 3 attempts") && stderr.contains("broken"), "{stderr}");
}

//! Runs that end before their input does, and those that go on after them: no answer is paid twice.
#![cfg(unix)]

use crate::harness::Dir;
use crate::models::SUMMARY;
use crate::server::{Server, answer};
use crate::talk::{CUT, talk};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const SUMMARIES: usize = 200;
const CONCURRENCY: usize = 4;

/// Answers each question with a summary of its own, after a while.
fn model(wait: Duration) -> Server {
    Server::answering(move |_, question| {
        std::thread::sleep(wait);
        let place = question.find("Step 0 of ").map_or("", |at| &question[at + 10..at + 14]);
        let text = format!("{SUMMARY} ({place})");
        answer(
            "200 OK",
            "",
            &json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})
                .to_string(),
        )
    })
}

fn talks() -> Dir {
    let dir = Dir::new();
    let half = |from: usize| {
        (from..from + SUMMARIES / 2)
            .map(|number| talk(&format!("{number:04}"), 40))
            .collect::<String>()
    };
    dir.write("logs/a.jsonl", half(0)).write("logs/b.jsonl", half(SUMMARIES / 2));
    dir
}

fn start(dir: &Dir, server: &Server, output: &str, cache: &str) -> Child {
    let words = format!(
        "compact logs -o {output} {CUT} --summarizer http --set summarizer.model=m --set summarizer.base_url={} --set summarizer.cache={cache} --set summarizer.concurrency={CONCURRENCY} --force -j2",
        server.url()
    );
    dir.start(&words)
}

/// What a run wrote, but for what its summaries took.
fn written(dir: &Dir, output: &str) -> BTreeMap<String, Vec<u8>> {
    let mut tree = dir.tree(output);
    tree.retain(|name, _| name != "report.json" && !name.contains(".epitome-"));
    tree
}

fn answers(dir: &Dir) -> usize {
    dir.tree("cache").keys().filter(|name| name.ends_with(".json")).count()
}

/// A killed run leaves at most what was in flight unpaid for; the next goes on from there, to the
/// same result.
#[test]
fn kill_9_at_any_moment_costs_no_answer_twice() {
    let (dir, server) = (talks(), model(Duration::from_millis(4)));
    assert!(start(&dir, &server, "unbroken", "other").wait().unwrap().success());
    assert_eq!(server.calls(), SUMMARIES);
    let unbroken = written(&dir, "unbroken");
    let mut kills = 0;
    let mut moments = fastrand::Rng::with_seed(7);
    loop {
        let mut run = start(&dir, &server, "out", "cache");
        let moment = Duration::from_millis(moments.u64(20..200 + 100 * kills as u64));
        let since = Instant::now();
        while since.elapsed() < moment && run.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(status) = run.try_wait().unwrap() {
            assert!(status.success());
            break;
        }
        run.kill().unwrap();
        run.wait().unwrap();
        kills += 1;
        // Answers under way at the kill may still count at the server.
        std::thread::sleep(Duration::from_millis(20));
        let paid = server.calls() - SUMMARIES;
        assert!(
            paid - answers(&dir) <= kills * CONCURRENCY,
            "{paid} calls, {} answers kept after {kills} kills",
            answers(&dir)
        );
        assert!(kills < 500, "it never comes to an end");
    }
    assert!(kills >= 3, "only {kills} kills");
    assert!(server.calls() - SUMMARIES <= SUMMARIES + kills * CONCURRENCY);
    assert_eq!(answers(&dir), SUMMARIES);
    assert_eq!(written(&dir, "out"), unbroken);
    let calls = server.calls();
    assert!(start(&dir, &server, "out", "cache").wait().unwrap().success());
    assert_eq!(server.calls(), calls, "a complete run asks nothing");
}

fn signal(run: &Child, name: &str) {
    assert!(
        Command::new("kill")
            .args([format!("-{name}"), run.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
}

/// Waits until so many calls were made.
fn until(server: &Server, calls: usize) {
    let since = Instant::now();
    while server.calls() < calls {
        assert!(since.elapsed() < Duration::from_secs(20), "only {} calls", server.calls());
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns true if a closed terminal ends a run: not where `nohup` started the tests, whose runs then
/// outlive it.
fn hears_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 0)
}

#[test]
fn ctrl_c_finishes_what_is_in_flight_and_says_how_to_go_on() {
    let hangup = hears_hangups().then_some(("HUP", 129));
    for (name, status) in [("INT", 130), ("TERM", 143)].into_iter().chain(hangup) {
        let (dir, server) = (talks(), model(Duration::from_millis(20)));
        let run = start(&dir, &server, "out", "cache");
        // The first file is whole, the second is not.
        until(&server, SUMMARIES / 2 + 40);
        signal(&run, name);
        let output = run.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{stderr}");
        // That it finishes what is in flight is said only where that takes a while.
        assert!(
            stderr.contains("interrupted")
                && stderr.contains("--force")
                && stderr.contains("cache"),
            "{stderr}"
        );
        assert_eq!(answers(&dir), server.calls(), "what was asked was waited for and kept");
        assert!(dir.exists("out/a.jsonl") && !dir.exists("out/b.jsonl"), "only whole files appear");
        assert!(
            dir.tree("out").keys().all(|name| !name.contains(".epitome-")),
            "temporary files stay"
        );
        let entries = dir.entries();
        assert_eq!(entries.len(), SUMMARIES / 2 + 1, "the whole file's, and one of the other");
        assert!(start(&dir, &server, "out", "cache").wait().unwrap().success());
        assert_eq!(server.calls(), SUMMARIES, "each asked once");
    }
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let (dir, server) = (talks(), model(Duration::from_secs(30)));
    let run = start(&dir, &server, "out", "cache");
    until(&server, CONCURRENCY);
    let since = Instant::now();
    signal(&run, "INT");
    std::thread::sleep(Duration::from_millis(200));
    signal(&run, "INT");
    assert_eq!(run.wait_with_output().unwrap().status.code(), Some(130));
    assert!(since.elapsed() < Duration::from_secs(10));
}

/// Two runs at the same time over the same cache pay for each answer once.
#[test]
fn runs_side_by_side_share_answers() {
    let (dir, server) = (talks(), model(Duration::from_millis(2)));
    let mut runs = ["one", "two"].map(|output| start(&dir, &server, output, "cache"));
    assert!(runs.iter_mut().all(|run| run.wait().unwrap().success()));
    assert_eq!(server.calls(), SUMMARIES);
    assert_eq!(written(&dir, "one"), written(&dir, "two"));
}

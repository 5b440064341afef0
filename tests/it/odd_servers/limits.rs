//! Pauses that a server asks for, and limits of calls and costs.

use super::support::{compact, fails};
use crate::harness::Dir;
use crate::models::{SUMMARY, chat, error, good, one_talk};
use crate::server::{Server, answer};
use crate::talk::talk;
use serde_json::json;

#[test]
fn any_pause_that_a_server_wants_is_understood_or_passed_over() {
    let refused = |after: &str| {
        error("429 Too Many Requests", &format!("retry-after: {after}\r\n"), "slow down")
    };
    // Too long for any deadline, some of them for any clock.
    for after in [
        "86401",
        "1e12",
        "9300000000000000000",
        "18446744073709551615",
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ] {
        fails(&Server::start(&[&refused(after), &good()]), "", "summarizer.deadline", 1);
    }
    let milliseconds = error("429 Too Many Requests", "retry-after-ms: 1e20\r\n", "slow down");
    fails(&Server::start(&[&milliseconds, &good()]), "", "summarizer.deadline", 1);
    // Over, or no time at all.
    for after in ["Wed, 01 Jul 1998 12:00:00 GMT", "0", "soon", "-5", "NaN", "inf", "", "1e999"] {
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
    compact(&dir, &server.url(), "--set summarizer.deadline=30").ok();
    assert_eq!(server.calls(), 2);
}

/// Models write more than they are told to.
#[test]
fn long_answers_don_t_break_the_limit_of_costs() {
    let dir = Dir::new();
    dir.write("in.jsonl", (0..4).map(|number| talk(&format!("t{number}"), 8)).collect::<String>());
    let mut body = chat(SUMMARY, "stop");
    body["usage"] = json!({"prompt_tokens": 100, "completion_tokens": 4000});
    let server = Server::start(&[&answer("200 OK", "", &body.to_string())]);
    let options = "--set summarizer.concurrency=1 --set summarizer.price=0,1000 --set summarizer.max_output_tokens=4000 --set summarizer.max_cost=9";
    compact(&dir, &server.url(), options).fails(3).says(["(summarizer.max_cost)"]);
    assert_eq!((server.calls(), dir.report()["totals"]["asked"]["cost"].as_f64()), (2, Some(8.0)));
}

#[test]
fn no_call_may_be_made() {
    fails(&Server::start(&[&good()]), "--set summarizer.max_calls=0", "summarizer.max_calls", 0);
    fails(
        &Server::start(&[&good()]),
        "--set summarizer.max_cost=0 --set summarizer.price=1,1",
        "summarizer.max_cost",
        0,
    );
}

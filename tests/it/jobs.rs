//! Any number of threads gives the same bytes, and records leave in input order.

use crate::harness::Dir;
use crate::talk::{CUT, log, talk, with_result};

const POLICY: &str = "[evict]\ntokens = 100\n";

/// Files of very different sizes, bad records, repeated ids, threads of which each line is a
/// message.
fn a_mix() -> Dir {
    let dir = Dir::new();
    dir.write("policy.toml", POLICY);
    for file in 0..6 {
        let mut text = String::new();
        for number in 0..(1 + file * 30) {
            text += &match number % 5 {
                0 => talk(&format!("t{}", number % 7), 3 + number % 40),
                1 => with_result(&format!("t{}", number % 7), "call", &log(5 + number)),
                2 => format!("bad record {number}\n"),
                3 => talk(&format!("file{file}-{number}"), 200),
                _ => talk("", 9),
            };
        }
        dir.write(&format!("in/{file}.jsonl"), text);
    }
    let line = |thread: usize, number| {
        crate::talk::message("m", number).replacen(
            '{',
            &format!("{{\"session_id\": \"s{thread}\", "),
            1,
        ) + "\n"
    };
    dir.write(
        "in/messages.jsonl",
        (0..12)
            .flat_map(|number| (0..40).map(move |thread| line(thread, number)))
            .collect::<String>(),
    );
    dir
}

#[test]
fn one_two_and_eight_threads_give_identical_trees() {
    let dir = a_mix();
    let ran = dir.epitome(&format!("compact in -o j1 -j1 --config policy.toml {CUT}")).fails(3);
    let wanted = dir.tree("j1");
    assert!(
        wanted.len() > 50 && wanted.contains_key("conversation_history/t1~2.md"),
        "{:?}",
        wanted.keys()
    );
    for jobs in [2, 8] {
        let other = dir
            .epitome(&format!("compact in -o j{jobs} -j{jobs} --config policy.toml {CUT}"))
            .fails(3);
        let tree = dir.tree(&format!("j{jobs}"));
        assert!(tree.keys().eq(wanted.keys()), "-j{jobs} writes other files");
        for (path, bytes) in &wanted {
            assert!(tree[path] == *bytes, "-j{jobs}: {path} differs");
        }
        let said = other.stderr.replace(&format!("j{jobs}"), "j1");
        assert_eq!(said, ran.stderr, "-j{jobs}");
    }
}

#[test]
fn plan_and_count_print_the_same_for_any_number_of_threads() {
    let dir = a_mix();
    for command in ["plan in --json", "plan in", "count in", "count in --json"] {
        let policy = if command.starts_with("plan") { CUT } else { "" };
        let [single, eight] = [1, 8].map(|jobs| {
            dir.epitome(&format!("{command} -j{jobs} --config policy.toml {policy}")).fails(3)
        });
        assert!(single.stdout == eight.stdout, "{command}");
        assert_eq!(single.stderr, eight.stderr, "{command}");
    }
}

#[test]
fn records_leave_in_input_order() {
    let dir = Dir::new();
    let order: Vec<String> =
        (0..300).map(|number| format!("thread-{}", number * 7919 % 300)).collect();
    // Sizes differ, so that threads that work side by side end in another order.
    dir.write(
        "in.jsonl",
        order
            .iter()
            .enumerate()
            .map(|(place, thread)| talk(thread, if place % 9 == 0 { 300 } else { 7 }))
            .collect::<String>(),
    );
    dir.epitome(&format!("compact in.jsonl -o out -j8 {CUT}")).ok();
    let threads = |text: &str| -> Vec<String> {
        let thread = |line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["thread_id"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        text.lines().map(thread).collect()
    };
    assert_eq!(threads(&dir.read("out/in.jsonl")), order);
    let reported: Vec<_> =
        dir.entries().iter().map(|entry| entry["thread_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(reported, order);
}

#[test]
fn a_slow_summarizer_does_not_change_the_order() {
    #[cfg(unix)]
    {
        let dir = Dir::new();
        // The first transcript's summary is the last to be ready.
        let script = dir.script("summarize", "cat >/dev/null; case $EPITOME_THREAD_ID in t0) sleep 0.3;; esac; echo \"summary of $EPITOME_THREAD_ID\"");
        dir.write(
            "in.jsonl",
            (0..6).map(|number| talk(&format!("t{number}"), 8)).collect::<String>(),
        );
        dir.epitome(&format!("compact in.jsonl -o out -j4 {CUT} --summarizer command:{script}"))
            .ok();
        let out = dir.read("out/in.jsonl");
        let found: Vec<usize> =
            (0..6).map(|number| out.find(&format!("summary of t{number}")).unwrap()).collect();
        assert!(found.is_sorted(), "{found:?}");
    }
}

//! Runs that write into one directory at once.

use super::{RUN_DIR, remove, wait_for, waiting_summarizer};
use crate::harness::{Dir, PROGRAM, environment};
use crate::talk::{CUT, talk};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_second_run_is_refused_or_waits() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8)).write("other/in.jsonl", talk("b", 8));
    let slow = waiting_summarizer(&dir);
    let words = format!("compact in.jsonl -o out {CUT} --summarizer command:{slow}");
    let first = dir.start(&words);
    wait_for(&dir, "began");
    let second = format!("compact other/in.jsonl -o out {CUT}");
    dir.epitome(&format!("{second} --lock fail")).fails(2).says(["process", "writes into out"]);
    let waiting = dir.start(&second);
    let elsewhere = dir.start(&format!("compact other/in.jsonl -o elsewhere --archive out {CUT}"));
    std::thread::sleep(Duration::from_millis(200));
    dir.write("go", "");
    assert!(first.wait_with_output().unwrap().status.success());
    for late in [waiting, elsewhere] {
        let output = late.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
    }
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
    assert!(!dir.exists("elsewhere") && !dir.exists(&format!("out/{RUN_DIR}")));
}

#[test]
fn directories_are_locked_in_the_same_order_whatever_the_order_of_policies() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8));
    let slow = waiting_summarizer(&dir);
    let first =
        dir.start(&format!("compact in.jsonl -o out/langchain {CUT} --summarizer command:{slow}"));
    wait_for(&dir, "began");
    let replay = dir.start("replay in.jsonl -o out --policy langchain --policy deepagents");
    // It waits for the later directory with the lock of the earlier.
    wait_for(&dir, &format!("out/deepagents/{RUN_DIR}/lock"));
    dir.write("go", "");
    assert!(first.wait_with_output().unwrap().status.success());
    let output = replay.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("waiting for the run of process"), "{stderr}");
    assert!(!dir.exists("out/deepagents"));
}

#[test]
fn of_many_runs_at_once_one_wins_or_they_queue() {
    for (runs, options) in [(2, ""), (3, ""), (8, ""), (8, "--force")] {
        let dir = Dir::new();
        for run in 0..runs {
            dir.write(&format!("in{run}/a.jsonl"), talk("a", 8 + run));
        }
        for shared in ["-o out", "--archive arch"] {
            let own = |run| match shared {
                "-o out" => String::new(),
                _ => format!("-o out{run}"),
            };
            let statuses: Vec<i32> = (0..runs)
                .map(|run| {
                    dir.start(&format!("compact in{run} {shared} {} {CUT} {options}", own(run)))
                })
                .collect::<Vec<_>>()
                .into_iter()
                .map(|run| run.wait_with_output().unwrap().status.code().unwrap())
                .collect();
            let leftovers = dir.tree("").into_keys().find(|name| name.contains(RUN_DIR));
            assert_eq!(leftovers, None);
            let winners: Vec<usize> = (0..runs).filter(|run| statuses[*run] == 0).collect();
            if options.is_empty() {
                assert_eq!(winners.len(), 1, "{statuses:?}");
                assert!(statuses.iter().all(|status| matches!(status, 0 | 2)));
            } else {
                assert_eq!(winners.len(), runs, "{statuses:?}");
            }
            if shared != "-o out" && !options.is_empty() {
                // With force each replaced the originals of the one before, as it was asked to.
                continue;
            }
            remove(&dir, "back");
            let from = match shared {
                "-o out" => "out".to_owned(),
                _ => format!("out{} --archive arch", winners[0]),
            };
            dir.epitome(&format!("restore {from} -o back")).ok();
            let back = dir.tree("back");
            assert!(winners.iter().any(|run| dir.tree(&format!("in{run}")) == back));
        }
    }
}

#[test]
fn of_two_pipes_in_one_folder_the_second_writes_no_archive_over_that_of_the_first() {
    let dir = Dir::new();
    dir.write("late.jsonl", talk("a", 8)).write("in.jsonl", talk("a", 9));
    let slow = waiting_summarizer(&dir);
    let late = Command::new(PROGRAM)
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .args(format!("compact - -o - {CUT} --summarizer command:{slow}").split_whitespace())
        .stdin(fs::File::open(dir.path("late.jsonl")).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&dir, "began");
    let first = dir.epitome(&format!("compact - -o - {CUT}")).stdin(talk("a", 9)).ok();
    dir.write("go", "");
    let late = late.wait_with_output().unwrap();
    assert_eq!(late.status.code(), Some(3));
    assert_eq!(late.stdout, dir.bytes("late.jsonl"), "it leaves as it came");
    dir.write("compacted/stdin.jsonl", first.stdout());
    dir.epitome("restore compacted --archive epitome-archive -o back").ok();
    assert_eq!(dir.bytes("back/stdin.jsonl"), dir.bytes("in.jsonl"));
}

#[test]
fn a_pipe_waits_for_another_run_or_ends_at_once() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8)).write("two.jsonl", talk("b", 8) + &talk("c", 8));
    let slow = waiting_summarizer(&dir);
    let first = dir.start(&format!(
        "compact in.jsonl -o out --archive arch {CUT} --summarizer command:{slow}"
    ));
    wait_for(&dir, "began");
    let piped = format!("compact two.jsonl -o - --archive arch --force {CUT}");
    let refused = dir
        .epitome(&format!("{piped} --lock fail"))
        .fails(4)
        .says(["writes into arch; wait until it ends"]);
    assert_eq!(refused.stderr.matches("writes into").count(), 1);
    let late = dir.start(&piped);
    std::thread::sleep(Duration::from_millis(200));
    dir.write("go", "");
    assert!(first.wait_with_output().unwrap().status.success());
    let late = late.wait_with_output().unwrap();
    assert!(late.status.success(), "{late:?}");
}

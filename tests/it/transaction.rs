//! A run is a transaction: it locks its directories, appears as a whole, and what it wrote is proved
//! before it is given back.
#![cfg(unix)]

use crate::faults::strace::{Fault, with_fault};
use crate::harness::{Dir, PROGRAM, environment};
use crate::talk::{CUT, talk};
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUN_DIR: &str = ".epitome-run";

fn compacted() -> Dir {
    let dir = Dir::new();
    dir.write("in/a.jsonl", talk("a", 8))
        .write("in/short.jsonl", talk("b", 2));
    dir.epitome(&format!("compact in -o out {CUT}")).ok();
    dir
}

fn wait_for(dir: &Dir, path: &str) {
    for _ in 0..2000 {
        if dir.exists(path) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{path} does not appear");
}

/// A summarizer that says that it began, and ends when it may.
fn waiting_summarizer(dir: &Dir) -> String {
    let (began, go) = (dir.path("began"), dir.path("go"));
    dir.script(
        "slow",
        &format!(
            "cat >/dev/null; touch {}; while [ ! -e {} ]; do sleep 0.02; done; echo '## SUMMARY'; echo x",
            began.display(),
            go.display()
        ),
    )
}

#[test]
fn a_changed_output_is_refused_with_its_place() {
    let dir = compacted();
    for name in ["a.jsonl", "short.jsonl"] {
        let bytes = dir.bytes(&format!("out/{name}"));
        let mut changed = bytes.clone();
        let at = changed.len() / 2;
        changed[at] ^= 1;
        dir.write(&format!("out/{name}"), &changed);
        dir.epitome(&format!("restore out -o without-{name}"))
            .fails(3)
            .says([name, "was changed", "bytes 1 to ", "not written"]);
        assert!(!dir.exists(&format!("without-{name}/{name}")));
        dir.epitome("restore out --check").fails(3).says([name]);
        dir.write(&format!("out/{name}"), bytes);
    }
    let check = dir.epitome("restore out --check").ok();
    assert_eq!(
        check.stdout(),
        "1 can be restored, 1 unchanged, 0 failed, 0 unknown\n"
    );
}

#[test]
fn originals_that_are_changed_missing_or_a_pipe_are_refused() {
    let dir = compacted();
    let originals = "out/originals/a.jsonl.originals";
    let bytes = dir.bytes(originals);
    for at in [9, bytes.len() / 2, bytes.len() - 9] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        dir.write(originals, changed);
        dir.epitome("restore out --check")
            .fails(3)
            .says(["a.jsonl"]);
    }
    fs::remove_file(dir.path(originals)).unwrap();
    dir.epitome("restore out --check")
        .fails(3)
        .says(["its originals are missing"]);
    let made = Command::new("mkfifo").arg(dir.path(originals)).status();
    assert!(made.unwrap().success());
    dir.epitome("restore out --check")
        .fails(3)
        .says(["no regular file"]);
    fs::remove_file(dir.path("out/short.jsonl")).unwrap();
    dir.epitome("restore out --check")
        .fails(3)
        .says(["short.jsonl: the file is missing, but the manifest names it"]);
}

#[test]
fn a_second_run_is_refused_or_waits() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8))
        .write("other/in.jsonl", talk("b", 8));
    let slow = waiting_summarizer(&dir);
    let words = format!("compact in.jsonl -o out {CUT} --summarizer command:{slow}");
    let first = dir.start(&words);
    wait_for(&dir, "began");
    let second = format!("compact other/in.jsonl -o out {CUT}");
    dir.epitome(&format!("{second} --lock fail"))
        .fails(2)
        .says(["process", "writes into out"]);
    let waiting = dir.start(&second);
    let elsewhere = dir.start(&format!(
        "compact other/in.jsonl -o elsewhere --archive out {CUT}"
    ));
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
    let first = dir.start(&format!(
        "compact in.jsonl -o out/langchain {CUT} --summarizer command:{slow}"
    ));
    wait_for(&dir, "began");
    let replay = dir.start("replay in.jsonl -o out --policy langchain --policy deepagents");
    // It waits for the later directory with the lock of the earlier.
    wait_for(&dir, &format!("out/deepagents/{RUN_DIR}/lock"));
    dir.write("go", "");
    assert!(first.wait_with_output().unwrap().status.success());
    let output = replay.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("waiting for the run of process"),
        "{stderr}"
    );
    assert!(!dir.exists("out/deepagents"));
}

#[test]
fn what_a_killed_run_left_is_removed_and_told() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8));
    let slow = waiting_summarizer(&dir);
    let mut run = dir.start(&format!(
        "compact in.jsonl -o out {CUT} --summarizer command:{slow}"
    ));
    wait_for(&dir, "began");
    run.kill().unwrap();
    run.wait().unwrap();
    dir.write("go", "");
    assert!(dir.exists(&format!("out/{RUN_DIR}/lock")));
    dir.epitome("restore out -o back").fails(2).says([
        "ended early",
        "its unfinished files were removed",
        "no manifest",
    ]);
    assert!(!dir.exists("back") && !dir.exists(&format!("out/{RUN_DIR}")));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
}

#[test]
fn a_decided_publication_of_a_dead_run_is_completed() {
    let dir = compacted();
    let whole = dir.tree("out");
    // As a run left it that died between two renames.
    fs::create_dir_all(dir.path(format!("out/{RUN_DIR}/new"))).unwrap();
    dir.write(&format!("out/{RUN_DIR}/lock"), "");
    let moved = format!("out/{RUN_DIR}/new/1");
    fs::rename(dir.path("out/a.jsonl"), dir.path(&moved)).unwrap();
    let entry = |staged: u32, path: &str| {
        format!(
            "{{\"publish\":{{\"staged\":{staged},\"path\":\"{path}\",\"part\":\"result\",\"replaces\":false}}}}\n"
        )
    };
    let journal = format!(
        "{{\"run\":\"x\"}}\n{}{}",
        entry(0, "short.jsonl"),
        entry(1, "a.jsonl")
    );
    dir.write(&format!("out/{RUN_DIR}/commit"), journal);
    dir.epitome("restore out -o back")
        .ok()
        .says(["its publication was completed", "1 restored"]);
    assert_eq!(dir.tree("out"), whole);
    assert_eq!(dir.tree("back"), dir.tree("in"));
}

#[test]
fn an_interrupted_run_with_force_changes_nothing() {
    let dir = compacted();
    let before = dir.tree("out");
    let slow = waiting_summarizer(&dir);
    let words = "compact in -o out --force --trigger messages=4 --keep messages=1";
    let run = dir.start(&format!("{words} --summarizer command:{slow}"));
    wait_for(&dir, "began");
    let interrupted = Command::new("kill")
        .args(["-INT".to_owned(), run.id().to_string()])
        .status();
    assert!(interrupted.unwrap().success());
    std::thread::sleep(Duration::from_millis(200));
    dir.write("go", "");
    let output = run.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("nothing is changed"), "{stderr}");
    assert_eq!(dir.tree("out"), before);
    assert!(!dir.exists(&format!("out/{RUN_DIR}")));
}

#[test]
fn with_force_no_history_of_the_earlier_run_stays() {
    let dir = compacted();
    assert!(dir.exists("out/conversation_history/a.md"));
    dir.epitome("compact in -o out --force --trigger tokens=900000")
        .ok();
    assert!(
        !dir.exists("out/conversation_history") && !dir.exists("out/originals/a.jsonl.originals")
    );
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.tree("back"), dir.tree("in"));
}

#[test]
fn a_fault_of_any_rename_or_sync_is_told_and_leaves_the_old_or_the_new() {
    let dir = compacted();
    let old = dir.tree("out");
    let words = "compact in -o out --force -j1 --quiet --trigger messages=4 --keep messages=1";
    dir.epitome(words).ok();
    let new = dir.tree("out");
    let mut faults = 0;
    for call in ["renameat", "fsync", "fdatasync"] {
        for when in 1..40 {
            fs::remove_dir_all(dir.path("out")).unwrap();
            dir.epitome(&format!("compact in -o out {CUT}")).ok();
            let fault = Fault::Error("EIO");
            let Some(run) = with_fault(&dir, words, call, when, fault) else {
                break;
            };
            assert_eq!(run.output.status.code(), Some(3), "{call} {when}");
            let tree = dir.tree("out");
            assert!(
                tree == old || tree == new,
                "{call} {when}: {:?}",
                tree.keys()
            );
            dir.epitome("restore out -o back --force").ok();
            assert_eq!(dir.tree("back"), dir.tree("in"), "{call} {when}");
            faults += 1;
        }
    }
    assert!(faults == 0 || faults > 20, "{faults} faults");
}

/// What lies under final names. The staged files of a dead run have none.
fn published(dir: &Dir, path: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = dir.tree(path);
    files.retain(|name, _| !name.contains(RUN_DIR));
    files
}

/// Kills runs of the command at various moments. Calls `prepare` before and `check` after each.
fn kill_runs(dir: &Dir, words: &str, prepare: impl Fn(), check: impl Fn(u32)) {
    const KILLS: u32 = 12;
    prepare();
    let began = Instant::now();
    let whole_run = dir.start(words).wait_with_output().unwrap();
    assert!(whole_run.status.success(), "{words}");
    let duration = began.elapsed();
    for kill in 0..KILLS {
        prepare();
        let mut run = dir.start(words);
        std::thread::sleep(duration * kill / KILLS);
        run.kill().unwrap();
        run.wait().unwrap();
        check(kill);
    }
}

/// Removes a folder and all in it.
fn remove(dir: &Dir, path: &str) {
    if dir.exists(path) {
        fs::remove_dir_all(dir.path(path)).unwrap();
    }
}

fn twelve_files() -> Dir {
    let dir = Dir::new();
    for file in 0..12 {
        let name = format!("t{file}");
        dir.write(&format!("in/{file}.jsonl"), talk(&name, 8 + file));
    }
    dir
}

#[test]
fn a_killed_run_leaves_no_half_file_and_the_next_one_is_as_if_nothing_had_been() {
    let dir = twelve_files();
    for command in [
        format!("compact in -o out --quiet {CUT}"),
        format!("replay in -o out --quiet --segments {CUT}"),
    ] {
        let wanted = {
            remove(&dir, "out");
            dir.epitome(&command).ok();
            dir.tree("out")
        };
        let check = |kill| {
            for (name, bytes) in published(&dir, "out") {
                let is_part = name.contains("manifest");
                assert!(
                    is_part || wanted[&name] == bytes,
                    "{command}, {kill}: {name}"
                );
            }
            dir.epitome(&format!("{command} --force")).ok();
            assert_eq!(
                dir.tree("out").keys().collect::<Vec<_>>(),
                wanted.keys().collect::<Vec<_>>()
            );
            assert!(dir.tree("out") == wanted, "{command}, {kill}");
        };
        kill_runs(&dir, &command, || remove(&dir, "out"), check);
    }
}

#[test]
fn a_run_with_force_that_is_killed_leaves_the_old_whole_or_the_new_whole() {
    let dir = twelve_files();
    let old_run = format!("compact in -o out --archive arch --quiet {CUT}");
    let new_run =
        "compact in -o out --archive arch --quiet --force --trigger messages=4 --keep messages=1";
    let trees = || [dir.tree("out"), dir.tree("arch")];
    dir.epitome(&old_run).ok();
    let old = trees();
    dir.epitome(new_run).ok();
    let new = trees();
    let prepare = || {
        remove(&dir, "out");
        remove(&dir, "arch");
        dir.epitome(&old_run).ok();
    };
    let check = |kill| {
        remove(&dir, "back");
        dir.epitome("restore out --archive arch -o back").ok();
        assert!(dir.tree("back") == dir.tree("in"), "{kill}");
        let left = trees();
        assert!(
            left == old || left == new,
            "{kill}: {:?}",
            left.each_ref().map(BTreeMap::keys)
        );
    };
    kill_runs(&dir, new_run, prepare, check);
}

#[test]
fn a_killed_restoration_is_done_again() {
    let dir = twelve_files();
    dir.epitome(&format!("compact in -o out {CUT}")).ok();
    let (inputs, outputs) = (dir.tree("in"), dir.tree("out"));
    let check = |kill| {
        for (name, bytes) in published(&dir, "back") {
            assert_eq!(inputs[&name], bytes, "{kill}: {name}");
        }
        dir.epitome("restore out -o back --force").ok();
        assert!(
            dir.tree("back") == inputs && dir.tree("out") == outputs,
            "{kill}"
        );
    };
    kill_runs(&dir, "restore out -o back", || remove(&dir, "back"), check);
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
                    dir.start(&format!(
                        "compact in{run} {shared} {} {CUT} {options}",
                        own(run)
                    ))
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
            assert!(
                winners
                    .iter()
                    .any(|run| dir.tree(&format!("in{run}")) == back)
            );
        }
    }
}

#[test]
fn of_two_pipes_in_one_folder_the_second_writes_no_archive_over_that_of_the_first() {
    let dir = Dir::new();
    dir.write("late.jsonl", talk("a", 8))
        .write("in.jsonl", talk("a", 9));
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
    let first = dir
        .epitome(&format!("compact - -o - {CUT}"))
        .stdin(talk("a", 9))
        .ok();
    dir.write("go", "");
    let late = late.wait_with_output().unwrap();
    assert_eq!(late.status.code(), Some(3));
    assert_eq!(late.stdout, dir.bytes("late.jsonl"), "it leaves as it came");
    dir.write("compacted/stdin.jsonl", first.stdout());
    dir.epitome("restore compacted --archive epitome-archive -o back")
        .ok();
    assert_eq!(dir.bytes("back/stdin.jsonl"), dir.bytes("in.jsonl"));
}

#[test]
fn a_file_beyond_the_limit_of_the_system_ends_the_run_in_good_order() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 80));
    let output = Command::new("sh")
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .args(["-c", "ulimit -f 4; exec \"$0\" \"$@\"", PROGRAM])
        .args(["compact", "in.jsonl", "-o", "out"])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("File too large"), "{stderr}");
    assert!(!dir.exists("out/in.jsonl") && !dir.exists(&format!("out/{RUN_DIR}")));
}

#[test]
fn a_table_that_nobody_takes_is_no_error_of_the_options() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8));
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(PROGRAM)
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .args(["replay", "in.jsonl", "-o", "out"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(dir.exists("out/replay.jsonl") && dir.exists("out/report.json"));
}

#[test]
fn a_fault_while_restored_files_are_published_is_told() {
    let dir = compacted();
    for call in ["fsync", "fdatasync", "renameat"] {
        for when in 1..20 {
            remove(&dir, "back");
            let fault = Fault::Error("EIO");
            let Some(run) = with_fault(&dir, "restore out -o back", call, when, fault) else {
                break;
            };
            assert_eq!(run.output.status.code(), Some(3), "{call} {when}");
            for (name, bytes) in published(&dir, "back") {
                assert_eq!(bytes, dir.bytes(&format!("in/{name}")), "{call} {when}");
            }
            dir.epitome("restore out -o back --force").ok();
            assert_eq!(dir.tree("back"), dir.tree("in"), "{call} {when}");
        }
    }
}

#[test]
fn new_directories_are_synced_into_their_parents() {
    let dir = Dir::new();
    dir.write("in/below/a.jsonl", talk("a", 8));
    let traced = Command::new("strace")
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .args(["-f", "-qq", "-y", "-o", "trace", "-e", "trace=fsync"])
        .arg(PROGRAM)
        .args(format!("compact in -o new/er/out {CUT}").split_whitespace())
        .output();
    if traced.is_err() {
        // strace is not there.
        return;
    }
    let trace = dir.read("trace");
    let base = dir.path("").canonicalize().unwrap();
    for directory in ["", "new", "new/er", "new/er/out", "new/er/out/below"] {
        let path = base.join(directory);
        let path = path.to_str().unwrap().trim_end_matches('/');
        assert!(trace.contains(&format!("<{path}>)")), "{path} in {trace}");
    }
}

//! Faults of a run, and what stays where `--force` replaces an earlier one.

use super::{RUN_DIR, compacted, published, remove};
use crate::faults::strace::{Fault, with_fault};
use crate::harness::{Dir, PROGRAM, environment};
use crate::talk::{CUT, talk};
use std::fs;
use std::process::Command;

#[test]
fn with_force_no_history_of_the_earlier_run_stays() {
    let dir = compacted();
    assert!(dir.exists("out/conversation_history/a.md"));
    dir.epitome("compact in -o out --force --trigger tokens=900000").ok();
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
            assert_eq!(run.output.status.code(), Some(4), "{call} {when}");
            let tree = dir.tree("out");
            assert!(tree == old || tree == new, "{call} {when}: {:?}", tree.keys());
            dir.epitome("restore out -o back --force").ok();
            assert_eq!(dir.tree("back"), dir.tree("in"), "{call} {when}");
            faults += 1;
        }
    }
    assert!(faults == 0 || faults > 20, "{faults} faults");
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
    assert_eq!(output.status.code(), Some(4), "{stderr}");
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
    assert_eq!(output.status.code(), Some(4));
    assert!(dir.exists("out/replay.jsonl") && dir.exists("out/report.json"));
}

#[test]
fn whoever_prints_onto_a_full_disk_says_so() {
    let dir = compacted();
    dir.write("one.jsonl", talk("a", 8));
    for words in [
        "plan one.jsonl", "count one.jsonl", "evaluate one.jsonl", "audit one.jsonl", "models",
        "formats", "presets", "completions bash", "restore --check out", "plan --print-config",
        "--help", "--version", "compact --print-config", "schema json",
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = Command::new(PROGRAM)
            .current_dir(dir.path(""))
            .env_clear()
            .envs(environment())
            .args(words.split(' '))
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(4), "{words}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("can't write to stdout: "), "{words}: {stderr}");
        assert!(!stderr.contains("--resume"), "{words}: {stderr}");
    }
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
            assert_eq!(run.output.status.code(), Some(4), "{call} {when}");
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

/// A good result of an earlier run, and what `words` would replace it by.
fn replaced(words: &str) -> (Dir, std::collections::BTreeMap<String, Vec<u8>>) {
    let dir = Dir::new();
    for name in ["a", "b", "c"] {
        dir.write(&format!("in/below/{name}.jsonl"), talk(name, 8));
    }
    dir.epitome(words).ok();
    let whole = dir.tree("out");
    (dir, whole)
}

#[test]
fn a_full_disk_is_no_fault_of_a_record_and_the_old_whole_stays() {
    for command in ["dataset in --to trl", "replay in --segments"] {
        let words = format!("{command} -o out --force --quiet -j1 --max-errors all {CUT}");
        let (dir, whole) = replaced(&words);
        for (call, error) in [("?write,?pwrite64", "ENOSPC"), ("?write,?pwrite64", "EIO")] {
            for when in 1..200 {
                let Some(run) = with_fault(&dir, &words, call, when, Fault::Error(error)) else {
                    break;
                };
                let status = run.output.status.code();
                let what = format!("{words}: {error} at write {when}: {status:?}");
                // Before anything is made, such a fault is one of the directory.
                let is_told = matches!(status, Some(2 | 4));
                assert!(is_told || run.lost_message, "{what}");
                assert!(published(&dir, "out") == whole, "{what}");
            }
        }
    }
}

#[test]
fn an_input_that_can_t_be_read_replaces_no_good_result() {
    for command in ["dataset in --to trl", "replay in --segments"] {
        let words = format!("{command} -o out --force --quiet -j1 --max-errors all {CUT}");
        let (dir, whole) = replaced(&words);
        for call in ["?getdents64", "?read,?pread64"] {
            for when in 1..60 {
                let Some(run) = with_fault(&dir, &words, call, when, Fault::Error("EIO")) else {
                    break;
                };
                let (status, tree) = (run.output.status.code(), published(&dir, "out"));
                assert!(tree == whole, "{words}: EIO at {call} {when}: {status:?}");
            }
        }
    }
}

#[test]
fn a_restoration_onto_a_full_disk_breaks_off() {
    let dir = compacted();
    let words = "restore out -o back --quiet";
    for when in 1..60 {
        remove(&dir, "back");
        let fault = Fault::Error("ENOSPC");
        let Some(run) = with_fault(&dir, words, "?write,?pwrite64", when, fault) else {
            break;
        };
        let status = run.output.status.code();
        assert!(matches!(status, Some(2 | 4)) || run.lost_message, "write {when}: {status:?}");
    }
}

//! Runs that die or are interrupted: the next one is as if nothing had been.

use super::{RUN_DIR, compacted, published, remove, twelve_files, wait_for, waiting_summarizer};
use crate::faults::strace::{Fault, with_fault};
use crate::harness::Dir;
use crate::talk::{CUT, talk};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn what_a_killed_run_left_is_removed_and_told() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8));
    let slow = waiting_summarizer(&dir);
    let mut run = dir.start(&format!("compact in.jsonl -o out {CUT} --summarizer command:{slow}"));
    wait_for(&dir, "began");
    run.kill().unwrap();
    run.wait().unwrap();
    dir.write("go", "");
    assert!(dir.exists(&format!("out/{RUN_DIR}/lock")));
    dir.epitome("restore out -o back")
        .fails(2)
        .says(["was interrupted", "of its unfinished files", "no manifest"]);
    assert!(!dir.exists("back") && !dir.exists(&format!("out/{RUN_DIR}")));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
}

#[test]
fn a_decided_publication_of_a_dead_run_is_completed() {
    let dir = compacted();
    let words = "compact in -o out --force -j1 --quiet --trigger messages=4 --keep messages=1";
    dir.epitome(words).ok();
    let whole = dir.tree("out");
    let mut completed = 0;
    for rename in 1..20 {
        remove(&dir, "out");
        dir.epitome(&format!("compact in -o out {CUT}")).ok();
        let calls = "?rename,?renameat,?renameat2";
        let Some(run) = with_fault(&dir, words, calls, rename, Fault::Kill) else {
            break;
        };
        assert_eq!(run.output.status.code(), None, "it was killed");
        if !dir.exists(&format!("out/{RUN_DIR}/commit")) {
            continue;
        }
        dir.epitome("restore out -o back --force")
            .ok()
            .says(["its publication was completed", "restored"]);
        assert_eq!(dir.tree("out"), whole, "{rename}");
        assert_eq!(dir.tree("back"), dir.tree("in"), "{rename}");
        completed += 1;
    }
    assert!(completed == 0 || completed > 2, "{completed}");
}

#[test]
fn an_interrupted_run_with_force_changes_nothing() {
    let dir = compacted();
    let before = dir.tree("out");
    let slow = waiting_summarizer(&dir);
    let words = "compact in -o out --force --trigger messages=4 --keep messages=1";
    let run = dir.start(&format!("{words} --summarizer command:{slow}"));
    wait_for(&dir, "began");
    let interrupted = Command::new("kill").args(["-INT".to_owned(), run.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    std::thread::sleep(Duration::from_millis(200));
    dir.write("go", "");
    let output = run.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("nothing was changed"), "{stderr}");
    assert_eq!(dir.tree("out"), before);
    assert!(!dir.exists(&format!("out/{RUN_DIR}")));
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
                assert!(is_part || wanted[&name] == bytes, "{command}, {kill}: {name}");
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
        assert!(left == old || left == new, "{kill}: {:?}", left.each_ref().map(BTreeMap::keys));
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
        assert!(dir.tree("back") == inputs && dir.tree("out") == outputs, "{kill}");
    };
    kill_runs(&dir, "restore out -o back", || remove(&dir, "back"), check);
}

//! A run is a transaction: it locks its directories, appears as a whole, and what it wrote is proved
//! before it is given back.
#![cfg(unix)]

mod checksums;
mod faults;
mod kills;
mod locks;

use crate::harness::Dir;
use crate::talk::{CUT, talk};
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

const RUN_DIR: &str = ".epitome-run";

fn compacted() -> Dir {
    let dir = Dir::new();
    dir.write("in/a.jsonl", talk("a", 8)).write("in/short.jsonl", talk("b", 2));
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

fn twelve_files() -> Dir {
    let dir = Dir::new();
    for file in 0..12 {
        let name = format!("t{file}");
        dir.write(&format!("in/{file}.jsonl"), talk(&name, 8 + file));
    }
    dir
}

/// What lies under final names. The staged files of a dead run have none.
fn published(dir: &Dir, path: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = dir.tree(path);
    files.retain(|name, _| !name.contains(RUN_DIR));
    files
}

/// Removes a folder and all in it.
fn remove(dir: &Dir, path: &str) {
    if dir.exists(path) {
        fs::remove_dir_all(dir.path(path)).unwrap();
    }
}

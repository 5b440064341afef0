//! Runs that go on with one that ended early: what is whole and the same stays, all else is written,
//! and the result is that of one run.
#![cfg(unix)]

use crate::harness::{Dir, Epitome};
use crate::talk::{CUT, talk};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;

const FILES: usize = 8;
/// Writes a summary, and a line into `calls`. Fails as long as there is a file `down` and three calls
/// were made.
const PROGRAM: &str = "cat >/dev/null; echo x >> calls; \
    if [ -e down ] && [ $(wc -l < calls) -gt 3 ]; then exit 1; fi; \
    echo \"## SUMMARY\"; echo \"Bookings of $EPITOME_THREAD_ID are compared.\"";

fn logs() -> Dir {
    let dir = Dir::new();
    for number in 0..FILES {
        dir.write(
            &format!("logs/{number}.jsonl"),
            talk(&format!("thread {}", number / 2), 8 + number % 2),
        );
    }
    dir.script("summarize", PROGRAM);
    dir
}

fn compact(dir: &Dir, options: &str) -> Epitome {
    compact_under(dir, CUT, options)
}

fn compact_under(dir: &Dir, policy: &str, options: &str) -> Epitome {
    dir.epitome(&format!("compact logs {policy} -j1 --summarizer command:./summarize {options}"))
}

fn calls(dir: &Dir) -> usize {
    dir.read("calls").lines().count()
}

/// Logs whose compaction into `out` ended early, after three summaries.
fn interrupted() -> Dir {
    let dir = logs();
    dir.write("down", "");
    compact(&dir, "-o out --set summarizer.on_failure=fail").fails(2).says(["again with --resume"]);
    std::fs::remove_file(dir.path("down")).unwrap();
    dir
}

/// The inode of each output, which a file that is written anew does not share.
fn inodes(dir: &Dir) -> Vec<Option<u64>> {
    let inode = |number| {
        let path = dir.path(format!("out/{number}.jsonl"));
        std::fs::metadata(path).ok().map(|found| found.ino())
    };
    (0..FILES).map(inode).collect()
}

/// All files, with the lines of the manifest in sorted order: what is written later stands later.
fn results(dir: &Dir, output: &str) -> BTreeMap<String, Vec<u8>> {
    let mut tree = dir.tree(output);
    if let Some(manifest) = tree.get_mut("originals/manifest.jsonl") {
        let mut lines: Vec<&[u8]> = manifest.split_inclusive(|byte| *byte == b'\n').collect();
        lines.sort_unstable();
        *manifest = lines.concat();
    }
    tree
}

#[test]
fn a_run_that_ended_early_is_gone_on_with_and_no_summary_is_asked_for_twice() {
    let dir = interrupted();
    let (before, asked) = (inodes(&dir), calls(&dir));
    let whole = before.iter().flatten().count();
    assert!((1..FILES).contains(&whole), "{before:?}");
    let ran = compact(&dir, "-o out --set summarizer.on_failure=fail --resume").ok();
    assert!(ran.stderr.contains(&format!("{whole} result")), "{}", ran.stderr);
    // The last call of the first run failed.
    assert_eq!(calls(&dir) - asked, FILES - (asked - 1));
    for (before, after) in before.iter().zip(inodes(&dir)) {
        assert!(before.is_none() || *before == after, "a whole file was written anew");
    }
    compact(&dir, "-o once --set summarizer.on_failure=fail").ok();
    assert_eq!(dir.tree("out"), dir.tree("once"), "the result is that of one run");
    dir.epitome("restore out -o back").ok();
    assert!(dir.tree("back") == dir.tree("logs"));
}

#[test]
fn a_whole_run_is_left_as_it_is() {
    let dir = logs();
    compact(&dir, "-o out").ok();
    let (tree, inodes_before, asked) = (results(&dir, "out"), inodes(&dir), calls(&dir));
    // Its answers are gone, and are asked for again.
    compact(&dir, "-o out --resume").ok().says(["8 results from the earlier run kept"]);
    assert_eq!(calls(&dir), 2 * asked);
    assert!(results(&dir, "out") == tree);
    assert_eq!(inodes(&dir), inodes_before);
}

#[test]
fn what_has_another_input_or_policy_is_written_anew() {
    let dir = interrupted();
    let before = inodes(&dir);
    dir.write("logs/1.jsonl", talk("another", 10));
    compact(&dir, "-o out --resume").ok();
    let after = inodes(&dir);
    assert_eq!(before[0], after[0]);
    assert_ne!(before[1], after[1], "its input changed");
    compact(&dir, "-o once").ok();
    assert!(results(&dir, "out") == results(&dir, "once"));
    let other = "--trigger messages=6 --keep messages=4";
    compact_under(&dir, other, "-o out --resume")
        .ok()
        .says(["0 results from the earlier run kept"]);
    compact_under(&dir, other, "-o other").ok();
    assert!(results(&dir, "out") == results(&dir, "other"));
    dir.epitome("restore out -o back").ok();
    assert!(dir.tree("back") == dir.tree("logs"));
}

#[test]
fn a_changed_output_is_put_right() {
    let dir = logs();
    compact(&dir, "-o out").ok();
    let tree = results(&dir, "out");
    dir.write("out/3.jsonl", "cut off");
    compact(&dir, "-o out --resume").ok().says(["7 results from the earlier run kept"]);
    assert!(results(&dir, "out") == tree);
}

#[test]
fn stdout_and_force_are_no_runs_to_go_on_with() {
    let dir = logs();
    dir.epitome(&format!("compact logs/0.jsonl -o - {CUT} --resume"))
        .fails(2)
        .says(["-o - and --resume"]);
    compact(&dir, "-o out --resume --force").fails(2);
    assert!(!dir.exists("out"));
}

#[test]
fn what_another_input_or_run_made_is_not_replaced_without_force() {
    let dir = Dir::new();
    for folder in ["a", "b"] {
        let name = |name: &str| format!("{folder}/{name}.jsonl");
        // One thread under two file names, and a conversation that loses nothing.
        let whole = talk("t", 8).replace("importer", &format!("importer of {folder}"));
        let short = talk("u", 2).replace("importer", &format!("importer of {folder}"));
        dir.write(&name("s"), &whole).write(&name(&format!("of-{folder}")), &whole);
        dir.write(&name("short"), &short);
    }
    dir.epitome(&format!("compact a/s.jsonl a/short.jsonl -o one --archive shared {CUT}")).ok();
    dir.epitome(&format!("compact a/s.jsonl -o alone {CUT}")).ok();
    let before = dir.tree("");
    let other = "--trigger messages=6 --keep messages=4";
    for (folder, words) in [
        ("", format!("compact b/s.jsonl -o two --archive shared --resume {CUT}")),
        ("b", format!("compact s.jsonl -o ../two --archive ../shared --resume {CUT}")),
        ("", format!("compact b/short.jsonl -o two --archive shared --resume {CUT}")),
        // A history of the same name, for another output.
        ("", format!("compact b/of-b.jsonl -o two --archive shared --resume {CUT}")),
        // The same input into another directory, and another input into the same.
        ("", format!("compact a/s.jsonl -o two --archive shared --resume {other}")),
        ("", format!("compact b/s.jsonl -o one --archive shared --resume {CUT}")),
        ("", format!("compact b/s.jsonl -o alone --resume {CUT}")),
        ("", format!("compact b/of-b.jsonl -o alone --resume {CUT}")),
    ] {
        let (status, ran) = dir.epitome(&words).from(folder).run();
        assert!([2, 3].contains(&status), "{words}: {status}");
        ran.says(["belongs to what another run made", "--force"]);
        assert!(dir.tree("") == before, "{words}");
    }
    // What comes by stdin has no place of its own.
    let piped = |policy: &str, input: &str| {
        let words = format!("compact - -o piped --resume {policy}");
        dir.epitome(&words).stdin(dir.bytes(input))
    };
    piped(CUT, "a/s.jsonl").ok();
    piped(CUT, "a/s.jsonl").ok().says(["1 result from the earlier run kept"]);
    assert_ne!(piped(CUT, "b/s.jsonl").run().0, 0);
    assert_ne!(piped(other, "a/s.jsonl").run().0, 0);
    dir.epitome("restore piped --check").ok();
    dir.epitome("restore one --archive shared --check").ok();
    dir.epitome("restore alone --check").ok();
    // The same run goes on, also under another policy.
    dir.epitome(&format!(
        "compact a/s.jsonl a/short.jsonl -o one --archive shared --resume {other}"
    ))
    .ok();
    dir.epitome("restore one --archive shared --check").ok();
    // An input is where links lead, not what they are called.
    let lead_to = |folder: &str| {
        let _ = std::fs::remove_file(dir.path("latest"));
        std::os::unix::fs::symlink(dir.path(folder), dir.path("latest")).unwrap();
    };
    let latest = format!("compact latest/s.jsonl -o linked --resume {CUT}");
    lead_to("a");
    dir.epitome(&latest).ok();
    lead_to("b");
    dir.epitome(&latest).fails(2).says(["belongs to what another run made"]);
    lead_to("a");
    dir.epitome(&latest).ok().says(["1 result from the earlier run kept"]);
}

#[test]
fn only_a_report_is_replaced_by_a_report() {
    let dir = logs();
    // Neither a log, nor what another command of the program wrote.
    let manifest =
        "{\n  \"version\": 1,\n  \"tool\": \"epitome 0.1.0\",\n  \"dialect\": \"openai\"\n}";
    for (place, held) in [
        ("notes.md", "mine"),
        ("notes.jsonl", &*talk("t", 2)),
        ("notes.json", manifest),
        ("out/report.json", "mine"),
    ] {
        dir.write(place, held);
        let report = if place.starts_with("out/") { "notes.md" } else { place };
        compact(&dir, &format!("-o out --report {report} --resume"))
            .fails(2)
            .says(["is no report of epitome"]);
        assert_eq!(dir.read(place), held);
        std::fs::remove_file(dir.path(place)).unwrap();
    }
    // What holds nothing can't be lost.
    dir.write("r.jsonl", "");
    let reports = ["md", "html", "json", "jsonl", "xml"].map(|kind| format!("--report r.{kind}"));
    for _ in 0..2 {
        compact(&dir, &format!("-o out --resume {}", reports.join(" "))).ok();
    }
}

//! Cases as folders below `fixtures/FORMAT/CASE/`:
//!
//! - `input.jsonl`, or `input.json`, or a folder `input/`;
//! - `policy.toml`, given as `--config`;
//! - `expected/out/`: the whole output tree of `compact`;
//! - `expected/plan.txt` and `expected/plan.jsonl`: stdout of `plan` and of `plan --json`.
//!
//! Cases below `fixtures/convert/` have only `input.jsonl`; `expected/` holds for each target
//! `TARGET.jsonl`, what `convert` writes, and `TARGET.notes.jsonl`, what the report says was left
//! out and changed.
//!
//! `EPITOME_FIXTURES=overwrite cargo test --test it fixtures` writes `expected/` anew; read the
//! diff before you keep it.

use crate::catalog::TARGETS;
use crate::expected::{Files, assert_none, differences, overwrites, write};
use crate::harness::{Dir, tree};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const CONVERSIONS: &str = "convert";
const INPUTS: [&str; 3] = ["input.jsonl", "input.json", "input"];

#[test]
fn every_case_yields_exactly_what_is_expected() {
    let mut wrong = Vec::new();
    let cases = cases();
    for case in &cases {
        let name = case.strip_prefix(root()).unwrap().display().to_string();
        match input_of(case) {
            Err(error) => wrong.push(format!("{name}: {error}")),
            Ok(input) => {
                let got = run(case, input);
                if overwrites() {
                    write(&case.join("expected"), &got);
                }
                wrong.extend(
                    differences(&tree(&case.join("expected")), &got)
                        .into_iter()
                        .map(|line| format!("{name}/expected/{line}")),
                );
            }
        }
    }
    assert!(cases.len() >= 14, "only {} cases were found", cases.len());
    assert_none(&wrong);
}

#[test]
fn every_conversion_yields_exactly_what_is_expected() {
    let mut wrong = Vec::new();
    let cases = folders(&root().join(CONVERSIONS));
    for case in &cases {
        let mut got = Files::new();
        for target in TARGETS.iter() {
            let dir = Dir::new();
            dir.write("input.jsonl", fs::read(case.join("input.jsonl")).unwrap());
            dir.epitome(&format!("convert input.jsonl --to {target} -o out --max-errors all")).ok();
            got.insert(format!("{target}.jsonl"), dir.bytes("out/input.jsonl"));
            let notes = dir.entries().into_iter().map(|entry| {
                format!(
                    "{}\n",
                    if entry["error"].is_null() { &entry["converted"] } else { &entry["error"] }
                )
            });
            got.insert(format!("{target}.notes.jsonl"), notes.collect::<String>().into_bytes());
        }
        if overwrites() {
            write(&case.join("expected"), &got);
        }
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        wrong.extend(
            differences(&tree(&case.join("expected")), &got)
                .into_iter()
                .map(|line| format!("{name}/expected/{line}")),
        );
    }
    assert!(cases.len() >= 4, "only {} cases were found", cases.len());
    assert_none(&wrong);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Returns the case folders of all formats, without the conformance cases and conversions.
fn cases() -> Vec<PathBuf> {
    let formats = folders(&root()).into_iter().filter(|path| {
        path.file_name().is_some_and(|name| name != "conformance" && name != CONVERSIONS)
    });
    formats.flat_map(|format| folders(&format)).collect()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// Returns the name of the case's input, or an error if the folder holds anything unknown.
fn input_of(case: &Path) -> Result<&'static str, String> {
    let mut inputs = Vec::new();
    for entry in fs::read_dir(case).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        match INPUTS.iter().find(|known| **known == name) {
            Some(input) => inputs.push(*input),
            None if name == "policy.toml" || name == "expected" => {}
            None => return Err(format!("{name} is no part of a case")),
        }
    }
    match inputs.as_slice() {
        [input] => Ok(input),
        _ => Err(format!("exactly one of {INPUTS:?} is needed, found {inputs:?}")),
    }
}

/// Options under which every format has something to do, in its own format and in another.
const JOBS: [&str; 3] = [
    "--trigger messages=3 --keep messages=1",
    "--max-tokens 60 --set evict.tokens=20",
    "--trigger messages=3 --keep messages=1 --to openai",
];

/// What a plan does not say of a transcript, or a report does not, and with a summary what depends on
/// its length.
const OF_ONE: [&str; 4] = ["archive", "edits", "messages", "converted"];
const OF_LENGTH: [&str; 2] = ["tokens_after", "warnings"];

/// Returns what a plan and a report both say of a transcript.
fn fate(entry: &Value) -> Value {
    let mut fate = entry.clone();
    let keys = fate.as_object_mut().unwrap();
    let is_summarized = keys["summarized"] == true;
    let unknown = OF_LENGTH.iter().filter(|_| is_summarized);
    for key in OF_ONE.iter().chain(unknown) {
        keys.remove(*key);
    }
    fate
}

/// Why a summary is dropped once its text is known.
const TOO_LONG: &str = "the summary came out too long";

#[test]
fn plan_is_what_compact_does_in_every_format() {
    let mut wrong = Vec::new();
    let (mut changed, mut failed) = (0, 0);
    for case in cases() {
        let input = input_of(&case).unwrap();
        for job in JOBS {
            let dir = Dir::new();
            write_input(&dir, &case, input);
            let options = format!("{input} --config policy.toml --names content {job}");
            let (planned_status, planned) = dir.epitome(&format!("plan {options} --json")).run();
            let (status, _) = dir.epitome(&format!("compact {options} -o out")).run();
            let plans: Vec<Value> =
                planned.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            // What a plan can't know: the length of a summary.
            let entries = dir.entries();
            if entries.iter().any(|entry| entry["reasons"].to_string().contains(TOO_LONG)) {
                continue;
            }
            let planned: Vec<_> = plans.iter().map(fate).collect();
            let done: Vec<_> = entries.iter().map(fate).collect();
            changed += done.iter().filter(|fate| fate["status"] == "compacted").count();
            failed += done.iter().filter(|fate| fate["status"] == "failed").count();
            if (planned_status, &planned) != (status, &done) {
                wrong.push(format!(
                    "{} {job}\nplan {planned_status} {planned:?}\ncompact {status} {done:?}",
                    case.display()
                ));
            }
        }
    }
    assert_none(&wrong);
    assert!(changed > 100 && failed > 20, "{changed} changed, {failed} failed");
}

fn write_input(dir: &Dir, case: &Path, input: &str) {
    if case.join(input).is_dir() {
        for (path, bytes) in tree(&case.join(input)) {
            dir.write(&format!("{input}/{path}"), bytes);
        }
    } else {
        dir.write(input, fs::read(case.join(input)).unwrap());
    }
    dir.write("policy.toml", fs::read(case.join("policy.toml")).unwrap());
}

/// Runs a case in a temporary folder.
fn run(case: &Path, input: &str) -> Files {
    let dir = Dir::new();
    write_input(&dir, case, input);
    let mut got = Files::new();
    got.insert(
        "plan.txt".to_owned(),
        dir.epitome(&format!("plan {input} --config policy.toml")).ok().stdout,
    );
    got.insert(
        "plan.jsonl".to_owned(),
        dir.epitome(&format!("plan {input} --config policy.toml --json")).ok().stdout,
    );
    dir.epitome(&format!("compact {input} --config policy.toml -o out")).ok();
    for (path, bytes) in dir.tree("out") {
        // The program's version and what was run are no part of the result.
        let bytes = if path == "report.json" { without_run(&bytes) } else { bytes };
        got.insert(format!("out/{path}"), bytes);
    }
    got
}

fn without_run(report: &[u8]) -> Vec<u8> {
    let version = concat!("\"tool\": \"epitome ", env!("CARGO_PKG_VERSION"), "\"");
    let report = String::from_utf8(report.to_vec()).unwrap();
    let lines = report.lines().filter(|line| !line.starts_with("  \"run\": "));
    let lines: String = lines.map(|line| format!("{line}\n")).collect();
    lines.replacen(version, "\"tool\": \"epitome\"", 1).into_bytes()
}

#[test]
fn a_case_with_an_unknown_file_or_without_input_is_refused() {
    let dir = Dir::new();
    dir.write("case/policy.toml", "");
    assert!(input_of(&dir.path("case")).unwrap_err().contains("is needed"));
    dir.write("case/input.jsonl", "");
    assert_eq!(input_of(&dir.path("case")), Ok("input.jsonl"));
    dir.write("case/notes.txt", "");
    assert_eq!(input_of(&dir.path("case")), Err("notes.txt is no part of a case".to_owned()));
}

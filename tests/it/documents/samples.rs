//! Every fenced block of every page does what the page says.
//!
//! | block | what is tried |
//! |---|---|
//! | `sh` | runs as one script in a new project and ends with status 0 |
//! | `text` with lines `$ COMMAND` | each command runs, and what stands below is what it prints; a line `...` stands for any lines |
//! | `toml` | is a configuration |
//! | `json` | is JSON, one value a line or one in all |
//! | `yaml` | its `run:` commands that begin with `epitome` run as one script |
//!
//! Comments directly above a block change that:
//!
//! | comment | meaning |
//! |---|---|
//! | `<!-- continues -->` | it runs in the folder that the block before it left |
//! | `<!-- exits N -->` | its last command ends with this status |
//! | `<!-- file: NAME -->` | it is this file of the project, in all later blocks of the page |
//! | `<!-- shows: FILE LINE POINTER -->` | it is the string at this JSON pointer of a line (from 1) of a file that the block before it left |
//! | `<!-- source: FILE -->` | it is this file of the project, without its tests |
//! | `<!-- not run: REASON -->` | it is not tried |
//! | `<!-- ci:NAME -->` | `.ci/run` runs it; the main command is tried here, too |
//!
//! `EPITOME_FIXTURES=overwrite cargo test --test it -- documents` writes what commands print anew,
//! with as many lines around `...` as before.

use super::page::{Block, Page, pages};
use super::project::{project, run_shell};
use crate::expected::{assert_none, overwrites};
use crate::harness::Dir;
use std::ops::Range;

/// How many blocks are marked as not run. Each needs a server, a key or another program.
const NOT_RUN: usize = 3;
/// The command that builds and starts the program, in the README.
const FROM_SOURCE: &str = "cargo run --release --locked --";
/// A line that stands for any lines.
const ELISION: &str = "...";

/// What a page says a command prints, and what it printed.
struct Comparison {
    place: String,
    /// The lines of the page that hold what the command should print.
    range: Range<usize>,
    printed: Vec<String>,
}

#[test]
fn samples_of_every_page_are_what_the_program_does() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for mut page in pages() {
        let comparisons = run_page(&page, &mut wrong);
        ran += comparisons.len();
        for comparison in comparisons.into_iter().rev() {
            compare(&mut page, comparison, &mut wrong);
        }
        if overwrites() {
            page.save();
        }
    }
    assert_none(&wrong);
    assert!(ran >= 10, "only {ran} samples found");
}

#[test]
fn blocks_that_are_not_run_say_why() {
    let blocks: Vec<Block> = pages().iter().flat_map(Page::blocks).collect();
    let skipped: Vec<(&str, &str)> = blocks
        .iter()
        .filter_map(|block| Some((block.place.as_str(), block.mark("not run")?)))
        .collect();
    assert!(skipped.iter().all(|(_, reason)| reason.len() > 10), "{skipped:#?}");
    assert_eq!(skipped.len(), NOT_RUN, "{skipped:#?}");
}

/// Compares what a command printed with the page, or writes it into the page.
fn compare(page: &mut Page, comparison: Comparison, wrong: &mut Vec<String>) {
    let shown = &page.lines[comparison.range.clone()];
    let wanted = elide(&comparison.printed, shown);
    if shown == wanted {
        return;
    }
    if overwrites() {
        page.lines.splice(comparison.range, wanted);
    } else {
        wrong.push(format!(
            "{}: the page shows\n{}\nand this is printed\n{}",
            comparison.place,
            shown.join("\n"),
            comparison.printed.join("\n")
        ));
    }
}

/// Returns the printed lines, elided where the shown ones are: as many lines stay before and after.
fn elide(printed: &[String], shown: &[String]) -> Vec<String> {
    let Some(before) = shown.iter().position(|line| line == ELISION) else {
        return printed.to_vec();
    };
    let after = shown.len() - before - 1;
    if printed.len() <= before + after {
        return printed.to_vec();
    }
    let mut lines = printed[..before].to_vec();
    lines.push(ELISION.to_owned());
    lines.extend_from_slice(&printed[printed.len() - after..]);
    lines
}

/// Tries the blocks of a page in order. Blocks that fail are added to `wrong`.
fn run_page(page: &Page, wrong: &mut Vec<String>) -> Vec<Comparison> {
    let mut comparisons = Vec::new();
    let mut files: Vec<(String, String)> = Vec::new();
    let mut dir = project();
    for block in page.blocks() {
        if block.mark("not run").is_some() || block.is_marked("ci:test") {
            continue;
        }
        if let Some(name) = block.mark("file") {
            files.push((name.to_owned(), block.text()));
            continue;
        }
        if let Some(shown) = block.mark("shows") {
            comparisons.push(shown_text(&dir, &block, shown));
            continue;
        }
        if let Some(source) = block.mark("source") {
            comparisons.push(shown_source(&block, source));
            continue;
        }
        if !block.is_marked("continues") {
            dir = project();
            for (name, text) in &files {
                dir.write(name, text);
            }
        }
        match block.language.as_str() {
            "sh" => run_script(&dir, &block, &block.text(), wrong),
            "text" => comparisons.extend(run_samples(&dir, &block, wrong)),
            "toml" => check_policy(&dir, &block, wrong),
            "json" => check_json(&block),
            "yaml" => run_script(&dir, &block, &workflow_commands(&block), wrong),
            other => panic!("{}: no test knows blocks of `{other}`", block.place),
        }
    }
    comparisons
}

/// Returns the status that the last command of a block should end with.
fn wanted_status(block: &Block) -> i32 {
    let exits = |comment: &String| comment.strip_prefix("exits ")?.parse().ok();
    block.comments.iter().find_map(exits).unwrap_or(0)
}

fn run_script(dir: &Dir, block: &Block, script: &str, wrong: &mut Vec<String>) {
    let script = script.replace(FROM_SOURCE, "epitome");
    let (status, printed) = run_shell(dir, &script);
    if status != wanted_status(block) {
        wrong.push(format!("{}: status {status}\n{script}\n{printed}", block.place));
    }
}

/// Runs the lines that begin with `$ `. Only the last may fail, and only if a comment says so.
fn run_samples(dir: &Dir, block: &Block, wrong: &mut Vec<String>) -> Vec<Comparison> {
    let starts: Vec<usize> =
        (0..block.lines.len()).filter(|index| block.lines[*index].starts_with("$ ")).collect();
    let mut comparisons = Vec::new();
    for (number, start) in starts.iter().enumerate() {
        let is_last = number + 1 == starts.len();
        let end = starts.get(number + 1).copied().unwrap_or(block.lines.len());
        let command = block.lines[*start].trim_start_matches("$ ");
        let (status, printed) = run_shell(dir, command);
        let wanted = if is_last { wanted_status(block) } else { 0 };
        if status != wanted {
            wrong.push(format!("{}: status {status}\n{command}\n{printed}", block.place));
        }
        comparisons.push(Comparison {
            place: block.place.clone(),
            range: block.first + start + 1..block.first + end,
            printed: printed.lines().map(str::to_owned).collect(),
        });
    }
    comparisons
}

/// Looks up the text that a block shows, `FILE LINE POINTER`.
fn shown_text(dir: &Dir, block: &Block, shown: &str) -> Comparison {
    let words: Vec<&str> = shown.split(' ').collect();
    let [file, line, pointer] = words[..] else {
        panic!("{}: shows FILE LINE POINTER", block.place)
    };
    let number: usize = line.parse().unwrap();
    let text = dir.read(file);
    let record: serde_json::Value =
        serde_json::from_str(text.lines().nth(number - 1).unwrap()).unwrap();
    let value = record.pointer(pointer).and_then(|value| value.as_str());
    Comparison {
        place: block.place.clone(),
        range: block.first..block.first + block.lines.len(),
        printed: value.unwrap().lines().map(str::to_owned).collect(),
    }
}

/// Reads the source file that a block shows, without its tests.
fn shown_source(block: &Block, file: &str) -> Comparison {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let shown = text.split("\n#[cfg(test)]").next().unwrap().trim_end();
    Comparison {
        place: block.place.clone(),
        range: block.first..block.first + block.lines.len(),
        printed: shown.lines().map(str::to_owned).collect(),
    }
}

fn check_policy(dir: &Dir, block: &Block, wrong: &mut Vec<String>) {
    dir.write("page.toml", block.text());
    let ran = dir.epitome("plan --print-config --config page.toml").run();
    if ran.0 != 0 {
        wrong.push(format!("{}: {}", block.place, ran.1.stderr));
    }
}

fn check_json(block: &Block) {
    let text = block.text();
    let values = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
    for value in values {
        value.unwrap_or_else(|error| panic!("{}: {error}", block.place));
    }
}

/// Returns the commands of a workflow that begin with `epitome`, one a line.
fn workflow_commands(block: &Block) -> String {
    let commands = block.lines.iter().filter_map(|line| {
        let command = line.trim_start().trim_start_matches("- ");
        let command = command.strip_prefix("run: ").unwrap_or(command);
        command.starts_with("epitome ").then_some(command)
    });
    let commands: Vec<&str> = commands.collect();
    // The server names the file of the step's summary.
    format!("export GITHUB_STEP_SUMMARY=step-summary.md\n{}\n", commands.join("\n"))
}

#[test]
fn an_elision_keeps_as_many_lines_around_it_as_the_page_shows() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let printed = lines("a\nb\nc\nd\ne");
    assert_eq!(elide(&printed, &lines("x")), printed);
    assert_eq!(elide(&printed, &lines("a\n...\ne")), lines("a\n...\ne"));
    assert_eq!(elide(&printed, &lines("x\ny\n...")), lines("a\nb\n..."));
    assert_eq!(elide(&lines("a\nb"), &lines("a\n...\nb")), lines("a\nb"));
}

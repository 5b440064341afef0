//! What data sets are made of: the same story in every format, its answers trained on, and none
//! behind a line that was not read.

use super::dialects::DIALECTS;
use super::journals::Journal;
use super::story::{Call, Exchange, Round, Story};
use super::tellers::JOURNALS;
use crate::harness::Dir;
use serde_json::Value;
use std::fmt::Write;

/// The rounds of the story.
const ROUNDS: usize = 3;
/// The targets whose rows differ in what they can hold.
const TARGETS: [&str; 4] = ["openai", "trl", "sharegpt", "anthropic"];
/// Formats of which a row holds an answer beside the messages, which data sets refuse, or answers
/// without a question of the user.
const WITHOUT_SAMPLES: [&str; 9] = [
    "codex-exec", "openai-dpo", "trl", "preference-pairs", "llamafactory-pairs",
    "openai-batch-output", "anthropic-batch-output", "gemini-batch-output", "text-trajectory",
];

/// A story whose answers can be told apart.
fn plain_story() -> Story {
    let round = |number: usize| Round {
        ask: format!("Question {number}: how hot is pump {number}?"),
        exchanges: vec![Exchange {
            say: Some(format!("I look up pump {number}.")),
            calls: vec![Call {
                id: "c1",
                tool: "look_up",
                path: format!("pumps/{number}.log"),
                content: "all of it".to_owned(),
            }],
            results: vec![format!("Pump {number} has 6{number} C.")],
            beside: None,
        }],
        answer: answer(number),
    };
    Story { system: Some("You watch pumps.".to_owned()), rounds: (0..ROUNDS).map(round).collect() }
}

fn answer(number: usize) -> String {
    format!("Answer {number}: it has 6{number} degrees.")
}

/// The answers of the story that stand in the rows of a data set.
fn answers_in(dir: &Dir, file: &str, target: &str) -> Vec<usize> {
    let command = format!("dataset {file} -o out --force --to {target} --quiet");
    let (status, ran) = dir.epitome(&command).run();
    assert!(matches!(status, 0 | 1 | 3), "{target}: {}", ran.stderr);
    let rows: String =
        dir.tree("out/data").into_values().map(|bytes| String::from_utf8(bytes).unwrap()).collect();
    (0..ROUNDS).filter(|number| rows.contains(&answer(*number))).collect()
}

/// A log of the story in each format, under the format's name, without weights that exclude answers.
fn logs() -> Vec<(&'static str, Vec<u8>)> {
    let story = plain_story();
    let chats = DIALECTS.iter().map(|dialect| (dialect.format, dialect.tell(&story, false).bytes));
    let journals = JOURNALS.iter().map(|journal| (journal.format, journal.bytes(&story, false)));
    let without_weights = |(format, log): (&'static str, Vec<u8>)| {
        let log = String::from_utf8(log).unwrap();
        (format, log.replace(",\"weight\":0", "").into_bytes())
    };
    chats.chain(journals).map(without_weights).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "CI shows the table")]
fn all_answers_of_every_format_are_in_the_rows_of_every_target() {
    let mut table = String::new();
    let mut poor = Vec::new();
    for (format, log) in logs() {
        if WITHOUT_SAMPLES.contains(&format) {
            continue;
        }
        let dir = Dir::new();
        dir.write("in.jsonl", &log);
        write!(table, "{format:20}").unwrap();
        for target in TARGETS {
            let share = answers_in(&dir, "in.jsonl", target).len() * 100 / ROUNDS;
            write!(table, " {target} {share:3} %").unwrap();
            if share < 100 {
                poor.push(format!("{format} to {target}: {share} %"));
            }
        }
        table.push('\n');
    }
    println!("{table}");
    assert!(poor.is_empty(), "{poor:#?}\n{table}");
}

/// Breaks each line of a journal in turn.
fn broken_lines(journal: &Journal) -> Vec<(usize, Vec<u8>)> {
    let whole = String::from_utf8(journal.bytes(&plain_story(), false)).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    (0..lines.len())
        .step_by(2)
        .map(|broken| {
            let mut lines = lines.clone();
            lines[broken] = "{\"cut\": ";
            (broken, (lines.join("\n") + "\n").into_bytes())
        })
        .collect()
}

#[test]
fn no_answer_behind_a_broken_line_is_in_a_data_set() {
    let lined = JOURNALS.iter().filter(|journal| journal.lines);
    for journal in lined {
        let whole = String::from_utf8(journal.bytes(&plain_story(), false)).unwrap();
        let place_of = |number: usize| {
            let answer = answer(number);
            whole.lines().position(|line| line.contains(&answer))
        };
        // A log whose lines are whole conversations loses one of them.
        if whole.lines().any(|line| line.contains(&answer(0)) && line.contains(&answer(1))) {
            continue;
        }
        for (broken, log) in broken_lines(journal) {
            let dir = Dir::new();
            dir.write("in.jsonl", &log);
            for number in answers_in(&dir, "in.jsonl", "openai") {
                assert!(
                    place_of(number).is_none_or(|place| place < broken),
                    "{}: answer {number} is trained on behind line {broken}",
                    journal.name
                );
            }
        }
    }
}

#[test]
fn results_of_unknown_calls_become_nobodys_words_in_a_data_set() {
    let dir = Dir::new();
    let story = plain_story();
    for dialect in DIALECTS {
        if WITHOUT_SAMPLES.contains(&dialect.format) {
            continue;
        }
        let told = dialect.tell(&story, false);
        let text = String::from_utf8(told.bytes).unwrap();
        // The call loses its name: its result belongs to nothing that is known.
        dir.write("in.jsonl", text.replace("\"look_up\"", "7"));
        answers_in(&dir, "in.jsonl", "openai");
        for (name, bytes) in dir.tree("out/data") {
            let rows = String::from_utf8(bytes).unwrap();
            for row in rows.lines() {
                let row: Value = serde_json::from_str(row).unwrap();
                for message in row["messages"].as_array().unwrap() {
                    let is_result = message["content"].to_string().contains("Pump 0 has 60 C.");
                    assert!(
                        !is_result || message["role"] != "user",
                        "{} in {name}: {message}",
                        dialect.name
                    );
                }
            }
        }
    }
}

//! The examples of every help text run.

use super::project::{project, run_shell};
use crate::catalog::commands;
use crate::expected::assert_none;
use crate::harness::Dir;

/// What the examples read beside the logs: a command that makes each.
const MADE: [(&str, &str); 9] = [
    ("data.jsonl", "cp session.jsonl data.jsonl"),
    ("log.jsonl", "cp session.jsonl log.jsonl"),
    ("records.jsonl", "cp session.jsonl records.jsonl"),
    ("session.json", "cp session.jsonl session.json"),
    ("dataset/", "cp -r logs dataset"),
    (
        ".toml",
        "for name in small model early; do echo 'counter = \"o200k_base\"' > $name.toml; done; \
         printf '[\"openai:gpt-5.2\"]\\ninput = 1.25\\noutput = 10.0\\n' > prices.toml",
    ),
    (
        "questions.jsonl",
        "echo '{\"cut\": \"preview-cut@80%\", \"question\": \"How long is a line?\", \
         \"answer\": \"1000\", \"needles\": {\"groups\": [[\"1000\"]]}}' > questions.jsonl",
    ),
    ("restore out", "epitome compact logs/ -o out -q"),
    ("rows.jsonl", "epitome stream --trigger tokens=4000 < session.jsonl > rows.jsonl"),
];

#[test]
fn examples_of_every_help_text_run() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for command in commands() {
        let help = Dir::new().epitome(&format!("{command} --help")).ok();
        for example in help.stdout().lines().filter_map(example) {
            ran += 1;
            let dir = project();
            // What an example makes itself is not made before it.
            let is_made_by_it = |read: &str| {
                (read == "restore out" && example.contains("-o out &&"))
                    || example.contains(&format!("> {read}"))
            };
            for (_, make) in
                MADE.iter().filter(|(read, _)| example.contains(read) && !is_made_by_it(read))
            {
                let (status, printed) = run_shell(&dir, make);
                assert_eq!(status, 0, "{make}\n{printed}");
            }
            let (status, printed) = run_shell(&dir, example);
            // 1: a check that the example shows objects to these logs.
            if !matches!(status, 0 | 1) {
                wrong.push(format!("{command} --help: status {status}\n{example}\n{printed}"));
            }
        }
    }
    assert_none(&wrong);
    assert!(ran >= 25, "only {ran} examples found");
}

/// Returns the command of an example, without the words beside it.
fn example(line: &str) -> Option<&str> {
    let command = line.strip_prefix("  epitome ")?;
    let end = command.find("   ").unwrap_or(command.len());
    Some(&line[2..line.len() - (command.len() - end)])
}

//! The names that the program lists: formats, targets of conversions, presets, commands.

use crate::harness::Dir;
use std::sync::LazyLock;

/// A line of the table of `epitome formats`.
pub(crate) struct ListedFormat {
    /// The value of `--format`.
    pub(crate) name: String,
    /// How a compaction is written: `rewritten`, `appended` or `--to only`.
    pub(crate) compact: String,
}

/// All formats, in the order of the table.
pub(crate) static FORMATS: LazyLock<Vec<ListedFormat>> = LazyLock::new(|| {
    let [formats, _] = format_tables();
    let column = formats[0].find("compact").unwrap();
    let end = formats[0].find("what it is").unwrap();
    formats[1..]
        .iter()
        .map(|line| ListedFormat {
            name: line[..column].trim().to_owned(),
            compact: line[column..end].trim().to_owned(),
        })
        .collect()
});

/// The values of `--to`.
pub(crate) static TARGETS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let [_, targets] = format_tables();
    targets[1..].iter().map(|line| first_word(line)).collect()
});

/// The values of `--preset`, the default first.
pub(crate) static PRESETS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let listed = Dir::new().epitome("presets").ok();
    listed
        .stdout()
        .lines()
        .filter_map(|line| line.strip_prefix("preset = "))
        .map(|name| name.trim_matches('"').to_owned())
        .collect()
});

/// Returns every command, as it is typed after the program's name: the program itself, its commands
/// and theirs.
pub(crate) fn commands() -> Vec<String> {
    let mut commands = vec![String::new()];
    let mut next = 0;
    while next < commands.len() {
        let command = commands[next].clone();
        let help = Dir::new().epitome(&format!("{command} -h")).ok();
        commands.extend(
            listed_commands(help.stdout())
                .into_iter()
                .map(|name| format!("{command} {name}").trim_start().to_owned()),
        );
        next += 1;
    }
    commands
}

/// The two tables of `epitome formats` in lines, each with its heading.
fn format_tables() -> [Vec<String>; 2] {
    let listed = Dir::new().epitome("formats").ok();
    let (formats, targets) = listed.stdout().split_once("\n\n").unwrap();
    [formats, targets].map(|table| table.lines().map(str::to_owned).collect())
}

/// The names between `Commands:` and the options in a help text, without `help`. Continued
/// descriptions are indented further.
fn listed_commands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| *line != "Options:")
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
        .map(first_word)
        .filter(|name| name != "help")
        .collect()
}

fn first_word(line: &str) -> String {
    line.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn the_program_lists_what_the_tests_rely_on() {
    assert!(FORMATS.iter().any(|format| format.name == "openai" && format.compact == "rewritten"));
    assert!(TARGETS.iter().any(|name| name == "openai"));
    assert_eq!(PRESETS[0], "deepagents");
    assert!(commands().iter().any(|name| name == "requests export"));
}

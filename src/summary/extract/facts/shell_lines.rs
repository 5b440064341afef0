//! Writes a shell command on a line, without what says nothing of what it does.

use super::call_effects::strip_shell;
use super::commit_messages::commit_line;
use super::patch_files::visit_patch_files;
use super::path_ends::{end_of_path, shorten_paths};
use super::todos::strip_open_quotation;
use crate::summary::extract::lex::fold::fold_line;

/// Maximum length in bytes of a command, of a commit, and of a second line.
const LONGEST_COMMAND: usize = 90;
const LONGEST_COMMIT: usize = 130;
const LONGEST_SECOND: usize = 44;

/// Writes a shell command on a line: without the shell, the change of folder and the variables before
/// it, and of several lines the first two.
pub(super) fn shell_line(command: &str) -> String {
    let command = strip_variables(strip_folder(strip_shell(command)));
    if let Some(files) = patched_files(command) {
        let name = command.split_whitespace().next().unwrap_or_default();
        return fold_line(&format!("{name} {files}"), LONGEST_COMMAND).into_owned();
    }
    if let Some(line) = commit_line(command) {
        return fold_line(&line, LONGEST_COMMIT).into_owned();
    }
    let mut lines = command
        .lines()
        .map(str::trim)
        .filter(|line| line.chars().any(char::is_alphanumeric));
    let first = strip_open_quotation(strip_filter(lines.next().unwrap_or_default()));
    let mut line = fold_line(&shorten_paths(first), LONGEST_COMMAND).into_owned();
    if let Some(second) = lines.next().filter(|_| line.len() < LONGEST_SECOND) {
        line.push_str(" ⏎ ");
        line.push_str(&fold_line(strip_open_quotation(second), LONGEST_SECOND));
    }
    line
}

/// Strips the variables of PowerShell that are set before a command: `$exe = "a.exe"; & $exe`.
fn strip_variables(command: &str) -> &str {
    let mut command = command;
    while command.starts_with('$')
        && let Some((statement, rest)) = command.split_once(['\n', ';'])
        && statement.contains(" = ")
        && !rest.trim().is_empty()
    {
        command = rest.trim_start();
    }
    command
}

/// Strips a command of the shell and the change of folder before it, and of what only shortens its
/// output.
pub(super) fn plain_command(command: &str) -> &str {
    strip_filter(strip_folder(strip_shell(command)))
}

/// Strips what only shortens the output of a command: `2>&1 | tail -20`.
fn strip_filter(command: &str) -> &str {
    let mut command = command.trim_end();
    loop {
        let shorter = match command.rsplit_once('|') {
            Some((before, filter)) if is_filter(filter) => before,
            _ => command.strip_suffix(BOTH_STREAMS).unwrap_or(command),
        };
        let shorter = shorter.trim_end();
        if shorter.len() == command.len() || shorter.is_empty() {
            return command;
        }
        command = shorter;
    }
}

/// Returns true for `head` or `tail` with nothing but figures.
fn is_filter(command: &str) -> bool {
    let mut words = command.split_whitespace();
    matches!(words.next(), Some("head" | "tail"))
        && words.all(|word| word.bytes().all(|byte| b"-cn+0123456789".contains(&byte)))
}

/// Sends the errors of a command where its output goes.
const BOTH_STREAMS: &str = "2>&1";

/// Returns the files that a patch changes, as far as they stand at its beginning.
pub(super) fn patched_files(text: &str) -> Option<String> {
    if !text.contains(PATCH_OPENING) {
        return None;
    }
    let mut files: Vec<String> = Vec::new();
    visit_patch_files(text, &mut |path, _| {
        files.push(end_of_path(path).into_owned())
    });
    (!files.is_empty()).then(|| files.join(" "))
}

/// The first line of a patch of Codex.
const PATCH_OPENING: &str = "*** Begin Patch";

/// Strips the change of folder before a command: `cd FOLDER &&`, or a line of its own.
fn strip_folder(command: &str) -> &str {
    split_folder(command).map_or(command, |(_, rest)| rest.trim_start())
}

/// Returns the folder that a command changes to first.
pub(super) fn folder_of(command: &str) -> Option<&str> {
    split_folder(strip_shell(command)).map(|(folder, _)| folder.trim())
}

/// Splits the change of folder from the rest of a command.
fn split_folder(command: &str) -> Option<(&str, &str)> {
    let rest = command.strip_prefix("cd ")?;
    [rest.split_once("&&"), rest.split_once('\n')]
        .into_iter()
        .flatten()
        .find(|(folder, rest)| !folder.contains(['\n', ';', '|']) && !rest.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shortens_the_output_is_left_out() {
        for command in [
            "cargo test 2>&1 | tail -20",
            "cargo test",
            "cargo test | head -n 5 2>&1",
        ] {
            assert_eq!(shell_line(command), "cargo test");
        }
        let command = "cat a.txt | tail -5 b.txt";
        assert_eq!(shell_line(command), command);
    }

    #[test]
    fn variables_before_a_command_are_left_out() {
        let command = r#"$exe = Join-Path $base "a.exe"; & $exe --headless"#;
        assert_eq!(shell_line(command), "& $exe --headless");
        assert_eq!(shell_line("$a = b"), "$a = b");
    }
}

//! Writes a shell command on a line, without what says nothing of what it does.

use super::call_effects::strip_shell;
use super::commit_messages::commit_line;
use super::edited_lines::lines_between;
use super::here_strings::strip_here_strings;
use super::inline_scripts::script_line;
use super::patch_files::visit_patch_files;
use super::path_ends::{end_of_path, shorten_paths};
use super::todos::strip_open_quotation;
use crate::summary::extract::lex::fold::fold_line;
use std::borrow::Cow;

/// Maximum length in bytes of a line that an edit changed.
pub(super) const LONGEST_CHANGED: usize = 116;
/// Maximum length in bytes of a command, of a commit, and of a second line.
const LONGEST_COMMAND: usize = 90;
const LONGEST_COMMIT: usize = 130;
const LONGEST_SECOND: usize = 44;

/// Writes a shell command on a line: without the shell, the change of folder and the variables before
/// it, and of several lines the first two. Of the new text of an edit it shows at most `most_changes`
/// lines.
pub(super) fn shell_line(command: &str, most_changes: usize) -> String {
    if let Some(line) = edit_line(command, most_changes) {
        return line;
    }
    let plain = strip_here_strings(command);
    let whole = strip_shell(&plain);
    let rest = strip_folder(whole);
    // What `ls` showed, it showed there.
    let is_bare = BARE_LOOKS.contains(&plain_command(rest));
    let command = &strip_variables(if is_bare { whole } else { rest });
    if let Some(files) = patched_files(command) {
        let name = if command.starts_with(PATCH_OPENING) {
            PATCH_TOOL
        } else {
            command.split_whitespace().next().unwrap_or_default()
        };
        return fold_line(&format!("{name} {files}"), LONGEST_COMMAND).into_owned();
    }
    if let Some(line) = commit_line(command) {
        return fold_line(&line, LONGEST_COMMIT).into_owned();
    }
    let command = strip_titles(command);
    if let Some(line) = script_line(command) {
        return line;
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

/// Strips the titles that a command prints before each of its parts: `echo "=== build";`.
fn strip_titles(command: &str) -> &str {
    let mut rest = command.trim_start();
    while let Some(title) = rest.strip_prefix(TITLE) {
        let quoted = quoted_length(title);
        let end = title[quoted..].find(['\n', ';', '&', '|', '>', '$', '`']);
        let end = end
            .map(|end| quoted + end)
            .filter(|_| !title[..quoted].contains(['$', '`']));
        let Some(end) = end.filter(|&end| title[end..].starts_with(['\n', ';', '&'])) else {
            break;
        };
        let next = title[end..].trim_start_matches(['\n', ';', '&', ' ']);
        if next.is_empty() {
            break;
        }
        rest = next;
    }
    rest
}

/// Returns the number of bytes of the text in quotation marks that a command's words begin with.
fn quoted_length(words: &str) -> usize {
    let Some(quote) = words.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return 0;
    };
    words[1..].find(quote).map_or(0, |end| end + 2)
}

/// The command that prints a title.
const TITLE: &str = "echo ";

/// Commands that look at the folder where they run.
const BARE_LOOKS: [&str; 7] = ["ls", "ls -l", "ls -la", "ls -F", "ls -a", "pwd", "dir"];

/// Writes an edit of SWE-agent, `edit 3:4`, with the first lines of its new text.
fn edit_line(command: &str, most_changes: usize) -> Option<String> {
    let (range, text) = command.trim_start().strip_prefix(EDIT)?.split_once('\n')?;
    let (first, last) = range.trim().split_once(':')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(first) || !is_number(last) {
        return None;
    }
    let text = text.trim_end().strip_suffix(EDIT_END).unwrap_or(text);
    // The text of a new file stands in it.
    let most_changes = if first == last && first == "1" {
        1
    } else {
        most_changes
    };
    let lines = lines_between("", text, most_changes);
    let shown = lines
        .iter()
        .map(|line| fold_line(line.text, LONGEST_CHANGED));
    let shown = shown.collect::<Vec<_>>().join(" ⏎ ");
    let mark = if shown.is_empty() { "" } else { " + " };
    Some(format!("{EDIT}{first}:{last}{mark}{shown}"))
}

/// The command that edits the file that is open, and the line behind its text.
pub(super) const EDIT: &str = "edit ";
const EDIT_END: &str = "end_of_edit";

/// Strips the variables of PowerShell that are set before a command, and the conditions for it:
/// `$exe = "C:\a.exe"; if (-not (Test-Path $exe)) { throw }; & $exe` is `& C:\a.exe`.
fn strip_variables(command: &str) -> Cow<'_, str> {
    let mut command = command;
    let mut variables: Vec<(&str, &str)> = Vec::new();
    loop {
        let rest = if command.starts_with('$')
            && let Some((statement, rest)) = command.split_once(['\n', ';'])
            && let Some((name, value)) = statement.split_once('=')
            && is_variable(name.trim())
        {
            variables.push((name.trim(), value.trim()));
            rest
        } else if command.starts_with("if (")
            && let Some((condition, rest)) = command.split_once('}')
            && condition.contains(TESTED_PATH)
            && ENDING_BLOCKS.iter().any(|block| condition.contains(block))
            && !rest.trim_start().starts_with("else")
        {
            rest.trim_start().trim_start_matches(';')
        } else {
            break;
        };
        if rest.trim().is_empty() {
            break;
        }
        command = rest.trim_start();
    }
    // A program that stands in a variable is called by its path.
    let called = variables.iter().rev().find_map(|(name, value)| {
        let arguments = command.strip_prefix("& ")?.strip_prefix(name)?;
        let is_whole = !arguments.starts_with(|c: char| c.is_alphanumeric() || "_:.".contains(c));
        let is_path = value.len() > 2 && value.starts_with('"') && value.ends_with('"');
        (is_whole && is_path && !value.contains('$')).then(|| {
            let path = value.trim_matches('"');
            let name = path
                .rsplit('\\')
                .next()
                .filter(|_| path.len() > LONGEST_PROGRAM);
            let shown = name.map_or_else(|| value.to_string(), |name| format!("…\\{name}"));
            format!("& {shown}{arguments}")
        })
    });
    called.map_or(Cow::Borrowed(command), Cow::Owned)
}

/// Returns true for the name of a variable of PowerShell.
fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    (name.strip_prefix('$')).is_some_and(|name| !name.is_empty() && name.chars().all(is_part))
}

/// Maximum length in bytes of the path of a program that is shown as a whole.
const LONGEST_PROGRAM: usize = 48;
/// The command that asks whether a file is there.
const TESTED_PATH: &str = "Test-Path";
/// The openings of blocks that end a script.
const ENDING_BLOCKS: [&str; 2] = ["{ throw", "{ exit"];

/// Strips a command of the shell and the change of folder before it, and of what only shortens its
/// output.
pub(super) fn plain_command(command: &str) -> &str {
    strip_filter(strip_folder(strip_shell(command)))
}

/// Strips what only shortens the output of a command: `2>&1 | tail -20`.
fn strip_filter(command: &str) -> &str {
    let mut command = command.trim_end();
    for _ in 0..MOST_FILTERS {
        let shorter = match command.rsplit_once(['|', ';']) {
            Some((before, filter)) if is_filter(filter) => before,
            _ => QUIET_ENDS
                .iter()
                .find_map(|end| command.strip_suffix(end))
                .unwrap_or(command),
        };
        let shorter = shorter.trim_end();
        if shorter.len() == command.len() || shorter.is_empty() {
            return command;
        }
        command = shorter;
    }
    command
}

/// Maximum number of filters that are stripped of a command.
const MOST_FILTERS: usize = 8;

/// Returns true for `head` or `tail` with nothing but figures, and for `echo` with nothing that the shell
/// fills in.
fn is_filter(command: &str) -> bool {
    let mut words = command.split_whitespace();
    match words.next() {
        Some("head" | "tail") => {
            words.all(|word| word.bytes().all(|byte| b"-cn+0123456789".contains(&byte)))
        }
        Some("echo") => !command.contains(['$', '`', '>', '\n']),
        _ => false,
    }
}

/// The ends of a command that send its errors elsewhere.
const QUIET_ENDS: [&str; 2] = ["2>&1", "2>/dev/null"];

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

/// The name of the tool that applies a patch.
pub(super) const PATCH_TOOL: &str = "apply_patch";
/// The first line of a patch of Codex.
pub(super) const PATCH_OPENING: &str = "*** Begin Patch";

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
    fn a_quoted_text_is_no_title() {
        let command = "echo \"int main() { return 0; }\" > /srv/a.c";
        assert_eq!(strip_titles(command), command);
        assert_eq!(strip_titles("echo \"=== a; b ===\"; ls"), "ls");
        let told = "echo \"PAT: ${PAT:+SET}\" && ls";
        assert_eq!(strip_titles(told), told);
    }

    #[test]
    fn what_shortens_the_output_is_left_out() {
        let commented = "# Mend the pump\n# and test it\n\nmake pump";
        assert_eq!(shell_line(commented, 1), "make pump");
        assert_eq!(shell_line("# nothing", 1), "# nothing");
        assert_eq!(shell_line("cd /srv && ls -la", 1), "cd /srv && ls -la");
        assert_eq!(shell_line("cd /srv && ls pumps", 1), "ls pumps");
        for command in [
            "cargo test 2>&1 | tail -20",
            "cargo test",
            "cargo test | head -n 5 2>&1",
            "cargo test 2>/dev/null; echo \"done\"",
        ] {
            assert_eq!(shell_line(command, 1), "cargo test");
        }
        let command = "cat a.txt | tail -5 b.txt";
        assert_eq!(shell_line(command, 1), command);
    }

    #[test]
    fn variables_before_a_command_are_left_out() {
        let command = r#"$exe = Join-Path $base "a.exe"; & $exe --headless"#;
        assert_eq!(shell_line(command, 1), "& $exe --headless");
        assert_eq!(shell_line("$a = b", 1), "$a = b");
        let command =
            r#"$gh = "C:\gh.exe"; if (-not (Test-Path $gh)) { throw "gone" }; & $gh auth status"#;
        assert_eq!(shell_line(command, 1), r#"& "C:\gh.exe" auth status"#);
        // What runs otherwise is a part of the command.
        let command = "if (Test-Path a.txt) { exit } else { del b.txt }";
        assert_eq!(shell_line(command, 1), command);
    }
}

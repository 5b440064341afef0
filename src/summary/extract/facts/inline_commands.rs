//! Finds the commands of agents without tools.
//!
//! Such agents end a message with a command for the shell in a fenced block or in
//! tags (SWE-agent, mini-swe-agent), or with a call written as tags (OpenHands,
//! SWE-smith). The harness returns the output in the user's name.
//!
//! SWE-agent's editor has commands of its own. Their output shows the file:
//! `[File: PATH (12 lines total)]`.

use super::argument_keys::{is_command_key, is_file_key};
use super::file_actions::{FileAction, effect_of_name, effect_of_sub_command};
use super::patch_files::{is_patch, visit_patch_files};
use super::pending_calls::{FileTouch, PendingCall};
use super::shell_files::scan_shell_files;
use crate::summary::extract::lex::result_text::{strip_result_heading, tool_heading};
use crate::summary::extract::lexicon::message_marks::TAGGED_TOOLS;
use crate::summary::extract::lexicon::shell_words::{SHELL_NAMES, SWE_AGENT_WRITING_COMMANDS};
use std::borrow::Cow;

const FENCE: &str = "```";
const COMMAND_OPEN: &str = "<command>";
const COMMAND_CLOSE: &str = "</command>";
const CALL_OPEN: &str = "<function=";
const CALL_CLOSE: &str = "</function>";
/// Maximum number of lines that the editor prints before the line with the file.
const LINES_BEFORE_FILE: usize = 2;

/// Returns the command at the end of the assistant's text. A call in tags keeps its opening tag.
pub(crate) fn final_command(text: &str) -> Option<&str> {
    let text = text.trim_end();
    if let Some(before) = text.strip_suffix(CALL_CLOSE) {
        return Some(&before[before.rfind(CALL_OPEN)?..]);
    }
    if let Some(call) = final_element(text) {
        return Some(call);
    }
    if let Some(before) = text.strip_suffix(COMMAND_CLOSE) {
        let command = before[before.rfind(COMMAND_OPEN)? + COMMAND_OPEN.len()..].trim();
        return (!command.is_empty()).then_some(command);
    }
    let before = text.strip_suffix(FENCE)?;
    let start = before.rfind(FENCE)? + FENCE.len();
    let (name, command) = before[start..].split_once('\n')?;
    let command = command.trim();
    (SHELL_NAMES.contains(&name.trim()) && !command.is_empty()).then_some(command)
}

/// Returns the call of a tool of Cline at the end of a text: `<read_file><path>a.rs</path></read_file>`.
fn final_element(text: &str) -> Option<&str> {
    let (before, name) = text.strip_suffix('>')?.rsplit_once("</")?;
    let is_tool = TAGGED_TOOLS.contains(&name);
    let start = is_tool.then(|| before.rfind(&format!("<{name}>")))??;
    Some(&text[start..])
}

/// Splits such a call into its name and its parameters.
fn split_element(command: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let (name, mut rest) = command.strip_prefix('<')?.split_once('>')?;
    if !TAGGED_TOOLS.contains(&name) {
        return None;
    }
    let mut parameters = Vec::new();
    while let Some((key, inner)) = rest.trim_start().strip_prefix('<').and_then(split_tag) {
        let Some((value, behind)) = inner.split_once(&format!("</{key}>")) else {
            break;
        };
        parameters.push((key, value.trim()));
        rest = behind;
    }
    Some((name, parameters))
}

/// Splits a text behind the name of a tag.
fn split_tag(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.split_once('>')?;
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    (!key.is_empty() && key.bytes().all(is_name)).then_some((key, rest))
}

/// Returns what the assistant says before the command at the end of its text.
pub(crate) fn prose_before_command(text: &str) -> &str {
    let Some(command) = final_command(text) else {
        return text;
    };
    let end = command.as_ptr().addr() - text.as_ptr().addr();
    let before = &text[..end];
    if split_element(command).is_some() {
        return before;
    }
    let marks = [FENCE, COMMAND_OPEN];
    let opening = marks.iter().filter_map(|mark| before.rfind(mark)).max();
    match opening {
        Some(at) if !command.starts_with(CALL_OPEN) => &before[..at],
        _ => before,
    }
}

/// Returns the output of a command without the heading of the harness.
pub(crate) fn strip_heading(text: &str) -> &str {
    if tool_heading(text.trim_start()).is_some() {
        return strip_result_heading(text.trim_start());
    }
    text.trim_start()
        .split_once('\n')
        .filter(|(heading, _)| heading.trim_end().ends_with(':'))
        .map_or(text, |(_, output)| output)
}

/// Returns a command that ran as a call, with the files that it touches.
pub(crate) fn command_call<'r>(command: &'r str, output: &'r str) -> PendingCall<'r> {
    PendingCall {
        files: files_of_command(command, output),
        ..PendingCall::default()
    }
}

fn files_of_command<'r>(command: &'r str, output: &'r str) -> Vec<FileTouch<'r>> {
    if let Some((name, parameters)) = split_tagged_call(command) {
        return files_of_tagged_call(name, parameters);
    }
    let name = command.split_whitespace().next().unwrap_or_default();
    let mut files = Vec::new();
    if is_patch(command) {
        visit_patch_files(command, &mut |path, action| {
            files.push(FileTouch::by_argument(Cow::Owned(path.to_owned()), action));
        });
    }
    if let Some(path) = file_shown_by_editor(output) {
        let action = if SWE_AGENT_WRITING_COMMANDS.contains(&name) {
            FileAction::Written
        } else {
            FileAction::Read
        };
        files.push(FileTouch::by_argument(Cow::Borrowed(path), action));
    } else if name != "edit" {
        // The operand of `edit` is the text to write. A refused edit shows no file.
        push_shell_files(command, &mut files);
    }
    files
}

fn push_shell_files<'r>(command: &'r str, files: &mut Vec<FileTouch<'r>>) {
    scan_shell_files(command, &mut |file, action| {
        files.push(FileTouch::by_command(file, action))
    });
}

/// Splits a call in tags, `<function=NAME><parameter=KEY>VALUE</parameter>` or
/// `<NAME><KEY>VALUE</KEY></NAME>`, into its name and its parameters. Returns `None` for a shell command.
pub(crate) fn split_tagged_call(command: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    if let Some(call) = split_element(command) {
        return Some(call);
    }
    let (name, parameters) = command.strip_prefix(CALL_OPEN)?.split_once('>')?;
    let parameters = parameters
        .split("<parameter=")
        .filter_map(parse_parameter)
        .collect();
    Some((name, parameters))
}

/// Returns the files of a call in tags.
fn files_of_tagged_call<'r>(name: &str, parameters: Vec<(&str, &'r str)>) -> Vec<FileTouch<'r>> {
    let effect = parameters
        .iter()
        .find_map(|(key, value)| effect_of_sub_command(name, key, value))
        .unwrap_or_else(|| effect_of_name(name));
    let mut files = Vec::new();
    for (key, value) in parameters {
        if is_file_key(key) {
            let action = effect.action_for_key(key);
            files.push(FileTouch::by_argument(Cow::Borrowed(value), action));
        } else if is_command_key(key) && effect_of_sub_command(name, key, value).is_none() {
            push_shell_files(value, &mut files);
        }
    }
    files
}

/// Splits `KEY>VALUE</parameter>` into key and value.
fn parse_parameter(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.split_once('>')?;
    let (value, _) = rest.split_once("</parameter>")?;
    Some((key, value.trim()))
}

/// Returns the path of the file that SWE-agent's editor shows.
pub(crate) fn file_shown_by_editor(output: &str) -> Option<&str> {
    let output = output.trim_start();
    let starts =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', output.as_bytes()).map(|end| end + 1));
    let rest = starts
        .take(1 + LINES_BEFORE_FILE)
        .find_map(|start| output[start..].strip_prefix("[File: "))?;
    let line = rest.lines().next()?;
    let (file, _) = line.split_once(" lines total)")?;
    let (path, _) = file.rsplit_once(" (")?;
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched_files(command: &str, output: &str) -> Vec<(String, FileAction)> {
        command_call(command, output)
            .files
            .into_iter()
            .map(|file| (file.path.into_owned(), file.action))
            .collect()
    }

    fn files_of_call(name: &str, parameters: &[(&str, &str)]) -> Vec<(String, FileAction)> {
        let parameters: String = parameters
            .iter()
            .map(|(key, value)| format!("<parameter={key}>{value}</parameter>\n"))
            .collect();
        touched_files(
            final_command(&format!("<function={name}>\n{parameters}</function>")).unwrap(),
            "",
        )
    }

    fn file(path: &str, action: FileAction) -> Vec<(String, FileAction)> {
        vec![(path.to_owned(), action)]
    }

    #[test]
    fn a_command_is_the_block_at_the_end() {
        assert_eq!(
            final_command("I look.\n```\nopen a.py\n```"),
            Some("open a.py")
        );
        assert_eq!(
            final_command("```python\nx\n```\nThen:\n\n```bash\nls\ncat b.py\n```\n"),
            Some("ls\ncat b.py")
        );
        assert_eq!(
            final_command("I look.\n<command>\nopen a.py\n</command>"),
            Some("open a.py")
        );
        assert_eq!(
            final_command("Then:\n<function=bash>\n<parameter=command>ls</parameter>\n</function>"),
            Some("<function=bash>\n<parameter=command>ls</parameter>\n")
        );
        for text in [
            "",
            "</function>",
            "</command>",
            "<command></command>",
            "```",
            "``````",
            "say `ls`",
            "```\n```",
            "```python\nopen('a.py')\n```",
            "```\nls\n```\nDoes it help?",
        ] {
            assert_eq!(final_command(text), None, "{text}");
        }
    }

    #[test]
    fn a_call_of_cline_is_the_element_at_the_end() {
        let text = "I look.\n\n<read_file>\n<path>src/a.rs</path>\n</read_file>\n";
        let command = final_command(text).unwrap();
        assert_eq!(
            split_tagged_call(command),
            Some(("read_file", vec![("path", "src/a.rs")]))
        );
        assert_eq!(prose_before_command(text), "I look.\n\n");
        assert_eq!(
            touched_files(command, ""),
            file("src/a.rs", FileAction::Read)
        );
        let write =
            "<write_to_file>\n<path>b.rs</path>\n<content>\n<b>x</b>\n</content>\n</write_to_file>";
        assert_eq!(
            split_tagged_call(write).unwrap().1[1],
            ("content", "<b>x</b>")
        );
        assert_eq!(touched_files(write, ""), file("b.rs", FileAction::Written));
        for text in [
            "<b>bold</b>",
            "<attempt_completion>\ndone\n</attempt_completion>",
        ] {
            assert_eq!(final_command(text), None, "{text}");
        }
    }

    #[test]
    fn a_call_in_tags_has_its_files_in_parameters() {
        assert_eq!(
            files_of_call("execute_bash", &[("command", "cat a.py > b.py")]),
            [
                file("b.py", FileAction::Written),
                file("a.py", FileAction::Read)
            ]
            .concat()
        );
        assert_eq!(
            files_of_call(
                "str_replace_editor",
                &[("command", "view"), ("path", "/srv/c.py")]
            ),
            file("/srv/c.py", FileAction::Read)
        );
        assert_eq!(
            files_of_call(
                "str_replace_editor",
                &[
                    ("command", "create"),
                    ("path", "/srv/c.py"),
                    ("file_text", "rm d.py")
                ]
            ),
            file("/srv/c.py", FileAction::Written)
        );
        assert_eq!(files_of_call("finish", &[]), []);
        assert_eq!(
            [
                "EXECUTION RESULT of [bash]:\nno",
                "OBSERVATION:\r\nno",
                "no",
                "a\nno"
            ]
            .map(strip_heading),
            ["no", "no", "no", "a\nno"]
        );
    }

    #[test]
    fn the_editor_shows_files_and_the_shell_names_them() {
        assert_eq!(
            touched_files(
                "open a.py 12",
                "[File: /srv/a.py (20 lines total)]\n1:import os\n"
            ),
            file("/srv/a.py", FileAction::Read)
        );
        assert_eq!(
            touched_files(
                "edit 1:1\nopen('msg.enc')\nend_of_edit",
                "[File: /srv/a.py (1 lines total)]\r\n1:x"
            ),
            file("/srv/a.py", FileAction::Written)
        );
        let updated = "File updated. Please review the changes\n(indentation, no duplicate lines, etc).\n[File: /srv/a (1).py (9 lines total)]\n1:x";
        assert_eq!(
            touched_files("edit 1:1\nx\nend_of_edit", updated),
            file("/srv/a (1).py", FileAction::Written)
        );
        assert_eq!(
            touched_files(
                "edit 1:1\ncat msg.enc\nend_of_edit",
                "Your proposed edit has introduced new syntax error(s)."
            ),
            []
        );
        assert_eq!(
            touched_files("cat msg.enc", "[File: unknown]"),
            file("msg.enc", FileAction::Read)
        );
        assert_eq!(
            touched_files("sed -i s/a/b/ c.rs", ""),
            file("c.rs", FileAction::Written)
        );
    }
}

//! What agents without tools do: they end what they say with a command for the
//! shell in a fenced block or in tags (SWE-agent, mini-swe-agent), or with a call
//! written as tags (OpenHands, SWE-smith), and the harness hands over what came
//! of it in the user's name.
//!
//! SWE-agent's editor has commands of its own. What it shows after each begins
//! with its file: `[File: PATH (12 lines total)]`.

use crate::summary::extract::facts::shell_files as shell;
use crate::summary::extract::facts::tool_effects::{
    FileTouch, PendingCall, Touch, doing, doing_of,
};
use crate::summary::extract::facts::touched_files::{is_command_key, is_file_key};
use crate::summary::extract::lex::value_keys::ValueKey;
use std::borrow::Cow;

const FENCE: &str = "```";
/// What a block that a shell is given may be named.
const SHELLS: &[&str] = &["", "bash", "sh", "shell", "zsh", "mswea_bash_command"];
const TAGS: [&str; 2] = ["<command>", "</command>"];
/// How a call begins that is written as tags, and how it ends.
const CALL: [&str; 2] = ["<function=", "</function>"];
/// So many lines of what the editor shows may stand before its file.
const LINES_BEFORE: usize = 2;
/// Commands of SWE-agent's editor that write the file it shows then.
const EDITING: &[&str] = &["edit", "create", "insert", "append"];

/// The command that a text of the assistant ends with, or the call, with its tags.
pub(crate) fn command(text: &str) -> Option<&str> {
    if let Some(before) = text.trim_end().strip_suffix(CALL[1]) {
        return Some(&before[before.rfind(CALL[0])?..]);
    }
    if let Some(before) = text.trim_end().strip_suffix(TAGS[1]) {
        let command = before[before.rfind(TAGS[0])? + TAGS[0].len()..].trim();
        return (!command.is_empty()).then_some(command);
    }
    let before = text.trim_end().strip_suffix(FENCE)?;
    let start = before.rfind(FENCE)? + FENCE.len();
    let (name, command) = before[start..].split_once('\n')?;
    let command = command.trim();
    (SHELLS.contains(&name.trim()) && !command.is_empty()).then_some(command)
}

/// What came of it, without the harness's heading.
pub(crate) fn output(text: &str) -> &str {
    text.trim_start()
        .split_once('\n')
        .filter(|(heading, _)| heading.trim_end().ends_with(':'))
        .map_or(text, |(_, output)| output)
}

/// A command that was carried out, with the files that it touches.
pub(crate) fn done<'r>(command: &'r str, output: &'r str) -> PendingCall<'r> {
    let mut files = Vec::new();
    let mut add = |path, touch, by_command| {
        files.push(FileTouch {
            path: Cow::Borrowed(path),
            touch,
            by_command,
        })
    };
    let name = command.split_whitespace().next().unwrap_or_default();
    if let Some((name, parameters)) = command
        .strip_prefix(CALL[0])
        .and_then(|call| call.split_once('>'))
    {
        tagged(name, parameters, &mut add);
    } else if let Some(path) = shown(output) {
        add(
            path,
            if EDITING.contains(&name) {
                Touch::Written
            } else {
                Touch::Read
            },
            false,
        );
    } else if name != "edit" {
        // What `edit` is given is the text to write, and no file is shown where it was refused.
        shell::files(command, &mut |path, touch| add(path, touch, true));
    }
    PendingCall {
        files,
        ..PendingCall::default()
    }
}

/// The files of a call: `<function=NAME><parameter=KEY>VALUE</parameter>`.
fn tagged<'r>(name: &str, parameters: &'r str, add: &mut impl FnMut(&'r str, Touch, bool)) {
    let parameter = |text: &'r str| {
        let (key, rest) = text.split_once('>')?;
        Some((key, rest.split_once("</parameter>")?.0.trim()))
    };
    let parameters: Vec<(&str, &str)> = parameters
        .split("<parameter=")
        .filter_map(parameter)
        .collect();
    let told = parameters
        .iter()
        .find_map(|(key, value)| doing_of(name, key, value))
        .unwrap_or_else(|| doing(name));
    for (key, value) in parameters {
        if is_file_key(key) {
            add(value, told.by_key(key), false);
        } else if is_command_key(ValueKey::named(key)) && doing_of(name, key, value).is_none() {
            shell::files(value, &mut |path, touch| add(path, touch, true));
        }
    }
}

/// The file that SWE-agent's editor shows.
pub(crate) fn shown(output: &str) -> Option<&str> {
    let output = output.trim_start();
    let starts =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', output.as_bytes()).map(|end| end + 1));
    let line = starts
        .take(1 + LINES_BEFORE)
        .find_map(|start| output[start..].strip_prefix("[File: "))?;
    Some(
        line.lines()
            .next()?
            .split_once(" lines total)")?
            .0
            .rsplit_once(" (")?
            .0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(command: &str, output: &str) -> Vec<(String, Touch)> {
        done(command, output)
            .files
            .into_iter()
            .map(|file| (file.path.into_owned(), file.touch))
            .collect()
    }

    #[test]
    fn a_command_is_the_block_at_the_end() {
        assert_eq!(command("I look.\n```\nopen a.py\n```"), Some("open a.py"));
        assert_eq!(
            command("```python\nx\n```\nThen:\n\n```bash\nls\ncat b.py\n```\n"),
            Some("ls\ncat b.py")
        );
        assert_eq!(
            command("I look.\n<command>\nopen a.py\n</command>"),
            Some("open a.py")
        );
        assert_eq!(
            command("Then:\n<function=bash>\n<parameter=command>ls</parameter>\n</function>"),
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
            assert_eq!(command(text), None, "{text}");
        }
    }

    #[test]
    fn a_call_in_tags_names_its_files() {
        let call = |name: &str, parameters: &[(&str, &str)]| {
            let parameters: String = parameters
                .iter()
                .map(|(key, value)| format!("<parameter={key}>{value}</parameter>\n"))
                .collect();
            touched(
                command(&format!("<function={name}>\n{parameters}</function>")).unwrap(),
                "",
            )
        };
        let file = |path: &str, touch| vec![(path.to_owned(), touch)];
        assert_eq!(
            call("execute_bash", &[("command", "cat a.py > b.py")]),
            [file("b.py", Touch::Written), file("a.py", Touch::Read)].concat()
        );
        assert_eq!(
            call(
                "str_replace_editor",
                &[("command", "view"), ("path", "/srv/c.py")]
            ),
            file("/srv/c.py", Touch::Read)
        );
        assert_eq!(
            call(
                "str_replace_editor",
                &[
                    ("command", "create"),
                    ("path", "/srv/c.py"),
                    ("file_text", "rm d.py")
                ]
            ),
            file("/srv/c.py", Touch::Written)
        );
        assert_eq!(call("finish", &[]), []);
        assert_eq!(
            [
                "EXECUTION RESULT of [bash]:\nno",
                "OBSERVATION:\r\nno",
                "no",
                "a\nno"
            ]
            .map(output),
            ["no", "no", "no", "a\nno"]
        );
    }

    #[test]
    fn files_are_those_that_the_editor_shows_or_the_shell_names() {
        let file = |path: &str, touch| vec![(path.to_owned(), touch)];
        assert_eq!(
            touched(
                "open a.py 12",
                "[File: /srv/a.py (20 lines total)]\n1:import os\n"
            ),
            file("/srv/a.py", Touch::Read)
        );
        assert_eq!(
            touched(
                "edit 1:1\nopen('msg.enc')\nend_of_edit",
                "[File: /srv/a.py (1 lines total)]\r\n1:x"
            ),
            file("/srv/a.py", Touch::Written)
        );
        let updated = "File updated. Please review the changes\n(indentation, no duplicate lines, etc).\n[File: /srv/a (1).py (9 lines total)]\n1:x";
        assert_eq!(
            touched("edit 1:1\nx\nend_of_edit", updated),
            file("/srv/a (1).py", Touch::Written)
        );
        assert_eq!(
            touched(
                "edit 1:1\ncat msg.enc\nend_of_edit",
                "Your proposed edit has introduced new syntax error(s)."
            ),
            []
        );
        assert_eq!(
            touched("cat msg.enc", "[File: unknown]"),
            file("msg.enc", Touch::Read)
        );
        assert_eq!(
            touched("sed -i s/a/b/ c.rs", ""),
            file("c.rs", Touch::Written)
        );
    }
}

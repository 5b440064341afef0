//! Writes a call on a line: the command, or the name with the arguments that tell calls apart.

use super::argument_keys::{is_command_key, is_file_key};
use super::call_effects::strip_shell;
use super::exchanges::CallForm;
use super::inline_commands::split_tagged_call;
use super::todos::strip_open_quotation;
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::clip::clip_line;
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lexicon::argument_names::{BULKY_KEYS, QUIET_KEYS};
use std::borrow::Cow;

/// Maximum length in bytes of an argument, of the first line of a document, of a tool's name, and of
/// a path.
const LONGEST_ARGUMENT: usize = 90;
const LONGEST_BULKY: usize = 44;
const LONGEST_NAME: usize = 60;
const LONGEST_PATH: usize = 64;
/// Number of bytes of an argument that are read at least.
const LONGEST_READ: usize = 400;
/// Maximum number of arguments.
const MOST_ARGUMENTS: usize = 8;
/// Names of arguments that hold the complete text of a file.
const WHOLE_DOCUMENT_KEYS: [&str; 4] = ["content ", "contents ", "file_text ", "body "];
/// Names of tools that run a shell. The command stands for itself.
const SHELL_TOOLS: &[&str] = &[
    "shell", "bash", "run", "exec", "execute", "terminal", "command",
];

/// Writes a call in at most `limit` bytes. Empty if nothing can be shown of it.
pub(crate) fn call_line(call: CallForm<'_>, limit: usize) -> String {
    let line = match call {
        CallForm::Heading(heading) => fold_line(heading, limit).into_owned(),
        CallForm::Command(command) => match split_tagged_call(command) {
            None => shell_line(command),
            Some((name, parameters)) => {
                let mut line = CallLine::new(name);
                for (key, value) in parameters {
                    line.push_argument(key, value);
                }
                line.finish()
            }
        },
        CallForm::Tool(call) => {
            let mut line = CallLine::new(call.name);
            visit_leaves(call.arguments, &mut |key, leaf| {
                if line.shows(key.name)
                    && let Some(value) = leaf.decode_start(LONGEST_READ)
                {
                    line.push_argument(key.name, &value);
                }
            });
            line.finish()
        }
    };
    clip_line(&line, limit).map_or_else(String::new, Cow::into_owned)
}

/// A call on a line that is being written.
struct CallLine<'n> {
    name: &'n str,
    /// The words of the command, for a shell.
    command: String,
    arguments: String,
    /// The first line of the first argument that holds a document.
    document: Option<String>,
    /// An argument names a file.
    names_file: bool,
    shown: usize,
}

impl<'n> CallLine<'n> {
    fn new(name: &'n str) -> Self {
        Self {
            name,
            command: String::new(),
            arguments: String::new(),
            document: None,
            names_file: false,
            shown: 0,
        }
    }

    /// Returns true if the line may show an argument of this name.
    fn shows(&self, key: &str) -> bool {
        self.shown < MOST_ARGUMENTS && !QUIET_KEYS.contains(&key)
    }

    fn push_argument(&mut self, key: &str, value: &str) {
        if !self.shows(key) {
            return;
        }
        if is_command_key(key) {
            self.command
                .push_str(if self.command.is_empty() { "" } else { " " });
            self.command.push_str(value);
            return;
        }
        let is_bulky =
            BULKY_KEYS.contains(&key) && value.len() > LONGEST_ARGUMENT || value.contains('\n');
        let first = strip_open_quotation(first_line(value));
        // Breaking the tags in a path would make it another path.
        let is_broken =
            has_frame_tag(first) && (!first.contains(char::is_whitespace) || is_file_key(key));
        if first.is_empty() || is_broken {
            return;
        }
        if is_bulky {
            // One line of a document says what it is about.
            if self.document.is_none() {
                let line = fold_line(first, LONGEST_BULKY);
                self.document = Some(format!("{} {line}", fold_line(key, LONGEST_BULKY)));
            }
            return;
        }
        self.names_file |= is_file_key(key);
        let first = if is_file_key(key) {
            end_of_path(first)
        } else {
            Cow::Borrowed(first)
        };
        let limit = LONGEST_ARGUMENT;
        self.arguments
            .push_str(if self.shown == 0 { "" } else { ", " });
        if !is_file_key(key) && !key.is_empty() {
            self.arguments.push_str(&fold_line(key, LONGEST_BULKY));
            self.arguments.push(' ');
        }
        self.arguments.push_str(&fold_line(&first, limit));
        self.shown += 1;
    }

    fn finish(mut self) -> String {
        // A document that is written to a file is found there; an edit says what it changed.
        let document = self.document.take().filter(|text| {
            !self.names_file || !WHOLE_DOCUMENT_KEYS.iter().any(|key| text.starts_with(key))
        });
        if let Some(document) = document {
            self.arguments
                .push_str(if self.shown == 0 { "" } else { ", " });
            self.arguments.push_str(&document);
        }
        let name = fold_line(self.name, LONGEST_NAME);
        let command = if self.command.is_empty() {
            String::new()
        } else {
            shell_line(&self.command)
        };
        let is_shell = !command.is_empty()
            && SHELL_TOOLS
                .iter()
                .any(|shell| name.to_ascii_lowercase().contains(shell));
        let parts = [
            if is_shell { "" } else { name.as_ref() },
            command.as_str(),
            self.arguments.as_str(),
        ];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }
}

/// Returns a path, or of a long one its last folders: the files have a section of their own.
fn end_of_path(path: &str) -> Cow<'_, str> {
    if path.len() <= LONGEST_PATH {
        return Cow::Borrowed(path);
    }
    let start = path.len() - LONGEST_PATH;
    let at = path
        .match_indices('/')
        .map(|(at, _)| at)
        .find(|at| *at >= start);
    at.map_or(Cow::Borrowed(path), |at| {
        Cow::Owned(format!("…{}", &path[at..]))
    })
}

/// Writes a shell command on a line: without the shell and the change of folder before it, and of
/// several lines the first two.
fn shell_line(command: &str) -> String {
    let command = strip_folder(strip_shell(command));
    let mut lines = command
        .lines()
        .map(str::trim)
        .filter(|line| line.chars().any(char::is_alphanumeric));
    let first = strip_open_quotation(lines.next().unwrap_or_default());
    let mut line = fold_line(first, LONGEST_ARGUMENT).into_owned();
    if let Some(second) = lines.next().filter(|_| line.len() < LONGEST_BULKY) {
        line.push_str(" ⏎ ");
        line.push_str(&fold_line(strip_open_quotation(second), LONGEST_BULKY));
    }
    line
}

/// Strips the change of folder before a command: `cd FOLDER &&`, or a line of its own.
fn strip_folder(command: &str) -> &str {
    let Some(rest) = command.strip_prefix("cd ") else {
        return command;
    };
    [rest.split_once("&&"), rest.split_once('\n')]
        .into_iter()
        .flatten()
        .find(|(folder, rest)| !folder.contains(['\n', ';', '|']) && !rest.trim().is_empty())
        .map_or(command, |(_, rest)| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::exchanges::CalledTool;

    fn line_of(name: &str, arguments: &str) -> String {
        call_line(CallForm::Tool(CalledTool { name, arguments }), 160)
    }

    #[test]
    fn a_shell_shows_its_command() {
        let command = r#"{"command": ["bash", "-lc", "cd /srv && cargo test -p a"], "timeout": 9}"#;
        assert_eq!(line_of("shell", command), "cargo test -p a");
        assert_eq!(
            call_line(CallForm::Command("edit 3:4\n    x = 1\nend_of_edit"), 100),
            "edit 3:4 ⏎ x = 1"
        );
    }

    #[test]
    fn a_tool_shows_its_arguments() {
        assert_eq!(
            line_of(
                "Edit",
                r#"{"file_path": "/srv/a.rs", "old_string": "a\nb", "new_string": "c"}"#
            ),
            "Edit /srv/a.rs, new_string c, old_string a"
        );
        assert_eq!(
            line_of("cancel_order", r#"{"order_id": "A-1"}"#),
            "cancel_order order_id A-1"
        );
        assert_eq!(
            line_of(
                "str_replace_editor",
                r#"{"command": "create", "path": "/srv/a.py", "file_text": "x"}"#
            ),
            "str_replace_editor create /srv/a.py, file_text x"
        );
        assert_eq!(
            line_of("say", r#"{"text": "echo \"a", "other": "b\" c"}"#),
            "say text echo, other b"
        );
    }
}

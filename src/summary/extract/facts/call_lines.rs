//! Writes a call on a line: the command, or the name with the arguments that tell calls apart.

use super::argument_keys::{is_command_key, is_file_key};
use super::call_effects::LONGEST_WRITING;
use super::call_form::CallForm;
use super::edited_lines::{EditedLine, lines_between, lines_of_patch};
use super::inline_commands::split_tagged_call;
use super::patch_files::is_patch;
use super::path_ends::end_of_path;
use super::shell_lines::{LONGEST_CHANGED, patched_files, shell_line};
use super::todos::strip_open_quotation;
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::clip::{CLIP_MARK, OMISSION, clip_line};
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lexicon::argument_names::{
    BULKY_KEYS, FOLDER_KEYS, INSTRUCTION_KEYS, NEW_TEXT_KEYS, OLD_TEXT_KEYS, PATCH_KEYS, QUIET_KEYS,
};
use std::borrow::Cow;

/// Maximum length in bytes of an argument, of the first line of a document, and of a tool's name.
const LONGEST_ARGUMENT: usize = 90;
const LONGEST_BULKY: usize = 44;
const LONGEST_NAME: usize = 60;
/// Number of bytes of an argument that are read at least.
const LONGEST_READ: usize = 400;
/// The same of the text of an edit, which is searched for what it changes.
const LONGEST_EDIT: usize = 4000;
/// The length in bytes of a line from which on it shows several lines of an edit, and their number.
pub(super) const LONG_EDIT: usize = 230;
const MOST_CHANGES: usize = 3;
/// Before each further line of an edit.
const LINE_END: &str = "⏎ ";
/// Minimum length in bytes of the part that is left of a value.
const LEAST_CLIPPED: usize = 16;
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
            None => shell_line(command, most_changes(limit)),
            Some((name, parameters)) => {
                let mut line = CallLine::new(name, limit);
                for (key, value) in parameters {
                    line.push_argument(key, value);
                }
                line.finish(limit)
            }
        },
        CallForm::Tool(call) => {
            let mut line = CallLine::new(call.name, limit);
            visit_leaves(call.arguments, &mut |key, leaf| {
                let read = if is_edit_key(key.name) {
                    LONGEST_EDIT
                } else if is_command_key(key.name) {
                    LONGEST_WRITING
                } else {
                    LONGEST_READ
                };
                if line.shows(key.name)
                    && let Some(value) = leaf.decode_start(read)
                {
                    line.push_argument(key.name, &value);
                }
            });
            line.finish(limit)
        }
    };
    clip_line(&line, limit).map_or_else(String::new, Cow::into_owned)
}

/// A call on a line that is being written.
struct CallLine<'n> {
    name: &'n str,
    /// The words of the command, for a shell.
    command: String,
    arguments: Vec<ShownArgument>,
    /// The first line of the first argument that holds a document.
    document: Option<String>,
    /// The text of an edit before and after it.
    old_text: Option<String>,
    new_text: Option<String>,
    /// An argument names a file.
    names_file: bool,
    /// Maximum number of changed lines of an edit.
    most_changes: usize,
    /// An argument says what the edit is for.
    is_instructed: bool,
}

/// An argument as a call line shows it.
struct ShownArgument {
    text: String,
    /// Number of bytes of the key before the value.
    key_length: usize,
    /// The folder that the call runs in, beside a command.
    is_folder: bool,
    /// A line that the call changed.
    is_change: bool,
}

impl ShownArgument {
    /// Returns a value without a key.
    fn plain(text: String) -> Self {
        Self {
            text,
            key_length: 0,
            is_folder: false,
            is_change: false,
        }
    }

    fn change(mark: &str, line: &str) -> Self {
        Self {
            is_change: true,
            ..Self::plain(format!("{mark}{}", fold_line(line, LONGEST_CHANGED)))
        }
    }
}

impl<'n> CallLine<'n> {
    fn new(name: &'n str, limit: usize) -> Self {
        Self {
            name,
            command: String::new(),
            arguments: Vec::new(),
            document: None,
            old_text: None,
            new_text: None,
            names_file: false,
            most_changes: most_changes(limit),
            is_instructed: false,
        }
    }

    /// Returns true if the line may show an argument of this name.
    fn shows(&self, key: &str) -> bool {
        self.arguments.len() < MOST_ARGUMENTS && !QUIET_KEYS.contains(&key)
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
        if let Some(files) = patched_files(value) {
            let files = fold_line(&files, LONGEST_ARGUMENT).into_owned();
            self.arguments.push(ShownArgument::plain(files));
            self.push_changes(&lines_of_patch(value, self.most_changes));
            return;
        }
        if OLD_TEXT_KEYS.contains(&key) {
            self.old_text.get_or_insert_with(|| value.to_owned());
            return;
        }
        if NEW_TEXT_KEYS.contains(&key) {
            self.new_text.get_or_insert_with(|| value.to_owned());
            return;
        }
        if PATCH_KEYS.contains(&key) {
            let lines = lines_of_patch(value, self.most_changes);
            if !lines.is_empty() {
                self.push_changes(&lines);
                return;
            }
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
        self.is_instructed |= INSTRUCTION_KEYS.contains(&key);
        let Some(value) = shown_value(first) else {
            return;
        };
        if let Some(same) = self.arguments.last_mut()
            && same.key_length > 0
            && same.text[..same.key_length - 1] == *key
            && same.text.len() + value.len() < LONGEST_ARGUMENT
        {
            // The items of a list.
            same.text.push(' ');
            same.text.push_str(&value);
            return;
        }
        let mut text = String::new();
        if !is_file_key(key) && !key.is_empty() {
            text.push_str(&fold_line(key, LONGEST_BULKY));
            text.push(' ');
        }
        let key_length = text.len();
        text.push_str(&value);
        self.arguments.push(ShownArgument {
            key_length,
            is_folder: FOLDER_KEYS.contains(&key),
            ..ShownArgument::plain(text)
        });
    }

    /// Shows what an edit changed. A line in which the frame's tags were broken is left out.
    fn push_changes(&mut self, lines: &[EditedLine<'_>]) {
        let shown = lines.iter().filter(|line| !has_frame_tag(line.text));
        for (number, line) in shown.enumerate() {
            // All lines of an edit are of one kind.
            let mark = if number == 0 { line.mark } else { LINE_END };
            self.arguments.push(ShownArgument::change(mark, line.text));
        }
    }

    /// Writes the line in at most `limit` bytes. What does not fit is left out with its key.
    fn finish(mut self, limit: usize) -> String {
        // A document that is written to a file is found there; an edit says what it changed.
        let document = self.document.take().filter(|text| {
            !self.names_file || !WHOLE_DOCUMENT_KEYS.iter().any(|key| text.starts_with(key))
        });
        if let Some(text) = document {
            self.arguments.push(ShownArgument {
                key_length: text.find(' ').unwrap_or(0),
                ..ShownArgument::plain(text)
            });
        }
        let (old, new) = (self.old_text.take(), self.new_text.take());
        // In an instruction the assistant says what the edit is for.
        if self.is_instructed {
            self.most_changes = 1;
        }
        if old.is_some() || new.is_some() {
            self.push_changes(&lines_between(
                old.as_deref().unwrap_or_default(),
                new.as_deref().unwrap_or_default(),
                self.most_changes,
            ));
        }
        let name = fold_line(self.name, LONGEST_NAME);
        let command = if self.command.is_empty() {
            String::new()
        } else {
            self.arguments.retain(|argument| !argument.is_folder);
            shell_line(&self.command, self.most_changes)
        };
        let is_shell = !command.is_empty() && is_shell_name(&name);
        let mut line = if is_shell {
            command
        } else if command.is_empty() {
            name.into_owned()
        } else if is_editor_name(&name) && !command.contains(' ') {
            command
        } else {
            format!("{name} {command}")
        };
        let mut is_cut = false;
        for (number, argument) in self.arguments.iter().enumerate() {
            let separator = match number {
                0 if line.is_empty() => "",
                0 => " ",
                _ if argument.is_change => " ",
                _ => ", ",
            };
            let room = limit.saturating_sub(line.len() + separator.len() + CLIP_MARK.len());
            let clipped = clip_line(&argument.text, room).filter(|clipped| {
                clipped.len() == argument.text.len()
                    || clipped.len() >= argument.key_length + LEAST_CLIPPED
            });
            is_cut |= argument.text.ends_with(CLIP_MARK)
                || clipped
                    .as_ref()
                    .is_none_or(|clipped| clipped.len() < argument.text.len());
            if let Some(clipped) = clipped {
                line.push_str(separator);
                line.push_str(clipped.strip_suffix(CLIP_MARK).unwrap_or(&clipped));
            }
        }
        if is_cut {
            line.push_str(CLIP_MARK);
        }
        line
    }
}

/// Returns the maximum number of changed lines in a line of at most `limit` bytes.
fn most_changes(limit: usize) -> usize {
    if limit >= LONG_EDIT { MOST_CHANGES } else { 1 }
}

/// Returns true for an argument that holds the text of an edit.
fn is_edit_key(key: &str) -> bool {
    [OLD_TEXT_KEYS, NEW_TEXT_KEYS, PATCH_KEYS]
        .iter()
        .any(|keys| keys.contains(&key))
}

/// Returns true for the name of a tool that runs a shell.
pub(super) fn is_shell_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SHELL_TOOLS.iter().any(|shell| name.contains(shell))
}

/// Returns true for the name of an editor, whose sub-commands speak for themselves.
fn is_editor_name(name: &str) -> bool {
    name.to_ascii_lowercase().contains("edit")
}

/// Returns true if a call names a tool that is no shell, or is a patch.
pub(super) fn is_tool_call(call: CallForm<'_>) -> bool {
    match call {
        CallForm::Tool(call) => !is_shell_name(call.name),
        CallForm::Command(command) => {
            is_patch(command)
                || split_tagged_call(command).is_some_and(|(name, _)| !is_shell_name(name))
        }
        CallForm::Heading(_) => false,
    }
}

/// Returns a value as a line shows it, of a long path its end. Returns `None` if nothing of it can
/// be shown.
fn shown_value(value: &str) -> Option<Cow<'_, str>> {
    let value = if value.contains(char::is_whitespace) {
        Cow::Borrowed(value)
    } else {
        end_of_path(value)
    };
    let folded = fold_line(&value, LONGEST_ARGUMENT).into_owned();
    (folded != OMISSION).then_some(Cow::Owned(folded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::CalledTool;

    fn line_of(name: &str, arguments: &str) -> String {
        call_line(CallForm::Tool(CalledTool { name, arguments }), 160)
    }

    #[test]
    fn a_shell_shows_its_command() {
        let command = r#"{"command": ["bash", "-lc", "cd /srv && cargo test -p a"], "timeout": 9}"#;
        assert_eq!(line_of("shell", command), "cargo test -p a");
        assert_eq!(
            call_line(CallForm::Command("edit 3:4\n    xyz = 1\nend_of_edit"), 100),
            "edit 3:4 + xyz = 1"
        );
    }

    #[test]
    fn items_of_a_list_stand_behind_one_key() {
        assert_eq!(
            line_of("view", r#"{"path": "/a.py", "view_range": [100, 102]}"#),
            "view /a.py, view_range 100 102"
        );
    }

    #[test]
    fn a_patch_shows_its_files() {
        let patch = r#"{"input": "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-xxx\n+yyy\n*** End Patch"}"#;
        assert_eq!(line_of("apply_patch", patch), "apply_patch src/a.rs + yyy");
        let command = r#"{"command": ["apply_patch", "*** Begin Patch\n*** Add File: b.md\n+x"]}"#;
        assert_eq!(line_of("shell", command), "apply_patch b.md");
    }

    #[test]
    fn an_instruction_says_what_an_edit_is_for() {
        let shown = |instruction: &str| {
            let arguments = format!(
                r#"{{{instruction}"old_string": "alpha = 1\nbeta = 1", "new_string": "alpha = 2\nbeta = 2"}}"#
            );
            let call = CalledTool {
                name: "edit",
                arguments: &arguments,
            };
            call_line(CallForm::Tool(call), LONG_EDIT)
        };
        let alone = shown("");
        let instructed = shown(r#""instruction": "Count from 2", "#);
        assert!(
            alone.contains("alpha = 2") && alone.contains("beta = 2"),
            "{alone}"
        );
        assert!(
            instructed.contains("Count from 2")
                && instructed.contains("alpha = 2")
                && !instructed.contains("beta = 2"),
            "{instructed}"
        );
    }

    #[test]
    fn what_does_not_fit_goes_with_its_key() {
        let long = "x".repeat(100);
        let arguments =
            format!(r#"{{"a": "{long}", "city": "Oslo", "path": "/{long}/src/main.rs"}}"#);
        assert_eq!(
            line_of("visit", &arguments),
            "visit city Oslo, …/src/main.rs"
        );
    }

    #[test]
    fn a_tool_shows_its_arguments() {
        assert_eq!(
            line_of(
                "Edit",
                r#"{"file_path": "/srv/a.rs", "old_string": "aaa\nb", "new_string": "ccc"}"#
            ),
            "Edit /srv/a.rs + ccc"
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
            "create /srv/a.py, file_text x"
        );
        assert_eq!(
            line_of("say", r#"{"text": "echo \"a", "other": "b\" c"}"#),
            "say text echo, other b"
        );
    }
}

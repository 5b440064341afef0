//! Files and resources that were touched: from tool arguments and simple shell
//! commands. Reading and writing are kept apart, for that is what the agent
//! must know before it reads again or overwrites.

use super::line::{Count, clip, fold, no_heading};
use super::shell;
use super::values::Key;
use crate::transcript::arguments::{Entry, Value};
use crate::transcript::text::wtf8_to_str;
use std::collections::HashMap;

/// Argument names that hold files and resources. Others hold one only where the value looks like it.
const FILE_KEYS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "file_path",
    "filepath",
    "file_paths",
    "filename",
    "file_name",
    "notebook_path",
    "target_file",
    "absolute_path",
    "relative_path",
    "relative_workspace_path",
    "old_path",
    "new_path",
    "directory",
    "dir",
];
/// Argument names that hold a shell command.
const COMMAND_KEYS: &[&str] = &["command", "cmd", "commands", "script", "shell_command"];
/// Words of a tool's name (or of an editor's sub-command) that tell of writing.
const WRITING: &[&str] =
    &["write", "edit", "create", "save", "patch", "replace", "insert", "append", "delete", "remove", "move", "rename", "mkdir", "update", "upload", "undo"];
/// What a patch puts before the file it changes.
const PATCH_MARKS: &[&str] = &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/"];
const LONGEST: usize = 300;

/// What was done to a file. The order is that of worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touch {
    /// Named as an artifact by an earlier summary, without a word on how.
    Named,
    /// Read.
    Read,
    /// Written, moved or deleted.
    Written,
}

#[derive(Debug)]
struct File {
    path: String,
    touch: Touch,
    last: usize,
}

/// The files of a conversation.
#[derive(Debug, Default)]
pub(super) struct Files {
    all: Vec<File>,
    index: HashMap<String, usize>,
    touches: usize,
}

impl Files {
    /// Notes that a file was touched just now.
    pub(super) fn touch(&mut self, path: &str, touch: Touch) {
        let path = path.trim();
        if path.is_empty() || path.len() > LONGEST || path.contains(['\n', char::REPLACEMENT_CHARACTER]) || !path.chars().any(char::is_alphanumeric) {
            return;
        }
        let next = self.all.len();
        let at = *self.index.entry(path.to_owned()).or_insert(next);
        if at == next {
            self.all.push(File { path: path.to_owned(), touch, last: 0 });
        }
        self.all[at].touch = self.all[at].touch.max(touch);
        self.touches += 1;
        self.all[at].last = self.touches;
    }

    /// Notes the files that a call touches.
    pub(super) fn call(&mut self, tool: &str, arguments: &[Entry<'_>]) {
        let writes = arguments
            .iter()
            .find_map(|entry| match (wtf8_to_str(&entry.key).as_ref(), &entry.value) {
                // `str_replace_based_edit_tool` and its like: the sub-command decides.
                ("command", Value::String(command)) if command.len() < 20 && tool.contains("edit") => Some(is_writing(&wtf8_to_str(command))),
                _ => None,
            })
            .unwrap_or_else(|| is_writing(tool));
        let touch = if writes { Touch::Written } else { Touch::Read };
        for entry in arguments {
            let key = wtf8_to_str(&entry.key);
            let is_command = COMMAND_KEYS.contains(&key.as_ref());
            let is_file = FILE_KEYS.contains(&snake(&key).as_str());
            self.argument(&entry.value, is_file, is_command, touch);
        }
    }

    fn argument(&mut self, value: &Value<'_>, is_file: bool, is_command: bool, touch: Touch) {
        match value {
            Value::String(wtf8) => {
                let text = wtf8_to_str(wtf8);
                if is_file {
                    self.touch(&text, touch);
                } else if is_command {
                    shell::files(&text, &mut |path, written| self.touch(path, if written { Touch::Written } else { Touch::Read }));
                } else if text.len() <= LONGEST && !text.contains(char::is_whitespace) && (text.contains('/') || super::kinds::is_file(&text)) {
                    // An unknown name, but a path all the same.
                    if super::kinds::kinds(&text).is_some_and(|kinds| kinds & super::kinds::PATH != 0 && !text.contains('@')) {
                        self.touch(&text, touch);
                    }
                }
                if text.contains("*** ") || text.contains("+++ b/") {
                    let paths = text.lines().take(10_000).filter_map(|line| PATCH_MARKS.iter().find_map(|mark| line.strip_prefix(mark)));
                    paths.for_each(|path| self.touch(path, Touch::Written));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.argument(item, is_file, is_command, touch)),
            Value::Object(entries) => {
                for entry in entries {
                    let is_file = FILE_KEYS.contains(&snake(&wtf8_to_str(&entry.key)).as_str());
                    self.argument(&entry.value, is_file, false, touch);
                }
            }
            Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) => {}
        }
    }

    /// Lines `written: …`, `read: …` that cost at most `tokens`, newest file first.
    pub(super) fn write(&self, tokens: usize, count: Count<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut left = tokens;
        for (touch, label) in [(Touch::Written, "written:"), (Touch::Read, "read:"), (Touch::Named, "named:")] {
            let mut files: Vec<&File> = self.all.iter().filter(|file| file.touch == touch).collect();
            files.sort_by_key(|file| std::cmp::Reverse(file.last));
            // Each file costs a token at least: more need not be looked at.
            let line = files.iter().take(left).fold(label.to_owned(), |line, file| format!("{line} {}", fold(&file.path, LONGEST)));
            if let Some(line) = clip(&no_heading(&line), left, count).filter(|line| line.len() > label.len() + " …".len() && !files.is_empty()) {
                left -= count(&line).min(left);
                lines.push(line);
            }
        }
        lines
    }
}

/// Whether a name tells of writing.
fn is_writing(name: &str) -> bool {
    let name = snake(name);
    name.split(|c: char| !c.is_alphanumeric()).any(|word| WRITING.contains(&word))
}

/// `filePath` as `file_path`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if lower && c.is_ascii_uppercase() {
            snake.push('_');
        }
        lower = c.is_ascii_lowercase();
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Whether an argument is told by the files and not worth a reference of its own.
pub(super) fn is_command_key(key: Key<'_>) -> bool {
    COMMAND_KEYS.contains(&key.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::arguments::parse_object;

    fn quarter(text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }

    fn written(calls: &[(&str, &str)]) -> Vec<String> {
        let mut files = Files::default();
        for (tool, arguments) in calls {
            files.call(tool, &parse_object(arguments.as_bytes()).unwrap());
        }
        files.write(100, &quarter)
    }

    #[test]
    fn read_and_written_apart_newest_first() {
        let calls = [
            ("read_file", r#"{"path": "/a/one.rs"}"#),
            ("Read", r#"{"file_path": "/a/two.rs"}"#),
            ("MultiEdit", r#"{"filePath": "/a/one.rs", "edits": [{"new": "x"}]}"#),
            ("bash", r#"{"command": "cat three.txt > four.txt"}"#),
            ("str_replace_based_edit_tool", r#"{"command": "view", "path": "/a/five.py"}"#),
            ("apply_patch", r#"{"input": "*** Begin Patch\n*** Update File: six.go\n@@\n"}"#),
        ];
        assert_eq!(written(&calls), ["written: six.go four.txt /a/one.rs", "read: /a/five.py three.txt /a/two.rs"]);
    }

    #[test]
    fn prose_is_no_file() {
        assert!(written(&[("ask", r#"{"question": "What is 1/2 of it?", "mail": "a@b.org", "n": 3}"#)]).is_empty());
    }
}

//! Files and resources that were touched: from tool arguments and simple shell
//! commands. Reading and writing are kept apart, for that is what the agent
//! must know before it reads again or overwrites.

use super::identifiers::{self, Spelling};
use super::keys::Key;
use super::kinds::{self, PATH};
use super::line::{fold, no_heading, windows};
use super::shell;
use super::walk::{Leaf, leaves};
use hashbrown::HashMap;
use std::borrow::Cow;

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
/// Argument names that hold a program.
const CODE_KEYS: &[&str] = &["code"];
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
struct File<'r> {
    path: Cow<'r, str>,
    touch: Touch,
    last: usize,
}

/// The files of a conversation.
#[derive(Debug, Default)]
pub(super) struct Files<'r> {
    all: Vec<File<'r>>,
    index: HashMap<Cow<'r, str>, usize>,
    touches: usize,
}

/// What a call does to the files that its arguments name: told by the tool's name, or by the sub-command of an editor.
pub(super) fn touching(tool: &str, arguments: &str) -> Touch {
    let mut writes = is_writing(tool);
    if tool.contains("edit") {
        leaves(arguments, &mut |key, leaf| match leaf {
            Leaf::String(command) if key.name == "command" && command.len() < 20 => writes = is_writing(command),
            _ => {}
        });
    }
    touch(writes)
}

fn touch(writes: bool) -> Touch {
    if writes { Touch::Written } else { Touch::Read }
}

impl<'r> Files<'r> {
    /// Notes that a file was touched just now.
    pub(super) fn touch(&mut self, path: Cow<'r, str>, touch: Touch) {
        let path = trimmed(path);
        if path.is_empty() || path.len() > LONGEST || path.contains(['\n', char::REPLACEMENT_CHARACTER]) || !path.chars().any(char::is_alphanumeric) {
            return;
        }
        let next = self.all.len();
        let at = match self.index.get(path.as_ref()) {
            Some(&at) => at,
            None => {
                self.index.insert(path.clone(), next);
                self.all.push(File { path, touch, last: 0 });
                next
            }
        };
        self.all[at].touch = self.all[at].touch.max(touch);
        self.touches += 1;
        self.all[at].last = self.touches;
    }

    /// Notes the files in an argument of a call.
    pub(super) fn argument(&mut self, key: Key<'_>, leaf: Leaf<'r>, by_tool: Touch) {
        let Leaf::String(raw) = leaf else { return };
        let is_command = is_command_key(key);
        let patch = raw.contains("*** ") || raw.contains("+++ b/");
        let named = raw.len() <= LONGEST;
        let is_file = named && is_file_key(key.name);
        let is_code = CODE_KEYS.contains(&key.name);
        let told = is_command || is_code || patch || is_file || (named && looks_like_path(raw));
        if !told {
            return;
        }
        let Some(text) = leaf.text() else { return };
        if patch {
            for line in text.lines().take(10_000) {
                if let Some(path) = PATCH_MARKS.iter().find_map(|mark| line.strip_prefix(mark)) {
                    self.touch(Cow::Owned(path.to_owned()), Touch::Written);
                }
            }
        }
        if is_command {
            match text {
                Cow::Borrowed(text) => shell::files(text, &mut |path, written| self.touch(Cow::Borrowed(path), touch(written))),
                Cow::Owned(text) => shell::files(&text, &mut |path, written| self.touch(Cow::Owned(path.to_owned()), touch(written))),
            }
        } else if is_code {
            self.code(&text, by_tool);
        } else if is_file || looks_like_path(&text) {
            self.touch(text, by_tool);
        }
    }

    /// Notes the files that a program names: `open_file('/srv/a.py')`. What is called first tells what is done.
    fn code(&mut self, text: &str, by_tool: Touch) {
        let by_call = touch(is_writing(text.split('(').next().unwrap_or_default()));
        identifiers::scan(windows(text).0, Spelling::Plain, &mut |name, kinds, _| {
            if kinds & PATH != 0 && name.starts_with('/') {
                self.touch(Cow::Owned(name.to_owned()), by_tool.max(by_call));
            }
        });
    }

    /// Lines `written: …`, `read: …` of at most `room` bytes, newest file first, and whether all are named.
    pub(super) fn write(&self, room: usize) -> (Vec<String>, bool) {
        let mut lines = Vec::new();
        let (mut left, mut all) = (room, true);
        let mut order: Vec<&File<'_>> = self.all.iter().collect();
        order.sort_unstable_by_key(|file| std::cmp::Reverse((file.touch, file.last)));
        for (touch, label) in [(Touch::Written, "written:"), (Touch::Read, "read:"), (Touch::Named, "named:")] {
            let mut line = String::new();
            for file in order.iter().filter(|file| file.touch == touch) {
                let path = fold(&file.path, LONGEST);
                let cost = path.len() + 1 + if line.is_empty() { label.len() + 1 } else { 0 };
                if cost > left {
                    all = false;
                    continue;
                }
                if line.is_empty() {
                    line.push_str(label);
                }
                line.push(' ');
                line.push_str(&path);
                left -= cost;
            }
            if !line.is_empty() {
                lines.push(no_heading(&line));
            }
        }
        (lines, all)
    }
}

/// Without the blanks around it.
fn trimmed(path: Cow<'_, str>) -> Cow<'_, str> {
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(path.trim()),
        Cow::Owned(path) if path.trim().len() == path.len() => Cow::Owned(path),
        Cow::Owned(path) => Cow::Owned(path.trim().to_owned()),
    }
}

/// An argument of unknown name, but a path all the same.
fn looks_like_path(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || matches!(c, '@' | '(' | ')' | '\'' | '"' | '`'))
        && (text.contains('/') || kinds::is_file(text))
        && kinds::kinds_of(text).is_some_and(|kinds| kinds & PATH != 0)
}

fn is_file_key(name: &str) -> bool {
    if name.len() > 30 {
        return false;
    }
    FILE_KEYS.contains(&name) || (name.bytes().any(|byte| byte.is_ascii_uppercase()) && FILE_KEYS.contains(&snake(name).as_str()))
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

/// Whether an argument holds a command for the shell.
pub(super) fn is_command_key(key: Key<'_>) -> bool {
    COMMAND_KEYS.contains(&key.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    fn written(calls: &[(&str, &str)]) -> Vec<String> {
        let mut files = Files::default();
        for (tool, arguments) in calls {
            let touch = touching(tool, arguments);
            leaves(arguments, &mut |key, leaf| files.argument(key, leaf, touch));
        }
        files.write(400).0
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
    fn code_names_files_by_what_it_calls() {
        let calls = [
            ("run_ipython", r#"{"code": "open_file('/srv/a.tsx')"}"#),
            ("run_ipython", r#"{"code": "edit_file_by_replace(\n'/srv/b.css',\nto_replace=\"x/y\")"}"#),
            ("run_ipython", r#"{"code": "open_file('/srv/donn\u00e9es\/c.py')"}"#),
        ];
        assert_eq!(written(&calls), ["written: /srv/b.css", "read: /srv/données/c.py /srv/a.tsx"]);
    }

    #[test]
    fn prose_is_no_file() {
        assert!(written(&[("ask", r#"{"question": "What is 1/2 of it?", "mail": "a@b.org", "n": 3}"#)]).is_empty());
    }
}

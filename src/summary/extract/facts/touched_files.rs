//! Files and resources that were touched: from tool arguments and simple shell
//! commands. Reading and writing are kept apart, for that is what the agent
//! must know before it reads again or overwrites.

use crate::summary::extract::facts::shell_files as shell;
use crate::summary::extract::facts::tool_effects::{
    CallEffect, FileTouch, PendingCall, Touch, doing, snake,
};
use crate::summary::extract::lex::argument_leaves::ArgumentLeaf;
use crate::summary::extract::lex::identifier_kinds;
use crate::summary::extract::lex::identifier_kinds::PATH;
use crate::summary::extract::lex::identifiers::{self, TextEncoding};
use crate::summary::extract::lex::line::{fold, no_heading, windows};
use crate::summary::extract::lex::value_keys::ValueKey;
use hashbrown::HashMap;
use std::borrow::Cow;
use std::collections::VecDeque;

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
/// What a patch puts before the file it changes.
const PATCH_MARKS: &[(&str, Touch)] = &[
    ("*** Update File: ", Touch::Written),
    ("*** Add File: ", Touch::Written),
    ("*** Delete File: ", Touch::Deleted),
    ("*** Move to: ", Touch::Written),
    ("+++ b/", Touch::Written),
];
const LONGEST: usize = 300;

#[derive(Debug)]
struct TouchedFile<'r> {
    path: Cow<'r, str>,
    touch: Touch,
    last: usize,
}

/// The files of a conversation.
#[derive(Debug, Default)]
pub(crate) struct TouchedFiles<'r> {
    all: Vec<TouchedFile<'r>>,
    index: HashMap<Cow<'r, str>, usize>,
    touches: usize,
    /// Calls whose results are not there yet.
    open: VecDeque<PendingCall<'r>>,
}

impl<'r> TouchedFiles<'r> {
    /// Notes that a call is made; the arguments that follow are its own.
    pub(crate) fn call(&mut self, id: &'r str, tool: &'r str) {
        self.open.push_back(PendingCall {
            id,
            tool,
            files: Vec::new(),
        });
    }

    /// The call that a result answers; without ids results come in the order of their calls.
    pub(crate) fn answered(&mut self, id: &str) -> Option<PendingCall<'r>> {
        let at = if id.is_empty() {
            0
        } else {
            self.open.iter().position(|call| call.id == id)?
        };
        self.open.remove(at)
    }

    /// Notes what an answered call touched: where it failed, the files are only named.
    pub(crate) fn close(&mut self, call: PendingCall<'r>, failed: bool) {
        for FileTouch { path, touch, .. } in call.files {
            self.touch(path, if failed { Touch::Named } else { touch });
        }
    }

    /// Takes the calls that got no result of their own for done.
    pub(crate) fn close_all(&mut self) {
        while let Some(call) = self.open.pop_front() {
            self.close(call, false);
        }
    }

    /// Notes that the call that was made last touches a file.
    fn add(&mut self, path: Cow<'r, str>, touch: Touch, by_command: bool) {
        match self.open.back_mut() {
            Some(call) => call.files.push(FileTouch {
                path,
                touch,
                by_command,
            }),
            None => self.touch(path, touch),
        }
    }

    /// Notes that a file was touched just now.
    pub(crate) fn touch(&mut self, path: Cow<'r, str>, touch: Touch) {
        let path = trimmed(path);
        if path.is_empty()
            || path.len() > LONGEST
            || path.contains(['\n', char::REPLACEMENT_CHARACTER])
            || !path.chars().any(char::is_alphanumeric)
        {
            return;
        }
        let next = self.all.len();
        let at = match self.index.get(path.as_ref()) {
            Some(&at) => at,
            None => {
                self.index.insert(path.clone(), next);
                self.all.push(TouchedFile {
                    path,
                    touch,
                    last: 0,
                });
                next
            }
        };
        let known = &mut self.all[at].touch;
        *known = if touch >= Touch::Deleted {
            touch
        } else {
            touch.max(*known)
        };
        self.touches += 1;
        self.all[at].last = self.touches;
    }

    /// Notes the files in an argument of a call.
    pub(crate) fn argument(
        &mut self,
        key: ValueKey<'_>,
        leaf: ArgumentLeaf<'r>,
        by_tool: CallEffect,
    ) {
        let ArgumentLeaf::String(raw) = leaf else {
            return;
        };
        let is_command = is_command_key(key);
        let patch = memchr::memchr2(b'*', b'+', raw.as_bytes())
            .is_some_and(|at| raw[at..].contains("*** ") || raw[at..].contains("+++ "));
        let named = raw.len() <= LONGEST;
        let is_file = named && is_file_key(key.name);
        let is_code = CODE_KEYS.contains(&key.name);
        let told = is_command || is_code || patch || is_file || (named && looks_like_path(raw));
        if !told {
            return;
        }
        let Some(text) = leaf.text() else { return };
        if patch {
            // Of the file that is moved or deleted the old name comes first.
            let mut old = "";
            for line in text.lines().take(10_000) {
                if let Some((path, touch)) = PATCH_MARKS
                    .iter()
                    .find_map(|(mark, touch)| Some((line.strip_prefix(mark)?, *touch)))
                {
                    self.add(Cow::Owned(path.to_owned()), touch, false);
                }
                if !old.is_empty() && (line.starts_with("*** Move to: ") || line == "+++ /dev/null")
                {
                    self.add(Cow::Owned(old.to_owned()), Touch::Deleted, false);
                }
                old = line
                    .strip_prefix("*** Update File: ")
                    .or_else(|| line.strip_prefix("--- a/"))
                    .unwrap_or_default();
            }
        }
        if is_command {
            match text {
                Cow::Borrowed(text) => shell::files(text, &mut |path, touch| {
                    self.add(Cow::Borrowed(path), touch, true)
                }),
                Cow::Owned(text) => shell::files(&text, &mut |path, touch| {
                    self.add(Cow::Owned(path.to_owned()), touch, true)
                }),
            }
        } else if is_code {
            self.code(&text, by_tool.by_key(key.name));
        } else if is_file || looks_like_path(&text) {
            self.add(text, by_tool.by_key(key.name), false);
        }
    }

    /// Notes the files that a program names: `open_file('/srv/a.py')`. What is called first tells what is done.
    fn code(&mut self, text: &str, by_tool: Touch) {
        let by_call = doing(text.split('(').next().unwrap_or_default()).by_key("");
        identifiers::scan(
            windows(text).0,
            TextEncoding::Plain,
            &mut |name, kinds, _| {
                if kinds & PATH != 0 && name.starts_with('/') {
                    self.add(Cow::Owned(name.to_owned()), by_tool.max(by_call), false);
                }
            },
        );
    }

    /// Lines `written: …`, `read: …` of at most `room` bytes, newest file first, and whether all are named.
    pub(crate) fn write(&self, room: usize) -> (Vec<String>, bool) {
        let mut lines = Vec::new();
        let (mut left, mut all) = (room, true);
        let mut order: Vec<&TouchedFile<'_>> = self.all.iter().collect();
        order.sort_unstable_by_key(|file| std::cmp::Reverse((file.touch, file.last)));
        for (touch, label) in [
            (Touch::Written, "written:"),
            (Touch::Deleted, "deleted:"),
            (Touch::Read, "read:"),
            (Touch::Named, "named:"),
        ] {
            let mut line = String::new();
            for file in order.iter().filter(|file| file.touch == touch) {
                let path = fold(&file.path, LONGEST);
                // What would have to be changed to stand here is another file's name.
                if path != file.path {
                    continue;
                }
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
                lines.push(no_heading(&line).into_owned());
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
    (text.contains('/') || identifier_kinds::is_file(text))
        && !text.contains(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '@' | '(' | ')' | '\'' | '"' | '`' | '*' | '?' | '{' | '}'
                )
        })
        && identifier_kinds::kinds_of(text).is_some_and(|kinds| kinds & PATH != 0)
}

pub(crate) fn is_file_key(name: &str) -> bool {
    if name.len() > 30 {
        return false;
    }
    FILE_KEYS.contains(&name)
        || (name.bytes().any(|byte| byte.is_ascii_uppercase())
            && FILE_KEYS.contains(&snake(name).as_ref()))
}

/// Whether an argument holds a command for the shell.
pub(crate) fn is_command_key(key: ValueKey<'_>) -> bool {
    COMMAND_KEYS.contains(&key.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::tool_effects::touching;
    use crate::summary::extract::lex::argument_leaves::leaves;

    fn written(calls: &[(&str, &str)]) -> Vec<String> {
        let mut files = TouchedFiles::default();
        for (tool, arguments) in calls {
            let touch = touching(tool, doing(tool), arguments);
            files.call("", tool);
            leaves(arguments, &mut |key, leaf| files.argument(key, leaf, touch));
        }
        files.close_all();
        files.write(400).0
    }

    #[test]
    fn read_and_written_apart_newest_first() {
        let calls = [
            ("read_file", r#"{"path": "/a/one.rs"}"#),
            ("Read", r#"{"file_path": "/a/two.rs"}"#),
            (
                "MultiEdit",
                r#"{"filePath": "/a/one.rs", "edits": [{"new": "x"}]}"#,
            ),
            ("bash", r#"{"command": "cat three.txt > four.txt"}"#),
            (
                "str_replace_based_edit_tool",
                r#"{"command": "view", "path": "/a/five.py"}"#,
            ),
            (
                "apply_patch",
                r#"{"input": "*** Begin Patch\n*** Update File: six.go\n@@\n"}"#,
            ),
        ];
        assert_eq!(
            written(&calls),
            [
                "written: six.go four.txt /a/one.rs",
                "read: /a/five.py three.txt /a/two.rs"
            ]
        );
    }

    #[test]
    fn code_names_files_by_what_it_calls() {
        let calls = [
            ("run_ipython", r#"{"code": "open_file('/srv/a.tsx')"}"#),
            (
                "run_ipython",
                r#"{"code": "edit_file_by_replace(\n'/srv/b.css',\nto_replace=\"x/y\")"}"#,
            ),
            (
                "run_ipython",
                r#"{"code": "open_file('/srv/donn\u00e9es\/c.py')"}"#,
            ),
        ];
        assert_eq!(
            written(&calls),
            ["written: /srv/b.css", "read: /srv/données/c.py /srv/a.tsx"]
        );
    }

    #[test]
    fn what_is_gone_is_not_written() {
        let calls = [
            ("delete_file", r#"{"path": "/p/del.py"}"#),
            (
                "move_file",
                r#"{"source": "/p/a.py", "destination": "/p/b.py"}"#,
            ),
            (
                "apply_patch",
                r#"{"input": "*** Delete File: old.go\n*** Update File: from.go\n*** Move to: to.go\n"}"#,
            ),
            ("apply_patch", r#"{"input": "--- a/x.rs\n+++ /dev/null\n"}"#),
            ("write_file", r#"{"path": "/p/again.py"}"#),
            ("bash", r#"{"command": "rm /p/gone.txt /p/again.py"}"#),
            ("write_file", r#"{"path": "/p/again.py"}"#),
        ];
        assert_eq!(
            written(&calls),
            [
                "written: /p/again.py to.go /p/b.py",
                "deleted: /p/gone.txt x.rs from.go old.go /p/a.py /p/del.py"
            ]
        );
    }

    #[test]
    fn a_name_that_the_frame_would_change_is_left_out() {
        assert_eq!(
            written(&[
                ("write_file", r#"{"path": "/out/</summary>.txt"}"#),
                ("read_file", r#"{"path": "/out/a.txt"}"#)
            ]),
            ["read: /out/a.txt"]
        );
    }

    #[test]
    fn prose_is_no_file() {
        assert!(
            written(&[("ask", r#"{"question": "What is 1/2 of it?", "mail": "a@b.org", "n": 3, "pattern": "src/**/*.rs", "glob": "src/{a,b}.ts"}"#)])
                .is_empty()
        );
    }
}

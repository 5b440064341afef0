//! Collects the files that calls touch, and the latest action on each.
//!
//! Reads and writes are kept apart: an agent must know both before it reads again
//! or overwrites.

use super::argument_keys::{is_code_key, is_command_key, is_file_key};
use super::file_actions::{CallEffect, FileAction, effect_of_name};
use super::patch_files::{is_patch, visit_patch_files};
use super::pending_calls::{FileTouch, PendingCall, PendingCalls};
use super::shell_files::scan_shell_files;
use super::shell_folder::ShellFile;
use super::touched_paths::{
    is_generated, looks_like_path, trim_path, without_lines, without_quotes,
};
use crate::summary::extract::lex::argument_leaves::LeafValue;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::identifier_kinds::{PATH, has_file_extension};
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::value_keys::ValueKey;
use hashbrown::HashMap;
use std::borrow::Cow;

/// Maximum length of a path in bytes.
pub(super) const LONGEST_PATH: usize = 300;
/// Maximum number of files among which the same file under another name is looked for.
pub(super) const MOST_TWINS: usize = 200;

/// A file that calls touched.
#[derive(Debug)]
pub(super) struct TouchedFile<'r> {
    pub(super) path: Cow<'r, str>,
    pub(super) action: FileAction,
    /// Number of the last touch, in the order of all touches.
    pub(super) last: usize,
}

/// The files of a conversation, and the calls that wait for their results.
#[derive(Debug, Default)]
pub(crate) struct TouchedFiles<'r> {
    pub(super) all: Vec<TouchedFile<'r>>,
    /// Indices into `all` by path.
    index: HashMap<Cow<'r, str>, usize>,
    touch_count: usize,
    pending: PendingCalls<'r>,
}

impl<'r> TouchedFiles<'r> {
    /// Opens a call. The files that are observed next belong to it.
    pub(crate) fn open_call(&mut self, id: &'r str, tool: &'r str, exchange: usize) {
        self.pending.push(PendingCall {
            id,
            tool,
            exchange,
            ..PendingCall::default()
        });
    }

    /// Takes the call that a result answers. Without ids, results come in the order of their calls.
    pub(crate) fn take_answered_call(&mut self, id: &str) -> Option<PendingCall<'r>> {
        if id.is_empty() {
            self.pending.pop_first()
        } else {
            self.pending.take(id)
        }
    }

    /// Returns what was done with the file of this name, the most of several. Returns `None` if no call
    /// touched one.
    pub(super) fn action_of(&self, name: &str) -> Option<FileAction> {
        let named = self.all.iter().filter(|file| {
            let before = file.path.strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
        });
        named.map(|file| file.action).max()
    }

    /// Returns true if the only file of this name was deleted or moved.
    pub(crate) fn is_gone(&self, name: &str) -> bool {
        let mut named = self.all.iter().filter(|file| {
            let before = file.path.strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
        });
        let first = named.next();
        first.is_some_and(|file| file.action == FileAction::Deleted)
            && named.all(|file| file.action == FileAction::Deleted)
    }

    /// Returns the file of an exchange that waits for its result, if it is about a single one.
    pub(crate) fn only_file_of(&self, exchange: usize) -> Option<&str> {
        match &self.pending.of_exchange(exchange)?.files[..] {
            [file] => Some(&file.path),
            _ => None,
        }
    }

    /// Closes the call of an exchange, which failed.
    pub(crate) fn close_failed(&mut self, exchange: usize, is_refused: bool) {
        if let Some(mut call) = self.pending.take_exchange(exchange) {
            if is_refused {
                call.refuse();
            }
            self.close_call(call, true);
        }
    }

    /// Returns the exchange of the last call that waits for its result.
    pub(crate) fn last_pending_exchange(&mut self) -> Option<usize> {
        self.pending.last_mut().map(|call| call.exchange)
    }

    /// Records the files of a call. If the call failed, they count as named, but for those of a
    /// command: it does several things, and the line that refuses a file says so.
    pub(crate) fn close_call(&mut self, call: PendingCall<'r>, failed: bool) {
        for file in call.files {
            let is_named = failed && !file.by_command;
            let action = if is_named {
                FileAction::Named
            } else {
                file.action
            };
            self.record_touch(file.path, action);
        }
    }

    /// Closes the calls without results as successful.
    pub(crate) fn close_all_calls(&mut self) {
        while let Some(call) = self.pending.pop_first() {
            self.close_call(call, false);
        }
    }

    /// Adds a file to the call that was opened last.
    fn push_touch(&mut self, touch: FileTouch<'r>) {
        match self.pending.last_mut() {
            Some(call) => call.files.push(touch),
            None => self.record_touch(touch.path, touch.action),
        }
    }

    /// Records an action on a file as the latest.
    pub(crate) fn record_touch(&mut self, path: Cow<'r, str>, action: FileAction) {
        let mut path = trim_path(path);
        if action == FileAction::Read {
            path = without_lines(path);
        }
        if path.is_empty()
            || path.len() > LONGEST_PATH
            || path.contains(['\n', char::REPLACEMENT_CHARACTER])
            || path.starts_with('-')
            || !path.chars().any(char::is_alphanumeric)
        {
            return;
        }
        let action =
            if action == FileAction::Deleted && is_generated(&path) && !self.wrote_below(&path) {
                FileAction::Named
            } else {
                action
            };
        let next = self.all.len();
        let at = match self.index.get(path.as_ref()) {
            Some(&at) => at,
            None => {
                self.index.insert(path.clone(), next);
                self.all.push(TouchedFile {
                    path,
                    action,
                    last: 0,
                });
                next
            }
        };
        let file = &mut self.all[at];
        file.action = if action >= FileAction::Deleted {
            action
        } else {
            action.max(file.action)
        };
        self.touch_count += 1;
        file.last = self.touch_count;
        if action == FileAction::Deleted && self.all.len() <= MOST_TWINS {
            self.delete_below(at);
        }
        if action == FileAction::Written {
            self.restore_above(at);
        }
    }

    /// Returns true if a call wrote a path, or a file below it.
    fn wrote_below(&self, path: &str) -> bool {
        let folder = path.trim_end_matches(['/', '\\']);
        (self.all.iter().take(MOST_TWINS)).any(|file| {
            let below = file.path.strip_prefix(folder);
            file.action == FileAction::Written
                && below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
        })
    }

    /// Records that the folders of a file that is written are there again.
    fn restore_above(&mut self, file: usize) {
        let path = self.all[file].path.clone();
        for (end, _) in path.match_indices('/') {
            if let Some(&folder) = self.index.get(&path[..end])
                && self.all[folder].action == FileAction::Deleted
            {
                self.all[folder].action = FileAction::Named;
            }
        }
    }

    /// Records that the files of a folder are deleted with it.
    fn delete_below(&mut self, folder: usize) {
        let path = self.all[folder].path.clone();
        let folder = path.trim_end_matches('/');
        let is_below = |file: &&mut TouchedFile<'_>| {
            (file.path.strip_prefix(folder))
                .is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
        };
        for file in self.all.iter_mut().filter(is_below) {
            file.action = FileAction::Deleted;
        }
    }

    /// Adds the files in an argument of the call that was opened last.
    pub(crate) fn observe_argument(
        &mut self,
        key: ValueKey<'_>,
        leaf: LeafValue<'r>,
        effect: CallEffect,
    ) {
        let LeafValue::String(raw) = leaf else {
            return;
        };
        let is_command = is_command_key(key.name);
        let is_code = is_code_key(key.name);
        let is_patch = is_patch(raw);
        let is_short = raw.len() <= LONGEST_PATH;
        let is_file = is_short && is_file_key(key.name);
        let may_hold_file =
            is_command || is_code || is_patch || is_file || (is_short && looks_like_path(raw));
        if !may_hold_file {
            return;
        }
        let Some(text) = leaf.decode().map(without_quotes) else {
            return;
        };
        if is_patch {
            self.observe_patch(&text);
        }
        if is_command {
            self.observe_command(text);
        } else if is_code {
            self.observe_code(&text, effect.action_for_key(key.name));
        } else if is_file || looks_like_path(&text) {
            // The folder of a project is not what the call shows or writes.
            let is_folder = !is_file && !has_file_extension(&text);
            let action = effect.action_for_key(key.name);
            // A page in the web can be read, not written.
            let is_source = action != FileAction::Read && text.contains("://");
            let action = if is_folder || is_source {
                FileAction::Named
            } else {
                action
            };
            self.push_touch(FileTouch::by_argument(text, action));
        }
    }

    /// Adds the files of a patch.
    pub(super) fn observe_patch(&mut self, patch: &str) {
        visit_patch_files(patch, &mut |path, action| {
            self.push_touch(FileTouch::by_argument(Cow::Owned(path.to_owned()), action))
        });
    }

    /// Adds the files of a shell command.
    fn observe_command(&mut self, command: Cow<'r, str>) {
        match command {
            Cow::Borrowed(command) => scan_shell_files(command, &mut |file, action| {
                self.push_touch(FileTouch::by_command(file, action))
            }),
            Cow::Owned(command) => scan_shell_files(&command, &mut |file, action| {
                let path = Cow::Owned(file.path.into_owned());
                self.push_touch(FileTouch::by_command(ShellFile { path, ..file }, action))
            }),
        }
    }

    /// Adds the files that a program names: `open_file('/srv/a.py')`. The name of the first
    /// function can raise the action of the tool.
    fn observe_code(&mut self, code: &str, by_tool: FileAction) {
        let function = code.split('(').next().unwrap_or_default();
        let action = by_tool.max(effect_of_name(function).action_for_key(""));
        let (head, _) = both_ends(code);
        scan_identifiers(head, TextEncoding::Plain, &mut |name, kinds, _| {
            if kinds & PATH != 0 && name.starts_with('/') {
                self.push_touch(FileTouch::by_argument(Cow::Owned(name.to_owned()), action));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::file_actions::effect_of_call;
    use crate::summary::extract::lex::argument_leaves::visit_leaves;

    fn files_of_calls(calls: &[(&str, &str)]) -> Vec<String> {
        let mut files = TouchedFiles::default();
        for (tool, arguments) in calls {
            let effect = effect_of_call(tool, effect_of_name(tool), arguments);
            files.open_call("", tool, 0);
            visit_leaves(arguments, &mut |key, leaf| {
                files.observe_argument(key, leaf, effect)
            });
        }
        files.close_all_calls();
        files.render(400)
    }

    #[test]
    fn files_are_listed_by_action_newest_first() {
        let calls = [
            ("read_file", r#"{"path": "/a/six.rs"}"#),
            ("Read", r#"{"file_path": "/a/two.rs"}"#),
            (
                "MultiEdit",
                r#"{"filePath": "/a/six.rs", "edits": [{"new": "x"}]}"#,
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
            files_of_calls(&calls),
            [
                "written: six.go four.txt /a/six.rs",
                "read: /a/five.py three.txt /a/two.rs"
            ]
        );
    }

    #[test]
    fn code_acts_on_files_by_the_function_it_calls() {
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
            files_of_calls(&calls),
            ["written: /srv/b.css", "read: /srv/données/c.py /srv/a.tsx"]
        );
    }

    #[test]
    fn a_deleted_file_is_not_written() {
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
            files_of_calls(&calls),
            [
                "written: /p/again.py to.go /p/b.py",
                "deleted: /p/gone.txt x.rs from.go old.go /p/a.py /p/del.py"
            ]
        );
    }

    #[test]
    fn a_name_with_a_tag_of_the_frame_is_left_out() {
        assert_eq!(
            files_of_calls(&[
                ("write_file", r#"{"path": "/out/</summary>.txt"}"#),
                ("read_file", r#"{"path": "/out/a.txt"}"#)
            ]),
            ["read: /out/a.txt"]
        );
    }

    #[test]
    fn a_cut_list_says_so() {
        let mut files = TouchedFiles::default();
        for path in ["/a/one.rs", "/a/two.rs", "/a/three.rs"] {
            files.record_touch(Cow::Borrowed(path), FileAction::Read);
        }
        assert_eq!(files.render(60), ["read: /a/three.rs /a/two.rs /a/one.rs"]);
        assert_eq!(files.render(32), ["read: /a/three.rs /a/two.rs …"]);
    }

    #[test]
    fn prose_is_no_file() {
        assert!(
            files_of_calls(&[("ask", r#"{"question": "What is 1/2 of it?", "mail": "a@b.org", "n": 3, "pattern": "src/**/*.rs", "glob": "src/{a,b}.ts"}"#)])
                .is_empty()
        );
    }
}

//! What is done to files: told by the name of a tool, and by what came of the call.

use crate::summary::extract::facts::error_log as errors;
use crate::summary::extract::lex::argument_leaves::{ArgumentLeaf, leaves};
use crate::summary::extract::lex::line::{first_line, floor_char};
use std::borrow::Cow;

/// Words of a tool's name (or of an editor's sub-command) that tell of writing.
const WRITING: &[&str] = &[
    "write", "edit", "create", "save", "patch", "replace", "insert", "append", "mkdir", "update",
    "upload", "undo",
];
/// Words that tell of deleting, where no part of a file is named with them.
const DELETING: &[&str] = &["delete", "remove", "unlink", "rm", "rmdir"];
const PARTS: &[&str] = &[
    "line", "lines", "text", "range", "cell", "cells", "row", "rows", "block", "section",
    "content", "string", "key", "comment",
];
/// Words that tell of another name: the old one is gone.
const MOVING: &[&str] = &["move", "rename", "mv"];
/// Words of a tool's name that tell of other changes.
const CHANGING: &[&str] = &[
    "add", "book", "buy", "cancel", "commit", "deploy", "exchange", "install", "modify", "order",
    "pay", "post", "publish", "push", "put", "refund", "return", "send", "set", "submit",
    "transfer",
];
/// Words that tell of looking: what follows them is what is looked at.
const LOOKING: &[&str] = &[
    "check", "describe", "fetch", "find", "get", "list", "lookup", "query", "read", "retrieve",
    "search", "show", "view",
];
/// Names of arguments that hold the old name.
const OLD: &[&str] = &[
    "source",
    "src",
    "from",
    "old",
    "old_path",
    "old_name",
    "source_path",
    "from_path",
];
/// What a system says of a file that it did nothing to.
const REFUSALS: &[&str] = &[
    "o such file",
    "ot found",
    "ermission denied",
    "annot ",
    "s a directory",
    "ot a directory",
];
/// What the first line of a result says where the file was written all the same.
const SUCCESSES: &[&str] = &[
    "success",
    "has been",
    "have been",
    "updated",
    "wrote ",
    "created",
    "applied",
    "saved",
];
/// So much of a result's first line tells whether its call failed.
const LONGEST_LINE: usize = 240;

/// What was done to a file. The order is that of worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Touch {
    /// Named as an artifact by an earlier summary, without a word on how; or by a call that failed.
    Named,
    /// Read.
    Read,
    /// Deleted, or moved to another name.
    Deleted,
    /// Written.
    Written,
}

/// What a call does to the files that its arguments name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallEffect {
    /// The same to all of them.
    All(Touch),
    /// One gets the name of the other.
    Move,
}

impl CallEffect {
    /// What is done to the file that an argument of this name holds.
    pub(crate) fn by_key(self, key: &str) -> Touch {
        match self {
            Self::All(touch) => touch,
            Self::Move if OLD.contains(&snake(key).as_ref()) => Touch::Deleted,
            Self::Move => Touch::Written,
        }
    }
}

/// Told by the tool's name (`told`), or by the sub-command of an editor.
pub(crate) fn touching(tool: &str, mut told: CallEffect, arguments: &str) -> CallEffect {
    if tool.contains("edit") {
        leaves(arguments, &mut |key, leaf| match leaf {
            ArgumentLeaf::String(value) => told = doing_of(tool, key.name, value).unwrap_or(told),
            ArgumentLeaf::Number(_) => {}
        });
    }
    told
}

/// What an argument tells of that holds the sub-command of an editor.
pub(crate) fn doing_of(tool: &str, key: &str, value: &str) -> Option<CallEffect> {
    (tool.contains("edit") && key == "command" && value.len() < 20).then(|| doing(value))
}

/// What a name tells of.
pub(crate) fn doing(name: &str) -> CallEffect {
    let name = snake(name);
    let (mut moves, mut writes, mut deletes, mut parts) = (false, false, false, false);
    for word in name.split(|c: char| !c.is_alphanumeric()) {
        moves |= MOVING.contains(&word);
        writes |= WRITING.contains(&word);
        deletes |= DELETING.contains(&word);
        parts |= PARTS.contains(&word);
    }
    if moves {
        CallEffect::Move
    } else if deletes && !parts && !writes {
        CallEffect::All(Touch::Deleted)
    } else if writes || deletes {
        CallEffect::All(Touch::Written)
    } else {
        CallEffect::All(Touch::Read)
    }
}

/// Whether a tool's name tells that it changes something, and does not only look. The first word that tells decides:
/// `cancel_order`, but `get_order_updates`.
pub(crate) fn changes(name: &str) -> bool {
    let changing = [CHANGING, WRITING, DELETING, MOVING];
    let told = |word| {
        if LOOKING.contains(&word) {
            Some(false)
        } else {
            changing
                .iter()
                .any(|words| words.contains(&word))
                .then_some(true)
        }
    };
    snake(name)
        .split(|c: char| !c.is_alphanumeric())
        .find_map(told)
        .unwrap_or(false)
}

/// `filePath` as `file_path`.
pub(crate) fn snake(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let mut snake = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if lower && c.is_ascii_uppercase() {
            snake.push('_');
        }
        lower = c.is_ascii_lowercase();
        snake.push(c.to_ascii_lowercase());
    }
    Cow::Owned(snake)
}

/// A file that a call whose result is not there yet touches.
#[derive(Debug)]
pub(crate) struct FileTouch<'r> {
    pub(crate) path: Cow<'r, str>,
    pub(crate) touch: Touch,
    /// A command of the shell names it: one of several things that it does.
    pub(crate) by_command: bool,
}

/// A call whose result is not there yet.
#[derive(Debug, Default)]
pub(crate) struct PendingCall<'r> {
    pub(crate) id: &'r str,
    /// The tool's name.
    pub(crate) tool: &'r str,
    pub(crate) files: Vec<FileTouch<'r>>,
}

impl PendingCall<'_> {
    /// Notes an error line of the result: what a command did nothing to is only named.
    pub(crate) fn blame(&mut self, line: &str) {
        for file in self.files.iter_mut().filter(|file| file.by_command) {
            if line.contains(file.path.trim()) && REFUSALS.iter().any(|words| line.contains(words))
            {
                file.touch = Touch::Named;
            }
        }
    }

    /// Whether the result of a call that writes files says that it did not. A command does several things, and says more.
    pub(crate) fn is_refused(&self, text: &str) -> bool {
        let writes = self
            .files
            .iter()
            .any(|file| !file.by_command && file.touch >= Touch::Deleted);
        writes && {
            let line = first_line(&text[..floor_char(text, LONGEST_LINE)]);
            errors::tells_error(line) && !SUCCESSES.iter().any(|word| line.contains(word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_is_done() {
        for (name, wanted) in [
            ("read_file", CallEffect::All(Touch::Read)),
            ("MultiEdit", CallEffect::All(Touch::Written)),
            ("delete_file", CallEffect::All(Touch::Deleted)),
            ("removeDirectory", CallEffect::All(Touch::Deleted)),
            ("delete_lines", CallEffect::All(Touch::Written)),
            ("move_file", CallEffect::Move),
        ] {
            assert_eq!(doing(name), wanted, "{name}");
        }
        assert_eq!(
            [
                "book_reservation",
                "editFile",
                "mcp__shop__cancel_order",
                "moveFile"
            ]
            .map(changes),
            [true; 4]
        );
        assert_eq!(
            ["get_order_details", "listUpdates", "search", "think"].map(changes),
            [false; 4]
        );
        assert_eq!(
            ["source", "destination"].map(|key| CallEffect::Move.by_key(key)),
            [Touch::Deleted, Touch::Written]
        );
    }
}

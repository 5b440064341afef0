//! The folder that a shell is in while its command runs, and the files below it.

use super::file_actions::FileAction;
use std::borrow::Cow;

/// A file that a shell command names.
pub(crate) struct ShellFile<'l> {
    /// The path, with the folder that the command changed to before.
    pub(crate) path: Cow<'l, str>,
    /// Number of bytes of the path that are this folder's.
    pub(crate) folder_length: usize,
}

/// The folder that a shell is in, as far as its command tells.
#[derive(Debug, Default)]
pub(super) struct ShellFolder {
    /// The folder with a separator behind it. Empty for the one that the shell began in.
    prefix: String,
    /// The command changed to a folder that it does not tell.
    pub(super) is_unknown: bool,
    /// The folders outside of the parentheses that are open.
    outer: Vec<(String, bool)>,
}

impl ShellFolder {
    /// Takes note of a change to a folder.
    pub(super) fn change(&mut self, to: &str) {
        let is_plain =
            !to.is_empty() && !to.starts_with(['-', '~', '.']) && !to.contains(is_special);
        if !is_plain && !is_on_drive(to) {
            return self.lose();
        }
        if !is_relative(to) {
            self.prefix.clear();
            self.is_unknown = false;
        }
        self.prefix.push_str(to.trim_end_matches('/'));
        self.prefix.push('/');
    }

    /// Takes note of a change to a folder that the command does not tell.
    pub(super) fn lose(&mut self) {
        self.prefix.clear();
        self.is_unknown = true;
    }

    /// Takes note of parentheses: behind them the shell is where it was before.
    pub(super) fn observe_operator(&mut self, operator: &str) {
        for c in operator.chars() {
            match c {
                '(' => self.outer.push((self.prefix.clone(), self.is_unknown)),
                ')' => {
                    if let Some(outer) = self.outer.pop() {
                        (self.prefix, self.is_unknown) = outer;
                    }
                }
                _ => {}
            }
        }
    }

    /// Reports an action on a file. In an unknown folder a relative path names some file.
    pub(super) fn report<'l>(
        &self,
        path: &'l str,
        action: FileAction,
        found: &mut impl FnMut(ShellFile<'l>, FileAction),
    ) {
        let is_lost = self.is_unknown && is_relative(path);
        let action = if is_lost { FileAction::Named } else { action };
        found(self.file(path), action);
    }

    fn file<'l>(&self, path: &'l str) -> ShellFile<'l> {
        if self.prefix.is_empty() || !is_relative(path) {
            return ShellFile {
                path: Cow::Borrowed(path),
                folder_length: 0,
            };
        }
        self.file_of(path.to_owned())
    }

    /// Returns a file by its path from where the shell is.
    pub(super) fn file_of<'l>(&self, path: String) -> ShellFile<'l> {
        let is_below = !self.prefix.is_empty() && is_relative(&path);
        let prefix = if is_below { self.prefix.as_str() } else { "" };
        let name = path.strip_prefix("./").unwrap_or(&path);
        ShellFile {
            folder_length: prefix.len(),
            path: Cow::Owned(format!("{prefix}{name}")),
        }
    }
}

/// Returns true for a path that begins in the folder that the shell is in.
fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '~', '$']) && !path.starts_with("..") && !is_on_drive(path)
}

/// Returns true for a path of Windows: `C:\srv\a.gd`.
pub(super) fn is_on_drive(word: &str) -> bool {
    matches!(word.as_bytes(), [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Returns true for blanks and for characters with a meaning to the shell.
pub(super) fn is_special(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '$' | '*' | '?' | '=' | '{' | '}' | '`' | '\\' | ',' | '"' | '\'' | '!' | '%'
        )
}

//! Calls that wait for their results, with the files that they touch.

use super::error_lines::has_error_line;
use super::file_actions::FileAction;
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lexicon::{REFUSALS, SUCCESSES};
use std::borrow::Cow;

/// Maximum length in bytes of the first line of a result that is searched for an error.
const LONGEST_LINE: usize = 240;

/// A file that a pending call touches.
#[derive(Debug)]
pub(crate) struct FileTouch<'r> {
    pub(crate) path: Cow<'r, str>,
    pub(crate) action: FileAction,
    /// A shell command names the file, among other things that it does.
    pub(crate) by_command: bool,
}

/// A call that waits for its result.
#[derive(Debug, Default)]
pub(crate) struct PendingCall<'r> {
    /// The id of the call. Empty if the log has none.
    pub(crate) id: &'r str,
    /// The name of the tool.
    pub(crate) tool: &'r str,
    pub(crate) files: Vec<FileTouch<'r>>,
}

impl PendingCall<'_> {
    /// Takes note of an error line of the result: a file of a command counts as named if the line
    /// refuses it.
    pub(crate) fn observe_error_line(&mut self, line: &str) {
        for file in self.files.iter_mut().filter(|file| file.by_command) {
            if line.contains(file.path.trim())
                && REFUSALS.iter().any(|refusal| line.contains(refusal))
            {
                file.action = FileAction::Named;
            }
        }
    }

    /// Returns true if the first line of the result says that a call that writes files did not.
    /// Files of a command don't count: it does several things and prints more.
    pub(crate) fn is_refused(&self, result: &str) -> bool {
        let writes = self
            .files
            .iter()
            .any(|file| !file.by_command && file.action >= FileAction::Deleted);
        if !writes {
            return false;
        }
        let line = first_line(&result[..floor_char(result, LONGEST_LINE)]);
        has_error_line(line) && !SUCCESSES.iter().any(|success| line.contains(success))
    }
}

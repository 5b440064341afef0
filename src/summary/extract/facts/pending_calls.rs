//! Calls that wait for their results, with the files that they touch.

use super::error_lines::has_error_line;
use super::file_actions::FileAction;
use super::shell_folder::ShellFile;
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lexicon::outcome_words::{
    CODE_EXTENSIONS, MISSING_FILES, REFUSALS, SUCCESSES,
};
use aho_corasick::AhoCorasick;
use hashbrown::HashMap;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;

/// The number of files of a call that are searched for one after the other.
const FEW_FILES: usize = 16;
/// The number of pending calls that are looked at one after the other.
const FEW_CALLS: usize = 16;
/// Maximum length in bytes of the first line of a result that is searched for an error.
const LONGEST_LINE: usize = 240;

/// Number of lines at the start of a result that say that a file is missing.
const FIRST_LINES: usize = 3;

/// A file that a pending call touches.
#[derive(Debug)]
pub(crate) struct FileTouch<'r> {
    pub(crate) path: Cow<'r, str>,
    pub(crate) action: FileAction,
    /// A shell command names the file, among other things that it does.
    pub(crate) by_command: bool,
    /// Number of bytes of the path that are the folder's that the command changed to.
    pub(crate) folder_length: usize,
}

impl<'r> FileTouch<'r> {
    /// Returns the touch of a file that an argument names.
    pub(crate) fn by_argument(path: Cow<'r, str>, action: FileAction) -> Self {
        Self {
            path,
            action,
            by_command: false,
            folder_length: 0,
        }
    }

    /// Returns the touch of a file that a shell command names.
    pub(crate) fn by_command(file: ShellFile<'r>, action: FileAction) -> Self {
        Self {
            path: file.path,
            action,
            by_command: true,
            folder_length: file.folder_length,
        }
    }

    /// Returns the path as the call names it.
    fn named(&self) -> &str {
        self.path[self.folder_length..].trim()
    }
}

/// A call that waits for its result.
#[derive(Debug, Default)]
pub(crate) struct PendingCall<'r> {
    /// The id of the call. Empty if the log has none.
    pub(crate) id: &'r str,
    /// The name of the tool.
    pub(crate) tool: &'r str,
    pub(crate) files: Vec<FileTouch<'r>>,
    /// Index of the exchange.
    pub(crate) exchange: usize,
    /// The search for the paths of many files, once it was needed.
    pub(crate) search: OnceCell<Option<AhoCorasick>>,
}

/// Notes that a command only named a file.
fn name_only(file: &mut FileTouch<'_>) {
    if file.by_command {
        file.action = FileAction::Named;
    }
}

/// The calls that wait for their results, in order.
#[derive(Debug, Default)]
pub(crate) struct PendingCalls<'r> {
    /// The calls, with gaps where one was answered.
    calls: VecDeque<Option<PendingCall<'r>>>,
    /// The number of calls that left the front.
    passed: usize,
    /// The numbers of the calls with each id, if there are many calls.
    by_id: Option<HashMap<&'r str, VecDeque<usize>>>,
}

impl<'r> PendingCalls<'r> {
    /// Adds a call behind the others.
    pub(crate) fn push(&mut self, call: PendingCall<'r>) {
        if let Some(by_id) = &mut self.by_id {
            let number = self.passed + self.calls.len();
            by_id.entry(call.id).or_default().push_back(number);
        }
        self.calls.push_back(Some(call));
    }

    /// Returns the last call.
    pub(crate) fn last_mut(&mut self) -> Option<&mut PendingCall<'r>> {
        // Mostly the call was opened just before.
        self.calls.iter_mut().rev().flatten().next()
    }

    /// Returns the call of an exchange.
    pub(crate) fn of_exchange(&self, exchange: usize) -> Option<&PendingCall<'r>> {
        (self.calls.iter().rev().flatten()).find(|call| call.exchange == exchange)
    }

    /// Removes the call of an exchange.
    pub(crate) fn take_exchange(&mut self, exchange: usize) -> Option<PendingCall<'r>> {
        let is_wanted = |call: &Option<PendingCall<'_>>| {
            call.as_ref().is_some_and(|call| call.exchange == exchange)
        };
        let at = self.calls.iter().position(is_wanted)?;
        self.remove_at(at)
    }

    /// Removes the first call.
    pub(crate) fn pop_first(&mut self) -> Option<PendingCall<'r>> {
        self.remove_at(0)
    }

    /// Removes the first call with this id.
    pub(crate) fn take(&mut self, id: &str) -> Option<PendingCall<'r>> {
        if self.calls.len() <= FEW_CALLS {
            let has_id =
                |call: &Option<PendingCall<'_>>| call.as_ref().is_some_and(|call| call.id == id);
            let at = self.calls.iter().position(has_id)?;
            return self.remove_at(at);
        }
        let calls = &self.calls;
        let passed = self.passed;
        let by_id = self.by_id.get_or_insert_with(|| {
            let mut by_id: HashMap<&str, VecDeque<usize>> = HashMap::new();
            for (at, call) in calls.iter().enumerate() {
                if let Some(call) = call {
                    by_id.entry(call.id).or_default().push_back(passed + at);
                }
            }
            by_id
        });
        let numbers = by_id.get_mut(id)?;
        loop {
            let at = numbers.pop_front()?.checked_sub(passed);
            // Others left without their ids.
            if let Some(at) = at.filter(|at| self.calls[*at].is_some()) {
                return self.remove_at(at);
            }
        }
    }

    fn remove_at(&mut self, at: usize) -> Option<PendingCall<'r>> {
        let call = self.calls.get_mut(at)?.take();
        while let Some(None) = self.calls.front() {
            self.calls.pop_front();
            self.passed += 1;
        }
        if self.calls.is_empty() {
            self.by_id = None;
        }
        call
    }
}

impl PendingCall<'_> {
    /// Returns true if the call only shows files of source code. What another file tells, a program may have
    /// met.
    pub(crate) fn shows_source_code(&self) -> bool {
        let is_written = |file: &FileTouch<'_>| {
            let name = file.path.trim_end();
            let extension = name
                .rsplit(['/', '\\'])
                .next()
                .and_then(|name| name.rsplit_once('.'));
            file.action == FileAction::Read
                && !file.by_command
                && extension.is_some_and(|(_, extension)| CODE_EXTENSIONS.contains(&extension))
        };
        !self.files.is_empty() && self.files.iter().all(is_written)
    }

    /// Forgets the only file of a call that failed if the result says that there is none.
    pub(crate) fn forget_missing(&mut self, result: &str) {
        let is_said = |line: &str| MISSING_FILES.iter().any(|words| line.contains(words));
        if result.lines().take(FIRST_LINES).any(is_said) {
            self.files
                .retain(|file| file.by_command || file.action != FileAction::Read);
        }
    }

    /// Takes note of an error line of the result: a file of a command counts as named if the line
    /// refuses it.
    pub(crate) fn observe_error_line(&mut self, line: &str) {
        if self.files.is_empty() || !REFUSALS.iter().any(|refusal| line.contains(refusal)) {
            return;
        }
        if self.files.len() > FEW_FILES
            && let Some(search) = self
                .search
                .get_or_init(|| AhoCorasick::new(self.files.iter().map(FileTouch::named)).ok())
        {
            // One search for all files.
            let found: Vec<usize> = search
                .find_overlapping_iter(line)
                .map(|found| found.pattern().as_usize())
                .collect();
            for file in found {
                name_only(&mut self.files[file]);
            }
            return;
        }
        let mut is_source_missing = false;
        for file in &mut self.files {
            if line.contains(file.named()) {
                is_source_missing |= file.by_command && file.action == FileAction::Deleted;
                name_only(file);
            }
        }
        // What could not be moved is nowhere else.
        if is_source_missing {
            self.files.iter_mut().for_each(name_only);
        }
    }

    /// Takes note of a call that was not made: its files are only named.
    pub(crate) fn refuse(&mut self) {
        for file in &mut self.files {
            file.action = FileAction::Named;
        }
    }

    /// Takes note of a call that printed nothing of what it should read: these files are only named.
    pub(crate) fn forget_reads(&mut self) {
        for file in &mut self.files {
            if file.action == FileAction::Read {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(ids: &[&'static str]) -> PendingCalls<'static> {
        let mut calls = PendingCalls::default();
        for id in ids {
            calls.push(PendingCall {
                id,
                ..PendingCall::default()
            });
        }
        calls
    }

    /// The same calls are taken as from a plain list, whatever the order and the number.
    #[test]
    fn calls_are_taken_by_id_and_by_order() {
        let ids = ["a", "b", "a", "c", "", "b", "d"];
        let mut random = fastrand::Rng::with_seed(3);
        for repeats in [1, 2, 30] {
            let all: Vec<&str> = ids
                .iter()
                .copied()
                .cycle()
                .take(ids.len() * repeats)
                .collect();
            let (mut calls, mut list) = (pending(&all), all);
            while !list.is_empty() {
                let wanted = ids[random.usize(..ids.len())];
                let (taken, expected) = if wanted.is_empty() {
                    (calls.pop_first(), Some(0))
                } else {
                    let at = list.iter().position(|id| *id == wanted);
                    (calls.take(wanted), at)
                };
                let expected = expected.map(|at| list.remove(at));
                assert_eq!(taken.map(|call| call.id), expected);
                assert_eq!(calls.last_mut().map(|call| call.id), list.last().copied());
                if random.u8(..) < 40 {
                    calls.push(PendingCall {
                        id: "e",
                        ..PendingCall::default()
                    });
                    list.push("e");
                }
                if list.iter().all(|id| *id == "e") {
                    break;
                }
            }
        }
    }

    #[test]
    fn refused_files_are_found_among_many() {
        for count in [FEW_FILES, FEW_FILES + 1] {
            let files = (0..count).map(|at| FileTouch {
                path: Cow::Owned(format!("/f{at}.rs")),
                action: FileAction::Read,
                by_command: at != 3,
                folder_length: 0,
            });
            let mut call = PendingCall {
                files: files.collect(),
                ..PendingCall::default()
            };
            call.observe_error_line("cat: /f2.rs: No such file or directory, /f3.rs too");
            call.observe_error_line("/f5.rs is long");
            let named: Vec<usize> = (0..count)
                .filter(|at| call.files[*at].action == FileAction::Named)
                .collect();
            assert_eq!(named, [2]);
        }
    }
}

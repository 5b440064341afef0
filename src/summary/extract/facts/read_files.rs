//! Collects what the files that were read hold: an agent that goes on must know where to look.

use super::exchanges::Exchange;
use super::fact::{Fact, FactKind};
use super::file_actions::FileAction;
use super::file_outlines::{OutlineItem, outline_of};
use super::passages::{KeptLines, TaskWords};
use super::path_ends::{distinct_name, file_name};
use super::touched_files::TouchedFiles;
use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lex::result_text::read_result_start;
use hashbrown::HashSet;

/// Maximum length in bytes of the outline of a file, and of its longer form.
const LONGEST_LINE: usize = 120;
const LONGEST_WIDE_LINE: usize = 420;
/// Maximum number of bytes of a result that are read.
const LONGEST_READ: usize = 48 * 1024;
/// Minimum number of items of an outline.
const LEAST_ITEMS: usize = 2;
/// The worth of the outline of a file, what the newest one is worth more, and what each word is that its name
/// or its items share with the requests.
const OUTLINE_WORTH: i32 = 500;
const RECENCY_WORTH: i32 = 500;
const WORD_WORTH: i32 = 120;
/// Commands behind which a file may be another one.
const MOVING: [&str; 8] = [
    "git checkout",
    "git switch",
    "git restore",
    "git reset",
    "git stash",
    "git pull",
    "git mv",
    "git merge",
];
/// Maximum number of parts of a file that are read.
const MOST_PARTS: usize = 8;
/// Between the items of an outline.
const BETWEEN: &str = ", ";

/// The files that were read, oldest first.
#[derive(Debug, Default)]
pub(crate) struct ReadFiles<'r> {
    all: Vec<FileRead<'r>>,
}

/// A file, or a part of it, that a call printed.
#[derive(Debug)]
struct FileRead<'r> {
    path: String,
    /// Index of the message that holds the result.
    message: usize,
    result: &'r str,
}

impl FileRead<'_> {
    fn name(&self) -> &str {
        file_name(&self.path)
    }
}

/// What outlines are written with.
pub(crate) struct OutlineScope<'s, 'r> {
    pub(crate) exchanges: &'s [Exchange<'r>],
    pub(crate) files: &'s TouchedFiles<'r>,
    /// The words of the requests.
    pub(crate) words: &'s TaskWords,
    /// The lines of the messages that stay.
    pub(crate) kept: &'s KeptLines,
    pub(crate) message_count: usize,
    /// Index of the message that begins the work for the newest request.
    pub(crate) phase: usize,
    /// Maximum number of files.
    pub(crate) most: usize,
}

impl<'r> ReadFiles<'r> {
    /// Records that message number `message` shows a file.
    pub(super) fn observe(&mut self, path: &str, message: usize, result: &'r str) {
        let name = file_name(path.trim());
        let is_shown =
            name.contains('.') && !name.contains(char::is_whitespace) && !has_frame_tag(name);
        if is_shown {
            self.all.push(FileRead {
                path: path.trim().to_owned(),
                message,
                result,
            });
        }
    }

    /// Returns what the files hold that were read for the newest request, at most `most` of them. A file that
    /// was written or is gone has none.
    pub(crate) fn outlines(&self, scope: &OutlineScope<'_, 'r>) -> Vec<Fact> {
        // Another branch, or another name, may hold other lines.
        let moved = scope.exchanges.iter().rfind(|call| call.runs_any(&MOVING));
        let since = scope.phase.max(moved.map_or(0, |call| call.message));
        let mut seen = HashSet::new();
        let mut facts = Vec::new();
        for read in self.all.iter().rev() {
            if read.message < since || facts.len() >= scope.most {
                break;
            }
            let is_new = seen.insert(read.path.as_str());
            let name = read.name();
            // What was written, the edits tell.
            let is_told = scope.kept.hold_start_of(read.result)
                || scope.files.is_gone(name)
                || scope.files.action_of(name) == Some(FileAction::Written);
            if is_new && !is_told {
                facts.extend(self.outline(read, scope, since));
            }
        }
        facts
    }

    /// Returns the outline of the file of a read, with what other reads of it showed.
    fn outline(
        &self,
        read: &FileRead<'r>,
        scope: &OutlineScope<'_, 'r>,
        since: usize,
    ) -> Option<Fact> {
        let name = read.name();
        let mut items: Vec<OutlineItem> = Vec::new();
        let mut seen = HashSet::new();
        let same = self.all.iter().filter(|other| other.path == read.path);
        let parts = same.filter(|part| part.message >= since);
        for part in parts.take(MOST_PARTS) {
            let result = read_result_start(part.result, LONGEST_READ);
            let outlined = outline_of(name, &result.text).into_iter();
            items.extend(outlined.filter(|item| seen.insert(item.text.clone())));
        }
        items.sort_by_key(|item| item.line);
        if items.len() < LEAST_ITEMS {
            return None;
        }
        let paths = self.all.iter().map(|other| other.path.as_str());
        let shown = distinct_name(&read.path, paths);
        let text = shown_outline(shown, &items, LONGEST_LINE);
        let longer = shown_outline(shown, &items, LONGEST_WIDE_LINE);
        let recency = (read.message + 1) * RECENCY_WORTH as usize / scope.message_count.max(1);
        Some(Fact {
            kind: FactKind::Outline,
            worth: OUTLINE_WORTH
                + i32::try_from(recency).unwrap_or(0)
                + WORD_WORTH * scope.words.shared_with(&longer),
            longer: (longer.len() > text.len()).then_some(longer),
            text,
            order: read.message,
            heading: None,
            is_pinned: false,
        })
    }
}

/// Writes the items of a file on a line of at most `most` bytes.
fn shown_outline(name: &str, items: &[OutlineItem], most: usize) -> String {
    let mut line = format!("{name}:");
    for (number, item) in items.iter().enumerate() {
        let separator = if number == 0 { " " } else { BETWEEN };
        let at = item
            .line
            .map(|line| format!(" L{line}"))
            .unwrap_or_default();
        if line.len() + separator.len() + item.text.len() + at.len() > most {
            line.push_str(CLIP_MARK);
            break;
        }
        line.push_str(separator);
        line.push_str(&item.text);
        line.push_str(&at);
    }
    line
}

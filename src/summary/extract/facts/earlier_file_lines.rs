//! Reads the lines of an earlier summary that list files.

use super::earlier_lines::joins_words;
use super::earlier_reader::SummaryReader;
use super::fact::FactKind;
use super::file_actions::FileAction;
use super::path_roots::read_path;
use crate::summary::extract::labels::ROOT;
use crate::summary::extract::lex::clip::OMISSION;
use crate::summary::extract::lex::identifier_kinds::PATH;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::value_keys::ValueKey;
use std::borrow::Cow;

impl<'r> SummaryReader<'_, 'r> {
    /// Reads a line of files.
    pub(super) fn read_files(&mut self, line: &'r str) {
        if let Some(root) = line.strip_prefix(ROOT) {
            self.root = Some(root);
            return;
        }
        let labels = [
            ("written: ", FileAction::Written),
            ("deleted: ", FileAction::Deleted),
            ("read: ", FileAction::Read),
            ("named: ", FileAction::Named),
        ];
        for (label, action) in labels {
            if let Some(paths) = line.strip_prefix(label) {
                let mut files = Vec::new();
                for shown in paths.split_whitespace().filter(|path| *path != OMISSION) {
                    let below = self.root.and_then(|root| read_path(root, shown));
                    files.push(below.map_or(Cow::Borrowed(shown), Cow::Owned));
                }
                // The newest file stands first and is recorded last.
                for path in files.into_iter().rev() {
                    self.sink.files.record_touch(path, action);
                }
                return;
            }
        }
        // Others write below a file what it holds and why.
        if !self.is_ours && tells_of_file(line) {
            self.summary.facts.push_line(FactKind::Earlier, line);
        }
        scan_identifiers(line, TextEncoding::Plain, &mut |identifier, kinds, _| {
            if kinds & PATH == 0 || joins_words(identifier) {
                self.sink
                    .observe_reference(identifier, kinds, ValueKey::NONE);
            } else {
                self.sink
                    .files
                    .record_touch(Cow::Borrowed(identifier), self.listed);
            }
        });
    }
}

/// Returns true for a line below the name of a file: it does not begin with a path, and says something.
fn tells_of_file(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_path = first.trim_matches(['`', '*', ':']).contains(['/', '\\']);
    !is_path && line.split_whitespace().count() >= LEAST_WORDS
}

/// Minimum number of words of such a line.
const LEAST_WORDS: usize = 4;

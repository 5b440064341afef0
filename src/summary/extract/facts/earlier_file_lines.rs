//! Reads the lines of an earlier summary that list files.

use super::earlier_lines::joins_words;
use super::earlier_reader::SummaryReader;
use super::fact::FactKind;
use super::file_actions::FileAction;
use super::path_roots::{listed_paths, read_path};
use crate::summary::extract::labels::ROOT;
use crate::summary::extract::lex::clip::OMISSION;
use crate::summary::extract::lex::identifier_kinds::{PATH, has_file_extension};
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
                for shown in listed_paths(paths).filter(|path| *path != OMISSION) {
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
        if !self.is_ours
            && let Some(path) = path_with_blanks(line)
        {
            let path = Cow::Borrowed(path);
            self.sink.files.record_touch(path, self.listed);
            return;
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

/// Returns the path that is all of a line, if a folder of it has a blank in its name: `/Volumes/My Disk/a.rs`.
fn path_with_blanks(line: &str) -> Option<&str> {
    let path = line.trim_start_matches(['-', '*', ' ']).trim_matches('`');
    let (start, rest) = path.split_once(' ')?;
    let is_path = path.starts_with('/')
        && !has_file_extension(start)
        && rest.contains('/')
        && has_file_extension(path)
        && !path.contains([',', ':', '(', '`'])
        && !rest.split(' ').any(|word| word.starts_with('/'));
    is_path.then_some(path)
}

/// Returns true for a line below the name of a file: it does not begin with a path, and says something.
fn tells_of_file(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_path = first.trim_matches(['`', '*', ':']).contains(['/', '\\']);
    !is_path && line.split_whitespace().count() >= LEAST_WORDS
}

/// Minimum number of words of such a line.
const LEAST_WORDS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_a_path_with_blanks() {
        for path in ["/Volumes/Mia's Disk/v2/a.ts", "/srv/My Mill/b/c.rs"] {
            assert_eq!(path_with_blanks(&format!("- `{path}`")), Some(path));
        }
        for line in [
            "/src/a.rs and src/b.rs",
            "/srv/a.rs",
            "/mill stands in /srv/b.rs",
            "/mill turns",
            "See My Mill/b.rs",
        ] {
            assert_eq!(path_with_blanks(line), None, "{line}");
        }
    }
}

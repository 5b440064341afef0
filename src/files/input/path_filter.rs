//! The files and directories below a named directory that are read: patterns of the user's, and
//! hidden directories.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A pattern of paths that can't be understood.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct GlobError(#[from] ignore::Error);

/// Returns an error if a pattern, spelled as in `.gitignore`, can't be understood.
pub(crate) fn check_glob(pattern: &str) -> Result<(), GlobError> {
    GitignoreBuilder::new("").add_line(None, pattern)?;
    Ok(())
}

/// The user's choice of what is read below a named directory. What is named itself is always read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PathRules {
    /// True if links are followed. Who can write into the directory can otherwise have any file of
    /// the user read.
    pub follow_links: bool,
    /// If not empty, only files that match one of these patterns are read. Patterns are checked by
    /// [`check_glob`].
    pub include: Vec<String>,
    /// Files and directories that match one of these patterns are left out.
    pub exclude: Vec<String>,
    /// True if hidden directories are entered.
    pub hidden: bool,
}

/// The rules of paths, with their patterns compiled.
#[derive(Debug, Clone)]
pub(super) struct PathFilter {
    /// If not empty, only files that match are read.
    included: Gitignore,
    excluded: Gitignore,
    enters_hidden: bool,
    is_everything: bool,
}

impl PathFilter {
    pub(super) fn new(rules: &PathRules) -> Self {
        Self {
            included: compile_globs(&rules.include),
            excluded: compile_globs(&rules.exclude),
            enters_hidden: rules.hidden,
            is_everything: false,
        }
    }

    /// A filter that lets everything pass.
    pub(super) fn everything() -> Self {
        Self {
            included: Gitignore::empty(),
            excluded: Gitignore::empty(),
            enters_hidden: true,
            is_everything: true,
        }
    }

    /// Returns true if it is that of a directory which a run wrote.
    pub(super) fn passes_everything(&self) -> bool {
        self.is_everything
    }

    /// Returns true if a file is read, by its path below the named directory.
    pub(super) fn accepts_file(&self, relative_path: &Path) -> bool {
        let is_included = || {
            let matched = self.included.matched_path_or_any_parents(relative_path, false);
            matched.is_ignore()
        };
        (self.included.is_empty() || is_included())
            && !self.excluded.matched(relative_path, false).is_ignore()
    }

    /// Returns true if a directory is left out by a pattern.
    pub(super) fn excludes_directory(&self, relative_path: &Path) -> bool {
        self.excluded.matched(relative_path, true).is_ignore()
    }

    /// Returns true if a directory is left out because it is hidden.
    pub(super) fn hides(&self, relative_path: &Path) -> bool {
        let name = relative_path.file_name().unwrap_or_default();
        !self.enters_hidden && name.as_encoded_bytes().starts_with(b".")
    }
}

/// Compiles patterns. One that can't be understood was refused before.
fn compile_globs(patterns: &[String]) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        let _ = builder.add_line(None, pattern);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(include: &[&str], exclude: &[&str]) -> PathFilter {
        let owned = |patterns: &[&str]| -> Vec<String> {
            patterns.iter().map(|pattern| (*pattern).to_owned()).collect()
        };
        PathFilter::new(&PathRules {
            include: owned(include),
            exclude: owned(exclude),
            ..PathRules::default()
        })
    }

    #[test]
    fn a_file_must_match_an_included_pattern_and_no_excluded_one() {
        for (include, exclude, path, accepted) in [
            (&[][..], &[][..], "a/b.jsonl", true),
            (&["*.jsonl"], &[], "a/b.jsonl", true),
            (&["*.jsonl"], &[], "a/b.json", false),
            (&["a/"], &[], "a/c/b.json", true),
            (&["/b.json"], &[], "a/b.json", false),
            (&["a/**/b.json"], &[], "a/c/d/b.json", true),
            (&[], &["b.*"], "a/b.json", false),
            (&["*.json"], &["b.*", "!b.json"], "a/b.json", true),
        ] {
            let filter = filter(include, exclude);
            assert_eq!(
                filter.accepts_file(Path::new(path)),
                accepted,
                "{include:?} {exclude:?} {path}"
            );
        }
    }

    #[test]
    fn directories_are_left_out_by_patterns_or_as_hidden() {
        let filter = filter(&["*.jsonl"], &["old/"]);
        assert!(filter.excludes_directory(Path::new("a/old")));
        assert!(!filter.excludes_directory(Path::new("a/older")));
        assert!(filter.hides(Path::new("a/.git")) && !filter.hides(Path::new("a/git")));
        assert!(!PathFilter::everything().hides(Path::new(".git")));
    }

    #[test]
    fn a_pattern_that_cannot_be_understood_is_refused() {
        assert!(check_glob("[z-a]").is_err());
        assert!(check_glob("a/*.jsonl").is_ok());
    }
}

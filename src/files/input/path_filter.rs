//! The files and directories below a named directory that are read: patterns of the user's, hidden
//! directories, and the files that agents and exports put beside conversations and that hold none.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
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
    pub(super) is_everything: bool,
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

/// Files of an export of Claude.ai, beside its conversations.
const EXPORT: &str = "conversations.json";
const BESIDE_EXPORT: [&str; 4] =
    ["users.json", "memories.json", "projects.json", "design_chats.json"];

/// Returns true if a file below a named directory is known to hold no conversation. `has_sibling`
/// tells whether another file is in its directory.
pub(super) fn is_side_file(path: &Path, has_sibling: impl Fn(&str) -> bool) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let mut folders = path.iter().rev().skip(1).filter_map(OsStr::to_str);
    let folder = folders.next().unwrap_or_default();
    match name {
        // Claude Code: what a sub-agent is, and the state of a workflow.
        _ if name.ends_with(".meta.json") => true,
        "journal.jsonl" => folder.starts_with("wf_"),
        _ if folder == "workflows" => name.starts_with("wf_") && name.ends_with(".json"),
        _ => BESIDE_EXPORT.contains(&name) && has_sibling(EXPORT),
    }
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

    #[test]
    fn files_beside_conversations_are_told_by_their_names() {
        let side = |path: &str, exported| is_side_file(Path::new(path), |_| exported);
        for path in [
            "p/s/subagents/agent-1.meta.json",
            "p/s/workflows/wf_1.json",
            "p/s/subagents/workflows/wf_1/journal.jsonl",
        ] {
            assert!(side(path, false), "{path}");
        }
        for path in ["p/s.jsonl", "p/wf_1.json", "logs/journal.jsonl", "users.json"] {
            assert!(!side(path, false), "{path}");
        }
        assert!(side("export/users.json", true) && !side("export/conversations.json", true));
    }
}

//! Finds the lines that say what an edit changed.

use hashbrown::HashSet;

/// Minimum number of letters and digits in a line that says something.
const LEAST_WORDS: usize = 3;
/// The openings of the parts of an edit that is written as search and replacement.
const SEARCH_OPENINGS: [&str; 2] = ["------- SEARCH", "<<<<<<< SEARCH"];
const REPLACE_OPENING: &str = "=======";
const REPLACE_ENDS: [&str; 2] = ["+++++++ REPLACE", ">>>>>>> REPLACE"];

/// A line that an edit added or took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EditedLine<'t> {
    /// Before the line in a summary.
    pub(super) mark: &'static str,
    pub(super) text: &'t str,
}

impl EditedLine<'_> {
    /// Returns true for a line that the edit added.
    pub(super) fn is_added(&self) -> bool {
        self.mark == ADDED
    }
}

/// The openings of a line that only names what another file defines, and of a comment.
const PASSING_OPENINGS: [&str; 10] = [
    "import ", "from ", "use ", "using ", "#include", "# ", "//", "/*", "* ", "\"\"\"",
];

/// Before a line that an edit added, and before one that it took away.
const ADDED: &str = "+ ";
const REMOVED: &str = "- ";

/// Returns true if the line of a call shows what an edit changed.
pub(super) fn shows_change(call_line: &str) -> bool {
    [ADDED, REMOVED]
        .iter()
        .any(|mark| memchr::memmem::find_iter(call_line.as_bytes(), mark).any(|at| at > 0))
}

/// Returns the first lines of the new text that the old one lacks, else the first that are gone, at most
/// `most`.
pub(super) fn lines_between<'t>(old: &'t str, new: &'t str, most: usize) -> Vec<EditedLine<'t>> {
    let added = lines_beside(new.lines(), old.lines(), ADDED, most);
    if added.is_empty() {
        return lines_beside(old.lines(), new.lines(), REMOVED, most);
    }
    added
}

/// Returns the first lines that a patch adds, else the first that it takes away, at most `most`.
pub(super) fn lines_of_patch(patch: &str, most: usize) -> Vec<EditedLine<'_>> {
    if SEARCH_OPENINGS
        .iter()
        .any(|opening| patch.contains(opening))
    {
        return lines_of_replacement(patch, most);
    }
    let marked = |mark: char| {
        patch
            .lines()
            .filter(|line| !line.starts_with("+++") && !line.starts_with("---"))
            .filter_map(move |line| line.strip_prefix(mark))
    };
    let added = lines_beside(marked('+'), marked('-'), ADDED, most);
    if added.is_empty() {
        return lines_beside(marked('-'), marked('+'), REMOVED, most);
    }
    added
}

/// Returns the lines that a patch takes away, imports too, without blanks around them, at most `most`.
pub(super) fn lines_taken_by_patch(patch: &str, most: usize) -> Vec<&str> {
    let marked = |mark: char| {
        let lines = patch.lines();
        lines.filter_map(move |line| line.strip_prefix(mark))
    };
    lines_taken(marked('-'), marked('+'), most)
}

/// Returns the lines of the old text that the new one lacks, imports too, without blanks around them, at most
/// `most`.
pub(super) fn lines_taken<'t>(
    old: impl Iterator<Item = &'t str>,
    new: impl Iterator<Item = &'t str>,
    most: usize,
) -> Vec<&'t str> {
    let new: HashSet<&str> = new.map(words_of).collect();
    let taken = old.filter(|line| !new.contains(words_of(line)));
    taken.map(str::trim).take(most).collect()
}

/// Returns the first lines that the first search and replacement of an edit changes.
fn lines_of_replacement(edit: &str, most: usize) -> Vec<EditedLine<'_>> {
    let (mut searched, mut replacing) = (Vec::new(), Vec::new());
    let mut is_replacing = false;
    for line in edit.lines() {
        let trimmed = line.trim();
        if REPLACE_ENDS.contains(&trimmed) {
            break;
        } else if trimmed == REPLACE_OPENING {
            is_replacing = true;
        } else if SEARCH_OPENINGS.contains(&trimmed) {
            searched.clear();
        } else if is_replacing {
            replacing.push(line);
        } else {
            searched.push(line);
        }
    }
    let (old, new) = (searched.iter().copied(), replacing.iter().copied());
    let added = lines_beside(new.clone(), old.clone(), ADDED, most);
    if added.is_empty() {
        return lines_beside(old, new, REMOVED, most);
    }
    added
}

/// Returns the first lines with words that stand in one text and not in the other, also not with another
/// mark at their ends, at most `most`. An import or a comment counts only if there is nothing else.
fn lines_beside<'t>(
    lines: impl Iterator<Item = &'t str>,
    others: impl Iterator<Item = &'t str>,
    mark: &'static str,
    most: usize,
) -> Vec<EditedLine<'t>> {
    let mut found = Vec::new();
    let mut passing = None;
    let others: HashSet<&str> = others.map(words_of).collect();
    for line in lines {
        let is_new = line.chars().filter(|c| c.is_alphanumeric()).count() >= LEAST_WORDS
            && !others.contains(words_of(line));
        if !is_new {
            continue;
        }
        let text = line.trim();
        let edited = EditedLine { mark, text };
        if PASSING_OPENINGS
            .iter()
            .any(|opening| text.starts_with(opening))
        {
            passing.get_or_insert(edited);
            continue;
        }
        found.push(edited);
        if found.len() >= most {
            break;
        }
    }
    if found.is_empty() {
        found.extend(passing);
    }
    found
}

/// Returns a line without blanks around it and marks at its end.
fn words_of(line: &str) -> &str {
    line.trim().trim_end_matches([',', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(lines: &[EditedLine<'_>]) -> String {
        let lines = lines
            .iter()
            .map(|line| format!("{}{}", line.mark, line.text));
        lines.collect::<Vec<_>>().join("|")
    }

    fn line_between(old: &'static str, new: &'static str) -> Vec<EditedLine<'static>> {
        lines_between(old, new, 1)
    }

    #[test]
    fn the_first_new_line_says_what_an_edit_changed() {
        assert_eq!(
            written(&line_between("a()\nend", "a()\n\nlet b = 1;\nend")),
            "+ let b = 1;"
        );
        assert_eq!(
            written(&line_between("old()\nend", "end")),
            "- old()",
            "nothing is added"
        );
        assert_eq!(written(&line_between("same", "same")), "");
        assert_eq!(
            written(&lines_between(
                "a()",
                "a()\nlet b = 1;\n\nlet c = 2;\nlet d = 3;",
                2
            )),
            "+ let b = 1;|+ let c = 2;"
        );
        assert_eq!(
            written(&line_between(
                "f(\n  a=1\n)",
                "import x\nf(\n  a=1,\n  b=222\n)"
            )),
            "+ b=222"
        );
        assert_eq!(written(&line_between("", "import x")), "+ import x");
        assert_eq!(
            written(&line_between("a()", "a()\n# then b\nbeta(1)")),
            "+ beta(1)"
        );
    }

    #[test]
    fn patches_and_replacements_are_read() {
        let patch =
            "*** Begin Patch\n*** Update File: a.rs\n@@\n-let x = 1;\n+let x = 2;\n*** End Patch";
        assert_eq!(written(&lines_of_patch(patch, 1)), "+ let x = 2;");
        let unified = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-gone()\n ok";
        assert_eq!(written(&lines_of_patch(unified, 1)), "- gone()");
        let replacement =
            "------- SEARCH\nfirst\n=======\nfirst\nsecond\n+++++++ REPLACE\n------- SEARCH\nx";
        assert_eq!(written(&lines_of_patch(replacement, 1)), "+ second");
        assert_eq!(written(&lines_of_patch("no patch", 1)), "");
    }
}

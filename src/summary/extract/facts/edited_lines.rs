//! Finds the line that says what an edit changed.

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

/// Returns the first line of the new text that the old one lacks, else the first that is gone.
pub(super) fn line_between<'t>(old: &'t str, new: &'t str) -> Option<EditedLine<'t>> {
    first_beside(new.lines(), old.lines(), ADDED)
        .or_else(|| first_beside(old.lines(), new.lines(), REMOVED))
}

/// Returns the first line that a patch adds, else the first that it takes away.
pub(super) fn line_of_patch(patch: &str) -> Option<EditedLine<'_>> {
    if SEARCH_OPENINGS
        .iter()
        .any(|opening| patch.contains(opening))
    {
        return line_of_replacement(patch);
    }
    let marked = |mark: char| {
        patch
            .lines()
            .filter(|line| !line.starts_with("+++") && !line.starts_with("---"))
            .filter_map(move |line| line.strip_prefix(mark))
    };
    first_beside(marked('+'), marked('-'), ADDED)
        .or_else(|| first_beside(marked('-'), marked('+'), REMOVED))
}

/// Returns the first line that the first search and replacement of an edit changes.
fn line_of_replacement(edit: &str) -> Option<EditedLine<'_>> {
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
    first_beside(new.clone(), old.clone(), ADDED).or_else(|| first_beside(old, new, REMOVED))
}

/// Returns the first line with words that stands in one text and not in the other, also not with
/// another mark at its end. An import or a comment counts only if there is nothing else.
fn first_beside<'t>(
    lines: impl Iterator<Item = &'t str>,
    others: impl Iterator<Item = &'t str>,
    mark: &'static str,
) -> Option<EditedLine<'t>> {
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
        if !PASSING_OPENINGS
            .iter()
            .any(|opening| text.starts_with(opening))
        {
            return Some(edited);
        }
        passing.get_or_insert(edited);
    }
    passing
}

/// Returns a line without blanks around it and marks at its end.
fn words_of(line: &str) -> &str {
    line.trim().trim_end_matches([',', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: Option<EditedLine<'_>>) -> String {
        line.map_or_else(String::new, |line| format!("{}{}", line.mark, line.text))
    }

    #[test]
    fn the_first_new_line_says_what_an_edit_changed() {
        assert_eq!(
            written(line_between("a()\nend", "a()\n\nlet b = 1;\nend")),
            "+ let b = 1;"
        );
        assert_eq!(
            written(line_between("old()\nend", "end")),
            "- old()",
            "nothing is added"
        );
        assert_eq!(written(line_between("same", "same")), "");
        assert_eq!(
            written(line_between(
                "f(\n  a=1\n)",
                "import x\nf(\n  a=1,\n  b=222\n)"
            )),
            "+ b=222"
        );
        assert_eq!(written(line_between("", "import x")), "+ import x");
        assert_eq!(
            written(line_between("a()", "a()\n# then b\nbeta(1)")),
            "+ beta(1)"
        );
    }

    #[test]
    fn patches_and_replacements_are_read() {
        let patch =
            "*** Begin Patch\n*** Update File: a.rs\n@@\n-let x = 1;\n+let x = 2;\n*** End Patch";
        assert_eq!(written(line_of_patch(patch)), "+ let x = 2;");
        let unified = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-gone()\n ok";
        assert_eq!(written(line_of_patch(unified)), "- gone()");
        let replacement =
            "------- SEARCH\nfirst\n=======\nfirst\nsecond\n+++++++ REPLACE\n------- SEARCH\nx";
        assert_eq!(written(line_of_patch(replacement)), "+ second");
        assert_eq!(written(line_of_patch("no patch")), "");
    }
}

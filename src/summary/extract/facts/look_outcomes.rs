//! Tells what a look showed in part: the first hits of a search, the files with the most hits, the first
//! names of a list.

use super::call_outcomes::{LINE_END, fold_outcome};
use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::result_text::result_lines;
use std::cmp::Reverse;

/// The most that is shown of a look, in bytes.
pub(super) struct LookLimits {
    /// Of the hits of a search.
    hits: usize,
    /// Of a list of names.
    names: usize,
}

/// Where other facts need the room, and where none does.
pub(super) const NARROW_LOOK: LookLimits = LookLimits {
    hits: 110,
    names: 64,
};
pub(super) const WIDE_LOOK: LookLimits = LookLimits {
    hits: 360,
    names: 300,
};

/// Minimum length in bytes of the part that is left of a line.
const LEAST_LEFT: usize = 24;

/// Returns what a look showed in part. Empty for data, which says nothing in part.
pub(super) fn shown_by_look(text: &str, limits: &LookLimits) -> String {
    most_hits(text, limits).unwrap_or_else(|| first_lines(text, limits))
}

/// Returns the files in which a search found something and the number of hits, most first: `a.py (3
/// matches)`. Files of prose stand last. Returns `None` if a result is no such list.
fn most_hits(text: &str, limits: &LookLimits) -> Option<String> {
    let mut files: Vec<HitCount<'_>> = result_lines(text).filter_map(HitCount::of).collect();
    // A result may tell of several searches.
    let total = result_lines(text)
        .next()
        .filter(|line| line.contains(" matches"))?;
    if files.len() < LEAST_HIT_FILES {
        return None;
    }
    files.sort_by_key(|file| (file.is_prose(), Reverse(file.hits)));
    let mut shown = fold_outcome(total, limits.hits);
    let mut left = limits.hits.max(LEAST_HIT_ROOM);
    for file in files {
        let line = fold_outcome(file.line, limits.hits);
        if line.len() > left {
            break;
        }
        left -= line.len();
        shown.push_str(LINE_END);
        shown.push_str(&line);
    }
    shown.push_str(CLIP_MARK);
    Some(shown)
}

/// A file in a list of searched files.
struct HitCount<'t> {
    line: &'t str,
    hits: usize,
}

impl<'t> HitCount<'t> {
    /// Reads a line like `src/a.py (3 matches)`.
    fn of(line: &'t str) -> Option<Self> {
        let (_, count) = line.strip_suffix(" matches)")?.rsplit_once(" (")?;
        let hits = count.parse().ok()?;
        Some(Self { line, hits })
    }

    /// Returns true if the file holds prose.
    fn is_prose(&self) -> bool {
        [".md ", ".rst ", ".txt "]
            .iter()
            .any(|end| self.line.contains(end))
    }
}

/// Number of files from which on those with most hits are shown, and the least room for them in bytes.
const LEAST_HIT_FILES: usize = 3;
const LEAST_HIT_ROOM: usize = 130;

/// Returns the first lines of what a look showed: names of files, hits of a search. Empty for data,
/// which says nothing in part.
fn first_lines(text: &str, limits: &LookLimits) -> String {
    let mut shown = String::new();
    let mut limit = limits.names;
    for line in result_lines(text) {
        if shown.is_empty() && line.starts_with(['{', '[', '<']) {
            break;
        }
        let line = listed_name(line);
        // What was fetched says nothing of the project.
        if line.contains(FETCHED) && line.len() > FETCHED.len() {
            continue;
        }
        if line.starts_with(LISTED_TOTAL) || line.starts_with('.') && line.len() < LEAST_NAME {
            continue;
        }
        // The number of a hit, and a sentence before what follows, say nothing.
        let announces = line.ends_with(':') && line.split(' ').count() >= LEAST_SENTENCE;
        if line.starts_with(HIT_NUMBER) || (announces && !shown.is_empty()) {
            limit = limits.hits;
            continue;
        }
        // Where the list has room for few names, its long head says least.
        let is_head = line.len() >= LONG_HEAD && line.ends_with(':') && shown.is_empty();
        if is_head && result_lines(text).nth(1).is_some() {
            limit = limits.hits;
            continue;
        }
        if shown.is_empty() && line.contains([':', ' ']) {
            limit = limits.hits;
        }
        let separator = if shown.is_empty() { "" } else { LINE_END };
        let left = limit.saturating_sub(shown.len() + separator.len());
        if left < line.len().min(LEAST_LEFT) {
            shown.push_str(CLIP_MARK);
            break;
        }
        let line = fold_outcome(line, left);
        if line.is_empty() {
            continue;
        }
        // The head of what is left out says nothing.
        if !shown.is_empty() && line.ends_with(':') {
            if !shown.ends_with(CLIP_MARK) {
                shown.push_str(CLIP_MARK);
            }
            break;
        }
        shown.push_str(separator);
        shown.push_str(&line);
        if shown.ends_with(CLIP_MARK) {
            break;
        }
    }
    shown
}

/// The folder of what a package manager fetched.
const FETCHED: &str = "node_modules";
/// Before the number of a hit of AutoCodeRover, and the number of words that make a sentence.
const HIT_NUMBER: &str = "Search result ";
const LEAST_SENTENCE: usize = 4;
/// Length in bytes from which on the head of a list is long.
const LONG_HEAD: usize = 48;

/// Returns the name in a line of `ls -l`, or the line.
fn listed_name(line: &str) -> &str {
    let is_listed = line.len() > MODE_LENGTH
        && line
            .bytes()
            .take(MODE_LENGTH)
            .all(|byte| b"-dlrwxstTS".contains(&byte));
    match line.rsplit_once(' ') {
        Some((_, name)) if is_listed => name,
        _ => line,
    }
}

/// The first line of `ls -l`, and the length in bytes from which on a name is more than `..`.
const LISTED_TOTAL: &str = "total ";
const LEAST_NAME: usize = 3;
/// Length in bytes of the mode of a file.
const MODE_LENGTH: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_with_most_hits_go_first_and_prose_last() {
        let text = "Found 80 matches for \"pump\" in /srv:\n/srv/CHANGELOG.md (40 matches)\n/srv/a.rs (3 matches)\n/srv/b.rs (37 matches)";
        assert_eq!(
            shown_by_look(text, &NARROW_LOOK),
            "Found 80 matches for \"pump\" in /srv: ⏎ /srv/b.rs (37 matches) ⏎ /srv/a.rs (3 matches) ⏎ /srv/CHANGELOG.md (40 matches) …"
        );
        // The result of several calls may begin with another.
        let other = text.replace("80 matches", "2 pumps");
        assert!(!shown_by_look(&other, &NARROW_LOOK).contains("b.rs (37 matches) ⏎ /srv/a.rs"));
    }

    #[test]
    fn the_head_of_a_list_gives_way_to_its_names() {
        let text = "Found 1 matches for \"a-long-name-of-a-pump.rs\" in /srv/house:\n/srv/house/src/a-long-name-of-a-pump.rs";
        assert_eq!(
            shown_by_look(text, &NARROW_LOOK),
            "/srv/house/src/a-long-name-of-a-pump.rs"
        );
        let hits = "Found 2 pumps:\nSearch result 1:\n<file>a.rs</file>\nSearch result 2:\n<file>b.rs</file>";
        assert_eq!(
            shown_by_look(hits, &NARROW_LOOK),
            "Found 2 pumps: ⏎ <file>a.rs</file> ⏎ <file>b.rs</file>"
        );
    }

    #[test]
    fn what_a_package_manager_fetched_is_not_shown() {
        let listed = "./node_modules/pump/index.js\n./src/pump.js\n./node_modules/wheel/a.js\n";
        assert_eq!(shown_by_look(listed, &NARROW_LOOK), "./src/pump.js");
    }
}

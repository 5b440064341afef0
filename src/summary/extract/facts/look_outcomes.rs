//! Tells what a look showed in part: the first hits of a search, the files with the most hits, the first
//! names of a list.

use super::folded_outcomes::{LINE_END, fold_outcome};
use super::path_ends::shorten_paths;
use super::search_hits::{HitCount, counts_hits, ends_hits, opens_body, plain_hit};
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

/// Returns the files in which a search found something and the number of hits, most first: `a.py (3)`.
/// Files of tests stand behind others, those of prose last. Returns `None` if a result is no such list.
fn most_hits(text: &str, limits: &LookLimits) -> Option<String> {
    // A result may tell of several searches.
    result_lines(text).next().filter(|line| counts_hits(line))?;
    let below = result_lines(text).skip_while(|line| counts_hits(line));
    let mut files: Vec<HitCount<'_>> = below.map_while(HitCount::of).collect();
    if files.len() < LEAST_HIT_FILES {
        return None;
    }
    files.sort_by_key(|file| (file.is_prose(), file.is_test(), Reverse(file.hits)));
    let mut shown = String::new();
    let mut left = limits.hits.max(LEAST_HIT_ROOM);
    let count = files.len();
    for file in files {
        let line = format!("{} ({})", shorten_paths(&file.name), file.hits);
        if line.len() > left {
            shown.push_str(CLIP_MARK);
            return Some(shown);
        }
        left -= line.len();
        let separator = if shown.is_empty() { "" } else { LINE_END };
        shown.push_str(separator);
        shown.push_str(&line);
    }
    // Behind the list stands something else.
    if result_lines(text).filter(|line| !counts_hits(line)).count() > count {
        shown.push_str(CLIP_MARK);
    }
    Some(shown)
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
        let hit = plain_hit(listed_name(line));
        let line = hit.as_ref();
        if shown.is_empty() && line.starts_with(['{', '[', '<']) {
            break;
        }
        // What was fetched says nothing of the project.
        if line.contains(FETCHED) && line.len() > FETCHED.len() {
            continue;
        }
        if line.starts_with(LISTED_TOTAL) || line.starts_with('.') && line.len() < LEAST_NAME {
            continue;
        }
        // What was looked for, the call says, and a sentence before what follows says nothing.
        let announces = line.ends_with(':') && line.split(' ').count() >= LEAST_SENTENCE;
        let announces = announces && !shown.is_empty() && !opens_body(line);
        let counts = counts_hits(line) && result_lines(text).nth(1).is_some();
        if line.is_empty() || counts || ends_hits(line) || announces {
            limit = limits.hits;
            continue;
        }
        // Where the list has room for few names, its long head says least.
        let is_head =
            line.len() >= LONG_HEAD && line.ends_with(':') && shown.is_empty() && !opens_body(line);
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
        if !shown.is_empty() && line.ends_with(':') && !opens_body(&line) {
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
/// The number of words that make a sentence.
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
            "/srv/b.rs (37) ⏎ /srv/a.rs (3) ⏎ /srv/CHANGELOG.md (40)"
        );
        // The result of several calls may begin with another.
        let other = format!("A pump is in /srv.\n{text}");
        assert!(!shown_by_look(&other, &NARROW_LOOK).contains("b.rs (37) ⏎ /srv/a.rs"));
    }

    #[test]
    fn the_head_of_a_list_gives_way_to_its_names() {
        let text = "Found 1 matches for \"a-long-name-of-a-pump.rs\" in /srv/house:\n/srv/house/src/a-long-name-of-a-pump.rs";
        assert_eq!(
            shown_by_look(text, &NARROW_LOOK),
            "/srv/house/src/a-long-name-of-a-pump.rs"
        );
        let hits = "Found 2 classes:\nSearch result 1:\n<file>a.rs</file>\nSearch result 2:\n<file>b.rs</file>";
        assert_eq!(shown_by_look(hits, &NARROW_LOOK), "a.rs ⏎ b.rs");
    }

    #[test]
    fn all_hits_of_a_search_are_shown_with_their_code() {
        let hits = "Found 2 matches for \"label\" in /srv/w.py:\nLine 268: def label(self, id_):\nLine 773: return super().label(id_)\nEnd of matches for \"label\" in /srv/w.py\n";
        assert_eq!(
            shown_by_look(hits, &NARROW_LOOK),
            "Line 268: def label(self, id_): ⏎ Line 773: return super().label(id_)"
        );
        let class = "Found 1 classes with name Pump in the codebase.\nSearch result 1: <file>a.py</file> <class>Pump</class> <code>class Pump(Wheel):\n    def run(self):\n";
        assert_eq!(
            shown_by_look(class, &NARROW_LOOK),
            "a.py: class Pump(Wheel): ⏎ def run(self):"
        );
    }

    #[test]
    fn what_a_package_manager_fetched_is_not_shown() {
        let listed = "./node_modules/pump/index.js\n./src/pump.js\n./node_modules/wheel/a.js\n";
        assert_eq!(shown_by_look(listed, &NARROW_LOOK), "./src/pump.js");
    }
}

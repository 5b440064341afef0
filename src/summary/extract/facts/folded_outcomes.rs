//! Folds what came of a call into the line that is shown of it.

use super::path_ends::shorten_paths;
use crate::summary::extract::lex::clip::OMISSION;
use crate::summary::extract::lex::fold::fold_line;

/// Between the lines that a look showed.
pub(super) const LINE_END: &str = " ⏎ ";

/// Folds an outcome into a line of at most `limit` bytes. Returns an empty line if only a mark would
/// be left.
pub(super) fn fold_outcome(line: &str, limit: usize) -> String {
    // Of a value within JSON, what stands behind it says nothing.
    let line = match line.split_once("\"}") {
        Some((value, rest)) if rest.contains('}') => value.trim_start_matches('"'),
        _ => line,
    };
    let folded = fold_line(&shorten_paths(without_rules(line)), limit).into_owned();
    if folded == OMISSION {
        String::new()
    } else {
        folded
    }
}

/// Returns a line without the rules that are drawn around its words: `==== 3 passed in 0.5s ====`.
fn without_rules(line: &str) -> &str {
    let is_drawn = |c: char| matches!(c, '=' | '-' | '─' | '━' | '*' | ' ');
    let begins_drawn = RULES.iter().any(|rule| line.trim_start().starts_with(rule));
    let words = line.trim_matches(is_drawn);
    if begins_drawn && !words.is_empty() {
        words
    } else {
        line
    }
}

/// How a drawn rule begins.
const RULES: [&str; 4] = ["====", "----", "────", "━━━━"];

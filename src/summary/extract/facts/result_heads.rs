//! Tells what stands above the output in a result: titles, the head of a table, the size of a file.

use crate::summary::extract::lex::result_text::result_lines;

/// Before what npm runs.
pub(super) const RUN_MARK: &str = "> ";

/// Returns an output without the lines at its beginning that are printed in any case, unless nothing else is left.
pub(super) fn without_titles<'t>(text: &'t str, is_scripted: &dyn Fn(&str) -> bool) -> &'t str {
    let mut rest = text;
    while let Some((line, behind)) = rest.split_once('\n')
        && (line.trim().is_empty() || is_scripted(line.trim()))
    {
        rest = behind;
    }
    if rest.trim().is_empty() { text } else { rest }
}

/// Returns the rows of a table that a text begins with: its head stands above a rule.
pub(super) fn below_table_head(text: &str) -> &str {
    let text = text.trim_start();
    let rows = text.split_once('\n').and_then(|(_, below)| {
        let (rule, rows) = below.split_once('\n')?;
        is_rule(rule).then_some(rows)
    });
    rows.filter(|rows| result_lines(rows).next().is_some())
        .unwrap_or(text)
}

/// Returns true for a line that is drawn below the head of a table.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let is_drawn = |c: char| matches!(c, '-' | '=' | '─' | '━' | '+' | '|' | ' ' | ':');
    line.len() >= LEAST_RULE && line.chars().all(is_drawn)
}

/// Minimum length in bytes of a rule.
const LEAST_RULE: usize = 8;

/// Returns the size of the file that SWE-agent's editor shows: `513 lines`.
pub(super) fn shown_size(text: &str) -> Option<&str> {
    let first = text
        .lines()
        .take(3)
        .find(|line| line.starts_with("[File: "))?;
    let (_, size) = first.rsplit_once(" (")?;
    size.split_once(" total)").map(|(size, _)| size)
}

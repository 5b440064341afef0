//! Joins lines that were wrapped at some column: half of such a line is half a sentence.

use std::borrow::Cow;

/// Minimum and maximum length in bytes of a line that may have been wrapped.
const LEAST_WRAPPED: usize = 60;
const LONGEST_WRAPPED: usize = 130;
/// The same of a line that was copied from a wide terminal, which indents the next one.
const LONGEST_OF_TERMINAL: usize = 240;
/// How a terminal begins a line that goes on.
const TERMINAL_INDENT: &str = "  ";
/// Number of spaces before a line from which on it is code.
const CODE_INDENT: usize = 4;
/// The opening of a line of a comparison of files.
const DIFF: &str = "diff ";
/// The mark around blocks of code, in which lines stay as they are.
const FENCE: &str = "```";

/// Joins each line of what a user wrote that ends in the middle of a sentence with the one that goes on with it: a long line
/// that ends with a word or a comma, before one that begins with a small letter, perhaps in brackets.
pub(crate) fn join_wrapped(text: &str) -> Cow<'_, str> {
    let mut joined = String::new();
    let mut is_code = false;
    let mut lines = text.split('\n').peekable();
    let mut is_changed = false;
    let mut is_joined = false;
    while let Some(line) = lines.next() {
        is_code ^= line.trim_start().starts_with(FENCE);
        joined.push_str(if is_joined { line.trim_start() } else { line });
        let Some(next) = lines.peek() else { break };
        is_joined = !is_code && is_wrapped(line, longest_before(next)) && goes_on(next);
        is_changed |= is_joined;
        joined.push(if is_joined { ' ' } else { '\n' });
    }
    if is_changed {
        Cow::Owned(joined)
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the maximum length in bytes of a wrapped line before `next`. A short indented line behind a very long
/// one may be an order of its own.
fn longest_before(next: &str) -> usize {
    if next.starts_with(TERMINAL_INDENT) && next.len() >= LEAST_WRAPPED {
        LONGEST_OF_TERMINAL
    } else {
        LONGEST_WRAPPED
    }
}

fn is_wrapped(line: &str, longest: usize) -> bool {
    let line = line.trim_end();
    let text = line.trim_start_matches(' ');
    (LEAST_WRAPPED..=longest).contains(&line.len())
        && line.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '`' | ')'))
        && line.len() - text.len() < CODE_INDENT
        && !text.starts_with(['\t', '|', '#', '>'])
        && !text.starts_with(DIFF)
}

fn goes_on(line: &str) -> bool {
    let text = line.trim();
    let is_sentence = || text.contains(' ') || text.ends_with(['.', '?', '!', ':']);
    line.len() - line.trim_start_matches(' ').len() < CODE_INDENT
        && text
            .strip_prefix('(')
            .unwrap_or(text)
            .starts_with(char::is_lowercase)
        && is_sentence()
}

/// Joins the lines of each paragraph of a document in Markdown, where the end of a line within one means
/// nothing.
pub(crate) fn join_paragraphs(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut is_open = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let opens = trimmed.starts_with(['#', '-', '*', '|', '>', '`', '+'])
            || trimmed.starts_with(|c: char| c.is_ascii_digit());
        if !joined.is_empty() {
            joined.push(if is_open && !opens && !trimmed.is_empty() {
                ' '
            } else {
                '\n'
            });
        }
        joined.push_str(trimmed);
        // Behind a heading or a row of a table stands something else.
        is_open = !trimmed.is_empty() && !trimmed.starts_with(['#', '|', '`']);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_items_stay() {
        let text = "# Pumps\nAll of them\nleak.\n\n- one\n  of two\n- two\n| a |\nend";
        let wanted = "# Pumps\nAll of them leak.\n\n- one of two\n- two\n| a |\nend";
        assert_eq!(join_paragraphs(text), wanted);
    }

    #[test]
    fn only_lines_in_the_middle_of_a_sentence_are_joined() {
        let long = "Is storing the name of the valve in the column of texts a good idea, as it is never used for";
        let text = format!("{long}\nsearch at all?\n{long}\nSearch is slow.");
        let wanted = format!("{long} search at all?\n{long}\nSearch is slow.");
        assert_eq!(join_wrapped(&text), wanted);
        let pasted = format!("  {long}\n  framework.\n\n  {long}\n  framework\n    return of(it)");
        let wanted = format!("  {long} framework.\n\n  {long}\n  framework\n    return of(it)");
        assert_eq!(join_wrapped(&pasted), wanted);
        let wide =
            format!("{long} a search that somebody may begin in a terminal that is much wider");
        assert_eq!(
            join_wrapped(&format!("{wide}\n  than {long}.")),
            format!("{wide} than {long}.")
        );
        let wide_items = format!("{wide}\nthan {long}.\n{wide}\n  drop all doors");
        for text in [
            wide_items.as_str(),
            "a short line\nand another one",
            "",
            &format!("```\n{long}\nsearch at all\n```"),
            &format!("{long}:\nsearch at all"),
        ] {
            assert!(
                matches!(join_wrapped(text), Cow::Borrowed(same) if same == text),
                "{text}"
            );
        }
    }
}

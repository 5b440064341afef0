//! The notice that replaces an evicted result: its path, and a preview of its
//! head and tail. The text is Deep Agents', see `docs/reference/deepagents.md`.

use std::fmt::Write;

/// The lines in the head of a preview, and in its tail.
const PREVIEW_LINES: usize = 5;
/// The longest line in a preview, in code points.
const LINE_CHARS: usize = 1000;

/// The beginning of every notice.
const BEGINNING: &str = "Tool result too large, the result of this tool call ";

/// Returns true if a result, given as a JSON literal, is a notice already. Evicting it would
/// replace the file that it names by a notice.
#[must_use]
pub(crate) fn is_notice(literal: &[u8]) -> bool {
    literal
        .get(1..)
        .is_some_and(|inner| inner.starts_with(BEGINNING.as_bytes()))
}

/// Returns the notice for a result with this text.
#[must_use]
pub(crate) fn render_notice(call_id: &str, path: &str, text: &str) -> String {
    let preview = render_preview(text);
    format!(
        "{BEGINNING}{call_id} was saved in the filesystem at this path: {path}\n\n\
         You can read the result from the filesystem by using the read_file tool, but make sure to only read part of the result at a time.\n\n\
         You can do this by specifying an offset and limit in the read_file tool call. \
         For example, to read the first 100 lines, you can use the read_file tool with offset=0 and limit=100.\n\n\
         Here is a preview showing the head and tail of the result \
         (lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of the content):\n\n{preview}\n"
    )
}

fn render_preview(text: &str) -> String {
    let lines = split_lines(text);
    if lines.len() <= 2 * PREVIEW_LINES {
        return number_lines(&lines, 1);
    }
    let tail = lines.len() - PREVIEW_LINES;
    let omitted = tail - PREVIEW_LINES;
    format!(
        "{}\n... [{omitted} lines truncated] ...\n{}",
        number_lines(&lines[..PREVIEW_LINES], 1),
        number_lines(&lines[tail..], tail + 1)
    )
}

/// Joins the lines, each after its number (six wide) and a tab. Long lines are cut.
fn number_lines(lines: &[&str], first: usize) -> String {
    let mut out = String::new();
    for (offset, line) in lines.iter().enumerate() {
        let cut = line
            .char_indices()
            .nth(LINE_CHARS)
            .map_or(line.len(), |(at, _)| at);
        let joint = if offset > 0 { "\n" } else { "" };
        // Writing to a String can't fail.
        let _ = write!(out, "{joint}{:6}\t{}", first + offset, &line[..cut]);
    }
    out
}

/// Splits a text as Python's `str.splitlines()`: it knows more line ends than Rust, and yields no
/// empty last line.
fn split_lines(text: &str) -> Vec<&str> {
    const ENDS: [char; 10] = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}',
        '\u{2029}',
    ];
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(ENDS) {
        let end = rest[at..].chars().next().map_or(0, char::len_utf8);
        let end = if rest[at..].starts_with("\r\n") {
            2
        } else {
            end
        };
        lines.push(&rest[..at]);
        rest = &rest[at + end..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_python() {
        assert_eq!(
            split_lines("a\r\nb\rc\u{2028}d\u{b}e\n"),
            ["a", "b", "c", "d", "e"]
        );
        assert_eq!(split_lines("\n\n"), ["", ""]);
        assert!(split_lines("").is_empty());
    }

    #[test]
    fn eleven_lines_lose_one_and_long_lines_are_cut() {
        let text: Vec<String> = (0..11).map(|n| n.to_string()).collect();
        let preview = render_preview(&text.join("\n"));
        assert!(
            preview.contains("     5\t4\n... [1 lines truncated] ...\n     7\t6"),
            "{preview}"
        );
        assert_eq!(
            render_preview(&"é".repeat(1001)),
            format!("     1\t{}", "é".repeat(1000))
        );
    }
}

//! The notice that stands for an evicted result: where it is, and a preview of
//! its head and tail (spec: deepagents, section 10).

use std::fmt::Write;

/// Lines of the head, and of the tail.
const PREVIEW_LINES: usize = 5;
/// Code points of a previewed line.
const LINE_CHARS: usize = 1000;

/// How every notice begins.
const BEGINNING: &str = "Tool result too large, the result of this tool call ";

/// Whether a result (its literal) is a notice already: evicting it would put a notice in the place of what it names.
#[must_use]
pub fn is_notice(literal: &[u8]) -> bool {
    literal
        .get(1..)
        .is_some_and(|inner| inner.starts_with(BEGINNING.as_bytes()))
}

/// The notice for a result with this text.
#[must_use]
pub fn notice(call_id: &str, path: &str, text: &str) -> String {
    let preview = preview(text);
    format!(
        "{BEGINNING}{call_id} was saved in the filesystem at this path: {path}\n\n\
         You can read the result from the filesystem by using the read_file tool, but make sure to only read part of the result at a time.\n\n\
         You can do this by specifying an offset and limit in the read_file tool call. \
         For example, to read the first 100 lines, you can use the read_file tool with offset=0 and limit=100.\n\n\
         Here is a preview showing the head and tail of the result \
         (lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of the content):\n\n{preview}\n"
    )
}

fn preview(text: &str) -> String {
    let lines = split_lines(text);
    if lines.len() <= 2 * PREVIEW_LINES {
        return numbered(&lines, 1);
    }
    let tail = lines.len() - PREVIEW_LINES;
    let omitted = tail - PREVIEW_LINES;
    format!(
        "{}\n... [{omitted} lines truncated] ...\n{}",
        numbered(&lines[..PREVIEW_LINES], 1),
        numbered(&lines[tail..], tail + 1)
    )
}

/// Lines with their numbers, six wide, and a tab.
fn numbered(lines: &[&str], first: usize) -> String {
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

/// Python's `str.splitlines()`: more line ends than Rust's, and no empty last line.
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
        let preview = preview(&text.join("\n"));
        assert!(
            preview.contains("     5\t4\n... [1 lines truncated] ...\n     7\t6"),
            "{preview}"
        );
        assert_eq!(
            super::preview(&"é".repeat(1001)),
            format!("     1\t{}", "é".repeat(1000))
        );
    }
}

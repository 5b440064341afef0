//! Skips text that printing puts directly before a name: line numbers of
//! listings and control sequences of terminals.

/// Maximum length in bytes of a line number, and of the blanks before it.
const LONGEST_GUTTER: usize = 12;
/// Maximum distance in bytes to a neighbouring line.
const LONGEST_LINE: usize = 240;
/// Maximum length in bytes of the numbers in a control sequence.
const LONGEST_CONTROL: usize = 16;

/// Returns the start of the run `start..end` behind the number of its line: `1458: code`,
/// `  45→code`, `22|code`. A number counts as a line number if the next line begins with the next
/// number, or the previous line with the previous number. Otherwise returns `start`.
pub(crate) fn skip_line_number(bytes: &[u8], start: usize, end: usize) -> usize {
    let (number, length) = parse_leading_number(&bytes[start..end]);
    let number_end = start + length;
    let mark_length = match &bytes[number_end..] {
        [b':' | b'|' | b'\t', ..] => 1,
        [0xE2, 0x86, 0x92, ..] => "→".len(),
        _ => return start,
    };
    let blanks = bytes[..start]
        .iter()
        .rev()
        .take(LONGEST_GUTTER)
        .take_while(|byte| **byte == b' ')
        .count();
    let before = &bytes[..start - blanks];
    if before.last().is_some_and(|byte| *byte != b'\n') {
        return start;
    }
    if next_line_number(&bytes[number_end..]).is_some_and(|next| next == number + 1)
        || previous_line_number(before) + 1 == number
    {
        (number_end + mark_length).min(end)
    } else {
        start
    }
}

/// Returns the number at the start of the next line. Returns `None` if no line ends nearby.
fn next_line_number(bytes: &[u8]) -> Option<u64> {
    let near = &bytes[..bytes.len().min(LONGEST_LINE)];
    memchr::memchr(b'\n', near).map(|line_end| line_number(&near[line_end + 1..]))
}

/// Returns the number at the start of the last line of `before`, which ends with a line end.
fn previous_line_number(before: &[u8]) -> u64 {
    let line = &before[before.len().saturating_sub(LONGEST_LINE)..before.len().saturating_sub(1)];
    line_number(memchr::memrchr(b'\n', line).map_or(line, |at| &line[at + 1..]))
}

/// Returns the number at the start of a line, or 0 if there is none.
fn line_number(line: &[u8]) -> u64 {
    parse_leading_number(line.trim_ascii_start()).0
}

/// Returns the number at the start of the bytes and its length in bytes.
fn parse_leading_number(bytes: &[u8]) -> (u64, usize) {
    let digits = bytes
        .iter()
        .take(LONGEST_GUTTER)
        .take_while(|byte| byte.is_ascii_digit());
    digits.fold((0, 0), |(value, length), digit| {
        (value * 10 + u64::from(digit - b'0'), length + 1)
    })
}

/// A line without the number that a listing prints before it.
pub(crate) struct NumberedLine<'t> {
    pub(crate) text: &'t str,
    pub(crate) number: Option<usize>,
}

/// Returns the lines of a text, without the numbers that a listing prints before them.
pub(crate) fn numbered_lines(text: &str) -> impl Iterator<Item = NumberedLine<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let end = start + line.len();
        let from = skip_line_number(text.as_bytes(), start + blanks, end);
        let digits = &text[start + blanks..from];
        let is_numbered = !digits.is_empty();
        let number = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
        let shown = &text[if is_numbered { from } else { start }..end];
        start = end;
        NumberedLine {
            text: shown,
            number: number.parse().ok(),
        }
    })
}

/// Returns a text without the numbers that a listing prints before its lines.
pub(crate) fn without_line_numbers(text: &str) -> String {
    numbered_lines(text).map(|line| line.text).collect()
}

/// Returns true if the bytes end with the opening of a control sequence, raw or escaped as in JSON.
pub(crate) fn opens_control_sequence(before: &[u8]) -> bool {
    before.strip_suffix(b"[").is_some_and(|before| {
        before.ends_with(b"\x1b") || before.ends_with(br"\u001b") || before.ends_with(br"\u001B")
    })
}

/// Returns the start of the run `start..end` behind a control sequence that reaches into it:
/// `ESC[1;31mname`. Otherwise returns `start`.
pub(crate) fn skip_control_sequence(bytes: &[u8], start: usize, end: usize) -> usize {
    let before = &bytes[..start];
    let numbers = before
        .iter()
        .rev()
        .take(LONGEST_CONTROL)
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    if !opens_control_sequence(&before[..start - numbers]) {
        return start;
    }
    let letter = start
        + bytes[start..end]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
    // Only a letter of ASCII ends a sequence.
    letter + usize::from(bytes.get(letter).is_some_and(u8::is_ascii_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_control_sequence(text: &str) -> usize {
        let digit = text.find(|c: char| c.is_ascii_digit()).unwrap();
        skip_control_sequence(text.as_bytes(), digit, text.len())
    }

    fn line_number_length(text: &str, number: &str) -> usize {
        let start = text.find(number).unwrap();
        skip_line_number(text.as_bytes(), start, text.len()) - start
    }

    #[test]
    fn a_control_sequence_ends_with_a_letter() {
        assert_eq!(
            [
                "\u{1b}[31mname",
                "\u{1b}[31éname",
                "\u{1b}[31",
                "[31mname",
                "31mname"
            ]
            .map(after_control_sequence),
            [5, 4, 4, 1, 0]
        );
    }

    #[test]
    fn a_line_number_has_neighbours() {
        assert_eq!(line_number_length("145→fn\n146→x", "145"), "145→".len());
        assert_eq!(line_number_length("145→fn\n146→x", "146"), "146→".len());
        assert_eq!(line_number_length("145→fn\n147→x", "145"), 0);
        assert_eq!(line_number_length("see 145: fn\n146: x", "145"), 0);
        assert_eq!(line_number_length("7: a\n8:", "8"), 2);
    }
}

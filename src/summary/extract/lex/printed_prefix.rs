//! What printing puts before a name without a blank between: numbers of lines
//! in listings, control sequences of terminals.

/// Bytes of a line's number in a listing, and of the blanks before it.
const LONGEST_GUTTER: usize = 12;
/// How far behind a line's number the next line is looked for.
const LONGEST_LINE: usize = 240;
/// Bytes of a control sequence's numbers that are looked back over.
const LONGEST_CONTROL: usize = 16;

/// Where the run begins behind the number of its line, as listings show it: `1458: code`, `  45→code`, `22|code`.
/// It is one if the next line begins with the next number, or the line before with the one before.
pub(crate) fn after_line_number(bytes: &[u8], start: usize, end: usize) -> usize {
    let (number, length) = number(&bytes[start..end]);
    let behind = start + length;
    let mark = match &bytes[behind..] {
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
    let is_next = || {
        let line = &bytes[behind..(behind + LONGEST_LINE).min(bytes.len())];
        memchr::memchr(b'\n', line).is_some_and(|length| value(&line[length + 1..]) == number + 1)
    };
    let is_last = || {
        let before =
            &before[before.len().saturating_sub(LONGEST_LINE)..before.len().saturating_sub(1)];
        value(memchr::memrchr(b'\n', before).map_or(before, |at| &before[at + 1..])) + 1 == number
    };
    if is_next() || is_last() {
        (behind + mark).min(end)
    } else {
        start
    }
}

/// The number that a line begins with, 0 for none.
fn value(line: &[u8]) -> u64 {
    number(line.trim_ascii_start()).0
}

/// The number that these bytes begin with, and its length.
fn number(bytes: &[u8]) -> (u64, usize) {
    let digits = bytes
        .iter()
        .take(LONGEST_GUTTER)
        .take_while(|byte| byte.is_ascii_digit());
    digits.fold((0, 0), |(value, length), digit| {
        (value * 10 + u64::from(digit - b'0'), length + 1)
    })
}

/// Whether a control sequence of a terminal begins here, also as JSON escapes it.
pub(crate) fn is_control(before: &[u8]) -> bool {
    before.strip_suffix(b"[").is_some_and(|before| {
        before.ends_with(b"\x1b") || before.ends_with(br"\u001b") || before.ends_with(br"\u001B")
    })
}

/// Where the run begins behind what a terminal's control sequence takes of it: `ESC[1;31mname`.
pub(crate) fn after_control(bytes: &[u8], start: usize, end: usize) -> usize {
    let before = &bytes[..start];
    let numbers = before
        .iter()
        .rev()
        .take(LONGEST_CONTROL)
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    if !is_control(&before[..start - numbers]) {
        return start;
    }
    let letter = start
        + bytes[start..end]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
    // What is no letter of ASCII ends no sequence.
    letter + usize::from(bytes.get(letter).is_some_and(u8::is_ascii_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_sequence_ends_with_a_letter() {
        let behind = |text: &str| {
            after_control(
                text.as_bytes(),
                text.find(|c: char| c.is_ascii_digit()).unwrap(),
                text.len(),
            )
        };
        assert_eq!(
            [
                "\u{1b}[31mname",
                "\u{1b}[31éname",
                "\u{1b}[31",
                "[31mname",
                "31mname"
            ]
            .map(behind),
            [5, 4, 4, 1, 0]
        );
    }

    #[test]
    fn a_number_of_a_line_has_neighbours() {
        let behind = |text: &str, at: &str| {
            let start = text.find(at).unwrap();
            after_line_number(text.as_bytes(), start, text.len()) - start
        };
        assert_eq!(behind("145→fn\n146→x", "145"), "145→".len());
        assert_eq!(behind("145→fn\n146→x", "146"), "146→".len());
        assert_eq!(behind("145→fn\n147→x", "145"), 0);
        assert_eq!(behind("see 145: fn\n146: x", "145"), 0);
        assert_eq!(behind("7: a\n8:", "8"), 2);
    }
}

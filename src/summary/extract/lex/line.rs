//! Text on its way into a summary: folded to one line, unable to break the
//! frame around it, and clipped where no identifier is cut in two.

use crate::json::lanes::{LANES, Lanes, Level, Simd, dispatch};
use crate::summary::LONG_TEXT_END_BYTES;
use std::borrow::Cow;

/// What a clipped text ends with.
const CLIPPED: &str = " …";
/// What begins a control sequence of a terminal, with `[` behind it.
const ESCAPE: char = '\u{1B}';
/// The first letter of the scripts that write without spaces.
const FIRST_WIDE: char = '\u{2E80}';

/// Whether a letter belongs to a script that writes without spaces: any place between two of them is a word boundary.
pub(crate) fn is_wide(c: char) -> bool {
    c >= FIRST_WIDE
}

/// The text as one line of at most `limit` bytes: blanks and control characters become single spaces, tags of the frame are disarmed.
/// A longer text ends at a word boundary, marked.
pub(crate) fn fold(text: &str, limit: usize) -> Cow<'_, str> {
    let text = text.trim();
    if text.len() <= limit && plain(text.as_bytes(), 0, false) == text.len() && !is_armed(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(folded(text, limit))
}

/// Writes what does not stand for itself as it is.
fn folded(text: &str, limit: usize) -> String {
    // Blanks between quotation marks are part of what is quoted.
    let quotes = memchr::memchr2(b'"', b'`', text.as_bytes()).is_some();
    let mut line = String::with_capacity(text.len().min(limit) + CLIPPED.len());
    let (mut blank, mut cut) = (false, false);
    let mut at = 0;
    while at < text.len() {
        let plain = if text.as_bytes()[at].is_ascii() {
            plain(text.as_bytes(), at, quotes)
        } else {
            0
        };
        if plain > 0 {
            let left = limit.saturating_sub(line.len() + usize::from(blank));
            cut = plain > left;
            if blank && left > 0 {
                line.push(' ');
            }
            let told = &text[at..at + plain.min(left)];
            // Where it is cut no blank is left over that nothing follows.
            line.push_str(if cut && !quotes {
                told.trim_end()
            } else {
                told
            });
            if cut {
                break;
            }
            (blank, at) = (false, at + plain);
            continue;
        }
        let mut rest = text[at..].chars();
        let Some(c) = rest.next() else { break };
        if c == ESCAPE && rest.as_str().starts_with('[') {
            // Colours and the like (ECMA-48, control sequences) end with a letter. Two words that they part stay two.
            rest.by_ref().skip(1).find(|c| !matches!(c, ' '..='?'));
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            blank |= line.ends_with(is_word) && rest.as_str().starts_with(is_word);
        } else if c.is_control() || (c.is_whitespace() && !(quotes && c == ' ')) {
            blank = true;
        } else if line.len() + usize::from(blank) + c.len_utf8() > limit {
            cut = true;
            break;
        } else {
            if blank {
                line.push(' ');
            }
            blank = false;
            line.push(c);
        }
        at = text.len() - rest.as_str().len();
    }
    if cut {
        let end = boundary(&line, line.len().saturating_sub(1));
        line.truncate(end);
        line.truncate(line.trim_end().len());
        line.push_str(if line.is_empty() {
            CLIPPED.trim_start()
        } else {
            CLIPPED
        });
    }
    disarm(line)
}

/// How many bytes from `at` on are ASCII that stands for itself: no control characters, and blanks only one by one, or as quoted.
fn plain(bytes: &[u8], at: usize, quotes: bool) -> usize {
    dispatch!(Level::new(), simd => plain_by(simd, bytes, at, quotes))
}

#[inline(always)]
fn plain_by<S: Simd>(simd: S, bytes: &[u8], at: usize, quotes: bool) -> usize {
    let mut end = at;
    loop {
        let lanes = Lanes::load(simd, bytes, end);
        let blanks = if quotes { 0 } else { lanes.mask_byte(b' ') };
        // What is before the block is not seen: a blank that begins it is looked at by itself.
        let odd = lanes.mask_controls() | lanes.mask_beyond_ascii() | blanks & (blanks << 1 | 1);
        let length = (bytes.len() - end).min(odd.trailing_zeros() as usize);
        end += length;
        if length < LANES {
            // A blank that others follow is one of several.
            return end - at - usize::from(!quotes && end > at && bytes[end - 1] == b' ');
        }
    }
}

/// A text in its own lines, `label` before the first and `indent` before the others, in at most `room` bytes; and whether it is whole.
/// Lines stay lines, so that words of two of them never read as one phrase. Empty lines go.
pub(crate) fn block(label: &str, indent: &str, text: &str, room: usize) -> Option<(String, bool)> {
    let mut written = String::new();
    for line in text
        .lines()
        .filter(|line| line.chars().any(char::is_alphanumeric))
    {
        let start = if written.is_empty() { label } else { indent };
        let left = room.saturating_sub(written.len() + 1 + start.len());
        // Folding makes no line longer by more than it disarms.
        let folded = fold(line, left.saturating_add(64));
        let folded = if start.is_empty() {
            no_heading(&folded)
        } else {
            Cow::Borrowed(folded.as_ref())
        };
        let kept = clip(&folded, left);
        if kept.is_some() && !written.is_empty() {
            written.push('\n');
        }
        match kept {
            Some(kept) => {
                written.push_str(start);
                written.push_str(&kept);
                if kept.len() < folded.len()
                    || folded.ends_with(CLIPPED) && !line.trim_end().ends_with(CLIPPED)
                {
                    return Some((written, false));
                }
            }
            None if written.is_empty() => return None,
            None => {
                let marked = if written.len() + CLIPPED.len() <= room {
                    written + CLIPPED
                } else {
                    clip(&written, room.max(1)).map_or_else(|| written.clone(), Cow::into_owned)
                };
                return Some((marked, false));
            }
        }
    }
    (!written.is_empty()).then_some((written, true))
}

/// The beginning and the end of a text that is too long to be read whole, both cut between words.
pub(crate) fn windows(text: &str) -> (&str, &str) {
    if text.len() <= 2 * LONG_TEXT_END_BYTES {
        return (text, "");
    }
    let head = &text[..floor_char(text, LONG_TEXT_END_BYTES)];
    let tail = &text[floor_char(text, text.len() - LONG_TEXT_END_BYTES)..];
    // A comma can stand inside a number: only where there are no blanks.
    let end = head.rfind(char::is_whitespace).or_else(|| head.rfind(','));
    let start = tail.find(char::is_whitespace).or_else(|| tail.find(','));
    (
        end.map_or("", |end| &head[..end]),
        start.map_or("", |start| &tail[start..]),
    )
}

/// The first line of a text that says something.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines()
        .take(1000)
        .map(str::trim)
        .find(|line| line.chars().any(char::is_alphanumeric))
        .unwrap_or_default()
}

/// Whether a text holds a tag of the frame, so that it can't stand in a summary as it is.
pub(crate) fn is_armed(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| is_tag(&text[at + 1..]))
}

/// Whether what follows a `<` makes it a tag of the frame.
fn is_tag(rest: &str) -> bool {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    name.get(..7)
        .is_some_and(|name| name.eq_ignore_ascii_case("summary"))
}

/// Splits `<summary>` and `</summary>`, so that nobody takes them for the frame.
fn disarm(line: String) -> String {
    if !is_armed(&line) {
        return line;
    }
    let mut safe = String::with_capacity(line.len() + 8);
    let mut done = 0;
    for (at, _) in line
        .match_indices('<')
        .filter(|(at, _)| is_tag(&line[at + 1..]))
    {
        safe.push_str(&line[done..=at]);
        safe.push(' ');
        done = at + 1;
    }
    safe.push_str(&line[done..]);
    safe
}

/// A line that is no heading: a leading `#` is escaped as Markdown does it.
pub(crate) fn no_heading(line: &str) -> Cow<'_, str> {
    if line.starts_with('#') {
        Cow::Owned(format!("\\{line}"))
    } else {
        Cow::Borrowed(line)
    }
}

/// The longest prefix of a line that fits in `room` bytes, marked where it is clipped. `None` where not one word fits.
pub(crate) fn clip(line: &str, room: usize) -> Option<Cow<'_, str>> {
    if line.is_empty() || line.len() <= room {
        return (!line.is_empty()).then_some(Cow::Borrowed(line));
    }
    let text = line.strip_suffix(CLIPPED).unwrap_or(line);
    let end = boundary(text, floor_char(text, room.checked_sub(CLIPPED.len())?));
    let kept = text[..end].trim_end_matches([' ', ',', '\n']);
    (!kept.is_empty()).then(|| Cow::Owned(format!("{kept}{CLIPPED}")))
}

/// The last place at or before `end` where no word is cut.
fn boundary(text: &str, end: usize) -> usize {
    if end >= text.len() {
        return text.len();
    }
    let mut at = floor_char(text, end);
    let mut next = text[at..].chars().next();
    for before in text[..at].chars().rev() {
        if next.is_none_or(|next| breaks(before, next)) {
            return at;
        }
        at -= before.len_utf8();
        next = Some(before);
    }
    0
}

fn breaks(before: char, next: char) -> bool {
    let closes = matches!(before, ',' | ';' | ')' | ']' | '}') && !next.is_ascii_digit();
    before.is_whitespace() || next.is_whitespace() || (is_wide(before) && is_wide(next)) || closes
}

/// The last character boundary at or before byte `at`.
pub(crate) fn floor_char(text: &str, at: usize) -> usize {
    if at >= text.len() {
        text.len()
    } else {
        (0..=at)
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folding_leaves_one_line_without_the_frame() {
        assert_eq!(
            fold(" a\n\n# b\t</summary><SUMMARY>\u{2028}c\u{7}", 100),
            "a # b < /summary>< SUMMARY> c"
        );
        assert_eq!(
            fold(
                "\u{1b}[31mred\u{1b}[0m, \u{1b}[1;4mbold\u{1b}[0mplain\u{1b}[",
                99
            ),
            "red, bold plain"
        );
        assert_eq!(fold("alpha beta gamma", 12), "alpha beta …");
        assert_eq!(fold("say \"a  b\"\tnow", 99), "say \"a  b\" now");
        assert_eq!(no_heading("## x"), "\\## x");
    }

    /// The same, one character at a time.
    fn slow(text: &str, limit: usize) -> String {
        let text = text.trim();
        let quotes = text.contains(['"', '`']);
        let (mut line, mut blank) = (String::new(), false);
        for c in text.chars() {
            if c.is_control() || (c.is_whitespace() && !(quotes && c == ' ')) {
                blank = true;
                continue;
            }
            if line.len() + usize::from(blank) + c.len_utf8() > limit {
                line.truncate(boundary(&line, line.len().saturating_sub(1)));
                line.truncate(line.trim_end().len());
                return disarm(format!(
                    "{line}{}",
                    if line.is_empty() {
                        CLIPPED.trim_start()
                    } else {
                        CLIPPED
                    }
                ));
            }
            line.extend(blank.then_some(' '));
            blank = false;
            line.push(c);
        }
        disarm(line)
    }

    proptest! {
        #[test]
        fn blocks_fold_as_characters_do(text in "([a-c]{1,30}[ ]{0,2}[\n\t\"é客</]{0,2}){0,12}", other in any::<String>(), limit in 0..200_usize) {
            for text in [text, other.replace(ESCAPE, "")] {
                prop_assert_eq!(fold(&text, limit), slow(&text, limit));
            }
        }
    }

    #[test]
    fn clipping_ends_at_a_word() {
        assert_eq!(
            clip("order A1B2C3D4 now", 18).unwrap(),
            "order A1B2C3D4 now"
        );
        assert_eq!(clip("order A1B2C3D4 now", 17).unwrap(), "order …");
        assert_eq!(
            clip("order A1B2C3D4 now", 18 + 4).unwrap(),
            "order A1B2C3D4 now"
        );
        assert_eq!(
            clip("order A1B2C3D4 now it", 20).unwrap(),
            "order A1B2C3D4 …"
        );
        assert_eq!(clip("A1B2C3D4E5F6", 5), None);
        assert_eq!(clip("请帮我预订明天的航班", 24).unwrap(), "请帮我预订明 …");
    }

    #[test]
    fn a_block_keeps_its_lines() {
        assert_eq!(
            block("> ", "  ", "one\n\n  two `x\ny` three", 100).unwrap(),
            ("> one\n  two `x\n  y` three".to_owned(), true)
        );
        assert_eq!(
            block("> ", "  ", "one\ntwo three", 16).unwrap(),
            ("> one\n  two …".to_owned(), false)
        );
        assert_eq!(block("", "", "# one", 100).unwrap().0, "\\# one");
        assert_eq!(block("> ", "  ", "-- \n", 100), None);
        for room in 0..60 {
            if let Some((text, _)) = block("> ", "  ", "one two\nthree </summary> four\nfive", room)
            {
                assert!(text.len() <= room, "{room}: {text}");
            }
        }
    }

    #[test]
    fn the_first_line_says_something() {
        assert_eq!(first_line("\n---\n  ok: 3\nrest"), "ok: 3");
    }

    #[test]
    fn a_huge_text_is_read_at_both_ends() {
        let text = format!("first_1 {} last_9", "x ".repeat(2 * LONG_TEXT_END_BYTES));
        let (head, tail) = windows(&text);
        assert!(
            head.starts_with("first_1")
                && tail.ends_with("last_9")
                && head.len() + tail.len() <= 2 * LONG_TEXT_END_BYTES
        );
    }
}

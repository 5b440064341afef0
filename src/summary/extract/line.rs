//! Text on its way into a summary: folded to one line, unable to break the
//! frame around it, and clipped where no identifier is cut in two.

/// Tokens of a text, by the policy's counter.
pub(super) type Count<'c> = &'c dyn Fn(&str) -> usize;

/// What a clipped text ends with.
const CLIPPED: &str = " …";
/// Hardly any tokenizer packs more characters of prose into one token.
const MOST_CHARS_PER_TOKEN: usize = 8;
/// How much of the beginning and of the end of a text is looked at.
const WINDOW: usize = 64 * 1024;
/// The first letter of the scripts that write without spaces.
const FIRST_WIDE: char = '\u{2E80}';

/// Whether a letter belongs to a script that writes without spaces: any place between two of them is a word boundary.
pub(super) fn is_wide(c: char) -> bool {
    c >= FIRST_WIDE
}

/// How much of a text is worth folding when `tokens` may be spent on it.
pub(super) fn reach(tokens: usize) -> usize {
    tokens.saturating_mul(MOST_CHARS_PER_TOKEN).saturating_add(80)
}

/// The text as one line: blanks and control characters become single spaces, tags of the frame are disarmed.
/// A text longer than `limit` characters ends at a word boundary, marked.
pub(super) fn fold(text: &str, limit: usize) -> String {
    let mut line = String::with_capacity(text.len().min(limit));
    let (mut kept, mut blank, mut cut) = (0, false, false);
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            blank = kept > 0;
            continue;
        }
        if kept >= limit {
            cut = true;
            break;
        }
        if blank {
            line.push(' ');
            kept += 1;
        }
        blank = false;
        line.push(c);
        kept += 1;
    }
    if cut {
        let end = boundary(&line, line.len().saturating_sub(1));
        line.truncate(end);
        line.truncate(line.trim_end().len());
        line.push_str(if line.is_empty() { CLIPPED.trim_start() } else { CLIPPED });
    }
    disarm(line)
}

/// The beginning and the end of a text that is too long to be read whole, both cut between words.
pub(super) fn windows(text: &str) -> (&str, &str) {
    if text.len() <= 2 * WINDOW {
        return (text, "");
    }
    let head = &text[..floor_char(text, WINDOW)];
    let tail = &text[floor_char(text, text.len() - WINDOW)..];
    // A comma can stand inside a number: only where there are no blanks.
    let end = head.rfind(char::is_whitespace).or_else(|| head.rfind(','));
    let start = tail.find(char::is_whitespace).or_else(|| tail.find(','));
    (end.map_or("", |end| &head[..end]), start.map_or("", |start| &tail[start..]))
}

/// The first line of a text that says something.
pub(super) fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default()
}

/// Splits `<summary>` and `</summary>`, so that nobody takes them for the frame.
fn disarm(line: String) -> String {
    let armed = |rest: &str| {
        let name = rest.strip_prefix('/').unwrap_or(rest);
        name.get(..7).is_some_and(|name| name.eq_ignore_ascii_case("summary"))
    };
    if !line.match_indices('<').any(|(at, _)| armed(&line[at + 1..])) {
        return line;
    }
    let mut safe = String::with_capacity(line.len() + 8);
    let mut done = 0;
    for (at, _) in line.match_indices('<').filter(|(at, _)| armed(&line[at + 1..])) {
        safe.push_str(&line[done..=at]);
        safe.push(' ');
        done = at + 1;
    }
    safe.push_str(&line[done..]);
    safe
}

/// A line that is no heading: a leading `#` is escaped as Markdown does it.
pub(super) fn no_heading(line: &str) -> String {
    format!("{}{line}", if line.starts_with('#') { "\\" } else { "" })
}

/// The longest prefix of a line that costs at most `tokens`, marked where it is clipped. `None` where not one word fits.
pub(super) fn clip(line: &str, tokens: usize, count: Count<'_>) -> Option<String> {
    if tokens == 0 || line.is_empty() {
        return None;
    }
    let mut end = floor_char(line, tokens.saturating_mul(MOST_CHARS_PER_TOKEN * 2));
    if end == line.len() && count(line) <= tokens {
        return Some(line.to_owned());
    }
    let text = line.strip_suffix(CLIPPED).unwrap_or(line);
    end = floor_char(text, end);
    // Each step cuts in proportion to what is too much: a handful of counts, never one a word.
    for _ in 0..12 {
        let cut = boundary(text, end);
        let kept = text[..cut].trim_end_matches([' ', ',']);
        if kept.is_empty() {
            return None;
        }
        let clipped = format!("{kept}{CLIPPED}");
        let cost = count(&clipped);
        if cost <= tokens {
            return Some(clipped);
        }
        end = floor_char(text, (kept.len() - 1).min(cut * tokens / cost + CLIPPED.len()));
    }
    None
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
pub(super) fn floor_char(text: &str, at: usize) -> usize {
    if at >= text.len() { text.len() } else { (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quarter(text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }

    #[test]
    fn folding_leaves_one_line_without_the_frame() {
        assert_eq!(fold(" a\n\n# b\t</summary><SUMMARY>\u{2028}c\u{7}", 100), "a # b < /summary>< SUMMARY> c");
        assert_eq!(fold("alpha beta gamma", 12), "alpha beta …");
        assert_eq!(no_heading("## x"), "\\## x");
    }

    #[test]
    fn clipping_ends_at_a_word() {
        assert_eq!(clip("order A1B2C3D4 now", 5, &quarter).unwrap(), "order A1B2C3D4 now");
        assert_eq!(clip("order A1B2C3D4 now", 4, &quarter).unwrap(), "order A1B2C3D4 …");
        assert_eq!(clip("order A1B2C3D4 now", 3, &quarter).unwrap(), "order …");
        assert_eq!(clip("A1B2C3D4E5F6", 1, &quarter), None);
        assert_eq!(clip("请帮我预订明天的航班", 2, &quarter).unwrap(), "请帮我预订明 …");
    }

    #[test]
    fn the_first_line_says_something() {
        assert_eq!(first_line("\n---\n  ok: 3\nrest"), "ok: 3");
    }

    #[test]
    fn a_huge_text_is_read_at_both_ends() {
        let text = format!("first_1 {} last_9", "x ".repeat(2 * WINDOW));
        let (head, tail) = windows(&text);
        assert!(head.starts_with("first_1") && tail.ends_with("last_9") && head.len() + tail.len() <= 2 * WINDOW);
    }
}

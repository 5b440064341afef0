//! Splits text into sentences and blocks of code.

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'t> {
    /// A sentence, a line, or a whole block of code without its fence.
    pub text: &'t str,
    /// True for a block of code.
    pub is_code: bool,
    /// True for an item of a list.
    pub is_item: bool,
}

/// A line is wrapped, not ended, from this length on.
const WRAPPED_LENGTH: usize = 40;
/// The mark of a block of code.
const FENCE: &str = "```";

/// Calls `visit` with the sentences and blocks of code of a text, in order.
pub(crate) fn visit_pieces<'t>(text: &'t str, visit: &mut impl FnMut(Piece<'t>)) {
    let mut rest = text;
    while let Some(at) = find_fence(rest) {
        visit_prose(&rest[..at], visit);
        let inside = &rest[at + FENCE.len()..];
        let start = inside.find('\n').map_or(inside.len(), |end| end + 1);
        let end = inside[start..].find(FENCE).map_or(inside.len(), |end| start + end);
        let code = inside[start..end].trim_matches('\n');
        if !code.trim().is_empty() {
            visit(Piece { text: code, is_code: true, is_item: false });
        }
        rest = inside.get(end + FENCE.len()..).unwrap_or_default();
    }
    visit_prose(rest, visit);
}

/// Returns the start of a fence at the beginning of a line.
fn find_fence(text: &str) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), FENCE).find(|&at| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    })
}

fn visit_prose<'t>(text: &'t str, visit: &mut impl FnMut(Piece<'t>)) {
    let mut start = 0;
    let bytes = text.as_bytes();
    while start < text.len() {
        let mut end = memchr::memchr(b'\n', &bytes[start..]).map_or(text.len(), |at| start + at);
        while end < text.len() && goes_on(&text[start..end], &text[end + 1..]) {
            end = memchr::memchr(b'\n', &bytes[end + 1..]).map_or(text.len(), |at| end + 1 + at);
        }
        visit_line(&text[start..end], visit);
        start = end + 1;
    }
}

/// Returns true if a line end only wraps a sentence.
fn goes_on(line: &str, next: &str) -> bool {
    let last = line.rsplit('\n').next().unwrap_or(line);
    last.len() >= WRAPPED_LENGTH
        && last.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '`' | ')' | '"'))
        && next.starts_with(|c: char| c.is_lowercase() || matches!(c, '`' | '('))
}

fn visit_line<'t>(line: &'t str, visit: &mut impl FnMut(Piece<'t>)) {
    let trimmed = line.trim();
    let bare = without_bullet(trimmed);
    let mut is_item = bare.len() < trimmed.len();
    let mut start = 0;
    let mut push = |text: &'t str| {
        let text = text.trim();
        if text.chars().any(char::is_alphanumeric) {
            visit(Piece { text, is_code: false, is_item });
            is_item = false;
        }
    };
    let mut from = 0;
    while let Some(at) = find_mark(bare, from) {
        let Some(c) = bare[at..].chars().next() else {
            break;
        };
        let end = at + c.len_utf8();
        if ends_sentence(c, &bare[start..at], &bare[end..]) {
            push(&bare[start..end]);
            start = end;
        }
        from = end;
    }
    push(&bare[start..]);
}

/// Returns the place of the next character that can end a sentence: a mark, or any beyond ASCII. It
/// looks no further: a line may be long, and asked about again behind each of its characters.
fn find_mark(text: &str, from: usize) -> Option<usize> {
    let mut rest = text.as_bytes()[from..].iter();
    let at = rest.position(|byte| matches!(byte, b'.' | b'!' | b'?') || !byte.is_ascii())?;
    Some(from + at)
}

/// Returns true if `c` between these texts ends a sentence.
fn ends_sentence(c: char, before: &str, after: &str) -> bool {
    match c {
        '。' | '！' | '？' | '；' => !after.starts_with(['」', '”', '）']),
        '.' | '!' | '?' => {
            let after = after.trim_start_matches(['"', '\'', ')', '*', '”']);
            after.starts_with(char::is_whitespace) && !(c == '.' && is_abbreviated(before))
        }
        _ => false,
    }
}

/// Words that a point abbreviates.
const ABBREVIATIONS: [&str; 13] =
    ["etc", "vs", "cf", "Dr", "Mr", "Mrs", "Ms", "St", "No", "approx", "resp", "bzw", "ca"];

/// Returns true if the point behind a text abbreviates its last word, or numbers an item.
fn is_abbreviated(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    let word = word.trim_start_matches(['(', '"']);
    word.contains('.') && word.split('.').all(|part| part.chars().count() == 1)
        || word.chars().count() == 1
        || ABBREVIATIONS.contains(&word)
        || (word.len() < 3
            && before.len() == word.len()
            && word.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns a line without the mark of an item.
pub(crate) fn without_bullet(line: &str) -> &str {
    let bare = line.trim_start_matches(['*', '-', '•', '+', '>']);
    let bare =
        if bare.len() < line.len() && bare.starts_with(' ') { bare.trim_start() } else { line };
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=2).contains(&digits) {
        let rest = &bare[digits..];
        if let Some(rest) = rest.strip_prefix(['.', ')', ':'])
            && rest.starts_with(' ')
        {
            return rest.trim_start();
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut pieces = Vec::new();
        visit_pieces(text, &mut |piece| pieces.push(piece.text));
        pieces
    }

    #[test]
    fn sentences_end_at_marks_and_lines() {
        assert_eq!(
            pieces("Use e.g. tabs. Never 1.5 blanks!\n- one item\n2. another (see a.rs). Done"),
            ["Use e.g. tabs.", "Never 1.5 blanks!", "one item", "another (see a.rs).", "Done"]
        );
        assert_eq!(pieces("不要改。只读！"), ["不要改。", "只读！"]);
    }

    #[test]
    fn a_wrapped_line_goes_on() {
        let text = "The parser must keep all comments that stand before\na definition.\nNext";
        assert_eq!(pieces(text).len(), 2);
    }

    #[test]
    fn code_is_one_piece() {
        let text = "Run:\n```sh\na. b\nc\n```\nThen stop.";
        assert_eq!(pieces(text), ["Run:", "a. b\nc", "Then stop."]);
    }
}

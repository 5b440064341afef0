//! Finds quotations in running text.

use super::identifier_kinds::{Kinds, QUOTED, kinds_of};

/// Maximum length in bytes of a quotation in quotation marks.
const LONGEST_QUOTATION: usize = 40;
/// Maximum length in bytes of a quotation in backticks.
const LONGEST_CODE_SPAN: usize = 60;

/// Calls `found` with every quotation of a text and the kinds that it has without its quotes.
pub(crate) fn scan_quotations<'t>(text: &'t str, found: &mut impl FnMut(&'t str, Kinds)) {
    let bytes = text.as_bytes();
    let mut next = 0;
    for at in memchr::memchr2_iter(b'`', b'"', bytes) {
        if at >= next {
            next = scan_quotation(text, at, found);
        }
    }
}

/// Reports the quotation that opens at byte `at`, if there is any. Returns the place to go on from.
fn scan_quotation<'t>(text: &'t str, at: usize, found: &mut impl FnMut(&'t str, Kinds)) -> usize {
    let bytes = text.as_bytes();
    let (mark, longest) = if bytes[at] == b'`' {
        (b'`', LONGEST_CODE_SPAN)
    } else {
        (b'"', LONGEST_QUOTATION)
    };
    let opens = (at == 0 || !bytes[at - 1].is_ascii_alphanumeric())
        && !bytes
            .get(at + 1)
            .is_none_or(|next| next.is_ascii_whitespace() || *next == mark);
    let rest = &bytes[at + 1..];
    let Some(length) = memchr::memchr2(mark, b'\n', &rest[..rest.len().min(longest + 1)])
        .filter(|&length| opens && rest[length] == mark)
    else {
        return at + 1;
    };
    let quoted = &text[at + 1..at + 1 + length];
    // Some put the end of the sentence before the mark.
    let quoted = if mark == b'"' {
        quoted.trim_end_matches(['.', ','])
    } else {
        quoted
    };
    if quoted.len() >= 3 && quoted.trim() == quoted && !quoted.contains('\\') {
        let kinds = if quoted.contains(char::is_whitespace) {
            0
        } else {
            kinds_of(quoted).unwrap_or(0)
        };
        found(quoted, QUOTED | kinds);
    }
    at + length + 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::lex::identifier_kinds::CODE;

    #[test]
    fn quotations_are_complete() {
        let mut found = Vec::new();
        scan_quotations(
            "set `max_width` to \"six two\" now, 5\" wide",
            &mut |quoted, kinds| found.push((quoted, kinds)),
        );
        assert_eq!(found, [("max_width", QUOTED | CODE), ("six two", QUOTED)]);
    }
}

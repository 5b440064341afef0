//! The length of a message as JSON, by which OpenCode estimates a turn (see
//! `docs/reference/opencode.md`): UTF-16 code units of what JavaScript's
//! `JSON.stringify` would write, with all edits made.

use crate::json::Span;
use crate::json::{decode_literal_wtf8, encode_literal, wtf8_code_points};
use crate::transcript::are_all_text;
use crate::transcript::view::TranscriptView;
use crate::transcript::{BlockKind, Content};

/// Returns the UTF-16 code units of message `index`. If messages share an element of the list, the
/// first has all of its units.
#[must_use]
pub(crate) fn units(view: TranscriptView<'_, '_>, index: usize) -> u64 {
    let message = view.message(index);
    let bytes = |span: Span| view.transcript.bytes(index, span);
    let shares_element = index
        .checked_sub(1)
        .map(|before| view.message(before))
        .is_some_and(|before| (before.record, before.span) == (message.record, message.span));
    let mut units = if shares_element {
        0
    } else {
        json_units(bytes(message.span))
    };
    if let (Some(new), Some(span)) = (view.overlay.results.get(&index), message.content_span) {
        units += literal_units(&encode_literal(new));
        units -= match &message.content {
            Content::Blocks(blocks)
                if !are_all_text(blocks) && !view.overlay.cleared.contains(&index) =>
            {
                let texts = blocks.iter().filter_map(|block| {
                    if let BlockKind::Text(span) = block.kind {
                        Some(json_units(bytes(span)))
                    } else {
                        None
                    }
                });
                texts.sum::<i64>()
            }
            Content::Absent | Content::Text(_) | Content::Blocks(_) => json_units(bytes(span)),
        };
    }
    let cut =
        (0..message.calls.len()).filter_map(|number| view.overlay.arguments.get(&(index, number)));
    units += cut
        .flat_map(|new| &new.splices)
        .map(|splice| json_units(&splice.bytes) - json_units(bytes(splice.span)))
        .sum::<i64>();
    u64::try_from(units).unwrap_or(0)
}

/// Returns the units of a JSON value. Blanks between its parts don't count, numbers count as
/// spelled.
fn json_units(bytes: &[u8]) -> i64 {
    let (mut units, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            let end = at + literal_length(&bytes[at..]);
            units += literal_units(&bytes[at..end]);
            at = end;
        } else {
            units += i64::from(!matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
            at += 1;
        }
    }
    units
}

/// Returns the bytes up to and including the closing quote.
fn literal_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = bytes
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1; // the escaped byte
    }
    bytes.len()
}

/// Returns the units of a string literal with its quotes, as `JSON.stringify` escapes it.
fn literal_units(literal: &[u8]) -> i64 {
    let wtf8 = decode_literal_wtf8(literal);
    let units = wtf8_code_points(&wtf8).map(|point| match point {
        0x22 | 0x5C | 0x08 | 0x09 | 0x0A | 0x0C | 0x0D => 2,
        0..0x20 | 0xD800..=0xDFFF => 6,
        0x1_0000.. => 2,
        _ => 1,
    });
    units.sum::<i64>() + 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_javascript() {
        // Each right side is JSON.stringify(JSON.parse(left)).length.
        for (text, length) in [
            (r#"{ "a" : [1, "x y"] }"#, 15),
            (r#""\u00e9\n\"\/""#, 8),
            (r#""\ud83d\ude00""#, 4),
            (r#""\ud83d""#, 8),
            (r#""\u0001""#, 8),
            ("\"日本\"", 4),
            ("\t[ ]\r\n", 2),
        ] {
            assert_eq!(json_units(text.as_bytes()), length, "{text}");
        }
    }
}

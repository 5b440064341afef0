//! Removes calls and results that are written as tags in a text, as Hermes and Qwen do.
//!
//! The calls and results themselves are read by the format. Here only the text
//! is split.

use crate::convert::prelude::*;
use crate::reading::format::tagged_calls::{CALL_TAGS, TaggedCall, call_ranges, read_tagged_call};
use std::ops::Range;

/// The tags around a result.
const RESULT_TAGS: [&str; 2] = ["<tool_response>", "</tool_response>"];

/// Removes the tags from the text of a turn.
///
/// The text of a result becomes a part for each pair of tags. The text of a
/// message with calls becomes the text around the tags.
pub(super) fn remove_tags(view: TranscriptView<'_, '_>, index: usize, turn: &mut ChatTurn) {
    let message = view.message(index);
    if !matches!(message.content, Content::Text(_))
        || !message.calls.iter().any(|call| call.legacy) && message.role != Role::Function
    {
        return;
    }
    let [ChatPart::Text(text), ..] = turn.parts.as_slice() else {
        return;
    };
    let wtf8 = text.wtf8();
    if message.role == Role::Function {
        let tagged = split_tagged(&wtf8, RESULT_TAGS);
        // Text beside the tags would be lost.
        if !tagged.inside.is_empty() && tagged.outside.trim_ascii().is_empty() {
            turn.parts = tagged
                .inside
                .iter()
                .map(|inner| ChatPart::Text(EscapedText::from_wtf8(inner.trim_ascii())))
                .collect();
            turn.answers_each = true;
        }
        return;
    }
    let ranges = call_ranges(&wtf8);
    if ranges.is_empty() {
        return;
    }
    if turn.calls.len() < message.calls.len() {
        // The calls are not JSON, or another dialect of it.
        let tagged = ranges.iter().map(|range| read_tagged_call(&wtf8[range.clone()]));
        let tagged: Option<Vec<TaggedCall>> = tagged.collect();
        turn.parts.truncate(1);
        turn.calls.clear();
        let Some(tagged) = tagged else {
            // A call could not be read: the tags stay, and all calls with them.
            return;
        };
        for call in tagged {
            turn.parts.push(ChatPart::Call(turn.calls.len()));
            turn.calls.push(ChatCall::new(index, call.name.as_str().into(), call.arguments));
        }
    }
    let outside = text_outside(&wtf8, &ranges);
    turn.parts[0] = ChatPart::Text(EscapedText::from_wtf8(outside.trim_ascii_end()));
}

/// Returns a text without calls and their tags.
fn text_outside(text: &[u8], calls: &[Range<usize>]) -> Vec<u8> {
    let [open, close] = CALL_TAGS;
    let (mut outside, mut at) = (Vec::new(), 0);
    for call in calls {
        outside.extend_from_slice(&text[at..call.start - open.len()]);
        at = (call.end + close.len()).min(text.len());
    }
    outside.extend_from_slice(&text[at..]);
    outside
}

/// A text split at pairs of tags.
struct TaggedText {
    /// The text within each pair.
    inside: Vec<Vec<u8>>,
    /// All text outside the pairs.
    outside: Vec<u8>,
}

/// Splits a text at pairs of tags. A missing closing tag ends at the end of the text.
fn split_tagged(text: &[u8], [open, close]: [&str; 2]) -> TaggedText {
    let (mut inside, mut outside, mut rest) = (Vec::new(), Vec::new(), text);
    while let Some(start) = memchr::memmem::find(rest, open.as_bytes()) {
        outside.extend_from_slice(&rest[..start]);
        rest = &rest[start + open.len()..];
        let end = memchr::memmem::find(rest, close.as_bytes()).unwrap_or(rest.len());
        inside.push(rest[..end].to_vec());
        rest = rest.get(end + close.len()..).unwrap_or_default();
    }
    outside.extend_from_slice(rest);
    TaggedText { inside, outside }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tagged_text_is_separated_from_the_text_around_it() {
        let TaggedText { inside, outside } =
            split_tagged(b"a<tool_call>1</tool_call>b<tool_call>2", CALL_TAGS);
        assert_eq!((inside, outside), (vec![b"1".to_vec(), b"2".to_vec()], b"ab".to_vec()));
        let plain = split_tagged(b"plain", CALL_TAGS);
        assert_eq!((plain.inside, plain.outside), (Vec::new(), b"plain".to_vec()));
    }
}

//! Removes calls and results that are written as tags in a text, as Hermes and Qwen do.
//!
//! The calls and results themselves are read by the format. Here only the text
//! is split.

use crate::convert::prelude::*;
use crate::reading::format::tagged_calls::{CALL_TAGS, TaggedCall, call_ranges, read_tagged_call};
use std::ops::Range;

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
        let ranges = ranges_between(&wtf8, RESULT_TAGS);
        // Text beside the tags would be lost.
        if !ranges.is_empty() && text_outside(&wtf8, &ranges, RESULT_TAGS).trim_ascii().is_empty() {
            let inside = ranges.into_iter().map(|range| wtf8[range].trim_ascii());
            let texts = inside.map(|inner| ChatPart::Text(EscapedText::from_wtf8(inner)));
            turn.parts = texts.collect();
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
    let outside = text_outside(&wtf8, &ranges, CALL_TAGS);
    turn.parts[0] = ChatPart::Text(EscapedText::from_wtf8(outside.trim_ascii_end()));
}

/// Returns a text without what is between pairs of tags, and without the tags.
fn text_outside(text: &[u8], inside: &[Range<usize>], [open, close]: [&str; 2]) -> Vec<u8> {
    let (mut outside, mut at) = (Vec::new(), 0);
    for range in inside {
        outside.extend_from_slice(&text[at..range.start - open.len()]);
        at = (range.end + close.len()).min(text.len());
    }
    outside.extend_from_slice(&text[at..]);
    outside
}

/// Returns the ranges of a text between pairs of tags. Without a closing tag a range ends with the
/// text.
fn ranges_between(text: &[u8], [open, close]: [&str; 2]) -> Vec<Range<usize>> {
    let find = |tag: &str, from: usize| {
        memchr::memmem::find(text.get(from..)?, tag.as_bytes()).map(|at| from + at)
    };
    let (mut ranges, mut at) = (Vec::new(), 0);
    while let Some(tag) = find(open, at) {
        let start = tag + open.len();
        let end = find(close, start).unwrap_or(text.len());
        ranges.push(start..end);
        at = end + close.len();
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tagged_text_is_separated_from_the_text_around_it() {
        let text = b"a<tool_call>1</tool_call>b<tool_call>2";
        let ranges = ranges_between(text, CALL_TAGS);
        assert_eq!(text_outside(text, &ranges, CALL_TAGS), b"ab");
        let inside: Vec<&[u8]> = ranges.into_iter().map(|range| &text[range]).collect();
        assert_eq!(inside, [b"1", b"2"]);
        assert!(ranges_between(b"plain", CALL_TAGS).is_empty());
    }
}

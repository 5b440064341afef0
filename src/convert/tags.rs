//! Calls and results that stand as tags in a text (Hermes, Qwen): taken out of
//! it, they are calls and results like any other.

use crate::convert::chat::{ChatPart, ChatTurn};
use crate::convert::literal::EscapedText;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Content, Role};

const CALL: [&str; 2] = ["<tool_call>", "</tool_call>"];
const RESPONSE: [&str; 2] = ["<tool_response>", "</tool_response>"];

/// Takes the tags out of what a turn says; what is in them is its calls already, or its results.
pub(super) fn take_out(view: TranscriptView<'_, '_>, index: usize, turn: &mut ChatTurn) {
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
        let (inside, outside) = split(&wtf8, RESPONSE);
        // Words beside the tags would be lost.
        if !inside.is_empty() && outside.trim_ascii().is_empty() {
            turn.parts = inside
                .iter()
                .map(|inner| ChatPart::Text(EscapedText::of_wtf8(inner.trim_ascii())))
                .collect();
            turn.answers_each = true;
        }
        return;
    }
    let (inside, outside) = split(&wtf8, CALL);
    if inside.is_empty() {
        return;
    }
    if turn.calls.len() < message.calls.len() {
        // A call that can't be read stays text, and its neighbours with it.
        turn.calls.clear();
        return turn.parts.truncate(1);
    }
    let words = EscapedText::of_wtf8(outside.trim_ascii_end());
    turn.parts[0] = ChatPart::Text(words);
}

/// What stands between tags, and all that stands around them.
fn split(text: &[u8], [open, close]: [&str; 2]) -> (Vec<Vec<u8>>, Vec<u8>) {
    let (mut inside, mut outside, mut rest) = (Vec::new(), Vec::new(), text);
    while let Some(start) = memchr::memmem::find(rest, open.as_bytes()) {
        outside.extend_from_slice(&rest[..start]);
        rest = &rest[start + open.len()..];
        // A text that was cut off ends without its tag.
        let end = memchr::memmem::find(rest, close.as_bytes()).unwrap_or(rest.len());
        inside.push(rest[..end].to_vec());
        rest = rest.get(end + close.len()..).unwrap_or_default();
    }
    outside.extend_from_slice(rest);
    (inside, outside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_told_from_what_stands_around_them() {
        let (inside, outside) = split(b"a<tool_call>1</tool_call>b<tool_call>2", CALL);
        assert_eq!(
            (inside, outside),
            (vec![b"1".to_vec(), b"2".to_vec()], b"ab".to_vec())
        );
        assert_eq!(split(b"plain", CALL), (Vec::new(), b"plain".to_vec()));
    }
}

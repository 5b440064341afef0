//! The messages that one logged turn of the user holds: an earlier summary that was merged into
//! it, tool results, and the user's words.

use crate::reading::format::located_node::{LocatedNode, content_of_blocks};
use crate::reading::json::Span;
use crate::reading::transcript::summary_frame::{find_summary_joint, is_framed_summary};
use crate::reading::transcript::{BlockKind, Content, Message, MessageBlock, Role};

/// Returns true if a content consists of a summary only.
pub(super) fn is_summary(bytes: &[u8], content: &Content) -> bool {
    match content {
        Content::Text(span) => is_framed_summary(span.slice(bytes)),
        Content::Blocks(blocks) => match blocks.as_slice() {
            [block] => is_summary_block(bytes, block),
            _ => false,
        },
        Content::Absent => false,
    }
}

fn is_summary_block(bytes: &[u8], block: &MessageBlock) -> bool {
    matches!(block.kind, BlockKind::Text(span) if is_framed_summary(span.slice(bytes)))
}

/// Returns a user message, or two if an earlier summary was inserted before its text: the summary
/// becomes a separate message that shares the element.
pub(super) fn split_off_summary(bytes: &[u8], mut message: Message) -> Vec<Message> {
    let Some(content) = take_summary(bytes, &mut message.content) else {
        message.earlier_summary = is_summary(bytes, &message.content);
        return vec![message];
    };
    let joined = std::mem::replace(&mut message.joined, true);
    let summary = Message {
        content,
        joined,
        earlier_summary: true,
        ..Message::new(message.record, message.span, Role::User)
    };
    vec![summary, message]
}

/// Removes the summary that stands before the other text of a content, and returns it.
fn take_summary(bytes: &[u8], content: &mut Content) -> Option<Content> {
    match content {
        Content::Blocks(blocks) if blocks.len() > 1 => {
            is_summary_block(bytes, &blocks[0]).then(|| Content::Blocks(vec![blocks.remove(0)]))
        }
        Content::Text(span) => {
            let joint = find_summary_joint(span.slice(bytes))?;
            let (start, end) = (span.start, span.end);
            // The spans overlap by the bytes that stand for their quotes. Only the text between
            // the quotes is ever looked at.
            *span = Span {
                start: start + joint.end - 1,
                end,
            };
            Some(Content::Text(Span {
                start,
                end: start + joint.start + 1,
            }))
        }
        Content::Blocks(_) | Content::Absent => None,
    }
}

/// Returns the messages of a turn that holds results and words. Results come first, as they follow
/// their calls, and no cut may separate the messages.
pub(super) fn join_results_and_words(
    element: LocatedNode<'_>,
    results: Vec<Message>,
    words: Vec<MessageBlock>,
) -> Vec<Message> {
    let mut messages = results;
    if messages.is_empty() || !words.is_empty() {
        let message = Message {
            content: content_of_blocks(words),
            ..element.new_message(Role::User)
        };
        messages.extend(split_off_summary(element.node.record_bytes(), message));
    }
    for message in messages.iter_mut().skip(1) {
        message.joined = true;
    }
    messages
}

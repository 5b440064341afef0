//! The turns of Claude Code, as its session files and its stream keep them: one
//! block of an answer a line, told apart by the answer's `message.id`.

use crate::format::dialects::ANTHROPIC;
use crate::format::journal::{ElementMark, JournalThread};
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, Span};
use crate::transcript::journal::WriteMode;
use std::borrow::Cow;
use std::collections::HashMap;

/// Who speaks in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaudeSpeaker {
    User,
    Assistant,
}

/// One line that reached the model.
#[derive(Debug, Clone)]
pub(super) struct ClaudeTurn {
    /// Its record.
    pub(super) at: usize,
    /// Its message.
    pub(super) span: Span,
    pub(super) speaker: ClaudeSpeaker,
    /// The answer that it is a piece of.
    pub(super) message_id: Option<String>,
    pub(super) summary: bool,
    /// The calls whose results it holds.
    pub(super) answers: Vec<String>,
    /// The content: a string, a list, or what is no content.
    content: Option<(Span, JsonKind)>,
    usage: Option<Span>,
    model: Option<String>,
}

impl ClaudeTurn {
    /// The turn of a line of type `user` or `assistant`, if it has a message that was sent.
    pub(super) fn of(at: usize, line: JsonNode<'_>) -> Option<Self> {
        let speaker = match line.get("type")?.as_text()?.as_ref() {
            "user" => ClaudeSpeaker::User,
            "assistant" => ClaudeSpeaker::Assistant,
            _ => return None,
        };
        let message = line.get("message")?;
        // What the agent shows of a failed request is not sent with the next.
        let is_error = line
            .get("isApiErrorMessage")
            .is_some_and(|value| value.bytes() == b"true");
        if !message.is_kind(JsonKind::Object) || is_error {
            return None;
        }
        let text = |node: JsonNode<'_>, key: &str| {
            node.get(key)
                .and_then(JsonNode::as_text)
                .filter(|text| !text.is_empty())
                .map(Cow::into_owned)
        };
        Some(Self {
            at,
            span: message.span(),
            speaker,
            message_id: text(message, "id").filter(|_| speaker == ClaudeSpeaker::Assistant),
            summary: line
                .get("isCompactSummary")
                .is_some_and(|value| value.bytes() == b"true"),
            answers: message
                .items_of("content")
                .filter(|_| speaker == ClaudeSpeaker::User)
                .filter_map(|block| text(block, "tool_use_id"))
                .collect(),
            content: message
                .get("content")
                .map(|content| (content.span(), content.kind())),
            usage: message
                .get("usage")
                .filter(|usage| usage.is_kind(JsonKind::Object))
                .map(JsonNode::span),
            model: text(message, "model").filter(|model| model != "<synthetic>"),
        })
    }

    /// The blocks of its content, without the brackets around them.
    fn blocks(&self, record: &[u8]) -> Vec<u8> {
        match self.content {
            Some((span, JsonKind::String)) => [
                b"{\"type\": \"text\", \"text\": ".as_slice(),
                span.slice(record),
                b"}",
            ]
            .concat(),
            Some((span, JsonKind::Array)) => span.slice(record)[1..span.end - span.start - 1]
                .trim_ascii()
                .to_vec(),
            _ => Vec::new(),
        }
    }
}

/// Tells turns in the order in which they were sent; pieces of one answer become one message, where the first of them stands.
pub(super) fn tell(
    turns: &[&ClaudeTurn],
    records: &[&[u8]],
    writes: WriteMode,
    last: usize,
) -> JournalThread {
    let mut thread = JournalThread::new(ANTHROPIC, "messages", writes, last);
    let mut answers: HashMap<&str, Vec<&ClaudeTurn>> = HashMap::new();
    for turn in turns {
        if let Some(id) = &turn.message_id {
            answers.entry(id).or_default().push(turn);
        }
    }
    thread.model = turns.iter().rev().find_map(|turn| turn.model.clone());
    for turn in turns {
        let record = records[turn.at];
        match (turn.speaker, &turn.message_id) {
            (ClaudeSpeaker::Assistant, Some(id)) => {
                // Taken with its first piece.
                let Some(mut pieces) = answers.remove(id.as_str()) else {
                    continue;
                };
                pieces.sort_by_key(|piece| piece.at);
                answer(&mut thread, &pieces, records);
            }
            (ClaudeSpeaker::Assistant, None) => answer(&mut thread, &[turn], records),
            (ClaudeSpeaker::User, _) => {
                let mark = if turn.summary {
                    ElementMark::Summary
                } else {
                    ElementMark::Message
                };
                let content: &[u8] = turn.content.map_or(b"null", |(span, _)| span.slice(record));
                thread.push_element(
                    mark,
                    vec![(turn.at, turn.span)],
                    &[b"{\"role\": \"user\", \"content\": ", content, b"}"],
                );
            }
        }
    }
    thread
}

fn answer(thread: &mut JournalThread, pieces: &[&ClaudeTurn], records: &[&[u8]]) {
    let blocks: Vec<Vec<u8>> = pieces
        .iter()
        .map(|piece| piece.blocks(records[piece.at]))
        .filter(|blocks| !blocks.is_empty())
        .collect();
    // Usage is repeated on every piece; the last one has the final output.
    let usage = pieces
        .iter()
        .rev()
        .find_map(|piece| Some(piece.usage?.slice(records[piece.at])));
    let usage = usage.map_or_else(Vec::new, |usage| {
        [b", \"usage\": ".as_slice(), usage].concat()
    });
    let places = pieces.iter().map(|piece| (piece.at, piece.span)).collect();
    thread.push_element(
        ElementMark::Message,
        places,
        &[
            b"{\"role\": \"assistant\", \"content\": [",
            &blocks.join(b", ".as_slice()),
            b"]",
            &usage,
            b"}",
        ],
    );
}

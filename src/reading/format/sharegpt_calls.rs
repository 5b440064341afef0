//! Calls that are JSON inside a string, as turns and blocks of training data hold them.

use crate::reading::format::prelude::*;
use crate::reading::json::locate_in_literal;
use std::ops::Range;

const THINK: [&str; 2] = ["<think>", "</think>"];

/// Returns the calls of a turn, and the thought before them. Trainers accept `<think>` there and
/// nothing else.
pub(super) fn thought_and_calls(bytes: &[u8], literal: Span) -> (Option<Span>, Vec<ToolCall>) {
    let text = decode_literal_wtf8(literal.slice(bytes));
    let end = text
        .starts_with(THINK[0].as_bytes())
        .then(|| memchr::memmem::find(&text, THINK[1].as_bytes()))
        .flatten();
    let Some(end) = end.map(|at| at + THINK[1].len()) else {
        return (None, calls_in_string(bytes, literal, None));
    };
    // A part of a literal includes one byte on each side, where the quotes of a literal are.
    let thought = Span {
        start: literal.start,
        end: literal.start + locate_in_literal(literal.slice(bytes), &[end])[0] + 1,
    };
    let calls = calls_in_string(bytes, literal, Some(end..text.len()));
    (Some(thought), calls)
}

/// Returns the calls (`{"name", "arguments"}`, or a list of them) in a string, or in a part of it
/// (bytes of its decoded text). Returns none if anything in it is not a call.
pub(super) fn calls_in_string(
    bytes: &[u8],
    literal: Span,
    part: Option<Range<usize>>,
) -> Vec<ToolCall> {
    let text = decode_literal_wtf8(literal.slice(bytes));
    let part = part.unwrap_or(0..text.len());
    let Ok(tree) = JsonTree::new(&text[part.clone()]) else {
        return Vec::new();
    };
    let embedded = EmbeddedText { bytes, literal, offset: part.start };
    let root = tree.root();
    let calls: Option<Vec<ToolCall>> = if root.is_kind(JsonKind::Array) {
        root.items().map(|node| embedded.read_call(node)).collect()
    } else {
        embedded.read_call(root).map(|call| vec![call])
    };
    calls.unwrap_or_default()
}

fn within_quotes(literal: Span) -> Span {
    Span { start: literal.start + 1, end: literal.end - 1 }
}

/// JSON inside a string literal. Spans of the decoded text are mapped to spans of the record.
struct EmbeddedText<'a> {
    bytes: &'a [u8],
    literal: Span,
    /// The place in the decoded text where the JSON begins.
    offset: usize,
}

impl EmbeddedText<'_> {
    fn read_call(&self, node: JsonNode<'_>) -> Option<ToolCall> {
        // OpenAI has the two below `function`.
        let function = node.get_kind("function", JsonKind::Object).unwrap_or(node);
        let id = node.literal_at("id");
        let name = function.literal_at("name")?;
        let arguments = ["arguments", "parameters", "args", "input"]
            .into_iter()
            .find_map(|key| function.get(key));
        Some(ToolCall {
            span: self.quoted_span(node.span()),
            id: id.map(|id| self.quoted_span(within_quotes(id))),
            name: Some(self.quoted_span(within_quotes(name))),
            arguments: arguments.map(|node| self.quoted_span(node.span())),
            valid: arguments.is_some_and(|arguments| arguments.is_kind(JsonKind::Object)),
            inside: true,
            ..ToolCall::default()
        })
    }

    /// Returns the span in the record of a span of the JSON, with one more byte on each side, where
    /// the quotes of a literal would be.
    fn quoted_span(&self, span: Span) -> Span {
        let at = locate_in_literal(
            self.literal.slice(self.bytes),
            &[self.offset + span.start, self.offset + span.end],
        );
        Span { start: self.literal.start + at[0] - 1, end: self.literal.start + at[1] + 1 }
    }
}

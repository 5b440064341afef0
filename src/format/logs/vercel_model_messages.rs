//! The messages that Vercel's AI SDK sends to a model, as traces log them: calls and results are
//! blocks (`tool-call`, `tool-result`) of their contents.

use crate::format::row::prelude::*;

/// Blocks that only messages to a model have.
const MODEL_BLOCK: If = is(
    "type",
    "tool-call|tool-result|tool-approval-request|tool-approval-response",
);
/// A message with such blocks.
pub(in crate::format) const MODEL_MESSAGE: If = If::Some(at("content"), &[MODEL_BLOCK]);

/// A message to a model.
#[rustfmt::skip]
pub(in crate::format) const MODEL_MESSAGES: MessageRow = MessageRow { needs: &[has("content")], ..message(
    by("role", &[
        ("system", Who::System),
        ("user", Who::User),
        ("assistant", Who::Assistant),
        ("tool", Who::User),
    ]),
    &[
        Step::Quiet,
        Step::When(&[is("role", "tool")], &[
            each("content", &[Step::NeedText(&[MODEL_BLOCK], "a block of a tool")]),
            each("content", &[Step::When(&[is("type", "tool-result")], &[Step::Before(&RESULT)])]),
            Step::Skip,
        ]),
        text("content"),
        each("content", &[Step::Case(&[
            when(&[is("type", "tool-result")], &[Step::Behind(&RESULT)]),
            when(&[is("type", "text")], &[Step::NeedText(&[has("text")], "a block"), text("text")]),
            when(&[is("type", "reasoning")], &[thought("text")]),
            when(&[is("type", "tool-call")], &[call("toolCallId", "toolName", "input|args")]),
            when(&[is("type", "image"), kind("image", TEXT)], &[image("image")]),
        ])]),
        // What is left out of a message that is read is found in its record.
        Step::When(&[some("content")], &[Step::NoteIfAlone("messages without text or calls")]),
    ],
) };

/// The result of a call. Its output is a value with a type, or (version 4) `result`.
#[rustfmt::skip]
const RESULT: MessageRow = message(SpeakerRow::Always(Who::Tool(at("toolCallId"))), &[
    inside("output|result", &[
        Step::Case(&[
            when(&[is("type", "content"), has("value|reason")], &[each("value|reason", &[Step::Case(&[
                when(&[kind("text", TEXT)], &[text("text")]),
                otherwise(&[value("")]),
            ])])]),
            when(&[kind("type", TEXT), has("value|reason")], &[value("value|reason")]),
            otherwise(&[value("")]),
        ]),
        Step::Failed(&[is("type", "error-text|error-json|execution-denied")]),
    ]),
    Step::Failed(&[truth("isError")]),
]);

//! The messages that Vercel's AI SDK sends to a model, as traces log them: calls and results are
//! blocks (`tool-call`, `tool-result`) of their contents.

use crate::reading::format::row::prelude::*;

/// Blocks that only messages to a model have.
const MODEL_BLOCK: If =
    is("type", "tool-call|tool-result|tool-approval-request|tool-approval-response");
pub(crate) const MODEL_MESSAGE: If = If::Some(at("content"), &[MODEL_BLOCK]);

#[rustfmt::skip]
pub(crate) const MODEL_MESSAGES: MessageRow = MessageRow { needs: &[has("content")], ..message(
    by("role", &[
        ("system", Who::System),
        ("user", Who::User),
        ("assistant", Who::Assistant),
        ("tool", Who::User),
    ]),
    &[
        RowStep::Quiet,
        RowStep::When(&[is("role", "tool")], &[
            each("content", &[RowStep::NeedText(&[MODEL_BLOCK], "a block of a tool")]),
            each("content", &[RowStep::When(&[is("type", "tool-result")], &[RowStep::Before(&RESULT)])]),
            RowStep::Skip,
        ]),
        text("content"),
        each("content", &[RowStep::Case(&[
            when(&[is("type", "tool-result")], &[RowStep::Behind(&RESULT)]),
            when(&[is("type", "text")], &[RowStep::NeedText(&[has("text")], "a block"), text("text")]),
            when(&[is("type", "reasoning")], &[thought("text")]),
            when(&[is("type", "tool-call")], &[call("toolCallId", "toolName", "input|args")]),
            when(&[is("type", "image"), kind("image", TEXT)], &[image("image")]),
        ])]),
        // What is left out of a message that is read is found in its record.
        RowStep::When(&[some("content")], &[RowStep::NoteIfAlone("messages without text or calls")]),
    ],
) };

/// The result of a call. Its output is a value with a type, or (version 4) `result`.
#[rustfmt::skip]
const RESULT: MessageRow = message(SpeakerRow::Always(Who::Tool(at("toolCallId"))), &[
    inside("output|result", &[
        RowStep::Case(&[
            when(&[is("type", "content"), has("value|reason")], &[each("value|reason", &[RowStep::Case(&[
                when(&[kind("text", TEXT)], &[text("text")]),
                otherwise(&[value("")]),
            ])])]),
            when(&[kind("type", TEXT), has("value|reason")], &[value("value|reason")]),
            otherwise(&[value("")]),
        ]),
        RowStep::Failed(&[is("type", "error-text|error-json|execution-denied")]),
    ]),
    RowStep::Failed(&[truth("isError")]),
]);

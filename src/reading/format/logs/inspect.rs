//! Logs of Inspect: the samples of an evaluation, each with the messages of one epoch. Long texts
//! are `attachments` of a sample, to which its messages point (`attachment://HASH`).

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const INSPECT: LogRow = LogRow {
    name: "inspect",
    help: "Inspect evaluation logs: {\"eval\", \"samples\": [{\"id\", \"epoch\", \"messages\"}]}, or one sample a record",
    evidence: &[
        conversation(WHY, &[has("eval"), If::Of(at("samples.0"), &[SAMPLE])]),
        conversation(WHY, &[SAMPLE]),
    ],
    reads: Reads::Conversations(&ConversationRow {
        below: Some("samples"),
        message: &MESSAGE,
        pointers: Some(PointerRow {
            key: "attachments",
            start: "attachment://",
            unused: "attachments that no message points to",
        }),
        // Each sample is run once an epoch.
        id: Id::OfRun { of: at("id"), number: at("epoch"), label: "epoch", or: NOWHERE },
        model: &[Model::OfConversation(at("output.model"))],
        read: &["id", "epoch", "messages", "attachments"],
        ..ConversationRow::PLAIN
    }),
};

const WHY: &str = "samples with an epoch and messages";
const SAMPLE: If = all("id|epoch|messages|target");

const SERVED: MessageRow = result("id", &[value("result"), RowStep::Failed(&[some("error")])]);

#[rustfmt::skip]
const MESSAGE: MessageRow = message(
    by("role", &[
        ("system", Who::System),
        ("user", Who::User),
        ("assistant", Who::Assistant),
        ("tool", Who::Tool(at("tool_call_id"))),
    ]),
    &[
        RowStep::NeedText(&[has("content")], "a message"),
        text("content"),
        // Blocks of other types are found in the message when it is converted.
        each("content", &[RowStep::Case(&[
            when(&[is("type", "text")], &[RowStep::AfterCalls, text("text")]),
            // A call that the provider carried out, with its result.
            when(&[is("type", "tool_use")], &[
                call("id", "name", "arguments"),
                RowStep::Behind(&SERVED),
            ]),
            when(&[is("type", "document|audio|video|data")], &[RowStep::Block]),
            when(&[is("type", "reasoning")], &[thought("reasoning")]),
            when(&[is("type", "image"), kind("image", TEXT)], &[image("image")]),
        ])]),
        RowStep::IfSilent(&[RowStep::NeedText(
            &[If::Any(&[If::Not(&[some("content")]), has("tool_calls")])],
            "a message",
        )]),
        RowStep::When(&[kind("error", OBJECT)], &[
            RowStep::IfSilent(&[text("error.message")]),
            RowStep::Failed(&[]),
        ]),
        each("tool_calls", &[call("id", "function", "arguments")]),
    ],
);

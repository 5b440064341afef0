//! Sessions of Continue: a `history` of messages with what was attached to them (`contextItems`)
//! and the state of their calls. What a summary stands for is not part of the live conversation.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const CONTINUE: LogRow = LogRow {
    name: "continue",
    help: "Continue sessions: {\"sessionId\", \"history\": [{\"message\": {\"role\", \"content\"}, \"contextItems\"}]}",
    evidence: &[conversation("a history of messages with contextItems", &[
        If::First(&[If::Of(at("history.0"), &[has("message.role"), has("contextItems")])]),
    ])],
    reads: Reads::Conversations(&ConversationRow {
        messages: Messages::Found(after_summary),
        message: &ITEM,
        // The state of other calls holds their output.
        answers: (
            &[is("message.role", "tool"), kind("message.content", TEXT), If::Not(&[is("message.content", "")])],
            at("message.toolCallId"),
        ),
        id: Id::Text(at("sessionId")),
        model: &[Model::OfConversation(at("chatModelTitle"))],
        read: &["sessionId", "history"],
        ..ConversationRow::PLAIN
    }),
};

#[rustfmt::skip]
const ITEM: MessageRow = message(
    SpeakerRow::Named {
        role: at("role"),
        path: "message.role",
        roles: &[
            ("system", Who::System),
            ("user", Who::User),
            ("assistant", Who::Assistant),
            ("thinking", Who::Assistant),
            ("tool", Who::Tool(at("message.toolCallId"))),
        ],
    },
    &[
        inside("message", &[RowStep::NeedText(&[has("content")], "a message")]),
        RowStep::When(&[is("message.role", "thinking")], &[thought("message.content"), RowStep::Hold]),
        RowStep::When(&[If::Not(&[is("message.role", "thinking")])], &[
            // What was attached is sent before the words.
            RowStep::When(&[is("message.role", "user")], &[each("contextItems", &[text("content")])]),
            RowStep::When(&[is("message.role", "tool")], &[RowStep::Unanswered(at("message.toolCallId"), &[RowStep::Skip])]),
            text("message.content"),
            each("message.content", &[RowStep::Case(&[
                when(&[kind("text", TEXT)], &[text("text")]),
                when(&[has("imageUrl.url")], &[image("imageUrl.url")]),
            ])]),
            RowStep::When(&[is("message.role", "assistant")], &[
                RowStep::Recall(&[thought("reasoning.text")]),
                each("message.toolCalls", &[call("id", "function.name|name", "function.arguments|arguments")]),
                each("toolCallStates", &[OUTPUT]),
                inside("toolCallState", &[OUTPUT]),
            ]),
        ]),
    ],
);

/// The output of a call that has no result of its own.
#[rustfmt::skip]
const OUTPUT: RowStep = RowStep::When(&[kind("toolCallId", TEXT), has("output")], &[
    RowStep::Unanswered(at("toolCallId"), &[RowStep::Behind(&result("toolCallId", &[
        each("output", &[value("content")]),
        RowStep::Failed(&[is("status", "errored")]),
    ]))]),
]);

/// Returns the messages behind the last summary of all that is before, which is appended.
fn after_summary<'t>(
    thread: &mut JournalThread,
    session: JsonNode<'t>,
) -> Result<Vec<JsonNode<'t>>> {
    let mut items: Vec<JsonNode<'_>> =
        session.need_kind("history", JsonKind::Array)?.items().collect();
    let summary_of = |item: &JsonNode<'t>| {
        let summary = item.get("conversationSummary");
        summary.filter(|summary| summary.as_non_empty_text().is_some())
    };
    let Some(last) = items.iter().rposition(|item| summary_of(item).is_some()) else {
        return Ok(items);
    };
    let rest = items.split_off(last + 1);
    let what = "messages that a summary replaces".to_owned();
    thread.note_all_left_out(what, session.record_index(), items.len() as u64);
    if let Some(summary) = summary_of(&items[last]) {
        let mut element = MessageBuilder::new("user").with_place(summary.place());
        element.push_string(summary);
        element.mark = ElementMark::Summary;
        element.push_onto(thread);
    }
    Ok(rest)
}

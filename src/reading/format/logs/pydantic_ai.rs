//! Messages of pydantic-ai, as its `ModelMessagesTypeAdapter` writes them: requests and responses
//! of parts, which name their kind.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const PYDANTIC_AI: LogRow = LogRow {
    name: "pydantic-ai",
    help: "pydantic-ai messages: {\"kind\": \"request\"|\"response\", \"parts\": [{\"part_kind\"}]}, a list, one a line, or {\"messages\": [...]}",
    evidence: &[event(WHY, OF_PARTS), list(WHY, OF_PARTS)],
    reads: Reads::Messages(&MESSAGE),
};

const WHY: &str = "requests and responses with a part_kind";
const OF_PARTS: &[If] = &[
    is("kind", "request|response"),
    kind("parts", LIST),
    If::Every(at("parts"), &[kind("part_kind", TEXT)]),
];
const ID: &str = "tool_call_id";

#[rustfmt::skip]
const MESSAGE: MessageRow = MessageRow { needs: OF_PARTS, ..message(
    SpeakerRow::First(&[(&[is("kind", "request")], Who::User), (&[], Who::Assistant)]),
    &[
        RowStep::When(&[is("kind", "request")], &[
            RowStep::Own(push_instructions),
            each("parts", &[RowStep::Before(&REQUEST_PART)]),
            RowStep::Skip,
        ]),
        usage("usage"),
        RowStep::FirstModel(at("model_name")),
        each("parts", &[RowStep::Case(RESPONSE_PARTS)]),
    ],
) };

/// Each part of a request is a message.
#[rustfmt::skip]
const REQUEST_PART: MessageRow = part(
    "a part of a request",
    SpeakerRow::First(&[
        (&[is("part_kind", "system-prompt")], Who::System),
        (&[is("part_kind", "user-prompt")], Who::User),
        (&[is("part_kind", "tool-return|builtin-tool-return")], Who::Tool(at(ID))),
        (RETRY_OF_TOOL, Who::Tool(at(ID))),
        (&[is("part_kind", "retry-prompt")], Who::User),
        (&[], Who::Stranger),
    ]),
    &[
        RowStep::Failed(RETRY_OF_TOOL),
        RowStep::NeedText(&[has("content")], "a part of a request"),
        RowStep::Case(&[
            when(&[is("part_kind", "user-prompt")], &[
                text("content"),
                // Files other than images are found in the message when it is converted.
                each("content", &[RowStep::Case(&[
                    when(&[is("kind", "image-url"), kind("url", TEXT)], &[image("url")]),
                    otherwise(&[text("")]),
                ])]),
            ]),
            otherwise(&[value("content")]),
        ]),
    ],
);
const RETRY_OF_TOOL: &[If] = &[is("part_kind", "retry-prompt"), kind("tool_name", TEXT)];

/// What is said and called, then the results of the model's own tools. Parts of other kinds are
/// found in the message when it is converted.
#[rustfmt::skip]
const RESPONSE_PARTS: &[Case] = &[
    when(&[is("part_kind", "text")], &[text("content")]),
    when(&[is("part_kind", "thinking")], &[thought("content")]),
    when(&[is("part_kind", "tool-call|builtin-tool-call")], &[call(ID, "tool_name", "args")]),
    when(&[is("part_kind", "builtin-tool-return")], &[RowStep::Behind(&message(
        SpeakerRow::Always(Who::Tool(at(ID))),
        &[RowStep::Mark(ElementMark::Joined), value("content")],
    ))]),
];

/// Appends the instructions. They are sent anew with each request; they come before the first only.
fn push_instructions(writer: &mut MessageWriter<'_, '_>, message: JsonNode<'_>) -> Result<()> {
    let instructions = message.literal_bytes("instructions");
    if let Some(instructions) = instructions.filter(|_| writer.thread.len() == 0) {
        let mut element = MessageBuilder::new("system").with_place(writer.place);
        element.push_text(instructions);
        element.push_onto(writer.thread);
    }
    Ok(())
}

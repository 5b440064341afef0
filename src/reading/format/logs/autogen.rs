//! Messages of AutoGen: those of its agents (`TextMessage`, `ToolCallRequestEvent`, ...), and those
//! that it sends to a model (`UserMessage`, `AssistantMessage`, ...).

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const AUTOGEN: LogRow = LogRow {
    name: "autogen",
    help: "AutoGen messages: {\"source\", \"content\", \"type\": \"TextMessage\"...}, a list, one a line, or {\"messages\": [...]}",
    evidence: &[event(WHY, OF_AUTOGEN), list(WHY, OF_AUTOGEN)],
    reads: Reads::Messages(&MESSAGE),
};

const WHY: &str = "messages with a source and a type of AutoGen";
/// The names of structured messages go on with the name of their content.
#[rustfmt::skip]
const OF_AUTOGEN: &[If] = &[
    If::Any(&[is("type", TYPES), starts("type", "StructuredMessage")]),
    If::Any(&[kind("source", TEXT), is("type", "SystemMessage|FunctionExecutionResultMessage")]),
];
const TYPES: &str = "TextMessage|MultiModalMessage|StopMessage|HandoffMessage|ToolCallSummaryMessage\
    |ToolCallRequestEvent|ToolCallExecutionEvent|ThoughtEvent|MemoryQueryEvent|UserInputRequestedEvent\
    |ModelClientStreamingChunkEvent|CodeGenerationEvent|CodeExecutionEvent|SelectSpeakerEvent\
    |SelectorEvent|SystemMessage|UserMessage|AssistantMessage|FunctionExecutionResultMessage";
const OF_SYSTEM: If = is("type", "SystemMessage|MemoryQueryEvent");
const RESULTS: If = is("type", "ToolCallExecutionEvent|FunctionExecutionResultMessage");
/// Types that hold nothing but pieces of messages, or names of speakers.
const OF_SCREEN: If = is(
    "type",
    "UserInputRequestedEvent|ModelClientStreamingChunkEvent|SelectSpeakerEvent|SelectorEvent",
);
const CONTENT: &str = "content|result.output";

#[rustfmt::skip]
const MESSAGE: MessageRow = MessageRow { needs: OF_AUTOGEN, ..message(
    SpeakerRow::First(&[
        (&[OF_SCREEN], Who::Nobody("messages of type $type")),
        (&[OF_SYSTEM], Who::System),
        (&[is("type", "UserMessage|CodeExecutionEvent")], Who::User),
        (&[is("source", "user|user_proxy")], Who::User),
        (&[], Who::Named(at("source"))),
    ]),
    &[
        RowStep::NeedText(&[has(CONTENT)], "a message"),
        RowStep::When(&[RESULTS], &[each(CONTENT, &[RowStep::Before(&RESULT)]), RowStep::Skip]),
        thought("thought"),
        // A text, calls, or a list of texts, images and memories.
        RowStep::Case(&[
            when(&[is("type", "ThoughtEvent")], &[thought(CONTENT)]),
            when(&[some(CONTENT)], &[each(CONTENT, &[RowStep::Case(&[
                when(&[all("arguments|name")], &[call("id", "name", "arguments")]),
                when(&[kind("data", TEXT)], &[RowStep::Own(push_image)]),
                otherwise(&[value("content|")]),
            ])])]),
            otherwise(&[value(CONTENT)]),
        ]),
    ],
) };

const RESULT: MessageRow = message(
    SpeakerRow::Always(Who::Tool(at("call_id"))),
    &[value("content"), RowStep::Failed(&[truth("is_error")])],
);

fn push_image(writer: &mut MessageWriter<'_, '_>, item: JsonNode<'_>) -> Result<()> {
    let data = decode_literal(at("data").literal_or_empty(item));
    let url = format!("data:image/png;base64,{data}");
    writer.element.push_image(&encode_literal(&url));
    Ok(())
}

//! Messages of Vercel's AI SDK as its user interface keeps them (`UIMessage`): one a line, a list,
//! or a list under `messages`. Their parts have a type; calls hold their results.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const VERCEL_UI: LogRow = LogRow {
    name: "vercel-ui",
    help: "Vercel AI SDK UIMessages: {\"id\", \"role\", \"parts\": [...]}, one a line, a list, or {\"messages\": [...]}",
    evidence: &[event(WHY, UI_MESSAGE), list(WHY, UI_MESSAGE)],
    reads: Reads::Messages(&MESSAGE),
};

const WHY: &str = "messages with parts of a type";
/// Parts have types, and texts under the key that only this format has.
#[rustfmt::skip]
const UI_MESSAGE: &[If] = &[
    is("role", "system|user|assistant"),
    kind("parts", LIST),
    If::Any(&[some("parts"), has("id")]),
    If::Every(at("parts"), &[
        kind("type", TEXT),
        If::Any(&[If::Not(&[is("type", "text")]), has("text")]),
    ]),
];

/// Each step of an answer is a message, and each result another.
#[rustfmt::skip]
const MESSAGE: MessageRow = message(
    by("role", &[("system", Who::System), ("user", Who::User), ("assistant", Who::Assistant)]),
    &[
        RowStep::Quiet,
        RowStep::NeedText(&[kind("parts", LIST)], "a message"),
        RowStep::EachThat(at("parts"), &[RowStep::Case(PARTS)]),
    ],
);

#[rustfmt::skip]
const PARTS: &[Case] = &[
    when(&[is("type", "text")], &[
        RowStep::NeedText(&[has("text")], "a part"),
        RowStep::When(&[kind("text", TEXT)], &[RowStep::AfterCalls, text("text")]),
    ]),
    // Version 4 has the text under the key of its type.
    when(&[is("type", "reasoning")], &[
        RowStep::When(&[kind("text", TEXT)], &[RowStep::AfterCalls, thought("text")]),
        RowStep::When(&[kind("reasoning", TEXT)], &[RowStep::AfterCalls, thought("reasoning")]),
    ]),
    when(&[is("type", "step-start")], &[RowStep::End]),
    when(&[is("type", "file"), starts("mediaType|mimeType", "image/"), kind("url", TEXT)], &[image("url")]),
    when(&[is("type", "file")], &[RowStep::Block]),
    when(&[is("type", "dynamic-tool")], TOOL),
    when(&[is("type", "tool-invocation")], &[inside("toolInvocation", TOOL)]),
    when(&[starts("type", "tool-"), has("toolCallId")], &[RowStep::Own(push_named_call), OUTPUT]),
    otherwise(&[RowStep::NoteIfAlone("parts of type $type")]),
];

/// A call, and its result if it has one.
const TOOL: &[RowStep] = &[call("toolCallId", "toolName", INPUT), OUTPUT];
const INPUT: &str = "input|rawInput|args";
const ERROR: If = kind("errorText", FILLED);
const DENIED: If = kind("approval.reason", FILLED);
#[rustfmt::skip]
const OUTPUT: RowStep = RowStep::When(&[If::Any(&[ERROR, has("output|result"), DENIED])], &[
    RowStep::Behind(&result("toolCallId", &[
        RowStep::Case(&[
            when(&[ERROR], &[value("errorText")]),
            when(&[has("output|result")], &[value("output|result")]),
            // The reason is all that the model learns.
            otherwise(&[value("approval.reason")]),
        ]),
        RowStep::Failed(&[is("state", "output-error|output-denied")]),
    ])),
]);

/// Adds a call whose tool is named in the type of its part.
fn push_named_call(writer: &mut MessageWriter<'_, '_>, part: JsonNode<'_>) -> Result<()> {
    let kind = part.get_text("type");
    let name = kind.as_deref().and_then(|kind| kind.strip_prefix("tool-"));
    let id = at("toolCallId").literal_or_empty(part);
    let name = encode_literal(name.unwrap_or_default());
    writer.element.push_call(id, &name, at(INPUT).node(part));
    Ok(())
}

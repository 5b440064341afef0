//! Sessions of Factory Droid (`~/.factory/sessions/**/*.jsonl`): a start, then messages with
//! Anthropic blocks that hang on each other by `parentId`, and lines of state between them.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const DROID: LogRow = LogRow {
    name: "droid",
    help: "Factory Droid sessions (~/.factory/sessions): session_start, then messages with Anthropic blocks, linked by parentId",
    evidence: &[
        event(STATE, &[is("type", "session_start"), has("cwd|session|owner|title")]),
        event(STATE, &[is("type", "todo_state|session_settings|agent_turn_outcome|compaction_state")]),
        own_message(ENTRY, &[
            If::Some(at("message.content"), &[is("type", "tool_use|tool_result")]),
            If::Of(at(""), OWN),
        ]),
        fits(ENTRY, OWN),
    ],
    reads: Reads::Lines(&LinesRow {
        dialect: ANTHROPIC,
        tree: Some(LineLinks {
            id: at("id"),
            parent: at("parentId"),
            up_to: at("anchorMessage.id|anchorMessageId"),
        }),
        lines: &[
            Line { when: &[is("type", "session_start")], id: at("session.id|id"), ..Line::NOTE },
            Line { when: &[is("type", "session_settings")], model: at("settings.model|model"), ..Line::NOTE },
            Line {
                when: &[is("type", "message")],
                needs: &[
                    (&[has("message")], NOWHERE, "message"),
                    (MESSAGE, at("message"), "message.content of a user or an assistant"),
                ],
                model: at("message.model"),
                becomes: Becomes::Message(&template(r#"{"role": $message.role, "content": $message.content}"#)),
                ..Line::NOTE
            },
            Line {
                when: &[is("type", "compaction_state"), If::Own(|line| at(SUMMARY).literal(line).is_some())],
                becomes: Becomes::Message(&template(r#"{"role": "user", "content": $summaryText|summary|summary.body|summary.text?}"#)),
                is_summary: true,
                ..Line::NOTE
            },
        ],
        ..LinesRow::PLAIN
    }),
};

const STATE: &str = "session_start, or a line of state";
const ENTRY: &str = "an entry with a message of Anthropic blocks";
const SUMMARY: &str = "summaryText|summary|summary.body|summary.text";
const MESSAGE: &[If] =
    &[is("message.role", "user|assistant"), kind("message.content", TEXT_OR_LIST)];
/// The keys that are not there are those of the messages of other programs whose entries look alike.
const OWN: &[If] = &[
    is("type", "message"),
    If::Of(at(""), MESSAGE),
    has("id"),
    none("message.timestamp|message.api|message.provider|message.stopReason"),
];

//! Transcripts of Cursor's agent: `{"role", "message": {"content": [Anthropic blocks]}}`, and lines
//! that say how a turn ended. Calls often have no ids, and the results of tools are mostly missing.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const CURSOR: LogRow = LogRow {
    name: "cursor",
    help: "Cursor agent transcripts (~/.cursor/projects/*/agent-transcripts): {\"role\", \"message\": {\"content\": [...]}}",
    evidence: &[
        event("a role beside a message with content", TURN),
        event("turn_ended with a status", &[is("type", "turn_ended"), has("status")]),
    ],
    reads: Reads::Lines(&LinesRow {
        dialect: ANTHROPIC,
        lines: &[Line {
            when: &[has("role")],
            needs: &[(TURN, at("message|"), "message.content of a user or an assistant")],
            becomes: Becomes::Message(&template(r#"{"role": $role, "content": $message.content}"#)),
            ..Line::NOTE
        }],
        ..LinesRow::PLAIN
    }),
};

/// The keys that are not there are those of lines of other programs.
const TURN: &[If] = &[
    is("role", "user|assistant"),
    kind("message.content", TEXT_OR_LIST),
    none("type|content|uuid|parentUuid|session_id"),
];

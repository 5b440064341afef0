//! Transcripts of Cursor's agent: `{"role", "message": {"content": [Anthropic blocks]}}`, and lines
//! that say how a turn ended. Calls often have no ids, and the results of tools are mostly missing.

use crate::format::dialects::ANTHROPIC;
use crate::format::row::*;

#[rustfmt::skip]
pub(in crate::format) const CURSOR: LogRow = LogRow {
    name: "cursor",
    help: "Cursor agent transcripts (~/.cursor/projects/*/agent-transcripts): {\"role\", \"message\": {\"content\": [...]}}",
    evidence: &[
        event("a role beside a message with content", TURN),
        event("turn_ended with a status", &[is("type", "turn_ended"), has("status")]),
    ],
    reads: Reads::Lines(&LinesRow {
        dialect: ANTHROPIC,
        list: "messages",
        lines: &[Line {
            when: &[has("role")],
            needs: &[(TURN, at("message|"), "message.content of a user or an assistant")],
            becomes: Becomes::Message(r#"{"role": $role, "content": $message.content}"#),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    #[test]
    fn messages_and_ends_of_turns_are_recognized_and_nothing_else() {
        for record in [
            r#"{"role": "user", "message": {"content": [{"type": "text", "text": "Why?"}]}}"#,
            r#"{"role": "assistant", "message": {"content": "It is hot."}}"#,
            r#"{"type": "turn_ended", "status": "success"}"#,
        ] {
            assert!(recognizes(&CURSOR, record), "{record}");
        }
        for record in [
            r#"{"role": "user", "content": "x", "message": {"content": "y"}}"#,
            r#"{"type": "user", "role": "user", "message": {"content": "y"}}"#,
            r#"{"role": "tool", "message": {"content": "y"}}"#,
            r#"{"role": "user", "message": "y"}"#,
            r#"{"type": "turn_ended", "outcome": "success"}"#,
        ] {
            assert!(!recognizes(&CURSOR, record), "{record}");
        }
    }

    #[test]
    fn calls_without_ids_and_results_are_read() {
        let log = r#"{"role": "user", "message": {"content": [{"type": "text", "text": "Why?"}]}}
{"role": "assistant", "message": {"content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "name": "Read", "input": {"path": "a"}}]}}
{"role": "assistant", "message": {"content": [{"type": "text", "text": "It is hot."}]}}
{"type": "turn_ended", "status": "success"}"#;
        let threads = tell_threads(&CURSOR, log);
        assert_eq!(
            threads[0].messages,
            [
                "user: Why?",
                "assistant: I look. [Read]",
                "assistant: It is hot."
            ]
        );
        assert_eq!(threads[0].omitted, ["records of type turn_ended"]);
    }
}

//! Context files of older versions of Kimi CLI (`context.jsonl`): OpenAI chat messages, one a line,
//! with notes between them whose roles begin with `_`.

use crate::format::dialects::OPENAI;
use crate::format::row::*;

#[rustfmt::skip]
pub(in crate::format) const KIMI_HISTORY: LogRow = LogRow {
    name: "kimi-context",
    help: "older Kimi CLI contexts (context.jsonl): OpenAI messages one per line, with _checkpoint and _usage between them",
    evidence: &[
        event(WHY, &[is("role", "_checkpoint"), has("id")]),
        event(WHY, &[is("role", "_usage"), has("token_count")]),
        event(WHY, &[is("role", "_system_prompt"), has("content")]),
        // The messages alone are OpenAI's.
        fits(WHY, &[MESSAGE, has("content"), If::Only(at("role|content|tool_calls|tool_call_id|name|partial"))]),
    ],
    reads: Reads::Lines(&LinesRow {
        dialect: OPENAI,
        list: "messages",
        lines: &[
            Line { when: &[is("role", "_system_prompt")], becomes: Becomes::Prompt(at("content")), ..Line::NOTE },
            Line { when: &[MESSAGE], becomes: Becomes::Message("$"), ..Line::NOTE },
            Line { needs: &[(&[kind("role", TEXT), If::Not(&[is("role", "")])], NOWHERE, "role")], ..Line::NOTE },
        ],
        ..LinesRow::PLAIN
    }),
};

const WHY: &str = "a role _checkpoint, _usage or _system_prompt";
const MESSAGE: If = is("role", "system|user|assistant|tool");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    #[test]
    fn notes_are_no_messages() {
        let log = r#"{"role": "_system_prompt", "content": "Help."}
{"role": "_checkpoint", "id": 0}
{"role": "user", "content": "Why?"}
{"role": "assistant", "content": [{"type": "think", "think": "Hm."}, {"type": "text", "text": "I look."}], "tool_calls": [{"type": "function", "id": "c", "function": {"name": "Read", "arguments": "{}"}}]}
{"role": "_usage", "token_count": 9}
{"role": "tool", "content": [{"type": "text", "text": "61 C"}], "tool_call_id": "c"}"#;
        for line in log.lines() {
            assert!(recognizes(&KIMI_HISTORY, line), "{line}");
        }
        let threads = tell_threads(&KIMI_HISTORY, log);
        assert_eq!(
            threads[0].messages,
            [
                "system: Help.",
                "user: Why?",
                "assistant: I look. [Read]",
                "tool: 61 C"
            ]
        );
        assert!(!recognizes(
            &KIMI_HISTORY,
            r#"{"role": "user", "content": "x", "timestamp": 1}"#
        ));
    }
}

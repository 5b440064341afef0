//! Context files of older versions of Kimi CLI (`context.jsonl`): OpenAI chat messages, one a line,
//! with notes between them whose roles begin with `_`.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const KIMI_HISTORY: LogRow = LogRow {
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
        lines: &[
            Line { when: &[is("role", "_system_prompt")], becomes: Becomes::Prompt(at("content")), ..Line::NOTE },
            Line { when: &[MESSAGE], becomes: Becomes::Message(&template("$")), ..Line::NOTE },
            Line { needs: &[(&[kind("role", TEXT), If::Not(&[is("role", "")])], NOWHERE, "role")], ..Line::NOTE },
        ],
        ..LinesRow::PLAIN
    }),
};

const WHY: &str = "a role _checkpoint, _usage or _system_prompt";
const MESSAGE: If = is("role", "system|user|assistant|tool");

//! The stream of `claude -p --output-format stream-json`: turns as in a session file, but in order
//! and without a graph. The turns of a sub-agent name the call that started it. The stream is a
//! report, from which no session can be resumed.

use crate::reading::format::claude_turns::{ClaudeTurn, build_thread};
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const CLAUDE_STREAM: LogRow = LogRow {
    name: "claude-stream",
    help: "the stream of `claude -p --output-format stream-json`: system/init, user and assistant messages, result",
    evidence: &[
        event("a system line of subtype init", &[NO_LINE_OF_A_FILE, is("type", "system"), is("subtype", "init"), has("session_id")]),
        event("a message below a type user or assistant", &[NO_LINE_OF_A_FILE, is("type", "user|assistant"), has("message.role")]),
    ],
    reads: Reads::Own(|| Box::new(ClaudeStreamReader::default())),
};

/// Lines of session files have a parent, or both ids.
const NO_LINE_OF_A_FILE: If = If::Not(&[If::Any(&[has("parentUuid"), all("uuid|sessionId")])]);

#[derive(Default)]
struct ClaudeStreamReader {
    id: Option<String>,
    model: Option<String>,
    /// The turns of each agent, by the call that started it.
    agents: Agents<Vec<ClaudeTurn>>,
}

impl JournalReader for ClaudeStreamReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        at("session_id").first_into(&mut self.id, record);
        if record.has_text("subtype", "init") {
            self.model = record.non_empty_text("model").or(self.model.take());
        }
        if let Some(turn) = ClaudeTurn::from_line(record) {
            let call = record.non_empty_text("parent_tool_use_id");
            self.agents.agent(call, Vec::new).push(turn);
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        self.agents.into_threads(self.id, |turns| {
            let turns: Vec<&ClaudeTurn> = turns.iter().collect();
            let mut thread = build_thread(&turns, records, WriteMode::Nowhere, last);
            thread.model = thread.model.take().or_else(|| self.model.clone());
            thread
        })
    }
}

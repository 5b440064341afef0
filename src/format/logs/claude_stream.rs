//! The stream of `claude -p --output-format stream-json`: turns as in a session file, but in order
//! and without a graph. The turns of a sub-agent name the call that started it. The stream is a
//! report, from which no session can be resumed.

use crate::error::RecordError;
use crate::format::claude_turns::{ClaudeTurn, build_thread};
use crate::format::journal::{JournalReader, JournalThread};
use crate::format::row::prelude::*;
use crate::format::tree::JsonNode;
use crate::transcript::journal::WriteMode;
use std::collections::HashMap;

#[rustfmt::skip]
pub(in crate::format) const CLAUDE_STREAM: LogRow = LogRow {
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

/// The turns of one agent.
struct AgentTurns {
    /// The call that started the agent; `None` for the main agent.
    call: Option<String>,
    turns: Vec<ClaudeTurn>,
}

#[derive(Default)]
struct ClaudeStreamReader {
    id: Option<String>,
    model: Option<String>,
    agents: Vec<AgentTurns>,
    /// The index of each agent, by the call that started it.
    agent_of_call: HashMap<Option<String>, usize>,
}

impl JournalReader for ClaudeStreamReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        self.id = self
            .id
            .take()
            .or_else(|| record.non_empty_text("session_id"));
        if record.has_text("subtype", "init") {
            self.model = record.non_empty_text("model").or(self.model.take());
        }
        let Some(turn) = ClaudeTurn::from_line(at, record) else {
            return Ok(());
        };
        let call = record.non_empty_text("parent_tool_use_id");
        let count = self.agents.len();
        let number = *self.agent_of_call.entry(call.clone()).or_insert(count);
        if number == count {
            let turns = Vec::new();
            self.agents.push(AgentTurns { call, turns });
        }
        self.agents[number].turns.push(turn);
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        self.agents
            .iter()
            .map(|agent| self.agent_thread(agent, records))
            .filter(|thread| thread.len() > 0)
            .collect()
    }
}

impl ClaudeStreamReader {
    fn agent_thread(&self, agent: &AgentTurns, records: &[&[u8]]) -> JournalThread {
        let turns: Vec<&ClaudeTurn> = agent.turns.iter().collect();
        let last = records.len().saturating_sub(1);
        let mut thread = build_thread(&turns, records, WriteMode::Nowhere, last);
        thread.model = thread.model.take().or_else(|| self.model.clone());
        thread.id = match (&self.id, &agent.call) {
            (Some(id), Some(call)) => Some(format!("{id}-agent-{call}")),
            (id, call) => id.clone().or_else(|| call.clone()),
        };
        thread
    }
}

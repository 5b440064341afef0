//! The stream of `claude -p --output-format stream-json`: turns as in a session
//! file, but in order and without a graph; what a sub-agent says names the call
//! that began it. A report, not a session.

use crate::error::RecordError;
use crate::format::claude_turns::{ClaudeTurn, tell};
use crate::format::journal::{Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::transcript::journal::WriteMode;
use std::borrow::Cow;

/// Streams of Claude Code.
pub(super) struct ClaudeStreamJournal;

impl Journal for ClaudeStreamJournal {
    fn name(&self) -> &'static str {
        "claude-stream"
    }

    fn help_line(&self) -> &'static str {
        "the stream of `claude -p --output-format stream-json`: system/init, user and assistant messages, result"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        if ["uuid", "parentUuid", "sessionId"]
            .iter()
            .filter(|key| record.has_key(key))
            .count()
            > 1
            || record.has_key("parentUuid")
        {
            return None;
        }
        let hit = |why| {
            Some(Recognition {
                shape: Shape::Journal,
                certainty: Certainty::Envelope,
                why,
            })
        };
        if record.has_text("type", "system")
            && record.has_text("subtype", "init")
            && record.has_key("session_id")
        {
            return hit("a system line of subtype init");
        }
        let speaks = record.has_text("type", "user") || record.has_text("type", "assistant");
        if speaks
            && record
                .get("message")
                .is_some_and(|message| message.has_key("role"))
        {
            hit("a message below a type user or assistant")
        } else {
            None
        }
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(ClaudeStreamReader::default())
    }
}

/// A stream while it is read.
#[derive(Default)]
struct ClaudeStreamReader {
    id: Option<String>,
    model: Option<String>,
    /// Turns by the call that began their agent.
    threads: Vec<(Option<String>, Vec<ClaudeTurn>)>,
}

impl JournalReader for ClaudeStreamReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let text_at = |key: &str| {
            record
                .get(key)
                .and_then(JsonNode::as_text)
                .filter(|text| !text.is_empty())
                .map(Cow::into_owned)
        };
        self.id = self.id.take().or_else(|| text_at("session_id"));
        if record.has_text("subtype", "init") {
            self.model = text_at("model").or(self.model.take());
        }
        let Some(turn) = ClaudeTurn::of(at, record) else {
            return Ok(());
        };
        let agent = text_at("parent_tool_use_id");
        match self.threads.iter_mut().find(|(known, _)| *known == agent) {
            Some((_, turns)) => turns.push(turn),
            None => self.threads.push((agent, vec![turn])),
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let tell = |(agent, turns): &(Option<String>, Vec<ClaudeTurn>)| {
            let mut thread = tell(
                &turns.iter().collect::<Vec<_>>(),
                records,
                WriteMode::Nowhere,
                last,
            );
            thread.model = thread.model.take().or_else(|| self.model.clone());
            thread.id = match (&self.id, agent) {
                (Some(id), Some(agent)) => Some(format!("{id}-agent-{agent}")),
                (id, agent) => id.clone().or_else(|| agent.clone()),
            };
            thread
        };
        self.threads
            .iter()
            .map(tell)
            .filter(|thread| thread.len() > 0)
            .collect()
    }
}

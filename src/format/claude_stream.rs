//! The stream of `claude -p --output-format stream-json`: turns as in a session
//! file, but in order and without a graph; what a sub-agent says names the call
//! that began it. A report, not a session.

use crate::error::RecordError;
use crate::format::claude_turns::{Turn, tell};
use crate::format::journal::{Journal, Reader, Thread};
use crate::format::tree::Node;
use crate::format::{Certainty, Hit, Shape};
use crate::transcript::journal::Writes;
use std::borrow::Cow;

/// Streams of Claude Code.
pub(super) struct ClaudeStream;

impl Journal for ClaudeStream {
    fn name(&self) -> &'static str {
        "claude-stream"
    }

    fn about(&self) -> &'static str {
        "the stream of `claude -p --output-format stream-json`: system/init, user and assistant messages, result"
    }

    fn writes(&self) -> Writes {
        Writes::Nowhere
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        if ["uuid", "parentUuid", "sessionId"]
            .iter()
            .filter(|key| record.has(key))
            .count()
            > 1
            || record.has("parentUuid")
        {
            return None;
        }
        let hit = |why| {
            Some(Hit {
                shape: Shape::Journal,
                certainty: Certainty::Envelope,
                why,
            })
        };
        if record.says("type", "system")
            && record.says("subtype", "init")
            && record.has("session_id")
        {
            return hit("a system line of subtype init");
        }
        let speaks = record.says("type", "user") || record.says("type", "assistant");
        if speaks
            && record
                .get("message")
                .is_some_and(|message| message.has("role"))
        {
            hit("a message below a type user or assistant")
        } else {
            None
        }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Stream::default())
    }
}

/// A stream while it is read.
#[derive(Default)]
struct Stream {
    id: Option<String>,
    model: Option<String>,
    /// Turns by the call that began their agent.
    threads: Vec<(Option<String>, Vec<Turn>)>,
}

impl Reader for Stream {
    fn see(&mut self, at: usize, record: Node<'_>) -> Result<(), RecordError> {
        let text_at = |key: &str| {
            record
                .get(key)
                .and_then(Node::text)
                .filter(|text| !text.is_empty())
                .map(Cow::into_owned)
        };
        self.id = self.id.take().or_else(|| text_at("session_id"));
        if record.says("subtype", "init") {
            self.model = text_at("model").or(self.model.take());
        }
        let Some(turn) = Turn::of(at, record) else {
            return Ok(());
        };
        let agent = text_at("parent_tool_use_id");
        match self.threads.iter_mut().find(|(known, _)| *known == agent) {
            Some((_, turns)) => turns.push(turn),
            None => self.threads.push((agent, vec![turn])),
        }
        Ok(())
    }

    fn threads(self: Box<Self>, records: &[&[u8]]) -> Vec<Thread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let tell = |(agent, turns): &(Option<String>, Vec<Turn>)| {
            let mut thread = tell(
                &turns.iter().collect::<Vec<_>>(),
                records,
                Writes::Nowhere,
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

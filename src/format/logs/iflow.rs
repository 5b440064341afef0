//! Sessions of iFlow (`~/.iflow/projects/*/session-*.jsonl`): the lines of Claude Code, in order.
//! Parallel calls hang on the same line, so that parents say nothing about branches. Results are
//! wrapped as Gemini CLI has them.

use crate::error::RecordError;
use crate::format::dialects::ANTHROPIC;
use crate::format::journal::{ElementMark, EventPlace, JournalReader, JournalThread};
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, encode_wtf8_literal};
use crate::transcript::journal::WriteMode;
use std::collections::HashMap;

#[rustfmt::skip]
pub(in crate::format) const IFLOW: LogRow = LogRow {
    name: "iflow",
    help: "iFlow sessions (~/.iflow/projects): Claude Code's lines with a sessionId session-..., in order",
    evidence: &[
        event("parentUuid beside a sessionId session-...", &[
            all("uuid|parentUuid"),
            starts("sessionId", "session-"),
        ]),
    ],
    reads: Reads::Own(|| Box::new(IFlowReader::default())),
};

/// A message of the main agent or a sub-agent.
struct IFlowTurn {
    is_answer: bool,
    /// The blocks of the content, or one text.
    blocks: Vec<Vec<u8>>,
    /// The id of the answer, and the line that it hangs on: the pieces of an answer share one.
    message_id: Option<String>,
    parent: Option<String>,
    /// The usage that the answer reports, as JSON.
    usage: Option<Vec<u8>>,
    places: Vec<EventPlace>,
}

/// The turns of an agent.
#[derive(Default)]
struct IFlowAgent {
    name: Option<String>,
    model: Option<String>,
    turns: Vec<IFlowTurn>,
}

/// A session, read line by line.
#[derive(Default)]
struct IFlowReader {
    id: Option<String>,
    agents: Vec<IFlowAgent>,
    /// The index of each agent.
    by_name: HashMap<Option<String>, usize>,
}

impl JournalReader for IFlowReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        self.id = self
            .id
            .take()
            .or_else(|| record.non_empty_text("sessionId"));
        let is_answer = record.has_text("type", "assistant");
        if !is_answer && !record.has_text("type", "user") {
            return Ok(());
        }
        let message = record
            .get("message")
            .ok_or_else(|| record.missing_key("message"))?;
        let content = message
            .get("content")
            .ok_or_else(|| message.missing_key("message.content"))?;
        let turn = IFlowTurn {
            is_answer,
            blocks: render_content(content)?,
            message_id: message.non_empty_text("id"),
            parent: record.non_empty_text("parentUuid"),
            usage: message
                .get_kind("usage", JsonKind::Object)
                .map(|usage| usage.bytes().to_vec()),
            places: vec![EventPlace::new(at, record.span())],
        };
        let is_sidechain = record.has_true("isSidechain");
        let name = record.non_empty_text("agentId");
        let name = name.or_else(|| is_sidechain.then(|| "sidechain".to_owned()));
        let agent = self.agent(name);
        agent.model = message.non_empty_text("model").or(agent.model.take());
        agent.push_turn(turn);
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let id = self.id;
        let agents = self.agents.into_iter();
        agents
            .map(|agent| {
                let mut thread =
                    JournalThread::new(ANTHROPIC, "messages", WriteMode::Nowhere, last);
                thread.model = agent.model;
                thread.id = match (&id, agent.name) {
                    (Some(id), Some(name)) => Some(format!("{id}-agent-{name}")),
                    (id, name) => id.clone().or(name),
                };
                for turn in agent.turns {
                    push_turn(&mut thread, turn);
                }
                thread
            })
            .filter(|thread| thread.len() > 0)
            .collect()
    }
}

impl IFlowReader {
    /// Returns the agent with this name, which is none for the main agent.
    fn agent(&mut self, name: Option<String>) -> &mut IFlowAgent {
        let index = *self
            .by_name
            .entry(name.clone())
            .or_insert(self.agents.len());
        if index == self.agents.len() {
            self.agents.push(IFlowAgent {
                name,
                ..IFlowAgent::default()
            });
        }
        &mut self.agents[index]
    }
}

impl IFlowAgent {
    /// Adds a turn. A further piece of the last answer becomes a part of it.
    fn push_turn(&mut self, turn: IFlowTurn) {
        if let Some(last) = self.turns.last_mut()
            && last.is_answer
            && turn.is_answer
            && ((turn.message_id.is_some() && last.message_id == turn.message_id)
                || (turn.parent.is_some() && last.parent == turn.parent))
        {
            last.blocks.extend(turn.blocks);
            last.usage = last.usage.take().or(turn.usage);
            last.places.extend(turn.places);
        } else {
            self.turns.push(turn);
        }
    }
}

fn push_turn(thread: &mut JournalThread, turn: IFlowTurn) {
    let role: &[u8] = if turn.is_answer {
        b"assistant"
    } else {
        b"user"
    };
    let blocks = turn.blocks.join(b", ".as_slice());
    let usage = turn.usage.filter(|_| turn.is_answer).map(|usage| {
        let key: &[u8] = b", \"usage\": ";
        [key, &usage].concat()
    });
    thread.push_element(
        ElementMark::Message,
        turn.places,
        &[
            b"{\"role\": \"",
            role,
            b"\", \"content\": [",
            &blocks,
            b"]",
            &usage.unwrap_or_default(),
            b"}",
        ],
    );
}

/// Renders a content as Anthropic blocks.
fn render_content(content: JsonNode<'_>) -> Result<Vec<Vec<u8>>, RecordError> {
    match content.kind() {
        JsonKind::String => Ok(vec![render_text(content.bytes())]),
        JsonKind::Array => Ok(content.items().map(render_block).collect()),
        _ => Err(content.wrong_kind("message.content", "a string or a list")),
    }
}

fn render_text(literal: &[u8]) -> Vec<u8> {
    [b"{\"type\": \"text\", \"text\": ".as_slice(), literal, b"}"].concat()
}

/// Renders a block: a result without its wrapping, any other as it is.
fn render_block(block: JsonNode<'_>) -> Vec<u8> {
    let wrapped = block.get_kind("content", JsonKind::Object);
    let Some(wrapped) = wrapped.filter(|_| block.has_text("type", "tool_result")) else {
        return block.bytes().to_vec();
    };
    let response = ["responseParts", "functionResponse"]
        .iter()
        .fold(wrapped, |node, key| node.get(key).unwrap_or(node))
        .get("response");
    let told = response.and_then(|response| {
        ["output", "error"]
            .iter()
            .find_map(|key| response.get(key))
            .filter(|value| value.is_kind(JsonKind::String))
    });
    let content = told.map_or_else(
        || encode_wtf8_literal(response.unwrap_or(wrapped).bytes()),
        |text| text.bytes().to_vec(),
    );
    let has_failed =
        block.has_true("is_error") || response.is_some_and(|response| response.has_key("error"));
    let failure: &[u8] = if has_failed {
        b", \"is_error\": true"
    } else {
        b""
    };
    [
        b"{\"type\": \"tool_result\", \"tool_use_id\": ".as_slice(),
        block.bytes_or_null("tool_use_id"),
        b", \"content\": ",
        &content,
        failure,
        b"}",
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    fn line(uuid: &str, parent: &str, kind: &str, content: &str) -> String {
        format!(
            r#"{{"uuid": "{uuid}", "parentUuid": "{parent}", "sessionId": "session-1", "type": "{kind}", "isSidechain": false, "message": {{"role": "{kind}", "content": {content}}}}}"#
        )
    }

    #[test]
    fn lines_of_claude_code_are_not_taken() {
        assert!(recognizes(&IFLOW, &line("a", "", "user", "\"x\"")));
        assert!(!recognizes(
            &IFLOW,
            r#"{"uuid": "u", "parentUuid": null, "sessionId": "0199", "type": "user"}"#
        ));
    }

    #[test]
    fn parallel_calls_are_one_answer_and_results_are_unwrapped() {
        let call = |id: &str| {
            format!(r#"[{{"type": "tool_use", "id": "{id}", "name": "read_file", "input": {{}}}}]"#)
        };
        let result = |id: &str, content: &str| {
            format!(r#"[{{"type": "tool_result", "tool_use_id": "{id}", "content": {content}}}]"#)
        };
        let log = [
            line("u", "", "user", "\"Why?\""),
            line("a", "u", "assistant", &call("c1")),
            line("b", "u", "assistant", &call("c2")),
            line(
                "r1",
                "a",
                "user",
                &result(
                    "c1",
                    r#"{"callId": "c1", "responseParts": {"functionResponse": {"id": "c1", "response": {"output": "61 C"}}}, "resultDisplay": "Read"}"#,
                ),
            ),
            line(
                "r2",
                "b",
                "user",
                &result(
                    "c2",
                    r#"{"functionResponse": {"id": "c2", "response": {"error": "none"}}}"#,
                ),
            ),
            line("r3", "b", "user", &result("c3", "\"plain\"")),
            line(
                "d",
                "r2",
                "assistant",
                r#"[{"type": "text", "text": "It is hot."}]"#,
            ),
        ];
        let threads = tell_threads(&IFLOW, &log.join("\n"));
        assert_eq!(threads[0].id.as_deref(), Some("session-1"));
        assert_eq!(
            threads[0].messages,
            [
                "user: Why?",
                "assistant: [read_file] [read_file]",
                "tool: 61 C",
                "tool: none",
                "tool: plain",
                "assistant: It is hot."
            ]
        );
    }
}

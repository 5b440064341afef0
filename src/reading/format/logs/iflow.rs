//! Sessions of iFlow (`~/.iflow/projects/*/session-*.jsonl`): the lines of Claude Code, in order.
//! Parallel calls have the same line, so that parents say nothing about branches. Results are
//! wrapped as Gemini CLI has them.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const IFLOW: LogRow = LogRow {
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
    /// The id of the answer, and the line that it is attached to: the pieces of an answer share one.
    message_id: Option<String>,
    parent: Option<String>,
    /// The usage that the answer reports, as JSON.
    usage: Option<Vec<u8>>,
    places: Vec<EventPlace>,
}

#[derive(Default)]
struct IFlowAgent {
    model: Option<String>,
    turns: Vec<IFlowTurn>,
}

/// A session, read line by line.
#[derive(Default)]
struct IFlowReader {
    id: Option<String>,
    agents: Agents<IFlowAgent>,
}

impl JournalReader for IFlowReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        at("sessionId").first_into(&mut self.id, record);
        let is_answer = record.has_text("type", "assistant");
        if !is_answer && !record.has_text("type", "user") {
            return Ok(());
        }
        let message = record.need("message")?;
        let content = message.need_at("content", "message.content")?;
        let turn = IFlowTurn {
            is_answer,
            blocks: render_content(content)?,
            message_id: message.non_empty_text("id"),
            parent: record.non_empty_text("parentUuid"),
            usage: message.get_kind("usage", JsonKind::Object).map(|usage| usage.bytes().to_vec()),
            places: vec![record.place()],
        };
        let is_sidechain = record.has_true("isSidechain");
        let name = record.non_empty_text("agentId");
        let name = name.or_else(|| is_sidechain.then(|| "sidechain".to_owned()));
        let agent = self.agents.agent(name, IFlowAgent::default);
        agent.model = message.non_empty_text("model").or(agent.model.take());
        agent.push_turn(turn);
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.agents.into_threads(self.id, |agent| {
            let mut thread = JournalThread::new_read_only(ANTHROPIC);
            thread.model = agent.model;
            for turn in agent.turns {
                push_turn(&mut thread, turn);
            }
            thread
        })
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
    let role = if turn.is_answer { "assistant" } else { "user" };
    let usage = turn.usage.filter(|_| turn.is_answer);
    let usage = usage.map(|usage| fill_json(r#", "usage": $"#, &[&usage]));
    let (content, usage) = (join_blocks(&turn.blocks), usage.unwrap_or_default());
    let pattern = r#"{"role": "$", "content": $$}"#;
    let json = fill_json(pattern, &[role.as_bytes(), &content, &usage]);
    thread.push_element(ElementMark::Message, turn.places, &json);
}

/// Renders a content as Anthropic blocks.
fn render_content(content: JsonNode<'_>) -> Result<Vec<Vec<u8>>> {
    match content.kind() {
        JsonKind::String => Ok(vec![text_block(content.bytes())]),
        JsonKind::Array => Ok(content.items().map(render_wrapped).collect()),
        _ => Err(content.wrong_kind("message.content", "a string or a list")),
    }
}

/// Renders a block: a result without its wrapping, any other as it is.
fn render_wrapped(block: JsonNode<'_>) -> Vec<u8> {
    let wrapped = block.get_kind("content", JsonKind::Object);
    let Some(wrapped) = wrapped.filter(|_| block.has_text("type", "tool_result")) else {
        return block.bytes().to_vec();
    };
    let response = at("responseParts.functionResponse.response|responseParts.response\
                       |functionResponse.response|response")
    .node(wrapped);
    let told = response.and_then(|response| at("output|error").node(response));
    let told = told.filter(|value| value.is_kind(JsonKind::String));
    let content = told.map_or_else(
        || encode_wtf8_literal(response.unwrap_or(wrapped).bytes()),
        |text| text.bytes().to_vec(),
    );
    let has_failed =
        block.has_true("is_error") || response.is_some_and(|response| response.has_key("error"));
    result_block(block.bytes_or_null("tool_use_id"), &content, has_failed)
}

//! The context of Kimi CLI: the messages that its wire log restores.

use crate::error::RecordError;
use crate::format::journal::{ElementMark, EventPlace};
use crate::format::logs::chat_elements::{
    ChatAnswer, render_chat_call, render_chat_element, render_chat_result,
};
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, decode_literal_wtf8, encode_wtf8_literal};
use std::collections::HashSet;

/// A message of the context.
pub(in crate::format) struct KimiMessage {
    pub(in crate::format) places: Vec<EventPlace>,
    pub(in crate::format) mark: ElementMark,
    body: KimiBody,
    /// True if the user said it: turns are undone from such messages on, and a compaction may keep
    /// them.
    is_said: bool,
}

enum KimiBody {
    /// The JSON of a message.
    Whole(Vec<u8>),
    /// An answer that grows part by part.
    Answer(KimiAnswer),
}

/// The parts of an answer.
#[derive(Default)]
struct KimiAnswer {
    blocks: Vec<Vec<u8>>,
    /// What the model thought (WTF-8).
    thoughts: Vec<u8>,
    calls: Vec<Vec<u8>>,
}

impl KimiMessage {
    /// Reads a message that was appended whole.
    pub(in crate::format) fn from_logged(
        message: JsonNode<'_>,
        place: EventPlace,
    ) -> Result<Self, RecordError> {
        let role = message.non_empty_text("role");
        let role = role.ok_or_else(|| message.missing_key("message.role"))?;
        let content = message
            .get("content")
            .ok_or_else(|| message.missing_key("message.content"))?;
        let body = match role.as_str() {
            "assistant" => {
                let mut answer = KimiAnswer::default();
                answer.add_content(content);
                for call in message.items_of("toolCalls") {
                    answer.add_call(call);
                }
                KimiBody::Answer(answer)
            }
            "tool" => {
                let id = message.bytes_or_null("toolCallId");
                let has_failed = message.has_true("isError");
                KimiBody::Whole(render_chat_result(id, &render_parts(content), has_failed))
            }
            "user" | "system" => {
                KimiBody::Whole(render_chat_element(&role, &render_parts(content)))
            }
            _ => return Err(message.missing_key("message.role user, assistant, tool or system")),
        };
        let origin = message.get("origin");
        let is_summary = origin.is_some_and(|origin| origin.has_text("kind", "compaction_summary"));
        let is_said = origin.is_none_or(|origin| {
            origin.has_text("kind", "user") || origin.has_text("trigger", "user-slash")
        });
        Ok(Self {
            places: vec![place],
            mark: if is_summary {
                ElementMark::Summary
            } else {
                ElementMark::Message
            },
            body,
            is_said: is_said && role == "user",
        })
    }

    fn new_answer(place: EventPlace) -> Self {
        Self {
            places: vec![place],
            mark: ElementMark::Message,
            body: KimiBody::Answer(KimiAnswer::default()),
            is_said: false,
        }
    }

    fn is_empty(&self) -> bool {
        match &self.body {
            KimiBody::Whole(_) => false,
            KimiBody::Answer(answer) => {
                answer.blocks.is_empty() && answer.thoughts.is_empty() && answer.calls.is_empty()
            }
        }
    }

    /// Renders the message as one of OpenAI.
    pub(in crate::format) fn render(&self) -> Vec<u8> {
        match &self.body {
            KimiBody::Whole(json) => json.clone(),
            KimiBody::Answer(answer) => answer.render(),
        }
    }
}

impl KimiAnswer {
    fn add_content(&mut self, content: JsonNode<'_>) {
        if content.is_kind(JsonKind::Array) {
            content.items().for_each(|part| self.add_part(part));
        } else if let Some(text) = content.as_non_empty_text() {
            let literal = encode_wtf8_literal(text.as_bytes());
            self.blocks.push(text_block(&literal));
        }
    }

    fn add_part(&mut self, part: JsonNode<'_>) {
        match part.literal_bytes("think") {
            Some(thought) => {
                self.thoughts
                    .extend_from_slice(&decode_literal_wtf8(thought));
            }
            None => self.blocks.push(render_block(PART, part)),
        }
    }

    /// Adds a call of a logged message. Older logs have its name and arguments below `function`.
    fn add_call(&mut self, call: JsonNode<'_>) {
        let function = call.get("function").unwrap_or(call);
        self.calls.push(render_chat_call(
            call.bytes_or_null("id"),
            function.bytes_or_null("name"),
            arguments_of(function, "arguments"),
        ));
    }

    fn render(&self) -> Vec<u8> {
        let content = join_blocks(&self.blocks);
        let reasoning = encode_wtf8_literal(&self.thoughts);
        let answer = ChatAnswer {
            content: (!self.blocks.is_empty()).then_some(content),
            reasoning: (!self.thoughts.is_empty()).then_some(reasoning),
            calls: self.calls.clone(),
        };
        answer.render()
    }
}

/// Returns the JSON of arguments. A call without any has an empty object.
fn arguments_of<'t>(call: JsonNode<'t>, key: &str) -> &'t [u8] {
    let arguments = call.get(key).filter(|value| !value.is_kind(JsonKind::Null));
    arguments.map_or(b"{}", JsonNode::bytes)
}

/// Renders a content: its text, or its parts as blocks.
fn render_parts(content: JsonNode<'_>) -> Vec<u8> {
    if !content.is_kind(JsonKind::Array) {
        return content.bytes().to_vec();
    }
    render_blocks(PART, content.items())
}

/// Images have another key than OpenAI's.
const PART: &[Block] = &[Block {
    when: &[has("imageUrl")],
    becomes: BlockJson::Filled(r#"{"type": "image_url", "image_url": $imageUrl}"#),
}];

/// The context, rebuilt event by event.
#[derive(Default)]
pub(in crate::format) struct KimiContext {
    messages: Vec<KimiMessage>,
    /// The number of messages up to the last summary, which are never undone.
    settled: usize,
    /// The index of the answer that grows, and the id of its step.
    open: Option<OpenStep>,
    /// The ids of the calls that have no results yet.
    pending: HashSet<String>,
    /// Messages that wait for these results.
    deferred: Vec<KimiMessage>,
}

struct OpenStep {
    index: usize,
    id: Option<String>,
}

impl KimiContext {
    /// Appends a message, behind the results of the calls that have none yet.
    pub(in crate::format) fn append(&mut self, message: KimiMessage) {
        if self.pending.is_empty() {
            let is_summary = message.mark == ElementMark::Summary;
            self.messages.push(message);
            if is_summary {
                self.settled = self.messages.len();
            }
        } else {
            self.deferred.push(message);
        }
    }

    /// Applies an event of the agent's loop.
    pub(in crate::format) fn observe_loop_event(&mut self, event: JsonNode<'_>, place: EventPlace) {
        match event.get("type").and_then(JsonNode::as_text).as_deref() {
            Some("step.begin") => {
                self.close_step();
                self.open = Some(OpenStep {
                    index: self.messages.len(),
                    id: event.non_empty_text("uuid"),
                });
                self.messages.push(KimiMessage::new_answer(place));
            }
            Some("step.end") => {
                let is_cut = event.has_text("finishReason", "interrupted")
                    || event.has_text("finishReason", "error");
                if let Some(open) = &self.open {
                    self.messages[open.index].places.push(place);
                }
                // Calls may be answered behind the end of their step.
                if !is_cut && self.pending.is_empty() {
                    self.close_step();
                } else if !is_cut {
                    self.open = None;
                }
            }
            Some("content.part") => {
                if let (Some(part), Some(answer)) =
                    (event.get("part"), self.open_answer(event, place))
                {
                    answer.add_part(part);
                }
            }
            Some("tool.call") => {
                let id = event.non_empty_text("toolCallId");
                if let Some(answer) = self.open_answer(event, place) {
                    answer.calls.push(render_chat_call(
                        event.bytes_or_null("toolCallId"),
                        event.bytes_or_null("name"),
                        arguments_of(event, "args"),
                    ));
                    self.pending.extend(id);
                }
            }
            Some("tool.result") => self.push_result(event, place),
            _ => {}
        }
    }

    /// Returns the answer that an event of a step belongs to.
    fn open_answer(&mut self, event: JsonNode<'_>, place: EventPlace) -> Option<&mut KimiAnswer> {
        let open = self.open.as_ref()?;
        let step = event.non_empty_text("stepUuid");
        if step.is_some() && open.id.is_some() && step != open.id {
            return None;
        }
        let message = &mut self.messages[open.index];
        message.places.push(place);
        match &mut message.body {
            KimiBody::Answer(answer) => Some(answer),
            KimiBody::Whole(_) => None,
        }
    }

    /// Appends a result. The agent ignores those of calls that it does not wait for.
    fn push_result(&mut self, event: JsonNode<'_>, place: EventPlace) {
        let id = event.non_empty_text("toolCallId").unwrap_or_default();
        if !self.pending.remove(&id) {
            return;
        }
        let result = event.get("result");
        let output = result.and_then(|result| result.get("output")).or(result);
        let content = output.map_or_else(|| b"\"\"".to_vec(), render_parts);
        let has_failed = result.is_some_and(|result| result.has_true("isError"));
        let id = event.bytes_or_null("toolCallId");
        self.messages.push(KimiMessage {
            places: vec![place],
            mark: ElementMark::Message,
            body: KimiBody::Whole(render_chat_result(id, &content, has_failed)),
            is_said: false,
        });
        if self.pending.is_empty() {
            self.messages.append(&mut self.deferred);
        }
    }

    /// Ends the answer that grows. An answer without any content is dropped.
    fn close_step(&mut self) {
        self.pending.clear();
        if let Some(open) = self.open.take()
            && self.messages[open.index].is_empty()
        {
            self.messages.remove(open.index);
        }
        self.messages.append(&mut self.deferred);
    }

    /// Removes all messages.
    pub(in crate::format) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes back the last turns of the user. If there are fewer, nothing happens; neither does
    /// it reach behind a compaction.
    pub(in crate::format) fn undo(&mut self, turns: u64) {
        let mut said = (self.settled..self.messages.len())
            .rev()
            .filter(|&at| self.messages[at].is_said);
        let turns = usize::try_from(turns).unwrap_or(usize::MAX);
        if let Some(cut) = turns.checked_sub(1).and_then(|turn| said.nth(turn)) {
            self.messages.truncate(cut);
            self.open = None;
            self.pending.clear();
            self.deferred.clear();
        }
    }

    /// Replaces the context by a summary: behind messages of the user that are kept, or, in older
    /// logs, before the messages that were not compacted.
    ///
    /// # Errors
    /// Fails if the record has no summary.
    pub(in crate::format) fn apply_compaction(
        &mut self,
        record: JsonNode<'_>,
        place: EventPlace,
    ) -> Result<(), RecordError> {
        let text = ["contextSummary", "summary"]
            .iter()
            .find_map(|key| record.literal_bytes(key).map(<[u8]>::to_vec))
            .or_else(|| Some(render_parts(record.get_path(&["summary", "content"])?)))
            .ok_or_else(|| record.missing_key("summary"))?;
        let summary = KimiMessage {
            places: vec![place],
            mark: ElementMark::Summary,
            body: KimiBody::Whole(render_chat_element("user", &text)),
            is_said: false,
        };
        let number = |key| {
            let number = record.get(key).and_then(JsonNode::as_u64)?;
            usize::try_from(number).ok()
        };
        self.close_step();
        let mut old = std::mem::take(&mut self.messages);
        let Some(kept) = number("keptUserMessageCount") else {
            let compacted = number("compactedCount").or_else(|| number("count"));
            let after = old.split_off(compacted.unwrap_or(old.len()).min(old.len()));
            self.messages.push(summary);
            self.settled = 1;
            self.messages.extend(after);
            return Ok(());
        };
        old.retain(|message| message.is_said);
        let head = number("keptHeadUserMessageCount").unwrap_or(0).min(kept);
        let tail_start = old.len().saturating_sub(kept - head);
        let all = old.into_iter().enumerate();
        self.messages.extend(
            all.filter(|(at, _)| *at < head || *at >= tail_start)
                .map(|(_, message)| message),
        );
        self.messages.push(summary);
        self.settled = self.messages.len();
        Ok(())
    }

    /// Returns the messages at the end of the log.
    pub(in crate::format) fn into_messages(mut self) -> Vec<KimiMessage> {
        self.close_step();
        self.messages
    }
}

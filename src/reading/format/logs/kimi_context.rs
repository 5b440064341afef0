//! The context of Kimi CLI: the messages that its wire log restores.

use crate::reading::format::row::prelude::*;

pub(crate) struct KimiMessage {
    element: MessageBuilder,
    /// What the model thought (WTF-8).
    thoughts: Vec<u8>,
    /// True if the user said it: turns are undone from such messages on, and a compaction may keep
    /// them.
    is_said: bool,
}

/// Messages that the user said, or that came of a command of the user.
const SAID: &[If] =
    &[If::Any(&[none("origin"), is("origin.kind", "user"), is("origin.trigger", "user-slash")])];

impl KimiMessage {
    /// Reads a message that was appended whole.
    pub(crate) fn from_logged(message: JsonNode<'_>, place: EventPlace) -> Result<Self> {
        let role = message.non_empty_text("role");
        let role = role.ok_or_else(|| message.missing_key("message.role"))?;
        let content = message.need_at("content", "message.content")?;
        let element = match role.as_str() {
            "assistant" => MessageBuilder::new("assistant"),
            "tool" => MessageBuilder::new_result(Some(message.bytes_or_null("toolCallId")))
                .with_output(&render_parts(content)),
            "user" => MessageBuilder::new("user").with_content(&render_parts(content)),
            "system" => MessageBuilder::new("system").with_content(&render_parts(content)),
            _ => return Err(message.missing_key("message.role user, assistant, tool or system")),
        };
        let mut read = Self::new(element, place);
        if role == "assistant" {
            read.add_content(content);
            for call in message.items_of("toolCalls") {
                read.add_call(call);
            }
        }
        read.element.set_failed(role == "tool" && message.has_true("isError"));
        read.is_said = role == "user" && hold(SAID, message);
        if hold(&[is("origin.kind", "compaction_summary")], message) {
            read.element.mark = ElementMark::Summary;
        }
        Ok(read)
    }

    fn new(element: MessageBuilder, place: EventPlace) -> Self {
        Self { element: element.with_place(place), thoughts: Vec::new(), is_said: false }
    }

    fn is_empty(&self) -> bool {
        self.element.is_empty() && self.thoughts.is_empty()
    }

    fn add_content(&mut self, content: JsonNode<'_>) {
        if content.is_kind(JsonKind::Array) {
            content.items().for_each(|part| self.add_part(part));
        } else if let Some(text) = content.as_non_empty_text() {
            let literal = encode_wtf8_literal(text.as_bytes());
            self.element.push_json(text_block(&literal));
        }
    }

    fn add_part(&mut self, part: JsonNode<'_>) {
        match part.literal_bytes("think") {
            Some(thought) => self.thoughts.extend_from_slice(&decode_literal_wtf8(thought)),
            None => self.element.push_json(render_block(PART, part)),
        }
    }

    /// Adds a call of a logged message. Older logs have its name and arguments below `function`.
    fn add_call(&mut self, call: JsonNode<'_>) {
        let function = call.get("function").unwrap_or(call);
        let (id, name) = (call.bytes_or_null("id"), function.bytes_or_null("name"));
        self.element.push_logged_call(id, name, arguments_of(function, "arguments"));
    }

    /// Appends the message to a thread.
    pub(crate) fn push_onto(mut self, thread: &mut JournalThread) {
        if !self.thoughts.is_empty() {
            let thoughts = encode_wtf8_literal(&self.thoughts);
            self.element.set_reasoning(Some(&thoughts));
        }
        self.element.push_whole(thread);
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
    becomes: BlockJson::Filled(&template(r#"{"type": "image_url", "image_url": $imageUrl}"#)),
}];

/// The context, rebuilt event by event.
#[derive(Default)]
pub(crate) struct KimiContext {
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
    pub(crate) fn append(&mut self, message: KimiMessage) {
        if self.pending.is_empty() {
            let is_summary = message.element.mark == ElementMark::Summary;
            self.messages.push(message);
            if is_summary {
                self.settled = self.messages.len();
            }
        } else {
            self.deferred.push(message);
        }
    }

    /// Applies an event of the agent's loop.
    pub(crate) fn observe_loop_event(&mut self, event: JsonNode<'_>, place: EventPlace) {
        match event.get_text("type").as_deref() {
            Some("step.begin") => {
                self.close_step();
                self.open =
                    Some(OpenStep { index: self.messages.len(), id: event.non_empty_text("uuid") });
                let answer = MessageBuilder::new("assistant");
                self.messages.push(KimiMessage::new(answer, place));
            }
            Some("step.end") => {
                let is_cut = event.has_text("finishReason", "interrupted")
                    || event.has_text("finishReason", "error");
                if let Some(open) = &self.open {
                    self.messages[open.index].element.add_place(place);
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
                    answer.element.push_logged_call(
                        event.bytes_or_null("toolCallId"),
                        event.bytes_or_null("name"),
                        arguments_of(event, "args"),
                    );
                    self.pending.extend(id);
                }
            }
            Some("tool.result") => self.push_result(event, place),
            _ => {}
        }
    }

    /// Returns the answer that an event of a step belongs to.
    fn open_answer(&mut self, event: JsonNode<'_>, place: EventPlace) -> Option<&mut KimiMessage> {
        let open = self.open.as_ref()?;
        let step = event.non_empty_text("stepUuid");
        if step.is_some() && open.id.is_some() && step != open.id {
            return None;
        }
        let message = &mut self.messages[open.index];
        message.element.add_place(place);
        Some(message)
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
        let element = MessageBuilder::new_result(Some(event.bytes_or_null("toolCallId")));
        let mut element = element.with_output(&content);
        element.set_failed(result.is_some_and(|result| result.has_true("isError")));
        self.messages.push(KimiMessage::new(element, place));
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
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes back the last turns of the user. If there are fewer, nothing happens; neither does
    /// it reach behind a compaction.
    pub(crate) fn undo(&mut self, turns: u64) {
        let mut said =
            (self.settled..self.messages.len()).rev().filter(|&at| self.messages[at].is_said);
        let turns = usize::try_from(turns).unwrap_or(usize::MAX);
        if let Some(cut) = turns.checked_sub(1).and_then(|turn| said.nth(turn)) {
            self.messages.truncate(cut);
            self.open = None;
            self.pending.clear();
            self.deferred.clear();
        }
    }

    /// Replaces the context by a summary: behind messages of the user that are kept, or, in older
    /// logs, before the messages that were not compacted. Fails if the record has no summary.
    pub(crate) fn apply_compaction(
        &mut self,
        record: JsonNode<'_>,
        place: EventPlace,
    ) -> Result<()> {
        let text = at("contextSummary|summary").literal(record);
        let text = text
            .map(<[u8]>::to_vec)
            .or_else(|| Some(render_parts(record.get_path(&["summary", "content"])?)))
            .ok_or_else(|| record.missing_key("summary"))?;
        let mut summary = KimiMessage::new(MessageBuilder::new("user").with_content(&text), place);
        summary.element.mark = ElementMark::Summary;
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
            all.filter(|(at, _)| *at < head || *at >= tail_start).map(|(_, message)| message),
        );
        self.messages.push(summary);
        self.settled = self.messages.len();
        Ok(())
    }

    /// Returns the messages at the end of the log.
    pub(crate) fn into_messages(mut self) -> Vec<KimiMessage> {
        self.close_step();
        self.messages
    }
}

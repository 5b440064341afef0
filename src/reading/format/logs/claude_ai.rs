//! Conversations that Claude.ai exports: `chat_messages` of a human and an assistant, whose content
//! is blocks of Anthropic. Calls and their results are blocks of one message, and may lack ids.

use crate::reading::format::row::message_tree::MessageTree;
use crate::reading::format::row::prelude::*;
use std::collections::VecDeque;

pub(crate) const CLAUDE_AI: LogRow = LogRow {
    name: "claude-ai",
    help: "Claude.ai exports (conversations.json): {\"uuid\", \"chat_messages\": [...]}, a list or one a line",
    evidence: &[conversation(
        "chat_messages beside uuid",
        &[If::First(&[kind("chat_messages", LIST), has("uuid")])],
    )],
    reads: Reads::Built(build_thread),
};

/// The key of the message before a message, where branches are exported.
const PARENT: &str = "parent_message_uuid";

fn build_thread(conversation: JsonNode<'_>) -> Result<JournalThread> {
    let list = conversation.need_kind("chat_messages", JsonKind::Array)?;
    let mut thread = JournalThread::new_excerpt(ANTHROPIC);
    let messages = live_messages(&mut thread, conversation, list)?;
    for message in messages {
        if let Err(error) = push_message(&mut thread, message) {
            thread.unread.push((message.record_index(), error));
        }
    }
    thread.id = conversation.non_empty_text("uuid");
    thread.model = conversation.non_empty_text("model");
    note_other_keys(&mut thread, conversation, &["chat_messages", "uuid"]);
    Ok(thread)
}

/// Returns the messages of the live branch: all of them, unless they name their parents.
fn live_messages<'t>(
    thread: &mut JournalThread,
    conversation: JsonNode<'t>,
    list: JsonNode<'t>,
) -> Result<Vec<JsonNode<'t>>> {
    let last = conversation
        .non_empty_text("current_leaf_message_uuid")
        .or_else(|| list.items().next_back()?.non_empty_text("uuid"));
    let has_parents = list.items().all(|message| message.literal_at(PARENT).is_some());
    let Some(last) = last.filter(|_| has_parents) else {
        return Ok(list.items().collect());
    };
    let tree = MessageTree::from_list(list.items(), "uuid", PARENT);
    branch(thread, &tree, &last)
}

fn push_message(thread: &mut JournalThread, message: JsonNode<'_>) -> Result<()> {
    let message = message.must_be(JsonKind::Object, "a message of chat_messages")?;
    let sender = message.need("sender")?;
    let is_human = match sender.as_text().as_deref() {
        Some("human") => true,
        Some("assistant") => false,
        other => {
            let reason =
                unknown_role_reason("sender", other.unwrap_or(""), &["human", "assistant"]);
            return Err(RecordError::at(sender.span().start, reason));
        }
    };
    if !message.has_key("content") && !message.has_key("text") {
        return Err(unknown_content_error(message, "a message of chat_messages"));
    }
    let mut turns = ClaudeAiTurns {
        thread,
        place: message.place(),
        role: if is_human { "user" } else { "assistant" },
        message: message.literal_or_empty("uuid"),
        blocks: Vec::new(),
        results: Vec::new(),
        open_calls: VecDeque::new(),
        calls: 0,
    };
    for attachment in message.items_of("attachments") {
        turns.push_text(attachment.literal_bytes("extracted_content"));
    }
    let has_blocks = message.items_of("content").next().is_some();
    if has_blocks {
        message.items_of("content").for_each(|block| turns.push_block(block));
    } else {
        turns.push_text(message.literal_bytes("text"));
    }
    turns.end_results();
    turns.end_blocks();
    Ok(())
}

/// The turns of one logged message: what is said and called, and the results between.
struct ClaudeAiTurns<'t, 'm> {
    thread: &'t mut JournalThread,
    place: EventPlace,
    role: &'static str,
    /// The literal of the message's id.
    message: &'m [u8],
    /// The blocks of the current turn.
    blocks: Vec<Vec<u8>>,
    /// The results that follow it.
    results: Vec<Vec<u8>>,
    /// The ids of calls without a result so far.
    open_calls: VecDeque<Vec<u8>>,
    calls: usize,
}

impl ClaudeAiTurns<'_, '_> {
    fn push_text(&mut self, literal: Option<&[u8]>) {
        if let Some(literal) = literal.filter(|literal| !is_empty_literal(literal)) {
            self.blocks.push(text_block(literal));
        }
    }

    fn push_block(&mut self, block: JsonNode<'_>) {
        match block.get_text("type").as_deref() {
            Some("tool_result") => self.push_result(block),
            kind => {
                self.end_results();
                match kind {
                    Some("text") => self.push_text(block.literal_bytes("text")),
                    Some("tool_use") => self.push_call(block),
                    // Marks of how much room is left; they hold no text.
                    Some("token_budget") => {}
                    _ => self.blocks.push(block.bytes().to_vec()),
                }
            }
        }
    }

    fn push_call(&mut self, call: JsonNode<'_>) {
        self.calls += 1;
        let id = match call.literal_bytes("id") {
            Some(id) if !is_empty_literal(id) => id.to_vec(),
            // The message's id is a literal; the number goes before its last quote.
            _ => {
                let (start, _) = self.message.split_at(self.message.len() - 1);
                fill_json(r#"$-$""#, &[start, self.calls.to_string().as_bytes()])
            }
        };
        let name = at("name").literal_or_empty(call);
        let input = call.get_kind("input", JsonKind::Object);
        let input = input.map_or(b"{}".as_slice(), JsonNode::bytes);
        self.blocks.push(call_block(&id, name, input));
        self.open_calls.push_back(id);
    }

    /// Adds a result: of the call that it names, else of the first without one.
    fn push_result(&mut self, result: JsonNode<'_>) {
        let named = result.literal_bytes("tool_use_id").filter(|id| !is_empty_literal(id));
        let open = &mut self.open_calls;
        let at = open.iter().position(|id| named.is_none_or(|named| named == id));
        let open = at.and_then(|at| open.remove(at));
        let id = named.map(<[u8]>::to_vec).or(open);
        let (id, json) = (id.as_deref().unwrap_or(b"\"\""), render_result(result));
        self.results.push(result_block(id, &json, result.has_true("is_error")));
    }

    /// Appends the turn and its results, if there are any.
    fn end_results(&mut self) {
        if !self.results.is_empty() {
            self.end_blocks();
            let results = std::mem::take(&mut self.results);
            self.thread.push_message(self.place, &message_of_blocks("user", &results));
        }
    }

    /// Appends the turn without results.
    fn end_blocks(&mut self) {
        let blocks = std::mem::take(&mut self.blocks);
        if !blocks.is_empty() {
            self.thread.push_message(self.place, &message_of_blocks(self.role, &blocks));
        }
    }
}

/// Renders the content of a result. Blocks of other types with a text (knowledge of the web) are
/// text to the model.
fn render_result(result: JsonNode<'_>) -> Vec<u8> {
    let Some(content) = result.get("content") else {
        return b"\"\"".to_vec();
    };
    match content.kind() {
        JsonKind::Array => {
            let blocks: Vec<Vec<u8>> = content.items().map(render_result_block).collect();
            join_blocks(&blocks)
        }
        JsonKind::String => content.bytes().to_vec(),
        _ => b"\"\"".to_vec(),
    }
}

fn render_result_block(block: JsonNode<'_>) -> Vec<u8> {
    let literals = ["title", "url", "text"].iter().filter_map(|key| block.literal_bytes(key));
    let texts: Vec<Vec<u8>> = literals.map(text_block).collect();
    if block.has_text("type", "text") || texts.is_empty() {
        block.bytes().to_vec()
    } else {
        texts.join(b", ".as_slice())
    }
}

//! Conversations that ChatGPT exports (`conversations.json`): messages in a tree, of which the path
//! to `current_node` is the conversation. A call is a message to a tool (`recipient`); its result
//! has no id, and is attached to it.

use crate::reading::format::logs::chatgpt_content::{content_type, push_content, push_thoughts};
use crate::reading::format::row::message_tree::MessageTree;
use crate::reading::format::row::prelude::*;

pub(crate) const CHATGPT: LogRow = LogRow {
    name: "chatgpt",
    help: "ChatGPT exports (conversations.json): {\"mapping\", \"current_node\", ...}, a list or one a line; the path to current_node",
    evidence: &[conversation(
        "a mapping of nodes, or beside current_node",
        &[If::First(&[
            kind("mapping", OBJECT),
            If::Any(&[has("current_node"), If::Own(has_nodes)]),
        ])],
    )],
    reads: Reads::Built(build_thread),
};

const ID: At = at("conversation_id|id");
const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];

fn has_nodes(conversation: JsonNode<'_>) -> bool {
    let mapping = conversation.get("mapping");
    let first = mapping.and_then(|mapping| mapping.entries().next());
    first.is_some_and(|(_, node)| hold(&[all("message|parent|children")], node))
}

fn build_thread(conversation: JsonNode<'_>) -> Result<JournalThread> {
    let mapping = conversation.need_kind("mapping", JsonKind::Object)?;
    let tree = MessageTree::from_object(mapping, "parent");
    // Older exports and shared chats have none: the last message is that of the newest branch.
    let last = conversation
        .non_empty_text("current_node")
        .or_else(|| tree.last_id().map(str::to_owned))
        .ok_or_else(|| conversation.missing_key("current_node"))?;
    let path = tree.path_to(&last)?;
    let mut chat = ChatGptChat {
        thread: JournalThread::new_excerpt(OPENAI),
        open_calls: Vec::new(),
        result: None,
        reasoning: None,
    };
    for message in path.iter().filter_map(|node| message_of(*node)) {
        if let Err(error) = chat.push_message(message) {
            chat.thread.unread.push((message.record_index(), error));
        }
    }
    chat.end_answer();
    let mut thread = chat.thread;
    let others = tree.others(&path).filter_map(message_of).count() as u64;
    thread.note_all_left_out("messages of other branches", conversation.record_index(), others);
    ID.first_into(&mut thread.id, conversation);
    let answers = path.iter().rev().filter_map(|node| message_of(*node));
    thread.model = conversation
        .non_empty_text("default_model_slug")
        .filter(|model| model != "auto")
        .or_else(|| {
            let mut models = answers.filter_map(|message| message.get("metadata"));
            models.find_map(|metadata| metadata.non_empty_text("model_slug"))
        });
    let read = ["mapping", "current_node", "conversation_id", "id"];
    note_other_keys(&mut thread, conversation, &read);
    Ok(thread)
}

/// Returns the message of a node. The root of a tree has none.
fn message_of(node: JsonNode<'_>) -> Option<JsonNode<'_>> {
    node.get_kind("message", JsonKind::Object)
}

/// A call without a result so far.
struct OpenCall {
    /// The literal of the id of its message.
    id: Vec<u8>,
    tool: String,
}

/// A conversation, built message by message.
struct ChatGptChat {
    thread: JournalThread,
    open_calls: Vec<OpenCall>,
    /// The last result and its tool. Further messages of the tool belong to it.
    result: Option<(String, MessageBuilder)>,
    /// Reasoning that belongs to the next answer.
    reasoning: Option<MessageBuilder>,
}

impl ChatGptChat {
    fn push_message(&mut self, message: JsonNode<'_>) -> Result<()> {
        let role = message
            .get_path(&["author", "role"])
            .and_then(JsonNode::as_text)
            .ok_or_else(|| message.missing_key("author.role"))?;
        let place = message.place();
        match role.as_ref() {
            "tool" => self.push_result(message, place),
            "assistant" => self.push_answer(message, place),
            "user" => self.push_words(MessageBuilder::new("user").with_place(place), message),
            "system" => self.push_words(MessageBuilder::new("system").with_place(place), message),
            role => {
                let reason = unknown_role_reason("author.role", role, &ROLES);
                Err(RecordError::at(message.span().start, reason))
            }
        }
    }

    /// Adds a message of the user or of the system.
    fn push_words(&mut self, mut element: MessageBuilder, message: JsonNode<'_>) -> Result<()> {
        push_content(&mut self.thread, &mut element, message)?;
        if element.is_empty() {
            return Ok(());
        }
        self.end_answer();
        self.open_calls.clear();
        // What the user wrote for all conversations comes before each of them.
        if content_type(message).as_deref() == Some("user_editable_context") {
            element.mark = ElementMark::Pinned;
        }
        element.push_onto(&mut self.thread);
        Ok(())
    }

    fn push_answer(&mut self, message: JsonNode<'_>, place: EventPlace) -> Result<()> {
        let mut element = MessageBuilder::new("assistant").with_place(place);
        if content_type(message).as_deref() == Some("thoughts") {
            push_thoughts(&mut element, message);
            if let Some(earlier) = self.reasoning.take() {
                element.prepend(earlier);
            }
            self.reasoning = Some(element);
            return Ok(());
        }
        let recipient = message.get_text("recipient");
        match recipient.filter(|tool| !tool.is_empty() && tool != "all") {
            Some(tool) => self.push_call(&mut element, message, &tool),
            None => push_content(&mut self.thread, &mut element, message)?,
        }
        if element.is_empty() {
            return Ok(());
        }
        self.end_result();
        if let Some(reasoning) = self.reasoning.take() {
            element.prepend(reasoning);
        }
        element.push_onto(&mut self.thread);
        Ok(())
    }

    /// Adds a message to a tool as a call: its text is the arguments.
    fn push_call(&mut self, element: &mut MessageBuilder, message: JsonNode<'_>, tool: &str) {
        let content = message.get("content");
        let text = content.and_then(|content| content.get("text"));
        let part = content.and_then(|content| content.items_of("parts").next());
        let literal = text.or(part).and_then(|text| {
            let is_string = text.is_kind(JsonKind::String);
            is_string.then(|| text.bytes())
        });
        let literal = literal.unwrap_or(b"\"\"");
        let id = message.literal_or_empty("id");
        let name = message.literal_or_empty("recipient");
        element.push_call_of_text(id, name, literal);
        self.open_calls.push(OpenCall { id: id.to_vec(), tool: tool.to_owned() });
    }

    /// Adds a message of a tool: the result of its first open call, else of any open call, else
    /// more of the last result.
    fn push_result(&mut self, message: JsonNode<'_>, place: EventPlace) -> Result<()> {
        let tool = message.get_path(&["author", "name"]);
        let tool = tool.and_then(JsonNode::as_text).unwrap_or_default();
        let calls = &mut self.open_calls;
        let is_more = self.result.as_ref().is_some_and(|(last, _)| *last == tool);
        let call = calls
            .iter()
            .position(|call| call.tool == tool)
            .or((!is_more && !calls.is_empty()).then_some(0));
        let mut element = match call {
            Some(call) => MessageBuilder::new_result(Some(&calls.remove(call).id)),
            None => MessageBuilder::new_result(None),
        };
        element.add_place(place);
        push_content(&mut self.thread, &mut element, message)?;
        match self.result.take_if(|_| call.is_none() && is_more) {
            Some((_, earlier)) => element = element.with_earlier(earlier),
            None => self.end_result(),
        }
        self.result = Some((tool.into_owned(), element));
        Ok(())
    }

    /// Appends the last result, which is complete.
    fn end_result(&mut self) {
        if let Some((_, element)) = self.result.take() {
            element.push_onto(&mut self.thread);
        }
    }

    /// Appends what is left of an answer.
    fn end_answer(&mut self) {
        self.end_result();
        if let Some(reasoning) = self.reasoning.take() {
            reasoning.push_onto(&mut self.thread);
        }
    }
}

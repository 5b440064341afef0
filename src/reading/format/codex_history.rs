//! The history of Codex: items of the Responses API in the order in which they were sent, as
//! rollouts of all versions keep them.

use crate::reading::format::dialects::RESPONSES;
use crate::reading::format::prelude::*;

/// The beginnings of user messages that Codex itself puts before the conversation.
const INJECTED: [&str; 6] = [
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions",
    "# Context from my IDE setup", "<permissions instructions>", "<INSTRUCTIONS>",
];
/// The bytes of user messages that a compaction keeps if it does not list its new history: 20,000
/// tokens of 4 bytes.
const KEPT_BYTES: usize = 80_000;

#[derive(Debug, Clone)]
pub(super) struct CodexItem {
    place: EventPlace,
    author: ItemAuthor,
    mark: ElementMark,
    form: ItemForm,
    /// The reported usage of the model call that ended with this item.
    usage: Option<EventPlace>,
}

#[derive(Debug, Clone)]
enum ItemForm {
    /// The item.
    Whole,
    /// Its content at this place, in the user's name: another agent wrote it.
    OfAgent(EventPlace),
    /// The item, and the list of tools at this place.
    WithTools(EventPlace),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemAuthor {
    User,
    /// The agent, in the user's name.
    Injected,
    Model,
    /// A tool, or the system prompt.
    Other,
}

impl CodexItem {
    fn new(place: EventPlace, author: ItemAuthor) -> Self {
        Self { place, author, mark: ElementMark::Message, form: ItemForm::Whole, usage: None }
    }

    /// Returns the item that an object is, or `None` if it is not sent.
    pub(super) fn from_node(node: JsonNode<'_>) -> Option<Self> {
        let kind = node.get_text("type");
        let place = |value: JsonNode<'_>| value.place();
        let form = match kind.as_deref() {
            Some("agent_message") => node.get("content").map(place).map(ItemForm::OfAgent),
            Some("additional_tools") => {
                let tools = node.get_kind("tools", JsonKind::Array);
                tools.map(place).map(ItemForm::WithTools)
            }
            _ => None,
        };
        let author = match kind.as_deref() {
            Some("ghost_snapshot") => return None,
            // A message of another agent, which is sent as the user's.
            Some("agent_message") => ItemAuthor::User,
            None | Some("message") => match node.get_text("role")?.as_ref() {
                "user" if is_injected(node) => ItemAuthor::Injected,
                "user" => ItemAuthor::User,
                "assistant" => ItemAuthor::Model,
                _ => ItemAuthor::Other,
            },
            Some("reasoning") => ItemAuthor::Model,
            Some(kind) if kind.ends_with("_call") => ItemAuthor::Model,
            Some(_) => ItemAuthor::Other,
        };
        node.is_kind(JsonKind::Object).then_some(Self {
            form: form.unwrap_or(ItemForm::Whole),
            ..Self::new(place(node), author)
        })
    }

    /// Returns the message of another agent that an event holds.
    pub(super) fn from_agent(event: JsonNode<'_>) -> Option<Self> {
        let content = event.get("content")?;
        let is_content = matches!(content.kind(), JsonKind::String | JsonKind::Array);
        (is_content && event.has_key("recipient")).then_some(Self {
            form: ItemForm::OfAgent(content.place()),
            ..Self::new(event.place(), ItemAuthor::User)
        })
    }

    /// Returns the summary of a compaction, whose text is the literal at `place`.
    pub(super) fn from_summary(place: EventPlace) -> Self {
        Self { mark: ElementMark::Summary, ..Self::new(place, ItemAuthor::User) }
    }

    /// Marks the item as a summary if it is the user's and its text ends with `summary`.
    pub(super) fn mark_if_summary(mut self, node: JsonNode<'_>, summary: &str) -> Self {
        let may_be_summary = self.author == ItemAuthor::User && !summary.is_empty();
        if may_be_summary && message_text(node).ends_with(summary) {
            self.mark = ElementMark::Summary;
        }
        self
    }

    /// Appends the item to a thread.
    fn push_to(&self, thread: &mut JournalThread, mark: ElementMark, records: &[&[u8]]) {
        let json = self.place.bytes(records);
        let json = match (&self.form, &self.usage) {
            (ItemForm::OfAgent(content), _) => {
                let pattern = r#"{"type": "message", "role": "user", "content": $}"#;
                Cow::Owned(fill_json(pattern, &[content.bytes(records)]))
            }
            _ if json.first() == Some(&b'"') => Cow::Owned(render_user_item(json)),
            // The usage is put before the item's own entries.
            (_, Some(usage)) => {
                Cow::Owned(fill_json(r#"{"usage": $, $"#, &[usage.bytes(records), &json[1..]]))
            }
            _ => Cow::Borrowed(json),
        };
        thread.push_element(mark, vec![self.place], &json);
    }
}

fn message_text(message: JsonNode<'_>) -> String {
    match message.get_text("content") {
        Some(text) => text.into_owned(),
        None => {
            message.items_of("content").filter_map(|block| block.get("text")?.as_text()).collect()
        }
    }
}

/// Returns true if a user message was put there by the agent.
fn is_injected(message: JsonNode<'_>) -> bool {
    let first = at("content|content.0.text").literal(message);
    first.is_some_and(|literal| {
        INJECTED
            .iter()
            .any(|start| literal.len() > start.len() && literal[1..].starts_with(start.as_bytes()))
    })
}

/// The history, built event by event.
#[derive(Debug, Clone, Default)]
pub(super) struct CodexHistory {
    pub(super) items: Vec<CodexItem>,
}

impl CodexHistory {
    /// Assigns a reported usage to the last item of the model.
    pub(super) fn assign_usage(&mut self, usage: EventPlace) {
        let mut items = self.items.iter_mut();
        if let Some(item) = items.rfind(|item| item.author == ItemAuthor::Model) {
            item.usage = Some(usage);
        }
    }

    /// Removes the last turns; each begins with a message of the user.
    pub(super) fn roll_back(&mut self, turns: usize) {
        for _ in 0..turns {
            let start = self.items.iter().rposition(|item| {
                item.author == ItemAuthor::User && item.mark == ElementMark::Message
            });
            let Some(start) = start else {
                return;
            };
            self.items.truncate(start);
        }
    }

    /// Applies a compaction that does not list its new history: keeps what was injected and the
    /// newest messages of the user, then adds the summary.
    pub(super) fn apply_compaction(&mut self, summary: CodexItem) {
        let mut room = KEPT_BYTES;
        let mut kept: Vec<CodexItem> = Vec::new();
        for item in std::mem::take(&mut self.items).into_iter().rev() {
            let bytes = item.place.span.end - item.place.span.start;
            let stays = match item.author {
                ItemAuthor::Injected => true,
                ItemAuthor::User if item.mark == ElementMark::Message && bytes <= room => {
                    room -= bytes;
                    true
                }
                ItemAuthor::User => {
                    room = 0;
                    false
                }
                ItemAuthor::Model | ItemAuthor::Other => false,
            };
            if stays {
                kept.push(item);
            }
        }
        kept.reverse();
        kept.push(summary);
        self.items = kept;
    }

    /// Builds the thread. What was injected before the first words is never summarized.
    pub(super) fn build_thread(
        &self,
        records: &[&[u8]],
        write_mode: WriteMode,
        instructions: Option<EventPlace>,
    ) -> JournalThread {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(RESPONSES, write_mode, last);
        if let Some(literal) = instructions.map(|instructions| instructions.bytes(records))
            && !is_empty_literal(literal)
        {
            thread.add_entry("instructions", literal);
        }
        let items = self.items.iter();
        let tools = items.filter_map(|item| match item.form {
            ItemForm::WithTools(list) => Some(list.bytes(records)),
            _ => None,
        });
        // Without the brackets around them.
        let tools = tools.map(|list| list[1..list.len() - 1].trim_ascii().to_vec());
        let tools: Vec<Vec<u8>> = tools.filter(|tools| !tools.is_empty()).collect();
        thread.add_list("tools", &tools);
        let mut is_before_words = true;
        for item in &self.items {
            is_before_words &= matches!(item.author, ItemAuthor::Injected | ItemAuthor::Other);
            let mark = if is_before_words && item.author == ItemAuthor::Injected {
                ElementMark::Pinned
            } else {
                item.mark
            };
            item.push_to(&mut thread, mark, records);
        }
        thread
    }
}

/// Renders a user item with the text of a literal.
pub(super) fn render_user_item(literal: &[u8]) -> Vec<u8> {
    let pattern =
        r#"{"type": "message", "role": "user", "content": [{"type": "input_text", "text": $}]}"#;
    fill_json(pattern, &[literal])
}

//! Records that are conversations, or lists of them: where their messages stand, and what they tell
//! of themselves.

use crate::reading::format::dialects::OPENAI;
use crate::reading::format::prelude::*;
use crate::reading::format::row::at::{At, NOWHERE};
use crate::reading::format::row::condition::{If, hold};
use crate::reading::format::row::message_tree::MessageTree;
use crate::reading::format::row::pointers::{PointedTexts, PointerRow};
use crate::reading::format::row::step::{MessageRow, Surroundings};

/// The row of a conversation whose messages become messages of OpenAI.
pub(crate) struct ConversationRow {
    /// The key under which a record may hold a list of conversations.
    pub(crate) below: Option<&'static str>,
    pub(crate) messages: Messages,
    /// Where one logged message holds several, the place of these.
    pub(crate) several: At,
    pub(crate) message: &'static MessageRow,
    /// The place of the system prompt, in the conversation or in the record around it.
    pub(crate) prompt: At,
    /// Texts beside the messages, to which these point.
    pub(crate) pointers: Option<PointerRow>,
    /// What a message is that answers a call, and the place of the call's id in it.
    pub(crate) answers: (&'static [If], At),
    pub(crate) id: Id,
    /// The places of the model; the first that names one counts.
    pub(crate) model: &'static [Model],
    pub(crate) tools: At,
    /// The keys of a conversation that are read, or that tell nothing: all others are noted as left
    /// out.
    pub(crate) read: &'static [&'static str],
    /// The conversations of other agents in a conversation.
    pub(crate) inner: Option<InnerConversations>,
}

/// Conversations in a conversation, which may hold others in the same way.
#[derive(Clone, Copy)]
pub(crate) struct InnerConversations {
    pub(crate) key: &'static str,
    pub(crate) row: &'static ConversationRow,
}

impl ConversationRow {
    /// What most rows leave as it is.
    pub(crate) const PLAIN: Self = Self {
        below: None,
        messages: Messages::Listed("messages"),
        several: NOWHERE,
        message: &MessageRow::NONE,
        prompt: NOWHERE,
        pointers: None,
        answers: (&[], NOWHERE),
        id: Id::Text(NOWHERE),
        model: &[],
        tools: NOWHERE,
        read: &[],
        inner: None,
    };
}

type MessageFinder = for<'t> fn(&mut JournalThread, JsonNode<'t>) -> Result<Vec<JsonNode<'t>>>;

pub(crate) enum Messages {
    /// All of the list under a key.
    Listed(&'static str),
    /// Those that a function finds.
    Found(MessageFinder),
}

pub(crate) enum Id {
    Text(At),
    /// A text or a number with the number of the run, as `ID-LABEL-NUMBER`.
    OfRun {
        of: At,
        number: At,
        label: &'static str,
        /// Where there is no such id.
        or: At,
    },
}

/// A place that names a model.
pub(crate) enum Model {
    OfConversation(At),
    OfLastMessage(At),
}

impl ConversationRow {
    /// Builds the thread of a conversation. Fails if its messages are not found.
    pub(super) fn build(
        &self,
        conversation: JsonNode<'_>,
        around: JsonNode<'_>,
    ) -> Result<JournalThread> {
        let mut thread = JournalThread::new_excerpt(OPENAI);
        let mut holders = [conversation, around].into_iter();
        let prompt = |holder| {
            let prompt = self.prompt.node(holder);
            prompt.filter(|prompt| !prompt.is_kind(JsonKind::Null))
        };
        if let Some(prompt) = holders.find_map(prompt) {
            let mut element = MessageBuilder::new("system").with_place(prompt.place());
            element.push_string(prompt);
            element.push_if_said(&mut thread);
        }
        let messages: Vec<JsonNode<'_>> = match self.messages {
            Messages::Found(find) => find(&mut thread, conversation)?,
            Messages::Listed(key) => {
                conversation.need_kind(key, JsonKind::Array)?.items().collect()
            }
        };
        let mut around = self.surroundings(conversation, &messages);
        for message in &messages {
            let several = self.several.node(*message);
            match several.filter(|several| several.is_kind(JsonKind::Array)) {
                Some(list) => list.items().for_each(|it| self.push(&mut thread, &mut around, it)),
                None => self.push(&mut thread, &mut around, *message),
            }
        }
        around.end(&mut thread);
        if let (Some(row), Some(texts)) = (&self.pointers, &around.pointers) {
            let unused = texts.unused() as u64;
            thread.note_all_left_out(row.unused, conversation.record_index(), unused);
        }
        thread.id = self.id.of(conversation);
        let model = self.model.iter().find_map(|model| match model {
            Model::OfConversation(at) => at.text(conversation),
            Model::OfLastMessage(at) => messages.iter().rev().find_map(|it| at.text(*it)),
        });
        thread.model = model.or(thread.model.take());
        let tools = self.tools.node(conversation);
        if let Some(tools) = tools.filter(|tools| tools.is_kind(JsonKind::Array)) {
            thread.add_entry("tools", tools.bytes());
        }
        note_other_keys(&mut thread, conversation, self.read);
        Ok(thread)
    }

    fn surroundings<'t>(
        &self,
        conversation: JsonNode<'t>,
        messages: &[JsonNode<'t>],
    ) -> Surroundings<'t> {
        let (conditions, id) = self.answers;
        let answers = messages.iter().filter(|it| hold(conditions, **it));
        let pointers = self.pointers.as_ref();
        Surroundings {
            answered: answers.filter_map(|it| id.literal(*it)).collect(),
            pointers: pointers.map(|row| PointedTexts::new(row, conversation)),
            ..Surroundings::default()
        }
    }

    /// Appends a message, or notes why it can't be read.
    fn push(
        &self,
        thread: &mut JournalThread,
        around: &mut Surroundings<'_>,
        message: JsonNode<'_>,
    ) {
        if let Err(error) = self.message.push_among(thread, around, message, message.place()) {
            thread.unread.push((message.record_index(), error));
        }
    }
}

/// Returns the messages from the first of a tree to the one with this id, and notes those of other
/// branches. Fails if there is no such path.
pub(crate) fn branch<'t>(
    thread: &mut JournalThread,
    tree: &MessageTree<'t>,
    last: &str,
) -> Result<Vec<JsonNode<'t>>> {
    let path = tree.path_to(last)?;
    let others = tree.others(&path).count() as u64;
    thread.note_all_left_out("messages of other branches", path[0].record_index(), others);
    Ok(path)
}

impl Id {
    pub(crate) fn of(&self, conversation: JsonNode<'_>) -> Option<String> {
        match self {
            Self::Text(at) => at.text(conversation),
            Self::OfRun { of, number, label, or } => {
                let id = of.node(conversation).map(|id| {
                    let number = || String::from_utf8_lossy(id.bytes());
                    id.as_text().unwrap_or_else(number).into_owned()
                });
                let number = number.node(conversation).and_then(JsonNode::as_u64);
                match (id, number) {
                    (Some(id), Some(number)) => Some(format!("{id}-{label}-{number}")),
                    (id, _) => id.or_else(|| or.text(conversation)),
                }
            }
        }
    }
}

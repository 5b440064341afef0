//! Lists of turns, each a tag and a text, as ShareGPT and Hermes have them, and summaries in them.

use crate::reading::format::chat_row::{ChatRow, MessageForm, SummaryJoins};
use crate::reading::format::media_columns::MEDIA;
use crate::reading::format::prelude::*;

/// The tags of turns; a call is a turn of the assistant, and `function` a result, as ToolBench has it.
const TAGS: RoleNames = RoleNames(
    "system|human=user|user|gpt=assistant|assistant|chatgpt=assistant|bard=assistant\
    |bing=assistant|model=assistant|function_call=assistant\
    |function=tool|observation=tool|tool|ipython=tool|function_response=tool|tool_response=tool",
);

pub(super) struct ShareGptTurn<'t> {
    pub(super) element: LocatedNode<'t>,
    pub(super) role: Role,
    pub(super) tag: Cow<'t, str>,
    /// The text: a string or null.
    pub(super) value: JsonNode<'t>,
}

impl<'t> ShareGptTurn<'t> {
    fn from_element(element: LocatedNode<'t>) -> Result<Self> {
        let (tag_key, text_key) = turn_keys(element.node);
        let role = element.read_role(tag_key, TAGS)?;
        let path = element.field_path(text_key);
        let value = element.node.need_at(text_key, &path)?;
        if !matches!(value.kind(), JsonKind::String | JsonKind::Null) {
            return Err(value.wrong_kind(&path, "a string"));
        }
        let tag = element.node.get_text(tag_key);
        Ok(Self { element, role, tag: tag.unwrap_or_default(), value })
    }

    pub(super) fn to_message(&self, role: Role) -> Message {
        let content = self.value.as_literal().map_or(Content::Absent, Content::Text);
        Message { content, content_span: Some(self.value.span()), ..self.element.new_message(role) }
    }
}

/// Returns the keys of a turn's tag and text.
fn turn_keys(turn: JsonNode<'_>) -> (&'static str, &'static str) {
    (choose_key(turn, "from", "role"), choose_key(turn, "value", "content"))
}

/// Returns `other` if the turn has that key and not the usual one.
fn choose_key(turn: JsonNode<'_>, usual: &'static str, other: &'static str) -> &'static str {
    if turn.has_key(usual) || !turn.has_key(other) { usual } else { other }
}

/// Returns the first of these lists that a record has, and its key.
pub(super) fn find_turns<'t>(
    record: JsonNode<'t>,
    keys: &[&'static str],
) -> Option<(JsonNode<'t>, &'static str)> {
    keys.iter().find_map(|key| Some((record.get_kind(key, JsonKind::Array)?, *key)))
}

/// Reads conversations of turns; `read_turn` gets the bytes of the record and appends the messages
/// of one turn.
pub(super) fn read_turns<'a>(
    records: Vec<Record<'a>>,
    keys: &[&'static str],
    read_turn: impl Fn(&[u8], ShareGptTurn<'_>, &mut Vec<Message>),
) -> Result<Transcript<'a>> {
    read_as_trees(records, Shape::Conversation, None, |transcript, record| {
        let root = record.node;
        transcript.alternates = true;
        let (list, key) =
            find_turns(root, keys).ok_or_else(|| no_messages_error(root.bytes(), keys[0]))?;
        let prompt = root
            .get("system")
            .filter(|prompt| prompt.as_text().is_some_and(|text| !text.is_empty()));
        push_system_prompt(transcript, prompt);
        transcript.tools = root
            .get("tools")
            .filter(|tools| matches!(tools.kind(), JsonKind::Array | JsonKind::String))
            .map(JsonNode::span);
        for_each_element(transcript, list, key, |transcript, element| {
            let turn = ShareGptTurn::from_element(element)?;
            read_turn(root.record_bytes(), turn, &mut transcript.messages);
            Ok(())
        })?;
        // The marks of media in a turn count them.
        match transcript.unread.first() {
            Some(unread) if MEDIA.iter().any(|(key, _)| root.items_of(key).next().is_some()) => {
                Err(unread.error.clone())
            }
            _ => Ok(()),
        }
    })
}
/// What formats of turns have in common: a summary begins the text of the user's turn that follows
/// it, or is a turn of its own.
pub(super) const TURNS: ChatRow = ChatRow {
    joins: SummaryJoins::Text(|transcript| {
        first_turn(transcript, Role::User).map_or("value", |tree| turn_keys(tree.root()).1)
    }),
    message: MessageForm::Own(|place, role, text| render_turn(place.transcript, role, text)),
    ..ChatRow::PLAIN
};

fn first_turn<'a>(transcript: &Transcript<'a>, role: Role) -> Option<JsonTree<'a>> {
    let first =
        transcript.messages.iter().skip(transcript.outside).find(|message| message.role == role)?;
    JsonTree::new(first.span.slice(transcript.records[0].bytes)).ok()
}

/// Renders a turn with the keys and tags of the other turns.
fn render_turn(transcript: &Transcript<'_>, role: Role, text: &str) -> Vec<u8> {
    let same_role = first_turn(transcript, role);
    let user = first_turn(transcript, Role::User);
    let (tag_key, text_key) = same_role
        .as_ref()
        .or(user.as_ref())
        .map_or(("from", "value"), |tree| turn_keys(tree.root()));
    let usual_tag = match (tag_key, role) {
        ("from", Role::Assistant) => "gpt",
        ("from", _) => "human",
        (_, Role::Assistant) => "assistant",
        _ => "user",
    };
    let tag = same_role
        .as_ref()
        .and_then(|tree| tree.root().get(tag_key)?.as_text())
        .unwrap_or(Cow::Borrowed(usual_tag));
    let literals = [tag_key, &tag, text_key, text].map(encode_literal);
    let [tag_key, tag, text_key, text] = &literals;
    fill_json("{$: $, $: $}", &[tag_key.as_slice(), tag, text_key, text])
}

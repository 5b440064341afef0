//! LangChain messages in lists, below `messages`, in states of LangGraph (`values`), or one a
//! record. `langchain_messages` reads the messages in their three spellings.
//!
//! deepagents notes its compactions beside the messages: a state with such a note is read as the
//! model sees it, and a new compaction updates the note.

use crate::reading::format::chat_row::{ChatEvidence, ChatReads, ChatRow, MessageForm};
use crate::reading::format::langchain_messages::{
    LangChainSpelling, message_fields, read_message, removed_numbers,
};
use crate::reading::format::prelude::*;
use crate::reading::transcript::summary_frame::archive_path_in;

/// The messages of LangChain and LangGraph.
pub(super) const LANGCHAIN_CHAT: ChatRow = ChatRow {
    name: "langchain",
    help: "LangChain messages (messages_to_dict, model_dump, dumpd): lists, {\"messages\": [...]}, LangGraph states, or one per line",
    told: ChatEvidence::Own(recognize),
    reads: ChatReads::Own(|records, shape| {
        read_as_trees(records, shape, None, |transcript, record| {
            if shape == Shape::Message {
                transcript.messages.push(read_message(record)?);
                return Ok(());
            }
            read_state(transcript, record)
        })
    }),
    note: update_event,
    message: MessageForm::Own(render_message),
    ..ChatRow::PLAIN
};

/// The key of deepagents' note of a compaction, beside the messages, which stay as they are.
const EVENT: &str = "_summarization_event";
/// Keys of journals whose lines look like a flat message.
const OF_JOURNAL: &[If] = &[has("uuid|parentUuid|sessionId|session_id|subtype|timestamp|message")];
/// The entry by which LangChain's middleware marks a summary.
const MARK: &[u8] = b"\"additional_kwargs\": {\"lc_source\": \"summarization\"}";

fn recognize(record: JsonNode<'_>) -> Option<Recognition> {
    let (shape, message) = match MessageState::find_in(record) {
        Some(state) => (Shape::Conversation, state.list.items().next()?),
        None if hold(OF_JOURNAL, record) => return None,
        None => (Shape::Message, record),
    };
    let why = match LangChainSpelling::of_message(message)? {
        LangChainSpelling::Dumpd => "messages of LangChain's dumpd (lc, kwargs)",
        LangChainSpelling::Dict => "messages of LangChain's messages_to_dict (type, data)",
        LangChainSpelling::Flat => "messages of LangChain's model_dump (type and content, no role)",
    };
    Some(Recognition::by_message(shape, why))
}

fn render_message(place: &SummaryPlace<'_>, role: Role, text: &str) -> Vec<u8> {
    let (kind, class) = match role {
        Role::Assistant => ("ai", "AIMessage"),
        _ => ("human", "HumanMessage"),
    };
    let first = place.removed[0];
    let first = place.transcript.bytes(first, place.transcript.messages[first].span);
    let spelling =
        JsonTree::new(first).ok().and_then(|tree| LangChainSpelling::of_message(tree.root()));
    let start = match spelling {
        Some(LangChainSpelling::Dumpd) => format!(
            "\"lc\": 1, \"type\": \"constructor\", \"id\": [\"langchain\", \"schema\", \"messages\", \"{class}\"], \"kwargs\": {{"
        ),
        Some(LangChainSpelling::Dict) => format!("\"type\": \"{kind}\", \"data\": {{"),
        Some(LangChainSpelling::Flat) | None => String::new(),
    };
    let end: &[u8] = if start.is_empty() { b"}" } else { b"}}" };
    let (thread, text) = (render_thread_entry(place), encode_literal(text));
    let pattern = r#"{$$"content": $, $, "type": "$"$"#;
    fill_json(pattern, &[&thread, start.as_bytes(), &text, MARK, kind.as_bytes(), end])
}

/// A list of messages, and the state that holds it.
#[derive(Clone, Copy)]
struct MessageState<'t> {
    list: JsonNode<'t>,
    /// The object that holds the list, or the list itself if it is the whole record.
    state: JsonNode<'t>,
}

impl<'t> MessageState<'t> {
    fn find_in(root: JsonNode<'t>) -> Option<Self> {
        if root.is_kind(JsonKind::Array) {
            return Some(Self { list: root, state: root });
        }
        [root].into_iter().chain(root.get("values")).find_map(|state| {
            let list = state.get_kind("messages", JsonKind::Array)?;
            Some(Self { list, state })
        })
    }
}

/// Reads a conversation as the model sees it: without the messages that later ones removed, and
/// without those that an earlier compaction replaced.
fn read_state(transcript: &mut Transcript<'_>, record: LocatedNode<'_>) -> Result<()> {
    let root = record.node;
    let MessageState { list, state } =
        MessageState::find_in(root).ok_or_else(|| no_messages_error(root.bytes(), "messages"))?;
    transcript.thread_id = root
        .get_path(&["config", "configurable", "thread_id"])
        .and_then(JsonNode::as_non_empty_text);
    transcript.tools = state.get_kind("tools", JsonKind::Array).map(JsonNode::span);
    let event = SummarizationEvent::find_in(state);
    if let Some(event) = &event {
        let summary = LocatedNode { node: event.message, path: Some(EVENT) };
        transcript.messages.push(Message { earlier_summary: true, ..read_message(summary)? });
        transcript.outside = 1;
    }
    let cutoff = event.map_or(0, |event| event.cutoff);
    let removed = removed_numbers(list);
    let mut number = 0;
    for_each_element(transcript, list, "messages", |transcript, element| {
        number += 1;
        if number > cutoff && !removed.contains(&number) {
            transcript.messages.push(read_message(element)?);
        }
        Ok(())
    })
}

/// deepagents' note of a compaction: the summary, and the number of messages that it replaces.
#[derive(Clone, Copy)]
struct SummarizationEvent<'t> {
    message: JsonNode<'t>,
    cutoff: usize,
    cutoff_node: JsonNode<'t>,
    file_path: Option<JsonNode<'t>>,
}

impl<'t> SummarizationEvent<'t> {
    fn find_in(state: JsonNode<'t>) -> Option<Self> {
        let event = state.get(EVENT)?;
        let (message, cutoff_node) = (event.get("summary_message")?, event.get("cutoff_index")?);
        let cutoff = usize::try_from(cutoff_node.as_u64()?).ok()?;
        LangChainSpelling::of_message(message)?;
        Some(Self { message, cutoff, cutoff_node, file_path: event.get("file_path") })
    }
}

/// Returns the splices that update the note of an earlier compaction. The messages stay where they
/// are. Returns `None` if there is no note, or if it cannot express this summary.
fn update_event(place: &SummaryPlace<'_>, text: &str) -> Option<Vec<(usize, Splice)>> {
    let transcript = place.transcript;
    if transcript.message_per_record {
        return None;
    }
    let tree = JsonTree::new(transcript.records[0].bytes).ok()?;
    let MessageState { list, state } = MessageState::find_in(tree.root())?;
    let event = SummarizationEvent::find_in(state)?;
    let is_prefix = place.removed.last().is_none_or(|last| last + 1 == place.first_kept)
        && place.removed.first() == Some(&0);
    let content = message_fields(event.message).get("content")?;
    let first_kept = transcript.messages.get(place.first_kept).filter(|_| is_prefix)?;
    let cutoff = list.items().position(|element| element.span() == first_kept.span)?;
    let mut splices = vec![
        replace_node(event.cutoff_node, cutoff.to_string().into_bytes()),
        replace_node(content, encode_literal(text)),
    ];
    let path = archive_path_in(text);
    splices.extend(event.file_path.map(|node| {
        let path = path.map_or_else(|| b"null".to_vec(), encode_literal);
        replace_node(node, path)
    }));
    Some(splices)
}

fn replace_node(node: JsonNode<'_>, bytes: Vec<u8>) -> (usize, Splice) {
    let span = node.span();
    (0, Splice { span, bytes })
}

//! Reading of records as trees, with everything that is the same for all formats: thread id,
//! model, usage and duplicate keys.

use crate::base::foreign_text::quote_value;
use crate::reading::format::foreign_log::describe_record;
use crate::reading::format::located_node::LocatedNode;
use crate::reading::format::recognition::Shape;
use crate::reading::format::thread_id::{ThreadId, message_thread_id};
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::format::usage;
use crate::reading::transcript::prelude::*;

type Result<T> = std::result::Result<T, RecordError>;

/// Reads records as trees; `read_record` adds the messages of each. A conversation is named by
/// `thread_key`, if the format has such a key, or by a key that is common to all formats.
pub(super) fn read_as_trees<'a>(
    records: Vec<Record<'a>>,
    shape: Shape,
    thread_key: Option<&'static str>,
    mut read_record: impl FnMut(&mut Transcript<'a>, LocatedNode<'_>) -> Result<()>,
) -> Result<Transcript<'a>> {
    let mut transcript = Transcript {
        message_per_record: shape == Shape::Message,
        // What is noted while records are read has their lines.
        records,
        ..Transcript::default()
    };
    for record in 0..transcript.records.len() {
        let bytes = transcript.records[record].bytes;
        let tree = JsonTree::of_record(bytes, record)?;
        let root = tree.root();
        if !matches!(root.kind(), JsonKind::Object | JsonKind::Array)
            || (shape == Shape::Message && root.is_kind(JsonKind::Array))
        {
            return Err(root.wrong_kind("the record", "an object or a list of messages"));
        }
        read_record(&mut transcript, LocatedNode { node: root, path: None })?;
        if shape == Shape::Conversation {
            read_common_keys(&mut transcript, root, thread_key);
        }
        if let Some(key) = tree.duplicate_key {
            transcript.warnings.push(duplicate_key_warning(&key));
        }
    }
    if shape == Shape::Message
        && let Some(id) =
            transcript.records.first().and_then(|first| message_thread_id(first.bytes))
    {
        transcript.thread_id = Some(id);
    }
    transcript.keep_first_summary();
    Ok(transcript)
}

/// Reads the keys of a conversation that are common to all formats. What the format has already
/// read stays.
fn read_common_keys(
    transcript: &mut Transcript<'_>,
    root: JsonNode<'_>,
    thread_key: Option<&'static str>,
) {
    let bytes = root.record_bytes();
    let mut thread = ThreadId::with_format_keys(thread_key, None);
    for (key, value) in root.entries() {
        let key = decode_literal_wtf8(key.slice(bytes));
        thread.observe_key(bytes, &key, value.span(), value.kind());
    }
    transcript.thread_id = transcript.thread_id.take().or(thread.into_id());
    let model = root.non_empty_text("model");
    transcript.model = transcript.model.take().or(model);
    let usage = root.get_kind("usage", JsonKind::Object);
    usage::assign_to_last_answer(
        &mut transcript.messages,
        usage.and_then(|usage| usage::parse_usage(usage.bytes())),
    );
}

/// Returns the warning that an object has a key twice.
pub(super) fn duplicate_key_warning(key: &str) -> String {
    let key = quote_value(key);
    format!("key {key} appears twice in one object; the last one counts")
}

/// Calls `read_element` for every element of a list of messages. An element whose fault is in it
/// alone is noted as unread. Fails if `list` is not a list, if an element is not an object, if
/// `read_element` fails otherwise, or if no element can be read.
pub(super) fn for_each_element<'a>(
    transcript: &mut Transcript<'a>,
    list: JsonNode<'_>,
    name: &str,
    mut read_element: impl FnMut(&mut Transcript<'a>, LocatedNode<'_>) -> Result<()>,
) -> Result<()> {
    let list = list.must_be(JsonKind::Array, name)?;
    for (number, node) in list.items().enumerate() {
        let path = format!("{name}[{number}]");
        let element =
            LocatedNode { node: node.must_be(JsonKind::Object, &path)?, path: Some(&path) };
        let before = transcript.messages.len();
        if let Err(error) = read_element(transcript, element) {
            if !error.costs_message {
                return Err(error);
            }
            transcript.messages.truncate(before);
            let span = node.span();
            transcript.unread.push(UnreadMessage { span, error });
        }
    }
    fail_if_none_is_read(transcript)
}

/// Returns the first of the errors that cost a message if they cost all messages of the list.
pub(super) fn fail_if_none_is_read(transcript: &Transcript<'_>) -> Result<()> {
    match transcript.unread.first() {
        Some(unread) if transcript.messages.len() <= transcript.outside => {
            Err(unread.error.clone())
        }
        _ => Ok(()),
    }
}

/// Returns the error that a record has no list of messages under the key `name`.
pub(super) fn no_messages_error(record: &[u8], name: &str) -> RecordError {
    RecordError::new(format!("record without {name}; {}", describe_record(record)))
}

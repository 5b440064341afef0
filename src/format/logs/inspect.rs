//! Logs of Inspect: the samples of an evaluation, each with the messages of one epoch. Long texts
//! are `attachments` of a sample, to which its messages point (`attachment://HASH`).

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::journal::{EventPlace, JournalThread};
use crate::format::located_node::unknown_role_reason;
use crate::format::message_builder::{MessageBuilder, note_other_keys, unknown_content_error};
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, decode_literal, encode_literal};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Evaluation logs of Inspect.
pub(in crate::format) const INSPECT: LogRow = LogRow {
    name: "inspect",
    help: "Inspect evaluation logs: {\"eval\", \"samples\": [{\"id\", \"epoch\", \"messages\"}]}, or one sample a record",
    evidence: &[
        conversation(WHY, &[has("eval"), If::Of(at("samples.0"), SAMPLE)]),
        conversation(WHY, SAMPLE),
    ],
    reads: Reads::Built(Some("samples"), build_thread),
};

/// The beginning of a pointer to an attachment.
const POINTER: &str = "attachment://";
const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];
/// Keys of a sample that are read.
const SAMPLE_KEYS: [&str; 4] = ["id", "epoch", "messages", "attachments"];

const WHY: &str = "samples with an epoch and messages";
const SAMPLE: &[If] = &[all("id|epoch|messages|target")];

fn build_thread(sample: JsonNode<'_>, at: usize) -> Result<JournalThread, RecordError> {
    let list = sample
        .get("messages")
        .ok_or_else(|| sample.missing_key("messages"))?
        .must_be(JsonKind::Array, "messages")?;
    let mut chat = InspectSample {
        thread: JournalThread::new_excerpt(OPENAI, "messages", at),
        at,
        attachments: read_attachments(sample),
        used: HashSet::new(),
    };
    for message in list.items() {
        if let Err(error) = chat.push_message(message) {
            chat.thread.unread.push((at, error));
        }
    }
    for _ in chat.used.len()..chat.attachments.len() {
        let what = "attachments that no message points to".to_owned();
        chat.thread.note_left_out(what, at);
    }
    let mut thread = chat.thread;
    thread.id = sample_id(sample);
    let model = sample.get_path(&["output", "model"]);
    thread.model = model.and_then(JsonNode::as_non_empty_text);
    note_other_keys(&mut thread, at, sample, &SAMPLE_KEYS);
    Ok(thread)
}

/// Returns the id of a sample with its epoch: each sample is run once an epoch.
fn sample_id(sample: JsonNode<'_>) -> Option<String> {
    let id = sample.get("id")?;
    let id = id
        .as_text()
        .unwrap_or_else(|| String::from_utf8_lossy(id.bytes()));
    Some(match sample.get("epoch").and_then(JsonNode::as_u64) {
        Some(epoch) => format!("{id}-epoch-{epoch}"),
        None => id.into_owned(),
    })
}

fn read_attachments(sample: JsonNode<'_>) -> HashMap<Cow<'_, str>, JsonNode<'_>> {
    let attachments = sample.get("attachments");
    let entries = attachments.into_iter().flat_map(JsonNode::entries);
    entries
        .filter(|(_, text)| text.is_kind(JsonKind::String))
        .map(|(key, text)| (decode_literal(key.slice(sample.record_bytes())), text))
        .collect()
}

/// A sample whose messages are read.
struct InspectSample<'t> {
    thread: JournalThread,
    at: usize,
    /// The texts of the attachments by their hashes.
    attachments: HashMap<Cow<'t, str>, JsonNode<'t>>,
    /// The places of those to which messages point.
    used: HashSet<usize>,
}

impl InspectSample<'_> {
    fn push_message(&mut self, message: JsonNode<'_>) -> Result<(), RecordError> {
        let role = message.get("role").and_then(JsonNode::as_text);
        let role = role.unwrap_or_default();
        let Some(known) = ROLES.iter().find(|known| **known == role) else {
            let reason = unknown_role_reason("role", &role, &ROLES);
            return Err(RecordError::at(message.span().start, reason));
        };
        let mut element = match *known {
            "tool" => MessageBuilder::new_result(message.literal_bytes("tool_call_id")),
            role => MessageBuilder::new(role),
        };
        element.add_place(EventPlace::new(self.at, message.span()));
        let content = message
            .get("content")
            .ok_or_else(|| unknown_content_error(message, "a message"))?;
        if content.is_kind(JsonKind::String) {
            self.push_text(&mut element, content);
        }
        for block in content.items() {
            self.push_block(&mut element, block);
        }
        let is_unknown = element.is_empty() && content.items().next().is_some();
        if is_unknown && !message.has_key("tool_calls") {
            return Err(unknown_content_error(message, "a message"));
        }
        if let Some(error) = message.get_kind("error", JsonKind::Object) {
            if let Some(text) = error.get("message").filter(|_| element.is_empty()) {
                self.push_text(&mut element, text);
            }
            element.set_failed(true);
        }
        for call in message.items_of("tool_calls") {
            element.push_call(
                call.literal_bytes("id").unwrap_or(b"\"\""),
                call.literal_bytes("function").unwrap_or(b"\"\""),
                call.get("arguments"),
            );
        }
        element.push_onto(&mut self.thread);
        Ok(())
    }

    fn push_block(&mut self, element: &mut MessageBuilder, block: JsonNode<'_>) {
        let value = |key: &str| block.get_kind(key, JsonKind::String);
        match block.get("type").and_then(JsonNode::as_text).as_deref() {
            Some("text") => {
                if let Some(text) = value("text") {
                    self.push_text(element, text);
                }
            }
            Some("reasoning") => {
                if let Some(reasoning) = value("reasoning") {
                    let literal = self.resolve(element, reasoning);
                    element.push_reasoning(&literal);
                }
            }
            Some("image") => {
                if let Some(image) = value("image") {
                    let literal = self.resolve(element, image);
                    element.push_image(&literal);
                }
            }
            // Blocks of other types are found in the message when it is converted.
            _ => {}
        }
    }

    fn push_text(&mut self, element: &mut MessageBuilder, text: JsonNode<'_>) {
        let literal = self.resolve(element, text);
        element.push_text(&literal);
    }

    /// Returns the literal of a text with its attachments in the place of their pointers.
    fn resolve<'n>(&mut self, element: &mut MessageBuilder, text: JsonNode<'n>) -> Cow<'n, [u8]> {
        let literal = text.bytes();
        if memchr::memmem::find(literal, POINTER.as_bytes()).is_none() {
            return Cow::Borrowed(literal);
        }
        let decoded = decode_literal(literal);
        let mut pieces = decoded.split(POINTER);
        let mut resolved = pieces.next().unwrap_or_default().to_owned();
        let mut used = Vec::new();
        for piece in pieces {
            let end = piece.find(|c: char| !c.is_ascii_hexdigit());
            let (hash, rest) = piece.split_at(end.unwrap_or(piece.len()));
            match self.attachments.get(hash) {
                Some(attachment) => {
                    element.add_place(EventPlace::new(self.at, attachment.span()));
                    used.push(*attachment);
                    self.used.insert(attachment.span().start);
                    resolved.push_str(&decode_literal(attachment.bytes()));
                }
                None => {
                    resolved.push_str(POINTER);
                    resolved.push_str(hash);
                }
            }
            resolved.push_str(rest);
        }
        // An attachment that is the whole text is found in the content.
        for attachment in used {
            if decode_literal(attachment.bytes()) != resolved {
                element.keep_spelling(attachment.bytes());
            }
        }
        element.keep_spelling(literal);
        Cow::Owned(encode_literal(&resolved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::row::rendered;

    #[test]
    fn attachments_stand_where_messages_point_to_them() {
        let sample = r#"{"id": 7, "epoch": 2, "target": "", "attachments": {"abc1": "P-7 61 C"}, "messages": [
            {"role": "tool", "tool_call_id": "t", "function": "read", "content": "Alarms: attachment://abc1; attachment://def2"}]}"#;
        assert_eq!(
            rendered(&INSPECT, sample),
            [
                r#"{"role": "tool", "tool_call_id": "t", "content": "Alarms: P-7 61 C; attachment://def2", "logged_as": ["P-7 61 C", "Alarms: attachment://abc1; attachment://def2"]}"#
            ]
        );
    }

    #[test]
    fn calls_name_their_function_and_errors_are_results() {
        let sample = r#"{"id": 7, "epoch": 2, "target": "", "messages": [
            {"role": "assistant", "content": [{"type": "reasoning", "reasoning": "Look."}], "tool_calls": [{"id": "t", "function": "read", "arguments": {"path": "a"}}]},
            {"role": "tool", "tool_call_id": "t", "content": "", "error": {"type": "permission", "message": "no"}}]}"#;
        assert_eq!(
            rendered(&INSPECT, sample),
            [
                r#"{"role": "assistant", "content": [{"type": "reasoning", "text": "Look."}], "tool_calls": [{"id": "t", "type": "function", "function": {"name": "read", "arguments": {"path": "a"}}}]}"#,
                r#"{"role": "tool", "tool_call_id": "t", "content": "no", "is_error": true}"#,
            ]
        );
    }
}

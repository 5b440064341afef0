//! Gemini CLI sessions: a journal in which a later line with the same `id`
//! replaces the earlier one, `$rewindTo` takes messages back and
//! `$set.messages` replaces them all (spec: formats, section 10); older ones
//! are one object with `messages`. A compaction is such a `$set`.

use crate::error::RecordError;
use crate::format::dialects::GEMINI;
use crate::format::insertion::SummaryPlace;
use crate::format::journal::{
    ElementMark, Journal, JournalReader, JournalThread, append_lines, uuid_like_id,
};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::{JsonKind, Span};
use crate::json::{decode_literal, encode_literal, is_empty_literal};
use crate::transcript::Transcript;
use crate::transcript::journal::WriteMode;
use crate::transcript::splice::Splice;
use crate::transcript::summary_frame::is_framed_summary;
use std::borrow::Cow;
use std::collections::HashMap;

/// Sessions of Gemini CLI.
pub(super) struct GeminiCliJournal;

const WRITES: WriteMode = WriteMode::Appended {
    asked: false,
    clears: false,
};

impl Journal for GeminiCliJournal {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }

    fn help_line(&self) -> &'static str {
        "Gemini CLI sessions (~/.gemini/tmp/*/chats): a journal with $set and $rewindTo, or one object with messages"
    }

    fn write_mode(&self) -> WriteMode {
        WRITES
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let hit = |shape, why| {
            Some(Recognition {
                shape,
                certainty: Certainty::Envelope,
                why,
            })
        };
        if record.has_key("projectHash") && record.has_key("sessionId") {
            // One object with its messages is a whole file.
            let shape = if record
                .get("messages")
                .is_some_and(|list| list.is_kind(JsonKind::Array))
            {
                Shape::Conversation
            } else {
                Shape::Journal
            };
            return hit(shape, "projectHash beside sessionId");
        }
        if record
            .get("$set")
            .is_some_and(|set| set.is_kind(JsonKind::Object))
            || record.has_key("$rewindTo")
        {
            return hit(Shape::Journal, "$set or $rewindTo");
        }
        let is_answer = record.has_text("type", "gemini")
            && record.has_key("id")
            && record.has_key("timestamp");
        if is_answer {
            hit(Shape::Journal, "an answer of type gemini")
        } else {
            None
        }
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(GeminiCliReader::default())
    }

    fn append_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let mut kept: Vec<&[u8]> = Vec::new();
        for index in place.first_kept..transcript.messages.len() {
            // A call and its results are one record.
            let records = transcript.message_sources(index);
            if index == place.first_kept || transcript.message_sources(index - 1) != records {
                kept.extend(transcript.source_bytes(index));
            }
        }
        let last = transcript
            .records
            .last()
            .map_or(b"".as_slice(), |record| record.bytes);
        let stamp = [kept.last().copied(), Some(last)]
            .into_iter()
            .flatten()
            .find_map(|bytes| {
                Some(
                    JsonTree::new(bytes)
                        .ok()?
                        .root()
                        .get("timestamp")?
                        .bytes()
                        .to_vec(),
                )
            });
        let stamp = stamp.unwrap_or_else(|| encode_literal("1970-01-01T00:00:00.000Z"));
        let id = encode_literal(&uuid_like_id(&[last, text.as_bytes()]));
        let start = [
            b"{\"id\": ".as_slice(),
            &id,
            b", \"timestamp\": ",
            &stamp,
            b", \"type\": \"user\", \"content\": [{\"text\": ",
        ]
        .concat();
        let summary = [start.as_slice(), &encode_literal(text), b"}]}"].concat();
        let messages = std::iter::once(summary.as_slice())
            .chain(kept)
            .collect::<Vec<_>>()
            .join(b", ".as_slice());
        append_lines(
            transcript,
            &[[
                b"{\"$set\": {\"messages\": [".as_slice(),
                &messages,
                b"], \"lastUpdated\": ",
                &stamp,
                b"}}",
            ]
            .concat()],
        )
    }
}

/// One message: its record and place.
struct GeminiCliMessage {
    id: Option<String>,
    at: usize,
    span: Span,
}

/// A session while it is read.
#[derive(Default)]
struct GeminiCliReader {
    id: Option<String>,
    messages: Vec<GeminiCliMessage>,
    /// Where the message with an id stands.
    by_id: HashMap<String, usize>,
    /// A whole file that is no journal: nothing can be appended.
    is_object: bool,
}

impl JournalReader for GeminiCliReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let text_at = |node: JsonNode<'_>, key: &str| {
            node.get(key)
                .and_then(JsonNode::as_text)
                .map(Cow::into_owned)
        };
        let said = |node: JsonNode<'_>| GeminiCliMessage {
            id: text_at(node, "id"),
            at,
            span: node.span(),
        };
        if let Some(id) = record.get("$rewindTo").and_then(JsonNode::as_text) {
            // An id that is not known takes everything back.
            let from = self.by_id.get(id.as_ref()).copied().unwrap_or(0);
            self.messages.truncate(from);
            self.by_id.retain(|_, at| *at < from);
            return Ok(());
        }
        let set = record.get("$set");
        if let Some(list) = set.unwrap_or(record).get("messages") {
            self.messages.clear();
            self.by_id.clear();
            list.must_be(JsonKind::Array, "messages")?
                .items()
                .for_each(|message| self.say(said(message)));
            self.is_object |= set.is_none();
        }
        if record.has_key("sessionId") {
            self.id = self.id.take().or_else(|| text_at(record, "sessionId"));
        } else if record.has_key("type") && set.is_none() {
            self.say(said(record));
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut thread = JournalThread::new(
            GEMINI,
            "contents",
            if self.is_object {
                WriteMode::Nowhere
            } else {
                WRITES
            },
            last,
        );
        thread.id = self.id.filter(|id| !id.is_empty());
        for GeminiCliMessage { at, span, .. } in self.messages {
            let Ok(tree) = JsonTree::new(span.slice(records[at])) else {
                continue;
            };
            tell(&mut thread, tree.root(), (at, span));
        }
        if thread.len() == 0 {
            Vec::new()
        } else {
            vec![thread]
        }
    }
}

impl GeminiCliReader {
    /// Adds a message; one with a known id takes the place of the earlier one.
    fn say(&mut self, new: GeminiCliMessage) {
        if let Some(id) = &new.id {
            let at = *self.by_id.entry(id.clone()).or_insert(self.messages.len());
            if let Some(known) = self.messages.get_mut(at) {
                *known = new;
                return;
            }
        }
        self.messages.push(new);
    }
}

/// The parts of a content: a string, a part, or a list of both.
fn parts(content: JsonNode<'_>) -> Vec<Vec<u8>> {
    match content.kind() {
        JsonKind::String if is_empty_literal(content.bytes()) => Vec::new(),
        JsonKind::String => vec![[b"{\"text\": ".as_slice(), content.bytes(), b"}"].concat()],
        JsonKind::Array => content.items().flat_map(parts).collect(),
        JsonKind::Object => vec![content.bytes().to_vec()],
        JsonKind::Null | JsonKind::Number | JsonKind::Bool => Vec::new(),
    }
}

/// Notes the keys that are not told.
fn leave(thread: &mut JournalThread, node: JsonNode<'_>, path: &str, told: &[&str], at: usize) {
    for (key, _) in node.entries() {
        let key = decode_literal(key.slice(node.record_bytes()));
        if !told.contains(&key.as_ref()) {
            thread.note_left_out(format!("{path}{key}"), at);
        }
    }
}

fn tell(thread: &mut JournalThread, message: JsonNode<'_>, place: (usize, Span)) {
    let content = message.get("content").map(parts).unwrap_or_default();
    let turn = |role: &str, parts: &[Vec<u8>]| {
        [
            format!("{{\"role\": \"{role}\", \"parts\": [").as_bytes(),
            &parts.join(b", ".as_slice()),
            b"]}",
        ]
        .concat()
    };
    match message.get("type").and_then(JsonNode::as_text).as_deref() {
        Some("user") => {
            let first = message.get("content").and_then(|content| {
                content
                    .as_literal()
                    .or_else(|| content.items().next()?.literal_at("text"))
            });
            let is_summary = thread.len() == 0
                && first.is_some_and(|literal| {
                    is_framed_summary(literal.slice(message.record_bytes()))
                });
            thread.push_element(
                if is_summary {
                    ElementMark::Summary
                } else {
                    ElementMark::Message
                },
                vec![place],
                &[&turn("user", &content)],
            );
        }
        Some("gemini") => {
            thread.model = message
                .get("model")
                .and_then(JsonNode::as_text)
                .filter(|model| !model.is_empty())
                .map(Cow::into_owned)
                .or(thread.model.take());
            let mut model = content;
            let mut results = Vec::new();
            leave(
                thread,
                message,
                "",
                &["id", "timestamp", "type", "content", "toolCalls", "model"],
                place.0,
            );
            for call in message.items_of("toolCalls") {
                leave(
                    thread,
                    call,
                    "toolCalls[].",
                    &["id", "name", "args", "result"],
                    place.0,
                );
                let entries = ["id", "name", "args"].iter().filter_map(|key| {
                    Some([b"\"", key.as_bytes(), b"\": ", call.get(key)?.bytes()].concat())
                });
                let entries = entries.collect::<Vec<_>>().join(b", ".as_slice());
                model.push([b"{\"functionCall\": {".as_slice(), &entries, b"}}"].concat());
                results.extend(call.get("result").map(parts).unwrap_or_default());
            }
            thread.push_element(ElementMark::Message, vec![place], &[&turn("model", &model)]);
            if !results.is_empty() {
                thread.push_element(ElementMark::Joined, vec![place], &[&turn("user", &results)]);
            }
        }
        // What else there is only goes to the screen.
        _ => {}
    }
}

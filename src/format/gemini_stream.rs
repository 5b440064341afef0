//! The stream of `gemini --output-format stream-json`: init, messages in
//! pieces (`delta`), calls and results, statistics. A report, not a session.

use crate::error::RecordError;
use crate::format::dialects::GEMINI;
use crate::format::journal::{ElementMark, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, Span};
use crate::json::{decode_literal_wtf8, encode_wtf8_literal};
use crate::transcript::journal::WriteMode;
use std::borrow::Cow;

/// Streams of Gemini CLI.
pub(super) struct GeminiStreamJournal;

impl Journal for GeminiStreamJournal {
    fn name(&self) -> &'static str {
        "gemini-stream"
    }

    fn help_line(&self) -> &'static str {
        "the stream of `gemini --output-format stream-json`: init, message, tool_use, tool_result, result"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let is = |kind: &str, key: &str| record.has_text("type", kind) && record.has_key(key);
        let own = is("init", "session_id")
            || is("tool_use", "tool_id")
            || is("tool_result", "tool_id")
            || is("result", "stats");
        let piece = is("message", "delta") && record.has_key("role") && record.has_key("timestamp");
        let hit = Recognition {
            shape: Shape::Journal,
            certainty: Certainty::Envelope,
            why: "init, tool_use or tool_result with tool_id, stats, or a delta",
        };
        (own || piece).then_some(hit)
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(GeminiStreamReader::default())
    }
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GeminiSpeaker {
    User,
    Model,
    Results,
}

/// One turn: the parts of a speaker without another between.
struct GeminiTurn {
    by: GeminiSpeaker,
    parts: Vec<Vec<u8>>,
    /// Whether it calls: what the model says then is its next answer.
    calls: bool,
    /// Text that goes on in further pieces (WTF-8).
    piece: Option<Vec<u8>>,
    places: Vec<(usize, Span)>,
}

impl GeminiTurn {
    fn end_piece(&mut self) {
        if let Some(piece) = self.piece.take() {
            self.parts.push(
                [
                    b"{\"text\": ".as_slice(),
                    &encode_wtf8_literal(&piece),
                    b"}",
                ]
                .concat(),
            );
        }
    }
}

/// A stream while it is read.
#[derive(Default)]
struct GeminiStreamReader {
    id: Option<String>,
    model: Option<String>,
    turns: Vec<GeminiTurn>,
}

impl GeminiStreamReader {
    fn begin(&mut self, by: GeminiSpeaker) {
        self.turns.push(GeminiTurn {
            by,
            parts: Vec::new(),
            calls: false,
            piece: None,
            places: Vec::new(),
        });
    }

    fn turn(&mut self, by: GeminiSpeaker, at: usize, record: JsonNode<'_>) -> &mut GeminiTurn {
        if self.turns.last().is_none_or(|turn| turn.by != by) {
            self.begin(by);
        }
        let last = self.turns.len() - 1;
        let turn = &mut self.turns[last];
        turn.places.push((at, record.span()));
        turn
    }
}

impl JournalReader for GeminiStreamReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let text_at = |key: &str| {
            record
                .get(key)
                .and_then(JsonNode::as_text)
                .filter(|text| !text.is_empty())
                .map(Cow::into_owned)
        };
        let bytes = |key: &str| record.get(key).map_or(b"null".as_slice(), JsonNode::bytes);
        match record.get("type").and_then(JsonNode::as_text).as_deref() {
            Some("init") => {
                self.id = text_at("session_id").or(self.id.take());
                self.model = text_at("model").or(self.model.take());
            }
            Some("message") => {
                let content = record
                    .get("content")
                    .ok_or_else(|| record.missing_key("content"))?
                    .must_be(JsonKind::String, "content")?;
                let by = if record.has_text("role", "user") {
                    GeminiSpeaker::User
                } else {
                    GeminiSpeaker::Model
                };
                if self.turns.last().is_some_and(|turn| turn.calls) {
                    self.begin(by);
                }
                let is_piece = record
                    .get("delta")
                    .is_some_and(|delta| delta.bytes() == b"true");
                let turn = self.turn(by, at, record);
                if !is_piece {
                    turn.end_piece();
                }
                turn.piece
                    .get_or_insert_default()
                    .extend_from_slice(&decode_literal_wtf8(content.bytes()));
                if !is_piece {
                    turn.end_piece();
                }
            }
            Some("tool_use") => {
                let call = [
                    b"{\"functionCall\": {\"id\": ".as_slice(),
                    bytes("tool_id"),
                    b", \"name\": ",
                    bytes("tool_name"),
                    b", \"args\": ",
                    bytes("parameters"),
                    b"}}",
                ];
                let turn = self.turn(GeminiSpeaker::Model, at, record);
                turn.end_piece();
                turn.calls = true;
                turn.parts.push(call.concat());
            }
            Some("tool_result") => {
                let output = ["output", "error"].iter().find_map(|key| {
                    record
                        .get(key)
                        .filter(|value| !value.is_kind(JsonKind::Null))
                });
                let key: &[u8] = if record.has_text("status", "error") {
                    b"error"
                } else {
                    b"output"
                };
                let value = output.map_or(b"\"\"".as_slice(), JsonNode::bytes);
                let response = [
                    b"{\"functionResponse\": {\"id\": ".as_slice(),
                    bytes("tool_id"),
                    b", \"response\": {\"",
                    key,
                    b"\": ",
                    value,
                    b"}}}",
                ]
                .concat();
                self.turn(GeminiSpeaker::Results, at, record)
                    .parts
                    .push(response);
            }
            _ => {}
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut thread = JournalThread::new(GEMINI, "contents", WriteMode::Nowhere, last);
        (thread.id, thread.model) = (self.id, self.model);
        for mut turn in self.turns {
            turn.end_piece();
            let role: &[u8] = if turn.by == GeminiSpeaker::Model {
                b"model"
            } else {
                b"user"
            };
            thread.push_element(
                ElementMark::Message,
                turn.places,
                &[
                    b"{\"role\": \"",
                    role,
                    b"\", \"parts\": [",
                    &turn.parts.join(b", ".as_slice()),
                    b"]}",
                ],
            );
        }
        if thread.len() == 0 {
            Vec::new()
        } else {
            vec![thread]
        }
    }
}

//! The stream of `gemini --output-format stream-json`: init, messages in
//! pieces (`delta`), calls and results, statistics. A report, not a session.

use crate::error::RecordError;
use crate::format::gemini::Gemini;
use crate::format::journal::{Journal, Mark, Reader, Thread};
use crate::format::tree::Node;
use crate::format::{Certainty, Hit, Shape};
use crate::json::text;
use crate::json::{Kind, Span};
use crate::transcript::journal::Writes;
use std::borrow::Cow;

/// Streams of Gemini CLI.
pub(super) struct GeminiStream;

impl Journal for GeminiStream {
    fn name(&self) -> &'static str {
        "gemini-stream"
    }

    fn about(&self) -> &'static str {
        "the stream of `gemini --output-format stream-json`: init, message, tool_use, tool_result, result"
    }

    fn writes(&self) -> Writes {
        Writes::Nowhere
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        let is = |kind: &str, key: &str| record.says("type", kind) && record.has(key);
        let own = is("init", "session_id")
            || is("tool_use", "tool_id")
            || is("tool_result", "tool_id")
            || is("result", "stats");
        let piece = is("message", "delta") && record.has("role") && record.has("timestamp");
        let hit = Hit {
            shape: Shape::Journal,
            certainty: Certainty::Envelope,
            why: "init, tool_use or tool_result with tool_id, stats, or a delta",
        };
        (own || piece).then_some(hit)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Stream::default())
    }
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    User,
    Model,
    Results,
}

/// One turn: the parts of a speaker without another between.
struct Turn {
    by: By,
    parts: Vec<Vec<u8>>,
    /// Whether it calls: what the model says then is its next answer.
    calls: bool,
    /// Text that goes on in further pieces (WTF-8).
    piece: Option<Vec<u8>>,
    places: Vec<(usize, Span)>,
}

impl Turn {
    fn end_piece(&mut self) {
        if let Some(piece) = self.piece.take() {
            self.parts
                .push([b"{\"text\": ".as_slice(), &text::wtf8_literal(&piece), b"}"].concat());
        }
    }
}

/// A stream while it is read.
#[derive(Default)]
struct Stream {
    id: Option<String>,
    model: Option<String>,
    turns: Vec<Turn>,
}

impl Stream {
    fn begin(&mut self, by: By) {
        self.turns.push(Turn {
            by,
            parts: Vec::new(),
            calls: false,
            piece: None,
            places: Vec::new(),
        });
    }

    fn turn(&mut self, by: By, at: usize, record: Node<'_>) -> &mut Turn {
        if self.turns.last().is_none_or(|turn| turn.by != by) {
            self.begin(by);
        }
        let last = self.turns.len() - 1;
        let turn = &mut self.turns[last];
        turn.places.push((at, record.span()));
        turn
    }
}

impl Reader for Stream {
    fn see(&mut self, at: usize, record: Node<'_>) -> Result<(), RecordError> {
        let text_at = |key: &str| {
            record
                .get(key)
                .and_then(Node::text)
                .filter(|text| !text.is_empty())
                .map(Cow::into_owned)
        };
        let bytes = |key: &str| record.get(key).map_or(b"null".as_slice(), Node::bytes);
        match record.get("type").and_then(Node::text).as_deref() {
            Some("init") => {
                self.id = text_at("session_id").or(self.id.take());
                self.model = text_at("model").or(self.model.take());
            }
            Some("message") => {
                let content = record
                    .get("content")
                    .ok_or_else(|| record.missing("content"))?
                    .must_be(Kind::String, "content")?;
                let by = if record.says("role", "user") {
                    By::User
                } else {
                    By::Model
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
                    .extend_from_slice(&text::decode_wtf8(content.bytes()));
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
                let turn = self.turn(By::Model, at, record);
                turn.end_piece();
                turn.calls = true;
                turn.parts.push(call.concat());
            }
            Some("tool_result") => {
                let output = ["output", "error"]
                    .iter()
                    .find_map(|key| record.get(key).filter(|value| !value.is(Kind::Null)));
                let key: &[u8] = if record.says("status", "error") {
                    b"error"
                } else {
                    b"output"
                };
                let value = output.map_or(b"\"\"".as_slice(), Node::bytes);
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
                self.turn(By::Results, at, record).parts.push(response);
            }
            _ => {}
        }
        Ok(())
    }

    fn threads(self: Box<Self>, records: &[&[u8]]) -> Vec<Thread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut thread = Thread::new(&Gemini, "contents", Writes::Nowhere, last);
        (thread.id, thread.model) = (self.id, self.model);
        for mut turn in self.turns {
            turn.end_piece();
            let role: &[u8] = if turn.by == By::Model {
                b"model"
            } else {
                b"user"
            };
            thread.push(
                Mark::Message,
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

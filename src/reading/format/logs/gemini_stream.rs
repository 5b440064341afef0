//! The stream of `gemini --output-format stream-json`: init, messages in pieces (`delta`), calls,
//! results and statistics. The stream is a report, from which no session can be resumed.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const GEMINI_STREAM: LogRow = LogRow {
    name: "gemini-stream",
    help: "the stream of `gemini --output-format stream-json`: init, message, tool_use, tool_result, result",
    evidence: &[
        event(WHY, &[is("type", "init"), has("session_id")]),
        event(WHY, &[is("type", "tool_use|tool_result"), has("tool_id")]),
        event(WHY, &[is("type", "result"), has("stats")]),
        event(WHY, &[is("type", "message"), all("delta|role|timestamp")]),
    ],
    reads: Reads::Own(|| Box::new(GeminiStreamReader::default())),
};

const WHY: &str = "init, tool_use or tool_result with tool_id, stats, or a delta";

const OUTPUT: At = at("output|error");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GeminiSpeaker {
    User,
    Model,
    Tools,
}

/// Consecutive events of a speaker.
struct GeminiTurn {
    speaker: GeminiSpeaker,
    parts: Vec<Vec<u8>>,
    /// True if the turn has calls. A message that follows is the model's next answer.
    has_calls: bool,
    /// A text (WTF-8) that may continue in further pieces.
    open_text: Option<Vec<u8>>,
    places: Vec<EventPlace>,
}

impl GeminiTurn {
    fn close_text(&mut self) {
        if let Some(text) = self.open_text.take() {
            let literal = encode_wtf8_literal(&text);
            self.parts.push(fill_json(r#"{"text": $}"#, &[&literal]));
        }
    }
}

/// A stream, read event by event.
#[derive(Default)]
struct GeminiStreamReader {
    id: Option<String>,
    model: Option<String>,
    turns: Vec<GeminiTurn>,
}

impl GeminiStreamReader {
    fn start_turn(&mut self, speaker: GeminiSpeaker) {
        self.turns.push(GeminiTurn {
            speaker,
            parts: Vec::new(),
            has_calls: false,
            open_text: None,
            places: Vec::new(),
        });
    }

    /// Returns the current turn of a speaker, extended by an event.
    fn extend_turn(&mut self, speaker: GeminiSpeaker, event: JsonNode<'_>) -> &mut GeminiTurn {
        if self.turns.last().is_none_or(|turn| turn.speaker != speaker) {
            self.start_turn(speaker);
        }
        let last = self.turns.len() - 1;
        let turn = &mut self.turns[last];
        turn.places.push(event.place());
        turn
    }

    fn observe_message(&mut self, event: JsonNode<'_>) -> Result<()> {
        let content = event.need_kind("content", JsonKind::String)?;
        let speaker =
            if event.has_text("role", "user") { GeminiSpeaker::User } else { GeminiSpeaker::Model };
        if self.turns.last().is_some_and(|turn| turn.has_calls) {
            self.start_turn(speaker);
        }
        let is_piece = event.has_true("delta");
        let turn = self.extend_turn(speaker, event);
        if !is_piece {
            turn.close_text();
        }
        turn.open_text
            .get_or_insert_default()
            .extend_from_slice(&decode_literal_wtf8(content.bytes()));
        if !is_piece {
            turn.close_text();
        }
        Ok(())
    }

    fn observe_call(&mut self, event: JsonNode<'_>) {
        let call = const {
            template(
                r#"{"functionCall": {"id": $tool_id, "name": $tool_name, "args": $parameters}}"#,
            )
        }
        .fill(event);
        let turn = self.extend_turn(GeminiSpeaker::Model, event);
        turn.close_text();
        turn.has_calls = true;
        turn.parts.push(call);
    }

    fn observe_result(&mut self, event: JsonNode<'_>) {
        let mut outputs = OUTPUT.nodes(event);
        let output = outputs.find(|value| !value.is_kind(JsonKind::Null));
        let key: &[u8] = match event.has_text("status", "error") {
            true => b"error",
            false => b"output",
        };
        let output = output.map_or(b"\"\"".as_slice(), JsonNode::bytes);
        let pattern = r#"{"functionResponse": {"id": $, "response": {"$": $}}}"#;
        let response = fill_json(pattern, &[event.bytes_or_null("tool_id"), key, output]);
        let turn = self.extend_turn(GeminiSpeaker::Tools, event);
        turn.parts.push(response);
    }
}

impl JournalReader for GeminiStreamReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        match record.get_text("type").as_deref() {
            Some("init") => {
                self.id = record.non_empty_text("session_id").or(self.id.take());
                self.model = record.non_empty_text("model").or(self.model.take());
            }
            Some("message") => self.observe_message(record)?,
            Some(kind @ ("tool_use" | "tool_result")) => {
                if !record.has_key("tool_id") {
                    return Err(record.missing_key("tool_id"));
                }
                if kind == "tool_use" {
                    self.observe_call(record);
                } else {
                    self.observe_result(record);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        let mut thread = JournalThread::new_read_only(GEMINI);
        (thread.id, thread.model) = (self.id, self.model);
        for mut turn in self.turns {
            turn.close_text();
            let role: &[u8] = match turn.speaker {
                GeminiSpeaker::Model => b"model",
                GeminiSpeaker::User | GeminiSpeaker::Tools => b"user",
            };
            let parts = turn.parts.join(b", ".as_slice());
            let content = fill_json(r#"{"role": "$", "parts": [$]}"#, &[role, &parts]);
            thread.push_element(ElementMark::Message, turn.places, &content);
        }
        thread.into_only_thread()
    }
}

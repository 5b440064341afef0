//! Wire logs of Kimi CLI (`wire.jsonl`): the events from which it restores its context. Messages
//! are appended whole; an answer is the parts and calls of a step. `kimi_context` replays what else
//! happens to the context: it is cleared, turns are undone, and a compaction replaces it.

use crate::reading::format::logs::kimi_context::{KimiContext, KimiMessage};
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const KIMI: LogRow = LogRow {
    name: "kimi",
    help: "Kimi CLI wire logs (wire.jsonl): context.append_message and context.append_loop_event; a step is an answer",
    evidence: &[
        event(WHY, &[is("type", "metadata"), has("protocol_version")]),
        event(WHY, &[is("type", "context.append_message"), has("message")]),
        event(WHY, &[is("type", "context.append_loop_event"), has("event")]),
        event(WHY, &[is("type", "context.apply_compaction"), has("summary")]),
        event(WHY, &[is("type", "context.undo"), has("count")]),
        event(WHY, &[is("type", "turn.prompt"), has("input")]),
        event(WHY, &[is("type", "config.update"), has("time")]),
        event(WHY, &[is("type", "usage.record"), has("usage")]),
        event(WHY, &[starts("type", TYPES), kind("time", &[JsonKind::Number, JsonKind::String])]),
    ],
    reads: Reads::Own(|| Box::new(KimiReader::default())),
};

const WHY: &str = "metadata, or a type context.*, turn.*, ...";
/// The beginnings of the types of further records, which all have a time.
const TYPES: &str = "context.|turn.|config.|prompt.|profile.|usage.|tools.|llm.|mcp.|permission.|plan_mode.\
                     |full_compaction.|file_history.|token_counting.";

/// A wire log, read record by record.
#[derive(Default)]
struct KimiReader {
    id: Option<String>,
    model: Option<String>,
    /// The last system prompt: its literal, and its place.
    prompt: Option<(Vec<u8>, EventPlace)>,
    context: KimiContext,
}

impl JournalReader for KimiReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        let place = record.place();
        let kind = record.get_text("type");
        match kind.as_deref().unwrap_or_default() {
            "metadata" => self.id = at("sessionId|session_id").text(record),
            "context.append_message" => {
                let message = record.need_kind("message", JsonKind::Object)?;
                self.context.append(KimiMessage::from_logged(message, place)?);
            }
            "context.append_loop_event" => {
                let event = record.need_kind("event", JsonKind::Object)?;
                self.context.observe_loop_event(event, place);
            }
            "context.apply_compaction" => self.context.apply_compaction(record, place)?,
            "context.undo" => self.context.undo(at("count").count(record).unwrap_or(1)),
            "context.clear" => self.context.clear(),
            _ => {
                at("modelAlias|model").last_into(&mut self.model, record);
                let prompt = record.literal_bytes("systemPrompt");
                self.prompt =
                    prompt.map(|literal| (literal.to_vec(), place)).or(self.prompt.take());
            }
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        let mut thread = JournalThread::new_read_only(OPENAI);
        (thread.id, thread.model) = (self.id, self.model);
        let messages = self.context.into_messages();
        if messages.is_empty() {
            return Vec::new();
        }
        if let Some((literal, place)) = self.prompt {
            thread.push_said(ElementMark::Message, place, "system", &literal);
        }
        for message in messages {
            message.push_onto(&mut thread);
        }
        thread.into_only_thread()
    }
}

//! Converts a transcript to a target.

use crate::convert::call_ids::assign_call_ids;
use crate::convert::converted_values::ConvertedValues;
use crate::convert::notes::{ConversionNote, ConversionOutcome};
use crate::convert::pairs::pair_results;
use crate::convert::prelude::*;
use crate::convert::record_fields::{read_record_fields, read_transcript_tools, record_label};
use crate::convert::shape::{MOVED_SYSTEM, note_roles, shape_turns};
use crate::convert::turn_reader::TurnReader;
use crate::convert::unconverted::find_unconverted;

/// The key of an answer that is beside its chat: such a chat ends with the question.
const RANKED_KEY: &str = "chosen";

#[derive(Clone, Copy)]
pub(crate) struct Conversion {
    pub target: &'static ConversionTarget,
    /// The turns to join where the target joins none.
    pub merge: MergeRule,
    /// True if answers that the log holds as blocks or beside the content are written as text.
    pub texts_only: bool,
}

/// A chat that is a sample of a data set.
pub(crate) struct SampleChat<'s> {
    /// The chat. Its answers say how they are used.
    pub chat: ChatTranscript<'s>,
    /// Values of the messages that the chat does not contain.
    pub left_out: Vec<ConversionNote>,
    /// True if system messages of the conversation are in the system prompt.
    pub moved: bool,
}

/// A chat with the notes of its conversion.
struct ReadChat<'s> {
    chat: ChatTranscript<'s>,
    converted: ConvertedValues,
    left_out: ConversionNotes,
    changed: ConversionNotes,
}

impl Conversion {
    /// Appends a transcript as one line with its line end.
    pub(crate) fn convert_transcript(
        self,
        source: &ConversionSource<'_, '_>,
        out: &mut Vec<u8>,
    ) -> ConversionOutcome {
        let (transcript, target) = (source.view.transcript, self.target);
        let ReadChat { chat, converted, mut left_out, mut changed } =
            self.read_chat(source, &mut |_| ());
        self.note_unconverted(transcript, converted, &mut left_out);
        let messages = (target.write_chat)(&chat, out, &mut changed);
        out.push(b'\n');
        ConversionOutcome {
            to: target.name,
            messages,
            left_out: left_out.into_notes(transcript),
            changed: changed.into_notes(transcript),
        }
    }

    /// Appends the messages of a transcript as one line with its line end, as a training sample.
    ///
    /// `mark_turn` can edit each turn before it is written. Fields of a record other than
    /// messages and tools are no part of a sample, and are not noted. Returns notes on values of the
    /// messages that the sample does not contain.
    pub(crate) fn write_sample(
        self,
        source: &ConversionSource<'_, '_>,
        mark_turn: &mut dyn FnMut(&mut ChatTurn),
        out: &mut Vec<u8>,
    ) -> Vec<ConversionNote> {
        let ReadChat { chat, left_out, mut changed, .. } = self.read_chat(source, mark_turn);
        (self.target.write_chat)(&chat, out, &mut changed);
        out.push(b'\n');
        left_out.into_notes(source.view.transcript)
    }

    /// Reads a transcript as a sample of a data set. `mark_turn` can edit each turn.
    pub(crate) fn read_sample<'s>(
        self,
        source: &ConversionSource<'s, '_>,
        mark_turn: &mut dyn FnMut(&mut ChatTurn),
    ) -> SampleChat<'s> {
        let ReadChat { chat, left_out, changed, .. } = self.read_chat(source, mark_turn);
        SampleChat {
            chat,
            moved: changed.has_note(MOVED_SYSTEM[0], MOVED_SYSTEM[1]),
            left_out: left_out.into_notes(source.view.transcript),
        }
    }

    /// Reads a chat and shapes it for the target.
    fn read_chat<'s>(
        self,
        source: &ConversionSource<'s, '_>,
        mark_turn: &mut dyn FnMut(&mut ChatTurn),
    ) -> ReadChat<'s> {
        let (transcript, target) = (source.view.transcript, self.target);
        let mut rules = *target;
        if rules.merge == MergeRule::Never {
            rules.merge = self.merge;
        }
        let (mut left_out, mut changed) = (ConversionNotes::default(), ConversionNotes::default());
        let mut converted = ConvertedValues::default();
        let reader = TurnReader {
            source,
            target,
            left_out: &mut left_out,
            converted: &mut converted,
            texts_only: self.texts_only,
            index: 0,
            turn: ChatTurn::default(),
        };
        let turns = reader.read_turns();
        if rules.ids.is_none() {
            note_call_ids(&turns, target, &mut changed);
        }
        note_roles(&turns, source.view, &mut changed);
        let mut turns = pair_results(turns, source.view, &mut changed);
        if let Some(rule) = rules.ids {
            assign_call_ids(&mut turns, rule, &mut changed);
        }
        (converted.records_failure, converted.records_usage) =
            (rules.records_failure, rules.records_usage);
        converted.add_literal(&encode_literal(source.thread_id));
        let model = transcript.model.as_deref().filter(|_| rules.has_model);
        if let Some(model) = model {
            converted.add_literal(&encode_literal(model));
        }
        let tools = read_transcript_tools(transcript, target, &mut converted, &mut left_out);
        let record_fields = read_record_fields(source, target, &mut converted);
        turns.iter_mut().for_each(mark_turn);
        let mut shaped = shape_turns(turns, &rules, &mut changed);
        let is_ranked = record_fields.iter().any(|(key, _)| key.decoded() == RANKED_KEY);
        if rules.ends_with_answer && !is_ranked {
            leave_out_open_end(&mut shaped.groups, &mut left_out, &mut changed);
        }
        ReadChat {
            chat: ChatTranscript {
                thread_id: source.thread_id,
                model,
                system: shaped.system,
                groups: shaped.groups,
                tools,
                record_fields,
            },
            converted,
            left_out,
            changed,
        }
    }

    /// Notes the values of the records that were not converted.
    fn note_unconverted(
        self,
        transcript: &Transcript<'_>,
        converted: ConvertedValues,
        left_out: &mut ConversionNotes,
    ) {
        for value in find_unconverted(transcript, converted) {
            let record = transcript.records[value.record];
            let what = if value.path.is_empty() { record_label(record.bytes) } else { value.path };
            left_out.add_text_note(
                what,
                format!("{} has no place for it", self.target.name),
                NotePlace { line: record.line, message: value.message },
                value.text_bytes,
            );
        }
        for omitted in &transcript.omitted {
            let why = "it is not part of the live conversation";
            left_out.add_kind(&omitted.what, why, omitted.line, omitted.times);
        }
    }
}

/// Leaves out a last turn that is not the assistant's. If it is the only one, it stays, with a note.
/// A summary that goes with it is recognized by its own name.
fn leave_out_open_end(
    groups: &mut Vec<Vec<ChatTurn>>,
    left_out: &mut ConversionNotes,
    changed: &mut ConversionNotes,
) {
    let Some(last) = groups.last() else {
        return;
    };
    if last.iter().all(|turn| turn.role == Role::Assistant) {
        return;
    }
    let place = last.iter().find_map(|turn| turn.message);
    if groups.len() == 1 {
        let why = "it has no answer: trainers skip such a sample";
        changed.add_note("only turn", why, place);
        return;
    }
    let why = "trainers skip a sample that does not end with the assistant";
    let summarizes = last.iter().any(|turn| turn.is_summary);
    let what = if summarizes { "summary at the end" } else { "last turn" };
    left_out.add_note(what, why, place);
    groups.pop();
}

/// Notes the call ids that a target without ids expresses by order.
fn note_call_ids(turns: &[ChatTurn], target: &ConversionTarget, changed: &mut ConversionNotes) {
    let calls = turns.iter().flat_map(|turn| &turn.calls);
    for call in calls.filter(|call| call.id.is_some()) {
        changed.add_note(
            "call id",
            format!("{} pairs calls and results by their order", target.name),
            Some(call.message),
        );
    }
}

//! One training sample, rendered as a line of OpenAI chat messages.

use crate::convert::chat::ChatTurn;
use crate::convert::{self, Conversion, ConversionSource, MergeRule};
use crate::dataset::{DropReason, MadeSample, RowColumns, RowMaker, SampleAnswers};
use crate::deciding::plan::{Plan, overlay_edits};
use crate::deciding::tokens::Ledger;
use crate::measuring::replay::{effective::EffectiveList, training, training::TrainingOptions};
use crate::reading::format::{self, Shape, message_thread};
use crate::reading::json::{Span, encode_literal, write_literal};
use crate::reading::transcript::splice::{Splice, apply_splices};
use crate::reading::transcript::{
    Record, Role, Transcript, overlay::Overlay, view::TranscriptView,
};
use crate::running::apply::{RecordEdit, apply};
use crate::running::conversation::Conversation;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

const SAMPLE_FORMAT: &str = "openai";

/// One sample before it is rendered.
pub(super) struct Sample<'s, 'w, 'u> {
    pub(super) list: &'s EffectiveList<'w, 'u>,
    /// For each message of the sample, whether it is trained on.
    pub(super) trained: &'s [bool],
    /// The index of the first message that may be trained on.
    pub(super) first_answer: usize,
    /// The edits of the sample's messages.
    pub(super) plan: &'s Plan,
    pub(super) training: &'s TrainingOptions,
    /// The columns that all samples of the thread share.
    pub(super) columns: &'s OnceCell<RowColumns>,
}

impl Sample<'_, '_, '_> {
    /// Renders, as a line, a sample of a log that holds chat messages. Unedited bytes stay as they are.
    pub(super) fn render_chat(&self) -> Vec<u8> {
        let transcript = &self.list.conversation.transcript;
        let splices = splices_by_record(&self.list.conversation, self.plan);
        let mut summary = self.list.summary.iter();
        let mut messages: Vec<Vec<u8>> = Vec::with_capacity(self.trained.len());
        for (index, (message, trained)) in self.list.messages.iter().zip(self.trained).enumerate() {
            let summary_message = match message.logged {
                Some(_) => None,
                None => summary.next(),
            };
            let mut bytes = match summary_message {
                Some((role, text)) => render_message(*role, text),
                None if message.times_cut > 0 => {
                    let view = TranscriptView::logged(transcript);
                    render_message(transcript.messages[index].role, &view.joined_text(index, ""))
                }
                None => {
                    let record = transcript.messages[index].record;
                    spliced_message(transcript, index, splices.get(&record))
                }
            };
            if transcript.messages[index].role == Role::Assistant {
                training::mark_trained(&mut bytes, *trained, self.training.key.as_deref());
            }
            messages.push(bytes);
        }
        self.render_record(&messages)
    }

    /// Makes a row of a data set of the sample.
    pub(super) fn make_row(&self, maker: &RowMaker) -> MadeSample {
        let messages = &self.list.conversation.transcript.messages;
        let unread = (self.first_answer..self.trained.len())
            .filter(|&index| {
                messages[index].behind_unread && messages[index].role == Role::Assistant
            })
            .count();
        let answers = self.trained.iter().filter(|trained| **trained).count();
        if unread > 0 {
            return MadeSample::dropped(DropReason::Unread).with_answers(answers + unread);
        }
        if answers == 0 {
            return MadeSample::dropped(DropReason::NoTrainedAnswer);
        }
        let conversation = &self.list.conversation;
        let key = self.training.key.as_deref();
        let excluded: Vec<bool> = (0..self.trained.len())
            .map(|index| !training::is_trained(&conversation.transcript, index, key))
            .collect();
        let transcript = self.messages_of_sample();
        let overlay = overlay_edits(&transcript, &self.plan.edits);
        let answers =
            SampleAnswers { trained: self.trained, excluded: &excluded, columns: self.columns };
        let source = self.source(&transcript, &overlay);
        let made = maker.make_row(&source, &answers, self.list.counter);
        made.masked(self.list.settings.policy.redact)
    }

    /// Returns the transcript up to the end of the sample.
    fn messages_of_sample(&self) -> Transcript<'_> {
        let mut transcript =
            Transcript { callers: OnceLock::new(), ..self.list.conversation.transcript.clone() };
        transcript.messages.truncate(self.trained.len());
        transcript
    }

    /// Returns the transcript of the sample as the source of a conversion.
    fn source<'t, 'a>(
        &'t self,
        transcript: &'t Transcript<'a>,
        overlay: &'t Overlay,
    ) -> ConversionSource<'t, 'a> {
        ConversionSource {
            view: TranscriptView::new(transcript, overlay),
            format: self.list.conversation.format.name(),
            thread_id: &self.list.conversation.thread_id,
            summary: None,
        }
    }

    /// Converts, to a line as `convert` does, a sample of a log without chat messages. Returns None
    /// if no message is trained on after the conversion. Adds descriptions of what the sample can't
    /// hold to `left_out`.
    pub(super) fn convert(&self, left_out: &mut BTreeSet<String>) -> Option<Vec<u8>> {
        let transcript = self.messages_of_sample();
        let overlay = overlay_edits(&transcript, &self.plan.edits);
        let source = self.source(&transcript, &overlay);
        let conversion = Conversion {
            target: convert::target_by_name(SAMPLE_FORMAT)?,
            merge: MergeRule::Never,
            texts_only: false,
        };
        let mut trains_any = false;
        let mut bytes = Vec::new();
        let notes = conversion.write_sample(
            &source,
            &mut |turn: &mut ChatTurn| trains_any |= self.mark_turn(turn),
            &mut bytes,
        );
        left_out.extend(notes.into_iter().map(|note| note.what));
        trains_any.then_some(bytes)
    }

    /// Marks a converted answer as trained on or not. Returns true if it is trained on.
    fn mark_turn(&self, turn: &mut ChatTurn) -> bool {
        if turn.role != Role::Assistant || !turn.says_something() {
            return false;
        }
        let trained = turn.message.is_some_and(|index| self.trained[index]);
        let entries = training::training_entries(trained, self.training.key.as_deref());
        turn.extras.extend(
            entries.into_iter().map(|(key, value)| (key.into(), value.as_bytes().to_vec())),
        );
        trained
    }

    /// Renders the record with the sample's messages in place of its own.
    fn render_record(&self, messages: &[Vec<u8>]) -> Vec<u8> {
        let conversation = &self.list.conversation;
        let transcript = &conversation.transcript;
        let record = transcript.records.first().map_or(b"".as_slice(), |record| record.bytes);
        let mut line = Vec::new();
        match self.list.list_span {
            Some(Span { start, end }) if conversation.format.is_chat() => {
                line.extend_from_slice(&record[..start]);
                line.extend(messages.join(&b", "[..]));
                line.extend_from_slice(&record[end..]);
                // A record may span lines, a sample must not.
                for byte in &mut line {
                    if matches!(byte, b'\n' | b'\r') {
                        *byte = b' ';
                    }
                }
            }
            _ => {
                line.push(b'{');
                match message_thread(record).filter(|_| transcript.message_per_record) {
                    Some((key, value)) => {
                        write_literal(key, &mut line);
                        line.extend_from_slice(b": ");
                        line.extend_from_slice(value.slice(record));
                    }
                    None => {
                        line.extend_from_slice(b"\"thread_id\": ");
                        write_literal(&conversation.thread_id, &mut line);
                    }
                }
                line.extend_from_slice(b", \"messages\": [");
                line.extend(messages.join(&b", "[..]));
                line.extend_from_slice(b"]}");
            }
        }
        line.push(b'\n');
        line
    }
}

/// Returns the tokens of the line of a sample, as `count` counts it.
pub(super) fn count_tokens(line: &[u8], list: &EffectiveList<'_, '_>) -> usize {
    let record = Record { bytes: line.trim_ascii_end(), line: 1 };
    let log_format = list.conversation.format;
    let format = if log_format.is_chat() && list.list_span.is_some() {
        Some(log_format)
    } else {
        format::format_by_name(SAMPLE_FORMAT)
    };
    let transcript =
        format.and_then(|format| format.read_transcript(vec![record], Shape::Conversation).ok());
    transcript.map_or(0, |transcript| {
        let view = TranscriptView::logged(&transcript);
        let ledger = Ledger::new(list.counter, view);
        ledger.tools + ledger.messages.iter().sum::<usize>()
    })
}

/// Renders a chat message.
fn render_message(role: Role, text: &str) -> Vec<u8> {
    [
        b"{\"role\": ".as_slice(),
        &encode_literal(role.name()),
        b", \"content\": ",
        &encode_literal(text),
        b"}",
    ]
    .concat()
}

/// Returns the splices that a plan asks for, by record and in the order of their spans.
fn splices_by_record(conversation: &Conversation<'_>, plan: &Plan) -> BTreeMap<usize, Vec<Splice>> {
    if plan.is_empty() && conversation.transcript.dropped.is_empty() {
        return BTreeMap::new();
    }
    apply(&conversation.transcript, conversation.format, plan, None)
        .records
        .into_iter()
        .filter_map(|(record, edit)| match edit {
            RecordEdit::Splice(mut splices) => {
                splices.sort_by_key(|splice| splice.span);
                Some((record, splices))
            }
            RecordEdit::Remove => None,
        })
        .collect()
}

/// Returns the bytes of message `index` with the splices of its record that lie in it.
fn spliced_message(
    transcript: &Transcript<'_>,
    index: usize,
    splices: Option<&Vec<Splice>>,
) -> Vec<u8> {
    let (span, record) = (transcript.messages[index].span, transcript.record_of(index));
    let Some(splices) = splices else {
        return span.slice(record).to_vec();
    };
    let first = splices.partition_point(|splice| splice.span.start < span.start);
    let mut inside: Vec<Splice> = splices[first..]
        .iter()
        .take_while(|splice| splice.span.end <= span.end)
        .map(|splice| Splice {
            span: Span { start: splice.span.start - span.start, end: splice.span.end - span.start },
            bytes: splice.bytes.clone(),
        })
        .collect();
    let mut bytes = Vec::new();
    apply_splices(span.slice(record), &mut inside, &mut bytes);
    bytes
}

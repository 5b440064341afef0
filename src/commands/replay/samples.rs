//! Training data from a replay: what the agent would really have seen, so that
//! training matches serving. A sample is one stretch of calls, or one call; the
//! messages that its calls brought forth are trained on, all before them is context.
//!
//! Samples are OpenAI chat messages, the fine-tuning format that every trainer
//! reads (spec: services, "Fine-tuning data"). Where the log is that already,
//! its bytes are taken as they are, with the record's other keys.

use crate::apply::{RecordEdit, apply};
use crate::commands::replay::effective::Effective;
use crate::commands::replay::further::Further;
use crate::commands::replay::report::Entry;
use crate::commands::replay::turns::{self, Part};
use crate::commands::replay::{chat, weight};
use crate::format::message_thread;
use crate::plan::{Edit, Plan, overlay};
use crate::settings::Settings;
use crate::strategy::truncate::truncations_of;
use crate::transcript::json::Span;
use crate::transcript::splice::{Splice, splice};
use crate::transcript::view::{Overlay, View};
use crate::transcript::{Role, Transcript, text};
use std::collections::BTreeMap;

/// How samples are made.
pub(super) struct Training {
    /// One sample for each call, instead of one for each stretch.
    pub(super) per_call: bool,
    /// Whether turns are joined so that they alternate.
    pub(super) alternate: bool,
    /// The key that says whether to train on a message; else `weight`.
    pub(super) key: Option<String>,
    /// Longer samples are set apart.
    pub(super) max_tokens: Option<usize>,
}

/// The samples of one thread.
#[derive(Default)]
pub(super) struct Samples {
    /// Lines of the samples that are short enough.
    pub(super) lines: Vec<u8>,
    /// Lines of those that are too long.
    pub(super) long: Vec<u8>,
    written: usize,
    too_long: Vec<usize>,
    uneven: usize,
    untrained: usize,
    pictures: bool,
}

impl Samples {
    /// Adds the first `end` effective messages as one sample; those before `context` are not trained on, those before
    /// `cut_before` are truncated. Where further stages acted, theirs are all the edits.
    pub(super) fn add(
        &mut self,
        training: &Training,
        effective: &Effective<'_, '_>,
        settings: &Settings,
        [end, context, cut_before]: [usize; 3],
        further: &Further,
    ) {
        let (transcript, format) = (&effective.one.transcript, effective.one.format);
        let trained: Vec<bool> = (0..end).map(|index| index >= context && weight::is_trained(transcript, index)).collect();
        if !trained.contains(&true) {
            self.untrained += 1;
            return;
        }
        let edits = if further.is_empty() { edits(effective, settings, end, cut_before) } else { further.edits.iter().map(|(_, edit)| edit.clone()).collect() };
        let plan = Plan { edits, ..Plan::default() };
        let mut parts: Vec<Part> = Vec::with_capacity(end);
        if format.is_chat() {
            let splices = splices(transcript, effective, &plan);
            let mut framed = effective.framed.iter();
            for (index, seat) in effective.seats[..end].iter().enumerate() {
                let bytes = match seat.logged.is_none().then(|| framed.next()).flatten() {
                    Some((role, text)) => chat::says(*role, text),
                    None => message(transcript, index, splices.get(&transcript.messages[index].record)),
                };
                parts.push(Part::new(transcript, index, bytes));
            }
        } else {
            let overlay = overlay(transcript, &plan.edits);
            let view = View { transcript, overlay: &overlay };
            let mut ids = chat::Ids::default();
            for index in 0..end {
                self.pictures |= chat::has_more_than_text(view, index);
                parts.push(Part::new(transcript, index, chat::message(view, index, &mut ids)));
            }
        }
        for (part, trained) in parts.iter_mut().zip(trained) {
            if part.role == Role::Assistant {
                weight::mark(&mut part.bytes, trained, training.key.as_deref());
            }
        }
        if training.alternate {
            turns::join_users(&mut parts);
            self.uneven += usize::from(!turns::alternate(&parts));
        }
        let tokens = usize::try_from(effective.meter.prefix(end, cut_before) as i64 - further.saved_before(end)).unwrap_or(0);
        let is_long = training.max_tokens.is_some_and(|most| tokens > most);
        let lines = if is_long { &mut self.long } else { &mut self.lines };
        write(effective, &parts, lines);
        self.written += 1;
        if is_long {
            self.too_long.push(tokens);
        }
    }

    /// Tells the report of them.
    pub(super) fn tell(&self, entry: &mut Entry) {
        entry.samples = self.written;
        entry.samples_too_long.clone_from(&self.too_long);
        if let Some(longest) = self.too_long.iter().max() {
            entry.warnings.push(format!(
                "{} of {} samples are longer than --max-tokens, the longest {longest} tokens; they are in segments-too-long.jsonl. A lower --trigger makes shorter stretches",
                self.too_long.len(),
                self.written
            ));
        }
        if self.uneven > 0 {
            entry.warnings.push(format!("{} of {} samples do not alternate between user and assistant: the log does not", self.uneven, self.written));
        }
        if self.pictures {
            entry.warnings.push("images and other blocks of this format are left out of samples: only text is".to_owned());
        }
        if self.untrained > 0 {
            entry.warnings.push(format!("no sample for {} stretches: all their answers have weight 0", self.untrained));
        }
    }
}

/// What stages did to the first `end` messages.
fn edits(effective: &Effective<'_, '_>, settings: &Settings, end: usize, cut_before: usize) -> Vec<Edit> {
    let none = Overlay::default();
    let view = View { transcript: &effective.one.transcript, overlay: &none };
    let evictions = effective.seats[..end].iter().filter_map(|seat| seat.eviction().cloned()).map(Edit::Evict);
    let cut = (0..end.min(cut_before)).filter(|&index| effective.meter.first_cut(index..index + 1).is_some());
    let truncations = cut.flat_map(|index| truncations_of(view, &settings.policy.truncate, index)).map(Edit::Truncate);
    evictions.chain(truncations).collect()
}

/// The splices that a plan asks for, by record.
fn splices(transcript: &Transcript<'_>, effective: &Effective<'_, '_>, plan: &Plan) -> BTreeMap<usize, Vec<Splice>> {
    if plan.is_empty() {
        return BTreeMap::new();
    }
    let outcome = apply(transcript, effective.one.format, plan, None);
    let records = outcome.records.into_iter().filter_map(|(record, edit)| match edit {
        RecordEdit::Splice(mut splices) => {
            splices.sort_by_key(|splice| splice.span);
            Some((record, splices))
        }
        RecordEdit::Remove => None,
    });
    records.collect()
}

/// The bytes of a message with the splices that lie in it.
fn message(transcript: &Transcript<'_>, index: usize, splices: Option<&Vec<Splice>>) -> Vec<u8> {
    let (span, record) = (transcript.messages[index].span, transcript.record_of(index));
    let Some(splices) = splices else { return span.of(record).to_vec() };
    let first = splices.partition_point(|splice| splice.span.start < span.start);
    let inside = splices[first..].iter().take_while(|splice| splice.span.end <= span.end);
    let shift = |at: usize| at - span.start;
    let mut inside: Vec<Splice> =
        inside.map(|one| Splice { span: Span { start: shift(one.span.start), end: shift(one.span.end) }, bytes: one.bytes.clone() }).collect();
    let mut bytes = Vec::new();
    splice(span.of(record), &mut inside, &mut bytes);
    bytes
}

/// One line: the record with these messages in the place of its own.
fn write(effective: &Effective<'_, '_>, parts: &[Part], out: &mut Vec<u8>) {
    let (one, transcript) = (&effective.one, &effective.one.transcript);
    let list = |out: &mut Vec<u8>| {
        for (place, part) in parts.iter().enumerate() {
            out.extend_from_slice(if place > 0 { b", " } else { b"" });
            out.extend_from_slice(&part.bytes);
        }
    };
    let record = transcript.records.first().map_or(b"".as_slice(), |record| record.bytes);
    match effective.list {
        Some(Span { start, end }) if one.format.is_chat() => {
            let start_of_line = out.len();
            out.extend_from_slice(&record[..start]);
            list(out);
            out.extend_from_slice(&record[end..]);
            // A record may be spread over lines; a sample is one.
            out[start_of_line..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        }
        _ => {
            out.push(b'{');
            match message_thread(record).filter(|_| transcript.message_per_record) {
                Some((key, value)) => {
                    text::write_literal(key, out);
                    out.extend_from_slice(b": ");
                    out.extend_from_slice(value.of(record));
                }
                None => {
                    out.extend_from_slice(b"\"thread_id\": ");
                    text::write_literal(&one.thread_id, out);
                }
            }
            out.extend_from_slice(b", \"messages\": [");
            list(out);
            out.extend_from_slice(b"]}");
        }
    }
    out.push(b'\n');
}

//! Training data from a replay: what the agent would really have seen, so that
//! training matches serving. A sample is one stretch of calls, or one call; the
//! messages that its calls brought forth are trained on, all before them is context.
//!
//! Samples are OpenAI chat messages, the fine-tuning format that every trainer
//! reads (spec: services, "Fine-tuning data"). Where the log is that already,
//! its bytes are taken as they are, with the record's other keys.

use crate::apply::{RecordEdit, apply};
use crate::convert::chat::ChatTurn;
use crate::convert::{self, Conversion, ConversionSource};
use crate::format::{self, Shape, message_thread};
use crate::json::Span;
use crate::json::{encode_literal, write_literal};
use crate::output::{OutputSpool, OutputTree};
use crate::plan::{Plan, overlay_edits};
use crate::replay::effective::Effective;
use crate::replay::report::Entry;
use crate::replay::shown::Shown;
use crate::replay::turns::{self, Part};
use crate::replay::weight;
use crate::tokens::Ledger;
use crate::transcript::overlay::Overlay;
use crate::transcript::splice::{Splice, apply_splices};
use crate::transcript::view::TranscriptView;
use crate::transcript::{Record, Role, Transcript};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::OnceLock;

/// The dialect of samples.
const OPENAI: &str = "openai";

/// How samples are made.
pub(crate) struct Training {
    /// One sample for each call, instead of one for each stretch.
    pub(crate) per_call: bool,
    /// Whether turns are joined so that they alternate.
    pub(crate) alternate: bool,
    /// The key that says whether to train on a message; else `weight`.
    pub(crate) key: Option<String>,
    /// Longer samples are set apart.
    pub(crate) max_tokens: Option<usize>,
}

/// The samples of one thread. With one for each call they can be as many times as long as it is as it has calls.
#[derive(Default)]
pub(crate) struct Samples {
    /// Lines of the samples that are short enough.
    lines: Option<OutputSpool>,
    /// Lines of those that are too long.
    long: Option<OutputSpool>,
    /// Why they could not be put aside; no more are made then.
    broken: Option<io::Error>,
    written: usize,
    too_long: Vec<usize>,
    uneven: usize,
    untrained: usize,
    /// What messages hold and samples can't.
    left_out: BTreeSet<String>,
}

impl Samples {
    /// Adds the first `end` effective messages as one sample; those before `context` are not trained on.
    pub(crate) fn add(
        &mut self,
        training: &Training,
        effective: &Effective<'_, '_>,
        [context, end]: [usize; 2],
        shown: &Shown,
        tree: &OutputTree,
    ) {
        if self.broken.is_some() {
            return;
        }
        let transcript = &effective.one.transcript;
        let key = training.key.as_deref();
        let trained: Vec<bool> = (0..end)
            .map(|index| index >= context && weight::is_trained(transcript, index, key))
            .collect();
        let plan = Plan {
            edits: effective.edits(shown, end),
            ..Plan::default()
        };
        let sample = Sample {
            effective,
            trained: &trained,
            plan: &plan,
            training,
        };
        let written = match trained.contains(&true) {
            true if effective.one.format.is_chat() => Some(sample.chat()),
            true => sample.converted(&mut self.left_out),
            false => None,
        };
        let Some((line, roles)) = written else {
            self.untrained += 1;
            return;
        };
        self.uneven += usize::from(training.alternate && !turns::alternate(&roles));
        let tokens = training.max_tokens.map_or(0, |_| counted(effective, &line));
        let is_long = training.max_tokens.is_some_and(|most| tokens > most);
        let spool = if is_long {
            &mut self.long
        } else {
            &mut self.lines
        };
        self.broken = spool
            .get_or_insert_with(|| tree.new_spool())
            .push(&line)
            .err();
        self.written += 1;
        if is_long {
            self.too_long.push(tokens);
        }
    }

    /// All of them: those that are short enough, and those that are too long. Tells the report of them.
    ///
    /// # Errors
    /// If they could not be put aside.
    pub(crate) fn finish(mut self, entry: &mut Entry) -> Result<[Option<OutputSpool>; 2], String> {
        if let Some(error) = self.broken.take() {
            return Err(format!("can't put samples aside: {error}"));
        }
        self.tell(entry);
        Ok([self.lines, self.long])
    }

    fn tell(&self, entry: &mut Entry) {
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
            entry.warnings.push(format!(
                "{} of {} samples do not alternate between user and assistant: the log does not",
                self.uneven, self.written
            ));
        }
        if !self.left_out.is_empty() {
            let what: Vec<&str> = self.left_out.iter().map(String::as_str).collect();
            entry.warnings.push(format!(
                "left out of samples, because OpenAI chat messages have no place for it: {}",
                what.join(", ")
            ));
        }
        if self.untrained > 0 {
            entry.warnings.push(format!("no sample for {} stretches: none of their answers is to be trained on, or says anything", self.untrained));
        }
    }
}

/// One sample, as it is made.
struct Sample<'s, 'w, 'u> {
    effective: &'s Effective<'w, 'u>,
    /// Which of the messages are trained on; as many as there are in it.
    trained: &'s [bool],
    plan: &'s Plan,
    training: &'s Training,
}

impl Sample<'_, '_, '_> {
    /// The line where the log is chat messages already, and who speaks: bytes stay as they are.
    fn chat(&self) -> (Vec<u8>, Vec<Role>) {
        let transcript = &self.effective.one.transcript;
        let splices = splices(transcript, self.effective, self.plan);
        let mut framed = self.effective.framed.iter();
        let mut parts: Vec<Part> = Vec::with_capacity(self.trained.len());
        for (index, (seat, trained)) in self.effective.seats.iter().zip(self.trained).enumerate() {
            let mut bytes = match seat.logged.is_none().then(|| framed.next()).flatten() {
                Some((role, text)) => says(*role, text),
                None => message(
                    transcript,
                    index,
                    splices.get(&transcript.messages[index].record),
                ),
            };
            if transcript.messages[index].role == Role::Assistant {
                weight::mark(&mut bytes, *trained, self.training.key.as_deref());
            }
            parts.push(Part::new(transcript, index, bytes));
        }
        if self.training.alternate {
            turns::join_users(&mut parts);
        }
        let mut line = Vec::new();
        write(self.effective, &parts, &mut line);
        (line, parts.iter().map(|part| part.role).collect())
    }

    /// The line where it is not, and who speaks: converted as `convert` does it. None where no answer says anything.
    fn converted(&self, left_out: &mut BTreeSet<String>) -> Option<(Vec<u8>, Vec<Role>)> {
        let one = &self.effective.one;
        let mut transcript = Transcript {
            callers: OnceLock::new(),
            ..one.transcript.clone()
        };
        transcript.messages.truncate(self.trained.len());
        let overlay = overlay_edits(&transcript, &self.plan.edits);
        let view = TranscriptView {
            transcript: &transcript,
            overlay: &overlay,
        };
        let source = ConversionSource {
            view,
            format: one.format.name(),
            thread_id: &one.thread_id,
            summary: None,
        };
        let conversion = Conversion {
            target: convert::target_by_name(OPENAI)?,
            merge_users: self.training.alternate,
        };
        let mut any = false;
        let mut mark = |turn: &mut ChatTurn| {
            if turn.role != Role::Assistant || !turn.says_something() {
                return;
            }
            let trained = turn.message.is_some_and(|index| self.trained[index]);
            any |= trained;
            let keys = weight::keys(trained, self.training.key.as_deref());
            turn.extras.extend(
                keys.into_iter()
                    .map(|(key, value)| (key.into(), value.as_bytes().to_vec())),
            );
        };
        let mut line = Vec::new();
        let sampled = conversion.write_sample(&source, &mut mark, &mut line);
        left_out.extend(sampled.left_out.into_iter().map(|note| note.what));
        any.then_some((line, sampled.roles))
    }
}

/// Tokens of a sample, as `count` counts it.
fn counted(effective: &Effective<'_, '_>, line: &[u8]) -> usize {
    let own =
        Some(effective.one.format).filter(|format| format.is_chat() && effective.list.is_some());
    let record = Record {
        bytes: line.trim_ascii_end(),
        line: 1,
    };
    let read = own
        .or_else(|| format::format_by_name(OPENAI))
        .and_then(|format| {
            format
                .read_transcript(vec![record], Shape::Conversation)
                .ok()
        });
    read.map_or(0, |transcript| {
        let none = Overlay::default();
        let ledger = Ledger::new(
            effective.counter,
            TranscriptView {
                transcript: &transcript,
                overlay: &none,
            },
        );
        ledger.tools + ledger.messages.iter().sum::<usize>()
    })
}

/// What somebody says, as JSON.
fn says(role: Role, text: &str) -> Vec<u8> {
    [
        b"{\"role\": ".as_slice(),
        &encode_literal(role.name()),
        b", \"content\": ",
        &encode_literal(text),
        b"}",
    ]
    .concat()
}

/// The splices that a plan asks for, by record.
fn splices(
    transcript: &Transcript<'_>,
    effective: &Effective<'_, '_>,
    plan: &Plan,
) -> BTreeMap<usize, Vec<Splice>> {
    if plan.is_empty() {
        return BTreeMap::new();
    }
    let outcome = apply(transcript, effective.one.format, plan, None);
    let records = outcome
        .records
        .into_iter()
        .filter_map(|(record, edit)| match edit {
            RecordEdit::Splice(mut splices) => {
                splices.sort_by_key(|apply_splices| apply_splices.span);
                Some((record, splices))
            }
            RecordEdit::Remove => None,
        });
    records.collect()
}

/// The bytes of a message with the splices that lie in it.
fn message(transcript: &Transcript<'_>, index: usize, splices: Option<&Vec<Splice>>) -> Vec<u8> {
    let (span, record) = (transcript.messages[index].span, transcript.record_of(index));
    let Some(splices) = splices else {
        return span.slice(record).to_vec();
    };
    let first = splices.partition_point(|apply_splices| apply_splices.span.start < span.start);
    let inside = splices[first..]
        .iter()
        .take_while(|apply_splices| apply_splices.span.end <= span.end);
    let shift = |at: usize| at - span.start;
    let mut inside: Vec<Splice> = inside
        .map(|one| Splice {
            span: Span {
                start: shift(one.span.start),
                end: shift(one.span.end),
            },
            bytes: one.bytes.clone(),
        })
        .collect();
    let mut bytes = Vec::new();
    apply_splices(span.slice(record), &mut inside, &mut bytes);
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
    let record = transcript
        .records
        .first()
        .map_or(b"".as_slice(), |record| record.bytes);
    match effective.list {
        Some(Span { start, end }) if one.format.is_chat() => {
            let start_of_line = out.len();
            out.extend_from_slice(&record[..start]);
            list(out);
            out.extend_from_slice(&record[end..]);
            // A record may be spread over lines; a sample is one.
            out[start_of_line..]
                .iter_mut()
                .filter(|byte| matches!(byte, b'\n' | b'\r'))
                .for_each(|byte| *byte = b' ');
        }
        _ => {
            out.push(b'{');
            match message_thread(record).filter(|_| transcript.message_per_record) {
                Some((key, value)) => {
                    write_literal(key, out);
                    out.extend_from_slice(b": ");
                    out.extend_from_slice(value.slice(record));
                }
                None => {
                    out.extend_from_slice(b"\"thread_id\": ");
                    write_literal(&one.thread_id, out);
                }
            }
            out.extend_from_slice(b", \"messages\": [");
            list(out);
            out.extend_from_slice(b"]}");
        }
    }
    out.push(b'\n');
}

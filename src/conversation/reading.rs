//! From the records of a unit to conversations.

use super::journal_threads;
use crate::archive::names::NameRegistry;
use crate::conversation::{Conversation, whole};
use crate::error::RecordError;
use crate::format::{self, Format, Shape};
use crate::input::{InputFault, InputUnit, UNTERMINATED, UnitItemKind};
use crate::json;
use crate::settings::Settings;
use crate::transcript::Record;
use crate::transcript::journal::WriteMode;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What was found in a unit, in input order.
pub enum Found<'u> {
    /// A conversation.
    Conversation(Box<Conversation<'u>>),
    /// A record that can't be read.
    Bad {
        /// Its line.
        line: u64,
        /// The column, where one byte is to blame.
        column: Option<u64>,
        /// What is wrong with it.
        error: String,
    },
}

impl Found<'_> {
    /// What becomes of it is not written into its log: then nothing that a journal can't take in is left out.
    pub fn leaves_its_log(&mut self) {
        if let Self::Conversation(one) = self {
            one.transcript.write_mode = WriteMode::InPlace;
        }
    }

    /// Gets its names, in its turn.
    pub fn take_names(&mut self, registry: &mut NameRegistry) {
        if let Self::Conversation(one) = self {
            one.take_names(registry);
        }
    }
}

/// Reads all conversations of a unit.
#[must_use]
pub fn read_unit<'u>(unit: &'u InputUnit, settings: &Settings) -> Vec<Found<'u>> {
    let mut found: Vec<(u64, Found<'u>)> = unit
        .faults
        .iter()
        .map(
            |InputFault {
                 line,
                 column,
                 reason,
             }| {
                (
                    *line,
                    Found::Bad {
                        line: *line,
                        column: *column,
                        error: reason.clone(),
                    },
                )
            },
        )
        .collect();
    let mut threads = Threads::default();
    let mut journals: Vec<(&'static dyn Format, Vec<usize>)> = Vec::new();
    let mut is_known = unit.file.format.is_some() || unit.records_before > 0;
    for (index, item) in unit
        .items
        .iter()
        .enumerate()
        .filter(|(_, item)| item.kind == UnitItemKind::Record)
    {
        let bytes = bytes_of(unit, index);
        let format = match check(unit, bytes) {
            Err(Unreadable::Bad(error)) => {
                found.push((item.line, bad(unit, index, error)));
                continue;
            }
            Err(Unreadable::Unknown(holds)) => {
                // One error for the file: its other records are as unknown.
                if !std::mem::replace(&mut is_known, true) {
                    let error = RecordError::new(format!(
                        "of no known format (`epitome formats` lists them, --format names one); {holds}"
                    ));
                    found.push((item.line, bad(unit, index, error)));
                }
                continue;
            }
            Ok(format) => format,
        };
        match unit.file.shape {
            _ if format.as_journal().is_some() => match journals
                .last_mut()
                .filter(|_| unit.file.shape == Shape::Journal)
            {
                Some((_, items)) => items.push(index),
                None => journals.push((format, vec![index])),
            },
            // One message a record: first each is read by itself, so that a bad one costs only itself.
            Shape::Message => {
                match format.read_transcript(vec![record(unit, index)], Shape::Message) {
                    Err(error) => found.push((item.line, bad(unit, index, error))),
                    Ok(_) => threads.add(format::thread_key(bytes), index),
                }
            }
            Shape::Conversation | Shape::Journal => match read(unit, format, vec![index], settings)
            {
                Ok(one) => found.push((item.line, one)),
                Err(error) => found.push((item.line, bad(unit, index, error))),
            },
        }
    }
    for items in threads.items {
        let line = unit.items[items[0]].line;
        let Some(format) = unit.file.format else {
            continue;
        };
        match read(unit, format, items, settings) {
            Ok(one) => found.push((line, one)),
            Err(error) => found.push((
                line,
                Found::Bad {
                    line,
                    column: None,
                    error: error.reason,
                },
            )),
        }
    }
    found.extend(journal_threads::read(unit, &journals, settings));
    found.sort_by_key(|(line, _)| *line);
    found.into_iter().map(|(_, one)| one).collect()
}

/// The records of each thread, where they are one message each.
#[derive(Default)]
struct Threads {
    items: Vec<Vec<usize>>,
    by_key: HashMap<Option<Vec<u8>>, usize>,
}

impl Threads {
    fn add(&mut self, key: Option<Vec<u8>>, index: usize) {
        let thread = *self.by_key.entry(key).or_insert(self.items.len());
        if thread == self.items.len() {
            self.items.push(Vec::new());
        }
        self.items[thread].push(index);
    }
}

pub(super) fn bytes_of(unit: &InputUnit, index: usize) -> &[u8] {
    &unit.bytes[unit.items[index].span.clone()]
}

pub(super) fn record(unit: &InputUnit, index: usize) -> Record<'_> {
    Record {
        bytes: bytes_of(unit, index),
        line: unit.items[index].line,
    }
}

/// Why a record is not read.
enum Unreadable {
    /// It is wrong.
    Bad(RecordError),
    /// No format knows it: what it holds.
    Unknown(String),
}

/// UTF-8, and a known format.
fn check(unit: &InputUnit, bytes: &[u8]) -> Result<&'static dyn Format, Unreadable> {
    if let Err(error) = simdutf8::compat::from_utf8(bytes) {
        let at = error.valid_up_to();
        return Err(Unreadable::Bad(RecordError::at(
            at,
            format!("invalid UTF-8: byte 0x{:02x}", bytes[at]),
        )));
    }
    // Where the beginning of the file told nothing, each record is looked at by itself.
    let own = || {
        Some(
            format::detect_format([bytes])
                .filter(|(_, shape)| *shape == Shape::Conversation)?
                .0,
        )
    };
    let Some(format) = unit.file.format.or_else(own) else {
        json::validate_json(bytes).map_err(Unreadable::Bad)?;
        return Err(Unreadable::Unknown(format::describe_record(bytes)));
    };
    Ok(format)
}

/// A bad record; of a last one that is cut, what that may mean.
pub(super) fn bad<'u>(unit: &InputUnit, index: usize, error: RecordError) -> Found<'u> {
    let item = &unit.items[index];
    let bytes = bytes_of(unit, index);
    let at_end = unit.is_last && item.span.end == unit.bytes.len();
    let cut = at_end && error.offset == Some(item.span.len());
    let hint = if cut { UNTERMINATED } else { "" };
    // An element's line alone does not tell which it is: others may stand in it.
    let offset = error.offset.or((item.column > 0).then_some(0));
    let (line, column) = item.place(bytes, offset.unwrap_or(0));
    Found::Bad {
        line,
        column: offset.map(|_| column),
        error: error.reason + hint,
    }
}

/// Reads one conversation. A panic in a format or counter costs this record only.
fn read<'u>(
    unit: &'u InputUnit,
    format: &'static dyn Format,
    items: Vec<usize>,
    settings: &Settings,
) -> Result<Found<'u>, RecordError> {
    let guarded = catch_unwind(AssertUnwindSafe(|| prepare(unit, format, items, settings)));
    guarded.unwrap_or_else(|_| {
        Err(RecordError::new(
            "internal error: reading it panicked; please report it",
        ))
    })
}

fn prepare<'u>(
    unit: &'u InputUnit,
    format: &'static dyn Format,
    items: Vec<usize>,
    settings: &Settings,
) -> Result<Found<'u>, RecordError> {
    let records = items.iter().map(|&index| record(unit, index)).collect();
    let transcript = format.read_transcript(records, unit.file.shape)?;
    Ok(Found::Conversation(Box::new(whole(
        transcript, items, format, settings,
    ))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Compression, InputFile, UnitItem};
    use crate::json::decode_literal;
    use crate::policy::PRESETS;
    use crate::tokens::TokenCounter;
    use crate::transcript::Role;
    use crate::transcript::view::{ContentPiece, TranscriptView};
    use std::sync::{Arc, OnceLock};

    /// Panics at a text.
    struct Fragile;

    impl TokenCounter for Fragile {
        fn name(&self) -> &'static str {
            "fragile"
        }

        fn count_text(&self, text: &str) -> usize {
            assert!(!text.contains("boom"), "boom");
            1
        }

        fn count_message_as(
            &self,
            _: TranscriptView<'_, '_>,
            _: usize,
            pieces: &[ContentPiece<'_>],
            _: bool,
        ) -> usize {
            pieces
                .iter()
                .map(|piece| {
                    if let ContentPiece::Literal(literal) = piece {
                        self.count_text(&decode_literal(literal))
                    } else {
                        0
                    }
                })
                .sum()
        }

        fn count_summary(&self, _: Role, text: &str) -> usize {
            self.count_text(text)
        }

        fn count_tools(&self, _: &[u8]) -> usize {
            0
        }

        fn scales_with_usage(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_panic_in_a_counter_costs_one_record() {
        let said =
            |text: &str| format!(r#"{{"messages": [{{"role": "user", "content": "{text}"}}]}}"#);
        let records = [said("good"), said("boom"), said("good")];
        let mut at = 0;
        let items = records.iter().zip(1..).map(|(record, line)| {
            at += record.len();
            UnitItem {
                span: at - record.len()..at,
                line,
                column: 0,
                kind: UnitItemKind::Record,
            }
        });
        let file = InputFile {
            index: 0,
            name: "in.jsonl".to_owned(),
            relative_path: "in.jsonl".into(),
            output: "in.jsonl".into(),
            format: format::format_by_name("openai"),
            shape: Shape::Conversation,
            compression: Compression::None,
        };
        let unit = InputUnit {
            file: Arc::new(file),
            items: items.collect(),
            bytes: records.concat().into_bytes(),
            faults: Vec::new(),
            is_last: true,
            records_before: 0,
            rebuilt: OnceLock::new(),
        };
        let found = read_unit(
            &unit,
            &Settings::counted_by(PRESETS[0].policy(), Box::new(Fragile)),
        );
        let told: Vec<_> = found
            .iter()
            .map(|one| {
                if let Found::Bad { line, .. } = one {
                    Err(*line)
                } else {
                    Ok(())
                }
            })
            .collect();
        assert_eq!(told, [Ok(()), Err(2), Ok(())]);
    }
}

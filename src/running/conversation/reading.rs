//! Reads the records of a unit as conversations.

use crate::files::input::{InputFault, UnitItemKind};
use crate::reporting::report::numbers::count_nouns;
use crate::running::conversation::conversation::Conversation;
use crate::running::conversation::guard::catch_panic_while_reading;
use crate::running::conversation::identification::{
    Unidentified, identify_format, read_self_contained,
};
use crate::running::conversation::journal_history::JournalHistory;
use crate::running::conversation::journal_threads::{JournalRecords, read_journals};
use crate::running::conversation::overlooked_text::{check_own_dialect, check_text_is_found};
use crate::running::conversation::prelude::*;
use crate::running::conversation::unit_record::{
    UnitRecord, item_bytes, item_places, item_record, unreadable_item,
};
use crate::running::conversation::{RecordFailure, unread::mark_behind_lines};

/// Reads all conversations of a unit, in input order.
pub(crate) fn read_unit<'u>(unit: &'u InputUnit, settings: &Settings) -> Vec<UnitRecord<'u>> {
    let mut reader = UnitReader {
        unit,
        settings,
        found: unit.faults.iter().map(framing_fault).collect(),
        threads: MessageThreads::default(),
        journals: Vec::new(),
        unknown: Vec::new(),
    };
    let records = unit.items.iter().enumerate();
    for (index, _) in records.filter(|(_, item)| item.kind == UnitItemKind::Record) {
        match identify_format(unit, item_bytes(unit, index)) {
            Ok(format) => reader.read_item(format, index),
            Err(Unidentified::Invalid(error)) => reader.push_unreadable(index, error),
            Err(Unidentified::Unknown(description)) => {
                reader.unknown.push(UnknownRecord { index, description });
            }
        }
    }
    reader.finish()
}

/// Returns the journals of a unit in which agents made compactions themselves.
pub(crate) fn read_histories(unit: &InputUnit) -> Vec<JournalHistory<'_>> {
    let mut journals = Vec::new();
    let records = unit.items.iter().enumerate();
    for (index, _) in records.filter(|(_, item)| item.kind == UnitItemKind::Record) {
        if let Ok(format) = identify_format(unit, item_bytes(unit, index)) {
            push_journal_item(&mut journals, unit.file.shape, format, index);
        }
    }
    let journals = journals.into_iter();
    journals.filter_map(|journal| JournalHistory::find(unit, journal)).collect()
}

/// Adds an item to the journal that it belongs to. Returns false if its format is none.
fn push_journal_item(
    journals: &mut Vec<JournalRecords>,
    shape: Shape,
    format: &'static dyn Format,
    index: usize,
) -> bool {
    if format.as_journal().is_none() {
        return false;
    }
    match journals.last_mut() {
        // The records of a file that is a journal belong together.
        Some(journal) if shape == Shape::Journal => journal.items.push(index),
        _ => journals.push(JournalRecords { format, items: vec![index] }),
    }
    true
}

fn framing_fault<'u>(fault: &InputFault) -> (u64, UnitRecord<'u>) {
    let unreadable = UnitRecord::Unreadable(RecordFailure {
        line: fault.line,
        column: fault.column,
        error: fault.reason.clone(),
    });
    (fault.line, unreadable)
}

/// The conversations of a unit while its records are read.
struct UnitReader<'u, 's> {
    unit: &'u InputUnit,
    settings: &'s Settings,
    /// Conversations and unreadable records, each with the line that it is sorted by.
    found: Vec<(u64, UnitRecord<'u>)>,
    threads: MessageThreads,
    journals: Vec<JournalRecords>,
    unknown: Vec<UnknownRecord>,
}

/// The records of a file of no known format that are searched for one that names its program.
const MAX_NAMED: usize = 20;

/// The lines that were not read which are looked at to find what comes after them.
const MAX_UNREAD: usize = 1000;

/// A line that was not read, and the thread that it names.
struct UnreadLine {
    line: u64,
    key: Option<Vec<u8>>,
}

/// A record that no format knows.
struct UnknownRecord {
    index: usize,
    /// Describes what it holds.
    description: String,
}

impl<'u> UnitReader<'u, '_> {
    fn read_item(&mut self, format: &'static dyn Format, index: usize) {
        let unit = self.unit;
        if push_journal_item(&mut self.journals, unit.file.shape, format, index) {
            return;
        }
        match unit.file.shape {
            // One message a record: each is read by itself first, so that a bad record costs only
            // itself.
            Shape::Message => {
                let records = vec![item_record(unit, index)];
                let read = format.read_transcript(records, Shape::Message);
                let read = read.and_then(check_text_is_found);
                match read.and_then(|read| check_own_dialect(unit, format, &read)) {
                    Ok(()) => {
                        let key = format::thread_key(item_bytes(unit, index));
                        self.threads.push(key, index);
                    }
                    Err(error) => self.read_by_itself(index, error),
                }
            }
            Shape::Conversation | Shape::Journal => {
                let read = self.read_conversation(format, vec![index]);
                self.push_conversation(index, read);
            }
        }
    }

    /// Reads a record that is no message of its file, by the format that the record itself shows.
    /// `error` is what its file's format says of it.
    fn read_by_itself(&mut self, index: usize, error: RecordError) {
        let format = format::certain_format(item_bytes(self.unit, index));
        match format.filter(|format| format.as_journal().is_none()) {
            Some(format) if !self.unit.file.is_format_named => {
                let read = self.read_conversation_record(format, index);
                self.push_conversation(index, read);
            }
            _ => self.push_unreadable(index, error),
        }
    }

    /// Reads a record that holds a whole conversation, in a file of messages.
    fn read_conversation_record(
        &self,
        format: &'static dyn Format,
        index: usize,
    ) -> Result<Conversation<'u>, RecordError> {
        catch_panic_while_reading(|| {
            let records = vec![item_record(self.unit, index)];
            let transcript = format.read_transcript(records, Shape::Conversation)?;
            let transcript = check_text_is_found(transcript)?;
            Ok(Conversation::new(transcript, vec![index], format, self.settings))
        })
    }

    fn push_conversation(&mut self, index: usize, read: Result<Conversation<'u>, RecordError>) {
        match read {
            Ok(conversation) => {
                let unread = conversation.transcript.unread.iter();
                let unread: Vec<RecordError> = unread.map(|unread| unread.error.clone()).collect();
                let found = UnitRecord::Conversation(Box::new(conversation));
                self.found.push((self.unit.items[index].line, found));
                let mut places = item_places(self.unit, index);
                for error in unread {
                    self.push_placed(index, &mut places, error);
                }
            }
            Err(error) => self.push_unreadable(index, error),
        }
    }

    fn push_unreadable(&mut self, index: usize, error: RecordError) {
        self.push_placed(index, &mut item_places(self.unit, index), error);
    }

    fn push_placed(&mut self, index: usize, places: &mut ItemPlaces<'_>, error: RecordError) {
        let unreadable = unreadable_item(self.unit, index, places, error);
        self.found.push((self.unit.items[index].line, unreadable));
    }

    /// Reports the records of no known format: each of them, or only one of a file that began with
    /// nothing else: the first that names its program, or the first.
    fn report_unknown(&mut self) {
        let mut found = self.found.iter();
        let is_mixed = self.unit.file.has_known_records
            || found.any(|(_, record)| matches!(record, UnitRecord::Conversation(_)));
        let mut unknown = std::mem::take(&mut self.unknown);
        if !is_mixed {
            let of_program = |record: &UnknownRecord| {
                format::is_foreign_log(item_bytes(self.unit, record.index))
            };
            let first = unknown.iter().take(MAX_NAMED).position(of_program);
            unknown.drain(..first.unwrap_or_default());
            unknown.truncate(usize::from(self.unit.records_before == 0));
        }
        for UnknownRecord { index, description } in unknown {
            let error = RecordError::new(format!(
                "of no known format (`epitome formats` lists them, --format names one); {description}"
            ));
            self.push_unreadable(index, error);
        }
    }

    /// Reports a file whose records hold no conversation.
    fn report_empty(&mut self) {
        let unit = self.unit;
        let is_file = unit.is_last && unit.records_before == 0;
        let records = unit.items.iter().enumerate();
        let mut records = records.filter(|(_, item)| item.kind == UnitItemKind::Record);
        if let Some((first, _)) = records.next()
            && is_file
            && self.found.is_empty()
        {
            let format = unit.file.format.map_or("unknown", Format::name);
            let reason = format!(
                "no conversation is found in this file of {} (read as {format})",
                count_nouns(records.count() + 1, "record")
            );
            self.push_unreadable(first, RecordError::new(reason));
        }
    }

    /// Reads the records of a conversation. A panic in a format or counter costs only these.
    fn read_conversation(
        &self,
        format: &'static dyn Format,
        items: Vec<usize>,
    ) -> Result<Conversation<'u>, RecordError> {
        catch_panic_while_reading(|| {
            let unit = self.unit;
            let shape = unit.file.shape;
            let records: Vec<Record<'u>> =
                items.iter().map(|&index| item_record(unit, index)).collect();
            let (transcript, format) = match &*records {
                &[record] if shape != Shape::Message && !unit.file.is_format_named => {
                    read_self_contained(record, format)?
                }
                _ => {
                    let transcript = format.read_transcript(records, shape)?;
                    (check_text_is_found(transcript)?, format)
                }
            };
            Ok(Conversation::new(transcript, items, format, self.settings))
        })
    }

    fn finish(mut self) -> Vec<UnitRecord<'u>> {
        self.read_message_threads();
        let journals = read_journals(self.unit, &self.journals, self.settings);
        self.found.extend(journals);
        self.report_unknown();
        self.report_empty();
        self.found.sort_by_key(|(line, _)| *line);
        self.found.into_iter().map(|(_, record)| record).collect()
    }

    /// Returns the lines that could be messages of a thread, and were not read.
    fn unread_lines(&self) -> Vec<UnreadLine> {
        let unit = self.unit;
        let unreadable = self.found.iter().filter_map(|(line, record)| {
            matches!(record, UnitRecord::Unreadable(_)).then_some(*line)
        });
        let unknown = self.unknown.iter();
        let mut lines: Vec<u64> =
            unreadable.chain(unknown.map(|record| unit.items[record.index].line)).collect();
        lines.dedup();
        let item_at = |line| unit.items.iter().position(|item| item.line == line);
        lines
            .into_iter()
            .take(MAX_UNREAD)
            .map(|line| UnreadLine {
                line,
                key: item_at(line).and_then(|at| format::thread_key(item_bytes(unit, at))),
            })
            .collect()
    }

    fn read_message_threads(&mut self) {
        let Some(format) = self.unit.file.format else {
            return;
        };
        if self.threads.items.is_empty() {
            return;
        }
        let unread = self.unread_lines();
        for items in std::mem::take(&mut self.threads.items) {
            let line = self.unit.items[items[0]].line;
            let key = format::thread_key(item_bytes(self.unit, items[0]));
            let found = match self.read_conversation(format, items) {
                Ok(mut conversation) => {
                    // A line that names another thread is not missing here.
                    let unread = unread.iter().filter(|line| line.key.is_none() || line.key == key);
                    let unread = unread.map(|line| line.line);
                    mark_behind_lines(&mut conversation.transcript, unread);
                    UnitRecord::Conversation(Box::new(conversation))
                }
                Err(error) => UnitRecord::Unreadable(RecordFailure {
                    line,
                    column: None,
                    error: error.reason,
                }),
            };
            self.found.push((line, found));
        }
    }
}

/// The items of each thread, in a file that holds one message a record.
#[derive(Default)]
struct MessageThreads {
    items: Vec<Vec<usize>>,
    by_key: HashMap<Option<Vec<u8>>, usize>,
}

impl MessageThreads {
    fn push(&mut self, key: Option<Vec<u8>>, index: usize) {
        let thread = *self.by_key.entry(key).or_insert(self.items.len());
        if thread == self.items.len() {
            self.items.push(Vec::new());
        }
        self.items[thread].push(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::policy::PRESETS;
    use crate::deciding::tokens::TokenCounter;
    use crate::files::input::{ReadOptions, units_in_memory};
    use crate::reading::json::decode_literal;
    use crate::reading::transcript::Role;
    use crate::reading::transcript::view::{ContentPiece, TranscriptView};

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
        let message_record =
            |text: &str| format!(r#"{{"messages": [{{"role": "user", "content": "{text}"}}]}}"#);
        let records = [message_record("good"), message_record("boom"), message_record("good")];
        let options =
            ReadOptions { format: format::format_by_name("openai"), ..ReadOptions::default() };
        let units = units_in_memory("in.jsonl", records.join("\n").into_bytes(), options);
        let unit = units.unwrap().remove(0);
        let found = read_unit(&unit, &Settings::counted_by(PRESETS[0].policy(), Box::new(Fragile)));
        let outcomes: Vec<_> = found
            .iter()
            .map(|record| match record {
                UnitRecord::Unreadable(failure) => Err(failure.line),
                UnitRecord::Conversation(_) => Ok(()),
            })
            .collect();
        assert_eq!(outcomes, [Ok(()), Err(2), Ok(())]);
    }
}

//! Journals of a unit: rebuilt once, kept by the unit, and read as threads.

use crate::reading::format::detect_format;
use crate::reading::format::journal::{RebuiltJournal, ThreadTranscript, rebuild_journal};
use crate::running::conversation::guard::{Panicked, catch_panic_while_reading};
use crate::running::conversation::overlooked_text::check_any_text;
use crate::running::conversation::prelude::*;
use crate::running::conversation::unit_record::{
    UnitRecord, item_bytes, item_places, item_record, unreadable_item,
};
use crate::running::conversation::{conversation::Conversation, unread::mark_behind_lines};

/// The items of a unit that are the records of one journal.
pub(super) struct JournalRecords {
    pub(super) format: &'static dyn Format,
    pub(super) items: Vec<usize>,
}

/// Reads the threads of journals. Returns each with the line that it is sorted by.
pub(super) fn read_journals<'u>(
    unit: &'u InputUnit,
    journals: &[JournalRecords],
    settings: &Settings,
) -> Vec<(u64, UnitRecord<'u>)> {
    let Ok(rebuilt) = rebuild_all(unit, journals) else {
        let first_items = journals.iter().map(|journal| journal.items[0]);
        let panicked = || RecordError::from(Panicked::WHILE_READING);
        return first_items.map(|item| placed(unit, item, panicked())).collect();
    };
    let mut found = Vec::new();
    for (journal, rebuilt) in journals.iter().zip(rebuilt) {
        let items = &journal.items;
        let before = found.len();
        let bad = rebuilt.bad.iter().map(|(at, error)| (items[*at], error));
        found.extend(bad.map(|(item, error)| placed(unit, item, error.clone())));
        let strangers = rebuilt.strangers.iter().map(|&at| items[at]);
        found.extend(strangers.filter_map(|item| {
            let error = stranger_error(item_bytes(unit, item), journal.format)?;
            Some(placed(unit, item, error))
        }));
        let mut unread: Vec<u64> = found[before..].iter().map(|(line, _)| *line).collect();
        unread.extend(unit.faults.iter().map(|fault| fault.line));
        let records: Vec<Record<'u>> = items.iter().map(|&item| item_record(unit, item)).collect();
        for thread in &rebuilt.threads {
            // A panic in a format or counter costs this thread only.
            let read = catch_panic_while_reading(|| {
                thread_conversation(thread, &records, items, journal.format, settings)
            });
            match read {
                Ok((mut conversation, left_out)) => {
                    mark_behind_lines(&mut conversation.transcript, unread.iter().copied());
                    let line = conversation.line();
                    found.push((line, UnitRecord::Conversation(Box::new(conversation))));
                    let left_out = left_out.into_iter();
                    found.extend(left_out.map(|(at, error)| placed(unit, items[at], error)));
                }
                Err(error) => found.push(placed(unit, items[0], error)),
            }
        }
    }
    found
}

/// Returns the error of a record that is in a journal and has the shape of another format, or `None`
/// if it has none.
fn stranger_error(record: &[u8], journal: &dyn Format) -> Option<RecordError> {
    let (format, _) = detect_format([record])?;
    Some(RecordError::new(format!(
        "a record of {} in a journal of {}, not read: give it a file of its own",
        format.name(),
        journal.name()
    )))
}

/// Reads a thread of a journal as a conversation. Returns also its elements that can't be read: the
/// index of their record, and why. Fails if the thread can't be read although each of its elements
/// can.
pub(super) fn thread_conversation<'r>(
    thread: &'r JournalThread,
    records: &[Record<'r>],
    items: &[usize],
    format: &'static dyn Format,
    settings: &Settings,
) -> Result<(Conversation<'r>, Vec<(usize, RecordError)>), RecordError> {
    let ThreadTranscript { transcript, numbers, left_out } = thread.read_transcript(records)?;
    let transcript = check_any_text(transcript)?;
    // The rebuilt document stands for the first item; nothing in it is ever spliced.
    let sources = numbers.into_iter().map(|number| items[number]);
    let items = std::iter::once(items[0]).chain(sources).collect();
    let conversation = Conversation::new(transcript, items, format, settings);
    Ok((conversation, left_out))
}

/// Rebuilds the journals of a unit, once: other policies read the same threads.
fn rebuild_all<'u>(
    unit: &'u InputUnit,
    journals: &[JournalRecords],
) -> Result<&'u [RebuiltJournal], Panicked> {
    catch_panic_while_reading(|| {
        let rebuilt = unit.rebuilt.get_or_init(|| {
            let rebuild = |journal: &JournalRecords| {
                let items = journal.items.iter();
                let records: Vec<&[u8]> = items.map(|&item| item_bytes(unit, item)).collect();
                Some(rebuild_journal(journal.format.as_journal()?, &records))
            };
            journals.iter().filter_map(rebuild).collect()
        });
        Ok(rebuilt.as_slice())
    })
}

fn placed<'u>(unit: &InputUnit, item: usize, error: RecordError) -> (u64, UnitRecord<'u>) {
    let line = unit.items[item].line;
    (line, unreadable_item(unit, item, &mut item_places(unit, item), error))
}

//! Journals of a unit: rebuilt once, kept by the unit, read into threads.

use crate::conversation::reading::{Found, bad, bytes_of, record};
use crate::conversation::whole;
use crate::format::Format;
use crate::format::journal::{ThreadTranscript, rebuild_journal};
use crate::input::InputUnit;
use crate::settings::Settings;
use crate::transcript::Record;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The conversations of these journals (a format, and the items of the unit that are its records), with their lines.
pub fn read<'u>(
    unit: &'u InputUnit,
    journals: &[(&'static dyn Format, Vec<usize>)],
    settings: &Settings,
) -> Vec<(u64, Found<'u>)> {
    let mut found = Vec::new();
    let line = |index: usize| unit.items[index].line;
    let rebuilt = catch_unwind(AssertUnwindSafe(|| {
        unit.rebuilt.get_or_init(|| {
            let own = |(format, items): &(&'static dyn Format, Vec<usize>)| {
                let records: Vec<&[u8]> =
                    items.iter().map(|&index| bytes_of(unit, index)).collect();
                Some(rebuild_journal(format.as_journal()?, &records))
            };
            journals.iter().filter_map(own).collect()
        })
    }));
    let panicked = |index: usize| {
        let error = "internal error: reading it panicked; please report it".to_owned();
        (
            line(index),
            Found::Bad {
                line: line(index),
                column: None,
                error,
            },
        )
    };
    let Ok(rebuilt) = rebuilt else {
        return journals
            .iter()
            .map(|(_, items)| panicked(items[0]))
            .collect();
    };
    for ((format, items), rebuilt) in journals.iter().zip(rebuilt) {
        found.extend(
            rebuilt
                .bad
                .iter()
                .map(|(at, error)| (line(items[*at]), bad(unit, items[*at], error.clone()))),
        );
        let records: Vec<Record<'u>> = items.iter().map(|&index| record(unit, index)).collect();
        for thread in &rebuilt.threads {
            // A panic in a format or counter costs this thread only.
            let read = catch_unwind(AssertUnwindSafe(|| {
                let ThreadTranscript {
                    transcript,
                    numbers,
                    left_out,
                } = thread.read_transcript(&records)?;
                // The document is no item; nothing in it is ever spliced.
                let own = std::iter::once(items[0])
                    .chain(numbers.into_iter().map(|number| items[number]))
                    .collect();
                Ok::<_, crate::error::RecordError>((
                    whole(transcript, own, *format, settings),
                    left_out,
                ))
            }));
            match read {
                Ok(Ok((one, left_out))) => {
                    found.push((one.line(), Found::Conversation(Box::new(one))));
                    found.extend(
                        left_out
                            .into_iter()
                            .map(|(at, error)| (line(items[at]), bad(unit, items[at], error))),
                    );
                }
                Ok(Err(error)) => found.push((line(items[0]), bad(unit, items[0], error))),
                Err(_) => found.push(panicked(items[0])),
            }
        }
    }
    found
}

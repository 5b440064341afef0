//! The last record of every thread, for files of one message per record.
//!
//! A first pass over the file finds the last record of every thread. The second
//! pass then hands out a unit as soon as no thread in it goes on.

use crate::files::input::buffer::{BOM, READ_BYTES};
use crate::files::input::error::FramingError;
use crate::reading::format;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read};

/// The last record of every thread of a file. Memory grows with the number of
/// threads (16 bytes each), not with their length.
#[derive(Debug, Default)]
pub(super) struct LastRecordByThread {
    last: HashMap<u64, u64>,
    records: u64,
}

impl LastRecordByThread {
    /// Reads a file of lines to its end. Fails if the file can't be read, or a line is longer than
    /// `limit` bytes.
    pub(super) fn scan_lines(file: impl Read, limit: usize) -> Result<Self, FramingError> {
        let mut last = Self::default();
        let mut lines = BufReader::with_capacity(READ_BYTES, file);
        let mut line = Vec::new();
        let mut number = 0;
        // The line of the limit is read to its end only if that is near.
        let most = (limit as u64).saturating_add(1);
        while (&mut lines).take(most).read_until(b'\n', &mut line)? > 0 {
            number += 1;
            if line.len() > limit {
                return Err(FramingError::ThreadsTooLong { line: number, limit });
            }
            let record = line.strip_prefix(BOM).unwrap_or(&line).trim_ascii();
            if !record.is_empty() {
                last.push_record(record);
            }
            line.clear();
        }
        Ok(last)
    }

    fn push_record(&mut self, record: &[u8]) {
        self.last.insert(thread_hash(record), self.records);
        self.records += 1;
    }

    /// Returns the index of the last record in the thread of `record`.
    pub(super) fn last_index(&self, record: &[u8]) -> u64 {
        self.last.get(&thread_hash(record)).copied().unwrap_or(self.records)
    }
}

/// Returns the hash of a record's thread key. Records without a key, and those that can't be read,
/// are one thread. A collision only makes a unit longer than needed.
fn thread_hash(record: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format::thread_key(record).hash(&mut hasher);
    hasher.finish()
}

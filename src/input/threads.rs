//! Files of one message a record: where a stretch of the file holds whole
//! threads. A first pass notes the last record of every thread; the second
//! hands out a stretch as soon as no thread of it goes on.

use crate::format;
use crate::input::buffer::{BOM, READ_BYTES};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read};

/// The last record of every thread of a file. Memory grows with the number of
/// threads (16 bytes each), not with their length.
#[derive(Debug, Default)]
pub(super) struct LastRecordByThread {
    last: HashMap<u64, u64>,
    records: u64,
}

impl LastRecordByThread {
    /// Those of a file of lines, read to its end.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn of(file: impl Read) -> io::Result<Self> {
        let mut last = Self::default();
        let mut lines = BufReader::with_capacity(READ_BYTES, file);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            let record = line.strip_prefix(BOM).unwrap_or(&line).trim_ascii();
            if !record.is_empty() {
                last.note(record);
            }
            line.clear();
        }
        Ok(last)
    }

    /// Notes the next record.
    fn note(&mut self, record: &[u8]) {
        self.last.insert(thread_of(record), self.records);
        self.records += 1;
    }

    /// The last record of the thread that this record belongs to.
    pub(super) fn last_of(&self, record: &[u8]) -> u64 {
        self.last
            .get(&thread_of(record))
            .copied()
            .unwrap_or(self.records)
    }
}

/// Which thread a record belongs to. Records without a thread key (and those
/// that can't be read) are one thread. Equal hashes of two keys only make a
/// stretch longer than it need be.
fn thread_of(record: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format::thread_key(record).hash(&mut hasher);
    hasher.finish()
}

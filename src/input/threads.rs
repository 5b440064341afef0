//! Files of one message a record: where a stretch of the file holds whole
//! threads. A first pass notes the last record of every thread; the second
//! hands out a stretch as soon as no thread of it goes on.

use crate::format;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The last record of every thread of a file. Memory grows with the number of
/// threads (16 bytes each), not with their length.
#[derive(Debug, Default)]
pub(super) struct LastRecords {
    last: HashMap<u64, u64>,
    records: u64,
}

impl LastRecords {
    /// Notes the next record.
    pub(super) fn note(&mut self, record: &[u8]) {
        self.last.insert(thread_of(record), self.records);
        self.records += 1;
    }

    /// The last record of the thread that this record belongs to.
    pub(super) fn last_of(&self, record: &[u8]) -> u64 {
        self.last.get(&thread_of(record)).copied().unwrap_or(self.records)
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

//! Rows that wait for the end of the run, to be written in another order, or with the columns of all. The rows are on the disk;
//! their places take 24 bytes each in memory.

use crate::files::output::OutputSpool;
use std::io;
use twox_hash::XxHash3_128;

/// The place of a row.
struct RowPlace {
    /// The hash that the rows are sorted by.
    key: u64,
    offset: u64,
    bytes: u64,
}

/// Rows in an order that a seed gives, or in their own.
pub(super) struct RowStore {
    seed: Option<u64>,
    spool: OutputSpool,
    places: Vec<RowPlace>,
    end: u64,
}

impl RowStore {
    pub(super) fn new(seed: Option<u64>, spool: OutputSpool) -> Self {
        Self { seed, spool, places: Vec::new(), end: 0 }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: &[u8]) -> io::Result<()> {
        let number = (self.places.len() as u64).to_le_bytes();
        let key = self.seed.map_or(0, |seed| XxHash3_128::oneshot_with_seed(seed, &number) as u64);
        let bytes = row.len() as u64;
        self.places.push(RowPlace { key, offset: self.end, bytes });
        self.end += bytes;
        self.spool.push(row)
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Puts the rows into their order.
    pub(super) fn shuffle(&mut self) {
        self.places.sort_unstable_by_key(|place| (place.key, place.offset));
    }

    /// Returns the row that is at `index` in the order.
    pub(super) fn row(&mut self, index: usize) -> io::Result<Vec<u8>> {
        let RowPlace { offset, bytes, .. } = self.places[index];
        self.spool.read_range(offset, bytes)
    }
}

//! Names that were given out, put aside in a temporary file: memory hardly grows with their number.

use std::io::{self, Read, Seek, SeekFrom, Write};
use tempfile::SpooledTempFile;

/// The bytes of an entry: the key of a name and its next number, big-endian.
const ENTRY_BYTES: usize = 20;
/// The entries from one fence to the next.
const FENCE_STEP: usize = 128;
/// The bits of a filter for each entry, and how many of them an entry sets: one of a hundred
/// look-ups for a name that was not given out reads the file.
const FILTER_BITS: usize = 10;
const FILTER_PROBES: u64 = 6;

/// Names in sorted runs. What is put aside later counts.
#[derive(Debug)]
pub(super) struct SpilledNames {
    file: SpooledTempFile,
    length: u64,
    runs: Vec<NameRun>,
}

/// A sorted run of entries.
#[derive(Debug)]
struct NameRun {
    offset: u64,
    entries: usize,
    /// The upper half of the key of each entry at a fence.
    fences: Vec<u64>,
    filter: NameFilter,
}

impl SpilledNames {
    /// Begins without names, and without a file.
    pub(super) fn new() -> Self {
        Self { file: tempfile::spooled_tempfile(0), length: 0, runs: Vec::new() }
    }

    /// Puts names aside, with the next number of each. Fails if the file can't be written. The
    /// names are not put aside then.
    pub(super) fn push(&mut self, mut names: Vec<(u128, u32)>) -> io::Result<()> {
        names.sort_unstable();
        let mut bytes = Vec::with_capacity(names.len() * ENTRY_BYTES);
        let mut filter = NameFilter::new(names.len());
        for (key, number) in &names {
            bytes.extend_from_slice(&key.to_be_bytes());
            bytes.extend_from_slice(&number.to_be_bytes());
            filter.insert(*key);
        }
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(&bytes)?;
        let fences = names.iter().step_by(FENCE_STEP);
        self.runs.push(NameRun {
            offset: self.length,
            entries: names.len(),
            fences: fences.map(|(key, _)| upper_half(*key)).collect(),
            filter,
        });
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Returns the next number of a name; none if it was not put aside. Fails if the file can't be
    /// read.
    pub(super) fn find(&mut self, key: u128) -> io::Result<Option<u32>> {
        let may_hold = self.runs.iter().rev().filter(|run| run.filter.may_hold(key));
        for run in may_hold {
            let found = run.find(key, &mut self.file)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

impl NameRun {
    fn find(&self, key: u128, file: &mut SpooledTempFile) -> io::Result<Option<u32>> {
        let upper = upper_half(key);
        // Entries with the upper half of a fence may come before it, too.
        let first = self.fences.partition_point(|fence| *fence < upper);
        let behind = self.fences.partition_point(|fence| *fence <= upper);
        let start = first.saturating_sub(1) * FENCE_STEP;
        let end = (behind * FENCE_STEP).min(self.entries);
        let mut bytes = vec![0; end.saturating_sub(start) * ENTRY_BYTES];
        file.seek(SeekFrom::Start(self.offset + (start * ENTRY_BYTES) as u64))?;
        file.read_exact(&mut bytes)?;
        let key = key.to_be_bytes();
        let (entries, _) = bytes.as_chunks::<ENTRY_BYTES>();
        let mut entries = entries.iter();
        let found = entries.find_map(|entry| entry.strip_prefix(&key)?.first_chunk());
        Ok(found.map(|number| u32::from_be_bytes(*number)))
    }
}

fn upper_half(key: u128) -> u64 {
    (key >> 64) as u64
}

/// A Bloom filter over keys, which are hashes themselves.
#[derive(Debug)]
struct NameFilter {
    words: Vec<u64>,
}

impl NameFilter {
    fn new(entries: usize) -> Self {
        let words = (entries * FILTER_BITS).div_ceil(64).max(1);
        Self { words: vec![0; words] }
    }

    fn insert(&mut self, key: u128) {
        for (word, bit) in probes(key, self.words.len()) {
            self.words[word] |= bit;
        }
    }

    fn may_hold(&self, key: u128) -> bool {
        probes(key, self.words.len()).all(|(word, bit)| self.words[word] & bit != 0)
    }
}

/// Returns the words and bits that a key sets.
fn probes(key: u128, words: usize) -> impl Iterator<Item = (usize, u64)> {
    let bits = words as u64 * 64;
    let (start, step) = (key as u64, upper_half(key) | 1);
    (0..FILTER_PROBES).map(move |probe| {
        let bit = start.wrapping_add(probe.wrapping_mul(step)) % bits;
        ((bit / 64) as usize, 1 << (bit % 64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sha256::Sha256;

    fn key_of(number: u32) -> u128 {
        let hash = Sha256::from_bytes(&number.to_be_bytes()).hex_prefix(32);
        u128::from_str_radix(&hash, 16).unwrap()
    }

    #[test]
    fn names_put_aside_are_found_with_their_last_number() {
        let mut names = SpilledNames::new();
        for run in 0..3_u32 {
            // Every run repeats the second half of the one before.
            let keys = run * 500..run * 500 + 1000;
            names.push(keys.map(|number| (key_of(number), run + 2)).collect()).unwrap();
        }
        for number in 0..2000 {
            let run = (number / 500).min(2);
            assert_eq!(names.find(key_of(number)).unwrap(), Some(run + 2));
        }
        assert!((2000..9000).all(|number| names.find(key_of(number)).unwrap().is_none()));
    }

    #[test]
    fn keys_that_share_a_half_are_told_apart() {
        let mut names = SpilledNames::new();
        let keys = (0..500).map(|low| (7 << 64 | low, 2));
        names.push(keys.collect()).unwrap();
        assert!((0..500).all(|low| names.find(7 << 64 | low).unwrap() == Some(2)));
        assert_eq!(names.find(7 << 64 | 500).unwrap(), None);
        assert_eq!(names.find(6 << 64).unwrap(), None);
    }
}

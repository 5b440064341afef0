//! Counts of pieces that were seen before: words repeat, and most pieces of most
//! texts are a few bytes long. Each thread has its own.

use super::layout::{SHORT, hash, key};
use super::merge::Merger;
use super::vocabulary::Vocabulary;
use std::cell::RefCell;

/// Encodings that have a cache of their own.
const CACHES: usize = 4;
/// Places of a cache, a power of two. 16 bytes each: a quarter of a megabyte, which fits where the processor is fast.
const PLACES: usize = 1 << 14;
/// Where a place holds the count, beside the key of the piece. Pieces that are not short are counted anew: they rarely repeat.
const COUNT: u32 = 124;

/// Counts by piece; a place holds what came last.
pub(super) struct Cache {
    places: Vec<u128>,
    merger: Merger,
}

thread_local! {
    static ALL: RefCell<[Option<Cache>; CACHES]> = const { RefCell::new([const { None }; CACHES]) };
}

/// Works with this thread's cache of that number.
pub(super) fn with<T>(number: usize, work: impl FnOnce(&mut Cache) -> T) -> T {
    ALL.with_borrow_mut(|all| work(all[number].get_or_insert_with(|| Cache { places: vec![0; PLACES], merger: Merger::default() })))
}

impl Cache {
    /// Tokens of `bytes[at..end]`.
    #[inline]
    pub(super) fn count(&mut self, bytes: &[u8], at: usize, end: usize, vocabulary: &Vocabulary) -> usize {
        let length = end - at;
        if length > SHORT {
            let piece = &bytes[at..end];
            return if vocabulary.has_long(piece) { 1 } else { self.merger.count(vocabulary, piece) };
        }
        let key = key(bytes, at, length);
        let hash = hash(key);
        let place = &mut self.places[(hash >> 48) as usize & (PLACES - 1)];
        if *place & !(15 << COUNT) != key {
            let piece = &bytes[at..end];
            let tokens = if vocabulary.has_short(piece, key, hash) { 1 } else { self.merger.count(vocabulary, piece) };
            // A short piece has at most 15.
            *place = key | (tokens as u128) << COUNT;
        }
        (*place >> COUNT) as usize
    }
}

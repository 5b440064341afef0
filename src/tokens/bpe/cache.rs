//! Counts of pieces that were seen before: words repeat, and most pieces of most
//! texts are a few bytes long. Each thread has its own.

use ::bpe::byte_pair_encoding::BytePairEncoding;
use std::cell::RefCell;

/// Encodings that have a cache of their own.
const CACHES: usize = 4;
/// Places of a cache, a power of two. 32 bytes each: a megabyte, which fits where the processor is fast.
const PLACES: usize = 1 << 15;
/// Longer pieces are counted anew: they rarely repeat.
const MOST_BYTES: usize = 15;

/// Counts by piece; a place holds what came last.
pub(super) struct Cache {
    places: Vec<(u128, u32)>,
}

thread_local! {
    static ALL: RefCell<[Option<Cache>; CACHES]> = const { RefCell::new([const { None }; CACHES]) };
}

/// Works with this thread's cache of that number.
pub(super) fn with<T>(number: usize, work: impl FnOnce(&mut Cache) -> T) -> T {
    ALL.with_borrow_mut(|all| work(all[number].get_or_insert_with(|| Cache { places: vec![(0, 0); PLACES] })))
}

impl Cache {
    /// Tokens of `bytes[at..end]`.
    #[inline]
    pub(super) fn count(&mut self, bytes: &[u8], at: usize, end: usize, vocabulary: fn() -> &'static BytePairEncoding) -> usize {
        let length = end - at;
        if length > MOST_BYTES {
            return vocabulary().count(&bytes[at..end]);
        }
        let key = key(bytes, at, length);
        let place = &mut self.places[place(key)];
        if place.0 != key {
            // A piece has at most 15 tokens.
            *place = (key, vocabulary().count(&bytes[at..end]) as u32);
        }
        place.1 as usize
    }
}

/// The piece and its length (never 0) in one number.
#[inline]
fn key(bytes: &[u8], at: usize, length: usize) -> u128 {
    let rest = &bytes[at..];
    let all = rest.first_chunk::<16>().map_or_else(
        || {
            let mut all = [0; 16];
            all[..length].copy_from_slice(&rest[..length]);
            u128::from_le_bytes(all)
        },
        |chunk| u128::from_le_bytes(*chunk),
    );
    (all & ((1 << (8 * length)) - 1)) | (length as u128) << 120
}

#[inline]
fn place(key: u128) -> usize {
    let mixed = (key as u64 ^ ((key >> 64) as u64).rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 40) as usize & (PLACES - 1)
}

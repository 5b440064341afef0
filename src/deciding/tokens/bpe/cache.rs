//! A cache of token counts by piece: words repeat, and most pieces are a few bytes
//! long. Each thread has its own.
//!
//! The cost of a short text is waiting for memory, at the first look-ups in the cache
//! and in the vocabulary. So pieces are looked up in [batches](BATCH), table by table.
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): looking up each
//! piece takes 1.35 times as long.

use super::classes::Classified;
use super::layout::{SHORT, TINY, hash_key, hash_long, key_length, piece_key};
use super::merge::Merger;
use super::vocabulary::{BATCH, LONGEST, Vocabulary};
use std::cell::RefCell;

/// Number of vocabularies, each with its own cache.
const CACHES: usize = 4;
/// Places of a cache, a power of two. With 16 bytes each it is 256 KiB, which fits the L2 cache of
/// the CPU.
const PLACES: usize = 1 << 14;
/// The content of an empty place, which no text has. It is not 0, because zeroed memory is mapped
/// twice: on the first read and on the first write.
const EMPTY: u128 = u128::MAX;
/// Lowest bit of the count in a place. The bits below are the key of the piece.
const COUNT_SHIFT: u32 = 124;
/// Places for long pieces, a power of two: names in code, and text without blanks.
const LONG_PLACES: usize = 1 << 10;
/// Most bytes of a cached long piece. With length and count, a place has 64 bytes.
const MAX_LONG: usize = 62;

/// Token counts by piece. A place holds the last piece that was hashed to it.
pub(super) struct PieceCache {
    places: Box<[u128; PLACES]>,
    /// Keys of the pieces in the batch.
    pieces: [u128; BATCH],
    place_of: [u16; BATCH],
    /// The contents of these places.
    found: [u128; BATCH],
    /// Keys of the tiny pieces that are not in the cache.
    tiny: [u128; BATCH],
    /// Keys of the other short pieces that are not in the cache.
    short: [u128; BATCH],
    long: Box<[LongPiece]>,
    merger: Merger,
}

/// A long piece and its token count. Length 0 is an empty place.
#[derive(Clone, Copy)]
struct LongPiece {
    bytes: [u8; MAX_LONG],
    length: u8,
    count: u8,
}

thread_local! {
    static ALL: RefCell<[Option<Box<PieceCache>>; CACHES]> = const { RefCell::new([const { None }; CACHES]) };
}

/// Calls `work` with this thread's cache of an index.
pub(super) fn with_cache<T>(index: usize, work: impl FnOnce(&mut PieceCache) -> T) -> T {
    ALL.with_borrow_mut(|all| work(all[index].get_or_insert_with(PieceCache::new_boxed)))
}

impl PieceCache {
    fn new_boxed() -> Box<Self> {
        let none = [0; BATCH];
        let places = vec![EMPTY; PLACES].try_into().expect("as many places");
        let long =
            vec![LongPiece { bytes: [0; MAX_LONG], length: 0, count: 0 }; LONG_PLACES].into();
        Box::new(Self {
            places,
            pieces: none,
            place_of: [0; BATCH],
            found: none,
            tiny: none,
            short: none,
            long,
            merger: Merger::default(),
        })
    }

    /// Returns the tokens of a text. `split` returns the end of the piece that begins at an offset.
    #[inline(always)]
    pub(super) fn count_tokens(
        &mut self,
        text: Classified<'_>,
        split: impl Fn(Classified<'_>, usize) -> usize,
        vocabulary: &Vocabulary,
    ) -> usize {
        let (mut tokens, mut at, mut pieces) = (0, 0, 0);
        while at < text.bytes.len() {
            let end = split(text, at);
            if end - at > SHORT {
                tokens += self.count_long(&text.bytes[at..end], vocabulary);
            } else {
                let key = piece_key(text.bytes, at, end - at);
                self.pieces[pieces] = key;
                self.place_of[pieces] = place_of_key(key);
                pieces += 1;
                if pieces == BATCH {
                    tokens += self.count_batch(pieces, vocabulary);
                    pieces = 0;
                }
            }
            at = end;
        }
        tokens + self.count_batch(pieces, vocabulary)
    }

    /// Returns the tokens of a long piece.
    fn count_long(&mut self, piece: &[u8], vocabulary: &Vocabulary) -> usize {
        if piece.len() > LONGEST {
            return self.merger.count_tokens(vocabulary, piece);
        }
        let hash = hash_long(piece);
        let place = &mut self.long[(hash >> 48) as usize % LONG_PLACES];
        if usize::from(place.length) == piece.len() && place.bytes.starts_with(piece) {
            return usize::from(place.count);
        }
        let count = if vocabulary.has_long(piece, hash) {
            1
        } else {
            self.merger.count_tokens(vocabulary, piece)
        };
        if let Some(bytes) = place.bytes.get_mut(..piece.len()) {
            bytes.copy_from_slice(piece);
            (place.length, place.count) = (piece.len() as u8, count as u8);
        }
        count
    }

    /// Returns the tokens of the first `pieces` of the batch.
    fn count_batch(&mut self, pieces: usize, vocabulary: &Vocabulary) -> usize {
        let Self { places, found, tiny, short, .. } = self;
        for (found, place) in found.iter_mut().zip(&self.place_of[..pieces]) {
            *found = places[usize::from(*place) % PLACES];
        }
        // Unknown pieces move to the front, over known pieces. That takes no branch.
        let (mut tokens, mut unknown) = (0, 0);
        for at in 0..pieces.min(BATCH) {
            let (key, found) = (self.pieces[at], found[at]);
            let is_known = found & !(15 << COUNT_SHIFT) == key;
            tokens += if is_known { (found >> COUNT_SHIFT) as usize } else { 0 };
            self.pieces[unknown % BATCH] = key;
            unknown += usize::from(!is_known);
        }
        // Most unknown pieces are a single token.
        let (mut tinies, mut shorts) = (0, 0);
        for key in &self.pieces[..unknown] {
            places[usize::from(place_of_key(*key)) % PLACES] = key | 1 << COUNT_SHIFT;
            (tiny[tinies % BATCH], short[shorts % BATCH]) = (*key, *key);
            tinies += usize::from(key_length(*key) <= TINY);
            shorts += usize::from(key_length(*key) > TINY);
        }
        tokens += unknown;
        let tinies = vocabulary.retain_displaced_tiny(&mut self.tiny, tinies);
        let shorts = vocabulary.retain_displaced_short(&mut self.short, shorts);
        for key in self.tiny[..tinies].iter().chain(&self.short[..shorts]) {
            if !vocabulary.has_short(*key) {
                // A short piece has at most 15 tokens.
                let count =
                    self.merger.count_tokens(vocabulary, &key.to_le_bytes()[..key_length(*key)]);
                places[usize::from(place_of_key(*key)) % PLACES] =
                    key | (count as u128) << COUNT_SHIFT;
                tokens += count - 1;
            }
        }
        tokens
    }
}

/// Returns the tokens of a text without the cache: each piece is looked up alone.
#[cfg(feature = "benching")]
pub(super) fn count_uncached(
    text: Classified<'_>,
    split: impl Fn(Classified<'_>, usize) -> usize,
    vocabulary: &Vocabulary,
) -> usize {
    let (mut merger, mut tokens, mut at) = (Merger::default(), 0, 0);
    while at < text.bytes.len() {
        let end = split(text, at);
        let piece = &text.bytes[at..end];
        let is_token = match piece.len() {
            0..=SHORT => vocabulary.has_short(piece_key(text.bytes, at, piece.len())),
            _ => piece.len() <= LONGEST && vocabulary.has_long(piece, hash_long(piece)),
        };
        tokens += if is_token { 1 } else { merger.count_tokens(vocabulary, piece) };
        at = end;
    }
    tokens
}

/// Returns the place of a short piece.
#[inline]
fn place_of_key(key: u128) -> u16 {
    (hash_key(key) >> 48) as u16
}

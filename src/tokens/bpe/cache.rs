//! Counts of pieces that were seen before: words repeat, and most pieces of most
//! texts are a few bytes long. Each thread has its own.
//!
//! What a short text costs is waiting for memory: at the first looks into the cache
//! and into the vocabulary. So pieces are looked up [together](TOGETHER), table by table.

use super::classes::Classified;
use super::layout::{SHORT, TINY, hash, hash_long, key, length};
use super::merge::Merger;
use super::vocabulary::{LONGEST, TOGETHER, Vocabulary};
use std::cell::RefCell;

/// Encodings that have a cache of their own.
const CACHES: usize = 4;
/// Places of a cache, a power of two. 16 bytes each: a quarter of a megabyte, which fits where the processor is fast.
const PLACES: usize = 1 << 14;
/// What a place holds at first: no text has such bytes. Not 0, because memory of zeros is fetched twice, once when it is read and once when
/// it is written.
const EMPTY: u128 = u128::MAX;
/// Where a place holds the count, beside the key of the piece.
const COUNT: u32 = 124;
/// Places for pieces that are not short, a power of two: names in code, and what is written without blanks.
const LONG_PLACES: usize = 1 << 10;
/// Bytes of such a piece: with length and count a place has 64. What is longer is counted anew.
const LONG: usize = 62;

/// Counts by piece; a place holds what came last.
pub(super) struct Cache {
    places: Box<[u128; PLACES]>,
    /// Keys of the pieces that come next, and the place of each.
    pieces: [u128; TOGETHER],
    place_of: [u16; TOGETHER],
    /// What stands there.
    found: [u128; TOGETHER],
    /// Keys of the pieces that do not stand there: of tiny ones, and of others.
    tiny: [u128; TOGETHER],
    short: [u128; TOGETHER],
    long: Box<[Long]>,
    merger: Merger,
}

/// A piece that is not short, and its tokens. None at first: no piece is empty.
#[derive(Clone, Copy)]
struct Long {
    bytes: [u8; LONG],
    length: u8,
    count: u8,
}

thread_local! {
    static ALL: RefCell<[Option<Box<Cache>>; CACHES]> = const { RefCell::new([const { None }; CACHES]) };
}

/// Works with this thread's cache of that number.
pub(super) fn with<T>(number: usize, work: impl FnOnce(&mut Cache) -> T) -> T {
    let new = || {
        let none = [0; TOGETHER];
        let places = vec![EMPTY; PLACES].try_into().expect("as many places");
        let long = vec![
            Long {
                bytes: [0; LONG],
                length: 0,
                count: 0
            };
            LONG_PLACES
        ]
        .into();
        Box::new(Cache {
            places,
            pieces: none,
            place_of: [0; TOGETHER],
            found: none,
            tiny: none,
            short: none,
            long,
            merger: Merger::default(),
        })
    };
    ALL.with_borrow_mut(|all| work(all[number].get_or_insert_with(new)))
}

impl Cache {
    /// Tokens of a text that `split` cuts: given where a piece begins, it says where it ends.
    #[inline(always)]
    pub(super) fn count(
        &mut self,
        text: Classified<'_>,
        split: impl Fn(Classified<'_>, usize) -> usize,
        vocabulary: &Vocabulary,
    ) -> usize {
        let (mut tokens, mut at, mut pieces) = (0, 0, 0);
        while at < text.bytes.len() {
            let end = split(text, at);
            if end - at > SHORT {
                tokens += self.long(&text.bytes[at..end], vocabulary);
            } else {
                let key = key(text.bytes, at, end - at);
                self.pieces[pieces] = key;
                self.place_of[pieces] = place(key);
                pieces += 1;
                if pieces == TOGETHER {
                    tokens += self.together(pieces, vocabulary);
                    pieces = 0;
                }
            }
            at = end;
        }
        tokens + self.together(pieces, vocabulary)
    }

    fn long(&mut self, piece: &[u8], vocabulary: &Vocabulary) -> usize {
        if piece.len() > LONGEST {
            return self.merger.count(vocabulary, piece);
        }
        let hash = hash_long(piece);
        let place = &mut self.long[(hash >> 48) as usize % LONG_PLACES];
        if usize::from(place.length) == piece.len() && place.bytes.starts_with(piece) {
            return usize::from(place.count);
        }
        let count = if vocabulary.has_long(piece, hash) {
            1
        } else {
            self.merger.count(vocabulary, piece)
        };
        if let Some(bytes) = place.bytes.get_mut(..piece.len()) {
            bytes.copy_from_slice(piece);
            (place.length, place.count) = (piece.len() as u8, count as u8);
        }
        count
    }

    /// Tokens of the first so many of `pieces`.
    fn together(&mut self, pieces: usize, vocabulary: &Vocabulary) -> usize {
        let Self {
            places,
            found,
            tiny,
            short,
            ..
        } = self;
        for (found, place) in found.iter_mut().zip(&self.place_of[..pieces]) {
            *found = places[usize::from(*place) % PLACES];
        }
        // All that are unknown come to the front: the next one is written over one that is known. That takes no branch.
        let (mut tokens, mut unknown) = (0, 0);
        for at in 0..pieces.min(TOGETHER) {
            let (key, found) = (self.pieces[at], found[at]);
            let known = found & !(15 << COUNT) == key;
            tokens += if known { (found >> COUNT) as usize } else { 0 };
            self.pieces[unknown % TOGETHER] = key;
            unknown += usize::from(!known);
        }
        // Most of them are tokens.
        let (mut tinies, mut shorts) = (0, 0);
        for key in &self.pieces[..unknown] {
            places[usize::from(place(*key)) % PLACES] = key | 1 << COUNT;
            (tiny[tinies % TOGETHER], short[shorts % TOGETHER]) = (*key, *key);
            tinies += usize::from(length(*key) <= TINY);
            shorts += usize::from(length(*key) > TINY);
        }
        tokens += unknown;
        let tinies = vocabulary.not_tiny_at_once(&mut self.tiny, tinies);
        let shorts = vocabulary.not_short_at_once(&mut self.short, shorts);
        for key in self.tiny[..tinies].iter().chain(&self.short[..shorts]) {
            if !vocabulary.has_short(*key) {
                // A short piece has at most 15.
                let count = self
                    .merger
                    .count(vocabulary, &key.to_le_bytes()[..length(*key)]);
                places[usize::from(place(*key)) % PLACES] = key | (count as u128) << COUNT;
                tokens += count - 1;
            }
        }
        tokens
    }
}

/// The place of a short piece.
#[inline]
fn place(key: u128) -> u16 {
    (hash(key) >> 48) as u16
}

//! The vocabulary of an encoding: which bytes are a token, and which two tokens make
//! another. It is embedded in the layout of [`layout`](super::layout).

use super::layout::{
    ID_BITS, NO_PAIR, NONE, OFFSET_BITS, PARTLY_BEFORE, PARTLY_BEHIND, TABLES, TINY,
    combine_tables, hash_key, hash_pair, key_length, long_token, pack_pair, pair_bit, pair_place,
    tiny_token, token_place,
};
use flate2::read::ZlibDecoder;
use std::io::Read;

/// Pieces that are looked up together. A look-up in a large table waits for memory, and a CPU waits
/// for many independent look-ups at once.
pub(super) const BATCH: usize = 64;

/// Most bytes of a token: the range of its stored length.
pub(super) const LONGEST: usize = u8::MAX as usize;

/// The tables of a vocabulary. Numbers are little-endian.
pub(super) struct Vocabulary {
    /// The token of each byte.
    pub(super) bytes: &'static [u8],
    /// The token of each pair of single-byte tokens.
    pub(super) two: &'static [[u8; 4]],
    /// The token of each character of two or three bytes, if it is a token.
    pub(super) characters: &'static [[u8; 4]],
    /// Flags by the two bytes at a border of characters: whether a token may end within the
    /// character after it, or begin within the character before it.
    pub(super) borders: &'static [u8],
    /// A bit by hash, set if two tokens may make another.
    pub(super) filter: &'static [u8],
    /// Two tokens and the token that they make, by hash.
    pub(super) pairs: &'static [[u8; 8]],
    /// Tiny tokens by hash.
    pub(super) tiny: &'static [[u8; 8]],
    /// The keys of the other short tokens by hash.
    pub(super) short: &'static [[u8; 16]],
    /// Offsets of long tokens in `spelled`, by hash.
    pub(super) long: &'static [[u8; 8]],
    /// Length and bytes of long tokens.
    pub(super) spelled: &'static [u8],
    /// Length of each token in bytes.
    pub(super) lengths: &'static [u8],
}

/// Embeds the tables that the build script wrote under this name.
macro_rules! embedded {
    ($name:literal) => {{
        macro_rules! table {
            ($of:literal) => {
                include_bytes!(concat!(env!("OUT_DIR"), "/", $name, $of))
            };
        }
        Vocabulary {
            bytes: table!(".bytes"),
            two: table!(".two").as_chunks().0,
            characters: table!(".characters").as_chunks().0,
            borders: table!(".borders"),
            filter: table!(".filter"),
            pairs: table!(".pairs").as_chunks().0,
            tiny: table!(".tiny").as_chunks().0,
            short: table!(".short").as_chunks().0,
            long: table!(".long").as_chunks().0,
            spelled: table!(".spelled"),
            lengths: table!(".lengths"),
        }
    }};
}
pub(super) use embedded;

/// Embeds the compressed tables that the build script wrote under this name.
macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".packed"))
    };
}
pub(super) use packed;

impl Vocabulary {
    /// Decompresses embedded tables, packed as the difference from another vocabulary's if one is
    /// given. They stay in memory until the program ends.
    pub(super) fn unpack(packed: &[u8], against: Option<&Self>) -> Self {
        let mut tables = Vec::new();
        // What the build script wrote is whole.
        let _ = ZlibDecoder::new(packed).read_to_end(&mut tables);
        let mut rest: &'static mut [u8] = tables.leak();
        let mut others = against.map(Self::tables).into_iter().flatten();
        let parts = TABLES.map(|_| {
            let (length, behind) = std::mem::take(&mut rest).split_at_mut(size_of::<u32>());
            let length = length.iter().rev();
            let length = length.fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            let (table, behind) = behind.split_at_mut(length);
            rest = behind;
            combine_tables(table, others.next().unwrap_or_default());
            &*table
        });
        let [bytes, two, characters, borders, filter, pairs, tiny, short, long, spelled, lengths] =
            parts;
        Self {
            bytes,
            two: two.as_chunks().0,
            characters: characters.as_chunks().0,
            borders,
            filter,
            pairs: pairs.as_chunks().0,
            tiny: tiny.as_chunks().0,
            short: short.as_chunks().0,
            long: long.as_chunks().0,
            spelled,
            lengths,
        }
    }

    /// Returns the tables as bytes, in the order of [`TABLES`].
    fn tables(&self) -> [&'static [u8]; TABLES.len()] {
        [
            self.bytes,
            self.two.as_flattened(),
            self.characters.as_flattened(),
            self.borders,
            self.filter,
            self.pairs.as_flattened(),
            self.tiny.as_flattened(),
            self.short.as_flattened(),
            self.long.as_flattened(),
            self.spelled,
            self.lengths,
        ]
    }

    #[inline]
    pub(super) fn byte_token(&self, byte: u8) -> u32 {
        u32::from(self.bytes[usize::from(byte)])
    }

    /// Returns the token of the character at `at` and the offset of the next. Returns `None` if it
    /// is not a token, or if its bytes might merge with a neighbor first.
    #[inline]
    pub(super) fn character_token(&self, bytes: &[u8], at: usize) -> Option<(u32, usize)> {
        let (point, end) = match bytes[at..] {
            [first @ 0xC2..0xE0, second, ..] => {
                (usize::from(first & 0x1F) << 6 | usize::from(second & 0x3F), at + 2)
            }
            [first @ 0xE0..0xF0, second, third, ..] => (
                usize::from(first & 0x0F) << 12
                    | usize::from(second & 0x3F) << 6
                    | usize::from(third & 0x3F),
                at + 3,
            ),
            _ => return None,
        };
        let token = u32::from_le_bytes(self.characters[point]);
        let is_separate = token != NONE
            && (at == 0 || self.border_flags(bytes, at) & PARTLY_BEHIND == 0)
            && (end == bytes.len() || self.border_flags(bytes, end) & PARTLY_BEFORE == 0);
        is_separate.then_some((token, end))
    }

    /// Returns the flags of the border before the byte at `at`.
    #[inline]
    fn border_flags(&self, bytes: &[u8], at: usize) -> u8 {
        self.borders[usize::from(bytes[at - 1]) << 8 | usize::from(bytes[at])]
    }

    /// Returns the token that two tokens make, or [`NONE`].
    #[inline]
    pub(super) fn merged(&self, left: u32, right: u32) -> u32 {
        if left | right < 256 {
            return u32::from_le_bytes(self.two[(left << 8 | right) as usize]);
        }
        if self.may_merge(left, right) { self.merged_if_any(left, right) } else { NONE }
    }

    /// Returns false if two tokens that are not both bytes make no other. That is so for most, and
    /// the filter is small enough for the CPU's caches.
    #[inline]
    pub(super) fn may_merge(&self, left: u32, right: u32) -> bool {
        let (byte, bit) = pair_bit(hash_pair(pack_pair(left, right)), self.filter.len());
        self.filter[byte] & bit != 0
    }

    /// Returns the token that two tokens make, or [`NONE`]. They must not both be bytes.
    #[inline]
    pub(super) fn merged_if_any(&self, left: u32, right: u32) -> u32 {
        let pair = pack_pair(left, right);
        let mut place = pair_place(hash_pair(pair), self.pairs.len());
        loop {
            let entry = u64::from_le_bytes(self.pairs[place]);
            if entry >> ID_BITS == pair {
                return (entry & ((1 << ID_BITS) - 1)) as u32;
            }
            if entry == NO_PAIR {
                return NONE;
            }
            place = (place + 1) & (self.pairs.len() - 1);
        }
    }

    /// Keeps only the keys of tiny pieces that are not in their home slot (most tokens are).
    /// Returns how many remain.
    pub(super) fn retain_displaced_tiny(&self, keys: &mut [u128; BATCH], count: usize) -> usize {
        retain_displaced(self.tiny, |key| tiny_token(key).to_le_bytes(), keys, count)
    }

    /// Keeps only the keys of other short pieces that are not in their home slot. Returns how many
    /// remain.
    pub(super) fn retain_displaced_short(&self, keys: &mut [u128; BATCH], count: usize) -> usize {
        retain_displaced(self.short, u128::to_le_bytes, keys, count)
    }

    /// Returns true if the short piece with this key is a token.
    #[inline]
    pub(super) fn has_short(&self, key: u128) -> bool {
        if key_length(key) <= TINY {
            contains_entry(self.tiny, hash_key(key), |entry| {
                *entry == tiny_token(key).to_le_bytes()
            })
        } else {
            contains_entry(self.short, hash_key(key), |entry| *entry == key.to_le_bytes())
        }
    }

    /// Returns true if a longer piece, of at most [`LONGEST`] bytes, is a token. `hash` is its
    /// `hash_long`.
    pub(super) fn has_long(&self, piece: &[u8], hash: u64) -> bool {
        let wanted = long_token(hash, 0);
        contains_entry(self.long, hash, |entry| {
            let offset = u64::from_le_bytes(*entry) ^ wanted;
            offset < 1 << OFFSET_BITS && self.spells(offset as usize, piece)
        })
    }

    /// Returns true if the long token at `offset` is `piece`.
    fn spells(&self, offset: usize, piece: &[u8]) -> bool {
        usize::from(self.spelled[offset]) == piece.len()
            && self.spelled[offset + 1..].starts_with(piece)
    }

    /// Returns the length of a token in bytes.
    #[inline]
    pub(super) fn token_length(&self, token: u32) -> usize {
        usize::from(self.lengths[token as usize])
    }
}

/// Returns true if a table of tokens holds the entry that `is_wanted` accepts.
#[inline]
fn contains_entry<const BYTES: usize>(
    table: &[[u8; BYTES]],
    hash: u64,
    is_wanted: impl Fn(&[u8; BYTES]) -> bool,
) -> bool {
    let (start, rest) = table.split_at(token_place(hash, table.len()));
    rest.iter().chain(start).take_while(|entry| **entry != [0; BYTES]).any(is_wanted)
}

/// Keeps only the first `count` keys whose entry is not in its home slot. Returns how many remain.
/// Runs without branches, so that the CPU waits for all entries at once.
#[inline]
fn retain_displaced<const BYTES: usize>(
    table: &[[u8; BYTES]],
    entry: impl Fn(u128) -> [u8; BYTES],
    keys: &mut [u128; BATCH],
    count: usize,
) -> usize {
    if count == 0 {
        return 0;
    }
    let (mut places, mut found) = ([0; BATCH], [[0; BYTES]; BATCH]);
    for (place, key) in places.iter_mut().zip(&keys[..count]) {
        *place = token_place(hash_key(*key), table.len());
    }
    for (found, place) in found.iter_mut().zip(&places[..count]) {
        *found = table[*place];
    }
    let mut left = 0;
    for at in 0..count.min(BATCH) {
        let key = keys[at];
        keys[left % BATCH] = key;
        left += usize::from(found[at] != entry(key));
    }
    left
}

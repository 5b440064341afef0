//! The vocabulary of an encoding: which bytes are a token, and which two tokens
//! make another. All of it lies in the program as [`layout`](super::layout) says.

use super::layout::{
    ID_BITS, NO_PAIR, NONE, OFFSET_BITS, PARTLY_BEFORE, PARTLY_BEHIND, TINY, hash, hash_pair,
    length, long_token, pair, pair_bit, pair_place, tiny_token, token_place,
};

/// Pieces that are looked up together. A look into a large table is a wait for memory, and a processor waits for many at once where
/// nothing between them depends on what one brings.
pub(super) const TOGETHER: usize = 64;

/// Bytes of a token at most: what its length can say.
pub(super) const LONGEST: usize = u8::MAX as usize;

/// Tables of one vocabulary, numbers in little-endian order.
pub(super) struct Vocabulary {
    /// The token of each byte.
    pub(super) bytes: &'static [u8],
    /// The token that two tokens of bytes make.
    pub(super) two: &'static [[u8; 4]],
    /// The token of each character of two or three bytes that is one.
    pub(super) characters: &'static [[u8; 4]],
    /// By the two bytes at a border of characters, whether a token may end (or begin) within the character behind (or before) it.
    pub(super) borders: &'static [u8],
    /// A bit by hash where two tokens may make another.
    pub(super) filter: &'static [u8],
    /// Two tokens and the one that they make, by hash.
    pub(super) pairs: &'static [[u8; 8]],
    /// Tiny tokens by hash.
    pub(super) tiny: &'static [[u8; 8]],
    /// The keys of the other short tokens by hash.
    pub(super) short: &'static [[u8; 16]],
    /// Where long tokens stand in `spelled`, by hash.
    pub(super) long: &'static [[u8; 8]],
    /// Length and bytes of long tokens.
    pub(super) spelled: &'static [u8],
    /// Length of each token in bytes.
    pub(super) lengths: &'static [u8],
}

/// The tables that the build script wrote under this name.
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

impl Vocabulary {
    /// The token of a byte.
    #[inline]
    pub(super) fn byte(&self, byte: u8) -> u32 {
        u32::from(self.bytes[usize::from(byte)])
    }

    /// The token of the character at `at`, and where the next begins; none if it is no token, or if its bytes may not come together first.
    #[inline]
    pub(super) fn character(&self, bytes: &[u8], at: usize) -> Option<(u32, usize)> {
        let (point, end) = match bytes[at..] {
            [first @ 0xC2..0xE0, second, ..] => (
                usize::from(first & 0x1F) << 6 | usize::from(second & 0x3F),
                at + 2,
            ),
            [first @ 0xE0..0xF0, second, third, ..] => (
                usize::from(first & 0x0F) << 12
                    | usize::from(second & 0x3F) << 6
                    | usize::from(third & 0x3F),
                at + 3,
            ),
            _ => return None,
        };
        let token = u32::from_le_bytes(self.characters[point]);
        let border = |behind: usize| {
            self.borders[usize::from(bytes[behind - 1]) << 8 | usize::from(bytes[behind])]
        };
        let whole = token != NONE
            && (at == 0 || border(at) & PARTLY_BEHIND == 0)
            && (end == bytes.len() || border(end) & PARTLY_BEFORE == 0);
        whole.then_some((token, end))
    }

    /// The token that two tokens make, or [`NONE`].
    #[inline]
    pub(super) fn merged(&self, left: u32, right: u32) -> u32 {
        if left | right < 256 {
            return u32::from_le_bytes(self.two[(left << 8 | right) as usize]);
        }
        if self.may_merge(left, right) {
            self.merged_if_any(left, right)
        } else {
            NONE
        }
    }

    /// Whether two tokens that are not both bytes may make another. Most don't, and this table is small enough to stay where the processor
    /// is fast.
    #[inline]
    pub(super) fn may_merge(&self, left: u32, right: u32) -> bool {
        let (byte, bit) = pair_bit(hash_pair(pair(left, right)), self.filter.len());
        self.filter[byte] & bit != 0
    }

    /// The token that two tokens make that are not both bytes, or [`NONE`].
    #[inline]
    pub(super) fn merged_if_any(&self, left: u32, right: u32) -> u32 {
        let pair = pair(left, right);
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

    /// Of so many keys of tiny pieces, leaves those that are no token which stands where the search for it begins, as most tokens do. Says
    /// how many.
    pub(super) fn not_tiny_at_once(&self, keys: &mut [u128; TOGETHER], count: usize) -> usize {
        not_at_once(self.tiny, |key| tiny_token(key).to_le_bytes(), keys, count)
    }

    /// The same of short pieces that are not tiny.
    pub(super) fn not_short_at_once(&self, keys: &mut [u128; TOGETHER], count: usize) -> usize {
        not_at_once(self.short, u128::to_le_bytes, keys, count)
    }

    /// Whether the short piece of this key is a token.
    #[inline]
    pub(super) fn has_short(&self, key: u128) -> bool {
        if length(key) <= TINY {
            stands(self.tiny, hash(key), |entry| {
                *entry == tiny_token(key).to_le_bytes()
            })
        } else {
            stands(self.short, hash(key), |entry| *entry == key.to_le_bytes())
        }
    }

    /// Whether a longer piece, of at most [`LONGEST`] bytes, is a token; given its [`hash_long`].
    pub(super) fn has_long(&self, piece: &[u8], hash: u64) -> bool {
        let wanted = long_token(hash, 0);
        stands(self.long, hash, |entry| {
            let offset = u64::from_le_bytes(*entry) ^ wanted;
            offset < 1 << OFFSET_BITS && self.spells(offset as usize, piece)
        })
    }

    fn spells(&self, offset: usize, piece: &[u8]) -> bool {
        usize::from(self.spelled[offset]) == piece.len()
            && self.spelled[offset + 1..].starts_with(piece)
    }

    /// Bytes of a token.
    #[inline]
    pub(super) fn length(&self, token: u32) -> usize {
        usize::from(self.lengths[token as usize])
    }
}

/// Whether a table of tokens holds an entry.
#[inline]
fn stands<const BYTES: usize>(
    table: &[[u8; BYTES]],
    hash: u64,
    is_it: impl Fn(&[u8; BYTES]) -> bool,
) -> bool {
    let (start, rest) = table.split_at(token_place(hash, table.len()));
    rest.iter()
        .chain(start)
        .take_while(|entry| **entry != [0; BYTES])
        .any(is_it)
}

/// Of so many keys, leaves those whose entry does not stand where the search for it begins, and says how many. In steps without a branch,
/// so that a processor waits for all entries at once.
#[inline]
fn not_at_once<const BYTES: usize>(
    table: &[[u8; BYTES]],
    entry: impl Fn(u128) -> [u8; BYTES],
    keys: &mut [u128; TOGETHER],
    count: usize,
) -> usize {
    if count == 0 {
        return 0;
    }
    let (mut places, mut found) = ([0; TOGETHER], [[0; BYTES]; TOGETHER]);
    for (place, key) in places.iter_mut().zip(&keys[..count]) {
        *place = token_place(hash(*key), table.len());
    }
    for (found, place) in found.iter_mut().zip(&places[..count]) {
        *found = table[*place];
    }
    let mut left = 0;
    for at in 0..count.min(TOGETHER) {
        let key = keys[at];
        keys[left % TOGETHER] = key;
        left += usize::from(found[at] != entry(key));
    }
    left
}

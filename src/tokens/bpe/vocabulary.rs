//! The vocabulary of an encoding: which bytes are a token, and which two tokens
//! make another. All of it lies in the program as [`layout`](super::layout) says.

use super::layout::{
    ID_BITS, NO_PAIR, NONE, OFFSET_BITS, PARTLY_BEFORE, PARTLY_BEHIND, TINY, hash_long, hash_pair, long_token, pair, pair_bit, pair_place, tiny_token,
    token_place,
};

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
    /// All tokens by hash: themselves, or where they stand in `spelled`.
    pub(super) tokens: &'static [[u8; 8]],
    /// Length and bytes of longer tokens.
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
            tokens: table!(".tokens").as_chunks().0,
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
            [first @ 0xC2..0xE0, second, ..] => (usize::from(first & 0x1F) << 6 | usize::from(second & 0x3F), at + 2),
            [first @ 0xE0..0xF0, second, third, ..] => (usize::from(first & 0x0F) << 12 | usize::from(second & 0x3F) << 6 | usize::from(third & 0x3F), at + 3),
            _ => return None,
        };
        let token = u32::from_le_bytes(self.characters[point]);
        let border = |behind: usize| self.borders[usize::from(bytes[behind - 1]) << 8 | usize::from(bytes[behind])];
        let whole = token != NONE && (at == 0 || border(at) & PARTLY_BEHIND == 0) && (end == bytes.len() || border(end) & PARTLY_BEFORE == 0);
        whole.then_some((token, end))
    }

    /// The token that two tokens make, or [`NONE`].
    #[inline]
    pub(super) fn merged(&self, left: u32, right: u32) -> u32 {
        if left | right < 256 {
            return u32::from_le_bytes(self.two[(left << 8 | right) as usize]);
        }
        let pair = pair(left, right);
        let hash = hash_pair(pair);
        // Most pairs are none, and this table is small enough to stay where the processor is fast.
        let (byte, bit) = pair_bit(hash, self.filter.len());
        if self.filter[byte] & bit == 0 {
            return NONE;
        }
        let mut place = pair_place(hash, self.pairs.len());
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

    /// Whether a piece of at most [`SHORT`](super::layout::SHORT) bytes, with this key and hash, is a token.
    #[inline]
    pub(super) fn has_short(&self, piece: &[u8], key: u128, hash: u64) -> bool {
        if piece.len() > TINY {
            return self.has_by(hash, piece);
        }
        let wanted = tiny_token(key);
        let mut place = token_place(hash, self.tokens.len());
        loop {
            match u64::from_le_bytes(self.tokens[place]) {
                0 => return false,
                entry if entry == wanted => return true,
                _ => place = (place + 1) & (self.tokens.len() - 1),
            }
        }
    }

    /// Whether a longer piece is a token.
    pub(super) fn has_long(&self, piece: &[u8]) -> bool {
        // No token is longer than its length can say.
        piece.len() <= usize::from(u8::MAX) && self.has_by(hash_long(piece), piece)
    }

    fn has_by(&self, hash: u64, piece: &[u8]) -> bool {
        let wanted = long_token(hash, 0);
        let mut place = token_place(hash, self.tokens.len());
        loop {
            let entry = u64::from_le_bytes(self.tokens[place]);
            if entry == 0 {
                return false;
            }
            let offset = entry ^ wanted;
            if offset < 1 << OFFSET_BITS && self.spells(offset as usize, piece) {
                return true;
            }
            place = (place + 1) & (self.tokens.len() - 1);
        }
    }

    fn spells(&self, offset: usize, piece: &[u8]) -> bool {
        usize::from(self.spelled[offset]) == piece.len() && self.spelled[offset + 1..].starts_with(piece)
    }

    /// Bytes of a token.
    #[inline]
    pub(super) fn length(&self, token: u32) -> usize {
        usize::from(self.lengths[token as usize])
    }
}

//! The form of the embedded vocabularies: tables that are used as they lie in the
//! program, so that an exact count costs no start-up. The build script writes them.

/// Bits of a token's id, which is its rank.
pub(crate) const ID_BITS: u32 = 18;
/// Where there is no token.
pub(crate) const NONE: u32 = u32::MAX;
/// A place of the table of pairs that holds nothing.
pub(crate) const NO_PAIR: u64 = u64::MAX;
/// Bytes of a short piece.
pub(crate) const SHORT: usize = 15;
/// Where a key holds the length of the piece.
const KEY_LENGTH: u32 = 120;
/// Bytes of a tiny piece.
pub(crate) const TINY: usize = 7;
/// Where an entry of the table of tiny tokens holds the length.
const TINY_LENGTH: u32 = 56;
/// Bits of the entry of a long token that say where its bytes are; the others are of its hash.
pub(crate) const OFFSET_BITS: u32 = 18;

/// At a border of characters: there are tokens that begin within the character before it and go on behind it.
pub(crate) const PARTLY_BEFORE: u8 = 1;
/// There are tokens that come from before it and end within the character behind it.
pub(crate) const PARTLY_BEHIND: u8 = 2;

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Two tokens in one number.
#[inline]
#[must_use]
pub(crate) fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << ID_BITS | u64::from(right)
}

/// A hash of a pair.
#[inline]
#[must_use]
pub(crate) fn hash_pair(pair: u64) -> u64 {
    pair.wrapping_mul(FACTOR)
}

/// Where the search for a pair begins; tables have a power of two of places.
#[inline]
#[must_use]
pub(crate) fn pair_place(hash: u64, places: usize) -> usize {
    (hash >> 28) as usize & (places - 1)
}

/// The byte and the bit that are set where there may be a pair of this hash.
#[inline]
#[must_use]
pub(crate) fn pair_bit(hash: u64, bytes: usize) -> (usize, u8) {
    let bit = (hash >> 40) as usize & (bytes * 8 - 1);
    (bit / 8, 1 << (bit % 8))
}

/// A short piece in one number: its bytes, and its length in the highest four bits but four. Never 0, as no piece is empty.
#[inline]
#[must_use]
pub(crate) fn key(bytes: &[u8], at: usize, length: usize) -> u128 {
    let rest = &bytes[at..];
    let all = rest.first_chunk::<16>().map_or_else(
        || {
            let mut all = [0; 16];
            all[..length].copy_from_slice(&rest[..length]);
            u128::from_le_bytes(all)
        },
        |chunk| u128::from_le_bytes(*chunk),
    );
    (all & ((1 << (8 * length)) - 1)) | (length as u128) << KEY_LENGTH
}

/// Bytes of the piece of this key.
#[inline]
#[must_use]
pub(crate) fn length(key: u128) -> usize {
    (key >> KEY_LENGTH) as usize
}

/// A hash of a short piece.
#[inline]
#[must_use]
pub(crate) fn hash(key: u128) -> u64 {
    let mixed = (key as u64).wrapping_mul(FACTOR) ^ (key >> 64) as u64;
    (mixed ^ mixed >> 29).wrapping_mul(FACTOR)
}

/// A hash of a piece of any length.
#[must_use]
pub(crate) fn hash_long(bytes: &[u8]) -> u64 {
    bytes.chunks(SHORT).fold(0, |sum, chunk| {
        hash(key(chunk, 0, chunk.len()) ^ u128::from(sum))
    })
}

/// Where the search for a token begins, in a table of any size.
#[inline]
#[must_use]
pub(crate) fn token_place(hash: u64, places: usize) -> usize {
    (((hash >> 32) * places as u64) >> 32) as usize
}

/// What the table of tiny tokens holds for one: never 0.
#[inline]
#[must_use]
pub(crate) fn tiny_token(key: u128) -> u64 {
    key as u64 | (length(key) as u64) << TINY_LENGTH
}

/// What the table of long tokens holds for one: the offset of its length, which its bytes follow, and bits of its hash. Never 0.
#[inline]
#[must_use]
pub(crate) fn long_token(hash: u64, offset: u32) -> u64 {
    1 << 63 | hash << OFFSET_BITS | u64::from(offset)
}

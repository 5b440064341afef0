//! The layout of the embedded vocabularies. Their tables are used in place, so that an
//! exact count needs no start-up. The build script writes them.

/// Bits of a token's id, which is its rank.
pub(crate) const ID_BITS: u32 = 18;
/// The absence of a token.
pub(crate) const NONE: u32 = u32::MAX;
/// An empty place of the table of pairs.
pub(crate) const NO_PAIR: u64 = u64::MAX;
/// Most bytes of a short piece.
pub(crate) const SHORT: usize = 15;
/// Lowest bit of the length in a key.
const KEY_LENGTH_SHIFT: u32 = 120;
/// Most bytes of a tiny piece.
pub(crate) const TINY: usize = 7;
/// Lowest bit of the length in an entry of the table of tiny tokens.
const TINY_LENGTH_SHIFT: u32 = 56;
/// Bits of the offset in the entry of a long token. The other bits are of its hash.
pub(crate) const OFFSET_BITS: u32 = 18;

/// Flag of a border of characters: some tokens begin within the character before it and continue
/// after it.
pub(crate) const PARTLY_BEFORE: u8 = 1;
/// Flag of a border of characters: some tokens begin before it and end within the character after
/// it.
pub(crate) const PARTLY_BEHIND: u8 = 2;

/// The tables of a vocabulary, in the order in which they are packed.
pub(crate) const TABLES: [&str; 11] = [
    "bytes", "two", "characters", "borders", "filter", "pairs", "tiny", "short", "long", "spelled",
    "lengths",
];

/// Combines a table with that of another vocabulary, as far as both go. Done twice it is undone.
pub(crate) fn combine_tables(table: &mut [u8], others: &[u8]) {
    for (byte, other) in table.iter_mut().zip(others) {
        *byte ^= other;
    }
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Packs two tokens into a number.
#[inline]
pub(crate) fn pack_pair(left: u32, right: u32) -> u64 {
    u64::from(left) << ID_BITS | u64::from(right)
}

#[inline]
pub(crate) fn hash_pair(pair: u64) -> u64 {
    pair.wrapping_mul(FACTOR)
}

/// Returns the home slot of a pair in a table of `places`, a power of two.
#[inline]
pub(crate) fn pair_place(hash: u64, places: usize) -> usize {
    (hash >> 28) as usize & (places - 1)
}

/// Returns the byte and the bit of the filter that are set if there may be a pair of this hash.
#[inline]
pub(crate) fn pair_bit(hash: u64, bytes: usize) -> (usize, u8) {
    let bit = (hash >> 40) as usize & (bytes * 8 - 1);
    (bit / 8, 1 << (bit % 8))
}

/// Packs a short piece into a number: bytes in bits 0..120, length in bits 120..124. It is never 0,
/// because no piece is empty.
#[inline]
pub(crate) fn piece_key(bytes: &[u8], at: usize, length: usize) -> u128 {
    let rest = &bytes[at..];
    let all = rest.first_chunk::<16>().map_or_else(
        || {
            let mut all = [0; 16];
            all[..length].copy_from_slice(&rest[..length]);
            u128::from_le_bytes(all)
        },
        |chunk| u128::from_le_bytes(*chunk),
    );
    (all & ((1 << (8 * length)) - 1)) | (length as u128) << KEY_LENGTH_SHIFT
}

/// Returns the length of the piece with this key in bytes.
#[inline]
pub(crate) fn key_length(key: u128) -> usize {
    (key >> KEY_LENGTH_SHIFT) as usize
}

/// Returns the hash of a short piece.
#[inline]
pub(crate) fn hash_key(key: u128) -> u64 {
    let mixed = (key as u64).wrapping_mul(FACTOR) ^ (key >> 64) as u64;
    (mixed ^ mixed >> 29).wrapping_mul(FACTOR)
}

/// Returns the hash of a piece of any length.
pub(crate) fn hash_long(bytes: &[u8]) -> u64 {
    bytes
        .chunks(SHORT)
        .fold(0, |sum, chunk| hash_key(piece_key(chunk, 0, chunk.len()) ^ u128::from(sum)))
}

/// Returns the home slot of a token in a table of `places`.
#[inline]
pub(crate) fn token_place(hash: u64, places: usize) -> usize {
    (((hash >> 32) * places as u64) >> 32) as usize
}

/// Returns the entry of a tiny token. It is never 0.
#[inline]
pub(crate) fn tiny_token(key: u128) -> u64 {
    key as u64 | (key_length(key) as u64) << TINY_LENGTH_SHIFT
}

/// Returns the entry of a long token: bits of its hash, and the offset of its length, after which
/// its bytes follow. It is never 0.
#[inline]
pub(crate) fn long_token(hash: u64, offset: u32) -> u64 {
    1 << 63 | hash << OFFSET_BITS | u64::from(offset)
}

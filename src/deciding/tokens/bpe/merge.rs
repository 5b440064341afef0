//! Byte-pair encoding of a piece: of all neighbors, the two whose token has the lowest
//! rank become one, the leftmost first, until no two make a token.

use super::layout::NONE;
use super::vocabulary::Vocabulary;

/// The most parts of a short piece: `ShortMerge` has a bit for each of them in a word. Each merge
/// searches all of them.
const MAX_SHORT_PARTS: usize = 64;
/// Bytes of a longer piece that are encoded at a time. With the bytes that are encoded again they
/// are mostly at most [`MAX_SHORT_PARTS`].
const BLOCK: usize = 32;
/// A block is longer by this multiple of the token before it, so that the bytes encoded again are a
/// small part of it.
const LONGER: usize = 4;
/// Bytes before a block that are encoded again with it.
const LOOK_BACK: usize = 16;

/// Most tokens whose room is kept for the next long piece.
const MAX_KEPT: usize = 1 << 16;

/// A byte-pair encoder with reusable buffers.
#[derive(Default)]
pub(super) struct Merger {
    /// The tokens of the last short piece or window.
    tokens: Vec<u32>,
    /// Tokens of the encoded part of a long piece.
    long: Vec<u32>,
    long_merge: LongMerge,
}

impl Merger {
    /// Returns the number of tokens of a piece that is neither empty nor a token.
    pub(super) fn count_tokens(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        let mut merge = ShortMerge { tokens: [0; MAX_SHORT_PARTS], alive: 0 };
        if merge.try_encode(vocabulary, piece) {
            return merge.alive.count_ones() as usize;
        }
        self.encode_long(vocabulary, piece);
        let tokens = self.long.len();
        self.long.clear();
        self.long.shrink_to(MAX_KEPT);
        tokens
    }

    /// Encodes `bytes` into `tokens`.
    fn encode_window(&mut self, vocabulary: &Vocabulary, bytes: &[u8]) {
        self.tokens.clear();
        let mut merge = ShortMerge { tokens: [0; MAX_SHORT_PARTS], alive: 0 };
        if merge.try_encode(vocabulary, bytes) {
            let alive = (0..MAX_SHORT_PARTS).filter(|at| merge.alive >> at & 1 != 0);
            self.tokens.extend(alive.map(|at| merge.tokens[at]));
        } else {
            self.long_merge.encode_piece(vocabulary, bytes);
            self.tokens.extend_from_slice(&self.long_merge.tokens);
        }
    }

    /// Encodes a long piece into `long`.
    ///
    /// Tokens are the encoding of their bytes if any two neighbors are the encoding of theirs: the
    /// first merge across a border would also happen in those two alone. So each block is encoded
    /// together with some tokens before it. If the first of these comes out unchanged, all tokens
    /// before it stay. A block seldom changes much before it: each changed token must rank above
    /// the token after it.
    fn encode_long(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        self.long.clear();
        let (mut at, mut before) = (0, &piece[..0]);
        while at < piece.len() {
            let last = self.long.last().map_or(0, |token| vocabulary.token_length(*token));
            let end = (at + BLOCK + LONGER * last).min(piece.len());
            let mut look_back = LOOK_BACK;
            let kept = loop {
                let (mut kept, mut start) = (self.long.len(), at);
                // At least two tokens, because the last is often the rest of a run.
                while kept > 0 && (at - start < look_back || self.long.len() - kept < 2) {
                    kept -= 1;
                    start -= vocabulary.token_length(self.long[kept]);
                }
                let window = &piece[start..end];
                // In a run of equal characters, all windows are equal.
                if window != before {
                    self.encode_window(vocabulary, window);
                    before = window;
                }
                if kept == 0 || self.tokens[0] == self.long[kept] {
                    break kept;
                }
                look_back *= 2;
            };
            self.long.truncate(kept);
            self.long.extend_from_slice(&self.tokens);
            at = end;
        }
    }
}

/// The merging of a piece of few parts, which are all searched for each merge.
struct ShortMerge {
    tokens: [u32; MAX_SHORT_PARTS],
    /// A bit for each part that was not merged into the part before it.
    alive: u64,
}

/// Bits of the part's index in a merge key. The rank is in the bits above. The least key is the next
/// merge.
const PART_BITS: u32 = MAX_SHORT_PARTS.trailing_zeros();

impl ShortMerge {
    /// Encodes the piece. Returns false if it has too many parts.
    #[inline]
    fn try_encode(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> bool {
        let (mut parts, mut at) = (0, 0);
        while at < piece.len() {
            if parts == MAX_SHORT_PARTS {
                return false;
            }
            let byte = piece[at];
            let character = if byte < 0x80 { None } else { vocabulary.character_token(piece, at) };
            (self.tokens[parts], at) =
                character.unwrap_or_else(|| (vocabulary.byte_token(byte), at + 1));
            parts += 1;
        }
        // Signed, because SIMD compares signed numbers.
        let mut merges = [i32::MAX; MAX_SHORT_PARTS];
        for part in 1..parts {
            merges[part - 1] =
                merge_key(part - 1, vocabulary.merged(self.tokens[part - 1], self.tokens[part]));
        }
        self.alive = u64::MAX >> (MAX_SHORT_PARTS - parts);
        loop {
            let least = merges[..parts].iter().copied().min().unwrap_or(i32::MAX);
            if least == i32::MAX {
                return true;
            }
            let (part, token) = (least as usize % MAX_SHORT_PARTS, least as u32 >> PART_BITS);
            let gone =
                (self.alive & (u64::MAX - 1) << part).trailing_zeros() as usize % MAX_SHORT_PARTS;
            self.tokens[part] = token;
            merges[gone] = i32::MAX;
            self.alive &= !(1 << gone);
            let after = self.alive & (u64::MAX - 1) << part;
            let before = self.alive & ((1 << part) - 1);
            let next = self.tokens[after.trailing_zeros() as usize % MAX_SHORT_PARTS];
            let part_before = before.checked_ilog2().unwrap_or_default() as usize % MAX_SHORT_PARTS;
            let last = self.tokens[part_before];
            // Both are looked up before either result is needed, so that the waits for memory
            // overlap.
            let with_next = (after != 0) & vocabulary.may_merge(token, next);
            let with_last = (before != 0) & vocabulary.may_merge(last, token);
            merges[part] = if with_next {
                merge_key(part, vocabulary.merged_if_any(token, next))
            } else {
                i32::MAX
            };
            if before != 0 {
                merges[part_before] = if with_last {
                    merge_key(part_before, vocabulary.merged_if_any(last, token))
                } else {
                    i32::MAX
                };
            }
        }
    }
}

/// Returns the key of the merge of a part with the next into `token`, or the greatest number if
/// `token` is [`NONE`].
#[inline(always)]
fn merge_key(part: usize, token: u32) -> i32 {
    if token == NONE { i32::MAX } else { (token << PART_BITS) as i32 | part as i32 }
}

/// The merging of a piece of many parts.
#[derive(Default)]
struct LongMerge {
    tokens: Vec<u32>,
    /// The token that each part would make with the next.
    merged: Vec<u32>,
}

impl LongMerge {
    /// Encodes the piece. Each pass makes all merges of the lowest rank. The new tokens have merges
    /// of higher ranks with their neighbors.
    fn encode_piece(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let Self { tokens, merged } = self;
        tokens.clear();
        tokens.extend(piece.iter().map(|byte| vocabulary.byte_token(*byte)));
        merged.clear();
        merged.extend(tokens.windows(2).map(|pair| vocabulary.merged(pair[0], pair[1])));
        let mut least = merged.iter().copied().min().unwrap_or(NONE);
        merged.push(NONE);
        while least != NONE {
            let (mut from, mut to, mut last_is_new, mut next) = (0, 0, false, NONE);
            while from < tokens.len() {
                let new = merged[from] == least;
                let token = if new { least } else { tokens[from] };
                if to > 0 {
                    let joined = if new || last_is_new {
                        vocabulary.merged(tokens[to - 1], token)
                    } else {
                        merged[from - 1]
                    };
                    merged[to - 1] = joined;
                    next = next.min(joined);
                }
                tokens[to] = token;
                (from, to, last_is_new) = (from + 1 + usize::from(new), to + 1, new);
            }
            least = next;
            tokens.truncate(to);
            merged.truncate(to);
            merged[to - 1] = NONE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::encoding::{CL100K, O200K, P50K, R50K};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_three_ways_to_merge_agree(unit in "[ab=_ 的é中国\\-\u{301}😀]{1,20}", times in 1..40usize, end in "[a-z的一是]{0,90}") {
            let text = unit.repeat(times) + &end;
            for vocabulary in [&O200K, &*CL100K, &*P50K, &*R50K] {
                let mut merger = Merger::default();
                let mut merge = LongMerge::default();
                merge.encode_piece(vocabulary, text.as_bytes());
                merger.encode_long(vocabulary, text.as_bytes());
                prop_assert_eq!(&merger.long, &merge.tokens);
                let start: String = text.chars().take(16).collect();
                merge.encode_piece(vocabulary, start.as_bytes());
                merger.encode_window(vocabulary, start.as_bytes());
                prop_assert_eq!(&merger.tokens, &merge.tokens);
            }
        }
    }
}

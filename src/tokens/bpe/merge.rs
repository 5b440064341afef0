//! Byte-pair encoding of one piece: of all neighbours, the two whose token has the
//! lowest rank become one, the leftmost first, until no two make a token.

use super::layout::NONE;
use super::vocabulary::Vocabulary;

/// Most parts that are merged by looking at all of them: as many as a word has bits.
const FEW: usize = 64;
/// Bytes of a longer piece that are encoded at a time; with what is encoded again mostly no more than [`FEW`].
const BLOCK: usize = 32;
/// So many times the length of the token before it a block is longer: what is encoded again is then a part of it.
const LONGER: usize = 4;
/// Bytes before a block that are encoded again with it.
const LOOK_BACK: usize = 16;

/// Room for so many tokens stays for the next long piece.
const MOST_KEPT: usize = 1 << 16;

/// Encodes; its buffers are used again.
#[derive(Default)]
pub(super) struct Merger {
    /// What came out.
    tokens: Vec<u32>,
    /// Tokens of the part of a long piece that was seen.
    long: Vec<u32>,
    many: Many,
}

impl Merger {
    /// Tokens of a piece that is not empty, and no token itself.
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        let mut few = Few {
            tokens: [0; FEW],
            alive: 0,
        };
        if few.encode(vocabulary, piece) {
            return few.alive.count_ones() as usize;
        }
        self.encode_long(vocabulary, piece);
        let tokens = self.long.len();
        self.long.clear();
        self.long.shrink_to(MOST_KEPT);
        tokens
    }

    /// Encodes into `tokens`.
    fn encode(&mut self, vocabulary: &Vocabulary, bytes: &[u8]) {
        self.tokens.clear();
        let mut few = Few {
            tokens: [0; FEW],
            alive: 0,
        };
        if few.encode(vocabulary, bytes) {
            self.tokens.extend(
                (0..FEW)
                    .filter(|at| few.alive >> at & 1 != 0)
                    .map(|at| few.tokens[at]),
            );
        } else {
            self.many.encode(vocabulary, bytes);
            self.tokens.extend_from_slice(&self.many.tokens);
        }
    }

    /// Encodes into `long`. Tokens are the encoding of their bytes if each two neighbours are the encoding of theirs:
    /// whatever merge first crossed a border would do so in those two alone. So a block is encoded together with some
    /// tokens before it, and if the first of them comes out as it was, all that stand before it stay. What comes behind
    /// changes little before it: each token that it changes must rank above the one behind that.
    fn encode_long(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        self.long.clear();
        let (mut at, mut before) = (0, &piece[..0]);
        while at < piece.len() {
            let last = self
                .long
                .last()
                .map_or(0, |token| vocabulary.length(*token));
            let end = (at + BLOCK + LONGER * last).min(piece.len());
            let mut look_back = LOOK_BACK;
            let kept = loop {
                let (mut kept, mut start) = (self.long.len(), at);
                // Two, because the last one is often the rest of a run.
                while kept > 0 && (at - start < look_back || self.long.len() - kept < 2) {
                    kept -= 1;
                    start -= vocabulary.length(self.long[kept]);
                }
                let window = &piece[start..end];
                // In a run of one thing, all windows are the same.
                if window != before {
                    self.encode(vocabulary, window);
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

/// Parts of a short piece.
struct Few {
    tokens: [u32; FEW],
    /// A bit for each part that was not merged into the one before it.
    alive: u64,
}

/// Place and rank of a merge in one number: the least is the next.
const PLACE_BITS: u32 = FEW.trailing_zeros();

impl Few {
    /// Whether the piece has few enough parts; then it is encoded.
    #[inline]
    fn encode(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> bool {
        let (mut parts, mut at) = (0, 0);
        while at < piece.len() {
            if parts == FEW {
                return false;
            }
            let byte = piece[at];
            let character = if byte < 0x80 {
                None
            } else {
                vocabulary.character(piece, at)
            };
            (self.tokens[parts], at) = character.unwrap_or_else(|| (vocabulary.byte(byte), at + 1));
            parts += 1;
        }
        // Signed: the processor compares those at once.
        let mut merges = [i32::MAX; FEW];
        let merge = |place: usize, token: u32| {
            if token == NONE {
                i32::MAX
            } else {
                (token << PLACE_BITS) as i32 | place as i32
            }
        };
        for place in 1..parts {
            merges[place - 1] = merge(
                place - 1,
                vocabulary.merged(self.tokens[place - 1], self.tokens[place]),
            );
        }
        self.alive = u64::MAX >> (FEW - parts);
        loop {
            let least = merges[..parts].iter().copied().min().unwrap_or(i32::MAX);
            if least == i32::MAX {
                return true;
            }
            let (place, token) = (least as usize % FEW, least as u32 >> PLACE_BITS);
            let behind = |place: usize| {
                (self.alive & (u64::MAX - 1) << place).trailing_zeros() as usize % FEW
            };
            let gone = behind(place);
            self.tokens[place] = token;
            merges[gone] = i32::MAX;
            self.alive &= !(1 << gone);
            let after = self.alive & (u64::MAX - 1) << place;
            let before = self.alive & ((1 << place) - 1);
            let next = self.tokens[after.trailing_zeros() as usize % FEW];
            let before_place = before.checked_ilog2().unwrap_or_default() as usize % FEW;
            let last = self.tokens[before_place];
            // Asked at once, before either answer is needed: both may have to be waited for.
            let with_next = (after != 0) & vocabulary.may_merge(token, next);
            let with_last = (before != 0) & vocabulary.may_merge(last, token);
            merges[place] = if with_next {
                merge(place, vocabulary.merged_if_any(token, next))
            } else {
                i32::MAX
            };
            if before != 0 {
                merges[before_place] = if with_last {
                    merge(before_place, vocabulary.merged_if_any(last, token))
                } else {
                    i32::MAX
                };
            }
        }
    }
}

/// Parts of a longer piece.
#[derive(Default)]
struct Many {
    tokens: Vec<u32>,
    /// The token that each would make with the next.
    merged: Vec<u32>,
}

impl Many {
    /// Encodes: all that make the token of the lowest rank in one walk, over and over. What they make has higher ranks with its neighbours.
    fn encode(&mut self, vocabulary: &Vocabulary, piece: &[u8]) {
        let Self { tokens, merged } = self;
        tokens.clear();
        tokens.extend(piece.iter().map(|byte| vocabulary.byte(*byte)));
        merged.clear();
        merged.extend(
            tokens
                .windows(2)
                .map(|two| vocabulary.merged(two[0], two[1])),
        );
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
            for vocabulary in [&O200K, &CL100K, &P50K, &R50K] {
                let mut merger = Merger::default();
                let mut many = Many::default();
                many.encode(vocabulary, text.as_bytes());
                merger.encode_long(vocabulary, text.as_bytes());
                prop_assert_eq!(&merger.long, &many.tokens);
                let start: String = text.chars().take(16).collect();
                many.encode(vocabulary, start.as_bytes());
                merger.encode(vocabulary, start.as_bytes());
                prop_assert_eq!(&merger.tokens, &many.tokens);
            }
        }
    }
}

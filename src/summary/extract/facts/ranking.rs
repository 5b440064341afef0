//! Ranks references by how likely the agent will need them again.

use super::places::{IN_ASSISTANT_TEXT, IN_CALL, IN_RESULT, IN_USER_TEXT};
use super::references::{Reference, References};
use super::weights::{FULL_FEATURE, Features, WEIGHTS};
use crate::summary::extract::lex::identifier_kinds::{CODE, NUMBER, OTHER, PATH, QUOTED, WORDS};

impl<'r> References<'r> {
    /// Returns the indices of the best `limit` references that are not told elsewhere, best first.
    /// References that proved useful since an earlier summary kept them go first. `count` returns
    /// the tokens of a text.
    pub(crate) fn ranked_indices(
        &mut self,
        limit: usize,
        count: &dyn Fn(&str) -> usize,
    ) -> Vec<usize> {
        self.count_key_usage();
        let untold = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, reference)| !reference.is_told);
        let mut ranks: Vec<ReferenceRank> = untold
            .map(|(at, reference)| {
                let worth = self.worth_of(reference, count(reference.text));
                ReferenceRank::new(reference.is_proven, worth, at)
            })
            .collect();
        if ranks.len() > limit {
            ranks.select_nth_unstable(limit);
            ranks.truncate(limit);
        }
        ranks.sort_unstable();
        ranks.into_iter().map(ReferenceRank::index).collect()
    }

    /// Counts the values of each key, and those that calls used.
    pub(crate) fn count_key_usage(&mut self) {
        for known in &mut self.keys {
            (known.values, known.used) = (0, 0);
        }
        for reference in self.all.iter().filter(|reference| reference.key > 0) {
            let known = &mut self.keys[reference.key as usize - 1];
            known.values += 1;
            known.used += u32::from(reference.places & IN_CALL != 0);
        }
    }

    /// Returns the features of a reference, in the order of `FEATURE_NAMES`. Needs the counts of
    /// `count_key_usage`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "counts of messages are far below 2^25"
    )]
    pub(crate) fn features_of(&self, reference: &Reference<'r>) -> Features {
        let (kinds, places) = (reference.kinds, reference.places);
        let (first, last) = (reference.first as usize, reference.last as usize);
        let age = self.message_count - 1 - last.min(self.message_count - 1);
        let length = if reference.text.is_ascii() {
            reference.text.len()
        } else {
            reference.text.chars().count()
        } as u32;
        let link = self.link_feature(first, last);
        let known = self.keys.get((reference.key as usize).wrapping_sub(1));
        let key_used = known.map_or(0, |known| {
            (known.used * FULL_FEATURE as u32 / known.values.max(1)) as i32
        });
        [
            LOGARITHM[(reference.seen as usize).min(LOGARITHM.len() - 1)],
            ((last + 1) * FULL_FEATURE as usize / self.message_count) as i32,
            flag(places & IN_CALL != 0),
            flag(places & IN_USER_TEXT != 0),
            flag(places & IN_ASSISTANT_TEXT != 0),
            flag(places & IN_RESULT != 0),
            share(reference.messages, 4),
            flag(places == IN_RESULT),
            flag(kinds & PATH != 0),
            flag(kinds & CODE != 0),
            flag(kinds & NUMBER != 0),
            flag(kinds & QUOTED != 0),
            flag(kinds & OTHER != 0),
            flag(kinds & WORDS != 0),
            nearness(age, 4),
            nearness(age, 10),
            nearness(age, 30),
            flag(age == 0),
            share(length, 40),
            share(length.saturating_sub(12), 60),
            link,
            if places & (IN_CALL | IN_USER_TEXT) != 0 {
                link
            } else {
                0
            },
            flag(reference.key > 0),
            flag(reference.key_from_call),
            key_used,
            flag(reference.first == 0),
            flag(places == IN_USER_TEXT),
            flag(reference.seen == 1),
        ]
    }

    /// Returns how closely the first or the last message of a reference is linked to the messages
    /// that stay.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the feature is at most `FULL_FEATURE`"
    )]
    fn link_feature(&self, first: usize, last: usize) -> i32 {
        let link = self
            .links
            .get(first)
            .map_or(0.0, |link| link.max(self.links[last]));
        ((link * FULL_FEATURE as f32 / 2.0) as i32).min(FULL_FEATURE)
    }

    /// Returns the log odds that the reference is needed, less its cost. The unit is a thousandth.
    fn worth_of(&self, reference: &Reference<'r>, tokens: usize) -> i32 {
        let score: i32 = self
            .features_of(reference)
            .iter()
            .zip(WEIGHTS)
            .map(|(feature, weight)| feature * weight)
            .sum();
        score / FULL_FEATURE - COST[tokens.min(COST.len() - 1)]
    }
}

fn flag(condition: bool) -> i32 {
    i32::from(condition) * FULL_FEATURE
}

/// Returns the feature of a count that is full from `most` on.
#[expect(
    clippy::cast_possible_wrap,
    reason = "the feature is at most `FULL_FEATURE`"
)]
fn share(count: u32, most: u32) -> i32 {
    (count.min(most) * FULL_FEATURE as u32 / most) as i32
}

/// Returns a feature that is full for the last message and falls to 0 at `messages` before it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the feature is at most `FULL_FEATURE`"
)]
fn nearness(age: usize, messages: usize) -> i32 {
    (messages.saturating_sub(age) * FULL_FEATURE as usize / messages) as i32
}

/// The rank and the index of a reference, packed into a number that is compared at once. Lower is
/// better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ReferenceRank(u64);

impl ReferenceRank {
    /// Number of bits of the index.
    const INDEX_BITS: u32 = 31;

    fn new(is_proven: bool, worth: i32, index: usize) -> Self {
        // With the sign bit flipped, negative numbers sort below the others.
        let worth = worth.saturating_neg().cast_unsigned() ^ (1 << 31);
        Self(u64::from(!is_proven) << 63 | u64::from(worth) << Self::INDEX_BITS | index as u64)
    }

    fn index(self) -> usize {
        (self.0 & ((1 << Self::INDEX_BITS) - 1)) as usize
    }
}

/// `ln(1 + n) / 3` of a count, at most 1, as a feature.
const LOGARITHM: [i32; 21] = [
    0, 15, 23, 30, 34, 38, 42, 44, 47, 49, 51, 53, 55, 56, 58, 59, 60, 62, 63, 64, 64,
];
/// Half the logarithm of the tokens with a separator, in thousandths: the worth of a reference is
/// its probability by the square root of its tokens.
const COST: [i32; 31] = [
    0, 347, 549, 693, 805, 896, 973, 1040, 1099, 1151, 1199, 1242, 1282, 1320, 1354, 1386, 1417,
    1445, 1472, 1498, 1522, 1546, 1568, 1589, 1609, 1629, 1648, 1666, 1684, 1701, 1717,
];

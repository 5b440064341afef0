//! Ranks references by how likely the agent will need them again.

use super::places::{IN_ASSISTANT_TEXT, IN_CALL, IN_RESULT, IN_USER_TEXT};
use super::references::{Reference, References};
use super::shell_files::DEVICES;
use super::weights::{FULL_FEATURE, Features, PROSE_WEIGHTS, RECORD_WEIGHTS, Weights};
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::identifier_kinds::{CODE, NUMBER, OTHER, PATH, QUOTED, WORDS};
use crate::summary::extract::lexicon::argument_names::{
    COMMAND_KEYS, NEW_TEXT_KEYS, OLD_TEXT_KEYS, OWNED_KEYS, PASSING_KEYS, PERSONAL_COLUMNS,
    TEXT_KEYS,
};
use crate::summary::extract::lexicon::identifier_words::KNOWN_ACRONYMS;
use crate::summary::extract::lexicon::sentence_words::SENTENCE_OPENERS;

impl<'r> References<'r> {
    /// Returns the indices of the best `limit` references that are not told elsewhere, best first, of
    /// those that `floor` lets in.
    /// References that proved useful since an earlier summary kept them go first. `count` returns
    /// the tokens of a text.
    pub(crate) fn ranked_indices(
        &self,
        limit: usize,
        floor: ReferenceFloor,
        count: &dyn Fn(&str) -> usize,
    ) -> Vec<usize> {
        let least = match floor {
            ReferenceFloor::Likely if !self.holds_records => LEAST_LIKELY_ODDS,
            ReferenceFloor::Likely | ReferenceFloor::Any => LEAST_ODDS,
        };
        let untold = self.all.iter().enumerate().filter(|(at, reference)| {
            !reference.is_told
                && (reference.is_proven
                    || (reference.odds >= least && !self.is_noise(*at, reference)))
        });
        let mut ranks: Vec<ReferenceRank> = untold
            .map(|(at, reference)| {
                let tokens = reference.tokens(count).min(COST.len() - 1);
                let worth = reference.odds - COST[tokens];
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

    /// Returns true for what nobody goes on from: what a shell or an editor is told on the way, and
    /// in prose and code bare numbers, shouted words and how much of a file was asked for.
    fn is_noise(&self, at: usize, reference: &Reference<'_>) -> bool {
        if is_noise(reference.text) {
            return true;
        }
        let by_user = reference.places & IN_USER_TEXT != 0;
        let by_assistant = reference.places & IN_ASSISTANT_TEXT != 0;
        let key = self.key_name(reference);
        if reference.text.ends_with('.') {
            return true;
        }
        let is_number = reference.kinds & !OTHER == NUMBER && !by_user;
        if self.holds_records {
            // The name of a column says nothing without its values, nor does a price without its record.
            let is_bare = reference.key == 0
                && reference.kinds & CODE == 0
                && self.owners.owner_of(at).is_none();
            let is_owned = OWNED_KEYS.contains(&key);
            return !by_user
                && (PERSONAL_COLUMNS.contains(&key)
                    || is_owned
                    || self.is_key(reference.text)
                    || self.owners.names_columns(reference.text))
                || is_bare && !self.owners.is_empty()
                || is_number && reference.places & IN_CALL == 0 && !self.owners.is_empty();
        }
        if !by_user && PERSONAL_COLUMNS.contains(&key) {
            return true;
        }
        // A currency that a call names is no word of a command.
        let is_argument = reference.key_from_call
            && !key.is_empty()
            && ![TEXT_KEYS, OLD_TEXT_KEYS, NEW_TEXT_KEYS, COMMAND_KEYS]
                .iter()
                .any(|keys| keys.contains(&key));
        // A line number of the user's or of a command is where to look; one of a listing says nothing.
        let is_bare_number = is_number && !reference.key_from_call;
        // `JSON`, `*.py` and how much of a file was asked for say nothing, whoever names them.
        is_bare_number
            || KNOWN_ACRONYMS.contains(&reference.text)
            || (!by_user && !by_assistant && !is_argument && is_shouted(reference.text))
            || [TEXT_KEYS, OLD_TEXT_KEYS, NEW_TEXT_KEYS]
                .iter()
                .any(|keys| keys.contains(&reference.text))
            || is_pattern(reference.text)
            || PASSING_KEYS.contains(&key)
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
            if SummaryRule::Crowding.is_off() {
                0
            } else {
                crowding(reference.company)
            },
            share(reference.spoken, 4),
            flag(is_shouted(reference.text)),
            flag(is_inner_capital(reference.text)),
            if reference.last_call == 0 {
                0
            } else {
                nearness(self.message_count - reference.last_call as usize, 20)
            },
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

    /// Weighs all references. Called when all of the conversation was read. `holds_records` is true
    /// if most of its results are records.
    pub(crate) fn weigh(&mut self, holds_records: bool) {
        self.close_message();
        self.count_key_usage();
        self.holds_records = holds_records;
        let weights = if holds_records {
            &RECORD_WEIGHTS
        } else {
            &PROSE_WEIGHTS
        };
        for at in 0..self.all.len() {
            // Nobody asks for the odds of what stands elsewhere.
            if !self.all[at].is_told {
                self.all[at].odds = self.odds_of(&self.all[at], weights);
            }
        }
    }

    /// Returns the probability that a text is needed again, in ten thousandths. 0 if it is no
    /// reference, or if a message that stays names it.
    pub(crate) fn chance_of(&self, text: &str) -> i32 {
        self.index_of(text).map_or(0, |at| self.chance_at(at))
    }

    /// Returns the probability that a reference is needed again, in ten thousandths.
    pub(crate) fn chance_at(&self, at: usize) -> i32 {
        let reference = &self.all[at];
        if reference.is_told {
            return 0;
        }
        let odds = reference.odds.clamp(-CHANCE_ODDS, CHANCE_ODDS - 1);
        CHANCES[((odds + CHANCE_ODDS) / CHANCE_STEP).cast_unsigned() as usize]
    }

    /// Returns the log odds that the reference is needed, in thousandths.
    fn odds_of(&self, reference: &Reference<'r>, weights: &Weights) -> i32 {
        let score: i32 = self
            .features_of(reference)
            .iter()
            .zip(weights.features)
            .map(|(feature, weight)| feature * weight)
            .sum();
        score / FULL_FEATURE + weights.base
    }
}

/// The logistic function of the log odds from `-CHANCE_ODDS` on, in steps of `CHANCE_STEP`, in ten
/// thousandths.
const CHANCES: [i32; 32] = [
    4, 7, 12, 19, 32, 52, 86, 141, 230, 373, 601, 953, 1480, 2227, 3208, 4378, 5622, 6792, 7773,
    8520, 9047, 9399, 9627, 9770, 9859, 9914, 9948, 9968, 9981, 9988, 9993, 9996,
];
const CHANCE_ODDS: i32 = 8000;
const CHANCE_STEP: i32 = 500;

/// The references that may be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceFloor {
    /// In prose and code those that are needed with a probability of at least 2 %.
    Likely,
    /// All that are worth any room: nothing else would stand in their place.
    Any,
}

/// The log odds below which a reference is not worth its room, and below which it is not likely.
const LEAST_ODDS: i32 = -6500;
const LEAST_LIKELY_ODDS: i32 = -3900;

/// Returns the feature of the company of a reference: a name that stood in a short message once is
/// worth more than the thousandth of a listing. The logarithm, full from about a thousand on.
fn crowding(company: u32) -> i32 {
    let company = company.clamp(1, 1 << MOST_DOUBLINGS);
    let doublings = company.ilog2();
    // Between the powers of two, a straight line is near enough.
    let rest = ((company - (1 << doublings)) * FULL_FEATURE.cast_unsigned()) >> doublings;
    (doublings.cast_signed() * FULL_FEATURE + rest.cast_signed()) / MOST_DOUBLINGS.cast_signed()
}

/// The logarithm to base 2 of the company from which on the feature is full.
const MOST_DOUBLINGS: u32 = 10;

/// Returns true for what a shell or an editor is told on the way: `-lc`, `1,200p`, and for the end of a
/// sentence with the beginning of the next: `list.So`.
fn is_noise(text: &str) -> bool {
    if let Some((_, word)) = text.rsplit_once('.')
        && SENTENCE_OPENERS.contains(&word)
    {
        return true;
    }
    let is_option = text.strip_prefix('-').is_some_and(|name| {
        name.len() <= LONGEST_OPTION && name.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    let is_line_range = text.strip_suffix('p').is_some_and(|range| {
        range.contains(',')
            && range
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b',')
    });
    let is_interpreter = text.starts_with("/usr/bin/env");
    is_option
        || is_line_range
        || is_interpreter
        || text.starts_with(DEVICES)
        || is_style_value(text)
}

/// Returns true for a length or a time of a style sheet: `1.5rem`, `260px`, `0.3s`.
fn is_style_value(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() < text.len() && STYLE_UNITS.contains(&unit)
}

/// Units of style sheets.
const STYLE_UNITS: [&str; 9] = ["rem", "em", "px", "vh", "vw", "dvh", "fr", "s", "ms"];

/// Returns true for a name of letters with a capital inside: `fooBar`.
fn is_inner_capital(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && text
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Returns true for a pattern of file names, and for a name that every program has: `__init__`.
fn is_pattern(text: &str) -> bool {
    text.contains('*') || (text.starts_with("__") && text.ends_with("__"))
}

/// Returns true for a word in capital letters.
fn is_shouted(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Maximum length in bytes of an option of a shell that is no reference.
const LONGEST_OPTION: usize = 2;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_ranges_of_lines_are_noise() {
        assert!(is_noise("1.5rem") && is_noise("260px") && !is_noise("3px4"));
        assert!(is_noise("/dev/null") && is_noise("-lc") && is_noise("1,200p") && is_noise("-n"));
        assert!(!is_noise("--fail-under") && !is_noise("HAT175") && !is_noise("1,200"));
    }

    #[test]
    fn company_is_a_logarithm() {
        let features: Vec<i32> = [0, 1, 2, 32, 1024, u32::MAX]
            .into_iter()
            .map(crowding)
            .collect();
        assert_eq!(features, [0, 0, 6, 32, 64, 64]);
    }
}

//! References: what the agent may have to name again. Each is remembered with
//! where it was seen, and ranked by how likely it is to be needed.

use crate::summary::extract::facts::weights::{Features, ONE, WEIGHTS};
use crate::summary::extract::lex::identifier_kinds::{
    CODE, Kinds, NUMBER, OTHER, PATH, QUOTED, WORDS,
};
use crate::summary::extract::lex::value_keys::ValueKey;
use hashbrown::hash_map::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};

/// Where a reference was seen; bits.
pub(crate) type Places = u8;
/// In a tool argument.
pub(crate) const CALL: Places = 1;
/// In the user's words.
pub(crate) const USER: Places = 2;
/// In the assistant's words.
pub(crate) const ASSISTANT: Places = 4;
/// In a tool result.
pub(crate) const TOOL: Places = 8;

/// In an earlier summary; beside the place that it stands for.
pub(crate) const KEPT: Places = 16;
/// Where somebody speaks of something, and does not only see it.
const SPOKEN: Places = CALL | USER | ASSISTANT;

/// How often a key is looked for before the reference is taken to have none.
const MOST_SEARCHES: u8 = 3;

/// One reference.
#[derive(Debug)]
pub(crate) struct Reference<'r> {
    pub(crate) text: &'r str,
    /// Its key's number, from 1; 0 for none.
    pub(crate) key: u32,
    /// The first and the last message that named it.
    first: u32,
    last: u32,
    seen: u32,
    messages: u32,
    places: Places,
    kinds: Kinds,
    key_from_call: bool,
    searches: u8,
    /// An earlier summary kept it, and it was spoken of since.
    again: bool,
    /// What stays in the conversation, or stands in the summary already, names it.
    pub(crate) said: bool,
}

/// A key and how its values were used.
#[derive(Debug)]
struct KnownKey<'r> {
    key: ValueKey<'r>,
    values: u32,
    used: u32,
}

/// All references of a conversation.
#[derive(Debug)]
pub(crate) struct References<'r> {
    pub(crate) all: Vec<Reference<'r>>,
    index: HashTable<u32>,
    keys: Vec<KnownKey<'r>>,
    key_index: HashMap<ValueKey<'r>, u32>,
    hasher: DefaultHashBuilder,
    /// How many messages the conversation has.
    turns: usize,
    /// By message: how much of what stays it talks about.
    linked: Vec<f32>,
}

impl<'r> References<'r> {
    pub(crate) fn new(turns: usize) -> Self {
        Self {
            all: Vec::with_capacity(256),
            index: HashTable::with_capacity(256),
            keys: Vec::with_capacity(64),
            key_index: HashMap::with_capacity(64),
            hasher: DefaultHashBuilder::default(),
            turns,
            linked: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Notes that `text` was seen in message `turn`. Its key is asked for only while it has none that will do.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "messages and references are far below 2^32"
    )]
    pub(crate) fn add(
        &mut self,
        text: &'r str,
        kinds: Kinds,
        turn: usize,
        place: Places,
        key: impl FnOnce() -> ValueKey<'r>,
    ) {
        let hash = hash_of(&self.hasher, text);
        let (all, hasher) = (&mut self.all, &self.hasher);
        let at = match self.index.find(hash, |&at| all[at as usize].text == text) {
            Some(&at) => at as usize,
            None => {
                let at = all.len();
                self.index.insert_unique(hash, at as u32, |&at| {
                    hash_of(hasher, all[at as usize].text)
                });
                all.push(Reference {
                    text,
                    key: 0,
                    first: turn as u32,
                    last: 0,
                    seen: 0,
                    messages: 0,
                    places: 0,
                    kinds,
                    key_from_call: false,
                    searches: 0,
                    again: false,
                    said: false,
                });
                at
            }
        };
        let reference = &mut all[at];
        if reference.seen == 0 || reference.last as usize != turn {
            reference.messages += 1;
        }
        reference.seen += 1;
        reference.last = turn as u32;
        reference.again |= reference.places & KEPT != 0 && place & KEPT == 0 && place & SPOKEN != 0;
        reference.places |= place;
        // A phrase that is also a code is a code.
        reference.kinds = if kinds & WORDS == 0 {
            (reference.kinds | kinds) & !WORDS
        } else {
            reference.kinds
        };
        // An argument's name is what the value will be asked for under; else the first name counts.
        let wanted = (reference.key == 0 && reference.searches < MOST_SEARCHES)
            || (place == CALL && !reference.key_from_call);
        if wanted {
            reference.searches += 1;
            let key = key();
            if !key.name.is_empty() {
                let number = Self::number(&mut self.keys, &mut self.key_index, key);
                reference.key = number;
                reference.key_from_call = place == CALL;
            }
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "there are fewer keys than bytes in memory"
    )]
    fn number(
        keys: &mut Vec<KnownKey<'r>>,
        index: &mut HashMap<ValueKey<'r>, u32>,
        key: ValueKey<'r>,
    ) -> u32 {
        match index.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                keys.push(KnownKey {
                    key,
                    values: 0,
                    used: 0,
                });
                *free.insert(keys.len() as u32)
            }
        }
    }

    fn find(&self, text: &str) -> Option<usize> {
        let hash = hash_of(&self.hasher, text);
        self.index
            .find(hash, |&at| self.all[at as usize].text == text)
            .map(|&at| at as usize)
    }

    /// Notes that the summary names `text` in another place.
    pub(crate) fn say(&mut self, text: &str) {
        if let Some(at) = self.find(text) {
            self.all[at].said = true;
        }
    }

    /// Notes that a message that stays names `text`: it needs no summary, and tells what the conversation is about now.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of messages are far below 2^23"
    )]
    pub(crate) fn stays(&mut self, text: &str) {
        let Some(at) = self.find(text) else { return };
        let reference = &mut self.all[at];
        if std::mem::replace(&mut reference.said, true) {
            return;
        }
        let turns = self.turns.max(1) as f32;
        let rare = ((turns + 1.0) / reference.messages as f32).ln() / (turns + 1.0).ln();
        self.linked.resize(self.turns, 0.0);
        self.linked[reference.last as usize] += rare;
        if reference.first != reference.last {
            self.linked[reference.first as usize] += rare;
        }
    }

    /// About how many bytes it takes to name all references.
    pub(crate) fn demand(&self) -> usize {
        let values: usize = self
            .all
            .iter()
            .filter(|reference| !reference.said)
            .map(|reference| reference.text.len() + 1)
            .sum();
        values
            + self
                .keys
                .iter()
                .map(|known| known.key.name.len() + 3)
                .sum::<usize>()
    }

    /// Some references, to see what they cost: the newest, in about so many bytes.
    pub(crate) fn sample(&self, bytes: usize) -> String {
        let mut sample = String::with_capacity(bytes);
        for reference in self.all.iter().rev().filter(|reference| !reference.said) {
            if sample.len() >= bytes {
                break;
            }
            sample.push_str(reference.text);
            sample.push(' ');
        }
        sample
    }

    /// How many keys there are.
    pub(crate) fn keys(&self) -> usize {
        self.keys.len()
    }

    /// The label of a reference's key.
    pub(crate) fn label(&self, key: u32) -> Option<Cow<'r, str>> {
        Some(self.keys.get((key as usize).checked_sub(1)?)?.key.label())
    }

    /// The best `limit` references that are not said elsewhere, best first. What an earlier summary kept and was
    /// needed since goes before all else: it has shown its worth. `count` tells what each costs, in tokens.
    pub(crate) fn ranked(&mut self, limit: usize, count: &dyn Fn(&str) -> usize) -> Vec<usize> {
        self.count_keys();
        let left = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, reference)| !reference.said);
        let mut ranks: Vec<ReferenceRank> = left
            .map(|(at, reference)| {
                ReferenceRank::new(
                    reference.again,
                    self.worth(reference, count(reference.text)),
                    at,
                )
            })
            .collect();
        if ranks.len() > limit {
            ranks.select_nth_unstable(limit);
            ranks.truncate(limit);
        }
        ranks.sort_unstable();
        ranks.into_iter().map(ReferenceRank::place).collect()
    }

    /// How many values each key has, and how many of them were used in calls.
    pub(crate) fn count_keys(&mut self) {
        self.keys
            .iter_mut()
            .for_each(|known| (known.values, known.used) = (0, 0));
        for reference in self.all.iter().filter(|reference| reference.key > 0) {
            let known = &mut self.keys[reference.key as usize - 1];
            known.values += 1;
            known.used += u32::from(reference.places & CALL != 0);
        }
    }

    /// What is known of a reference.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "counts of messages are far below 2^25"
    )]
    pub(crate) fn features(&self, reference: &Reference<'r>) -> Features {
        let flag = |condition: bool| i32::from(condition) * ONE;
        let seen = |place: Places| flag(reference.places & place != 0);
        let is = |kinds: Kinds| flag(reference.kinds & kinds != 0);
        let share = |count: u32, whole: u32| (count.min(whole) * ONE as u32 / whole) as i32;
        let age = self.turns - 1 - (reference.last as usize).min(self.turns - 1);
        let within =
            |messages: usize| (messages.saturating_sub(age) * ONE as usize / messages) as i32;
        let length = if reference.text.is_ascii() {
            reference.text.len()
        } else {
            reference.text.chars().count()
        } as u32;
        let linked = self
            .linked
            .get(reference.first as usize)
            .map_or(0.0, |first| first.max(self.linked[reference.last as usize]));
        let linked = ((linked * ONE as f32 / 2.0) as i32).min(ONE);
        let acted = reference.places & (CALL | USER) != 0;
        let known = self.keys.get((reference.key as usize).wrapping_sub(1));
        let used = known.map_or(0, |known| {
            (known.used * ONE as u32 / known.values.max(1)) as i32
        });
        [
            LOGARITHM[(reference.seen as usize).min(LOGARITHM.len() - 1)],
            ((reference.last as usize + 1) * ONE as usize / self.turns) as i32,
            seen(CALL),
            seen(USER),
            seen(ASSISTANT),
            seen(TOOL),
            share(reference.messages, 4),
            flag(reference.places == TOOL),
            is(PATH),
            is(CODE),
            is(NUMBER),
            is(QUOTED),
            is(OTHER),
            is(WORDS),
            within(4),
            within(10),
            within(30),
            flag(age == 0),
            share(length, 40),
            share(length.saturating_sub(12), 60),
            linked,
            if acted { linked } else { 0 },
            flag(reference.key > 0),
            flag(reference.key_from_call),
            used,
            flag(reference.first == 0),
            flag(reference.places == USER),
            flag(reference.seen == 1),
        ]
    }

    /// How likely the reference is to be needed, by what it costs: short ones go first.
    fn worth(&self, reference: &Reference<'r>, tokens: usize) -> i32 {
        let score: i32 = self
            .features(reference)
            .iter()
            .zip(WEIGHTS)
            .map(|(feature, weight)| feature * weight)
            .sum();
        score / ONE - COST[tokens.min(COST.len() - 1)]
    }
}

/// The hash of a reference: no texts follow one another in it, so nothing ends it.
fn hash_of(hasher: &DefaultHashBuilder, text: &str) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// A reference's rank and its place among all, in one number that is compared at once: lower is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ReferenceRank(u64);

impl ReferenceRank {
    /// Bits of the place.
    const PLACE: u32 = 31;

    fn new(again: bool, worth: i32, place: usize) -> Self {
        // The sign turned over, negative numbers are below the others.
        let worth = worth.saturating_neg().cast_unsigned() ^ (1 << 31);
        Self(u64::from(!again) << 63 | u64::from(worth) << Self::PLACE | place as u64)
    }

    fn place(self) -> usize {
        (self.0 & ((1 << Self::PLACE) - 1)) as usize
    }
}

/// `ln(1 + n) / 3` of a count, at most 1.
const LOGARITHM: [i32; 21] = [
    0, 15, 23, 30, 34, 38, 42, 44, 47, 49, 51, 53, 55, 56, 58, 59, 60, 62, 63, 64, 64,
];
/// Half the logarithm of tokens and one for what parts them, in thousandths (spec: summary, `p/√tokens`).
const COST: [i32; 31] = [
    0, 347, 549, 693, 805, 896, 973, 1040, 1099, 1151, 1199, 1242, 1282, 1320, 1354, 1386, 1417,
    1445, 1472, 1498, 1522, 1546, 1568, 1589, 1609, 1629, 1648, 1666, 1684, 1701, 1717,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::render::reference_groups::ReferenceGroups;

    fn quarter(text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }

    fn named(references: &mut References<'_>, chars: usize) -> String {
        let ranked = references.ranked(100, &|text| text.len() / 4);
        ReferenceGroups::new(references, &ranked).write(chars).0
    }

    #[test]
    fn a_key_is_paid_once() {
        let mut references = References::new(3);
        references.add("HAT175", CODE, 0, TOOL, || ValueKey::named("flight_number"));
        references.add("mia_li_3668", CODE, 1, USER, || ValueKey::NONE);
        references.add("HAT084", CODE, 1, TOOL, || ValueKey::named("flight_number"));
        references.add("mia_li_3668", 0, 2, CALL, || ValueKey::named("user_id"));
        assert_eq!(
            named(&mut references, 200),
            "user_id: mia_li_3668\nflight_number: HAT084 HAT175"
        );
        references.say("mia_li_3668");
        assert_eq!(named(&mut references, 200), "flight_number: HAT084 HAT175");
        assert!(quarter(&named(&mut references, 30)) <= 8);
    }

    #[test]
    fn the_recent_and_used_go_before_the_old_and_idle() {
        let old: Vec<String> = (0..40).map(|turn| format!("OLD{turn:03}")).collect();
        let mut references = References::new(50);
        for (turn, old) in old.iter().enumerate() {
            references.add(old, CODE, turn, TOOL, || ValueKey::named("code"));
        }
        references.add("NEW001", CODE, 48, CALL, || ValueKey::named("code"));
        assert_eq!(named(&mut references, 16), "code: NEW001");
    }

    #[test]
    fn what_stays_is_not_said_and_draws_its_company_along() {
        let mut references = References::new(20);
        for (text, turn) in [("ID_111", 3), ("ID_222", 3), ("ID_333", 4), ("ID_444", 4)] {
            references.add(text, CODE, turn, CALL, || ValueKey::named("id"));
        }
        references.stays("ID_111");
        assert!(named(&mut references, 200).starts_with("id: ID_222"));
        assert!(!named(&mut references, 200).contains("ID_111"));
    }
}

//! The features by which names and lines are weighed: numbers of about 0 to 1, in thousandths. Nothing
//! in them knows a tool, a domain or a language.

use super::weights::{FULL, LINE_FEATURES, NAME_FEATURES};
use crate::summary::extract::prelude::*;
use crate::summary::extract::session::glossary::{IN_GOAL, IN_NEWEST};
use crate::summary::extract::session::names::Speaker;
use crate::summary::extract::text::fixed::{ln, ln_count, probability};
use crate::summary::extract::text::shape::NAME_KINDS;

/// The features of a name, of a line.
pub(crate) type NameFeatures = [i32; NAME_FEATURES.len()];
pub(crate) type LineFeatures = [i32; LINE_FEATURES.len()];

/// What the features of all names and lines are measured against.
pub(crate) struct Measures<'s> {
    reading: &'s Reading<'s>,
    argument_keys: SymbolMap<()>,
    /// How often names of a key and of a kind were used, and how many there are.
    key_rates: SymbolMap<[u32; 2]>,
    kind_rates: [[u32; 2]; NAME_KINDS],
    /// How much of what the kept messages name is in each message, in thousandths.
    links: Vec<i32>,
}

/// The place of the first kind among the features of a name.
const FIRST_KIND: usize = 10;

fn flag(is_set: bool) -> i32 {
    if is_set { FULL } else { 0 }
}

/// Returns a share in thousandths.
fn share(part: usize, all: usize) -> i32 {
    (part * 1000).checked_div(all).unwrap_or_default() as i32
}

impl<'s> Measures<'s> {
    /// Measures a conversation.
    pub(crate) fn new(reading: &'s Reading<'s>) -> Self {
        let session = reading.session;
        let mut measures = Self {
            reading,
            argument_keys: SymbolMap::default(),
            key_rates: SymbolMap::default(),
            kind_rates: [[0; 2]; NAME_KINDS],
            links: vec![0; session.length],
        };
        for call in &session.calls {
            for (key, _) in call.members() {
                measures.argument_keys.insert(symbol_of(key), ());
            }
        }
        measures.measure_names();
        measures
    }

    fn measure_names(&mut self) {
        let reading = self.reading;
        let length = i64::try_from(reading.session.length + 1).unwrap_or(i64::MAX);
        let whole = ln(length * 1000).max(1);
        for name in &reading.glossary.names {
            let is_kept = reading.glossary.is_kept(name);
            if name.first_result.is_some() {
                let used = u32::from(name.used || is_kept);
                let rate = &mut self.kind_rates[name.kind as usize];
                *rate = [rate[0] + used, rate[1] + 1];
                if let Some(key) = name.key {
                    let rate = self.key_rates.entry(key.symbol).or_default();
                    *rate = [rate[0] + used, rate[1] + 1];
                }
            }
            if is_kept {
                let rarity =
                    (ln(length * 1000 / i64::from(name.messages.max(1))) * 500 / whole) as i32;
                for message in [name.first, name.last] {
                    if let Some(link) = self.links.get_mut(message as usize) {
                        *link = (*link + rarity).min(FULL);
                    }
                }
            }
        }
    }

    /// Returns the share of names that were used, with a prior for few.
    fn rate([used, all]: [u32; 2]) -> i32 {
        ((used * 1000 + 240) / (all + 4)) as i32
    }

    pub(crate) fn of_name(&self, name: &Name<'_>) -> NameFeatures {
        let all = self.reading.session.length;
        let word = self.reading.glossary.word(name.term);
        let said = |speaker: Speaker| name.said[speaker as usize] > 0;
        let in_result = said(Speaker::Result) || said(Speaker::FailedResult);
        let acted = said(Speaker::Call) || said(Speaker::User) || said(Speaker::Assistant);
        let away = all.saturating_sub(1 + name.last as usize);
        let folder = name
            .text
            .rsplit_once('/')
            .is_some_and(|(folder, _)| self.reading.glossary.keeps_folder(folder));
        let key = name.key.map(|key| key.symbol);
        let key_rate = key.and_then(|key| self.key_rates.get(&key)).copied().unwrap_or_default();
        let link = self.links.get(name.first as usize).max(self.links.get(name.last as usize));
        let known = [
            (ln_count(name.count as usize) / 3).min(FULL),
            (ln_count(name.messages as usize - 1) / 3).min(FULL),
            share(name.last as usize + 1, all),
            ln_count(away) / 4,
            share(name.first as usize + 1, all),
            flag(said(Speaker::Call)),
            flag(said(Speaker::User)),
            flag(said(Speaker::Assistant)),
            flag(in_result),
            flag(in_result && !acted),
            flag(key.is_some()),
            flag(away < 4),
            flag(away < 10),
            share(name.text.len(), 40).min(FULL),
            ln(i64::from(name.crowd.min(5000)) * 1000) as i32 / 5,
            ln(i64::from(name.line_crowd.min(200)) * 1000) as i32 / 3,
            flag(key.is_some_and(|key| self.argument_keys.contains_key(&key))),
            Self::rate(key_rate),
            Self::rate(self.kind_rates[name.kind as usize]),
            flag(word.flags & IN_GOAL != 0),
            flag(word.flags & IN_NEWEST != 0),
            flag(said(Speaker::FailedResult)),
            flag(folder),
            link.copied().unwrap_or_default(),
            flag(name.used),
        ];
        // The kinds are in between.
        let mut features = [0; NAME_FEATURES.len()];
        features[..FIRST_KIND].copy_from_slice(&known[..FIRST_KIND]);
        features[FIRST_KIND + NAME_KINDS..].copy_from_slice(&known[FIRST_KIND..]);
        features[FIRST_KIND + name.kind as usize] = FULL;
        features
    }

    /// Returns the probability of each name to be needed again, in millionths. What a kept message says
    /// is not needed.
    pub(crate) fn name_values(&self, weights: &Weights) -> Vec<i64> {
        let glossary = &self.reading.glossary;
        let value = |name: &Name<'_>| {
            if glossary.is_known(name) {
                return 0;
            }
            probability(weigh(&self.of_name(name), &weights.names))
        };
        glossary.names.iter().map(value).collect()
    }

    /// Returns the features of the line at a place. `values` are those of the names.
    pub(crate) fn of_line(
        &self,
        line: &Candidate<'_>,
        at: usize,
        terms: &TermsOfLines,
        values: &[i64],
    ) -> LineFeatures {
        let all = self.reading.session.length;
        let signs = &line.signs;
        let away = all.saturating_sub(1 + line.message);
        let said = terms.of(at);
        let words = terms.words(at).len();
        let names = terms.names(at);
        let worth = names.iter().map(|&place| values[place as usize]);
        let needed: i64 = worth.clone().sum();
        let most_needed = worth.max().unwrap_or_default();
        let text = LineShape::of(&line.text);
        let mut features = [0; LINE_FEATURES.len()];
        if (line.kind as usize) < 9 {
            features[line.kind as usize] = FULL;
        }
        if signs.is_earlier {
            features[Kind::Earlier as usize] = FULL;
        }
        let last = signs.of.max(1) - 1;
        let rest = [
            share(line.message + 1, all),
            ln_count(away) / 4,
            share(signs.number, signs.of.max(1)),
            share(last.saturating_sub(signs.number), signs.of.max(1)),
            flag(away < 4),
            flag(away < 10),
            ln_count(about_tokens(&line.text)) / 4,
            ln_count(names.len()) / 3,
            (needed / 1000).min(3000) as i32,
            (most_needed / 1000) as i32,
            ln_count(words) / 4,
            share(words - said.kept, words.max(1)),
            share(said.kept, words),
            share(said.in_goal, words),
            share(said.in_newest, words),
            (said.rarity / words.max(1) as i64) as i32,
            flag(text.has_slash),
            flag(text.has_number),
            share(text.marks, text.length),
            share(text.beyond_ascii, text.length),
            flag(text.is_question),
            i32::from(signs.binding) * FULL / 2,
            flag(signs.is_around),
            flag(signs.failed),
            flag(signs.changes),
            flag(signs.runs),
            share(signs.repeats, 3).min(FULL),
            flag(signs.tells),
            flag(signs.announces),
            flag(signs.is_code),
            flag(signs.is_newest),
            ln_count(signs.siblings.saturating_sub(1)) / 4,
            flag(signs.is_item),
            flag(signs.ends_turn),
            ln_count(signs.of) / 4,
        ];
        features[9..].copy_from_slice(&rest);
        features
    }
}

/// Returns about how many tokens a text has by any counter: what is learnt holds for all of them.
const fn about_tokens(text: &str) -> usize {
    text.len() / 4 + 1
}

/// What a byte of a line adds: 16 bits for marks and for bytes beyond ASCII, then digits and slashes. Lines
/// are far shorter than what the bits hold.
static COUNTS: [u64; 256] = {
    let mut counts = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        counts[byte] = c.is_ascii_punctuation() as u64
            + if c.is_ascii() { 0 } else { 1 << 16 }
            + if c.is_ascii_digit() { DIGIT } else { 0 }
            + if c == b'/' { 1 << 48 } else { 0 };
        byte += 1;
    }
    counts
};
const LANE: u64 = 0xffff;
const DIGIT: u64 = 1 << 32;
const SLASHES: u64 = LANE << 48;

/// What a line looks like.
#[derive(Default)]
struct LineShape {
    length: usize,
    marks: usize,
    beyond_ascii: usize,
    has_slash: bool,
    has_number: bool,
    is_question: bool,
}

impl LineShape {
    fn of(text: &str) -> Self {
        let mut shape = Self {
            length: text.len(),
            is_question: text.ends_with(['?', '？']),
            ..Self::default()
        };
        let (mut sum, mut before) = (0_u64, 0);
        for byte in text.bytes() {
            let counted = COUNTS[usize::from(byte)];
            sum += counted;
            shape.has_number |= counted & before & DIGIT != 0;
            before = counted;
        }
        shape.marks = (sum & LANE) as usize;
        shape.beyond_ascii = (sum >> 16 & LANE) as usize;
        shape.has_slash = sum & SLASHES != 0;
        shape
    }
}

/// Returns the weighted sum of features and the constant, in thousandths.
pub(crate) fn weigh<const N: usize>(features: &[i32; N], weights: &[i32]) -> i64 {
    let weighed = features.iter().zip(&weights[1..]);
    let sum: i64 = weighed.map(|(feature, weight)| i64::from(*feature) * i64::from(*weight)).sum();
    i64::from(weights[0]) + sum / 1000
}

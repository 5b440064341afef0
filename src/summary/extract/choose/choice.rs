//! What decides between two lines: the worth of each for a token. A line is worth what it names that
//! is likely needed again, and how many of its rare words are likely used later; what is in the
//! summary already is worth nothing a second time.
//!
//! The order in which lines are taken does not depend on the budget, which only says where it ends: what
//! a smaller budget says, a larger one says, too, perhaps in a longer line. The beginning of the order belongs to the requests and
//! to the constraints in fixed shares, until they have said what they have to say.

use super::features::{Measures, weigh};
use crate::summary::extract::prelude::*;
use crate::summary::extract::text::fixed::{exp_millionths, ln};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Returns the tokens of a text by the policy's counter.
pub(crate) type TokenCount<'c> = &'c dyn Fn(&str) -> usize;

/// The share in hundredths of what is spent that belongs to constraints, to the goal and to the newest
/// request, as long as these have anything to say.
const CONSTRAINT_SHARE: usize = 25;
const GOAL_SHARE: usize = 34;
const NEWEST_SHARE: usize = 26;
/// A request has said enough with this many different words.
const ENOUGH_WORDS: usize = 64;
/// Words of at least this rarity count as said.
const SAID_RARITY: i32 = 150;
/// What a name that is needed for certain is worth, in the currency of a word that is used later.
const NAME_WORTH: i64 = 4;
/// The tokens of the mark of a line and its end.
const MARK_TOKENS: usize = 2;
/// A line is taken as this much longer than it is, in tokens: many short lines are hard to read. Files
/// and names share a line.
const LINE_PRICE: i64 = 4;
const SHARED_LINE_PRICE: i64 = 1;
/// The power of tokens by which a line is paid, in thousandths, and the tokens of a usual line, for which
/// the power makes no difference.
const PRICE_POWER: i64 = 750;
const USUAL_TOKENS: i64 = 30;
/// Hardly any token of a line has more bytes.
const LONG_TOKEN: usize = 5;

/// A line in the order in which lines are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Its place among the candidates.
    pub line: usize,
    /// The tokens that it adds, with its heading if it is the first below it.
    pub tokens: usize,
}

/// The pools of lines: each line is in the last one, those with a share in another, too.
const POOLS: usize = 4;
const ALL_LINES: usize = 3;

/// An entry of a pool: what a line was worth for a token when it was looked at last, and the line. Of equal
/// lines the first goes before.
type Entry = (i64, Reverse<usize>);

/// Takes lines one after the other.
pub(crate) struct Chooser<'c, 's> {
    lines: &'c [Candidate<'s>],
    terms: &'c TermsOfLines,
    /// What each name is worth.
    values: &'c [i64],
    weights: &'c Weights,
    count: TokenCount<'c>,
    /// The tokens of each line that was counted, else 0. Counting takes long, and most lines are never
    /// looked at again.
    tokens: Vec<usize>,
    /// What each line costs, in thousandths of a token; of a line that was not counted rather too little.
    prices: Vec<i64>,
    /// How many words of each line are likely used later, in millionths.
    uses: Vec<i64>,
    pools: [BinaryHeap<Entry>; POOLS],
    is_taken: Vec<bool>,
    /// The words and names that are in the summary.
    told: Vec<bool>,
    named: Vec<bool>,
    opened: HashSet<(Kind, usize)>,
    spent: usize,
    spent_of: [usize; POOLS],
    said_of: [usize; POOLS],
}

impl<'c, 's> Chooser<'c, 's> {
    pub(crate) fn new(
        (lines, terms, values): (&'c [Candidate<'s>], &'c TermsOfLines, &'c [i64]),
        measures: &Measures<'_>,
        weights: &'c Weights,
        count: TokenCount<'c>,
    ) -> Self {
        let uses = lines.iter().enumerate().map(|(at, line)| {
            fixed_use(line).unwrap_or_else(|| {
                let features = measures.of_line(line, at, terms, values);
                exp_millionths(weigh(&features, &weights.lines).min(MOST_USED))
            })
        });
        let price = |line: &Candidate<'_>| price_of(line.kind, line.text.len() / LONG_TOKEN);
        Self {
            tokens: vec![0; lines.len()],
            prices: lines.iter().map(price).collect(),
            uses: uses.collect(),
            pools: Default::default(),
            is_taken: vec![false; lines.len()],
            told: vec![false; terms.count()],
            named: vec![false; values.len()],
            opened: HashSet::new(),
            spent: 0,
            spent_of: [0; POOLS],
            said_of: [0; POOLS],
            lines,
            terms,
            values,
            weights,
            count,
        }
    }

    /// Orders lines by what they are worth for a token, given those before them, until `enough` tokens. If
    /// `all_fit`, a line that goes beyond them is left out: what is in it may fit in a shorter one.
    pub(crate) fn order(mut self, enough: usize, all_fit: bool) -> Vec<Taken> {
        self.fill_pools();
        let mut order = Vec::new();
        while self.spent < enough
            && let Some(line) = self.next_line()
        {
            let tokens = self.cost(line);
            if all_fit && self.spent + tokens > enough {
                self.is_taken[line] = true;
                continue;
            }
            self.take(line, tokens);
            order.push(Taken { line, tokens });
        }
        order
    }

    fn fill_pools(&mut self) {
        let mut pools: [Vec<Entry>; POOLS] = Default::default();
        for (at, line) in self.lines.iter().enumerate() {
            let (density, pool) = (self.density(at), pool_of(line.kind));
            let entry = (density, Reverse(at));
            if density > 0 && pool != ALL_LINES {
                pools[pool].push(entry);
            }
            if density > 0 {
                pools[ALL_LINES].push(entry);
            }
        }
        self.pools = pools.map(BinaryHeap::from);
    }

    /// Returns what a line is worth for a thousand tokens, given what is in the summary.
    fn density(&self, at: usize) -> i64 {
        let kind = self.lines[at].kind;
        let names = self.terms.names(at).iter().map(|&place| place as usize);
        let names = names.filter(|&place| !self.named[place]);
        let names: i64 = names.map(|place| self.values[place]).sum();
        let mut used = self.uses[at];
        if !is_told_again(kind) && used != 0 {
            let words = self.terms.words(at).iter();
            let new = words.filter(|word| !self.told[word.number as usize]);
            let new: i64 = new.map(|word| i64::from(word.rarity)).sum();
            used = used * new / self.terms.of(at).rarity.max(1);
        }
        (used + names * NAME_WORTH) * self.weights.reader(kind) * 1000 / self.prices[at]
    }

    /// Returns the next line: that of a pool which has less than its share, else the best of all.
    fn next_line(&mut self) -> Option<usize> {
        let shares = [CONSTRAINT_SHARE, GOAL_SHARE, NEWEST_SHARE];
        for (pool, share) in shares.into_iter().enumerate() {
            let has_said_enough = pool > 0 && self.said_of[pool] >= ENOUGH_WORDS;
            if !has_said_enough
                && self.spent_of[pool] * 100 <= share * (self.spent + MARK_TOKENS)
                && let Some(line) = self.best_of(pool)
            {
                return Some(line);
            }
        }
        self.best_of(ALL_LINES)
    }

    /// Returns the best line of a pool. What a line is worth only falls, so that an entry that is still
    /// the best when looked at again is the best.
    fn best_of(&mut self, pool: usize) -> Option<usize> {
        while let Some((density, Reverse(line))) = self.pools[pool].pop() {
            if self.is_taken[line] {
                continue;
            }
            self.count_line(line);
            let now = self.density(line);
            let next = self.pools[pool].peek();
            let is_best = now >= density || next.is_none_or(|next| now >= next.0);
            match now {
                ..=0 => {}
                _ if is_best => return Some(line),
                _ => self.pools[pool].push((now, Reverse(line))),
            }
        }
        None
    }

    /// Counts a line that is looked at.
    fn count_line(&mut self, at: usize) {
        if self.tokens[at] == 0 {
            let line = &self.lines[at];
            let tokens = (self.count)(&line.text);
            self.tokens[at] = tokens + MARK_TOKENS;
            self.prices[at] = price_of(line.kind, tokens);
        }
    }

    /// Returns the tokens that a line adds, with its heading if it is the first below it.
    fn cost(&self, at: usize) -> usize {
        let line = &self.lines[at];
        let tokens = self.tokens[at];
        if self.opened.contains(&(line.kind, line.group)) {
            return tokens;
        }
        tokens + (self.count)(&line.heading) + heading_tokens(line.kind)
    }

    /// Takes a line that adds these tokens.
    fn take(&mut self, at: usize, tokens: usize) {
        let line = &self.lines[at];
        self.is_taken[at] = true;
        self.opened.insert((line.kind, line.group));
        let pool = pool_of(line.kind);
        for word in self.terms.words(at) {
            let was_told = std::mem::replace(&mut self.told[word.number as usize], true);
            self.said_of[pool] += usize::from(!was_told && word.rarity >= SAID_RARITY);
        }
        for &place in self.terms.names(at) {
            self.named[place as usize] = true;
        }
        self.spent += tokens;
        self.spent_of[pool] += if pool == ALL_LINES { 0 } else { tokens };
    }
}

/// Returns what a line costs, in thousandths of a token: long lines are cheaper by the token, because
/// what belongs together is worth more.
fn price_of(kind: Kind, tokens: usize) -> i64 {
    let tokens = (tokens + MARK_TOKENS) as i64;
    if kind == Kind::Reference || is_told_again(kind) {
        return (tokens + SHARED_LINE_PRICE) * 1000;
    }
    let price = ln((tokens + LINE_PRICE) * 1000) * PRICE_POWER
        + ln(USUAL_TOKENS * 1000) * (1000 - PRICE_POWER);
    exp_millionths(price / 1000) / 1000
}

/// Returns true for files: that one was written is worth telling, also where its name is there already.
const fn is_told_again(kind: Kind) -> bool {
    matches!(kind, Kind::Written | Kind::Read | Kind::Deleted)
}

/// Returns the pool with a share that a kind belongs to, else that of all lines.
const fn pool_of(kind: Kind) -> usize {
    match kind {
        Kind::Constraint => 0,
        Kind::Goal => 1,
        Kind::Newest => 2,
        _ => ALL_LINES,
    }
}

/// Returns the tokens of the heading that a kind has before its first line.
const fn heading_tokens(kind: Kind) -> usize {
    match kind {
        Kind::Finding => 6,
        Kind::Call => 12,
        Kind::Newest | Kind::Row | Kind::Written | Kind::Read | Kind::Deleted => 4,
        _ => 1,
    }
}

/// The logarithm of the most words of a line that are likely used later, in thousandths.
const MOST_USED: i64 = 2500;

/// Returns what a line is worth, in millionths, that is no sentence: a file or a step is worth what its
/// kind is, more if it is newer.
fn fixed_use(line: &Candidate<'_>) -> Option<i64> {
    match line.kind {
        Kind::Reference => Some(0),
        Kind::Written | Kind::Read | Kind::Deleted => {
            let of = line.signs.of.max(1) as i64;
            Some(400_000 + 600_000 * (line.signs.number as i64 + 1) / of)
        }
        Kind::Open => Some(1_000_000),
        _ => None,
    }
}

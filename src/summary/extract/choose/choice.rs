//! What decides between two lines: the worth of each for a token. A line is worth what it names that
//! is likely needed again, and how many of its rare words are likely used later; what stands in the
//! summary already is worth nothing a second time.
//!
//! The order in which lines are taken does not depend on the budget, which only says where it ends: what
//! a smaller budget says, a larger one says, too, perhaps in a longer line. The beginning of the order belongs to the requests and
//! to the constraints in fixed shares, until they have said what they have to say.

use super::candidate::{Candidate, Kind};
use super::features::{Measures, weigh};
use super::weights::Weights;
use crate::summary::extract::session::SymbolMap;
use crate::summary::extract::text::fixed::{exp_millionths, ln};
use hashbrown::HashMap;
use std::collections::BinaryHeap;

/// Returns the tokens of a text by the policy's counter.
pub(crate) type TokenCount<'c> = &'c dyn Fn(&str) -> usize;

/// The share in hundredths of what is spent that belongs to constraints, to the goal and to the newest
/// request, as long as these have anything to say.
const CONSTRAINT_SHARE: usize = 24;
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
const PRICE_POWER: i64 = 850;
const USUAL_TOKENS: i64 = 30;

/// A line in the order in which lines are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Its place among the candidates.
    pub line: usize,
    /// The tokens that it adds, with its heading if it is the first below it.
    pub tokens: usize,
}

/// The lines in the order in which they are taken.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// The lines.
    pub taken: Vec<Taken>,
    /// True if no line is left that is worth anything.
    pub has_all: bool,
}

/// Orders lines by what they are worth for a token, given those before them, until `enough` tokens.
pub(crate) fn order_lines(
    lines: &[Candidate<'_>],
    measures: &Measures<'_>,
    weights: &Weights,
    values: &[i64],
    enough: usize,
    count: TokenCount<'_>,
) -> Order {
    let mut chooser = Chooser::new(lines, measures, weights, values, count);
    let mut order = Order::default();
    let mut has_missed = false;
    while chooser.spent < enough {
        let Some(line) = chooser.next_line() else {
            order.has_all = !has_missed;
            break;
        };
        if chooser.spent + chooser.cost(line) > enough {
            // What stands in a line that does not fit may fit in a shorter one.
            chooser.is_taken[line] = true;
            has_missed = true;
            continue;
        }
        let tokens = chooser.take(line);
        order.taken.push(Taken { line, tokens });
    }
    order
}

/// The pools of lines: each line stands in the last one, those with a share in another, too.
const POOLS: usize = 4;
const ALL_LINES: usize = 3;

/// An entry of a pool: what a line was worth for a token when it was looked at last.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    density: i64,
    /// Of equal lines the first goes before.
    line: std::cmp::Reverse<usize>,
}

struct Chooser<'c, 's> {
    lines: &'c [Candidate<'s>],
    values: &'c [i64],
    weights: &'c Weights,
    tokens: Vec<usize>,
    /// How many words of each line are likely used later, times what a reader gains from them.
    uses: Vec<i64>,
    pools: [BinaryHeap<Entry>; POOLS],
    is_taken: Vec<bool>,
    told: SymbolMap<()>,
    named: Vec<bool>,
    opened: HashMap<(Kind, usize), ()>,
    spent: usize,
    spent_of: [usize; POOLS],
    said_of: [usize; POOLS],
    count: TokenCount<'c>,
}

impl<'c, 's> Chooser<'c, 's> {
    fn new(
        lines: &'c [Candidate<'s>],
        measures: &Measures<'_>,
        weights: &'c Weights,
        values: &'c [i64],
        count: TokenCount<'c>,
    ) -> Self {
        let tokens: Vec<usize> = lines
            .iter()
            .map(|line| count(&line.text) + MARK_TOKENS)
            .collect();
        let uses = lines
            .iter()
            .zip(&tokens)
            .map(|(line, &tokens)| expected_use(line, tokens, measures, weights, values));
        let mut chooser = Self {
            lines,
            values,
            weights,
            uses: uses.collect(),
            tokens,
            pools: Default::default(),
            is_taken: vec![false; lines.len()],
            told: SymbolMap::default(),
            named: vec![false; values.len()],
            opened: HashMap::new(),
            spent: 0,
            spent_of: [0; POOLS],
            said_of: [0; POOLS],
            count,
        };
        for (line, candidate) in lines.iter().enumerate() {
            let density = chooser.density(line);
            for pool in [pool_of(candidate.kind), ALL_LINES] {
                if density > 0 {
                    chooser.pools[pool].push(Entry {
                        density,
                        line: std::cmp::Reverse(line),
                    });
                }
            }
        }
        chooser
    }

    /// Returns what a line is worth for a thousand tokens, given what stands in the summary.
    fn density(&self, at: usize) -> i64 {
        let line = &self.lines[at];
        let names: i64 = line
            .names
            .iter()
            .filter(|&&place| !self.named[place as usize])
            .map(|&place| self.values[place as usize])
            .sum();
        if line.kind == Kind::Reference {
            return names * NAME_WORTH * self.weights.reader(line.kind) * 1000 / self.price(at);
        }
        let (mut all, mut new) = (0, 0);
        for word in &line.words {
            all += i64::from(word.rarity);
            new += if self.told.contains_key(&word.symbol) {
                0
            } else {
                i64::from(word.rarity)
            };
        }
        // That a file was written is worth telling, also where its name stands already.
        let is_file = matches!(line.kind, Kind::Written | Kind::Read | Kind::Deleted);
        let used = if is_file {
            self.uses[at]
        } else {
            self.uses[at] * new / all.max(1)
        };
        (used + names * NAME_WORTH) * self.weights.reader(line.kind) * 1000 / self.price(at)
    }

    /// Returns what a line costs, in thousandths of a token: long lines are cheaper by the token, because
    /// what belongs together is worth more.
    fn price(&self, at: usize) -> i64 {
        let shares_line = matches!(
            self.lines[at].kind,
            Kind::Reference | Kind::Written | Kind::Read | Kind::Deleted
        );
        let tokens = self.tokens[at] as i64;
        if shares_line {
            return (tokens + SHARED_LINE_PRICE) * 1000;
        }
        let price = ln((tokens + LINE_PRICE) * 1000) * PRICE_POWER
            + ln(USUAL_TOKENS * 1000) * (1000 - PRICE_POWER);
        exp_millionths(price / 1000) / 1000
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
        while let Some(Entry { density, line }) = self.pools[pool].pop() {
            if self.is_taken[line.0] {
                continue;
            }
            let now = self.density(line.0);
            if now >= density
                || self.pools[pool]
                    .peek()
                    .is_none_or(|next| now >= next.density)
            {
                if now > 0 {
                    return Some(line.0);
                }
            } else if now > 0 {
                self.pools[pool].push(Entry { density: now, line });
            }
        }
        None
    }

    /// Returns the tokens that a line adds, with its heading if it is the first below it.
    fn cost(&self, at: usize) -> usize {
        let line = &self.lines[at];
        if self.opened.contains_key(&(line.kind, line.group)) {
            return self.tokens[at];
        }
        self.tokens[at] + (self.count)(&line.heading) + heading_tokens(line.kind)
    }

    /// Takes a line. Returns the tokens that it adds.
    fn take(&mut self, at: usize) -> usize {
        let tokens = self.cost(at);
        let line = &self.lines[at];
        self.is_taken[at] = true;
        self.opened.insert((line.kind, line.group), ());
        let pool = pool_of(line.kind);
        for word in &line.words {
            let is_new = self.told.insert(word.symbol, ()).is_none();
            self.said_of[pool] += usize::from(is_new && word.rarity >= SAID_RARITY);
        }
        for &place in &line.names {
            self.named[place as usize] = true;
        }
        self.spent += tokens;
        self.spent_of[pool] += if pool == ALL_LINES { 0 } else { tokens };
        tokens
    }
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

/// Returns how many words of a line are likely used later, in millionths. Files and steps are no
/// sentences: for them it is what their kind is worth, more for newer ones.
fn expected_use(
    line: &Candidate<'_>,
    tokens: usize,
    measures: &Measures<'_>,
    weights: &Weights,
    values: &[i64],
) -> i64 {
    match line.kind {
        Kind::Reference => 0,
        Kind::Written | Kind::Read | Kind::Deleted => {
            let of = line.signs.of.max(1) as i64;
            400_000 + 600_000 * (line.signs.number as i64 + 1) / of
        }
        Kind::Open | Kind::Done => 1_000_000,
        _ => {
            exp_millionths(weigh(&measures.of_line(line, tokens, values), &weights.lines).min(2500))
        }
    }
}

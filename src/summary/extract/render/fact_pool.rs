//! Chooses the facts that a budget has room for.

use super::fact_candidates::FactCandidates;
use super::token_budget::TokenCount;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::current_records::CURRENT_WORTH;
use crate::summary::extract::facts::fact::{Fact, FactKind};
use crate::summary::extract::facts::references::References;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// What a fact is worth for its tokens.
struct FactWeights {
    /// The weight of its own worth, in hundredths.
    worth: i32,
    /// The weight of the chances of its references, in hundredths. A fact says how its references
    /// belong together.
    chances: i32,
    /// Tokens that are added to its cost, so that short facts are not always the best.
    cost_offset: i32,
}

/// The weights where results are records: rows hold the references.
const RECORD_WEIGHTS: FactWeights = FactWeights {
    worth: 30,
    chances: 200,
    cost_offset: 300,
};
/// The weights where results are prose and code: what was done counts for itself.
const PROSE_WEIGHTS: FactWeights = FactWeights {
    worth: 100,
    chances: 45,
    cost_offset: 90,
};
/// The parts of a token's worth that tell facts apart.
const DENSITY_PARTS: i32 = 64;
/// Tokens of a reference besides its text: a blank, and its share of a key.
const REFERENCE_TOKENS: usize = 2;
/// The chance of a reference, in ten thousandths, from which on it competes with facts. Less likely
/// ones have what the facts and the requests leave.
const LEAST_CHANCE: i32 = 50;
/// Tokens of the heading of a list.
const HEADING_TOKENS: usize = 10;

/// The facts of a conversation, and those that are chosen.
#[derive(Clone)]
pub(crate) struct FactPool {
    pub(super) all: Rc<FactCandidates>,
    pub(super) is_chosen: Vec<bool>,
    /// The facts that stand in their longer form.
    is_long: Vec<bool>,
    is_heading_chosen: Vec<bool>,
    /// The kinds of which a fact is chosen, so that the heading of their list is paid.
    open_lists: Vec<FactKind>,
    /// The references that the chosen facts name.
    is_told: Vec<bool>,
}

/// Facts that may be chosen, by the worth of a token of each when it was last looked at.
type FactQueue = BinaryHeap<(i32, Reverse<usize>)>;

impl FactPool {
    /// Collects the facts that a budget of `budget` tokens could hold. None is chosen.
    pub(crate) fn collect(
        facts: &mut ConversationFacts<'_>,
        budget: usize,
        count: TokenCount<'_>,
    ) -> Self {
        let all = FactCandidates::collect(facts, budget, count);
        Self {
            is_chosen: vec![false; all.facts.len()],
            is_long: vec![false; all.facts.len()],
            is_heading_chosen: vec![false; all.headings.len()],
            open_lists: Vec::new(),
            is_told: vec![false; facts.references.all.len()],
            all: Rc::new(all),
        }
    }

    /// Returns true if no fact is chosen.
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_chosen.contains(&true)
    }

    /// Returns true if most results of the conversation are records.
    pub(crate) fn is_tabular(&self) -> bool {
        self.all.is_tabular
    }

    /// Chooses the facts of some kinds that are worth most for their tokens, as long as they fit in
    /// `tokens` tokens. Returns the tokens that they cost.
    pub(crate) fn choose(
        &mut self,
        kinds: &[FactKind],
        tokens: usize,
        references: &References<'_>,
    ) -> usize {
        let mut queue = self.open_facts(kinds, references);
        let mut used = 0;
        while let Some((_, at)) = self.next_fact(&mut queue, tokens - used, references) {
            used += self.cost_of(at);
            self.add(at, &mut queue, references);
        }
        used
    }

    /// Chooses the last call, if it costs at most `tokens` tokens: the agent goes on from it. Returns
    /// the tokens that it costs.
    pub(crate) fn choose_last_call(&mut self, tokens: usize) -> usize {
        let is_last =
            |fact: &Fact| fact.kind == FactKind::Call && Some(fact.order) == self.all.last_order;
        let Some(last) = self.all.facts.iter().position(is_last) else {
            return 0;
        };
        // It stands in the final state, not below the heading of the calls.
        let cost = self.all.costs[last];
        if self.is_chosen[last] || cost > tokens {
            return 0;
        }
        self.is_chosen[last] = true;
        for &reference in &self.all.named[last] {
            self.is_told[reference] = true;
        }
        cost
    }

    /// Chooses the calls that go before all others, the newest first, as long as they fit in
    /// `tokens` tokens. Returns the tokens that they cost.
    pub(crate) fn choose_pinned(&mut self, tokens: usize, references: &References<'_>) -> usize {
        let mut pinned = self.pinned(|fact| fact.kind == FactKind::Call);
        pinned.sort_by_key(|at| Reverse(self.all.facts[*at].order));
        self.choose_in_order(&pinned, tokens, references)
    }

    /// Chooses the whole record that the agent is at work on, if it costs at most `tokens` tokens. Returns the
    /// tokens that it costs.
    pub(crate) fn choose_current_record(
        &mut self,
        tokens: usize,
        references: &References<'_>,
    ) -> usize {
        let pinned = self.pinned(|fact| fact.kind == FactKind::Record && is_current(fact));
        self.choose_in_order(&pinned, tokens, references)
    }

    /// Chooses the records that were asked for one by one, each in its shortest form, as long as they fit in
    /// `tokens` tokens: first what the agent is at work on, then those that cost least. Returns the tokens
    /// that they cost.
    pub(crate) fn choose_thin_records(
        &mut self,
        tokens: usize,
        references: &References<'_>,
    ) -> usize {
        let kinds = [FactKind::ShortRecord, FactKind::Record];
        let mut thin = self.pinned(|fact| kinds.contains(&fact.kind));
        thin.sort_by_key(|&at| (!is_current(&self.all.facts[at]), self.all.costs[at]));
        self.choose_in_order(&thin, tokens, references)
    }

    /// Returns the pinned facts that are not chosen and that `is_wanted`.
    fn pinned(&self, is_wanted: impl Fn(&Fact) -> bool) -> Vec<usize> {
        let facts = self.all.facts.iter().enumerate();
        let wanted = facts.filter(|(at, fact)| {
            fact.is_pinned
                && is_wanted(fact)
                && !self.is_chosen[*at]
                && !self.is_told_otherwise(*at)
        });
        wanted.map(|(at, _)| at).collect()
    }

    /// Chooses facts in their order, each that fits in what is left of `tokens` tokens. Returns the tokens that
    /// they cost.
    fn choose_in_order(
        &mut self,
        facts: &[usize],
        tokens: usize,
        references: &References<'_>,
    ) -> usize {
        let mut used = 0;
        for &at in facts {
            let cost = self.cost_of(at);
            if used + cost <= tokens {
                used += cost;
                self.add(at, &mut FactQueue::new(), references);
            }
        }
        used
    }

    /// Writes the records as a whole of which the short form is chosen, those worth most first, as long as that
    /// costs at most `tokens` tokens more. Returns the tokens that it costs.
    pub(crate) fn widen_records(&mut self, tokens: usize, references: &References<'_>) -> usize {
        let is_short =
            |at: &usize| self.is_chosen[*at] && self.all.facts[*at].kind == FactKind::ShortRecord;
        let mut short: Vec<usize> = (0..self.all.facts.len()).filter(is_short).collect();
        short.sort_by_key(|&at| Reverse(self.density_of(at - 1, references)));
        let mut used = 0;
        for at in short {
            let more = self.all.costs[at - 1].saturating_sub(self.all.costs[at]);
            if used + more <= tokens {
                used += more;
                self.is_chosen[at] = false;
                self.add(at - 1, &mut FactQueue::new(), references);
            }
        }
        used
    }

    /// Writes chosen facts in their longer form, those worth most first, as long as that costs at most `tokens`
    /// tokens more. Returns the tokens that it costs.
    pub(crate) fn lengthen(&mut self, tokens: usize, count: TokenCount<'_>) -> usize {
        let has_more =
            |at: &usize| self.is_chosen[*at] && !self.is_long[*at] && self.has_longer(*at);
        let mut short: Vec<usize> = (0..self.all.facts.len()).filter(has_more).collect();
        short.sort_by_key(|&at| Reverse(self.all.facts[at].worth));
        let mut used = 0;
        for at in short {
            let longer = self.all.facts[at].longer.as_deref().unwrap_or_default();
            let more = count(longer).saturating_sub(count(&self.all.facts[at].text));
            if used + more <= tokens {
                used += more;
                self.is_long[at] = true;
            }
        }
        used
    }

    fn has_longer(&self, at: usize) -> bool {
        self.all.facts[at].longer.is_some()
    }

    /// Returns the text of a fact in the form that was chosen.
    pub(super) fn text_of(&self, at: usize) -> &str {
        let fact = &self.all.facts[at];
        let longer = fact.longer.as_deref().filter(|_| self.is_long[at]);
        longer.unwrap_or(&fact.text)
    }

    /// Chooses facts and references that are worth most for their tokens, as long as they fit in
    /// `tokens` tokens together. `ranked` holds references, best first. Returns the tokens that the
    /// references cost.
    pub(crate) fn choose_beside_references(
        &mut self,
        kinds: &[FactKind],
        tokens: usize,
        references: &References<'_>,
        ranked: &[usize],
        count: TokenCount<'_>,
    ) -> usize {
        let mut queue = self.open_facts(kinds, references);
        let is_likely =
            |at: &usize| references.all[*at].is_proven || references.chance_at(*at) >= LEAST_CHANCE;
        let mut ranked = ranked.iter().copied().filter(is_likely).peekable();
        let (mut used, mut listed) = (0, 0);
        loop {
            while ranked.next_if(|&at| self.is_told[at]).is_some() {}
            let fact = self.next_fact(&mut queue, tokens - used, references);
            let reference = ranked.peek().map(|&at| {
                let cost = references.all[at].tokens(count) + REFERENCE_TOKENS;
                let chance = references.chance_at(at);
                (
                    at,
                    cost,
                    density(chance, i32::try_from(cost).unwrap_or(i32::MAX)),
                )
            });
            match (fact, reference) {
                (Some((density, at)), reference)
                    if reference.is_none_or(|(_, _, other)| density >= other) =>
                {
                    used += self.cost_of(at);
                    self.add(at, &mut queue, references);
                }
                (fact, Some((at, cost, _))) => {
                    ranked.next();
                    if used + cost > tokens {
                        return listed;
                    }
                    used += cost;
                    listed += cost;
                    self.is_told[at] = true;
                    queue.extend(fact.map(|(density, at)| (density, Reverse(at))));
                }
                (Some(_) | None, None) => return listed,
            }
        }
    }

    /// Returns the facts of some kinds that are not chosen.
    fn open_facts(&self, kinds: &[FactKind], references: &References<'_>) -> FactQueue {
        (0..self.all.facts.len())
            .filter(|&at| !self.is_chosen[at] && kinds.contains(&self.all.facts[at].kind))
            .map(|at| (self.density_of(at, references), Reverse(at)))
            .collect()
    }

    /// Takes the fact that is worth most for its tokens among those that cost at most `room`.
    /// Returns it with the worth of a token.
    fn next_fact(
        &self,
        queue: &mut FactQueue,
        room: usize,
        references: &References<'_>,
    ) -> Option<(i32, usize)> {
        loop {
            let (density, Reverse(at)) = queue.pop()?;
            if self.is_chosen[at] || self.is_told_otherwise(at) || self.cost_of(at) > room {
                continue;
            }
            // Facts share references, so what is left of the worth is counted anew.
            let current = self.density_of(at, references);
            if current == density {
                return Some((density, at));
            }
            queue.push((current, Reverse(at)));
        }
    }

    /// Returns true if the other form of a record is chosen, or another fact that tells the same edit.
    fn is_told_otherwise(&self, at: usize) -> bool {
        let is_short = |at: usize| {
            let fact = self.all.facts.get(at);
            fact.is_some_and(|fact| fact.kind == FactKind::ShortRecord)
        };
        match self.all.facts[at].kind {
            FactKind::Record => is_short(at + 1) && self.is_chosen[at + 1],
            FactKind::ShortRecord => self.is_chosen[at - 1],
            _ => self.all.twins[at].iter().any(|&twin| self.is_chosen[twin]),
        }
    }

    /// Chooses a fact. Facts of `queue` that share a heading with it become cheaper.
    fn add(&mut self, at: usize, queue: &mut FactQueue, references: &References<'_>) {
        self.is_chosen[at] = true;
        let all = Rc::clone(&self.all);
        for &reference in &all.named[at] {
            self.is_told[reference] = true;
        }
        let fact = &all.facts[at];
        if let Some(heading) = fact.heading
            && !self.is_heading_chosen[heading]
        {
            self.is_heading_chosen[heading] = true;
            self.push_again(all.rows[heading].iter().copied(), queue, references);
        }
        if self.opens_list(fact.kind) {
            self.open_lists.push(fact.kind);
            let same_kind = (0..all.facts.len()).filter(|&at| all.facts[at].kind == fact.kind);
            self.push_again(same_kind, queue, references);
        }
    }

    fn push_again(
        &self,
        facts: impl Iterator<Item = usize>,
        queue: &mut FactQueue,
        references: &References<'_>,
    ) {
        queue.extend(
            facts
                .filter(|&at| !self.is_chosen[at])
                .map(|at| (self.density_of(at, references), Reverse(at))),
        );
    }

    /// Returns true if the first fact of a kind needs the heading of their list.
    fn opens_list(&self, kind: FactKind) -> bool {
        let stands_in_list = matches!(
            kind,
            FactKind::Call
                | FactKind::Finding
                | FactKind::Definition
                | FactKind::Outline
                | FactKind::Passage
        );
        stands_in_list && !self.open_lists.contains(&kind)
    }

    /// Returns the tokens that a fact costs, with the heading that it needs.
    fn cost_of(&self, at: usize) -> usize {
        let fact = &self.all.facts[at];
        let heading = fact.heading.filter(|&at| !self.is_heading_chosen[at]);
        self.all.costs[at]
            + heading.map_or(0, |at| self.all.heading_costs[at])
            + if self.opens_list(fact.kind) {
                HEADING_TOKENS
            } else {
                0
            }
    }

    fn weights(&self) -> &'static FactWeights {
        if self.all.is_tabular {
            &RECORD_WEIGHTS
        } else {
            &PROSE_WEIGHTS
        }
    }

    /// Returns the worth of a token of a fact: its own, and that of the references that nothing
    /// else names.
    fn density_of(&self, at: usize, references: &References<'_>) -> i32 {
        let fact = &self.all.facts[at];
        let weights = self.weights();
        let own = fact.worth * weights.worth / 100;
        let chances: i32 = self.all.named[at]
            .iter()
            .filter(|&&reference| !self.is_told[reference])
            .map(|&reference| references.chance_at(reference))
            .sum();
        let cost = i32::try_from(self.cost_of(at)).unwrap_or(i32::MAX);
        density(
            own + chances * weights.chances / 100,
            cost.saturating_add(weights.cost_offset),
        )
    }

    /// Returns the sum of the chances of all references that the choice names.
    pub(crate) fn coverage(&self, references: &References<'_>) -> i32 {
        (0..self.is_told.len())
            .filter(|&at| self.is_told[at])
            .map(|at| references.chance_at(at))
            .sum()
    }

    /// Takes back the longer form that is worth least, else the chosen fact that is worth least. Returns false
    /// if there is none.
    pub(crate) fn drop_least(&mut self) -> bool {
        let worth = |at: &usize| self.all.facts[*at].worth;
        let all = 0..self.all.facts.len();
        if let Some(at) = all.clone().filter(|&at| self.is_long[at]).min_by_key(worth) {
            self.is_long[at] = false;
            return true;
        }
        let least = all.filter(|&at| self.is_chosen[at]).min_by_key(worth);
        if let Some(at) = least {
            self.is_chosen[at] = false;
        }
        least.is_some()
    }
}

/// Returns true for a record that the agent is at work on.
fn is_current(fact: &Fact) -> bool {
    fact.worth >= CURRENT_WORTH
}

/// Returns the worth of a token of what is worth `worth` and costs `tokens`.
fn density(worth: i32, tokens: i32) -> i32 {
    worth.saturating_mul(DENSITY_PARTS) / tokens
}

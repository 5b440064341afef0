//! Stage prune on a growing list: results are cleared once and stay cleared.
//!
//! Stage prune by the number of results, on a growing list. Every call begins anew, but what may be
//! cleared only becomes more: the results cleared for a call are the first of all that ever may be.

use crate::deciding::planner::clear_by_number::{ClearCount, PruneState};
use crate::deciding::planner::meter::numbered_results::{ClearableResult, ListChange};
use crate::deciding::planner::meter::sums::{ClearedResult, Meter, Reach};
use crate::deciding::planner::prelude::*;
use crate::deciding::strategy::clear::old_ordinals;
use crate::deciding::strategy::prune::{self, PruneFinding};

impl Meter<'_> {
    /// Returns the next message that [`Meter::observe_result`] needs before
    /// [`Meter::prune_old_results`] can decide. Returns None if there is none, or if stage prune
    /// can't act yet.
    pub(crate) fn next_unobserved(&self) -> Option<usize> {
        let policy = &self.policy.prune;
        let may_prune = policy.enabled
            && policy.rule == PruneRule::Tokens
            && self.result_tokens > policy.protect;
        if !may_prune {
            return None;
        }
        let next = self.results.observed();
        match &self.scan {
            Some(scan) => scan.index_at(next),
            None => (next < self.len()).then_some(next),
        }
    }

    /// Observes the message that [`Meter::next_unobserved`] names, as it is sent, with its tokens.
    pub(crate) fn observe_result(
        &mut self,
        view: TranscriptView<'_, '_>,
        index: usize,
        tokens: usize,
    ) {
        let policy = &self.policy.prune;
        let finding = prune::inspect_result(view, self.counter, policy, &self.policy.pin, index);
        let saved = match finding {
            PruneFinding::Result { tokens: text_tokens, cleared: false } => {
                let pruning = prune::plan_pruning(view.transcript, policy, index, text_tokens);
                let overlay = overlay_edits(view.transcript, &[Edit::Prune(pruning)]);
                let cleared = TranscriptView::new(view.transcript, &overlay);
                tokens as i64 - self.counter.count_message(cleared, index) as i64
            }
            PruneFinding::Nothing | PruneFinding::Stop(_) | PruneFinding::Result { .. } => 0,
        };
        self.results.push_finding(finding, saved);
    }

    /// Clears the results that are old enough and returns those that were not cleared before.
    pub(crate) fn prune_old_results(&mut self) -> &[ClearedResult] {
        let before = self.cleared.len();
        let Some(range) = self.prunable_range() else {
            return &[];
        };
        let clearable: Vec<ClearableResult> = self.results.clearable_in(range.clone()).collect();
        for result in clearable {
            let index = match &self.scan {
                Some(scan) => scan.index_at(result.message),
                None => Some(result.message),
            };
            // A result that was summarized is not sent.
            if let Some(message) = index {
                self.clear_result(ClearableResult { message, ..result });
            }
        }
        if self.policy.on_growth == OnGrowth::Skip
            && self.tokens_with_pruned(self.cleared.len()) > self.tokens_with_pruned(before)
        {
            self.cleared.truncate(before);
            return &[];
        }
        let policy = &self.policy.prune;
        let placeholder_tokens = if policy.every_result {
            self.counter.count_text(&policy.placeholder) as u64
        } else {
            0
        };
        self.results.mark_cleared(range, placeholder_tokens);
        &self.cleared[before..]
    }

    /// Returns all results cleared so far, in the order of their messages. By their number, these
    /// are those that may be cleared: each call begins anew.
    pub(crate) fn cleared_results(&self) -> &[ClearedResult] {
        &self.cleared
    }

    /// Returns the result of a message if it was cleared.
    pub(crate) fn cleared_at(&self, message: usize) -> Option<&ClearedResult> {
        let at = self.cleared.binary_search_by_key(&message, |result| result.message).ok()?;
        Some(&self.cleared[at])
    }

    /// Takes over a cleared result from another list: message `other_index` there is message
    /// `index` here.
    pub(crate) fn inherit_cleared(&mut self, index: usize, other: &Self, other_index: usize) {
        if self.policy.prune.rule == PruneRule::Results {
            return;
        }
        let at = other.cleared.binary_search_by_key(&other_index, |result| result.message);
        if let Ok(at) = at {
            self.clear_result(ClearableResult {
                message: index,
                tokens: other.cleared[at].tokens,
                saved: other.saved_by_clearing(at + 1) - other.saved_by_clearing(at),
            });
        }
    }

    /// Returns the edit that clears one of [`Meter::cleared_results`] by their number.
    pub(crate) fn numbered_pruning(&self, cleared: &ClearedResult) -> Option<&Pruning> {
        let prunings = self.numbered.prunings();
        let at = prunings.binary_search_by_key(&cleared.message, |pruning| pruning.message);
        Some(&prunings[at.ok()?])
    }

    fn clear_result(&mut self, result: ClearableResult) {
        let saved = self.saved_by_clearing(self.cleared.len()) + result.saved;
        self.cleared.push(ClearedResult {
            message: result.message,
            changed_caller: None,
            tokens: result.tokens,
            saved,
        });
    }

    /// Returns the tokens saved by the first `count` cleared results.
    pub(super) fn saved_by_clearing(&self, count: usize) -> i64 {
        count.checked_sub(1).map_or(0, |last| self.cleared[last].saved)
    }

    fn tokens_with_pruned(&self, pruned: usize) -> usize {
        self.call_tokens(&Reach { truncated_before: 0, pruned })
    }

    /// Returns the messages whose results stage prune clears next.
    fn prunable_range(&self) -> Option<Range<usize>> {
        let policy = &self.policy.prune;
        let is_on = policy.enabled && policy.rule == PruneRule::Tokens;
        if !is_on || self.result_tokens <= policy.protect {
            return None;
        }
        let (count, users) = match &self.scan {
            Some(scan) => (scan.len(), scan.users()),
            None => (self.len(), self.users.as_slice()),
        };
        let end = match usize::try_from(policy.skip_turns).unwrap_or(usize::MAX) {
            0 => count,
            skip => users[users.len().checked_sub(skip)?] + 1,
        };
        let skipped = usize::try_from(policy.skip_messages).unwrap_or(usize::MAX);
        self.results.next_cleared_range(policy, end.min(count.saturating_sub(skipped)))
    }

    /// Returns the next message before list index `end` that stage prune has not looked at, if it
    /// scans in the order in which messages are stored.
    pub(crate) fn next_unobserved_before(&self, end: usize) -> Option<usize> {
        let scan = self.scan.as_ref()?;
        scan.index_at(self.results.observed()).filter(|index| *index < end)
    }

    /// Continues the order of an earlier list, in which stage prune has looked at all messages that
    /// were decided on.
    pub(crate) fn continue_scan(&mut self, earlier: &mut Self, change: &ListChange<'_>) {
        let Some(mut scan) = earlier.scan.take() else {
            return;
        };
        scan.truncate(change.decided);
        scan.renumber(change.new_index);
        let is_user = |index: &usize| self.users.binary_search(index).is_ok();
        for index in change.summary.clone().chain(change.first_newer..self.len()) {
            scan.push(index, is_user(&index));
        }
        let decided = scan.len() - change.summary.len() - (self.len() - change.first_newer);
        self.results = std::mem::take(&mut earlier.results);
        self.results.forget_from(decided);
        self.result_tokens = earlier.result_tokens;
        self.scan = Some(scan);
    }

    /// Returns true if the sums tell what stage prune clears by the number of results.
    pub(super) fn sums_tell_cleared(&self) -> bool {
        // What truncation leaves of arguments is not what clearing them saves.
        let cuts_inputs =
            self.policy.prune.clear_inputs && !self.thresholds.truncate_trigger.is_empty();
        !self.numbered.is_irregular && !cuts_inputs
    }

    /// Returns the next message of which [`Meter::observe_old_result`] is to tell whether its
    /// result may be cleared. Returns None if there is none, or if nothing can be cleared yet.
    pub(crate) fn next_old_result(&mut self, transcript: &Transcript<'_>) -> Option<usize> {
        let policy = &self.policy.prune;
        if !self.may_clear_results() {
            return None;
        }
        let numbered = &mut self.numbered;
        numbered.observe(transcript, policy.observations);
        let old = old_ordinals(numbered.counted.len(), policy);
        numbered.decided = numbered.decided.max(old.start);
        while numbered.decided < old.end && !numbered.is_irregular {
            let ordinal = numbered.decided;
            numbered.decided += 1;
            if numbered.counted[ordinal].is_some() {
                return numbered.counted[ordinal];
            }
        }
        None
    }

    /// Observes the result that [`Meter::next_old_result`] names, as it is sent.
    pub(crate) fn observe_old_result(&mut self, view: TranscriptView<'_, '_>, index: usize) {
        let Self { policy, numbered, .. } = self;
        let clearable = &mut numbered.clearable;
        clearable.add_result(view, self.counter, &policy.prune, &policy.pin, index);
        if let Some(pruning) = clearable.prunings.get(self.cleared.len()) {
            self.cleared.push(ClearedResult {
                message: index,
                changed_caller: changed_caller(view.transcript, &clearable.prunings),
                tokens: pruning.tokens,
                saved: clearable.saved,
            });
        }
    }

    /// Extends `reach` by the results that are cleared for the next call. Returns what the reason
    /// says.
    pub(super) fn clear_by_number(&self, reach: &mut Reach) -> Result<String, Refusal> {
        let policy = &self.policy.prune;
        refuse_in_journal(self.write_mode, Stage::Prune)?;
        let tokens = self.call_tokens(reach);
        let rule = self.prune_state(reach, tokens).triggered(policy)?;
        let found = ClearCount::from(&self.numbered.clearable);
        found.judge(policy, &rule)?;
        let pruned = Reach { pruned: found.cleared, ..*reach };
        if self.policy.on_growth == OnGrowth::Skip && self.call_tokens(&pruned) > tokens {
            return Err(found.growth(&rule));
        }
        *reach = pruned;
        Ok(found.done(policy, &rule))
    }

    /// Returns true if the call of a cleared result is in message `first` or behind it.
    pub(crate) fn clears_call_from(&self, first: usize, reach: &Reach) -> bool {
        let prunings = self.numbered.prunings();
        let cleared = &prunings[..reach.pruned.min(prunings.len())];
        // A call comes before its result.
        let behind = cleared.partition_point(|pruning| pruning.message <= first);
        let inputs = cleared[behind..].iter().filter_map(|pruning| pruning.inputs.as_ref());
        inputs.map(|inputs| inputs.message).max() >= Some(first)
    }

    fn prune_state(&self, reach: &Reach, tokens: usize) -> PruneState {
        let messages = self.sums[self.len()] as i64 - self.sums[self.head] as i64;
        let saved = self.saved_before(self.len(), reach);
        let tokens = match self.policy.prune.measure {
            PruneMeasure::Messages => u64::try_from(messages - saved).unwrap_or(0),
            PruneMeasure::Used => self.used.filter(|used| *used > 0).unwrap_or(tokens as u64),
        };
        PruneState { tokens, results: self.numbered.counted.len() }
    }

    /// Returns true if stage prune may clear results for this call alone. Truncation, which comes
    /// before it, can only make fewer tokens.
    pub(super) fn may_clear_results(&self) -> bool {
        let policy = &self.policy.prune;
        if !policy.enabled || policy.rule != PruneRule::Results {
            return false;
        }
        let messages = (self.sums[self.len()] - self.sums[self.head]) as u64;
        let tokens = match policy.measure {
            PruneMeasure::Messages => messages,
            PruneMeasure::Used if self.policy.on_growth == OnGrowth::Allow => u64::MAX,
            PruneMeasure::Used => {
                self.used.unwrap_or(0).max(self.call_tokens(&Reach::default()) as u64)
            }
        };
        tokens > policy.trigger || policy.results > 0 || policy.trigger == 0
    }
}

/// Returns the message of the calls that the last pruning clears, if that changes any.
fn changed_caller(transcript: &Transcript<'_>, prunings: &[Pruning]) -> Option<usize> {
    let (pruning, earlier) = prunings.split_last()?;
    let inputs = pruning.inputs.as_ref()?;
    let of_caller = |pruning: &&Pruning| {
        let other = pruning.inputs.as_ref();
        other.is_some_and(|other| other.message == inputs.message)
    };
    let known: Vec<&Pruning> = earlier.iter().rev().take_while(of_caller).collect();
    let cleared = |prunings: &[&Pruning]| {
        let edits = prunings.iter().map(|pruning| Edit::Prune((*pruning).clone()));
        overlay_edits(transcript, &edits.collect::<Vec<_>>()).arguments
    };
    let (before, new) = (cleared(&known), cleared(&[pruning]));
    let is_new = new.keys().any(|call| !before.contains_key(call));
    is_new.then_some(inputs.message)
}

//! Stage prune by the number of results, on a growing list. Every call begins anew, but what may be
//! cleared only becomes more: the results cleared for a call are the first of all that ever may be.

use crate::deciding::plan::{Edit, Pruning, SkipCause, Stage, overlay_edits};
use crate::deciding::planner::clear_by_number::{ClearCount, ClearRefusal, PruneState};
use crate::deciding::planner::meter::sums::{ClearedResult, Meter, Reach};
use crate::deciding::planner::wording::journal_refusal;
use crate::deciding::policy::{OnGrowth, PruneMeasure, PruneRule};
use crate::deciding::strategy::clear::old_ordinals;
use crate::reading::transcript::Transcript;
use crate::reading::transcript::view::TranscriptView;

impl Meter<'_> {
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
    pub(super) fn clear_by_number(&self, reach: &mut Reach) -> Result<String, ClearRefusal> {
        let policy = &self.policy.prune;
        if let Some(why) = journal_refusal(self.write_mode, Stage::Prune) {
            let cause = SkipCause::NotRecordable;
            return Err(ClearRefusal { cause, why });
        }
        let tokens = self.call_tokens(reach);
        let rule = self.prune_state(reach, tokens).triggered(policy)?;
        let found = ClearCount::from(&self.numbered.clearable);
        if let Some(refusal) = found.refusal(policy, &rule) {
            return Err(refusal);
        }
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

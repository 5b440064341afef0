//! Running sums over a list of messages that grows call by call: what
//! [`plan`](super::plan) would find, in constant time a call where it would
//! summarise nothing. Where it might, `plan` itself is asked. A property test
//! holds the two together at every call.

use crate::plan::{Edit, overlay};
use crate::planner::draft::reported;
use crate::planner::results::{Clearable, Results};
use crate::policy::{KeepCount, OnGrowth, Policy, SummarizerKind, Thresholds, Triggered};
use crate::strategy::prune::{self, Found};
use crate::strategy::truncate;
use crate::tokens::{TokenCounter, UsageScale};
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Content, Role, Transcript};
use std::ops::Range;

/// What truncation would do to one message, once it is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Arguments that would be cut.
    pub arguments: usize,
    /// Tokens less; below 0 where growth is allowed.
    pub saved: i64,
}

/// All cuts up to and with that of one message.
#[derive(Debug, Clone, Copy)]
struct Cuts {
    message: usize,
    arguments: usize,
    saved: i64,
}

/// A result that stage prune cleared: it stays so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cleared {
    /// Its message.
    pub message: usize,
    /// Tokens of its text.
    pub tokens: u64,
    /// Tokens less, with all that were cleared before it.
    saved: i64,
}

/// How far the stages reach that change what is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reach {
    /// Messages before this one are truncated; 0 where none is.
    pub cut_before: usize,
    /// So many results are pruned, the first ones that were.
    pub pruned: usize,
}

/// What the next model call looks like as long as nothing is summarised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// Tokens of the call, after eviction, truncation and pruning.
    pub tokens: usize,
    /// Arguments that are cut in it.
    pub truncated_args: usize,
    /// What is cut and pruned.
    pub reach: Reach,
    /// Whether there may be something to summarise: the planner is to be asked.
    pub ask: bool,
}

/// The sums.
pub struct Meter<'m> {
    policy: &'m Policy,
    thresholds: &'m Thresholds,
    provider: Option<&'m str>,
    counter: &'m dyn TokenCounter,
    tools: usize,
    head: usize,
    /// Tokens of all messages before each, and of all.
    sums: Vec<usize>,
    cuts: Vec<Cuts>,
    usage: UsageScale,
    reported: Option<u64>,
    /// What the last answer used, as the log reports it.
    used: Option<u64>,
    has_summary: bool,
    /// More tokens than the texts of all tool results have: as long as they are no more than prune protects, it can't act.
    result_tokens: u64,
    results: Results,
    /// What was cleared, in the order of the messages.
    cleared: Vec<Cleared>,
    /// Where users speak.
    users: Vec<usize>,
}

impl<'m> Meter<'m> {
    /// Of an empty list; `tools` are the tokens of the tool schemas.
    #[must_use]
    pub fn new(
        policy: &'m Policy,
        thresholds: &'m Thresholds,
        provider: Option<&'m str>,
        counter: &'m dyn TokenCounter,
        tools: usize,
    ) -> Self {
        Self {
            policy,
            thresholds,
            provider,
            counter,
            tools,
            head: 0,
            sums: vec![0],
            cuts: Vec::new(),
            usage: UsageScale::default(),
            reported: None,
            used: None,
            has_summary: false,
            result_tokens: 0,
            results: Results::default(),
            cleared: Vec::new(),
            users: Vec::new(),
        }
    }

    /// What truncation would do to a message that counts `tokens`.
    #[must_use]
    pub fn cut(&self, transcript: &Transcript<'_>, index: usize, tokens: usize) -> Option<Cut> {
        if self.thresholds.truncate_trigger.is_empty()
            || transcript.messages[index].calls.is_empty()
        {
            return None;
        }
        let none = Overlay::default();
        let found = truncate::truncations_of(
            TranscriptView {
                transcript,
                overlay: &none,
            },
            &self.policy.truncate,
            index,
        );
        if found.is_empty() {
            return None;
        }
        let arguments = found.len();
        let edits: Vec<Edit> = found.into_iter().map(Edit::Truncate).collect();
        let overlay = overlay(transcript, &edits);
        let saved = tokens as i64
            - self.counter.count_message(
                TranscriptView {
                    transcript,
                    overlay: &overlay,
                },
                index,
            ) as i64;
        (saved >= 0 || self.policy.on_growth == OnGrowth::Allow).then_some(Cut { arguments, saved })
    }

    /// Adds the next message of the list: its tokens as it is sent, and what truncation would do to it.
    pub fn push(&mut self, transcript: &Transcript<'_>, tokens: usize, cut: Option<Cut>) {
        let index = self.sums.len() - 1;
        let message = &transcript.messages[index];
        if index == 0 && message.role.is_system() {
            self.head = 1;
        }
        let total = self.sums[index] + tokens;
        self.sums.push(total);
        self.has_summary |= message.earlier_summary;
        match message.role {
            Role::User => self.users.push(index),
            // Between the parts of one there are line ends, which the count of the message does not know.
            Role::Tool | Role::Function => {
                self.result_tokens += (tokens + 2 * parts(&message.content)) as u64
            }
            Role::System | Role::Developer | Role::Assistant => {}
        }
        if let Some(cut) = cut {
            let (arguments, saved) = self
                .cuts
                .last()
                .map_or((0, 0), |cuts| (cuts.arguments, cuts.saved));
            self.cuts.push(Cuts {
                message: index,
                arguments: arguments + cut.arguments,
                saved: saved + cut.saved,
            });
        }
        if message.role == Role::Assistant {
            self.usage
                .observe_message(transcript, index, self.tools + total);
            self.reported = reported(transcript, index, self.provider);
            self.used = message.reported_tokens().or(self.used);
        }
    }

    /// The next message that [`Meter::see_result`] wants to see before it can [`prune`](Meter::prune).
    #[must_use]
    pub fn unseen(&self) -> Option<usize> {
        let may_prune = self.policy.prune.enabled && self.result_tokens > self.policy.prune.protect;
        (may_prune && self.results.seen() < self.len()).then_some(self.results.seen())
    }

    /// Looks at the message that [`Meter::unseen`] names, as it is sent; it counts `tokens`.
    pub fn see_result(&mut self, view: TranscriptView<'_, '_>, index: usize, tokens: usize) {
        let found = prune::find(view, self.counter, &self.policy.prune, index);
        let saved = match found {
            Found::Result {
                tokens: of_text,
                cleared: false,
            } => {
                let edit = Edit::Prune(prune::pruning(
                    view.transcript,
                    &self.policy.prune,
                    index,
                    of_text,
                ));
                let overlay = overlay(view.transcript, std::slice::from_ref(&edit));
                tokens as i64
                    - self.counter.count_message(
                        TranscriptView {
                            transcript: view.transcript,
                            overlay: &overlay,
                        },
                        index,
                    ) as i64
            }
            Found::Nothing | Found::End(_) | Found::Result { .. } => 0,
        };
        self.results.push(found, saved);
    }

    /// Messages in the list.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sums.len() - 1
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tokens of the tool schemas and the messages before `end`, as far as stages reach; by the counter alone, without
    /// regard to reported usage.
    #[must_use]
    pub fn prefix(&self, end: usize, reach: &Reach) -> usize {
        less(self.tools + self.sums[end], self.saved(reach, end))
    }

    /// The messages in a range that truncation would change.
    pub fn cuts(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let at = self.cuts.partition_point(|cuts| cuts.message < range.start);
        self.cuts[at..]
            .iter()
            .map(|cuts| cuts.message)
            .take_while(move |message| *message < range.end)
    }

    /// The first message in a range that truncation would change.
    #[must_use]
    pub fn first_cut(&self, range: Range<usize>) -> Option<usize> {
        self.cuts(range).next()
    }

    /// What was cleared so far, in the order of the messages.
    #[must_use]
    pub fn cleared(&self) -> &[Cleared] {
        &self.cleared
    }

    /// What was cleared of a message.
    #[must_use]
    pub fn cleared_at(&self, message: usize) -> Option<&Cleared> {
        Some(
            &self.cleared[self
                .cleared
                .binary_search_by_key(&message, |one| one.message)
                .ok()?],
        )
    }

    /// Stage prune: clears what is old enough. Returns how much was cleared before.
    pub fn prune(&mut self) -> usize {
        let before = self.cleared.len();
        let Some(range) = self.prunes() else {
            return before;
        };
        let new: Vec<Clearable> = self.results.within(range.clone()).collect();
        new.into_iter().for_each(|one| self.clear(one));
        let call = |pruned: usize| {
            self.call(&Reach {
                cut_before: 0,
                pruned,
            })
        };
        if self.policy.on_growth == OnGrowth::Skip && call(self.cleared.len()) > call(before) {
            self.cleared.truncate(before);
            return before;
        }
        let policy = &self.policy.prune;
        let placeholder = if policy.every_result {
            self.counter.count_text(&policy.placeholder) as u64
        } else {
            0
        };
        self.results.clear(range, placeholder);
        before
    }

    fn clear(
        &mut self,
        Clearable {
            message,
            tokens,
            saved,
        }: Clearable,
    ) {
        let before = self.cleared.last().map_or(0, |last| last.saved);
        self.cleared.push(Cleared {
            message,
            tokens,
            saved: before + saved,
        });
    }

    /// Takes over from another list what was cleared in its message `index`, which stands at `message` here.
    pub fn take_over(&mut self, message: usize, other: &Self, index: usize) {
        if let Ok(at) = other
            .cleared
            .binary_search_by_key(&index, |one| one.message)
        {
            let (tokens, saved) = (
                other.cleared[at].tokens,
                other.saved_by_clearing(at + 1) - other.saved_by_clearing(at),
            );
            self.clear(Clearable {
                message,
                tokens,
                saved,
            });
        }
    }

    /// Tokens saved by the first `count` that were cleared.
    fn saved_by_clearing(&self, count: usize) -> i64 {
        count
            .checked_sub(1)
            .map_or(0, |last| self.cleared[last].saved)
    }

    /// Arguments cut in messages before `end`, and tokens saved by that.
    fn cuts_before(&self, end: usize) -> (usize, i64) {
        let count = self.cuts.partition_point(|cuts| cuts.message < end);
        count.checked_sub(1).map_or((0, 0), |last| {
            (self.cuts[last].arguments, self.cuts[last].saved)
        })
    }

    /// Tokens that are saved in messages before `end`.
    #[inline]
    fn saved(&self, reach: &Reach, end: usize) -> i64 {
        if *reach == Reach::default() {
            return 0;
        }
        let cleared = self.cleared[..reach.pruned].partition_point(|one| one.message < end);
        self.cuts_before(end.min(reach.cut_before)).1 + self.saved_by_clearing(cleared)
    }

    /// Tokens of a list that leaves out `base` tokens at its front, as reported usage corrects them.
    fn scaled(&self, messages: usize, base: usize, reach: &Reach) -> usize {
        let total = less(
            self.tools + self.sums[self.len()],
            self.saved(reach, self.len()) + base as i64,
        );
        if !self.counter.scales_with_usage() || messages < 2 {
            return total;
        }
        self.usage
            .scale_total(total, |last| base as i64 + self.saved(reach, last + 1))
    }

    fn call(&self, reach: &Reach) -> usize {
        self.scaled(self.len(), 0, reach)
    }

    /// What the next call looks like.
    #[must_use]
    pub fn outlook(&self) -> Outlook {
        let messages = (self.len() - self.head) as u64;
        let allow = self.policy.on_growth == OnGrowth::Allow;
        // Of a list with a summary the last usage may be that of a longer one.
        let used = self.used.filter(|_| !self.has_summary);
        let mut reach = Reach {
            cut_before: 0,
            pruned: self.cleared.len(),
        };
        let mut tokens = self.call(&reach);
        let mut truncated_args = 0;
        let state = Triggered {
            tokens: tokens as u64,
            messages,
            reported: None,
            used,
        };
        if state.first(&self.thresholds.truncate_trigger).is_some() {
            let cut = Reach {
                cut_before: self.truncates_before(),
                ..reach
            };
            let (arguments, _) = self.cuts_before(cut.cut_before);
            let after = self.call(&cut);
            // Reported usage scales totals: a smaller list can count more.
            if arguments > 0 && (after <= tokens || allow) {
                (reach, tokens, truncated_args) = (cut, after, arguments);
            }
        }
        let state = Triggered {
            tokens: tokens as u64,
            messages,
            reported: self.reported,
            used,
        };
        let fires = state.first(&self.thresholds.summarize_trigger).is_some()
            || self
                .thresholds
                .overflow
                .is_some_and(|limit| state.tokens > limit);
        let summary =
            fires && self.policy.summarizer.kind != SummarizerKind::None && !self.all_kept(&reach);
        let shrinks = self.thresholds.fit.is_some_and(|fit| tokens as u64 > fit);
        Outlook {
            tokens,
            truncated_args,
            reach,
            ask: summary || shrinks,
        }
    }

    /// The messages whose results stage prune clears next, if it acts.
    fn prunes(&self) -> Option<Range<usize>> {
        let prune = &self.policy.prune;
        if !prune.enabled || self.result_tokens <= prune.protect {
            return None;
        }
        let until = match usize::try_from(prune.skip_turns).unwrap_or(usize::MAX) {
            0 => self.len(),
            skip => self.users[self.users.len().checked_sub(skip)?] + 1,
        };
        self.results.clearable(prune, until)
    }

    /// Where truncation ends, if it acts.
    #[must_use]
    pub fn truncates_before(&self) -> usize {
        self.first_recent(self.thresholds.truncate_keep)
    }

    /// Whether the keep rule leaves all messages, before any cut is made safe.
    fn all_kept(&self, reach: &Reach) -> bool {
        match self.thresholds.summarize_keep {
            KeepCount::Turns { .. } => false,
            KeepCount::Messages(keep) => self.len() - self.head <= keep,
            KeepCount::Tokens(target) => {
                let list = self.scaled(
                    self.len() - self.head,
                    self.tools + self.sums[self.head],
                    reach,
                );
                list as u64 <= target || self.len() - self.head <= 1
            }
        }
    }

    /// As [`truncate::first_recent`], by the sums.
    fn first_recent(&self, keep: KeepCount) -> usize {
        let (head, count) = (self.head, self.len());
        let cleared = Reach {
            cut_before: 0,
            pruned: self.cleared.len(),
        };
        match keep {
            // Turns are no keep of this stage: settings refuse them.
            KeepCount::Turns { .. } => head,
            KeepCount::Messages(keep) => head.max(count.saturating_sub(keep)),
            KeepCount::Tokens(target) => {
                let before =
                    |message: usize| self.sums[message] as i64 - self.saved(&cleared, message);
                let is_old = |message: usize| (before(count) - before(message)) as u64 > target;
                let (mut first, mut end) = (head, count + 1);
                while first < end {
                    let middle = first.midpoint(end);
                    (first, end) = if is_old(middle) {
                        (middle + 1, end)
                    } else {
                        (first, middle)
                    };
                }
                // The newest message alone exceeds the keep: nothing is old.
                if first == count { head } else { first }
            }
        }
    }
}

fn parts(content: &Content) -> usize {
    if let Content::Blocks(blocks) = content {
        blocks.len()
    } else {
        1
    }
}

fn less(tokens: usize, saved: i64) -> usize {
    usize::try_from(tokens as i64 - saved).unwrap_or(0)
}

#[cfg(test)]
mod tests;

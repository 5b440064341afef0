//! Running sums over a list of messages that grows call by call: what
//! [`plan`](super::plan) would find, in constant time a call where it would
//! summarise nothing. Where it might, `plan` itself is asked. A property test
//! holds the two together at every call.

use crate::plan::{Edit, overlay};
use crate::planner::draft::reported;
use crate::policy::{Amount, KeepCount, OnGrowth, Policy, SummarizerKind, Thresholds, Triggered};
use crate::strategy::truncate;
use crate::tokens::{Counter, UsageScale};
use crate::transcript::view::{Overlay, View};
use crate::transcript::{Role, Transcript};

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

/// What the next model call looks like as long as nothing is summarised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlook {
    /// Tokens of the call, after eviction and truncation.
    pub tokens: usize,
    /// Arguments that are cut in it.
    pub truncated_args: usize,
    /// Messages before this one are truncated; 0 where none is.
    pub cut_before: usize,
    /// Whether there may be something to summarise: the planner is to be asked.
    pub ask: bool,
}

/// The sums.
pub struct Meter<'m> {
    policy: &'m Policy,
    thresholds: &'m Thresholds,
    provider: Option<&'m str>,
    counter: &'m dyn Counter,
    tools: usize,
    head: usize,
    /// Tokens of all messages before each, and of all.
    sums: Vec<usize>,
    cuts: Vec<Cuts>,
    usage: UsageScale,
    reported: Option<u64>,
    /// Tokens of all tool results: as long as they are no more than prune protects, it can't act.
    results: u64,
    /// Whether a stage may act at any time that the sums don't know: by OpenCode's test against reported usage.
    always_asks: bool,
}

impl<'m> Meter<'m> {
    /// Of an empty list; `tools` are the tokens of the tool schemas.
    #[must_use]
    pub fn new(policy: &'m Policy, thresholds: &'m Thresholds, provider: Option<&'m str>, counter: &'m dyn Counter, tools: usize) -> Self {
        let mut conditions = thresholds.truncate_trigger.iter().chain(&thresholds.summarize_trigger).flat_map(|clause| &clause.0);
        let always_asks = conditions.any(|part| part.amount == Amount::Overflow);
        let (sums, cuts, usage) = (vec![0], Vec::new(), UsageScale::default());
        Self { policy, thresholds, provider, counter, tools, head: 0, sums, cuts, usage, reported: None, results: 0, always_asks }
    }

    /// What truncation would do to a message that counts `tokens`.
    #[must_use]
    pub fn cut(&self, transcript: &Transcript<'_>, index: usize, tokens: usize) -> Option<Cut> {
        if self.thresholds.truncate_trigger.is_empty() || transcript.messages[index].calls.is_empty() {
            return None;
        }
        let none = Overlay::default();
        let found = truncate::truncations_of(View { transcript, overlay: &none }, &self.policy.truncate, index);
        if found.is_empty() {
            return None;
        }
        let arguments = found.len();
        let edits: Vec<Edit> = found.into_iter().map(Edit::Truncate).collect();
        let overlay = overlay(transcript, &edits);
        let saved = tokens as i64 - self.counter.message(View { transcript, overlay: &overlay }, index) as i64;
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
        self.results += if message.role.is_result() { tokens as u64 } else { 0 };
        if let Some(cut) = cut {
            let (arguments, saved) = self.cuts.last().map_or((0, 0), |cuts| (cuts.arguments, cuts.saved));
            self.cuts.push(Cuts { message: index, arguments: arguments + cut.arguments, saved: saved + cut.saved });
        }
        if message.role == Role::Assistant {
            self.usage.see(transcript, index, self.tools + total);
            self.reported = reported(transcript, index, self.provider);
        }
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

    /// Tokens of the tool schemas and the messages before `end`, those before `cut_before` truncated; by the counter
    /// alone, without regard to reported usage.
    #[must_use]
    pub fn prefix(&self, end: usize, cut_before: usize) -> usize {
        less(self.tools + self.sums[end], self.cuts_before(end.min(cut_before)).1)
    }

    /// The first message in a range that truncation would change.
    #[must_use]
    pub fn first_cut(&self, range: std::ops::Range<usize>) -> Option<usize> {
        let at = self.cuts.partition_point(|cuts| cuts.message < range.start);
        self.cuts.get(at).map(|cuts| cuts.message).filter(|message| *message < range.end)
    }

    /// Arguments cut in messages before `end`, and tokens saved by that.
    fn cuts_before(&self, end: usize) -> (usize, i64) {
        let count = self.cuts.partition_point(|cuts| cuts.message < end);
        count.checked_sub(1).map_or((0, 0), |last| (self.cuts[last].arguments, self.cuts[last].saved))
    }

    /// Tokens of a list that leaves out `base` tokens at its front, as reported usage corrects them.
    fn scaled(&self, messages: usize, base: usize, cut_before: usize) -> usize {
        let total = less(self.tools + self.sums[self.len()], self.cuts_before(cut_before).1 + base as i64);
        if !self.counter.scales_with_usage() || messages < 2 {
            return total;
        }
        self.usage.scale(total, |last| base as i64 + self.cuts_before(cut_before.min(last + 1)).1)
    }

    fn call(&self, cut_before: usize) -> usize {
        self.scaled(self.len(), 0, cut_before)
    }

    /// What the next call looks like.
    #[must_use]
    pub fn outlook(&self) -> Outlook {
        let messages = (self.len() - self.head) as u64;
        let before = self.call(0);
        let mut outlook = Outlook { tokens: before, truncated_args: 0, cut_before: 0, ask: false };
        let state = Triggered { tokens: before as u64, messages, reported: None, used: None };
        if state.first(&self.thresholds.truncate_trigger).is_some() {
            let cut_before = self.truncates_before();
            let (truncated_args, _) = self.cuts_before(cut_before);
            let tokens = self.call(cut_before);
            // Reported usage scales totals: a smaller list can count more.
            if truncated_args > 0 && (tokens <= before || self.policy.on_growth == OnGrowth::Allow) {
                outlook = Outlook { tokens, truncated_args, cut_before, ask: false };
            }
        }
        let state = Triggered { tokens: outlook.tokens as u64, messages, reported: self.reported, used: None };
        let fires = state.first(&self.thresholds.summarize_trigger).is_some() || self.thresholds.overflow.is_some_and(|limit| state.tokens > limit);
        let summary = fires && self.policy.summarizer.kind != SummarizerKind::None && !self.all_kept(outlook.cut_before);
        let shrinks = self.thresholds.fit.is_some_and(|fit| outlook.tokens as u64 > fit);
        let prunes = self.policy.prune.enabled && self.results > self.policy.prune.protect;
        outlook.ask = summary || self.always_asks || prunes || shrinks;
        outlook
    }

    /// Where truncation ends, if it acts.
    #[must_use]
    pub fn truncates_before(&self) -> usize {
        self.first_recent(self.thresholds.truncate_keep)
    }

    /// Whether the keep rule leaves all messages, before any cut is made safe.
    fn all_kept(&self, cut_before: usize) -> bool {
        match self.thresholds.summarize_keep {
            KeepCount::Turns { .. } => false,
            KeepCount::Messages(keep) => self.len() - self.head <= keep,
            KeepCount::Tokens(target) => {
                let list = self.scaled(self.len() - self.head, self.tools + self.sums[self.head], cut_before);
                list as u64 <= target || self.len() - self.head <= 1
            }
        }
    }

    /// As [`truncate::first_recent`], by the sums.
    fn first_recent(&self, keep: KeepCount) -> usize {
        let (head, count) = (self.head, self.len());
        match keep {
            // Turns are no keep of this stage: settings refuse them.
            KeepCount::Turns { .. } => head,
            KeepCount::Messages(keep) => head.max(count.saturating_sub(keep)),
            KeepCount::Tokens(target) => {
                let most = self.sums[count] as u64;
                let first = head + self.sums[head..=count].partition_point(|before| most - *before as u64 > target);
                // The newest message alone exceeds the keep: nothing is old.
                if first == count { head } else { first }
            }
        }
    }
}

fn less(tokens: usize, saved: i64) -> usize {
    usize::try_from(tokens as i64 - saved).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Shape, by_name};
    use crate::plan::Stage;
    use crate::planner::{Input, Names, plan};
    use crate::policy::{Amount, Clause, Keep, PRESETS, Trigger};
    use crate::tokens::{COUNTERS, Ledger};
    use crate::transcript::Record;
    use proptest::prelude::*;
    use std::fmt::Write;

    /// One message: who speaks, how much, and the usage that is reported.
    #[derive(Debug, Clone)]
    enum Said {
        System(usize),
        User(usize),
        Answer { text: usize, usage: Option<(u32, bool)> },
        Write { arguments: usize, result: usize },
    }

    fn said() -> impl Strategy<Value = Said> {
        prop_oneof![
            1 => (0..40usize).prop_map(Said::System),
            3 => (0..300usize).prop_map(Said::User),
            3 => (0..300usize, proptest::option::of((1..400u32, prop::bool::weighted(0.9)))).prop_map(|(text, usage)| Said::Answer { text, usage }),
            4 => (0..200usize, 0..100usize).prop_map(|(arguments, result)| Said::Write { arguments, result }),
        ]
    }

    fn record(said: &[Said]) -> String {
        let mut messages: Vec<String> = Vec::new();
        for (number, one) in said.iter().enumerate() {
            match one {
                Said::System(length) => messages.push(format!(r#"{{"role": "system", "content": "{}"}}"#, "s".repeat(*length))),
                Said::User(length) => messages.push(format!(r#"{{"role": "user", "content": "{}"}}"#, "u".repeat(*length))),
                Said::Answer { text, usage } => {
                    let mut message = format!(r#"{{"role": "assistant", "content": "{}""#, "a".repeat(*text));
                    if let Some((tokens, ours)) = usage {
                        let provider = if *ours { "fake" } else { "other" };
                        let usage = format!(r#", "usage_metadata": {{"total_tokens": {tokens}}}, "response_metadata": {{"model_provider": "{provider}"}}"#);
                        message.push_str(&usage);
                    }
                    messages.push(message + "}");
                }
                Said::Write { arguments, result } => {
                    let mut call = String::new();
                    let content = "c".repeat(*arguments);
                    // Writing to a String can't fail.
                    let _ = write!(
                        call,
                        r#"{{"role": "assistant", "tool_calls": [{{"id": "{number}", "function": {{"name": "write_file", "arguments": {{"content": "{content}"}}}}}}]}}"#
                    );
                    messages.push(call);
                    messages.push(format!(r#"{{"role": "tool", "tool_call_id": "{number}", "content": "{}"}}"#, "r".repeat(*result)));
                }
            }
        }
        format!(r#"{{"messages": [{}], "tools": [{{"name": "write_file"}}]}}"#, messages.join(", "))
    }

    fn amount() -> impl Strategy<Value = Amount> {
        prop_oneof![(1..20u64).prop_map(Amount::Messages), (1..800u64).prop_map(Amount::Tokens)]
    }

    fn policy() -> impl Strategy<Value = Policy> {
        let when = || proptest::collection::vec(amount(), 0..3);
        (when(), amount(), when(), amount(), 5..60usize, any::<bool>(), prop_oneof![Just(0), 1..900u64]).prop_map(
            |(truncate, truncate_keep, summarize, summarize_keep, max_length, allow, overflow)| {
                let trigger = |amounts: Vec<Amount>| Some(Trigger { clauses: amounts.into_iter().map(|amount| Clause(vec![amount])).collect() });
                let mut policy = PRESETS[0].policy();
                (policy.truncate.trigger, policy.truncate.keep) = (trigger(truncate), Some(Keep::Last(truncate_keep)));
                policy.truncate.max_length = max_length;
                (policy.summarize.trigger, policy.summarize.keep) = (trigger(summarize), Some(Keep::Last(summarize_keep)));
                policy.on_growth = if allow { OnGrowth::Allow } else { OnGrowth::Skip };
                policy.overflow.limit = overflow;
                policy
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn the_meter_sees_at_every_message_what_the_planner_finds(said in proptest::collection::vec(said(), 0..25), policy in policy()) {
            let text = record(&said);
            let format = by_name("openai").unwrap();
            let mut transcript = format.read(vec![Record { bytes: text.as_bytes(), line: 1 }], Shape::Conversation).unwrap();
            let counter = (COUNTERS.iter().find(|kind| kind.name == "approx").unwrap().build)(4.0);
            let none = Overlay::default();
            let thresholds = policy.thresholds(policy.room(None)).unwrap();
            let whole = Ledger::new(&*counter, View { transcript: &transcript, overlay: &none });
            let messages = std::mem::take(&mut transcript.messages);
            let mut ledger = Ledger { counter: &*counter, messages: Vec::new(), tools: whole.tools };
            let mut meter = Meter::new(&policy, &thresholds, Some("fake"), &*counter, whole.tools);
            for (index, message) in messages.into_iter().enumerate() {
                transcript.messages.push(message);
                transcript.callers = std::sync::OnceLock::new();
                ledger.messages.push(whole.messages[index]);
                let cut = meter.cut(&transcript, index, whole.messages[index]);
                meter.push(&transcript, whole.messages[index], cut);
                let names = Names::default();
                let input = Input { transcript: &transcript, ledger: &ledger, policy: &policy, thresholds: &thresholds, provider: Some("fake"), candidates: &[], names: &names };
                let (planned, seen) = (plan(&input), meter.outlook());
                prop_assert_eq!(seen.tokens, planned.total_tokens);
                prop_assert!(seen.ask || planned.summary().is_none());
                let shrunk = planned.reasons.iter().any(|reason| reason.stage == Stage::Overflow);
                prop_assert!(seen.ask || !shrunk);
                if shrunk {
                    continue;
                }
                prop_assert_eq!(seen.truncated_args, planned.truncations().count());
                prop_assert_eq!(planned.truncations().map(|cut| cut.message).max().is_some_and(|last| last >= seen.cut_before), false);
            }
        }
    }
}

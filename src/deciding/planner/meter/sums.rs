//! The sums over the messages of a growing list.

use crate::deciding::planner::draft::reported_tokens;
use crate::deciding::planner::meter::numbered_results::{NumberedResults, ResultSums, ScanOrder};
use crate::deciding::planner::prelude::*;
use crate::deciding::strategy::asked_summary::made_summary;
use crate::deciding::strategy::recent::speaks;
use crate::deciding::strategy::{prune, truncate};
use crate::deciding::tokens::UsageScale;

/// The effect of truncation on one message once it is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MessageCut {
    /// The number of arguments truncated.
    pub arguments: usize,
    /// The tokens saved; negative only where growth is allowed.
    pub saved: i64,
}

/// The effect of truncation on all messages up to and including one.
#[derive(Debug, Clone, Copy)]
struct CutSum {
    message: usize,
    arguments: usize,
    saved: i64,
}

/// A result that stage prune cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClearedResult {
    /// The index of its message.
    pub message: usize,
    /// The message that changes because its call is cleared, too.
    pub changed_caller: Option<usize>,
    /// Tokens of its text.
    pub tokens: u64,
    /// Tokens saved by clearing it and all results cleared before it.
    pub(super) saved: i64,
}

/// The reach of the stages truncate and prune into a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reach {
    /// Messages before this index are truncated; 0 if none is.
    pub truncated_before: usize,
    /// The number of pruned results. They are the first of all that were ever pruned, or may be by
    /// their number.
    pub pruned: usize,
}

/// The usage that the log reports with one answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastUsage {
    /// All tokens of the call.
    pub(super) used: u64,
    /// Its input tokens.
    pub(super) prompt: Option<u64>,
    /// The index of the message behind the answer.
    pub(super) behind: usize,
}

/// Running sums over a growing list of messages.
pub(crate) struct Meter<'m> {
    pub(super) policy: &'m Policy,
    pub(super) thresholds: &'m Thresholds,
    provider: Option<&'m str>,
    pub(super) counter: &'m dyn TokenCounter,
    /// Tokens of the tool schemas.
    pub(super) tools: usize,
    /// The number of leading system messages: 0 or 1.
    pub(super) head: usize,
    /// The tokens before each message; the last entry is the sum over all.
    pub(super) sums: Vec<usize>,
    cuts: Vec<CutSum>,
    usage: UsageScale,
    /// The tokens that the model's provider reported with the last answer.
    pub(super) reported: Option<u64>,
    /// The tokens that the last answer with usage used.
    pub(super) used: Option<u64>,
    /// The usage of the last answer that reports any.
    pub(super) last_usage: Option<LastUsage>,
    /// The events before each message; the last entry is their sum.
    events: Vec<usize>,
    pub(super) has_summary: bool,
    /// An upper bound of the tokens in the texts of all tool results. Stage prune can't act while
    /// it is within the protected tokens.
    pub(super) result_tokens: u64,
    pub(super) results: ResultSums,
    /// The results that stage prune clears by their number.
    pub(super) numbered: NumberedResults,
    /// The cleared results, in the order of their messages.
    pub(super) cleared: Vec<ClearedResult>,
    /// The indices of the messages with which the user's turns begin.
    pub(super) users: Vec<usize>,
    /// The order in which stage prune scans, if it is not that of the list.
    pub(super) scan: Option<ScanOrder>,
    /// The end of the agent's last step, see [`Transcript::step_end`].
    step_end: usize,
    /// True if the message before `step_end` is an answer without calls.
    pub(super) step_is_answered: bool,
    /// True if the newest message is one.
    pub(super) is_answered: bool,
    /// True if the newest results say that the agent asked for a summary.
    pub(super) asked: bool,
    /// The first message with which the user speaks, but for that behind the system prompt.
    pub(super) second_turn: Option<usize>,
    /// The way in which the log takes edits.
    pub(super) write_mode: WriteMode,
}

impl<'m> Meter<'m> {
    /// Returns the meter of an empty list. `tools` are the tokens of the tool schemas.
    pub(crate) fn new(
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
            last_usage: None,
            events: vec![0],
            has_summary: false,
            result_tokens: 0,
            results: ResultSums::default(),
            numbered: NumberedResults::default(),
            cleared: Vec::new(),
            users: Vec::new(),
            scan: (policy.prune.enabled && policy.prune.stored_order).then(ScanOrder::default),
            step_end: 0,
            step_is_answered: false,
            is_answered: false,
            asked: false,
            second_turn: None,
            write_mode: WriteMode::default(),
        }
    }

    /// Measures the effect of truncation on message `index`, which has `tokens` tokens. Returns
    /// None if it has none, or if the message would grow and the policy skips growth.
    pub(crate) fn measure_cut(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        tokens: usize,
    ) -> Option<MessageCut> {
        if self.thresholds.truncate_trigger.is_empty()
            || transcript.messages[index].calls.is_empty()
        {
            return None;
        }
        let view = TranscriptView::logged(transcript);
        let truncations =
            truncate::find_truncations_in(view, &self.policy.truncate, &self.policy.pin, index);
        if truncations.is_empty() {
            return None;
        }
        let arguments = truncations.len();
        let edits: Vec<Edit> = truncations.into_iter().map(Edit::Truncate).collect();
        let overlay = overlay_edits(transcript, &edits);
        let view = TranscriptView::new(transcript, &overlay);
        let saved = tokens as i64 - self.counter.count_message(view, index) as i64;
        (saved >= 0 || self.policy.on_growth == OnGrowth::Allow)
            .then_some(MessageCut { arguments, saved })
    }

    /// Adds the next message of the list, with its tokens as it is sent and the effect of
    /// truncation on it.
    pub(crate) fn push_message(
        &mut self,
        transcript: &Transcript<'_>,
        tokens: usize,
        cut: Option<MessageCut>,
    ) {
        let index = self.sums.len() - 1;
        let message = &transcript.messages[index];
        if index == 0 {
            self.head = transcript.system_prefix_len();
            self.write_mode = transcript.write_mode;
        }
        let total = self.sums[index] + tokens;
        self.sums.push(total);
        let is_event = index >= self.head || self.policy.count.system;
        let events = if is_event { message.calls.len().max(1) } else { 0 };
        self.events.push(self.events[index] + events);
        if message.earlier_summary && !self.has_summary {
            self.has_summary = true;
            self.used = None;
        }
        let newer = transcript.newer_than_summary;
        if message.earlier_summary && newer.is_none() {
            self.last_usage = None;
        }
        if newer.is_some_and(|first| index < first.max(1)) {
            // No call was made yet since the summary.
            self.used = Some(0);
        }
        let is_of_step = message.role == Role::Assistant || message.role.is_result();
        if is_of_step || (message.joined && self.step_end == index) {
            self.step_end = index + 1;
        }
        self.is_answered = message.role == Role::Assistant && message.calls.is_empty();
        self.asked = message.role.is_result()
            && (self.asked || made_summary(transcript, &self.policy.summarize.asked_by, index));
        if self.step_end == index + 1 {
            self.step_is_answered = self.is_answered;
        }
        if self.second_turn.is_none() && index > self.head && speaks(transcript, index) {
            self.second_turn = Some(index);
        }
        match message.role {
            Role::User => {
                if prune::begins_turn(transcript, &self.policy.prune, index) {
                    self.users.push(index);
                }
            }
            // The text of a result joins its parts with line ends that the message's count does not
            // include.
            Role::Tool | Role::Function => {
                let parts = match &message.content {
                    Content::Blocks(blocks) => blocks.len(),
                    Content::Absent | Content::Text(_) => 1,
                };
                self.result_tokens += (tokens + 2 * parts) as u64;
            }
            Role::System | Role::Developer | Role::Assistant => {}
        }
        if let Some(scan) = &mut self.scan {
            scan.push(index, self.users.last() == Some(&index));
        }
        if let Some(cut) = cut {
            let (arguments, saved) =
                self.cuts.last().map_or((0, 0), |cuts| (cuts.arguments, cuts.saved));
            self.cuts.push(CutSum {
                message: index,
                arguments: arguments + cut.arguments,
                saved: saved + cut.saved,
            });
        }
        if message.role == Role::Assistant {
            self.usage.observe_message(transcript, index, self.tools + total);
            self.reported = reported_tokens(transcript, index, self.provider);
            if newer.is_none_or(|first| index >= first)
                && let Some(used) = message.used_tokens()
            {
                self.last_usage =
                    Some(LastUsage { used, prompt: message.prompt_tokens(), behind: index + 1 });
            }
            // In a list with a summary older usage is that of a longer list.
            let counts = match transcript.newer_than_summary {
                Some(first) => index >= first,
                None => !self.has_summary || message.has_usage_of_list(),
            };
            if counts && !message.earlier_summary {
                let earlier = self.used.filter(|used| *used > 0);
                self.used = message.used_tokens().or(earlier);
            }
        }
    }

    /// Returns the number of events before a message.
    pub(super) fn events_before(&self, end: usize) -> u64 {
        self.events[end] as u64
    }

    /// Returns the number of messages in the list.
    pub(crate) fn len(&self) -> usize {
        self.sums.len() - 1
    }

    /// Returns the tokens of the tool schemas and the messages before `end`, truncated and pruned
    /// as far as `reach` says. Reported usage is not considered.
    pub(crate) fn tokens_before(&self, end: usize, reach: &Reach) -> usize {
        subtract_saved(self.tools + self.sums[end], self.saved_before(end, reach))
    }

    /// Returns the messages in a range that truncation would change.
    pub(crate) fn cut_messages(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let at = self.cuts.partition_point(|cuts| cuts.message < range.start);
        self.cuts[at..]
            .iter()
            .map(|cuts| cuts.message)
            .take_while(move |message| *message < range.end)
    }

    /// Returns the first message in a range that truncation would change.
    pub(crate) fn first_cut(&self, range: Range<usize>) -> Option<usize> {
        self.cut_messages(range).next()
    }

    /// Returns the effect of truncating all messages before `end`.
    pub(super) fn cut_before(&self, end: usize) -> MessageCut {
        let count = self.cuts.partition_point(|cuts| cuts.message < end);
        let (arguments, saved) = count
            .checked_sub(1)
            .map_or((0, 0), |last| (self.cuts[last].arguments, self.cuts[last].saved));
        MessageCut { arguments, saved }
    }

    /// Returns the tokens saved in messages before `end`.
    #[inline]
    pub(super) fn saved_before(&self, end: usize, reach: &Reach) -> i64 {
        if *reach == Reach::default() {
            return 0;
        }
        let cleared = self.cleared[..reach.pruned].partition_point(|result| result.message < end);
        self.cut_before(end.min(reach.truncated_before)).saved + self.saved_by_clearing(cleared)
    }

    pub(super) fn call_tokens(&self, reach: &Reach) -> usize {
        self.scaled_tokens(0..self.len(), 0, reach)
    }

    /// Returns those of a call's `tokens` that triggers compare.
    pub(super) fn counted_tokens(&self, tokens: usize, reach: &Reach) -> usize {
        let TriggerCount { system, tools } = self.policy.count;
        if system && tools && !self.policy.summarize.after_step {
            return tokens;
        }
        let first = if system { 0 } else { self.head };
        let skipped = if tools { 0 } else { self.tools };
        self.scaled_tokens(first..self.decision_end(), skipped, reach)
    }

    /// Returns true if the messages that the policy decides on end with an answer without calls.
    pub(super) fn is_decision_answered(&self) -> bool {
        if self.policy.summarize.after_step { self.step_is_answered } else { self.is_answered }
    }

    /// Returns the end of the messages that the policy decides on.
    pub(super) fn decision_end(&self) -> usize {
        if self.policy.summarize.after_step { self.step_end.max(self.head) } else { self.len() }
    }

    /// Returns the tokens of a range of messages and the schemas without `skipped` tokens, as
    /// reported usage corrects them. No answer comes after the range, and none before it.
    pub(super) fn scaled_tokens(
        &self,
        range: Range<usize>,
        skipped: usize,
        reach: &Reach,
    ) -> usize {
        let messages = range.len();
        let skipped = skipped + self.sums[range.start];
        let total = subtract_saved(
            self.tools + self.sums[range.end],
            self.saved_before(range.end, reach) + skipped as i64,
        );
        if !self.counter.scales_with_usage() || messages < 2 {
            return total;
        }
        self.usage.scale_total(total, |last| skipped as i64 + self.saved_before(last + 1, reach))
    }
}

fn subtract_saved(tokens: usize, saved: i64) -> usize {
    usize::try_from(tokens as i64 - saved).unwrap_or(0)
}

//! The effective messages of one thread: the last summary and the messages behind its cutoff. The
//! list grows message by message. Every message is read and counted once, and moved, never copied.

use crate::deciding::plan::{Edit, Eviction, overlay_edits};
use crate::deciding::planner::{ClearedResult, MessageCut, Meter, ResultName};
use crate::deciding::policy::{OnGrowth, PruneRule, Thresholds, TriggerMeasure};
use crate::deciding::strategy::evict::{EvictionCandidate, plan_eviction};
use crate::deciding::strategy::prune;
use crate::deciding::tokens::TokenCounter;
use crate::reading::json::Span;
use crate::reading::transcript::{Message, Role, overlay::Overlay, view::TranscriptView};
use crate::running::conversation::Conversation;
use crate::settings::Settings;
use std::iter::{self, Peekable};
use std::vec;

/// The facts about one message of the list.
pub(crate) struct EffectiveMessage {
    /// Its index in the log. None for a message of a summary.
    pub(crate) logged: Option<usize>,
    /// Tokens as logged.
    pub(super) tokens: usize,
    /// Tokens as it is sent while it is recent: an evicted result counts as its notice.
    pub(super) tokens_sent: usize,
    /// The effect of truncation.
    pub(super) cut: Option<MessageCut>,
    /// The facts about a large result.
    pub(super) large: Option<Box<LargeResult>>,
    /// The number of summaries that cut its text.
    pub(super) times_cut: usize,
}

/// A tool result that may be evicted.
pub(super) struct LargeResult {
    pub(super) candidate: EvictionCandidate,
    name: ResultName,
    /// The eviction made when the result was added. None if the result only goes where the list
    /// would not fit otherwise.
    pub(super) eviction: Option<Eviction>,
}

impl EffectiveMessage {
    pub(crate) fn tokens(&self) -> usize {
        self.tokens
    }

    /// Returns the eviction if the message is an evicted result.
    pub(crate) fn eviction(&self) -> Option<&Eviction> {
        self.large.as_ref()?.eviction.as_ref()
    }
}

/// What summaries saved that are not in the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnloggedSaving {
    /// What the log reported as used before the last of them.
    used_before: u64,
    /// The tokens that they saved.
    tokens: u64,
}

/// The messages of the log that are not yet in the list.
pub(crate) struct RemainingLog {
    messages: vec::IntoIter<Message>,
    tokens: vec::IntoIter<usize>,
    candidates: Peekable<vec::IntoIter<(EvictionCandidate, ResultName)>>,
}

impl RemainingLog {
    /// Returns the next message without taking it.
    pub(crate) fn peek(&self) -> Option<&Message> {
        self.messages.as_slice().first()
    }
}

/// The effective messages of one thread.
pub(crate) struct EffectiveList<'w, 'u> {
    /// The thread. Its transcript holds the effective messages, and its counts are those as logged.
    pub(crate) conversation: Conversation<'u>,
    pub(crate) meter: Meter<'w>,
    pub(crate) messages: Vec<EffectiveMessage>,
    /// The messages of the summary, as the model reads them.
    pub(crate) summary: Vec<(Role, String)>,
    /// The span of the message list in the record, if a single record holds all messages.
    pub(crate) list_span: Option<Span>,
    /// What the summaries of this replay saved, which the log does not know.
    pub(super) unlogged_saving: Option<UnloggedSaving>,
    pub(crate) settings: &'w Settings,
    pub(super) thresholds: &'w Thresholds,
    pub(super) provider: Option<&'w str>,
    pub(crate) counter: &'w dyn TokenCounter,
}

impl<'w, 'u> EffectiveList<'w, 'u> {
    /// Returns an empty list, and the messages that will be added to it.
    pub(crate) fn begin(
        mut conversation: Conversation<'u>,
        settings: &'w Settings,
        thresholds: &'w Thresholds,
        provider: Option<&'w str>,
    ) -> (Self, RemainingLog) {
        let counter = settings.counter(conversation.model.as_deref(), provider);
        let count = conversation.transcript.messages.len();
        let messages =
            std::mem::replace(&mut conversation.transcript.messages, Vec::with_capacity(count));
        let tokens = std::mem::replace(&mut conversation.message_tokens, Vec::with_capacity(count));
        let names = std::mem::take(&mut conversation.names.results);
        let mut candidates: Vec<(EvictionCandidate, ResultName)> =
            std::mem::take(&mut conversation.candidates).into_iter().zip(names).collect();
        // Results above the threshold were named first; here the order of the messages counts.
        candidates.sort_by_key(|(candidate, _)| candidate.message);
        let list_span = if conversation.transcript.message_per_record {
            None
        } else {
            messages
                .first()
                .zip(messages.last())
                .map(|(first, last)| Span { start: first.span.start, end: last.span.end })
        };
        let log = RemainingLog {
            messages: messages.into_iter(),
            tokens: tokens.into_iter(),
            candidates: candidates.into_iter().peekable(),
        };
        let meter =
            Meter::new(&settings.policy, thresholds, provider, counter, conversation.tool_tokens);
        let list = Self {
            conversation,
            meter,
            messages: Vec::with_capacity(count),
            summary: Vec::new(),
            list_span,
            unlogged_saving: None,
            settings,
            thresholds,
            provider,
            counter,
        };
        (list, log)
    }

    /// Moves the next message of the log, which has index `logged` there, to the end of the list. A
    /// result above the threshold is evicted at once, as in the live agent. Returns true if the
    /// message was evicted.
    pub(crate) fn push_logged(&mut self, log: &mut RemainingLog, logged: usize) -> bool {
        let Some(tokens) = log.tokens.next() else {
            return false;
        };
        let index = self.messages.len();
        // `push` would move the message twice, and it is large.
        self.conversation.transcript.messages.extend(log.messages.by_ref().take(1));
        self.conversation.transcript.index_callers(index);
        self.correct_usage(index);
        let (mut tokens_sent, mut large) = (tokens, None);
        if log.candidates.peek().is_some_and(|(candidate, _)| candidate.message == logged)
            && let Some((mut candidate, name)) = log.candidates.next()
        {
            if candidate.human {
                // A call follows, and this is the last of its messages.
                candidate.large = log.peek().is_none_or(|next| next.role == Role::Assistant);
            }
            if candidate.large || !candidate.human {
                let result = self.inspect_large_result(index, tokens, candidate, name);
                tokens_sent = result.tokens_sent;
                large = Some(Box::new(result.large));
            }
        }
        let transcript = &self.conversation.transcript;
        let cut = if transcript.messages[index].role == Role::Assistant {
            self.meter.measure_cut(transcript, index, tokens)
        } else {
            None
        };
        self.count_last(tokens, tokens_sent, cut);
        let is_evicted = large.as_ref().is_some_and(|large| large.eviction.is_some());
        // Built in its place: moving it at once would stall until its parts are written.
        self.messages.extend(iter::once_with(|| EffectiveMessage {
            logged: Some(logged),
            tokens,
            tokens_sent,
            cut,
            large,
            times_cut: 0,
        }));
        is_evicted
    }

    /// Lowers the usage that the log reports with a message by what the summaries of this replay
    /// saved. Usage that fell is that of an agent that compacted, too, and stays.
    fn correct_usage(&mut self, index: usize) {
        let Some(saving) = &self.unlogged_saving else {
            return;
        };
        let message = &mut self.conversation.transcript.messages[index];
        let Some(used) = message.used_tokens() else {
            return;
        };
        if used < saving.used_before {
            self.unlogged_saving = None;
            return;
        }
        let tokens = saving.tokens;
        if let Some(usage) = &mut message.usage {
            let from_cache = tokens.saturating_sub(usage.input);
            usage.input = usage.input.saturating_sub(tokens);
            usage.cache_read = usage.cache_read.saturating_sub(from_cache);
            let signed = i64::try_from(tokens).unwrap_or(i64::MAX);
            usage.total_tokens = usage.total_tokens.saturating_sub(signed).max(1);
        }
    }

    /// Remembers that a summary made a call smaller by `tokens`, where the log reports the usage of
    /// the larger call.
    pub(super) fn note_saving(&mut self, tokens: usize) {
        if self.settings.policy.summarize.measure == TriggerMeasure::Estimate {
            return;
        }
        let messages = &self.conversation.transcript.messages;
        let used = messages.iter().rev().find_map(Message::used_tokens);
        let earlier = self.unlogged_saving.map_or(0, |saving| saving.tokens);
        if let Some(used) = used {
            self.unlogged_saving = Some(UnloggedSaving {
                used_before: used + earlier,
                tokens: earlier + tokens as u64,
            });
        }
    }

    /// Decides whether the result at message `index` is evicted now.
    fn inspect_large_result(
        &self,
        index: usize,
        tokens: usize,
        candidate: EvictionCandidate,
        name: ResultName,
    ) -> InspectedResult {
        let transcript = &self.conversation.transcript;
        let candidate = EvictionCandidate { message: index, ..candidate };
        let eviction = plan_eviction(
            transcript, &candidate, &self.settings.policy.evict, &name.file, &name.path,
        );
        let overlay = overlay_edits(transcript, &[Edit::Evict(eviction.clone())]);
        let view = TranscriptView::new(transcript, &overlay);
        let notice_tokens = self.counter.count_message(view, index);
        // Smaller results are only evicted where the list would not fit otherwise, which the
        // planner decides.
        let is_evicted = candidate.large
            && (notice_tokens <= tokens || self.settings.policy.on_growth == OnGrowth::Allow);
        InspectedResult {
            tokens_sent: if is_evicted { notice_tokens } else { tokens },
            large: LargeResult { candidate, name, eviction: is_evicted.then_some(eviction) },
        }
    }

    /// Counts the message that was added last.
    pub(super) fn count_last(
        &mut self,
        tokens: usize,
        tokens_sent: usize,
        cut: Option<MessageCut>,
    ) {
        self.meter.push_message(&self.conversation.transcript, tokens_sent, cut);
        self.conversation.message_tokens.push(tokens);
    }

    /// Gives the conversation the eviction candidates at their current places, for the planner.
    /// Cleared results are no candidates.
    pub(crate) fn restore_candidates(&mut self) {
        let clears_for_good = self.settings.policy.prune.rule == PruneRule::Tokens;
        let is_cleared = |large: &LargeResult| {
            clears_for_good && self.meter.cleared_at(large.candidate.message).is_some()
        };
        let candidates = self
            .messages
            .iter()
            .filter_map(|message| message.large.as_ref())
            .filter(|large| !is_cleared(large))
            .map(|large| (large.candidate.clone(), large.name.clone()));
        (self.conversation.candidates, self.conversation.names.results) = candidates.unzip();
    }

    /// Stage prune: clears the results that are old enough, for all later calls. Returns their
    /// messages.
    pub(crate) fn prune(&mut self) -> Vec<usize> {
        while let Some(index) = self.meter.next_unobserved() {
            self.observe_result(index);
        }
        self.meter.prune_old_results().iter().map(|cleared| cleared.message).collect()
    }

    /// Lets stage prune by number look at the results that are old enough by now.
    pub(super) fn observe_old_results(&mut self) {
        while let Some(index) = self.meter.next_old_result(&self.conversation.transcript) {
            let edit = self.messages[index].eviction().cloned().map(Edit::Evict);
            let overlay = self.overlay_of(edit);
            let view = TranscriptView::new(&self.conversation.transcript, &overlay);
            self.meter.observe_old_result(view, index);
        }
    }

    /// Returns the results that stage prune cleared for all later calls.
    pub(super) fn cleared_for_good(&self) -> &[ClearedResult] {
        match self.settings.policy.prune.rule {
            PruneRule::Tokens => self.meter.cleared_results(),
            PruneRule::Results => &[],
        }
    }

    /// Lets stage prune look at all messages before `end`, if it scans in the order in which
    /// messages are stored: they may leave the list now.
    pub(super) fn observe_results_before(&mut self, end: usize) {
        while let Some(index) = self.meter.next_unobserved_before(end) {
            self.observe_result(index);
        }
    }

    fn observe_result(&mut self, index: usize) {
        let message = &self.messages[index];
        let edit = match self.meter.cleared_at(index) {
            Some(cleared) => Some(self.pruning_of(cleared)),
            None => message.eviction().cloned().map(Edit::Evict),
        };
        let (overlay, tokens) = (self.overlay_of(edit), message.tokens_sent);
        let view = TranscriptView::new(&self.conversation.transcript, &overlay);
        self.meter.observe_result(view, index, tokens);
    }

    /// Returns the texts that one edit puts in place of the original.
    fn overlay_of(&self, edit: Option<Edit>) -> Overlay {
        let transcript = &self.conversation.transcript;
        edit.map(|edit| overlay_edits(transcript, &[edit])).unwrap_or_default()
    }

    /// Returns the edit that cleared a result.
    pub(crate) fn pruning_of(&self, cleared: &ClearedResult) -> Edit {
        if let Some(pruning) = self.meter.numbered_pruning(cleared) {
            return Edit::Prune(pruning.clone());
        }
        Edit::Prune(prune::plan_pruning(
            &self.conversation.transcript, &self.settings.policy.prune, cleared.message,
            cleared.tokens,
        ))
    }

    /// Returns the edits of all results cleared so far.
    pub(crate) fn prunings(&self) -> Vec<Edit> {
        self.cleared_for_good().iter().map(|cleared| self.pruning_of(cleared)).collect()
    }

    /// Returns the index in the list of the first message that is at `logged` or later in the log.
    pub(crate) fn index_of(&self, logged: usize) -> usize {
        // A summary comes after the system prompt and before all other kept messages.
        self.messages.partition_point(|message| message.logged.is_none_or(|index| index < logged))
    }
}

/// A large result with its tokens as it is sent.
struct InspectedResult {
    tokens_sent: usize,
    large: LargeResult,
}

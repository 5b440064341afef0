//! One thread, call by call: before each assistant message (and once more
//! unless the thread ends with one) the model is called with the effective
//! messages; what is decided for one call is carried into the next.

use crate::conversation::{Conversation, source_location};
use crate::json::encode_literal;
use crate::output::{OutputSpool, OutputTree};
use crate::plan::{Edit, Plan, Summary};
use crate::planner::{self, Outlook};
use crate::policy::Thresholds;
use crate::replay::cache::{CacheLookup, PromptCache};
use crate::replay::call::{CallOutcome, ReplayedCall, USUAL_BYTES, render_line_start};
use crate::replay::compaction::{CompactedCall, compact_call};
use crate::replay::effective::{Effective, Log};
use crate::replay::json_lines::JsonLines;
use crate::replay::report::{Compaction, Entry, LargestCall};
use crate::replay::samples::{Samples, Training};
use crate::replay::shown::{Shown, first_difference};
use crate::replay::taken::Taken;
use crate::report::TranscriptStatus;
use crate::settings::Settings;
use crate::summary::Summarizer;
use crate::summary::stop::StopFlag;
use crate::tokens::UsageScale;
use crate::transcript::{Message, Role};
use std::cell::OnceCell;
use time::OffsetDateTime;

/// What all walks of a run under one policy share.
pub(crate) struct Setting<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) summarizer: Option<&'s dyn Summarizer>,
    pub(crate) training: Option<&'s Training>,
    pub(crate) cache_life: u32,
    pub(crate) now: OffsetDateTime,
    pub(crate) stop: &'s StopFlag,
}

/// A thread that was walked.
pub(crate) struct Walked {
    pub(crate) entry: Entry,
    /// Its lines of `replay.jsonl`.
    pub(crate) calls: Vec<u8>,
    /// Samples that are short enough, and those that are too long.
    pub(crate) samples: [Option<OutputSpool>; 2],
}

/// What a call sent, as the next one finds it.
struct Sent {
    /// How many messages.
    len: usize,
    shown: Shown,
}

/// Consecutive calls each of which only adds to what the one before it sent.
#[derive(Clone)]
struct Stretch {
    /// Messages before this one are context; what the calls bring forth comes after it.
    context: usize,
    shown: Shown,
    /// One past the last answer.
    end: usize,
}

struct Walk<'w, 'u> {
    setting: &'w Setting<'w>,
    tree: &'w OutputTree,
    thresholds: &'w Thresholds,
    file: &'w str,
    /// Where framed summaries live, as JSON literals: one for each call that may need it.
    literals: &'u [OnceCell<Vec<u8>>],
    effective: Effective<'w, 'u>,
    head: usize,
    entry: Entry,
    /// The beginning of every line of the thread.
    line_start: Vec<u8>,
    calls: JsonLines,
    samples: Samples,
    taken: Taken,
    /// Results evicted since the last call.
    evicted: Vec<String>,
    sent: Option<Sent>,
    stretch: Option<Stretch>,
    cache: PromptCache,
    logged_cache: PromptCache,
    /// Tokens of all messages as logged, and what the log reports of them.
    logged_tokens: usize,
    logged_messages: usize,
    logged_sent: usize,
    logged_usage: UsageScale,
    timed: bool,
    /// When the message was logged that the list ends with.
    time: Option<f64>,
}

/// Walks a conversation under one policy. What is to be archived is written before this returns.
pub(crate) fn walk(
    one: Conversation<'_>,
    file: &str,
    setting: &Setting<'_>,
    tree: &OutputTree,
) -> Walked {
    let provider = one.provider.clone();
    let counter = setting
        .settings
        .counter(one.model.as_deref(), provider.as_deref());
    let mut entry = Entry::of(&one, file, counter.name());
    let thresholds = match &one.thresholds {
        Ok(thresholds) => thresholds.clone(),
        Err(error) => {
            entry.fail(error.to_string());
            return Walked {
                entry,
                calls: Vec::new(),
                samples: [None, None],
            };
        }
    };
    // At most one summary a call, at most one call a message and a last one.
    let literals: Vec<OnceCell<Vec<u8>>> = std::iter::repeat_with(OnceCell::new)
        .take(one.transcript.messages.len() + 1)
        .collect();
    let (head, timed, tools) = (
        one.transcript.system_prefix_len(),
        one.transcript.may_have_times(),
        one.tool_tokens,
    );
    // Hardly more than every other message is an answer: to look at all of them would cost more than it tells.
    let answers = one.transcript.messages.len() / 2;
    let line_start = render_line_start(
        entry.thread_id.as_deref().unwrap_or_default(),
        file,
        entry.line,
    );
    let (effective, log) =
        Effective::begin(one, setting.settings, &thresholds, provider.as_deref());
    let mut walk = Walk {
        setting,
        tree,
        thresholds: &thresholds,
        file,
        literals: &literals,
        effective,
        head,
        entry,
        calls: JsonLines::with_capacity((answers + 1) * (line_start.len() + USUAL_BYTES)),
        line_start,
        samples: Samples::default(),
        taken: Taken::new(setting.now),
        evicted: Vec::new(),
        sent: None,
        stretch: None,
        cache: PromptCache::new(setting.cache_life),
        logged_cache: PromptCache::new(setting.cache_life),
        logged_tokens: tools,
        logged_messages: 0,
        logged_sent: 0,
        logged_usage: UsageScale::default(),
        timed,
        time: None,
    };
    walk.all(log);
    walk.archive()
}

impl<'w, 'u> Walk<'w, 'u> {
    fn all(&mut self, mut log: Log) {
        let (mut last, mut has_acted) = (None, false);
        while let Some(message) = log.peek() {
            let role = message.role;
            // Some formats log one answer as several messages.
            let goes_on = |message: &Message| message.joined && message.role == Role::Assistant;
            if role == Role::Assistant && !(goes_on(message) && last == Some(Role::Assistant)) {
                // What has no time before it was called at about the time of its answer.
                let answered = if self.timed && self.time.is_none() {
                    self.effective.one.transcript.time_of(message)
                } else {
                    None
                };
                self.call(self.logged_messages, answered);
            }
            if role == Role::User && std::mem::take(&mut has_acted) {
                self.prune_where_due(false);
            }
            has_acted |= role == Role::Assistant;
            self.push(&mut log);
            if role == Role::Assistant && !log.peek().is_some_and(goes_on) {
                self.answered();
            }
            last = Some(role);
        }
        if last.is_some_and(|role| role != Role::Assistant) {
            self.call(self.logged_messages, None);
        }
        self.end_stretch();
    }

    fn push(&mut self, log: &mut Log) {
        let place = self.effective.seats.len();
        if self.effective.push(log, self.logged_messages)
            && let Some(eviction) = self.effective.seats[place].eviction()
        {
            self.evicted.push(eviction.call_id.clone());
            self.taken.evict(&self.effective.one.transcript, eviction);
        }
        self.logged_messages += 1;
        self.logged_tokens += self.effective.seats[place].tokens();
        let transcript = &self.effective.one.transcript;
        self.logged_usage
            .observe_message(transcript, place, self.logged_tokens);
        if self.timed {
            self.time = transcript.time_of(&transcript.messages[place]);
        }
    }

    /// Stage prune, where this policy has it: before each call, or where the agent has ended its turn.
    #[inline(always)]
    fn prune_where_due(&mut self, before_call: bool) {
        let policy = &self.setting.settings.policy.prune;
        if policy.enabled && policy.each_call == before_call {
            self.prune();
        }
    }

    fn prune(&mut self) {
        let places = self.effective.prune();
        self.taken.prune(&self.effective, places);
    }

    /// The model is called, for message `at` of the log; `answered` is the time of its answer, where nothing tells that of the call.
    fn call(&mut self, at: usize, answered: Option<f64>) {
        self.time = self.time.or(answered);
        self.prune_where_due(true);
        let Outlook {
            tokens,
            truncated_args,
            reach,
            needs_planner,
        } = self.effective.meter.outlook();
        let mut made = CallOutcome {
            total_tokens: tokens,
            tokens_sent: tokens,
            truncated_args,
            pruned_results: reach.pruned,
            ..CallOutcome::default()
        };
        let mut shown = Shown {
            reach,
            shrunk: None,
        };
        // What is still as the call before sent it; a summary replaces part of that.
        let alike = if needs_planner {
            self.ask(at, &mut shown, &mut made)
        } else {
            None
        };
        let (common, whole) = self.sent.as_ref().map_or((0, false), |sent| {
            let same = alike.unwrap_or_else(|| self.effective.alike(&sent.shown, &shown, sent.len));
            (self.effective.tokens_before(same, &shown), same == sent.len)
        });
        if self.setting.training.is_some() {
            self.stretch_to(&shown, whole);
        }
        self.sent = Some(Sent {
            len: self.effective.seats.len(),
            shown,
        });
        let (cache, cached) = self
            .cache
            .look_up(self.time, common.min(made.tokens_sent), whole);
        self.record(at, &made, cache, cached);
    }

    /// A call that only adds to the one before it (`whole`) goes on with its stretch; another begins a new one.
    fn stretch_to(&mut self, shown: &Shown, whole: bool) {
        let goes_on = whole
            && self
                .stretch
                .as_ref()
                .is_some_and(|stretch| self.shows_answers_since(stretch.context, shown));
        match &mut self.stretch {
            // The last call decides how results read that none before it saw.
            Some(stretch) if goes_on => stretch.shown.clone_from(shown),
            _ => {
                self.end_stretch();
                self.stretch = Some(Stretch {
                    context: self.effective.seats.len(),
                    shown: shown.clone(),
                    end: 0,
                });
            }
        }
    }

    /// Whether a call shows all answers from message `first` on as they were given: what is trained on is not also truncated.
    fn shows_answers_since(&self, first: usize, shown: &Shown) -> bool {
        let is_cut = |edit: &Edit| matches!(edit, Edit::Truncate(cut) if cut.message >= first);
        let truncated_before = shown.reach.truncated_before.max(first);
        self.effective
            .meter
            .first_cut(first..truncated_before)
            .is_none()
            && !shown
                .shrunk
                .iter()
                .flat_map(|edits| edits.iter())
                .any(is_cut)
    }

    /// Writes a call down.
    fn record(&mut self, at: usize, made: &CallOutcome, cache: CacheLookup, cached_tokens: usize) {
        let scales = self.effective.counter.scales_with_usage() && self.logged_messages > 1;
        let tokens_logged = if scales {
            self.logged_usage.scale_total(self.logged_tokens, |_| 0)
        } else {
            self.logged_tokens
        };
        let (logged_cache, logged_cached) =
            self.logged_cache
                .look_up(self.time, self.logged_sent.min(tokens_logged), true);
        self.logged_sent = self.logged_tokens;
        let refused = |tokens: usize| planner::exceeds_limit(self.thresholds, tokens);
        let entry = &mut self.entry;
        let call = ReplayedCall {
            number: entry.calls,
            at,
            messages_sent: self.effective.seats.len()
                - self.effective.one.transcript.system_prefix_len(),
            tokens_logged,
            outcome: made,
            archive: &self.effective.one.names.history_path,
            evicted: &self.evicted,
            cache,
            cached_tokens,
            is_refused: refused(made.tokens_sent),
        };
        call.append_line(&self.line_start, &mut self.calls);
        entry.calls += 1;
        entry.sent.add_call(made.tokens_sent, cached_tokens, cache);
        entry
            .logged
            .add_call(tokens_logged, logged_cached, logged_cache);
        entry.refused_calls += usize::from(call.is_refused);
        entry.refused_calls_logged += usize::from(refused(tokens_logged));
        entry.truncated_calls += usize::from(made.truncated_args > 0);
        if entry
            .largest_call
            .as_ref()
            .is_none_or(|largest| made.tokens_sent > largest.tokens)
        {
            entry.largest_call = Some(LargestCall {
                at,
                tokens: made.tokens_sent,
            });
        }
        entry.largest_logged = entry.largest_logged.max(tokens_logged);
        if let (Some(cutoff_index), Some(summarized_messages)) =
            (made.cutoff_index, made.summarized_messages)
        {
            let (tokens_before, tokens_after) = (made.total_tokens, made.tokens_sent);
            entry.compactions.push(Compaction {
                at,
                cutoff_index,
                summarized_messages,
                tokens_before,
                tokens_after,
            });
        }
        if made.error.is_some() {
            entry.failed_summaries += 1;
            entry.error = entry.error.take().or_else(|| {
                made.error
                    .clone()
                    .map(|error| format!("at message {at}: {error}"))
            });
        }
        entry.evicted.append(&mut self.evicted);
    }

    /// Asks the planner, and carries out a summary. Returns how many messages are as the call before sent them, where
    /// there is a summary.
    fn ask(&mut self, at: usize, shown: &mut Shown, made: &mut CallOutcome) -> Option<usize> {
        self.effective.prepare();
        let meter = &self.effective.meter;
        let cleared = meter.cleared_results().iter();
        let cleared: Vec<Edit> = cleared
            .map(|result| self.effective.pruning(result))
            .collect();
        let place = source_location(self.file, self.entry.line, None);
        let decision = compact_call(
            &self.effective.one,
            self.setting.settings,
            self.setting.summarizer,
            self.setting.stop,
            &cleared,
            &place,
        );
        self.entry.note(decision.notes);
        made.reasons = decision.reasons;
        let CompactedCall { plan, text, tokens } = match decision.compacted {
            Ok(compacted) => compacted,
            Err(error) => {
                made.error = Some(error);
                return None;
            }
        };
        *shown = Shown::of(&plan, &shown.reach);
        if shown.shrunk.is_some() {
            self.evicted
                .extend(self.taken.shrink(&self.effective, &plan));
        }
        (made.total_tokens, made.tokens_sent) = (plan.total_tokens, plan.tokens_after);
        (made.truncated_args, made.pruned_results) =
            (plan.truncations().count(), plan.prunings().count());
        let (summary, text) = (plan.summary()?, text?);
        made.tokens_sent = tokens;
        (made.summarized_messages, made.messages_in_summary) = (
            Some(summary.messages.len()),
            Some(summary.hole.window.len()),
        );
        Some(self.summarize(at, &plan, summary, &text, shown, made))
    }

    fn summarize(
        &mut self,
        at: usize,
        plan: &Plan,
        summary: &Summary,
        text: &str,
        shown: &mut Shown,
        made: &mut CallOutcome,
    ) -> usize {
        self.taken
            .summarize(&self.effective.one.transcript, plan, summary);
        // What is kept comes from the log: only its first message may be the summary before.
        let kept = (summary.first_kept..self.effective.seats.len())
            .find_map(|place| Some((place, self.effective.seats[place].logged?)));
        let (first_kept, logged) = kept.unwrap_or((self.effective.seats.len(), at));
        made.cutoff_index = Some(logged - self.head);
        self.end_stretch();
        let before = self.sent.as_ref().map(|sent| {
            (
                self.effective.edits(&sent.shown, sent.len),
                self.effective.identities(sent.len),
            )
        });
        let framed = summary.frame.render(&summary.path, text);
        let literals = self.literals[self.entry.calls].get_or_init(|| {
            framed
                .iter()
                .flat_map(|(_, text)| encode_literal(text))
                .collect()
        });
        self.effective.compact(summary, framed, literals);
        let effective = &self.effective;
        *shown = shown.moved(
            first_kept,
            effective.place_of(logged),
            effective.meter.cleared_results().len(),
        );
        // What the summary stands for is not sent as a placeholder.
        made.pruned_results = shown.pruned_results();
        let Some((edits, identities)) = before else {
            return 0;
        };
        let count = effective.seats.len();
        let same = identities
            .iter()
            .zip(effective.identities(count))
            .take_while(|(before, now)| **before == *now)
            .count();
        first_difference(&edits, &effective.edits(shown, count))
            .map_or(same, |first| first.min(same))
    }

    /// The model has answered the call: its message is the last of the list.
    fn answered(&mut self) {
        let end = self.effective.seats.len();
        if let Some(stretch) = &mut self.stretch {
            stretch.end = end;
        }
        if let (Some(training), Some(stretch)) = (self.setting.training, &self.stretch)
            && training.per_call
        {
            // What this very call sent is context.
            let (context, shown) = self
                .sent
                .as_ref()
                .map_or((0, &stretch.shown), |sent| (sent.len, &sent.shown));
            self.samples
                .add(training, &self.effective, [context, end], shown, self.tree);
        }
    }

    fn end_stretch(&mut self) {
        let Some(stretch) = self.stretch.take() else {
            return;
        };
        if let Some(training) = self.setting.training
            && !training.per_call
            && stretch.end > stretch.context
        {
            self.samples.add(
                training,
                &self.effective,
                [stretch.context, stretch.end],
                &stretch.shown,
                self.tree,
            );
        }
    }

    /// Writes what was taken out of the context, before any call that names it is handed on.
    fn archive(self) -> Walked {
        let redacts = self.setting.settings.policy.redact;
        let Self {
            effective,
            mut entry,
            calls,
            samples,
            taken,
            tree,
            ..
        } = self;
        let changed = !entry.compactions.is_empty()
            || !entry.evicted.is_empty()
            || entry.truncated_calls > 0
            || taken.has_pruned();
        let samples = match taken
            .write(&effective.one, tree, redacts, &mut entry)
            .and_then(|()| samples.finish(&mut entry))
        {
            Ok(samples) => samples,
            Err(error) => {
                entry.fail(format!("{error}; its calls are left out"));
                return Walked {
                    entry,
                    calls: Vec::new(),
                    samples: [None, None],
                };
            }
        };
        entry.status = match (&entry.error, changed) {
            (Some(_), _) => TranscriptStatus::Failed,
            (None, true) => TranscriptStatus::Compacted,
            (None, false) => TranscriptStatus::Unchanged,
        };
        Walked {
            entry,
            calls: calls.into_bytes(),
            samples,
        }
    }
}

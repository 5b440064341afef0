//! One thread, call by call: before each assistant message (and once more
//! unless the thread ends with one) the model is called with the effective
//! messages; what is decided for one call is carried into the next.

use crate::archive::{HISTORY_DIR, RESULTS_DIR, markdown};
use crate::commands::archiving::{redact, section, write_all};
use crate::commands::filling::{Noted, fill};
use crate::commands::question::answer;
use crate::commands::replay::cache::{Cache, Cached};
use crate::commands::replay::call::{self, Call, Made};
use crate::commands::replay::effective::{Effective, Log};
use crate::commands::replay::further::Further;
use crate::commands::replay::report::{Compaction, Entry, LargestCall};
use crate::commands::replay::samples::{Samples, Training};
use crate::output::Tree;
use crate::plan::{Edit, Plan, Stage, Summary, overlay};
use crate::planner::{self, Outlook};
use crate::policy::Thresholds;
use crate::report::Status;
use crate::run::{Conversation, place};
use crate::settings::Settings;
use crate::strategy::evict::result_text;
use crate::summary::Summarizer;
use crate::summary::stop::Stop;
use crate::tokens::UsageScale;
use crate::transcript::view::View;
use crate::transcript::{Message, Role, text};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use time::OffsetDateTime;

/// What all walks of a run under one policy share.
pub(super) struct Setting<'s> {
    pub(super) settings: &'s Settings,
    pub(super) summarizer: Option<&'s dyn Summarizer>,
    pub(super) training: Option<&'s Training>,
    pub(super) cache_life: u32,
    pub(super) now: OffsetDateTime,
    pub(super) stop: &'s Stop,
}

/// A thread that was walked.
pub(super) struct Walked {
    pub(super) entry: Entry,
    /// Its lines of `replay.jsonl`.
    pub(super) calls: Vec<u8>,
    pub(super) samples: Samples,
}

/// What a call sent, as the next one finds it.
struct Sent {
    /// How many messages.
    len: usize,
    /// Messages before this one were truncated.
    cut_before: usize,
    further: Rc<Further>,
}

/// Consecutive calls each of which only adds to what the one before it sent.
#[derive(Clone)]
struct Stretch {
    /// Messages before this one are context; what the calls bring forth comes after it.
    context: usize,
    cut_before: usize,
    further: Rc<Further>,
    /// One past the last answer.
    end: usize,
}

struct Walk<'w, 'u> {
    setting: &'w Setting<'w>,
    thresholds: &'w Thresholds,
    file: &'w str,
    /// Where framed summaries live, as JSON literals: one for each call that may need it.
    literals: &'u [OnceCell<Vec<u8>>],
    effective: Effective<'w, 'u>,
    head: usize,
    entry: Entry,
    /// How each line of a call begins.
    place: Vec<u8>,
    calls: Vec<u8>,
    samples: Samples,
    /// The archive's sections so far.
    sections: Vec<u8>,
    results: Vec<(String, String)>,
    /// Results evicted since the last call.
    evicted: Vec<String>,
    /// Results that were pruned, by their place in the log.
    pruned: BTreeSet<usize>,
    sent: Option<Sent>,
    /// What stages prune and overflow do to most calls.
    nothing: Rc<Further>,
    stretch: Option<Stretch>,
    cache: Cache,
    logged_cache: Cache,
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
pub(super) fn walk(one: Conversation<'_>, file: &str, setting: &Setting<'_>, tree: &Tree) -> Walked {
    let provider = one.provider.clone();
    let counter = setting.settings.counter(one.model.as_deref(), provider.as_deref());
    let mut entry = Entry::of(&one, file, counter.name());
    let thresholds = match &one.thresholds {
        Ok(thresholds) => thresholds.clone(),
        Err(error) => {
            entry.fail(error.clone());
            return Walked { entry, calls: Vec::new(), samples: Samples::default() };
        }
    };
    // At most one summary a call, at most one call a message and a last one.
    let literals: Vec<OnceCell<Vec<u8>>> = std::iter::repeat_with(OnceCell::new).take(one.transcript.messages.len() + 1).collect();
    let (head, timed, tools) = (one.transcript.head(), one.transcript.may_have_times(), one.tools);
    // Hardly more than every other message is an answer: to look at all of them would cost more than it tells.
    let answers = one.transcript.messages.len() / 2;
    let place = call::place(entry.thread_id.as_deref().unwrap_or_default(), file, entry.line);
    let (effective, log) = Effective::begin(one, setting.settings, &thresholds, provider.as_deref());
    let mut walk = Walk {
        setting,
        thresholds: &thresholds,
        file,
        literals: &literals,
        effective,
        head,
        entry,
        calls: Vec::with_capacity((answers + 1) * (place.len() + call::USUAL_BYTES)),
        place,
        samples: Samples::default(),
        sections: Vec::new(),
        results: Vec::new(),
        evicted: Vec::new(),
        pruned: BTreeSet::new(),
        sent: None,
        nothing: Rc::default(),
        stretch: None,
        cache: Cache::new(setting.cache_life),
        logged_cache: Cache::new(setting.cache_life),
        logged_tokens: tools,
        logged_messages: 0,
        logged_sent: 0,
        logged_usage: UsageScale::default(),
        timed,
        time: None,
    };
    walk.all(log);
    walk.archive(tree)
}

impl<'w, 'u> Walk<'w, 'u> {
    fn all(&mut self, mut log: Log) {
        let mut last = None;
        while let Some(message) = log.peek() {
            let role = message.role;
            // Some formats log one answer as several messages.
            let goes_on = |message: &Message| message.joined && message.role == Role::Assistant;
            if role == Role::Assistant && !(goes_on(message) && last == Some(Role::Assistant)) {
                // What has no time before it was called at about the time of its answer.
                let answered = if self.timed && self.time.is_none() { self.effective.one.transcript.time_of(message) } else { None };
                self.call(self.logged_messages, answered);
            }
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
        if let Some(eviction) = self.effective.push(log, self.logged_messages) {
            self.evicted.push(eviction.call_id.clone());
            let file = eviction.file.clone();
            self.results.push((file, result_text(&self.effective.one.transcript, place)));
        }
        self.logged_messages += 1;
        self.logged_tokens += self.effective.seats[place].tokens();
        let transcript = &self.effective.one.transcript;
        self.logged_usage.see(transcript, place, self.logged_tokens);
        if self.timed {
            self.time = transcript.time_of(&transcript.messages[place]);
        }
    }

    /// The model is called, for message `at` of the log; `answered` is the time of its answer, where nothing tells that of the call.
    fn call(&mut self, at: usize, answered: Option<f64>) {
        self.time = self.time.or(answered);
        let outlook = self.effective.meter.outlook();
        let mut made = Made { total_tokens: outlook.tokens, tokens_sent: outlook.tokens, truncated_args: outlook.truncated_args, ..Made::default() };
        let (mut cut_before, mut further) = (outlook.cut_before, Rc::clone(&self.nothing));
        if outlook.ask {
            cut_before = self.ask(at, &outlook, &mut made);
            further = Rc::new(std::mem::take(&mut made.further));
        }
        let (common, whole) = match (&self.sent, made.common) {
            (None, _) => (0, false),
            // A summary took the place of what was sent, unless that was no more than what stands before it.
            (Some(sent), Some(common)) => (self.effective.meter.prefix(common, 0), common == sent.len),
            (Some(sent), None) => {
                let changed = sent.cut_before.min(cut_before)..sent.cut_before.max(cut_before).min(sent.len);
                let same = self.effective.meter.first_cut(changed).unwrap_or(sent.len);
                let same = sent.further.first_difference(&further).map_or(same, |first| first.min(same));
                let tokens = self.effective.meter.prefix(same, sent.cut_before.min(cut_before)) as i64 - further.saved_before(same);
                (usize::try_from(tokens).unwrap_or(0), same == sent.len)
            }
        };
        let goes_on = whole && self.stretch.as_ref().is_some_and(|stretch| self.shows_answers_since(stretch.context, cut_before, &further));
        match &mut self.stretch {
            // The last call decides how results read that none before it saw.
            Some(stretch) if goes_on => (stretch.cut_before, stretch.further) = (cut_before, Rc::clone(&further)),
            _ => {
                self.end_stretch();
                self.stretch = Some(Stretch { context: self.effective.seats.len(), cut_before, further: Rc::clone(&further), end: 0 });
            }
        }
        self.sent = Some(Sent { len: self.effective.seats.len(), cut_before, further });
        let (cache, cached) = self.cache.call(self.time, common.min(made.tokens_sent), whole);
        self.record(at, &made, cache, cached);
    }

    /// Whether a call shows all answers from message `first` on as they were given: what is trained on is not also truncated.
    fn shows_answers_since(&self, first: usize, cut_before: usize, further: &Further) -> bool {
        let is_cut = |(message, edit): &(usize, Edit)| *message >= first && matches!(edit, Edit::Truncate(_));
        self.effective.meter.first_cut(first..cut_before.max(first)).is_none() && !further.edits.iter().any(is_cut)
    }

    /// Writes a call down.
    fn record(&mut self, at: usize, made: &Made, cache: Cached, cached_tokens: usize) {
        let scales = self.effective.counter.scales_with_usage() && self.logged_messages > 1;
        let tokens_logged = if scales { self.logged_usage.scale(self.logged_tokens, |_| 0) } else { self.logged_tokens };
        let (logged_cache, logged_cached) = self.logged_cache.call(self.time, self.logged_sent.min(tokens_logged), true);
        self.logged_sent = self.logged_tokens;
        let refused = |tokens: usize| planner::over_limit(self.thresholds, &made.reasons, tokens).is_some();
        let entry = &mut self.entry;
        let call = Call {
            call: entry.calls,
            at,
            n_sent: self.effective.seats.len() - self.effective.one.transcript.head(),
            tokens_logged,
            made,
            archive: &self.effective.one.names.history_path,
            evicted: &self.evicted,
            cache,
            cached_tokens,
            refused: refused(made.tokens_sent),
        };
        call.write(&self.place, &mut self.calls);
        entry.calls += 1;
        entry.sent.add(made.tokens_sent, cached_tokens, cache);
        entry.logged.add(tokens_logged, logged_cached, logged_cache);
        entry.refused_calls += usize::from(call.refused);
        entry.refused_calls_logged += usize::from(refused(tokens_logged));
        entry.truncated_calls += usize::from(made.truncated_args > 0);
        if entry.largest_call.as_ref().is_none_or(|largest| made.tokens_sent > largest.tokens) {
            entry.largest_call = Some(LargestCall { at, tokens: made.tokens_sent });
        }
        entry.largest_logged = entry.largest_logged.max(tokens_logged);
        if let (Some(cutoff_index), Some(summarized_messages)) = (made.cutoff, made.summarized) {
            let (tokens_before, tokens_after) = (made.total_tokens, made.tokens_sent);
            entry.compactions.push(Compaction { at, cutoff_index, summarized_messages, tokens_before, tokens_after });
        }
        if made.error.is_some() {
            entry.failed_summaries += 1;
            entry.error = entry.error.take().or_else(|| made.error.clone().map(|error| format!("at message {at}: {error}")));
        }
        entry.evicted.append(&mut self.evicted);
    }

    /// Asks the planner, and carries out a summary. Returns where truncation ends in what is sent.
    fn ask(&mut self, at: usize, outlook: &Outlook, made: &mut Made) -> usize {
        self.effective.prepare();
        let (settings, one) = (self.setting.settings, &self.effective.one);
        let ledger = one.ledger(self.effective.counter);
        let mut noted = Noted { place: place(self.file, self.entry.line, None), ..Noted::default() };
        let filled = one.planning(settings, &ledger).and_then(|input| {
            let planned = planner::plan(&input);
            made.reasons.clone_from(&planned.reasons);
            let answer = answer(one, &input, &planned, settings, self.setting.summarizer, &mut noted.redacted);
            let (plan, text) = fill(one, &input, planned, (settings, self.setting.stop), &mut noted, answer)?;
            let tokens = plan.summary().zip(text.as_ref()).map(|(summary, text)| planner::tokens_with(&input, &plan, summary, text));
            Ok((plan, text, tokens))
        });
        self.entry.note(noted);
        let (plan, text, tokens) = match filled {
            Ok(filled) => filled,
            Err(error) => {
                made.error = Some(error);
                return outlook.cut_before;
            }
        };
        made.reasons.clone_from(&plan.reasons);
        // The planner knows triggers that the sums don't.
        let cut_before = if plan.truncations().next().is_some() { self.effective.meter.truncates_before() } else { 0 };
        made.further = {
            let (seats, counter) = (&self.effective.seats, self.effective.counter);
            Further::of(&plan, &self.effective.one.transcript, counter, |place| seats[place].sent())
        };
        if !made.further.is_empty() {
            self.archive_further(&plan);
        }
        (made.total_tokens, made.tokens_sent, made.truncated_args) = (plan.total_tokens, plan.tokens_after, plan.truncations().count());
        let (Some(summary), Some(text), Some(tokens)) = (plan.summary(), text, tokens) else { return cut_before };
        made.tokens_sent = tokens;
        (made.summarized, made.window) = (Some(summary.messages.len()), Some(summary.hole.window.len()));
        self.summarize(at, &plan, summary, &text, cut_before, made)
    }

    /// What stages prune and overflow took out of the call, the first time that they do.
    fn archive_further(&mut self, plan: &Plan) {
        let (transcript, seats) = (&self.effective.one.transcript, &self.effective.seats);
        let pruned = plan.prunings().map(|pruning| pruning.message);
        let new: Vec<usize> = pruned.filter(|place| seats[*place].logged.is_some_and(|index| self.pruned.insert(index))).collect();
        if !new.is_empty() {
            let overlay = overlay(transcript, &plan.edits_before(Stage::Prune));
            let view = View { transcript, overlay: &overlay };
            markdown::pruned(self.setting.now, &mut self.sections, |out| markdown::push_buffer(view, &new, None, out));
        }
        for eviction in plan.evictions() {
            if !self.results.iter().any(|(file, _)| *file == eviction.file) {
                self.evicted.push(eviction.call_id.clone());
                self.results.push((eviction.file.clone(), result_text(transcript, eviction.message)));
            }
        }
    }

    fn summarize(&mut self, at: usize, plan: &Plan, summary: &Summary, text: &str, cut_before: usize, made: &mut Made) -> usize {
        let transcript = &self.effective.one.transcript;
        let overlay = overlay(transcript, &plan.edits);
        section(View { transcript, overlay: &overlay }, summary, self.setting.now, &mut self.sections);
        // What is kept comes from the log: only its first message may be the summary before.
        let kept = self.effective.seats[summary.first_kept..].iter().find_map(|seat| seat.logged).unwrap_or(at);
        made.cutoff = Some(kept - self.head);
        self.end_stretch();
        let framed = summary.frame.render(&summary.path, text);
        let literals = self.literals[self.entry.calls].get_or_init(|| framed.iter().flat_map(|(_, text)| text::literal(text)).collect());
        let first_kept = summary.first_kept;
        let logged: Vec<Option<usize>> = self.effective.seats.iter().map(|seat| seat.logged).collect();
        let common = self.effective.compact(summary, framed, literals);
        let seats = &self.effective.seats;
        made.further = made.further.moved(|place| logged[place].and_then(|index| seats.iter().position(|seat| seat.logged == Some(index))));
        let sent = self.sent.as_ref().map_or(0, |sent| sent.len);
        made.common = Some(common.min(sent));
        self.effective.place_of(kept) + cut_before.saturating_sub(first_kept)
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
            let sent = self.sent.as_ref().map_or(0, |sent| sent.len);
            let (cut_before, further) = self.sent.as_ref().map_or((stretch.cut_before, &stretch.further), |sent| (sent.cut_before, &sent.further));
            self.samples.add(training, &self.effective, self.setting.settings, [end, sent, cut_before], further);
        }
    }

    fn end_stretch(&mut self) {
        let Some(stretch) = self.stretch.take() else { return };
        if let Some(training) = self.setting.training
            && !training.per_call
            && stretch.end > stretch.context
        {
            self.samples.add(training, &self.effective, self.setting.settings, [stretch.end, stretch.context, stretch.cut_before], &stretch.further);
        }
    }

    /// Writes what was taken out of the context, before any call that names it is handed on.
    fn archive(self, tree: &Tree) -> Walked {
        let redacts = self.setting.settings.policy.redact;
        let Self { effective, mut entry, calls, samples, sections, results, pruned, .. } = self;
        let one = &effective.one;
        let directory = Path::new(RESULTS_DIR).join(one.results_directory());
        let texts = results.into_iter().map(|(name, text)| (directory.join(name), Cow::Owned(text.into_bytes())));
        let mut files: Vec<(PathBuf, Cow<'_, [u8]>)> = texts.collect();
        let history = Path::new(HISTORY_DIR).join(format!("{}.md", one.thread_name));
        if !sections.is_empty() {
            entry.archive = Some(history.to_string_lossy().into_owned());
            files.push((history, Cow::Owned(sections)));
        }
        if redacts {
            redact(&mut files, &mut entry.redacted);
        }
        if let Err(error) = write_all(tree, &files) {
            entry.fail(format!("{error}; its calls are left out"));
            return Walked { entry, calls: Vec::new(), samples: Samples::default() };
        }
        let changed = !entry.compactions.is_empty() || !entry.evicted.is_empty() || entry.truncated_calls > 0 || !pruned.is_empty();
        entry.status = match (&entry.error, changed) {
            (Some(_), _) => Status::Failed,
            (None, true) => Status::Compacted,
            (None, false) => Status::Unchanged,
        };
        samples.tell(&mut entry);
        Walked { entry, calls, samples }
    }
}

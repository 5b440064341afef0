//! Replays one thread message by message. Before each assistant message, and
//! once more unless the thread ends with one, the model is called with the
//! effective messages. What is decided for one call stays for the next.

use crate::base::stop_flag::StopFlag;
use crate::deciding::model::Prices;
use crate::deciding::policy::Thresholds;
use crate::deciding::tokens::UsageScale;
use crate::files::output::{OutputTree, StagedName, WriteError};
use crate::measuring::replay::call::{USUAL_BYTES, render_line_start};
use crate::measuring::replay::effective::{EffectiveList, RemainingLog};
use crate::measuring::replay::samples::{CallStretch, SampleSpools, ThreadSamples};
use crate::measuring::replay::{
    call_edits::CallEdits, json_lines::JsonLines, patch::PatchedAnswers, prompt_cache::PromptCache,
    thread_archive::ThreadArchive, thread_report::ThreadReport, training::TrainingOptions,
};
use crate::reading::transcript::{Message, Role, message_time::LastTime};
use crate::reporting::report::TranscriptStatus;
use crate::running::conversation::Conversation;
use crate::settings::Settings;
use crate::summary::Summarizer;
use std::cell::OnceCell;
use time::OffsetDateTime;

/// The settings that all threads of a run under one policy share.
pub(crate) struct ReplaySettings<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) summarizer: Option<&'s dyn Summarizer>,
    pub(crate) training: Option<&'s TrainingOptions>,
    /// The prices of models, and the lives of their prompt caches.
    pub(crate) prices: &'s Prices,
    /// The time in the headings of archive sections.
    pub(crate) now: OffsetDateTime,
    pub(crate) stop: &'s StopFlag,
}

#[derive(Default)]
pub(crate) struct ReplayedThread {
    pub(crate) report: ThreadReport,
    /// The thread's lines of `replay.jsonl`.
    pub(crate) lines: Vec<u8>,
    pub(crate) samples: SampleSpools,
    /// The archive files of what was removed from its context.
    pub(crate) archive_files: Vec<StagedName>,
    /// Nothing can be put on the disk: the run ends, and nothing of the thread is used.
    pub(crate) fault: Option<WriteError>,
}

impl ReplayedThread {
    /// Returns a thread whose report says why it failed. Its calls and samples are left out.
    pub(crate) fn failed(report: ThreadReport) -> Self {
        Self { report, ..Self::default() }
    }
}

/// The previous call, for comparison with the next.
pub(super) struct SentCall {
    /// The number of messages sent.
    pub(super) len: usize,
    pub(super) edits: CallEdits,
}

/// Sums over the thread as logged, without any policy.
pub(super) struct LoggedSums {
    /// The number of messages so far.
    pub(super) messages: usize,
    /// Tokens of the tool schemas and all messages so far.
    pub(super) tokens: usize,
    /// Tokens of the previous call.
    pub(super) last_call_tokens: usize,
    pub(super) usage: UsageScale,
    pub(super) cache: PromptCache,
}

/// One thread while it is replayed.
pub(super) struct ThreadReplay<'w, 'u> {
    pub(super) setting: &'w ReplaySettings<'w>,
    pub(super) tree: &'w OutputTree,
    pub(super) thresholds: &'w Thresholds,
    pub(super) file: &'w str,
    /// The JSON literals of framed summaries, one cell for each call: the list's messages borrow
    /// from them.
    pub(super) literals: &'u [OnceCell<Vec<u8>>],
    pub(super) list: EffectiveList<'w, 'u>,
    /// The number of leading system messages in the log: 0 or 1.
    pub(super) head: usize,
    pub(super) report: ThreadReport,
    /// The beginning of every line of the thread.
    pub(super) line_start: Vec<u8>,
    pub(super) lines: JsonLines,
    pub(super) samples: ThreadSamples,
    pub(super) archive: ThreadArchive,
    /// The call ids of the results evicted since the previous call.
    pub(super) evicted: Vec<String>,
    pub(super) sent: Option<SentCall>,
    pub(super) stretch: Option<CallStretch>,
    pub(super) cache: PromptCache,
    pub(super) logged: LoggedSums,
    /// The indices of the answers that were added, in a log that holds them.
    pub(super) patched_places: Vec<usize>,
    /// True if messages may have times.
    has_times: bool,
    last_time: LastTime,
    /// The time of the last message in the list, in seconds.
    pub(super) time: Option<f64>,
}

/// Replays a conversation under one policy. The messages removed from the context are archived
/// before this returns. A failure is noted in the report.
pub(crate) fn replay_thread(
    conversation: Conversation<'_>,
    file: &str,
    setting: &ReplaySettings<'_>,
    tree: &OutputTree,
) -> ReplayedThread {
    let provider = conversation.provider.clone();
    let counter = setting.settings.counter(conversation.model.as_deref(), provider.as_deref());
    let cache_life = setting.prices.cache_life(conversation.model.as_deref());
    let patched = PatchedAnswers::find(&conversation.transcript, setting.settings.policy.patch);
    let mut conversation = conversation;
    let mut report = ThreadReport::new(&conversation, file, counter.name());
    let thresholds = match &conversation.thresholds {
        Ok(thresholds) => thresholds.clone(),
        Err(error) => {
            report.fail(error.to_string());
            return ReplayedThread::failed(report);
        }
    };
    if let Some(key) =
        setting.training.and_then(|training| training.key_of_lost_answer(&conversation))
    {
        report.fail(format!(
            "its {key} is outside the messages, and samples have no place for it: \
             `epitome compact` compacts the prompt and keeps the answers"
        ));
        return ReplayedThread::failed(report);
    }
    let patched_places = patched.insert_into(&mut conversation, counter);
    if patched.len() > 0 {
        report.warnings.push(patched.describe());
    }
    let message_count = conversation.transcript.messages.len();
    // There is at most one summary a call, and at most one call a message and one at the end.
    let literals: Vec<OnceCell<Vec<u8>>> =
        std::iter::repeat_with(OnceCell::new).take(message_count + 1).collect();
    let line_start = render_line_start(&conversation.thread_id, file, report.line);
    // Usually at most every other message is an answer. Counting them would cost more than it
    // saves.
    let line_count = message_count / 2 + 1;
    let lines = JsonLines::with_capacity(line_count * (line_start.len() + USUAL_BYTES));
    let logged = LoggedSums {
        messages: 0,
        tokens: conversation.tool_tokens,
        last_call_tokens: 0,
        usage: UsageScale::default(),
        cache: PromptCache::new(cache_life),
    };
    let head = conversation.transcript.system_prefix_len();
    let has_times = conversation.transcript.may_have_times();
    let (list, log) =
        EffectiveList::begin(conversation, setting.settings, &thresholds, provider.as_deref());
    let mut replay = ThreadReplay {
        setting,
        tree,
        thresholds: &thresholds,
        file,
        literals: &literals,
        list,
        head,
        report,
        line_start,
        lines,
        samples: ThreadSamples::default(),
        archive: ThreadArchive::new(setting.now),
        evicted: Vec::new(),
        sent: None,
        stretch: None,
        cache: PromptCache::new(cache_life),
        logged,
        patched_places,
        has_times,
        last_time: LastTime::default(),
        time: None,
    };
    replay.replay_log(log);
    replay.finish()
}

impl ThreadReplay<'_, '_> {
    fn replay_log(&mut self, mut log: RemainingLog) {
        let mut last_role = None;
        let mut has_answered = false;
        while let Some(message) = log.peek() {
            let role = message.role;
            let continues = continues_answer(message) && last_role == Some(Role::Assistant);
            if role == Role::Assistant && !continues {
                // A call without an own time is made at about the time of its answer.
                let answer_time = if self.has_times && self.time.is_none() {
                    let transcript = &self.list.conversation.transcript;
                    self.last_time.time_of(transcript, message)
                } else {
                    None
                };
                self.time = self.time.or(answer_time);
                self.replay_call(self.logged.messages);
            }
            let is_question = role == Role::User && !message.joined;
            if is_question
                && std::mem::take(&mut has_answered)
                && !self.list.meter.summarizes_first()
            {
                // The agent has ended its turn.
                self.prune_where_due(false);
            }
            has_answered |= role == Role::Assistant;
            self.push_message(&mut log);
            if role == Role::Assistant && !log.peek().is_some_and(continues_answer) {
                self.end_answer();
            }
            last_role = Some(role);
        }
        if last_role.is_some_and(|role| role != Role::Assistant) {
            self.replay_call(self.logged.messages);
        }
        self.end_stretch();
    }

    /// Moves the next message of the log into the list.
    fn push_message(&mut self, log: &mut RemainingLog) {
        let index = self.list.messages.len();
        if self.list.push_logged(log, self.logged.messages)
            && let Some(eviction) = self.list.messages[index].eviction()
        {
            if !eviction.human {
                self.evicted.push(eviction.call_id.clone());
            }
            self.archive.add_evicted(&self.list.conversation.transcript, eviction);
        }
        let is_added = self.patched_places.binary_search(&self.logged.messages).is_ok();
        self.logged.messages += 1;
        if is_added {
            return;
        }
        self.logged.tokens += self.list.messages[index].tokens();
        let transcript = &self.list.conversation.transcript;
        self.logged.usage.observe_message(transcript, index, self.logged.tokens);
        if self.has_times {
            let message = &transcript.messages[index];
            self.time = self.last_time.time_of(transcript, message);
        }
    }

    /// Runs stage prune if the policy has it at this point: before each call, or where the agent
    /// has ended its turn.
    #[inline(always)]
    pub(super) fn prune_where_due(&mut self, before_call: bool) {
        let policy = &self.setting.settings.policy.prune;
        if policy.enabled && policy.each_call == before_call {
            self.prune();
        }
    }

    /// Returns the index of a message in the log as it was read, without added answers.
    pub(super) fn index_as_read(&self, index: usize) -> usize {
        index - self.patched_places.partition_point(|place| *place < index)
    }

    fn prune(&mut self) {
        let pruned = self.list.prune();
        self.archive.add_pruned(&self.list, pruned);
    }

    /// Stages the archive before any call that refers to it is handed on.
    fn finish(self) -> ReplayedThread {
        let Self { list, mut report, lines, samples, archive, tree, .. } = self;
        let has_changed = !report.compactions.is_empty()
            || !report.evicted.is_empty()
            || report.truncated_calls > 0
            || !archive.pruned.is_empty();
        let redaction = self.setting.settings.policy.redact;
        let samples = archive
            .write_into(&list.conversation, tree, redaction, &mut report)
            .and_then(|files| Ok((files, samples.finish(&mut report)?)));
        match samples {
            Ok((archive_files, samples)) => {
                report.status = match (&report.error, has_changed) {
                    (Some(_), _) => TranscriptStatus::Failed,
                    (None, true) => TranscriptStatus::Compacted,
                    (None, false) => TranscriptStatus::Unchanged,
                };
                ReplayedThread {
                    report,
                    lines: lines.into_bytes(),
                    samples,
                    archive_files,
                    fault: None,
                }
            }
            Err(error) => {
                report.fail(format!("{error}; its calls are left out"));
                ReplayedThread { fault: error.into_fault(), ..ReplayedThread::failed(report) }
            }
        }
    }
}

/// Returns true if a message continues an answer that the format logs as several messages.
fn continues_answer(message: &Message) -> bool {
    message.joined && message.role == Role::Assistant
}

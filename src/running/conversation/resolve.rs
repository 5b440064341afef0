//! From a transcript to a conversation: a policy settles the model, its limit,
//! the thresholds and the counter.

use crate::base::secrets::Redaction;
use crate::deciding::model::ResolvedModel;
use crate::deciding::strategy::evict::find_candidates;
use crate::files::archive::names::anonymous_thread_id;
use crate::running::conversation::conversation::{Conversation, UnplannableError};
use crate::running::conversation::prelude::*;
use crate::running::conversation::system_tokens::count_system_prompt;
use crate::running::conversation::unread::mark_behind_elements;
use std::sync::OnceLock;

/// A transcript before any policy looks at it.
pub(super) struct UnresolvedConversation<'u> {
    pub(super) transcript: Transcript<'u>,
    /// The items of the unit that hold its records, in order.
    pub(super) items: Vec<usize>,
    pub(super) format: &'static dyn Format,
    pub(super) thread_id: String,
}

/// Token counts under one counter: of each message, and of the tool schemas.
pub(super) struct CountedTokens {
    pub(super) messages: Vec<usize>,
    pub(super) tools: usize,
}

/// Returns the records that only this transcript has. The last record of a journal is the one behind
/// which a compaction is appended: it may be another after the compaction of another thread.
fn own_records<'t, 'a>(transcript: &'t Transcript<'a>) -> &'t [Record<'a>] {
    let records = transcript.records.as_slice();
    match (transcript.write_mode, records) {
        (WriteMode::Appended { .. }, [own @ .., _]) => own,
        _ => records,
    }
}

impl<'u> UnresolvedConversation<'u> {
    /// Gives a transcript its thread id: its own, else that of the archive which an earlier summary
    /// names, else the hash of its records.
    pub(super) fn new(
        mut transcript: Transcript<'u>,
        items: Vec<usize>,
        format: &'static dyn Format,
    ) -> Self {
        mark_behind_elements(&mut transcript);
        if transcript.has_lone_surrogate() {
            transcript.warnings.push(
                "a lone surrogate: kept where nothing changes, U+FFFD in archives".to_owned(),
            );
        }
        let archived = || {
            let name = transcript.archived_name()?;
            (!name.is_empty() && thread_file_name(&name) == name).then_some(name)
        };
        let thread_id = transcript.thread_id.clone().or_else(archived).unwrap_or_else(|| {
            anonymous_thread_id(own_records(&transcript).iter().map(|record| record.bytes))
        });
        Self { transcript, items, format, thread_id }
    }

    /// Resolves the conversation under a policy. `counts` are those of the policy's counter, if
    /// they are known already.
    pub(super) fn resolve(
        self,
        settings: &Settings,
        policy_index: usize,
        counts: Option<CountedTokens>,
    ) -> Conversation<'u> {
        let (policy, transcript) = (&settings.policy, self.transcript);
        let model = policy.model.clone().or_else(|| transcript.model.clone());
        let model = model.map(|name| mask_if(policy.redact, name));
        let resolved = model.as_deref().map(|name| policy.models.resolve(name)).unwrap_or_default();
        let known = resolved.model.as_ref();
        // What the agent noted of its model is surer than the table; a model that the user names
        // is another one.
        let logged = transcript
            .input_limit
            .filter(|_| policy.max_input_tokens.is_none() && policy.model.is_none());
        let input_limit =
            policy.max_input_tokens.or(logged).or(known.map(|model| model.max_input_tokens));
        let unknown_limit = match &model {
            Some(name) if input_limit.is_none() => Some(resolved.unknown_limit(name)),
            _ => None,
        };
        let (thresholds, limit_warning) = match unknown_limit {
            Some(unknown) if policy.strict_model => {
                // The policy refuses models whose input limit is not known.
                (Err(UnplannableError(format!("{unknown} (strict_model)"))), None)
            }
            warning => {
                let room = policy.room_with(logged, known);
                let thresholds = policy.thresholds(room);
                (thresholds.map_err(|error| UnplannableError(error.to_string())), warning)
            }
        };
        let counts = counts
            .unwrap_or_else(|| count_tokens(&transcript, settings, model.as_deref(), &resolved));
        let mut counts = counts;
        // The system prompt counts if the policy names a part of it that the log lacks.
        let system = settings.sections.as_ref().map(|sections| {
            let counter = settings.counter(model.as_deref(), resolved.provider.as_deref());
            let view = TranscriptView::logged(&transcript);
            count_system_prompt(view, sections, counter, counts.tools)
        });
        let mut transcript = transcript;
        let system = system.map(|count| {
            for warning in count.warnings {
                // A conversation is resolved under each policy.
                if !transcript.warnings.contains(&warning) {
                    transcript.warnings.push(warning);
                }
            }
            counts.tools += count.tokens.added;
            count.tokens
        });
        let overflows = may_overflow(&counts, thresholds.as_ref().ok());
        let mut candidates = find_candidates(&transcript, &policy.evict, &policy.pin, overflows);
        for candidate in &mut candidates {
            candidate.call_id = mask_if(policy.redact, std::mem::take(&mut candidate.call_id));
        }
        Conversation {
            items: self.items,
            format: self.format,
            thread_id: mask_if(policy.redact, self.thread_id),
            thread_name: String::new(),
            provider: resolved.provider.clone(),
            input_limit,
            limit_warning,
            message_tokens: counts.messages,
            tool_tokens: counts.tools,
            system,
            candidates,
            thresholds,
            names: ArchiveNames::default(),
            history_prefix: policy.archive.prefix.clone(),
            results_prefix: policy.archive.results_prefix.clone(),
            policy_index,
            model,
            transcript,
        }
    }
}

impl<'u> Conversation<'u> {
    /// Resolves a transcript under a policy, and counts it.
    pub(crate) fn new(
        transcript: Transcript<'u>,
        items: Vec<usize>,
        format: &'static dyn Format,
        settings: &Settings,
    ) -> Self {
        UnresolvedConversation::new(transcript, items, format).resolve(settings, 0, None)
    }

    /// Returns the same conversation under another policy, with names of its own. It is counted
    /// again only where `settings` counts in another way than `from`, its present settings.
    pub(crate) fn under(&self, from: &Settings, settings: &Settings, policy_index: usize) -> Self {
        let policy = &settings.policy;
        let own_model = || self.transcript.model.clone();
        let model = policy.model.clone().or_else(own_model);
        let provider =
            model.as_deref().and_then(|name| policy.models.resolve(name).provider.clone());
        let counts_alike = std::ptr::eq(from, settings)
            || from.counts_as(
                (self.model.as_deref(), self.provider.as_deref()),
                settings,
                (model.as_deref(), provider.as_deref()),
            );
        let counts = counts_alike.then(|| CountedTokens {
            messages: self.message_tokens.clone(),
            tools: self.tool_tokens - self.system.map_or(0, |system| system.added),
        });
        self.unresolved(self.transcript.clone()).resolve(settings, policy_index, counts)
    }

    /// Returns the conversation as it was before message `end`, under these settings.
    pub(crate) fn prefix(&self, end: usize, settings: &Settings) -> Self {
        let mut transcript = Transcript {
            callers: OnceLock::new(),
            warnings: Vec::new(),
            ..self.transcript.clone()
        };
        transcript.messages.truncate(end);
        Self {
            thread_name: self.thread_name.clone(),
            ..self.unresolved(transcript).resolve(settings, 0, None)
        }
    }

    fn unresolved(&self, transcript: Transcript<'u>) -> UnresolvedConversation<'u> {
        UnresolvedConversation {
            transcript,
            items: self.items.clone(),
            format: self.format,
            thread_id: self.thread_id.clone(),
        }
    }
}

/// Masks secrets in a name from a log, if that is asked for: names are shown, and name files.
fn mask_if(redaction: Redaction, name: String) -> String {
    if redaction.is_on() { Redaction::Secrets.mask(&name).0.into_owned() } else { name }
}

fn count_tokens(
    transcript: &Transcript<'_>,
    settings: &Settings,
    model: Option<&str>,
    resolved: &ResolvedModel,
) -> CountedTokens {
    let view = TranscriptView::logged(transcript);
    let ledger = Ledger::new(settings.counter(model, resolved.provider.as_deref()), view);
    CountedTokens { messages: ledger.messages, tools: ledger.tools }
}

/// Returns true if a model call might exceed the limit: usage that the log reports raises a total
/// by at most a quarter.
fn may_overflow(counts: &CountedTokens, thresholds: Option<&Thresholds>) -> bool {
    let tokens = counts.tools + counts.messages.iter().sum::<usize>();
    let fit = thresholds.and_then(|thresholds| thresholds.estimated.fit);
    fit.is_some_and(|fit| (tokens + tokens / 4) as u64 >= fit)
}

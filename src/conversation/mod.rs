//! A conversation that is ready to be planned.

mod journal_threads;
mod reading;

pub use reading::{Found, read_unit};

use crate::archive::names::{
    NameRegistry, anonymous_thread_id, result_file_name, thread_file_name,
};
use crate::format::Format;
use crate::planner::{ArchiveNames, PlanInput, ResultName};
use crate::policy::Thresholds;
use crate::report::{ReportedUsage, TranscriptReport};
use crate::settings::Settings;
use crate::strategy::evict::{EvictionCandidate, find_candidates};
use crate::tokens::{Ledger, TokenCounter};
use crate::transcript::Transcript;
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// A conversation, with all that its decision looks at.
#[derive(Clone)]
pub struct Conversation<'u> {
    /// The messages.
    pub transcript: Transcript<'u>,
    /// The items of the unit that hold its records, in order.
    pub items: Vec<usize>,
    /// Its format.
    pub format: &'static dyn Format,
    /// Its id: the record's own, else made from its bytes.
    pub thread_id: String,
    /// Its name as a file, distinct in the run.
    pub thread_name: String,
    /// Its model: the policy's, else its own.
    pub model: Option<String>,
    /// The model's provider.
    pub provider: Option<String>,
    /// What the model takes, if that is known.
    pub input_limit: Option<u64>,
    /// Tokens per message.
    pub messages: Vec<usize>,
    /// Tokens of the tool schemas.
    pub tools: usize,
    /// The policy's numbers; or why there are none.
    pub thresholds: Result<Thresholds, String>,
    /// Results that are too large.
    pub candidates: Vec<EvictionCandidate>,
    /// Names for its files.
    pub names: ArchiveNames,
    prefix: String,
    results_prefix: String,
    /// Names are distinct within a realm: results of different realms lie in different directories.
    realm: usize,
}

impl Conversation<'_> {
    /// The line where its first record begins.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.transcript
            .records
            .first()
            .map_or(0, |record| record.line)
    }

    /// Its counts.
    #[must_use]
    pub fn ledger<'c>(&self, counter: &'c dyn TokenCounter) -> Ledger<'c> {
        Ledger {
            counter,
            messages: self.messages.clone(),
            tools: self.tools,
        }
    }

    /// Which of several policies sees it.
    #[must_use]
    pub fn realm(&self) -> usize {
        self.realm
    }

    /// Gets its names, in its turn.
    pub fn take_names(&mut self, registry: &mut NameRegistry) {
        self.thread_name =
            registry.claim_name(self.realm, "threads", &thread_file_name(&self.thread_id));
        self.names.history_path = format!("{}/{}.md", self.prefix, self.thread_name);
        if self.candidates.is_empty() {
            return;
        }
        let visible = self.results_prefix.replace(THREAD, &self.thread_name);
        let directory = format!("results/{}", self.results_directory());
        let name = |candidate: &EvictionCandidate| {
            let file = registry.claim_name(
                self.realm,
                &directory,
                &result_file_name(&candidate.call_id),
            );
            ResultName {
                path: format!("{visible}/{file}"),
                file,
            }
        };
        self.names.results = self.candidates.iter().map(name).collect();
    }

    /// The directory of its evicted results, below the directory of all.
    #[must_use]
    pub fn results_directory(&self) -> &str {
        if self.results_prefix.contains(THREAD) {
            &self.thread_name
        } else {
            ""
        }
    }
}

const THREAD: &str = "{thread_id}";
/// How the warning begins that nothing is known of a model.
pub const NO_LIMIT: &str = "no input limit is known for the model";

/// Where an error is, as every message says it: `file:line:column`.
#[must_use]
pub fn place(file: &str, line: u64, column: Option<u64>) -> String {
    match column {
        Some(column) => format!("{file}:{line}:{column}"),
        None => format!("{file}:{line}"),
    }
}

/// A transcript with all that its decision looks at.
pub fn whole<'u>(
    mut transcript: Transcript<'u>,
    items: Vec<usize>,
    format: &'static dyn Format,
    settings: &Settings,
) -> Conversation<'u> {
    if transcript.has_lone_surrogate() {
        transcript
            .warnings
            .push("a lone surrogate: kept where nothing changes, U+FFFD in archives".to_owned());
    }
    let thread_id = transcript.thread_id.clone().unwrap_or_else(|| {
        anonymous_thread_id(transcript.records.iter().map(|record| record.bytes))
    });
    under(
        Reading {
            transcript,
            items,
            format,
            thread_id,
        },
        settings,
        0,
        None,
    )
}

/// What was read, before any policy looks at it.
struct Reading<'u> {
    transcript: Transcript<'u>,
    items: Vec<usize>,
    format: &'static dyn Format,
    thread_id: String,
}

/// A conversation as a policy sees it; `counted` are the counts of the same counter, if they are known.
fn under<'u>(
    mut reading: Reading<'u>,
    settings: &Settings,
    realm: usize,
    counted: Option<(Vec<usize>, usize)>,
) -> Conversation<'u> {
    let (policy, transcript) = (&settings.policy, &mut reading.transcript);
    let model = policy.model.clone().or_else(|| transcript.model.clone());
    let resolved = model
        .as_deref()
        .map(|name| policy.models.resolve(name))
        .unwrap_or_default();
    let (known, provider) = (resolved.model.as_ref(), resolved.provider.clone());
    // What the agent noted of its model is surer than the table; a model that the user names is another one.
    let logged = transcript
        .input_limit
        .filter(|_| policy.max_input_tokens.is_none() && policy.model.is_none());
    let input_limit = policy
        .max_input_tokens
        .or(logged)
        .or(known.map(|model| model.max_input_tokens));
    let mut thresholds = policy
        .thresholds(policy.room_with(logged, known))
        .map_err(|error| error.to_string());
    if let (Some(name), None) = (&model, input_limit) {
        let unknown = resolved.unknown_limit(name);
        if policy.strict_model {
            thresholds = Err(format!("{unknown} (--strict-model)"));
        } else {
            transcript.warnings.push(unknown);
        }
    }
    let transcript = &reading.transcript;
    let (messages, tools) = counted.unwrap_or_else(|| {
        let none = Overlay::default();
        let ledger = Ledger::new(
            settings.counter(model.as_deref(), provider.as_deref()),
            TranscriptView {
                transcript,
                overlay: &none,
            },
        );
        (ledger.messages, ledger.tools)
    });
    // Reported usage raises a total by at most a quarter.
    let tokens = tools + messages.iter().sum::<usize>();
    let fit = thresholds
        .as_ref()
        .ok()
        .and_then(|thresholds| thresholds.fit);
    let overflows = fit.is_some_and(|fit| (tokens + tokens / 4) as u64 >= fit);
    Conversation {
        items: reading.items,
        format: reading.format,
        thread_id: reading.thread_id,
        thread_name: String::new(),
        provider,
        input_limit,
        messages,
        tools,
        candidates: find_candidates(transcript, &policy.evict, overflows),
        thresholds,
        names: ArchiveNames::default(),
        prefix: policy.archive.prefix.clone(),
        results_prefix: policy.archive.results_prefix.clone(),
        realm,
        model,
        transcript: reading.transcript,
    }
}

/// Works on one conversation; a panic costs this conversation only.
///
/// # Errors
/// What `work` returns, or that it panicked.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err("internal error: working on it panicked; please report it".to_owned())
    })
}

impl<'u> Conversation<'u> {
    /// The same conversation under another policy, in a realm of its own. It is neither read again nor, where `from`
    /// counts as `settings`, counted again.
    #[must_use]
    pub fn under(&self, from: &Settings, settings: &Settings, realm: usize) -> Self {
        let mut transcript = self.transcript.clone();
        transcript
            .warnings
            .retain(|warning| !warning.starts_with(NO_LIMIT));
        let model = settings
            .policy
            .model
            .clone()
            .or_else(|| transcript.model.clone());
        let provider = model
            .as_deref()
            .and_then(|name| settings.policy.models.resolve(name).provider.clone());
        let same = std::ptr::eq(from, settings)
            || from.counts_as(
                (self.model.as_deref(), self.provider.as_deref()),
                settings,
                (model.as_deref(), provider.as_deref()),
            );
        let counted = same.then(|| (self.messages.clone(), self.tools));
        let reading = Reading {
            transcript,
            items: self.items.clone(),
            format: self.format,
            thread_id: self.thread_id.clone(),
        };
        under(reading, settings, realm, counted)
    }

    /// The conversation as it was before message `end`, under these settings.
    #[must_use]
    pub fn prefix(&self, end: usize, settings: &Settings) -> Self {
        let mut transcript = Transcript {
            callers: OnceLock::new(),
            warnings: Vec::new(),
            ..self.transcript.clone()
        };
        transcript.messages.truncate(end);
        let reading = Reading {
            transcript,
            items: self.items.clone(),
            format: self.format,
            thread_id: self.thread_id.clone(),
        };
        Self {
            thread_name: self.thread_name.clone(),
            ..under(reading, settings, 0, None)
        }
    }

    /// What the planner looks at.
    ///
    /// # Errors
    /// If the policy does not fit the conversation's model.
    pub fn planning<'i>(
        &'i self,
        settings: &'i Settings,
        ledger: &'i Ledger<'i>,
    ) -> Result<PlanInput<'i, 'u>, String> {
        Ok(PlanInput {
            transcript: &self.transcript,
            ledger,
            policy: &settings.policy,
            thresholds: self.thresholds.as_ref().map_err(Clone::clone)?,
            provider: self.provider.as_deref(),
            candidates: &self.candidates,
            names: &self.names,
            cleared: None,
        })
    }

    /// Works on the conversation; a panic costs this conversation only.
    ///
    /// # Errors
    /// What `work` returns, or that it panicked.
    pub fn guarded<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        guarded(work)
    }

    /// A report entry with what is known before any decision.
    #[must_use]
    pub fn entry(&self, file: &str, counter: &'static str) -> TranscriptReport {
        let mut entry = TranscriptReport::unreadable(
            file,
            self.line(),
            Some(self.format.name()),
            counter,
            String::new(),
        );
        entry.thread_id = Some(self.thread_id.clone());
        entry.model.clone_from(&self.model);
        entry.input_limit = self.input_limit;
        entry.usage = ReportedUsage::from_transcript(&self.transcript, &self.messages, self.tools);
        entry.warnings.clone_from(&self.transcript.warnings);
        let messages = self.transcript.messages.len();
        (entry.messages_before, entry.messages_after) = (messages, messages);
        let tokens = self.tools + self.messages.iter().sum::<usize>();
        (entry.tokens_before, entry.total_tokens, entry.tokens_after) = (tokens, tokens, tokens);
        entry
    }
}

//! A conversation that is ready to be planned: a transcript with its model, its
//! token counts, its thresholds and the names of its files.

use crate::deciding::planner::ResultName;
use crate::deciding::strategy::evict::EvictionCandidate;
use crate::files::archive::names::{content_thread_name, message_file_name, result_file_name};
use crate::reporting::report::{ReportedUsage, TranscriptReport};
use crate::running::conversation::prelude::*;

/// The placeholder in `results_prefix` that stands for the thread's name.
const THREAD: &str = "{thread_id}";

/// The reason why no decision can be made about a conversation.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnplannableError(pub(super) String);

/// A conversation, with everything that its decision looks at.
#[derive(Clone)]
pub(crate) struct Conversation<'u> {
    /// The messages, and the records that they come from.
    pub transcript: Transcript<'u>,
    /// The items of the unit that hold its records, in order.
    pub items: Vec<usize>,
    pub format: &'static dyn Format,
    /// The record's own id, else `session_` and the hash of its bytes.
    pub thread_id: String,
    /// The thread id as a file name, distinct in the run.
    pub thread_name: String,
    /// The policy's model, else the log's own.
    pub model: Option<String>,
    /// The model's provider.
    pub provider: Option<String>,
    /// The input limit of the model in tokens, if it is known.
    pub input_limit: Option<u64>,
    /// The warning that no limit is known for its model.
    pub limit_warning: Option<String>,
    pub message_tokens: Vec<usize>,
    /// Tokens of the tool schemas, which every model call sends, and of what the log lacks of the
    /// system prompt, where that is counted.
    pub tool_tokens: usize,
    /// The parts of the system prompt, if the policy names any that the log lacks.
    pub system: Option<SystemTokens>,
    /// The policy's numbers for this model, or the reason why there are none.
    pub thresholds: Result<Thresholds, UnplannableError>,
    /// Tool results that are large enough to be evicted.
    pub candidates: Vec<EvictionCandidate>,
    /// The names of its archive files.
    pub names: ArchiveNames,
    pub(super) history_prefix: String,
    pub(super) results_prefix: String,
    /// The index of its policy in the run. Each policy has an archive directory of its own, so names
    /// are distinct among the conversations of one policy only.
    pub(super) policy_index: usize,
}

impl<'u> Conversation<'u> {
    /// Returns the line where its first record begins.
    pub(crate) fn line(&self) -> u64 {
        self.transcript.records.first().map_or(0, |record| record.line)
    }

    /// Returns the counter that applies to its model.
    pub(crate) fn counter<'s>(&self, settings: &'s Settings) -> &'s dyn TokenCounter {
        settings.counter(self.model.as_deref(), self.provider.as_deref())
    }

    /// Returns its counts as a ledger of the counter that made them.
    pub(crate) fn ledger<'c>(&self, counter: &'c dyn TokenCounter) -> Ledger<'c> {
        Ledger { counter, messages: self.message_tokens.clone(), tools: self.tool_tokens }
    }

    /// Returns the warnings of its reader, then the one about its model.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = &String> {
        self.transcript.warnings.iter().chain(&self.limit_warning)
    }

    /// Returns the index of the policy that it is resolved under.
    pub(crate) fn policy_index(&self) -> usize {
        self.policy_index
    }

    /// Claims the names of its archive files. Called in input order.
    pub(crate) fn claim_names(&mut self, registry: &mut NameRegistry) {
        self.thread_name =
            registry.claim_name(self.policy_index, "threads", &thread_file_name(&self.thread_id));
        let thread_id = self.thread_id.clone();
        self.claim_file_names(registry, &thread_id, "");
    }

    /// Claims the names of its archive files by the content of its records. `registry` is that of
    /// its unit: other conversations in the same records may have the same id.
    pub(crate) fn claim_content_names(&mut self, registry: &mut NameRegistry) {
        let records = self.transcript.records.iter().map(|record| record.bytes);
        let name = content_thread_name(&self.thread_id, records);
        // Equal records elsewhere in the unit are to have the same name.
        let directory = format!("threads/{}", self.items.first().copied().unwrap_or_default());
        self.thread_name = registry.claim_name(self.policy_index, &directory, &name);
        let thread_name = self.thread_name.clone();
        // Results that do not lie in a directory of their thread need its hash as well.
        let suffix = match self.results_directory() {
            "" => thread_name.rsplit('-').next().map(|hash| format!("-{hash}")),
            _ => None,
        };
        let suffix = suffix.unwrap_or_default();
        self.claim_file_names(&mut NameRegistry::default(), &thread_name, &suffix);
    }

    /// Claims the names of its history and of what may be evicted. Those of user messages are made
    /// of `message_key`, and `suffix` is appended to those of results.
    fn claim_file_names(&mut self, registry: &mut NameRegistry, message_key: &str, suffix: &str) {
        self.name_history();
        if self.candidates.is_empty() {
            return;
        }
        let directory = format!("results/{}", self.results_directory());
        let policy_index = self.policy_index;
        self.name_results(|_, candidate| {
            if candidate.human {
                let name = message_file_name(message_key, candidate.message);
                return registry.claim_name(policy_index, "threads", &name);
            }
            let name = result_file_name(&candidate.call_id) + suffix;
            registry.claim_name(policy_index, &directory, &name)
        });
    }

    /// Names its archive files without asking whether another conversation has the same names:
    /// for conversations that write no files.
    pub(crate) fn assume_names(&mut self) {
        self.name_history();
        self.name_results(|number, _| number.to_string());
    }

    fn name_history(&mut self) {
        self.names.history_path = format!("{}/{}.md", self.history_prefix, self.thread_name);
    }

    fn name_results(&mut self, mut file_name: impl FnMut(usize, &EvictionCandidate) -> String) {
        let visible = self.results_prefix.replace(THREAD, &self.thread_name);
        let named = self.candidates.iter().enumerate();
        self.names.results = named
            .map(|(number, candidate)| {
                let mut file = file_name(number, candidate);
                let mut directory = &visible;
                if candidate.human {
                    file.push_str(".md");
                    directory = &self.history_prefix;
                }
                ResultName { path: format!("{directory}/{file}"), file }
            })
            .collect();
    }

    /// Returns the directory of its evicted results, below the directory of all results.
    pub(crate) fn results_directory(&self) -> &str {
        if self.results_prefix.contains(THREAD) { &self.thread_name } else { "" }
    }

    /// Returns a report that holds what is known before any decision.
    pub(crate) fn report(&self, file: &str, counter: &'static str) -> TranscriptReport {
        let format = Some(self.format.name());
        let mut report =
            TranscriptReport::unreadable(file, self.line(), format, counter, String::new());
        report.thread_id = Some(self.thread_id.clone());
        report.model.clone_from(&self.model);
        report.input_limit = self.input_limit;
        if let Ok(thresholds) = &self.thresholds {
            report.trigger = Some(thresholds.trigger_words());
            report.trigger_tokens = thresholds.trigger_tokens();
            report.keep = Some(thresholds.summarize_keep.to_string());
            report.asked_length = thresholds.asked;
        }
        report.usage = ReportedUsage::from_transcript(
            &self.transcript, &self.message_tokens, self.tool_tokens,
        );
        report.system = self.system;
        report.warnings = self.warnings().cloned().collect();
        let messages = self.transcript.messages.len();
        (report.messages_before, report.messages_after) = (messages, messages);
        let tokens = self.tool_tokens + self.message_tokens.iter().sum::<usize>();
        (report.tokens_before, report.total_tokens, report.tokens_after) = (tokens, tokens, tokens);
        report
    }
}

//! A conversation: counted, planned, compacted.

use crate::base::stop_flag::StopFlag;
use crate::deciding::plan::Plan;
use crate::deciding::strategy::evict::result_text;
use crate::interface::policy::CompactionPolicy;
use crate::reading::transcript::splice::apply_splices;
use crate::reading::transcript::view::TranscriptView;
use crate::running::apply::{Outcome, RecordEdit};
use crate::running::compaction::Planned;
use crate::running::conversation;
use crate::summary::Summarizer;
use crate::summary::extract::Extract;
use time::OffsetDateTime;

/// A logged conversation, with its token counts under a policy.
pub struct LoggedConversation<'c> {
    inner: conversation::Conversation<'c>,
    policy: &'c CompactionPolicy,
}

/// A message of a logged conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedMessage {
    /// The role: `system`, `developer`, `user`, `assistant`, `tool` or `function`.
    pub role: &'static str,
    /// The text.
    pub text: String,
    /// The tool calls that it makes.
    pub calls: Vec<LoggedCall>,
    /// Of a tool result: the index of the message that makes its call.
    pub caller: Option<usize>,
    /// It is the summary of an earlier compaction.
    pub is_summary: bool,
}

/// A tool call of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments, as the model wrote them.
    pub arguments: String,
}

/// A conversation after its compaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Compacted {
    /// The records as they leave, in the format that they came in, without line ends.
    pub records: Vec<Vec<u8>>,
    /// The plan that was carried out.
    pub plan: Plan,
    /// The text of the summary, if there is one.
    pub summary: Option<String>,
    /// Tokens of a model call with the result.
    pub tokens_after: usize,
    /// The removed messages as Markdown, as the archive holds them; empty if none were.
    pub history: String,
    /// The tool results that were evicted.
    pub evicted: Vec<EvictedResult>,
}

/// A tool result that was evicted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictedResult {
    /// The file that its notice names, below the directory of evicted results.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// The reason why a conversation can't be planned or compacted.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CompactError {
    message: String,
}

impl<'c> LoggedConversation<'c> {
    pub(super) fn new(inner: conversation::Conversation<'c>, policy: &'c CompactionPolicy) -> Self {
        Self { inner, policy }
    }

    /// Returns the thread id: the record's own, else `session_` and a hash of its bytes.
    #[must_use]
    pub fn thread_id(&self) -> &str {
        &self.inner.thread_id
    }

    /// Returns the name of the format.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.inner.format.name()
    }

    /// Returns the line where the first record begins, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.inner.line()
    }

    /// Reads the messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = LoggedMessage> {
        let messages = 0..self.inner.transcript.messages.len();
        messages.map(|index| self.message(index))
    }

    fn message(&self, index: usize) -> LoggedMessage {
        let transcript = &self.inner.transcript;
        let view = TranscriptView::logged(transcript);
        let turn = view.viewed_turn(index);
        let calls = turn.calls.iter().map(|call| LoggedCall {
            name: call.name.to_string(),
            arguments: String::from_utf8_lossy(&call.arguments).into_owned(),
        });
        LoggedMessage {
            role: turn.role.name(),
            text: turn.text.to_string(),
            calls: calls.collect(),
            caller: turn.role.is_result().then(|| transcript.caller_of(index)).flatten(),
            is_summary: transcript.messages[index].earlier_summary,
        }
    }

    /// Returns the tokens of each message under the policy's counter.
    #[must_use]
    pub fn message_tokens(&self) -> &[usize] {
        &self.inner.message_tokens
    }

    /// Returns the tokens of all messages and of the tool schemas.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.inner.tool_tokens + self.inner.message_tokens.iter().sum::<usize>()
    }

    /// Decides what would happen to which message, and why. Nothing is changed.
    ///
    /// # Errors
    /// Fails if the policy asks for a fraction of an input limit that is not known.
    pub fn plan(&self) -> Result<Plan, CompactError> {
        Ok(self.decide()?.plan)
    }

    fn decide(&self) -> Result<Planned<'_, 'c>, CompactError> {
        let planned = Planned::decide(&self.inner, &self.policy.settings);
        planned.map_err(|error| CompactError { message: error.to_string() })
    }

    /// Compacts the conversation in memory. A summary is written by the embedded summarizer: no
    /// model and no network.
    ///
    /// ```
    /// let policy = epitome::CompactionPolicy::preset("deepagents")?;
    /// let mut saved = 0;
    /// for chunk in epitome::open("fixtures/demo/sessions.jsonl")? {
    ///     for conversation in chunk?.conversations(&policy) {
    ///         let conversation = conversation?;
    ///         let compacted = conversation.compact()?;
    ///         saved += conversation.tokens() - compacted.tokens_after;
    ///     }
    /// }
    /// assert!(saved > 20_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if no decision can be made, or the log has no place for a compaction.
    pub fn compact(&self) -> Result<Compacted, CompactError> {
        let summarizer: &dyn Summarizer = &Extract::default();
        let place = conversation::source_location(self.thread_id(), self.line(), None);
        let compacted = self
            .decide()?
            .ask(Some(summarizer))
            .fill(&StopFlag::default(), &place)
            .and_then(|filled| filled.carry_out_in_memory(OffsetDateTime::UNIX_EPOCH));
        let carried =
            compacted.map_err(|failed| CompactError { message: failed.error.to_string() })?;
        let tokens_after = carried.filled.tokens_after();
        let parts = carried.filled.into_parts();
        Ok(Compacted {
            records: self.edited_records(&carried.outcome),
            summary: parts.text,
            tokens_after,
            history: String::from_utf8_lossy(&carried.history).into_owned(),
            evicted: self.evicted_results(&parts.plan),
            plan: parts.plan,
        })
    }

    /// Returns the records with their edits made.
    fn edited_records(&self, outcome: &Outcome) -> Vec<Vec<u8>> {
        let records = self.inner.transcript.records.iter().enumerate();
        // The first record of a journal's thread is a document that was rebuilt from the others.
        let rebuilt = usize::from(self.inner.format.as_journal().is_some());
        let mut edited = Vec::new();
        for (index, record) in records.skip(rebuilt) {
            let edits = outcome.records.iter();
            match edits.clone().find(|(of, _)| *of == index) {
                None => edited.push(record.bytes.to_vec()),
                Some((_, RecordEdit::Remove)) => {}
                Some((_, RecordEdit::Splice(splices))) => {
                    let mut bytes = Vec::new();
                    apply_splices(record.bytes, &mut splices.clone(), &mut bytes);
                    edited.push(bytes);
                }
            }
        }
        edited
    }

    fn evicted_results(&self, plan: &Plan) -> Vec<EvictedResult> {
        plan.evictions()
            .map(|eviction| EvictedResult {
                file: eviction.file.clone(),
                text: result_text(&self.inner.transcript, eviction.message),
            })
            .collect()
    }
}

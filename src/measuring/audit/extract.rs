//! The compaction that the embedded summarizer makes in place of the agent's.

use crate::base::stop_flag::StopFlag;
use crate::deciding::policy::{Amount, Clause, Keep, OnGrowth, Policy, SummarizerKind, Trigger};
use crate::measuring::audit::parts::CompactionParts;
use crate::measuring::evaluation::session::left_messages;
use crate::reading::transcript::Transcript;
use crate::reading::transcript::journal::WriteMode;
use crate::reading::transcript::summary_frame::SummaryFrame;
use crate::running::compaction::{CompactionError, Planned};
use crate::running::conversation::Conversation;
use crate::settings::Settings;
use crate::summary::Summarizer;
use crate::summary::extract::Extract;
use std::sync::OnceLock;

/// The reason why the embedded summarizer has nothing to compare with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditError {
    /// The compaction failed.
    #[error(transparent)]
    Compaction(#[from] CompactionError),
    /// The counter can't be built.
    #[error(transparent)]
    Settings(#[from] anyhow::Error),
}

/// Compacts the same messages in at most `budget` tokens. Returns what is left of them.
pub(super) fn compact_by_extract(
    before: &Conversation<'_>,
    parts: &CompactionParts,
    budget: usize,
    settings: &Settings,
) -> Result<Vec<String>, AuditError> {
    let policy = same_compaction(&settings.policy, parts.kept.len(), budget);
    let settings = Settings::from_policy(policy)?;
    let prefix = arranged_conversation(before, parts, &settings);
    let planned = Planned::decide(&prefix, &settings).map_err(CompactionError::from)?;
    let summarizer: &dyn Summarizer = &Extract::default();
    let filled = planned
        .ask(Some(summarizer))
        .fill(&StopFlag::default(), &prefix.thread_id)
        .map_err(|failed| failed.error)?;
    Ok(left_messages(&filled, prefix.transcript.messages.len()))
}

/// Returns the policy under which the last `kept` messages stay, and nothing else is done.
fn same_compaction(policy: &Policy, kept: usize, budget: usize) -> Policy {
    let mut policy = policy.clone();
    policy.evict.tokens = 0;
    policy.truncate.trigger = Some(Trigger { clauses: Vec::new() });
    policy.prune.enabled = false;
    policy.summarize.trigger = Some(Trigger { clauses: vec![Clause(vec![Amount::Messages(1)])] });
    policy.summarize.keep = Some(Keep::Last(Amount::Messages(kept as u64)));
    policy.summarize.frame = SummaryFrame::Plain;
    policy.summarize.replay = false;
    policy.summarize.trim_tokens = 0;
    policy.summarizer.kind = SummarizerKind::Extract;
    policy.summarizer.budget = budget.max(1);
    policy.on_growth = OnGrowth::Allow;
    policy
}

/// Returns the conversation before the compaction, with the messages that were kept at its end.
fn arranged_conversation<'u>(
    before: &Conversation<'u>,
    parts: &CompactionParts,
    settings: &Settings,
) -> Conversation<'u> {
    let order = [&parts.system, &parts.evicted, &parts.kept];
    let messages =
        order.into_iter().flatten().map(|&index| before.transcript.messages[index].clone());
    let transcript = Transcript {
        messages: messages.collect(),
        write_mode: WriteMode::InPlace,
        callers: OnceLock::new(),
        warnings: Vec::new(),
        ..before.transcript.clone()
    };
    let mut conversation =
        Conversation::new(transcript, before.items.clone(), before.format, settings);
    conversation.assume_names();
    conversation
}

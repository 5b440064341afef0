//! A compaction that an agent made, measured: beside the one that the embedded summarizer makes in
//! its place, and with the facts that its summary lost.

use crate::base::stop_flag::StopFlag;
use crate::deciding::policy::{Amount, Clause, Keep, OnGrowth, Policy, SummarizerKind, Trigger};
use crate::measuring::audit::parts::{CompactionParts, LastMention};
use crate::measuring::evaluation::session::left_messages;
use crate::reading::transcript::{Transcript, journal::WriteMode, summary_frame::SummaryFrame};
use crate::reporting::retention::{CompactedText, FutureNeeds, RetentionScores};
use crate::running::compaction::{CompactionError, Planned};
use crate::running::conversation::{AgentCompaction, Conversation};
use crate::settings::Settings;
use crate::summary::Summarizer;
use crate::summary::extract::Extract;
use serde::Serialize;
use std::sync::OnceLock;

/// What an agent's compaction did, and how its summary did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AuditedCompaction {
    /// The file, as it is named in messages.
    pub file: String,
    /// The line of its first record.
    pub line: u64,
    /// The log's id of the conversation.
    pub thread_id: String,
    pub format: &'static str,
    /// The name of the token counter.
    pub counter: &'static str,
    /// The tokens of the conversation before it.
    pub tokens_before: usize,
    /// The tokens of the conversation right behind it.
    pub tokens_after: usize,
    /// The tokens of the agent's summary.
    pub summary_tokens: usize,
    /// The number of messages that the summary replaced.
    pub summarized_messages: usize,
    /// The number of messages that were kept.
    pub kept_messages: usize,
    /// The scores, or the reason why there are none.
    #[serde(skip)]
    pub outcome: Result<AuditScores, String>,
}

/// The scores of the agent's summary beside those of the embedded summarizer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AuditScores {
    /// The scores of the agent's summary.
    pub agent: RetentionScores,
    /// The scores of the embedded summarizer's, of at most as many tokens.
    pub extract: RetentionScores,
    /// What the agent's summary lost.
    pub lost: Vec<LostFact>,
}

pub(crate) fn audit_compaction(
    compaction: &AgentCompaction<'_>,
    file: &str,
    settings: &Settings,
) -> AuditedCompaction {
    let parts = CompactionParts::new(compaction);
    let before = &compaction.before;
    let counter = before.counter(settings);
    let summary_tokens = counter.count_text(&parts.summary.join("\n"));
    let tokens_before = before.tool_tokens + before.message_tokens.iter().sum::<usize>();
    let new = parts.arrived.iter().chain(&parts.future);
    let after = &compaction.after;
    let new_tokens: usize = new.map(|&index| after.message_tokens[index]).sum();
    let all_after = after.tool_tokens + after.message_tokens.iter().sum::<usize>();
    AuditedCompaction {
        file: file.to_owned(),
        line: compaction.line,
        thread_id: before.thread_id.clone(),
        format: before.format.name(),
        counter: counter.name(),
        tokens_before,
        tokens_after: all_after.saturating_sub(new_tokens),
        summary_tokens,
        summarized_messages: parts.evicted.len(),
        kept_messages: parts.kept.len(),
        outcome: measure(compaction, &parts, summary_tokens, settings),
    }
}

fn measure(
    compaction: &AgentCompaction<'_>,
    parts: &CompactionParts,
    budget: usize,
    settings: &Settings,
) -> Result<AuditScores, String> {
    if parts.summary.iter().all(|text| text.trim().is_empty()) {
        return Err("the log does not hold the text of the summary".to_owned());
    }
    let Some((passages, cut)) = parts.session() else {
        return Err("the assistant wrote nothing after it".to_owned());
    };
    let needs = FutureNeeds::facts_from_cut(&passages, cut);
    let tail = &passages[cut.tail..cut.end];
    let tail_texts = || tail.iter().map(|passage| passage.full_text());
    let agent = parts.summary.iter().cloned().chain(tail_texts());
    let agent = CompactedText::new(agent.collect(), tail);
    let mut left = compact_by_extract(&compaction.before, parts, budget, settings)
        .map_err(|error| error.to_string())?;
    left.extend(tail_texts().skip(parts.kept.len()));
    let extract = CompactedText::new(left, tail);
    Ok(AuditScores {
        agent: RetentionScores::measure(&needs, &agent),
        extract: RetentionScores::measure(&needs, &extract),
        lost: lost_facts(compaction, parts, &needs, [&agent, &extract]),
    })
}

/// An identifier that the assistant needed later, and that its summary did not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LostFact {
    /// The identifier, as it was last spelled before the compaction.
    pub reference: String,
    /// What was around it on its line.
    pub context: String,
    /// The index of the message in which it stood last.
    pub message: usize,
    /// The line of the log with that message.
    pub line: Option<u64>,
    pub role: &'static str,
    /// The line of the log where the assistant needed it first.
    pub needed_on_line: Option<u64>,
    /// True if the embedded summarizer would have kept it.
    pub kept_by_extract: bool,
}

impl LostFact {
    /// Says for a table whether the embedded summarizer would have kept it.
    pub(super) fn kept_by_extract_cell(&self) -> &'static str {
        if self.kept_by_extract { "keeps it" } else { "loses it" }
    }
}

/// Returns the facts that are in none of the agent's texts, in the order in which they were in
/// the conversation.
fn lost_facts(
    compaction: &AgentCompaction<'_>,
    parts: &CompactionParts,
    needs: &FutureNeeds,
    [agent, extract]: [&CompactedText; 2],
) -> Vec<LostFact> {
    let kept = needs.references_in(extract);
    let held = needs.references_in(agent);
    let lost: Vec<&str> = needs.references.difference(&held).map(String::as_str).collect();
    let mentions = parts.last_mentions(&lost).into_iter();
    let uses = parts.first_uses(&lost);
    let mut facts: Vec<LostFact> = mentions
        .zip(uses)
        .zip(lost)
        .filter_map(|((mention, used), identifier)| {
            let LastMention { message, mention } = mention?;
            Some(LostFact {
                reference: mention.spelled,
                context: mention.context,
                message,
                line: compaction.message_line(&compaction.before, message),
                role: parts.before[message].role.name(),
                needed_on_line: used
                    .and_then(|index| compaction.message_line(&compaction.after, index)),
                kept_by_extract: kept.contains(identifier),
            })
        })
        .collect();
    facts.sort_by_key(|fact| fact.message);
    facts
}

/// Compacts the same messages in at most `budget` tokens. Returns what is left of them.
fn compact_by_extract(
    before: &Conversation<'_>,
    parts: &CompactionParts,
    budget: usize,
    settings: &Settings,
) -> anyhow::Result<Vec<String>> {
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

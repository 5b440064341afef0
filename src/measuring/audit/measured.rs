//! A compaction that an agent made, measured.

use crate::measuring::audit::extract::compact_by_extract;
use crate::measuring::audit::lost::{LostFact, lost_facts};
use crate::measuring::audit::parts::CompactionParts;
use crate::reporting::retention::{CompactedText, FutureNeeds, RetentionScores};
use crate::running::conversation::AgentCompaction;
use crate::settings::Settings;

/// What an agent's compaction did, and how its summary did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AuditedCompaction {
    /// The file, as it is named in messages.
    pub file: String,
    /// The line of its first record.
    pub line: u64,
    /// The log's id of the conversation.
    pub thread_id: String,
    /// The format of the log.
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

/// Measures a compaction.
#[must_use]
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

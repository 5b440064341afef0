//! The facts that a summary lost: needed later, and in no text that was left.

use crate::measuring::audit::parts::{CompactionParts, LastMention};
use crate::reporting::retention::{CompactedText, FutureNeeds};
use crate::running::conversation::AgentCompaction;
use serde::Serialize;

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
    /// The role of that message.
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
pub(super) fn lost_facts(
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
                role: parts.role_before(message).name(),
                needed_on_line: used
                    .and_then(|index| compaction.message_line(&compaction.after, index)),
                kept_by_extract: kept.contains(identifier),
            })
        })
        .collect();
    facts.sort_by_key(|fact| fact.message);
    facts
}

//! The facts that a summary lost: needed later, and in no text that was left.

use crate::measuring::audit::parts::CompactionParts;
use crate::reporting::retention::{CompactedText, FutureNeeds};
use crate::running::conversation::{AgentCompaction, message_line};
use serde::Serialize;

/// An identifier that the assistant needed later, and that its summary did not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LostFact {
    /// The identifier, as it was last spelled before the compaction.
    pub reference: String,
    /// What stood around it on its line.
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
        if self.kept_by_extract {
            "keeps it"
        } else {
            "loses it"
        }
    }
}

/// Returns the facts that are in none of the agent's texts, in the order in which they stood in
/// the conversation.
pub(super) fn lost_facts(
    compaction: &AgentCompaction<'_>,
    parts: &CompactionParts,
    needs: &FutureNeeds,
    [agent, extract]: [&CompactedText; 2],
) -> Vec<LostFact> {
    let kept = needs.references_in(extract);
    let held = needs.references_in(agent);
    let lost = needs.references.difference(&held);
    let mut facts: Vec<LostFact> = lost
        .filter_map(|identifier| {
            let mention = parts.last_mention(identifier)?;
            let message = mention.message;
            let used = parts.first_use(identifier);
            Some(LostFact {
                reference: mention.spelled,
                context: mention.context,
                message,
                line: message_line(&compaction.before, message),
                role: parts.role_before(message).name(),
                needed_on_line: used.and_then(|index| message_line(&compaction.after, index)),
                kept_by_extract: kept.contains(identifier),
            })
        })
        .collect();
    facts.sort_by_key(|fact| fact.message);
    facts
}

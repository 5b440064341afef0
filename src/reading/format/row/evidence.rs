//! What tells the records of a log from all others.

use crate::reading::format::recognition::{Certainty, Recognition, Shape};
use crate::reading::format::row::condition::{AskedNode, If, hold};
use crate::reading::format::tree::JsonNode;
use crate::reading::json::JsonKind;

/// Conditions on a record, and what they are evidence of.
pub(crate) struct Evidence {
    recognition: Recognition,
    pub(super) conditions: &'static [If],
    /// True if all messages of a list, or of a record that holds one, must fulfil them.
    of_list: bool,
}

const fn evidence(
    shape: Shape,
    certainty: Certainty,
    why: &'static str,
    conditions: &'static [If],
) -> Evidence {
    Evidence { recognition: Recognition { shape, certainty, why }, conditions, of_list: false }
}

/// The keys of a conversation. `why` is the evidence in words.
pub(crate) const fn conversation(why: &'static str, conditions: &'static [If]) -> Evidence {
    evidence(Shape::Conversation, Certainty::Envelope, why, conditions)
}

/// The keys of a record that only this log has.
pub(crate) const fn event(why: &'static str, conditions: &'static [If]) -> Evidence {
    evidence(Shape::Journal, Certainty::Envelope, why, conditions)
}

/// A message in a record that only this log has.
pub(crate) const fn own_message(why: &'static str, conditions: &'static [If]) -> Evidence {
    evidence(Shape::Journal, Certainty::Message, why, conditions)
}

/// A record that others have as well.
pub(crate) const fn fits(why: &'static str, conditions: &'static [If]) -> Evidence {
    evidence(Shape::Journal, Certainty::Fits, why, conditions)
}

/// A message of a conversation that only this format has.
pub(crate) const fn chat(why: &'static str, conditions: &'static [If]) -> Evidence {
    evidence(Shape::Conversation, Certainty::Message, why, conditions)
}

/// A record that is such a message.
pub(crate) const fn said(why: &'static str, conditions: &'static [If]) -> Evidence {
    evidence(Shape::Message, Certainty::Message, why, conditions)
}

/// A list of messages, or a record that holds one.
pub(crate) const fn list(why: &'static str, conditions: &'static [If]) -> Evidence {
    Evidence { of_list: true, ..conversation(why, conditions) }
}

impl Evidence {
    fn holds(&self, asked: &mut AskedNode<'_>, record: JsonNode<'_>) -> bool {
        if !self.of_list {
            return asked.fulfils(self.conditions);
        }
        message_list(record).is_some_and(|list| {
            let mut messages = list.items().peekable();
            messages.peek().is_some() && messages.all(|message| hold(self.conditions, message))
        })
    }
}

/// Returns the first evidence that holds for a record.
pub(crate) fn recognize_by(evidence: &[Evidence], record: JsonNode<'_>) -> Option<Recognition> {
    let (mut evidence, mut asked) = (evidence.iter(), AskedNode::new(record));
    let found = evidence.find(|evidence| evidence.holds(&mut asked, record))?;
    Some(found.recognition)
}

/// Returns the list of messages that a record is, or holds: in a saved state of AutoGen below
/// `llm_context`.
pub(super) fn message_list(record: JsonNode<'_>) -> Option<JsonNode<'_>> {
    if record.is_kind(JsonKind::Array) {
        Some(record)
    } else {
        let saved = record.get("llm_context");
        let holder = saved.filter(|context| context.has_key("messages"));
        holder.unwrap_or(record).get_kind("messages", JsonKind::Array)
    }
}

//! Preference data whose prompt is in both answers: `{"chosen": [prompt..., answer...],
//! "rejected": [prompt..., answer...]}`. The prompt is what both begin with. It is compacted in both
//! alike, and in every other list that begins with it; the answers stay.

use crate::reading::format::chat_row::{ChatEvidence, ChatList, ChatReads, ChatRow};
use crate::reading::format::llamafactory::{BLOCK_LIST, LLAMA_FACTORY};
use crate::reading::format::openai_records::{MessageListPath, read_openai_records};
use crate::reading::format::prelude::*;
use crate::reading::transcript::repeated::RepeatedStretch;

/// Pairs of OpenAI chat messages, as TRL and many data sets have them.
pub(super) const PREFERENCE_PAIRS: ChatRow = ChatRow {
    name: "preference-pairs",
    help: "preference data with the prompt in both answers: {\"chosen\": [OpenAI messages], \"rejected\": [...]}; only the prompt is compacted, in both",
    told: ChatEvidence::Own(|record| {
        PAIRS.recognize(record, "lists chosen and rejected of messages")
    }),
    reads: ChatReads::Own(|records, _| {
        let path = MessageListPath { list: &["chosen"], thread: Some("prompt_id"), trial: None };
        PAIRS.keep_prompt(read_openai_records(records, Shape::Conversation, path)?)
    }),
    ..ChatRow::PLAIN
};
const PAIRS: PairKeys = PairKeys { chosen: "chosen", rejected: "rejected" };

/// Pairs of LLaMA-Factory v1.
pub(super) const LLAMA_FACTORY_PAIRS: ChatRow = ChatRow {
    name: "llamafactory-pairs",
    help: "LLaMA-Factory v1 preference data: {\"chosen_messages\": [...], \"rejected_messages\": [...]}; only the prompt of both is compacted",
    told: ChatEvidence::Own(|record| {
        BLOCK_PAIRS.recognize(record, "lists chosen_messages and rejected_messages")
    }),
    reads: ChatReads::Own(|records, shape| {
        const CHOSEN: ChatList = ChatList { list: BLOCK_PAIRS.chosen, ..BLOCK_LIST };
        BLOCK_PAIRS.keep_prompt(CHOSEN.read(records, shape)?)
    }),
    ..LLAMA_FACTORY
};
const BLOCK_PAIRS: PairKeys = PairKeys { chosen: "chosen_messages", rejected: "rejected_messages" };

/// The keys of lists that other formats read where the answers have no prompt in common.
const OTHER_LISTS: If = none("messages|conversations");

/// The keys of two lists of messages that begin with the same prompt, which is read from the first.
struct PairKeys {
    chosen: &'static str,
    rejected: &'static str,
}

impl PairKeys {
    /// Returns the stretch with which both lists begin.
    fn prompt(&self, record: JsonNode<'_>) -> Option<Span> {
        shared_beginning(
            record.get_kind(self.chosen, JsonKind::Array)?,
            record.get_kind(self.rejected, JsonKind::Array)?,
        )
    }

    fn recognize(&self, record: JsonNode<'_>, why: &'static str) -> Option<Recognition> {
        let holds_messages = |key| {
            let first = record.items_of(key).next();
            first.is_some_and(|first| first.has_key("role"))
        };
        let fits = holds_messages(self.chosen)
            && holds_messages(self.rejected)
            && (self.prompt(record).is_some() || hold(&[OTHER_LISTS], record));
        fits.then(|| Recognition::by_envelope(Shape::Conversation, why))
    }

    /// Returns the transcript of the first list with the messages of the prompt alone.
    fn keep_prompt<'a>(&self, mut transcript: Transcript<'a>) -> Result<Transcript<'a>> {
        // Both sides are compared message by message.
        if let Some(unread) = transcript.unread.first() {
            return Err(unread.error.clone());
        }
        let Some(record) = transcript.records.first() else {
            return Ok(transcript);
        };
        let tree = JsonTree::new(record.bytes)?;
        let span = self.prompt(tree.root()).ok_or_else(|| {
            RecordError::new(format!(
                "{} and {} begin with no common message: write the messages of the prompt at the start of both",
                self.chosen, self.rejected
            ))
        })?;
        let copies = find_copies(tree.root(), span);
        let messages = &mut transcript.messages;
        messages.retain(|message| message.span.end <= span.end);
        transcript.repeated = Some(RepeatedStretch { span, copies });
        Ok(transcript)
    }
}

/// Returns the stretch of the first list, from its first element on, with which the second list
/// begins, too. It ends with an element, and leaves at least one of each list.
fn shared_beginning(first: JsonNode<'_>, second: JsonNode<'_>) -> Option<Span> {
    let bytes = first.record_bytes();
    let start = first.items().next()?.span().start;
    let second_start = second.items().next()?.span().start;
    let shorter = first.items().count().min(second.items().count());
    let mut end = start;
    for (one, other) in first.items().zip(second.items()).take(shorter - 1) {
        // From the end of the last element on: what separates the elements is compared, too.
        let other_end = second_start + (end - start);
        if bytes[end..one.span().end] != bytes[other_end..other.span().end] {
            break;
        }
        end = one.span().end;
    }
    (end > start).then_some(Span { start, end })
}

/// Returns the beginnings of the other lists of a record that begin with the same bytes.
fn find_copies(record: JsonNode<'_>, stretch: Span) -> Vec<usize> {
    let bytes = record.record_bytes();
    let prompt = stretch.slice(bytes);
    record
        .entries()
        .filter(|(_, list)| list.is_kind(JsonKind::Array))
        .filter_map(|(_, list)| Some(list.items().next()?.span().start))
        .filter(|&start| start != stretch.start && bytes[start..].starts_with(prompt))
        .collect()
}

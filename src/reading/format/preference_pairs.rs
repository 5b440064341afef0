//! Preference data whose prompt stands in both answers: `{"chosen": [prompt..., answer...],
//! "rejected": [prompt..., answer...]}`. The prompt is what both begin with. It is compacted in both
//! alike, and in every other list that begins with it; the answers stay.

use crate::reading::format::llamafactory::{LlamaFactoryFormat, read_block_records};
use crate::reading::format::openai::OpenAiFormat;
use crate::reading::format::openai_records::{MessageListPath, read_openai_records};
use crate::reading::format::prelude::*;
use crate::reading::transcript::repeated::RepeatedStretch;

/// A format with two lists of messages that begin with the same prompt.
pub(super) struct PreferencePairs {
    /// The name for `--format` and reports.
    name: &'static str,
    /// The line for `epitome formats`.
    help_line: &'static str,
    /// The key of the list from which the prompt is read.
    chosen: &'static str,
    rejected: &'static str,
    /// The evidence in words.
    why: &'static str,
    /// The format of the messages.
    dialect: &'static dyn Format,
    /// Reads the first of the lists.
    read_chosen: for<'a> fn(Vec<Record<'a>>) -> Result<Transcript<'a>>,
}

/// Pairs of OpenAI chat messages, as TRL and many data sets have them.
pub(super) static PREFERENCE_PAIRS: PreferencePairs = PreferencePairs {
    name: "preference-pairs",
    help_line: "preference data with the prompt in both answers: {\"chosen\": [OpenAI messages], \"rejected\": [...]}; only the prompt is compacted, in both",
    chosen: "chosen",
    rejected: "rejected",
    why: "lists chosen and rejected of messages",
    dialect: &OpenAiFormat,
    read_chosen: |records| {
        let path = MessageListPath {
            list: &["chosen"],
            thread: Some("prompt_id"),
            trial: None,
        };
        read_openai_records(records, Shape::Conversation, path)
    },
};

/// Pairs of LLaMA-Factory v1.
pub(super) static LLAMA_FACTORY_PAIRS: PreferencePairs = PreferencePairs {
    name: "llamafactory-pairs",
    help_line: "LLaMA-Factory v1 preference data: {\"chosen_messages\": [...], \"rejected_messages\": [...]}; only the prompt of both is compacted",
    chosen: "chosen_messages",
    rejected: "rejected_messages",
    why: "lists chosen_messages and rejected_messages",
    dialect: &LlamaFactoryFormat,
    read_chosen: |records| read_block_records(records, "chosen_messages"),
};

/// The keys of lists that other formats read where the answers have no prompt in common.
const OTHER_LISTS: [&str; 2] = ["messages", "conversations"];

impl PreferencePairs {
    /// Returns the stretch with which both lists begin.
    fn prompt(&self, record: JsonNode<'_>) -> Option<Span> {
        shared_beginning(
            record.get_kind(self.chosen, JsonKind::Array)?,
            record.get_kind(self.rejected, JsonKind::Array)?,
        )
    }

    fn no_prompt_error(&self) -> RecordError {
        RecordError::new(format!(
            "{} and {} begin with no common message: write the messages of the prompt at the start of both",
            self.chosen, self.rejected
        ))
    }
}

impl Format for PreferencePairs {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help_line(&self) -> &'static str {
        self.help_line
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let holds_messages = |key| {
            let first = record.items_of(key).next();
            first.is_some_and(|first| first.has_key("role"))
        };
        let fits = holds_messages(self.chosen)
            && holds_messages(self.rejected)
            && (self.prompt(record).is_some()
                || !OTHER_LISTS.iter().any(|key| record.has_key(key)));
        fits.then(|| Recognition::by_envelope(Shape::Conversation, self.why))
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        let mut transcript = (self.read_chosen)(records)?;
        // Both sides are compared message by message.
        if let Some(unread) = transcript.unread.first() {
            return Err(unread.error.clone());
        }
        let Some(record) = transcript.records.first() else {
            return Ok(transcript);
        };
        let tree = JsonTree::new(record.bytes)?;
        let span = self
            .prompt(tree.root())
            .ok_or_else(|| self.no_prompt_error())?;
        let copies = find_copies(tree.root(), span);
        let messages = &mut transcript.messages;
        messages.retain(|message| message.span.end <= span.end);
        transcript.repeated = Some(RepeatedStretch { span, copies });
        Ok(transcript)
    }

    fn user_content_key(&self) -> Option<&'static str> {
        self.dialect.user_content_key()
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        self.dialect.render_message(transcript, place, role, text)
    }

    fn wrap_text(&self, literal: &[u8]) -> Vec<u8> {
        self.dialect.wrap_text(literal)
    }

    fn render_result(&self, text: &str) -> Vec<u8> {
        self.dialect.render_result(text)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read_prompt(record: &str) -> Result<(Vec<String>, usize)> {
        let record = Record {
            bytes: record.as_bytes(),
            line: 1,
        };
        let transcript = PREFERENCE_PAIRS.read_transcript(vec![record], Shape::Conversation)?;
        let messages = transcript.messages.iter();
        let messages = messages
            .map(|message| String::from_utf8_lossy(message.span.slice(record.bytes)).into_owned());
        let copies = transcript
            .repeated
            .map_or(0, |repeated| repeated.copies.len());
        Ok((messages.collect(), copies))
    }

    const Q: &str = r#"{"role": "user", "content": "q"}"#;
    const A: &str = r#"{"role": "assistant", "content": "a"}"#;
    const B: &str = r#"{"role": "assistant", "content": "b"}"#;

    #[test]
    fn the_prompt_is_what_both_begin_with_and_leaves_each_an_answer() {
        for (chosen, rejected, prompt, copies) in [
            (vec![Q, A], vec![Q, B], vec![Q], 1),
            (vec![Q, A, Q, A], vec![Q, A, Q, B], vec![Q, A, Q], 1),
            (vec![Q, A, Q, A], vec![Q, B], vec![Q], 1),
            (vec![Q, A], vec![Q, A], vec![Q], 1),
            (vec![Q, A], vec![Q, A, Q, A], vec![Q], 1),
        ] {
            let (chosen, rejected) = (chosen.join(", "), rejected.join(", "));
            let record = format!(r#"{{"chosen": [{chosen}], "rejected": [{rejected}]}}"#);
            let prompt = prompt.into_iter().map(str::to_owned).collect();
            assert_eq!(read_prompt(&record).unwrap(), (prompt, copies), "{record}");
        }
    }

    #[test]
    fn other_lists_that_begin_with_the_prompt_are_copies() {
        let record = format!(
            r#"{{"messages": [{Q}, {A}], "chosen": [{Q}, {A}], "rejected": [{Q}, {B}], "other": [{B}], "none": []}}"#
        );
        assert_eq!(read_prompt(&record).unwrap(), (vec![Q.to_owned()], 2));
    }

    #[test]
    fn pairs_without_a_common_prompt_are_refused_with_the_remedy() {
        let record = format!(r#"{{"prompt": "q", "chosen": [{A}], "rejected": [{B}]}}"#);
        assert_eq!(
            read_prompt(&record).unwrap_err().reason,
            "chosen and rejected begin with no common message: write the messages of the prompt at the start of both"
        );
        let tree = JsonTree::new(record.as_bytes()).unwrap();
        assert!(PREFERENCE_PAIRS.recognize_record(tree.root()).is_some());
        let beside = format!(r#"{{"messages": [{Q}], "chosen": [{A}], "rejected": [{B}]}}"#);
        let tree = JsonTree::new(beside.as_bytes()).unwrap();
        assert!(PREFERENCE_PAIRS.recognize_record(tree.root()).is_none());
    }
}

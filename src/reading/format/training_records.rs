//! Training data whose messages are spelled in ways of their own: Alpaca, JSON in strings, and
//! trajectories with texts.

use crate::reading::format::anthropic::AnthropicFormat;
use crate::reading::format::conversation_record::{
    ConversationRecord, new_thread, push_literal, push_text,
};
use crate::reading::format::dialects::{ANTHROPIC, OPENAI, SHAREGPT};
use crate::reading::format::prelude::*;

/// Instructions with their history, as Stanford Alpaca and LLaMA-Factory have them.
pub(super) static ALPACA: JournalFormat<ConversationRecord> = JournalFormat(ConversationRecord {
    name: "alpaca",
    help_line: "Alpaca: {\"instruction\", \"input\", \"output\", \"system\", \"history\": [[question, answer], ...]}",
    why: "texts instruction and output",
    fits: |record| {
        record.literal_at("instruction").is_some()
            && record.literal_at("output").is_some()
            && !record.has_key("messages")
            && !record.has_key("conversations")
    },
    build: build_alpaca,
});

/// Messages that a data set keeps as JSON in a string, or each in a string.
pub(super) static JSON_STRING: JournalFormat<ConversationRecord> = JournalFormat(
    ConversationRecord {
        name: "json-string",
        help_line: "messages, conversations or trajectory held as JSON in a string, or in a string each: {\"messages\": \"[{\\\"role\\\": ...\"}",
        why: "strings that hold messages as JSON",
        fits: |record| message_strings(record).is_some(),
        build: build_from_string,
    },
);

/// Trajectories whose messages have a `text`, as those of Nebius.
pub(super) static TEXT_TRAJECTORY: JournalFormat<ConversationRecord> = JournalFormat(
    ConversationRecord {
        name: "text-trajectory",
        help_line: "trajectories with texts: {\"trajectory\": [{\"role\": \"system\" | \"user\" | \"ai\", \"text\": ...}]}",
        why: "a list trajectory of objects with role and text",
        fits: |record| {
            let first = record.items_of("trajectory").next();
            first.is_some_and(|first| first.has_key("role") && first.has_key("text"))
        },
        build: build_text_trajectory,
    },
);

/// Returns a value that must be a string.
fn text_at<'t>(record: JsonNode<'t>, key: &str) -> Result<JsonNode<'t>> {
    let value = record.need(key)?;
    value.must_be(JsonKind::String, key)
}

fn build_alpaca(record: JsonNode<'_>, at: usize) -> Result<JournalThread> {
    let mut thread = new_thread(OPENAI, "messages", at);
    if let Some(prompt) = record.get("system").filter(|prompt| is_text(*prompt)) {
        push_text(&mut thread, at, "system", prompt);
    }
    for pair in record.items_of("history") {
        let mut texts = pair.items();
        let (Some(question), Some(answer), None) = (texts.next(), texts.next(), texts.next())
        else {
            return Err(pair.wrong_kind("an entry of history", "a pair of question and answer"));
        };
        let question = question.must_be(JsonKind::String, "a question in history")?;
        let answer = answer.must_be(JsonKind::String, "an answer in history")?;
        push_text(&mut thread, at, "user", question);
        push_text(&mut thread, at, "assistant", answer);
    }
    push_question(&mut thread, at, record)?;
    push_text(&mut thread, at, "assistant", text_at(record, "output")?);
    Ok(thread)
}

/// Appends the question: the instruction and the input, each on its own line, without empty ones.
fn push_question(thread: &mut JournalThread, at: usize, record: JsonNode<'_>) -> Result<()> {
    let instruction = text_at(record, "instruction")?;
    let input = record.get("input");
    let parts: Vec<JsonNode<'_>> = std::iter::once(instruction)
        .chain(input)
        .filter(|part| is_text(*part))
        .collect();
    let texts: Vec<_> = parts
        .iter()
        .map(|part| decode_literal_wtf8(part.bytes()))
        .collect();
    let literal = encode_wtf8_literal(&texts.join(b"\n".as_slice()));
    let mut places = parts.iter().map(|part| EventPlace::new(at, part.span()));
    let first = places.next();
    let first = first.unwrap_or_else(|| EventPlace::new(at, instruction.span()));
    push_literal(thread, first, "user", &literal);
    for place in places {
        thread.add_place(thread.len() - 1, place);
    }
    Ok(())
}

/// Returns true if a value is a string that is not empty.
fn is_text(value: JsonNode<'_>) -> bool {
    value.as_text().is_some_and(|text| !text.is_empty())
}

/// Returns the first of the keys of message lists that holds JSON as a string, or as a list of
/// strings.
fn message_strings(record: JsonNode<'_>) -> Option<JsonNode<'_>> {
    ["messages", "conversations", "trajectory"]
        .iter()
        .filter_map(|key| record.get(key))
        .find(|value| list_in_strings(*value).is_some_and(|text| holds_messages(&text)))
}

/// Returns the JSON list that a string holds, or the strings of a list: one for each element.
fn list_in_strings(value: JsonNode<'_>) -> Option<Vec<u8>> {
    if value.is_kind(JsonKind::String) {
        return Some(decode_literal_wtf8(value.bytes()).into_owned());
    }
    if !value.is_kind(JsonKind::Array) {
        return None;
    }
    let mut list = vec![b'['];
    for element in value.items() {
        if !element.is_kind(JsonKind::String) {
            return None;
        }
        if list.len() > 1 {
            list.extend_from_slice(b", ");
        }
        list.extend_from_slice(&decode_literal_wtf8(element.bytes()));
    }
    list.push(b']');
    Some(list)
}

/// Returns true if a text is a list of objects that name a speaker.
fn holds_messages(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"[")
        && JsonTree::new(text).is_ok_and(|tree| {
            let mut messages = tree.root().items();
            let first = messages.next();
            first.is_some_and(|first| first.has_key("role") || first.has_key("from"))
        })
}

fn build_from_string(record: JsonNode<'_>, at: usize) -> Result<JournalThread> {
    let missing = || RecordError::new("no strings that hold messages as JSON".to_owned());
    let strings = message_strings(record).ok_or_else(missing)?;
    let text = list_in_strings(strings).ok_or_else(missing)?;
    let tree = JsonTree::new(&text)?;
    let messages = tree.root();
    let (dialect, list) = if messages.items().any(|turn| turn.has_key("from")) {
        (SHAREGPT, "conversations")
    } else if AnthropicFormat.recognize_record(messages).is_some() {
        (ANTHROPIC, "messages")
    } else {
        (OPENAI, "messages")
    };
    let mut thread = new_thread(dialect, list, at);
    if let Some(tools) = record.get("tools") {
        let tools = list_in_strings(tools).unwrap_or_else(|| tools.bytes().to_vec());
        if JsonTree::new(&tools).is_ok_and(|tree| tree.root().is_kind(JsonKind::Array)) {
            thread.add_entry("tools", &tools);
        }
    }
    if let Some(prompt) = record.get("system").filter(|prompt| is_text(*prompt)) {
        thread.add_entry("system", prompt.bytes());
    }
    thread.model = record.non_empty_text("model");
    for message in messages.items() {
        thread.push_message(EventPlace::new(at, strings.span()), message.bytes());
    }
    Ok(thread)
}

/// The roles of a trajectory with texts.
const SPEAKERS: [(&str, Role); 3] = [
    ("system", Role::System),
    ("user", Role::User),
    ("ai", Role::Assistant),
];

fn build_text_trajectory(record: JsonNode<'_>, at: usize) -> Result<JournalThread> {
    let mut thread = new_thread(OPENAI, "messages", at);
    for (number, message) in record.items_of("trajectory").enumerate() {
        let path = format!("trajectory[{number}]");
        let located = LocatedNode {
            node: message,
            record: at,
            path: Some(&path),
        };
        let role = located.read_role("role", &SPEAKERS)?.name();
        let text = ["text", "system_prompt"]
            .iter()
            .filter_map(|key| message.get_kind(key, JsonKind::String))
            .find(|text| is_text(*text));
        match text {
            Some(text) => push_text(&mut thread, at, role, text),
            None => thread.note_left_out(format!("messages of {role} without a text"), at),
        }
    }
    Ok(thread)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&JournalFormat<ConversationRecord>; 3] = [&ALPACA, &JSON_STRING, &TEXT_TRAJECTORY];

    fn error_of(record: &str) -> Option<String> {
        let tree = JsonTree::new(record.as_bytes()).unwrap();
        let mut formats = ALL.iter().filter(|format| (format.0.fits)(tree.root()));
        let format = formats.next().expect("no format fits");
        let error = (format.0.build)(tree.root(), 0).err();
        error.map(|error| error.reason)
    }

    #[test]
    fn a_record_that_cannot_be_written_down_names_the_field() {
        for (record, want) in [
            (
                r#"{"instruction": "q", "output": "a", "history": [["q"]]}"#,
                "an entry of history is an array, it must be a pair of question and answer",
            ),
            (
                r#"{"instruction": "q", "output": "a", "history": [["q", 1]]}"#,
                "an answer in history is a number, it must be a string",
            ),
            (
                r#"{"trajectory": [{"role": "user", "text": "q"}, {"role": "critic", "text": "a"}]}"#,
                "trajectory[1].role is \"critic\", it must be one of system, user, ai",
            ),
        ] {
            assert_eq!(error_of(record).as_deref(), Some(want), "{record}");
        }
    }

    #[test]
    fn strings_that_hold_no_messages_are_of_another_format() {
        for record in [
            r#"{"messages": "none"}"#,
            r#"{"messages": "[1, 2]"}"#,
            r#"{"messages": "[{\"role\": "}"#,
            r#"{"messages": [{"role": "user", "content": "q"}]}"#,
        ] {
            let tree = JsonTree::new(record.as_bytes()).unwrap();
            assert!(
                !ALL.iter().any(|format| (format.0.fits)(tree.root())),
                "{record}"
            );
        }
    }
}

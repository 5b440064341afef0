//! Training data whose messages are spelled in ways of their own: Alpaca, JSON in strings, and
//! trajectories with texts.

use crate::reading::format::anthropic::ANTHROPIC_CHAT;
use crate::reading::format::row::prelude::*;

/// Instructions with their history, as Stanford Alpaca and LLaMA-Factory have them.
#[rustfmt::skip]
pub(super) const ALPACA: LogRow = LogRow {
    name: "alpaca",
    help: "Alpaca: {\"instruction\", \"input\", \"output\", \"system\", \"history\": [[question, answer], ...]}",
    evidence: &[conversation("texts instruction and output", &[kind("instruction", TEXT), kind("output", TEXT), none("messages|conversations")])],
    reads: Reads::Rows(build_alpaca),
};

/// Messages that a data set keeps as JSON in a string, or each in a string.
#[rustfmt::skip]
pub(super) const JSON_STRING: LogRow = LogRow {
    name: "json-string",
    help: "messages, conversations or trajectory held as JSON in a string, or in a string each: {\"messages\": \"[{\\\"role\\\": ...\"}",
    evidence: &[conversation("strings that hold messages as JSON", &[If::Own(|record| message_strings(record).is_some())])],
    reads: Reads::Rows(build_from_string),
};

/// Trajectories whose messages have a `text`, as those of Nebius.
#[rustfmt::skip]
pub(super) const TEXT_TRAJECTORY: LogRow = LogRow {
    name: "text-trajectory",
    help: "trajectories with texts: {\"trajectory\": [{\"role\": \"system\" | \"user\" | \"ai\", \"text\": ...}]}",
    evidence: &[conversation("a list trajectory of objects with role and text", &[If::Of(at("trajectory.0"), &[all("role|text")])])],
    reads: Reads::Rows(build_text_trajectory),
};

/// Returns a value that must be a string.
fn text_at<'t>(record: JsonNode<'t>, key: &str) -> Result<JsonNode<'t>> {
    let value = record.need(key)?;
    value.must_be(JsonKind::String, key)
}

/// Appends a message of this role whose text is the literal of a node.
fn push_text(thread: &mut JournalThread, role: &str, text: JsonNode<'_>) {
    thread.push_said(ElementMark::Message, text.place(), role, text.bytes());
}

fn build_alpaca(record: JsonNode<'_>) -> Result<JournalThread> {
    let mut thread = JournalThread::new_read_only(OPENAI);
    if let Some(prompt) = record.get("system").filter(|prompt| is_text(*prompt)) {
        push_text(&mut thread, "system", prompt);
    }
    for pair in record.items_of("history") {
        let mut texts = pair.items();
        let (Some(question), Some(answer), None) = (texts.next(), texts.next(), texts.next())
        else {
            return Err(pair.wrong_kind("an entry of history", "a pair of question and answer"));
        };
        let question = question.must_be(JsonKind::String, "a question in history")?;
        let answer = answer.must_be(JsonKind::String, "an answer in history")?;
        push_text(&mut thread, "user", question);
        push_text(&mut thread, "assistant", answer);
    }
    push_question(&mut thread, record)?;
    push_text(&mut thread, "assistant", text_at(record, "output")?);
    Ok(thread)
}

/// Appends the question: the instruction and the input, each on its own line, without empty ones.
fn push_question(thread: &mut JournalThread, record: JsonNode<'_>) -> Result<()> {
    let instruction = text_at(record, "instruction")?;
    let input = record.get("input");
    let parts: Vec<JsonNode<'_>> =
        std::iter::once(instruction).chain(input).filter(|part| is_text(*part)).collect();
    let texts: Vec<_> = parts.iter().map(|part| decode_literal_wtf8(part.bytes())).collect();
    let literal = encode_wtf8_literal(&texts.join(b"\n".as_slice()));
    let mut places = parts.iter().map(|part| part.place());
    let first = places.next();
    let first = first.unwrap_or_else(|| instruction.place());
    thread.push_said(ElementMark::Message, first, "user", &literal);
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
    at("messages|conversations|trajectory")
        .nodes(record)
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
    let elements = value.items().map(|element| {
        let is_string = element.is_kind(JsonKind::String);
        is_string.then(|| decode_literal_wtf8(element.bytes()).into_owned())
    });
    let elements: Option<Vec<Vec<u8>>> = elements.collect();
    Some(join_blocks(&elements?))
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

fn build_from_string(record: JsonNode<'_>) -> Result<JournalThread> {
    let missing = || RecordError::new("no strings that hold messages as JSON".to_owned());
    let strings = message_strings(record).ok_or_else(missing)?;
    let text = list_in_strings(strings).ok_or_else(missing)?;
    let tree = JsonTree::held_at(strings.place(), &text)?;
    let messages = tree.root();
    let dialect = if messages.items().any(|turn| turn.has_key("from")) {
        SHAREGPT
    } else if ANTHROPIC_CHAT.recognize_record(messages).is_some() {
        ANTHROPIC
    } else {
        OPENAI
    };
    let mut thread = JournalThread::new_read_only(dialect);
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
    messages.items().for_each(|message| thread.push_node(message));
    Ok(thread)
}

const TEXTS: At = at("text|system_prompt");
/// The roles of a trajectory with texts.
const SPEAKERS: RoleNames = RoleNames("system|user|ai=assistant");

fn build_text_trajectory(record: JsonNode<'_>) -> Result<JournalThread> {
    let mut thread = JournalThread::new_read_only(OPENAI);
    for (number, message) in record.items_of("trajectory").enumerate() {
        let path = format!("trajectory[{number}]");
        let located = LocatedNode { node: message, path: Some(&path) };
        let role = located.read_role("role", SPEAKERS)?.name();
        let text = TEXTS.nodes(message).find(|text| is_text(*text));
        match text {
            Some(text) => push_text(&mut thread, role, text),
            None => thread.note_left_out(
                format!("messages of {role} without a text"),
                message.record_index(),
            ),
        }
    }
    Ok(thread)
}

//! One call of a model a record, with the answer beside the messages: the callbacks of LiteLLM, rows
//! of `input` and `output`, stored completions.

use crate::reading::format::anthropic::ANTHROPIC_CHAT;
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(super) const LOGGED_CALL: LogRow = LogRow {
    name: "logged-call",
    help: "a call and its answer: {\"messages\" or \"input\": [...], \"response\" or \"output\": ...}, as LiteLLM and stored completions have them",
    evidence: &[conversation("an answer beside the messages of its call", &[If::Own(|record| AnsweredCall::of(record).is_some())])],
    reads: Reads::Rows(build),
};

/// Keys that hold the request, apart from the record itself.
const REQUESTS: [&str; 3] = ["request", "params", "kwargs"];
/// Keys that hold the messages of a request.
const MESSAGES: [&str; 2] = ["messages", "input"];
/// Keys that hold the answer.
const ANSWERS: [&str; 3] = ["response", "output", "response_obj"];

/// The parts of a record.
struct AnsweredCall<'t> {
    request: JsonNode<'t>,
    messages: JsonNode<'t>,
    /// The messages or items of the answer, or its text.
    answer: Vec<JsonNode<'t>>,
}

impl<'t> AnsweredCall<'t> {
    fn of(record: JsonNode<'t>) -> Option<Self> {
        let wrapped = REQUESTS.iter().filter_map(|key| record.get(key));
        let (request, messages) = std::iter::once(record).chain(wrapped).find_map(|request| {
            let mut lists = MESSAGES.iter().filter_map(|key| request.get(key));
            Some((request, lists.find(|list| holds_messages(*list))?))
        })?;
        let answer = ANSWERS.iter().find_map(|key| answer_in(record.get(key)?));
        let answer = answer.or_else(|| answer_in(record.get("choices").map(|_| record)?))?;
        // Items of the answer may be in the request already, as a conversation that goes on.
        let last = messages.items().next_back()?;
        let is_answered = last.has_text("role", "assistant") && !last.has_key("tool_calls");
        (!is_answered).then_some(Self { request, messages, answer })
    }
}

/// Returns true for a list of messages, the first of which names its speaker.
fn holds_messages(list: JsonNode<'_>) -> bool {
    let first = list.items().next();
    first.is_some_and(|first| {
        first.literal_at("role").is_some()
            && (first.has_key("content") || first.has_key("tool_calls"))
    })
}

/// Returns the messages or items of an answer in the spelling of any API.
fn answer_in(answer: JsonNode<'_>) -> Option<Vec<JsonNode<'_>>> {
    match answer.kind() {
        JsonKind::String => answer.as_non_empty_text().map(|_| vec![answer]),
        JsonKind::Array => {
            let items: Vec<JsonNode<'_>> = answer.items().collect();
            let is_answer = |item: &JsonNode<'_>| {
                item.has_text("role", "assistant")
                    || (item.literal_at("type").is_some() && !item.has_key("role"))
            };
            (!items.is_empty() && items.iter().all(is_answer)).then_some(items)
        }
        JsonKind::Object => {
            if let Some(choice) = answer.items_of("choices").next() {
                return choice.get_kind("message", JsonKind::Object).map(|message| vec![message]);
            }
            let inner = ["output", "message"].iter().find_map(|key| answer.get(key));
            match inner {
                Some(inner) => answer_in(inner),
                None => answer.has_text("role", "assistant").then(|| vec![answer]),
            }
        }
        JsonKind::Null | JsonKind::Number | JsonKind::Bool => None,
    }
}

fn build(record: JsonNode<'_>) -> Result<JournalThread> {
    let missing = || RecordError::new("no call with its answer".to_owned());
    let AnsweredCall { request, messages, answer } =
        AnsweredCall::of(record).ok_or_else(missing)?;
    let all: Vec<JsonNode<'_>> = messages.items().chain(answer.iter().copied()).collect();
    let has_items = all
        .iter()
        .copied()
        .any(|item| item.literal_at("type").is_some() && !is_anthropic_answer(item));
    let is_anthropic = ANTHROPIC_CHAT.recognize_record(request).is_some()
        || answer.iter().any(|answer| is_anthropic_answer(*answer));
    let dialect = match (has_items, is_anthropic) {
        (_, true) => ANTHROPIC,
        (true, false) => RESPONSES,
        (false, false) => OPENAI,
    };
    let mut thread = JournalThread::new_read_only(dialect);
    for key in ["system", "instructions", "tools"] {
        let value = request.get(key).or_else(|| record.get_path(&["optional_params", key]));
        if let Some(value) = value.filter(|value| !value.is_kind(JsonKind::Null)) {
            thread.add_entry(key, value.bytes());
        }
    }
    thread.model = request.non_empty_text("model").or_else(|| record.non_empty_text("model"));
    for message in all {
        match message.kind() {
            JsonKind::String => {
                let place = message.place();
                thread.push_said(ElementMark::Message, place, "assistant", message.bytes());
            }
            _ => thread.push_node(message),
        }
    }
    Ok(thread)
}

/// Returns true for an answer of Anthropic's API.
fn is_anthropic_answer(item: JsonNode<'_>) -> bool {
    item.has_text("type", "message") && item.has_key("stop_reason")
}

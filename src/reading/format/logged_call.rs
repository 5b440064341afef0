//! One call of a model a record, with the answer beside the messages: the callbacks of LiteLLM, rows
//! of `input` and `output`, stored completions.

use crate::reading::format::anthropic::AnthropicFormat;
use crate::reading::format::conversation_record::{ConversationRecord, new_thread, push_literal};
use crate::reading::format::dialects::{ANTHROPIC, OPENAI, RESPONSES};
use crate::reading::format::prelude::*;

/// Calls with their answers.
pub(super) static LOGGED_CALL: JournalFormat<ConversationRecord> = JournalFormat(
    ConversationRecord {
        name: "logged-call",
        help_line: "a call and its answer: {\"messages\" or \"input\": [...], \"response\" or \"output\": ...}, as LiteLLM and stored completions have them",
        why: "an answer beside the messages of its call",
        fits: |record| LoggedCall::of(record).is_some(),
        build,
    },
);

/// Keys that hold the request, apart from the record itself.
const REQUESTS: [&str; 3] = ["request", "params", "kwargs"];
/// Keys that hold the messages of a request.
const MESSAGES: [&str; 2] = ["messages", "input"];
/// Keys that hold the answer.
const ANSWERS: [&str; 3] = ["response", "output", "response_obj"];

/// The parts of a record.
struct LoggedCall<'t> {
    request: JsonNode<'t>,
    messages: JsonNode<'t>,
    /// The messages or items of the answer, or its text.
    answer: Vec<JsonNode<'t>>,
}

impl<'t> LoggedCall<'t> {
    fn of(record: JsonNode<'t>) -> Option<Self> {
        let wrapped = REQUESTS.iter().filter_map(|key| record.get(key));
        let (request, messages) = std::iter::once(record).chain(wrapped).find_map(|request| {
            let mut lists = MESSAGES.iter().filter_map(|key| request.get(key));
            Some((request, lists.find(|list| holds_messages(*list))?))
        })?;
        let answer = ANSWERS.iter().find_map(|key| answer_in(record.get(key)?));
        let answer = answer.or_else(|| answer_in(record.get("choices").map(|_| record)?))?;
        // Items of the answer may stand in the request already, as a conversation that goes on.
        let last = messages.items().next_back()?;
        let is_answered = last.has_text("role", "assistant") && !last.has_key("tool_calls");
        (!is_answered).then_some(Self {
            request,
            messages,
            answer,
        })
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
                return choice
                    .get_kind("message", JsonKind::Object)
                    .map(|message| vec![message]);
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

fn build(record: JsonNode<'_>, at: usize) -> Result<JournalThread> {
    let missing = || RecordError::new("no call with its answer".to_owned());
    let LoggedCall {
        request,
        messages,
        answer,
    } = LoggedCall::of(record).ok_or_else(missing)?;
    let all: Vec<JsonNode<'_>> = messages.items().chain(answer.iter().copied()).collect();
    let has_items = all
        .iter()
        .copied()
        .any(|item| item.literal_at("type").is_some() && !is_anthropic_answer(item));
    let is_anthropic = AnthropicFormat.recognize_record(request).is_some()
        || answer.iter().any(|answer| is_anthropic_answer(*answer));
    let (dialect, list) = match (has_items, is_anthropic) {
        (_, true) => (ANTHROPIC, "messages"),
        (true, false) => (RESPONSES, "input"),
        (false, false) => (OPENAI, "messages"),
    };
    let mut thread = new_thread(dialect, list, at);
    for key in ["system", "instructions", "tools"] {
        let value = request
            .get(key)
            .or_else(|| record.get_path(&["optional_params", key]));
        if let Some(value) = value.filter(|value| !value.is_kind(JsonKind::Null)) {
            thread.add_entry(key, value.bytes());
        }
    }
    thread.model = request
        .non_empty_text("model")
        .or_else(|| record.non_empty_text("model"));
    all.iter().for_each(|message| {
        let place = EventPlace::new(at, message.span());
        match message.kind() {
            JsonKind::String => push_literal(&mut thread, place, "assistant", message.bytes()),
            _ => thread.push_message(place, message.bytes()),
        }
    });
    Ok(thread)
}

/// Returns true for an answer of Anthropic's API.
fn is_anthropic_answer(item: JsonNode<'_>) -> bool {
    item.has_text("type", "message") && item.has_key("stop_reason")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements_of(record: &str) -> Option<Vec<String>> {
        let tree = JsonTree::new(record.as_bytes()).unwrap();
        LoggedCall::of(tree.root())?;
        Some(build(tree.root(), 0).unwrap().rendered_elements())
    }

    const ASKED: &str = r#"[{"role": "user", "content": "q"}]"#;

    #[test]
    fn the_answer_beside_the_messages_is_the_last_of_them() {
        for answer in [
            r#""response": {"choices": [{"message": {"role": "assistant", "content": "a"}}]}"#,
            r#""output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}]"#,
            r#""output": {"role": "assistant", "content": "a"}"#,
            r#""response": {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": "a"}]}"#,
            r#""output": "a""#,
            r#""choices": [{"message": {"role": "assistant", "content": "a"}}]"#,
        ] {
            for key in MESSAGES {
                let record = format!(r#"{{"{key}": {ASKED}, {answer}}}"#);
                let elements = elements_of(&record).expect("a call");
                assert_eq!(elements.len(), 2, "{record}");
                assert!(elements[1].contains("\"a\""), "{record}");
            }
        }
    }

    #[test]
    fn other_records_are_no_logged_calls() {
        for record in [
            r#"{"messages": [{"role": "user", "content": "q"}], "response": null}"#,
            r#"{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "response": "b"}"#,
            r#"{"messages": [{"role": "user", "content": "q"}], "output": {"score": 1}}"#,
            r#"{"input": "q", "output": "a"}"#,
        ] {
            assert!(elements_of(record).is_none(), "{record}");
        }
    }
}

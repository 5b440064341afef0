//! Output lines of batches: an answer of a model, without the request.

use crate::base::foreign_text::quote_value;
use crate::reading::format::conversation_record::{ConversationRecord, new_thread};
use crate::reading::format::dialects::{ANTHROPIC, GEMINI, OPENAI, RESPONSES};
use crate::reading::format::prelude::*;

/// Answers of the OpenAI Batch API.
pub(super) static OPENAI_BATCH_OUTPUT: JournalFormat<ConversationRecord> = JournalFormat(
    ConversationRecord {
        name: "openai-batch-output",
        help_line: "OpenAI Batch API output: {\"custom_id\": ..., \"response\": {\"body\": {\"choices\": ...}}}; the answers alone",
        why: "custom_id beside response and error",
        fits: |record| {
            record.has_key("custom_id") && record.has_key("response") && record.has_key("error")
        },
        build: build_openai_answer,
    },
);

/// Answers of Anthropic's Message Batches.
pub(super) static ANTHROPIC_BATCH_OUTPUT: JournalFormat<ConversationRecord> = JournalFormat(
    ConversationRecord {
        name: "anthropic-batch-output",
        help_line: "Anthropic Message Batches output: {\"custom_id\": ..., \"result\": {\"message\": ...}}; the answers alone",
        why: "custom_id and result.type",
        fits: |record| {
            record.has_key("custom_id") && record.get_path(&["result", "type"]).is_some()
        },
        build: build_anthropic_answer,
    },
);

/// Answers of Gemini's batches.
pub(super) static GEMINI_BATCH_OUTPUT: JournalFormat<ConversationRecord> = JournalFormat(
    ConversationRecord {
        name: "gemini-batch-output",
        help_line: "Gemini batch output: {\"key\": ..., \"response\": {\"candidates\": ...}}; the answers alone",
        why: "response.candidates without a request",
        fits: |record| {
            record.get_path(&["response", "candidates"]).is_some() && !record.has_key("request")
        },
        build: build_gemini_answer,
    },
);

/// Returns the error that a request of a batch has no answer. `error` is what the batch says.
fn no_answer(error: Option<JsonNode<'_>>) -> RecordError {
    let message = error.and_then(|error| {
        let inner = error.get("error").unwrap_or(error);
        inner
            .non_empty_text("message")
            .or_else(|| inner.non_empty_text("code"))
    });
    let reason = message.map_or_else(String::new, |message| {
        format!(": {}", quote_value(&message))
    });
    RecordError::new(format!("this request of the batch has no answer{reason}"))
}

/// Appends the first answer of a list, and notes the others. `place` finds the answer in an element
/// of the list.
fn push_first_answer<'t>(
    thread: &mut JournalThread,
    at: usize,
    answers: impl Iterator<Item = JsonNode<'t>>,
    key: &str,
) {
    for (number, answer) in answers.filter_map(|answer| answer.get(key)).enumerate() {
        if number == 0 {
            let place = EventPlace::new(at, answer.span());
            thread.push_message(place, answer.bytes());
        } else {
            thread.note_left_out("further answers to the same request".to_owned(), at);
        }
    }
}

fn build_openai_answer(record: JsonNode<'_>, at: usize) -> Result<JournalThread> {
    let body = record.get_path(&["response", "body"]);
    let error = || {
        no_answer(
            body.filter(|body| body.has_key("error"))
                .or(record.get("error")),
        )
    };
    let body = body.ok_or_else(error)?;
    let mut thread = if body.has_key("output") {
        new_thread(RESPONSES, "input", at)
    } else {
        new_thread(OPENAI, "messages", at)
    };
    thread.model = body.non_empty_text("model");
    if let Some(usage) = body.get_kind("usage", JsonKind::Object) {
        thread.add_entry("usage", usage.bytes());
    }
    for item in body.items_of("output") {
        thread.push_message(EventPlace::new(at, item.span()), item.bytes());
    }
    push_first_answer(&mut thread, at, body.items_of("choices"), "message");
    if thread.len() == 0 {
        Err(error())
    } else {
        Ok(thread)
    }
}

fn build_anthropic_answer(record: JsonNode<'_>, at: usize) -> Result<JournalThread> {
    let result = record.get("result");
    let message = result.and_then(|result| result.get_kind("message", JsonKind::Object));
    let message =
        message.ok_or_else(|| no_answer(result.and_then(|result| result.get("error"))))?;
    let mut thread = new_thread(ANTHROPIC, "messages", at);
    thread.model = message.non_empty_text("model");
    thread.push_message(EventPlace::new(at, message.span()), message.bytes());
    Ok(thread)
}

fn build_gemini_answer(record: JsonNode<'_>, at: usize) -> Result<JournalThread> {
    let mut thread = new_thread(GEMINI, "contents", at);
    if let Some(response) = record.get("response") {
        thread.model = response.non_empty_text("modelVersion");
        push_first_answer(&mut thread, at, response.items_of("candidates"), "content");
    }
    if thread.len() == 0 {
        return Err(no_answer(record.get("error")));
    }
    Ok(thread)
}

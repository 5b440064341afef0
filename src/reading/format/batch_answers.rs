//! Output lines of batches: an answer of a model, without the request.

use crate::base::foreign_text::quote_value;
use crate::reading::format::row::prelude::*;

/// Answers of the OpenAI Batch API.
#[rustfmt::skip]
pub(super) const OPENAI_BATCH_OUTPUT: LogRow = LogRow {
    name: "openai-batch-output",
    help: "OpenAI Batch API output: {\"custom_id\": ..., \"response\": {\"body\": {\"choices\": ...}}}; the answers alone",
    evidence: &[conversation("custom_id beside response and error", &[all("custom_id|response|error")])],
    reads: Reads::Rows(build_openai_answer),
};

/// Answers of Anthropic's Message Batches.
#[rustfmt::skip]
pub(super) const ANTHROPIC_BATCH_OUTPUT: LogRow = LogRow {
    name: "anthropic-batch-output",
    help: "Anthropic Message Batches output: {\"custom_id\": ..., \"result\": {\"message\": ...}}; the answers alone",
    evidence: &[conversation("custom_id and result.type", &[all("custom_id|result.type")])],
    reads: Reads::Rows(build_anthropic_answer),
};

/// Answers of Gemini's batches.
#[rustfmt::skip]
pub(super) const GEMINI_BATCH_OUTPUT: LogRow = LogRow {
    name: "gemini-batch-output",
    help: "Gemini batch output: {\"key\": ..., \"response\": {\"candidates\": ...}}; the answers alone",
    evidence: &[conversation("response.candidates without a request", &[has("response.candidates"), none("request")])],
    reads: Reads::Rows(build_gemini_answer),
};

/// Returns the error that a request of a batch has no answer. `error` is what the batch says.
fn no_answer(error: Option<JsonNode<'_>>) -> RecordError {
    let message = error.and_then(|error| {
        let inner = error.get("error").unwrap_or(error);
        inner.non_empty_text("message").or_else(|| inner.non_empty_text("code"))
    });
    let reason = message.map_or_else(String::new, |message| format!(": {}", quote_value(&message)));
    RecordError::new(format!("this request of the batch has no answer{reason}"))
}

/// Appends the first answer of a list, and notes the others. `place` finds the answer in an element
/// of the list.
fn push_first_answer<'t>(
    thread: &mut JournalThread,
    answers: impl Iterator<Item = JsonNode<'t>>,
    key: &str,
) {
    for (number, answer) in answers.filter_map(|answer| answer.get(key)).enumerate() {
        if number == 0 {
            thread.push_node(answer);
        } else {
            thread.note_left_out("further answers to the same request", answer.record_index());
        }
    }
}

fn build_openai_answer(record: JsonNode<'_>) -> Result<JournalThread> {
    let body = record.get_path(&["response", "body"]);
    let error = || no_answer(body.filter(|body| body.has_key("error")).or(record.get("error")));
    let body = body.ok_or_else(error)?;
    let is_items = body.has_key("output");
    let dialect = if is_items { RESPONSES } else { OPENAI };
    let mut thread = JournalThread::new_read_only(dialect);
    thread.model = body.non_empty_text("model");
    if let Some(usage) = body.get_kind("usage", JsonKind::Object) {
        thread.add_entry("usage", usage.bytes());
    }
    body.items_of("output").for_each(|item| thread.push_node(item));
    push_first_answer(&mut thread, body.items_of("choices"), "message");
    if thread.len() == 0 { Err(error()) } else { Ok(thread) }
}

fn build_anthropic_answer(record: JsonNode<'_>) -> Result<JournalThread> {
    let result = record.get("result");
    let message = result.and_then(|result| result.get_kind("message", JsonKind::Object));
    let message =
        message.ok_or_else(|| no_answer(result.and_then(|result| result.get("error"))))?;
    let mut thread = JournalThread::new_read_only(ANTHROPIC);
    thread.model = message.non_empty_text("model");
    thread.push_node(message);
    Ok(thread)
}

fn build_gemini_answer(record: JsonNode<'_>) -> Result<JournalThread> {
    let mut thread = JournalThread::new_read_only(GEMINI);
    if let Some(response) = record.get("response") {
        thread.model = response.non_empty_text("modelVersion");
        push_first_answer(&mut thread, response.items_of("candidates"), "content");
    }
    if thread.len() == 0 {
        return Err(no_answer(record.get("error")));
    }
    Ok(thread)
}

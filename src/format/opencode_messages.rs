//! The messages of OpenCode in the dialect of Anthropic: each step of an answer becomes a message,
//! and each result of the step a message that follows it.

use crate::format::journal::{ElementMark, EventPlace, JournalThread};
use crate::format::tree::JsonNode;
use crate::json::encode_literal;

/// The text that the model sees in place of a result that was cleared.
const CLEARED: &str = "[Old tool result content cleared]";
/// Types of parts that the document expresses.
const SENT_PARTS: [&str; 4] = ["text", "reasoning", "tool", "file"];

/// Returns true if a message is the question of a compaction.
pub(super) fn is_question(message: JsonNode<'_>) -> bool {
    message
        .items_of("parts")
        .any(|part| part.has_text("type", "compaction"))
}

/// Returns true if a message is the summary of a compaction. In messages of the user `summary` is
/// an object: a title for the screen.
pub(super) fn is_summary(message: JsonNode<'_>) -> bool {
    message
        .get("info")
        .is_some_and(|info| info.has_true("summary"))
}

/// Renders a part of this type with a text as a block.
pub(super) fn render_text_part(part: JsonNode<'_>, kind: &str) -> Option<Vec<u8>> {
    if !part.has_text("type", kind) || part.has_true("ignored") {
        return None;
    }
    let literal = part.literal_bytes("text")?;
    Some(render_text_block(literal))
}

fn render_text_block(literal: &[u8]) -> Vec<u8> {
    [b"{\"type\": \"text\", \"text\": ".as_slice(), literal, b"}"].concat()
}

/// Appends a message to the thread, unless it is the question or the answer of a compaction.
pub(super) fn push_message(thread: &mut JournalThread, at: usize, message: JsonNode<'_>) {
    if is_question(message) || is_summary(message) {
        return;
    }
    note_unsent_parts(thread, at, message);
    let role = message
        .get_path(&["info", "role"])
        .and_then(JsonNode::as_text);
    let place = EventPlace::new(at, message.span());
    if role.as_deref() == Some("assistant") {
        push_steps(thread, message, place);
        return;
    }
    let blocks: Vec<Vec<u8>> = message
        .items_of("parts")
        .filter_map(|part| render_text_part(part, "text").or_else(|| render_file(part)))
        .collect();
    if !blocks.is_empty() {
        thread.push_message(
            place,
            &[
                b"{\"role\": \"user\", \"content\": [",
                &blocks.join(b", ".as_slice()),
                b"]}",
            ],
        );
    }
}

fn note_unsent_parts(thread: &mut JournalThread, at: usize, message: JsonNode<'_>) {
    for part in message.items_of("parts") {
        if !SENT_PARTS.iter().any(|kind| part.has_text("type", kind)) {
            let kind = part.get("type").and_then(JsonNode::as_text);
            let what = format!("parts of type {}", kind.unwrap_or_default());
            thread.note_left_out(what, at);
        } else if part.has_true("ignored") {
            thread.note_left_out("parts that are ignored".to_owned(), at);
        }
    }
}

/// Appends the steps of an answer. Each is a call of the model: its text and its tool calls, then
/// the results.
fn push_steps(thread: &mut JournalThread, message: JsonNode<'_>, place: EventPlace) {
    let mut steps = AnswerSteps {
        thread,
        place,
        is_first: true,
        blocks: Vec::new(),
        results: Vec::new(),
    };
    for part in message.items_of("parts") {
        let is_tool = part.has_text("type", "tool");
        let follows_results = !is_tool && !steps.results.is_empty() && part.has_key("text");
        if part.has_text("type", "step-start") || follows_results {
            steps.push_step(b"");
        }
        let text = render_text_part(part, "text").or_else(|| render_text_part(part, "reasoning"));
        steps.blocks.extend(text);
        if let Some(state) = part.get("state").filter(|_| is_tool) {
            steps.blocks.push(render_call(part, state));
            if let Some(json) = render_result(state, part.bytes_or_null("callID")) {
                let place = EventPlace::new(place.record, part.span());
                steps.results.push(StepResult { place, json });
            }
        }
    }
    let usage = message
        .get_path(&["info", "tokens"])
        .map_or_else(Vec::new, render_usage);
    steps.push_step(&usage);
}

/// The steps of an answer, appended one after the other.
struct AnswerSteps<'t> {
    thread: &'t mut JournalThread,
    /// The place of the answer.
    place: EventPlace,
    /// True until the first message of the answer is appended.
    is_first: bool,
    /// The blocks of the current step.
    blocks: Vec<Vec<u8>>,
    /// The results of the current step.
    results: Vec<StepResult>,
}

struct StepResult {
    /// The place of the part.
    place: EventPlace,
    json: Vec<u8>,
}

impl AnswerSteps<'_> {
    /// Appends the current step. `usage` is an entry that begins with a comma, or empty.
    fn push_step(&mut self, usage: &[u8]) {
        if !self.blocks.is_empty() {
            let content = std::mem::take(&mut self.blocks).join(b", ".as_slice());
            let mark = self.next_mark();
            self.thread.push_element(
                mark,
                vec![self.place],
                &[
                    b"{\"role\": \"assistant\", \"content\": [",
                    &content,
                    b"]",
                    usage,
                    b"}",
                ],
            );
        }
        for StepResult { place, json } in std::mem::take(&mut self.results) {
            let mark = self.next_mark();
            self.thread.push_element(
                mark,
                vec![place],
                &[b"{\"role\": \"user\", \"content\": [", &json, b"]}"],
            );
        }
    }

    /// Returns the mark of the next message: all but the first are joined to it.
    fn next_mark(&mut self) -> ElementMark {
        if std::mem::replace(&mut self.is_first, false) {
            ElementMark::Message
        } else {
            ElementMark::Joined
        }
    }
}

fn render_call(part: JsonNode<'_>, state: JsonNode<'_>) -> Vec<u8> {
    [
        b"{\"type\": \"tool_use\", \"id\": ".as_slice(),
        part.bytes_or_null("callID"),
        b", \"name\": ",
        part.bytes_or_null("tool"),
        b", \"input\": ",
        state.bytes_or_null("input"),
        b"}",
    ]
    .concat()
}

/// Renders the result of a call, or returns `None` if the call has not ended.
fn render_result(state: JsonNode<'_>, id: &[u8]) -> Option<Vec<u8>> {
    let is_cleared = state
        .get_path(&["time", "compacted"])
        .is_some_and(|at| !matches!(at.bytes(), b"null" | b"0"));
    let (content, failed): (Vec<u8>, &[u8]) = match state.get("status")?.as_text()?.as_ref() {
        "completed" if is_cleared => (encode_literal(CLEARED), b""),
        "completed" => (render_output(state), b""),
        "error" => {
            let error = state.literal_bytes("error").unwrap_or(b"\"\"");
            (error.to_vec(), b", \"is_error\": true")
        }
        _ => return None,
    };
    Some(
        [
            b"{\"type\": \"tool_result\", \"tool_use_id\": ".as_slice(),
            id,
            b", \"content\": ",
            &content,
            failed,
            b"}",
        ]
        .concat(),
    )
}

/// Renders the output of a call: a text, or a list of blocks if files are attached.
fn render_output(state: JsonNode<'_>) -> Vec<u8> {
    let output = state.literal_bytes("output").unwrap_or(b"\"\"");
    let files: Vec<Vec<u8>> = state
        .items_of("attachments")
        .filter_map(render_file)
        .collect();
    if files.is_empty() {
        return output.to_vec();
    }
    let blocks: Vec<Vec<u8>> = std::iter::once(render_text_block(output))
        .chain(files)
        .collect();
    [b"[".as_slice(), &blocks.join(b", ".as_slice()), b"]"].concat()
}

/// Renders a file as a block: an image or a document.
fn render_file(part: JsonNode<'_>) -> Option<Vec<u8>> {
    let (mime, url) = (part.get("mime")?.as_text()?, part.literal_bytes("url")?);
    if !part.has_text("type", "file") {
        return None;
    }
    let kind: &[u8] = if mime.starts_with("image/") {
        b"image"
    } else {
        b"document"
    };
    Some(
        [
            b"{\"type\": \"".as_slice(),
            kind,
            b"\", \"source\": {\"type\": \"url\", \"url\": ",
            url,
            b"}}",
        ]
        .concat(),
    )
}

fn render_usage(tokens: JsonNode<'_>) -> Vec<u8> {
    format!(
        ", \"usage\": {{\"input_tokens\": {}, \"output_tokens\": {}, \"cache_read_input_tokens\": {}, \"cache_creation_input_tokens\": {}}}",
        count_at(tokens, &["input"]),
        count_at(tokens, &["output"]).saturating_add(count_at(tokens, &["reasoning"])),
        count_at(tokens, &["cache", "read"]),
        count_at(tokens, &["cache", "write"]),
    )
    .into_bytes()
}

fn count_at(tokens: JsonNode<'_>, path: &[&str]) -> u64 {
    tokens
        .get_path(path)
        .and_then(JsonNode::as_u64)
        .unwrap_or(0)
}

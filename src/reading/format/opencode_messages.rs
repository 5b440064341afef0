//! The messages of OpenCode in the dialect of Anthropic: each step of an answer becomes a message,
//! and each result of the step a message that follows it. Everything is rendered as OpenCode sends
//! it, see `docs/reference/opencode.md`.

use crate::reading::format::opencode_live::{CLEARED, has_error, interrupted_output, is_cleared};
use crate::reading::format::opencode_prompt::{is_told_otherwise, stored_items};
use crate::reading::format::opencode_sent::{
    CallingModel, sent_file, sent_message, sent_reasoning, sent_result, sent_text, sent_tool_call,
};
use crate::reading::format::prelude::*;
use crate::reading::json::json_units;
use crate::reading::transcript::summary_frame::OPENCODE_QUESTION;

/// The result of a call that has not ended.
const INTERRUPTED: &str = "[Tool execution was interrupted]";
/// The text in place of a task that was given to another agent.
const SUBTASK: &str = "The following tool was executed by the user";
/// The text before files that a tool returned, where the provider takes none in results.
const MEDIA_OF_RESULT: &str = "Attached media from tool result:";
/// Types of parts that the document expresses.
const SENT_PARTS: [&str; 6] = ["text", "reasoning", "tool", "file", "compaction", "subtask"];
/// Types of files whose text is in another part already.
const UNSENT_FILES: [&str; 2] = ["text/plain", "application/x-directory"];

/// Renders a part of this type with a text as a block.
pub(super) fn render_text_part(part: JsonNode<'_>, kind: &str) -> Option<Vec<u8>> {
    if !part.has_text("type", kind) || part.has_true("ignored") {
        return None;
    }
    let literal = part.literal_bytes("text")?;
    Some(text_block(literal))
}

/// Appends a message to the thread as OpenCode sends it to the model of this name.
pub(super) fn push_message(thread: &mut JournalThread, message: JsonNode<'_>, model: &str) {
    let element = thread.len();
    note_unsent_parts(thread, message);
    let role = message.get_path(&["info", "role"]).and_then(JsonNode::as_text);
    if role.as_deref() != Some("assistant") {
        push_user_message(thread, message);
    } else if is_failed(message) {
        thread.note_left_out("answers that failed", message.record_index());
    } else {
        let model = CallingModel::new(message, model);
        push_steps(thread, message, &model);
    }
    let is_sent = thread.len() > element;
    if !is_sent || is_told_otherwise(message) {
        let items = stored_items(message);
        if is_sent || !items.is_empty() {
            thread.note_for_summarizer(element, is_sent, items);
        }
    }
}

/// Returns true for an answer that is not sent because it failed. An answer that the user stopped
/// is sent if it says or does something.
fn is_failed(message: JsonNode<'_>) -> bool {
    let was_stopped = message
        .get_path(&["info", "error"])
        .is_some_and(|error| error.has_text("name", "MessageAbortedError"));
    let says_something = message
        .items_of("parts")
        .any(|part| !part.has_text("type", "step-start") && !part.has_text("type", "reasoning"));
    has_error(message) && !(was_stopped && says_something)
}

fn push_user_message(thread: &mut JournalThread, message: JsonNode<'_>) {
    let (mut blocks, mut sent, mut has_file) = (Vec::new(), Vec::new(), false);
    for part in message.items_of("parts") {
        let is_unsent = UNSENT_FILES.iter().any(|kind| part.has_text("mime", kind));
        if let Some(file) = render_file(part).filter(|_| !is_unsent) {
            blocks.push(file);
            sent.push(sent_file(part));
            has_file = true;
            continue;
        }
        let text = if part.has_text("type", "compaction") {
            Some(Cow::Owned(encode_literal(OPENCODE_QUESTION)))
        } else if part.has_text("type", "subtask") {
            Some(Cow::Owned(encode_literal(SUBTASK)))
        } else if part.has_text("type", "text") && !part.has_true("ignored") {
            part.literal_bytes("text").map(Cow::Borrowed)
        } else {
            None
        };
        if let Some(text) = text.filter(|text| text.as_ref() != b"\"\"") {
            blocks.push(text_block(&text));
            sent.push(sent_text(&text, None));
        }
    }
    if blocks.is_empty() {
        return;
    }
    thread.push_message(message.place(), &message_of_blocks("user", &blocks));
    if has_file {
        thread.set_sent_units(json_units(&sent_message("user", &sent)));
    }
}

fn note_unsent_parts(thread: &mut JournalThread, message: JsonNode<'_>) {
    let at = message.record_index();
    for part in message.items_of("parts") {
        if !SENT_PARTS.iter().any(|kind| part.has_text("type", kind)) {
            let kind = part.get_text("type");
            let what = format!("parts of type {}", kind.unwrap_or_default());
            thread.note_left_out(what, at);
        } else if part.has_true("ignored") {
            thread.note_left_out("parts that are ignored", at);
        } else if let Some(kind) = UNSENT_FILES.iter().find(|kind| part.has_text("mime", kind)) {
            thread.note_left_out(format!("files of type {kind}"), at);
        }
    }
}

/// Appends the steps of an answer. Each is a call of the model: its text and its tool calls, then
/// the results.
fn push_steps(thread: &mut JournalThread, message: JsonNode<'_>, model: &CallingModel) {
    let (place, step) = (message.place(), AnswerStep::default());
    let mut steps = AnswerSteps { thread, place, is_first: true, step };
    let (mut media, mut sent_media) = (Vec::new(), Vec::new());
    for part in message.items_of("parts") {
        if part.has_text("type", "step-start") {
            steps.push_step(b"");
        }
        steps.step.push_words(part, model);
        let Some(state) = part.get("state").filter(|_| part.has_text("type", "tool")) else {
            continue;
        };
        steps.step.push_call(part, state, model);
        let Some(result) = ToolResult::of_state(state) else {
            continue;
        };
        let attachments = state.items_of("attachments");
        for file in attachments.filter(|_| result.shows_files) {
            if !model.takes_in_results(file) {
                media.extend(render_file(file));
                sent_media.push(sent_file(file));
            }
        }
        steps.step.push_result(part, state, &result, model);
    }
    let usage = message.get_path(&["info", "tokens"]).map_or_else(Vec::new, render_usage);
    steps.push_step(&usage);
    if !media.is_empty() {
        steps.push_media(&media, sent_media);
    }
}

/// The steps of an answer, appended one after the other.
struct AnswerSteps<'t> {
    thread: &'t mut JournalThread,
    /// The place of the answer.
    place: EventPlace,
    /// True until the first message of the answer is appended.
    is_first: bool,
    step: AnswerStep,
}

#[derive(Default)]
struct AnswerStep {
    blocks: Vec<Vec<u8>>,
    /// The same as OpenCode sends it.
    sent: Vec<Vec<u8>>,
    /// True if the blocks don't say the length of what is sent.
    needs_length: bool,
    results: Vec<StepResult>,
}

struct StepResult {
    /// The place of the part.
    place: EventPlace,
    json: Vec<u8>,
    /// The same as OpenCode sends it, if the block does not give its length.
    sent: Option<Vec<u8>>,
}

impl AnswerStep {
    /// Adds a part that says something.
    fn push_words(&mut self, part: JsonNode<'_>, model: &CallingModel) {
        let Some(literal) = part.literal_bytes("text") else {
            return;
        };
        let metadata = model.metadata_of(part);
        if part.has_text("type", "text") {
            self.blocks.push(text_block(literal));
            self.sent.push(sent_text(literal, metadata));
        } else if part.has_text("type", "reasoning") {
            self.blocks.push(fill_json(r#"{"type": "thinking", "thinking": $}"#, &[literal]));
            // What another model thought is sent as its words.
            self.needs_length |= !model.is_same;
            self.sent.extend(if model.is_same {
                Some(sent_reasoning(literal, metadata))
            } else {
                Some(sent_text(literal, None)).filter(|_| !is_blank(part))
            });
        } else {
            return;
        }
        self.needs_length |= metadata.is_some();
    }

    fn push_call(&mut self, part: JsonNode<'_>, state: JsonNode<'_>, model: &CallingModel) {
        self.blocks.push(render_call(part, state));
        let metadata = model.call_metadata_of(part);
        self.needs_length |= metadata.is_some();
        self.sent.push(sent_tool_call(part, state, metadata.as_deref()));
    }

    fn push_result(
        &mut self,
        part: JsonNode<'_>,
        state: JsonNode<'_>,
        result: &ToolResult<'_>,
        model: &CallingModel,
    ) {
        let files: Vec<JsonNode<'_>> = state
            .items_of("attachments")
            .filter(|file| result.shows_files && model.takes_in_results(*file))
            .collect();
        let metadata = model.call_metadata_of(part);
        let json = render_result(result, &files, part.bytes_or_null("callID"));
        let sent = (metadata.is_some() || !files.is_empty()).then(|| {
            let output = (result.text.as_ref(), result.failed);
            sent_result(part, output, &files, metadata.as_deref())
        });
        self.results.push(StepResult { place: part.place(), json, sent });
    }
}

fn is_blank(part: JsonNode<'_>) -> bool {
    part.get_text("text").is_some_and(|text| text.trim().is_empty())
}

impl AnswerSteps<'_> {
    /// Appends the current step. `usage` is an entry that begins with a comma, or empty.
    fn push_step(&mut self, usage: &[u8]) {
        let AnswerStep { blocks, sent, needs_length, results } = std::mem::take(&mut self.step);
        if !blocks.is_empty() {
            let content = join_blocks(&blocks);
            let pattern = r#"{"role": "assistant", "content": $$}"#;
            self.push_part(self.place, &fill_json(pattern, &[&content, usage]));
            if needs_length {
                self.thread.set_sent_units(json_units(&sent_message("assistant", &sent)));
            }
        }
        for (number, result) in results.into_iter().enumerate() {
            let StepResult { place, json, sent } = result;
            self.push_part(place, &message_of_blocks("user", &[json]));
            if let Some(sent) = sent {
                // The results of a step are one message, which the first of them begins.
                let units = if number == 0 {
                    json_units(&sent_message("tool", &[sent]))
                } else {
                    json_units(&sent) + 1
                };
                self.thread.set_sent_units(units);
            }
        }
    }

    /// Appends the files that tools returned, as a message of the user that belongs to the answer.
    fn push_media(&mut self, media: &[Vec<u8>], sent_media: Vec<Vec<u8>>) {
        let words = encode_literal(MEDIA_OF_RESULT);
        let blocks = [&[text_block(&words)], media].concat();
        self.push_part(self.place, &message_of_blocks("user", &blocks));
        let sent = [vec![sent_text(&words, None)], sent_media].concat();
        self.thread.set_sent_units(json_units(&sent_message("user", &sent)));
    }

    /// Appends a message of the answer: all but the first are joined to it.
    fn push_part(&mut self, place: EventPlace, json: &[u8]) {
        let mark = if std::mem::replace(&mut self.is_first, false) {
            ElementMark::Message
        } else {
            ElementMark::Joined
        };
        self.thread.push_element(mark, vec![place], json);
    }
}

fn render_call(part: JsonNode<'_>, state: JsonNode<'_>) -> Vec<u8> {
    let (id, tool) = (part.bytes_or_null("callID"), part.bytes_or_null("tool"));
    call_block(id, tool, state.bytes_or_null("input"))
}

/// The result of a call as it is sent.
struct ToolResult<'t> {
    /// The text, as a literal.
    text: Cow<'t, [u8]>,
    failed: bool,
    /// True if the attached files are sent, too.
    shows_files: bool,
}

impl<'t> ToolResult<'t> {
    /// Returns the result of a call in this state, or `None` for a state that is not known.
    fn of_state(state: JsonNode<'t>) -> Option<Self> {
        let text_at = |key| Cow::Borrowed(state.literal_or_empty(key));
        let (text, failed, shows_files) = match state.get_text("status")?.as_ref() {
            "completed" if is_cleared(state) => (Cow::Owned(encode_literal(CLEARED)), false, false),
            "completed" => (text_at("output"), false, true),
            "error" => match interrupted_output(state) {
                Some(output) => (Cow::Borrowed(output), false, false),
                None => (text_at("error"), true, false),
            },
            "pending" | "running" => (Cow::Owned(encode_literal(INTERRUPTED)), true, false),
            _ => return None,
        };
        Some(Self { text, failed, shows_files })
    }
}

/// Renders a result: a text, or a list of blocks if files are attached.
fn render_result(result: &ToolResult<'_>, files: &[JsonNode<'_>], id: &[u8]) -> Vec<u8> {
    let files: Vec<Vec<u8>> = files.iter().filter_map(|file| render_file(*file)).collect();
    let content = if files.is_empty() {
        result.text.to_vec()
    } else {
        let blocks = [vec![text_block(&result.text)], files].concat();
        join_blocks(&blocks)
    };
    result_block(id, &content, result.failed)
}

/// Renders a file as a block: an image or a document.
fn render_file(part: JsonNode<'_>) -> Option<Vec<u8>> {
    let (mime, url) = (part.get_text("mime")?, part.literal_bytes("url")?);
    if !part.has_text("type", "file") {
        return None;
    }
    let kind: &[u8] = if mime.starts_with("image/") { b"image" } else { b"document" };
    Some(fill_json(r#"{"type": "$", "source": {"type": "url", "url": $}}"#, &[kind, url]))
}

/// Renders the usage of an answer. Its parts add up to the total that OpenCode compares with the
/// model's limits: the stated one, else the sum without the reasoning.
fn render_usage(tokens: JsonNode<'_>) -> Vec<u8> {
    let [input, read, write, total, output] =
        [at("input"), at("cache.read"), at("cache.write"), at("total"), at("output")]
            .map(|at| at.count(tokens).unwrap_or(0));
    let output = match total {
        0 => output,
        total => total.saturating_sub(input.saturating_add(read).saturating_add(write)),
    };
    format!(
        ", \"usage\": {{\"input_tokens\": {input}, \"output_tokens\": {output}, \"cache_read_input_tokens\": {read}, \"cache_creation_input_tokens\": {write}}}",
    )
    .into_bytes()
}

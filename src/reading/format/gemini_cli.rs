//! Gemini CLI sessions: a journal in which a line with a known `id` replaces the earlier line,
//! `$rewindTo` removes messages, and `$set.messages` replaces them all; older sessions are one
//! object with `messages`. A compaction is such a `$set`. See `docs/reference/formats.md`.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(super) const GEMINI_CLI: LogRow = LogRow {
    name: "gemini-cli",
    help: "Gemini CLI sessions (~/.gemini/tmp/*/chats): a journal with $set and $rewindTo, or one object with messages",
    evidence: &[
        // An object with messages is a whole file.
        conversation(HEAD, &[all("projectHash|sessionId"), kind("messages", LIST)]),
        event(HEAD, &[all("projectHash|sessionId")]),
        event("$set or $rewindTo", &[If::Any(&[kind("$set", OBJECT), has("$rewindTo")])]),
        event("an answer of type gemini", &[is("type", "gemini"), all("id|timestamp")]),
        // Other programs may write such a line: it counts beside one that only this format has.
        fits("a message of type user with parts", &[
            is("type", "user"),
            all("id|timestamp"),
            none("role"),
            If::Of(at("content.0"), &[has("text|functionResponse|inlineData|fileData"), none("type")]),
        ]),
    ],
    reads: Reads::Written(&WrittenRow {
        known_types: "user|gemini|info|error|warning|about|help|stats|model_stats|tool_stats|tool_group|quit|compression|chat_list|mcp_status|tools_list",
        new_finder: || Box::new(GeminiCompactionFinder::default()),
        ..WrittenRow::new(|| Box::new(GeminiCliReader::default()), append_summary)
    }),
};
const HEAD: &str = "projectHash beside sessionId";

/// Keys of an answer that the document expresses; further keys are noted as left out.
const ANSWER_KEYS: [&str; 6] = ["id", "timestamp", "type", "content", "toolCalls", "model"];
/// What a result is that is in another place, too, as the list of what is left out names it.
const REPEATED_RESULT: &str = "results that are logged twice";
/// Keys of a call that the document expresses.
const CALL_KEYS: [&str; 4] = ["id", "name", "args", "result"];

fn append_summary(place: &SummaryPlace<'_>, text: &str) -> Vec<(usize, Splice)> {
    let transcript = place.transcript;
    let kept = kept_messages(transcript, place.first_kept);
    let last = transcript.records.last().map_or(b"".as_slice(), |record| record.bytes);
    let timestamp = [kept.last().copied(), Some(last)]
        .into_iter()
        .flatten()
        .find_map(|record| at("timestamp").bytes_in(record))
        .unwrap_or_else(|| encode_literal("1970-01-01T00:00:00.000Z"));
    let id = encode_literal(&uuid_like_id(&[last, text.as_bytes()]));
    let pattern = r#"{"id": $, "timestamp": $, "type": "user", "content": [{"text": $}]}"#;
    let summary = fill_json(pattern, &[&id, &timestamp, &encode_literal(text)]);
    let messages: Vec<&[u8]> = std::iter::once(summary.as_slice()).chain(kept).collect();
    let messages = messages.join(b", ".as_slice());
    let pattern = r#"{"$": {"messages": [$], "lastUpdated": $}}"#;
    let line = fill_json(pattern, &[b"$set", &messages, &timestamp]);
    append_lines(transcript, &[line])
}

/// Returns the logged messages that stay. A call and its results are one logged message.
fn kept_messages<'a>(transcript: &Transcript<'a>, first_kept: usize) -> Vec<&'a [u8]> {
    (first_kept..transcript.messages.len())
        .filter(|&index| {
            index == first_kept
                || transcript.message_sources(index - 1) != transcript.message_sources(index)
        })
        .flat_map(|index| transcript.source_bytes(index))
        .collect()
}

struct GeminiCliMessage {
    id: Option<String>,
    /// The ids of the calls whose results it holds, if it is the user's.
    answered: Vec<String>,
    place: EventPlace,
}

impl GeminiCliMessage {
    fn from_node(node: JsonNode<'_>) -> Self {
        Self {
            id: text_at(node, "id"),
            answered: if node.has_text("type", "user") {
                node.items_of("content").filter_map(answered_call).collect()
            } else {
                Vec::new()
            },
            place: node.place(),
        }
    }
}

/// A session, read line by line.
#[derive(Default)]
struct GeminiCliReader {
    id: Option<String>,
    messages: Vec<GeminiCliMessage>,
    /// The index of the message with an id.
    by_id: HashMap<String, usize>,
    /// True if the file is one object, to which nothing can be appended.
    is_object: bool,
}

impl JournalReader for GeminiCliReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        if let Some(id) = record.get_text("$rewindTo") {
            // An unknown id removes everything.
            let from = self.by_id.get(id.as_ref()).copied().unwrap_or(0);
            for id in self.messages.drain(from..).filter_map(|message| message.id) {
                self.by_id.remove(&id);
            }
            return Ok(());
        }
        let set = record.get("$set");
        if let Some(list) = set.unwrap_or(record).get("messages") {
            self.messages.clear();
            self.by_id.clear();
            for message in list.must_be(JsonKind::Array, "messages")?.items() {
                self.push_or_replace(GeminiCliMessage::from_node(message));
            }
            self.is_object |= set.is_none();
        }
        if record.has_key("sessionId") {
            self.id = self.id.take().or_else(|| text_at(record, "sessionId"));
        } else if record.has_key("type") && set.is_none() {
            self.push_or_replace(GeminiCliMessage::from_node(record));
        }
        Ok(())
    }

    fn threads_so_far(&mut self, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let write_mode = if self.is_object { WriteMode::Nowhere } else { WriteMode::APPENDED };
        let mut thread = JournalThread::new(GEMINI, write_mode, last);
        thread.id = self.id.clone().filter(|id| !id.is_empty());
        let answered = self.messages.iter().flat_map(|message| &message.answered);
        let mut results =
            LoggedResults { is_met: answered.map(|id| (id.clone(), false)).collect() };
        for GeminiCliMessage { place, .. } in &self.messages {
            if let Ok(tree) = place.tree(records) {
                push_contents(&mut thread, tree.root(), &mut results);
            }
        }
        thread.into_only_thread()
    }
}

impl GeminiCliReader {
    /// Appends a message; a message with a known id replaces the earlier one.
    fn push_or_replace(&mut self, message: GeminiCliMessage) {
        if let Some(id) = &message.id {
            let index = *self.by_id.entry(id.clone()).or_insert(self.messages.len());
            if let Some(known) = self.messages.get_mut(index) {
                *known = message;
                return;
            }
        }
        self.messages.push(message);
    }
}

/// The results that a session logs as messages of their own. Since 2026 a result is in the answer with
/// its call and again in the message that was sent; Gemini CLI reads the second one, and once.
struct LoggedResults {
    /// The ids of the calls that a message answers. False as long as the message was not met.
    is_met: HashMap<String, bool>,
}

impl LoggedResults {
    /// Returns true for the second result of a call, and for all that follow.
    fn is_repeated(&mut self, part: JsonNode<'_>) -> bool {
        let Some(is_met) = answered_call(part).and_then(|id| self.is_met.get_mut(&id)) else {
            return false;
        };
        std::mem::replace(is_met, true)
    }
}

/// Returns the id of the call of which a part is the result.
fn answered_call(part: JsonNode<'_>) -> Option<String> {
    text_at(part.get("functionResponse")?, "id")
}

fn text_at(node: JsonNode<'_>, key: &str) -> Option<String> {
    node.get(key)?.as_text().map(Cow::into_owned)
}

/// Returns the items of a list, or what is no list as the only one.
fn list_items(node: JsonNode<'_>) -> Vec<JsonNode<'_>> {
    match node.kind() {
        JsonKind::Array => node.items().collect(),
        _ => vec![node],
    }
}

/// Returns the parts of a content: a string, a part, or a list of both.
fn content_parts(content: JsonNode<'_>) -> Vec<Vec<u8>> {
    match content.kind() {
        JsonKind::String if is_empty_literal(content.bytes()) => Vec::new(),
        JsonKind::String => vec![fill_json(r#"{"text": $}"#, &[content.bytes()])],
        JsonKind::Array => content.items().flat_map(content_parts).collect(),
        JsonKind::Object => vec![content.bytes().to_vec()],
        JsonKind::Null | JsonKind::Number | JsonKind::Bool => Vec::new(),
    }
}

fn render_content(role: &str, parts: &[Vec<u8>]) -> Vec<u8> {
    fill_json(r#"{"role": "$", "parts": [$]}"#, &[role.as_bytes(), &parts.join(b", ".as_slice())])
}

/// Notes the keys of a node that the document does not express.
fn note_further_keys(thread: &mut JournalThread, node: JsonNode<'_>, path: &str, known: &[&str]) {
    for (key, _) in node.entries() {
        let key = decode_literal(key.slice(node.record_bytes()));
        if !known.contains(&key.as_ref()) {
            thread.note_left_out(format!("{path}{key}"), node.record_index());
        }
    }
}

/// Appends the contents of a logged message. Messages of other types are only shown on the screen.
fn push_contents(thread: &mut JournalThread, message: JsonNode<'_>, results: &mut LoggedResults) {
    match message.get_text("type").as_deref() {
        Some("user") => {
            let parts = sent_parts(thread, message, results);
            let is_repeated = parts.is_empty() && message.items_of("content").next().is_some();
            if is_repeated {
                return;
            }
            let first = at("content|content.0.text").literal(message);
            let mark = if thread.len() == 0 && first.is_some_and(is_framed_summary) {
                ElementMark::Summary
            } else {
                ElementMark::Message
            };
            thread.push_element(mark, vec![message.place()], &render_content("user", &parts));
        }
        Some("gemini") => push_answer(thread, message, results),
        _ => {}
    }
}

/// Returns the parts of a message of the user, without results that come before it.
fn sent_parts(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    results: &mut LoggedResults,
) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    for part in message.get("content").into_iter().flat_map(list_items) {
        if results.is_repeated(part) {
            thread.note_left_out(REPEATED_RESULT, part.record_index());
        } else {
            parts.extend(content_parts(part));
        }
    }
    parts
}

/// Appends an answer with its calls, and their results as a second content. Where the content holds
/// a call or a thought, as after a resume, it is the whole answer: `toolCalls` add only results.
fn push_answer(thread: &mut JournalThread, message: JsonNode<'_>, logged: &LoggedResults) {
    let mut parts = (message.get("content").map(content_parts)).unwrap_or_default();
    thread.model = message.non_empty_text("model").or(thread.model.take());
    note_further_keys(thread, message, "", &ANSWER_KEYS);
    let is_whole = message
        .items_of("content")
        .any(|part| part.has_key("functionCall") || part.has_key("thought"));
    let mut results = Vec::new();
    for call in message.items_of("toolCalls") {
        note_further_keys(thread, call, "toolCalls[].", &CALL_KEYS);
        let entries = call.entries_json(&["id", "name", "args"]);
        if !is_whole {
            parts.push(fill_json(r#"{"functionCall": {$}}"#, &[&entries]));
        }
        for result in call.get("result").into_iter().flat_map(list_items) {
            let id = answered_call(result);
            if id.is_some_and(|id| logged.is_met.contains_key(&id)) {
                thread.note_left_out(REPEATED_RESULT, message.record_index());
            } else {
                results.extend(content_parts(result));
            }
        }
    }
    thread.push_message(message.place(), &render_content("model", &parts));
    if !results.is_empty() {
        let results = render_content("user", &results);
        thread.push_element(ElementMark::Joined, vec![message.place()], &results);
    }
}

/// The search for the compactions that the agent made itself: the list of messages is set anew,
/// begins with a message of the user that was not there before, and is shorter.
#[derive(Default)]
pub(super) struct GeminiCompactionFinder {
    /// The ids of all messages so far.
    ids: HashSet<String>,
    /// The number of messages in the list.
    messages: usize,
}

impl CompactionFinder for GeminiCompactionFinder {
    fn observe_record(&mut self, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>) {
        let Some(set) = record.get("$set").filter(|set| set.has_key("messages")) else {
            if let Some(id) = record.non_empty_text("id").filter(|_| record.has_key("type")) {
                self.messages += usize::from(self.ids.insert(id));
            }
            return;
        };
        let messages: Vec<JsonNode<'_>> = set.items_of("messages").collect();
        let begins_anew = messages.first().is_some_and(|first| {
            let id = first.non_empty_text("id");
            first.has_text("type", "user") && id.is_none_or(|id| !self.ids.contains(&id))
        });
        if begins_anew && messages.len() < self.messages {
            spans.push(CompactionSpan::of_records(record.record_index(), record.record_index()));
        }
        self.messages = messages.len();
        let ids = messages.iter().filter_map(|message| message.non_empty_text("id"));
        self.ids.extend(ids);
    }
}

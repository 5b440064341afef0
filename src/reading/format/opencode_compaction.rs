//! Compactions as OpenCode writes them: a question of the user with a `compaction` part and an
//! answer, appended to the list of messages; and results that are marked as cleared.

use crate::reading::format::prelude::*;

/// The hex digits of the time in an id.
const ID_DIGITS: usize = 12;

/// Returns the splices that append a compaction, or `None` if the export has no message.
pub(super) fn append_compaction(
    place: &SummaryPlace<'_>,
    text: &str,
) -> Option<Vec<(usize, Splice)>> {
    let last = place.transcript.records.len().checked_sub(1)?;
    let tree = JsonTree::of_record(place.transcript.records[last].bytes, last).ok()?;
    let list = tree.root().get("messages")?;
    let compaction = NewCompaction::new(list, text)?;
    let question = compaction.render_question(tail_start(place));
    let answer = compaction.render_answer(text);
    Some(append_elements(list, &[question, answer]))
}

/// Returns the id (a literal) of the first message that stays.
fn tail_start(place: &SummaryPlace<'_>) -> Option<Vec<u8>> {
    place.transcript.messages.get(place.first_kept)?;
    let message = place.transcript.source_bytes(place.first_kept).next()?;
    at("info.id").bytes_in(message)
}

/// The values that question and answer share, as JSON.
struct NewCompaction<'t> {
    /// The `info` of the newest message of the user.
    user: Option<JsonNode<'t>>,
    /// The `info` of the newest message of the assistant.
    assistant: Option<JsonNode<'t>>,
    session: Option<&'t [u8]>,
    time: &'t [u8],
    /// The literals of the two messages' ids.
    message_ids: [Vec<u8>; 2],
    /// The literals of their parts' ids.
    part_ids: [Vec<u8>; 2],
}

impl<'t> NewCompaction<'t> {
    fn new(list: JsonNode<'t>, text: &str) -> Option<Self> {
        let newest = message_infos(list).next()?;
        let newest_id = newest.get_text("id");
        let ids = new_ids(&newest_id.unwrap_or_default(), text);
        Some(Self {
            user: message_infos(list).find(|info| info.has_text("role", "user")),
            assistant: message_infos(list).find(|info| info.has_text("role", "assistant")),
            session: newest.get("sessionID").map(JsonNode::bytes),
            time: ["completed", "created"]
                .iter()
                .find_map(|key| newest.get_path(&["time", key]))
                .map_or(b"1", JsonNode::bytes),
            message_ids: ids.each_ref().map(|id| encode_literal(&format!("msg_{id}"))),
            part_ids: ids.each_ref().map(|id| encode_literal(&format!("prt_{id}"))),
        })
    }

    fn render_question(&self, tail_start: Option<Vec<u8>>) -> Vec<u8> {
        let [id, _] = &self.message_ids;
        let session = entry("sessionID", self.session);
        let [agent, model] = ["agent", "model"].map(|key| copied_entry(key, self.user));
        let tail = entry("tail_start_id", tail_start.as_deref());
        fill_json(
            r#"{"info": {"id": $$, "role": "user", "time": {"created": $}$$}, "parts": [{"id": $$, "messageID": $, "type": "compaction", "auto": false$}]}"#,
            &[id, &session, self.time, &agent, &model, &self.part_ids[0], &session, id, &tail],
        )
    }

    fn render_answer(&self, text: &str) -> Vec<u8> {
        let ([question, id], [_, part]) = (&self.message_ids, &self.part_ids);
        let session = entry("sessionID", self.session);
        let copied = ["providerID", "modelID", "path"];
        let [provider, model, path] = copied.map(|key| copied_entry(key, self.assistant));
        let text = encode_literal(text);
        fill_json(
            r#"{"info": {"id": $$, "role": "assistant", "parentID": $, "time": {"created": $, "completed": $}, "mode": "compaction", "agent": "compaction"$$$, "summary": true, "cost": 0, "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}, "finish": "stop"}, "parts": [{"id": $$, "messageID": $, "type": "text", "text": $}]}"#,
            &[
                id, &session, question, self.time, self.time, &provider, &model, &path, part,
                &session, id, &text,
            ],
        )
    }
}

/// Returns the `info` of all messages, the newest first.
fn message_infos(list: JsonNode<'_>) -> impl Iterator<Item = JsonNode<'_>> {
    list.items().rev().filter_map(|message| message.get("info"))
}

/// Returns an entry that follows others, if there is a value.
fn entry(key: &str, value: Option<&[u8]>) -> Vec<u8> {
    let value = value.map(|value| fill_json(r#", "$": $"#, &[key.as_bytes(), value]));
    value.unwrap_or_default()
}

/// Returns the entry of another object, if it has it.
fn copied_entry(key: &str, from: Option<JsonNode<'_>>) -> Vec<u8> {
    let value = from.and_then(|from| from.get(key));
    entry(key, value.map(JsonNode::bytes))
}

/// Returns two ids that sort behind the newest one, because messages are ordered by their ids.
fn new_ids(newest: &str, text: &str) -> [String; 2] {
    let stem = newest.strip_prefix("msg_").unwrap_or(newest);
    let suffix = hex_id(&[newest.as_bytes(), text.as_bytes()]);
    let time = stem
        .get(..ID_DIGITS)
        .filter(|digits| digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    let time = time
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .filter(|time| time + 2 < 1 << (4 * ID_DIGITS));
    [1, 2].map(|step| match time {
        Some(time) => format!("{:012x}{}", time + step, &suffix[..14]),
        None => format!("{stem}_{step}"),
    })
}

/// Returns the splice that marks the result in message `index` as cleared, as OpenCode does: with
/// the time of its end.
pub(super) fn mark_result_cleared(
    transcript: &Transcript<'_>,
    index: usize,
) -> Option<(usize, Splice)> {
    let &(record, span) = transcript.message_sources(index).first()?;
    let part = span.slice(transcript.records[record].bytes);
    let tree = JsonTree::new(part).ok()?;
    let state = tree.root().get("state")?;
    let time = state.get_kind("time", JsonKind::Object);
    let ended = ["end", "start"]
        .iter()
        .find_map(|key| time?.get(key))
        .map_or(b"1".as_slice(), JsonNode::bytes);
    let mark = fill_json(r#""compacted": $"#, &[ended]);
    let (object, entry) = match time {
        Some(time) => (time, mark),
        None => (state, fill_json(r#""time": {$}"#, &[&mark])),
    };
    let (offset, bytes) = match object.entries().next_back() {
        Some((_, value)) => (value.span().end, fill_json(", $", &[&entry])),
        None => (object.span().start + 1, entry),
    };
    let at = span.start + offset;
    let span = Span { start: at, end: at };
    Some((record, Splice { span, bytes }))
}

//! Exports of OpenCode: `{"info", "messages": [{"info", "parts": […]}]}`. A call
//! and its result are one part. Its own compaction is a question of the user
//! with a `compaction` part and the answer to it; then comes the tail that was
//! kept, then what followed (spec: formats, section 9; opencode, A.1).

use crate::error::RecordError;
use crate::format::dialects::ANTHROPIC;
use crate::format::insertion::SummaryPlace;
use crate::format::journal::{
    ElementMark, Journal, JournalReader, JournalThread, append_elements, hex_id,
};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::encode_literal;
use crate::json::{JsonKind, Span};
use crate::transcript::Transcript;
use crate::transcript::journal::WriteMode;
use crate::transcript::splice::Splice;
use crate::transcript::summary_frame::OPENCODE_QUESTION;
use std::borrow::Cow;

/// Exported sessions of OpenCode.
pub(super) struct OpenCodeJournal;

const WRITES: WriteMode = WriteMode::Appended {
    asked: true,
    clears: true,
};
/// What the model sees of a result that was cleared.
const CLEARED: &str = "[Old tool result content cleared]";
/// Hex digits of the time in an id.
const ID_DIGITS: usize = 12;

impl Journal for OpenCodeJournal {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn help_line(&self) -> &'static str {
        "`opencode export`: {\"info\": ..., \"messages\": [{\"info\": ..., \"parts\": [...]}]}; what its last compaction left"
    }

    fn write_mode(&self) -> WriteMode {
        WRITES
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let own = record.items_of("messages").next().is_some_and(|first| {
            first.has_key("parts") && first.get("info").is_some_and(|info| info.has_key("role"))
        });
        own.then_some(Recognition {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "messages of info and parts",
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(OpenCodeReader { thread: None })
    }

    fn append_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let Some(last) = transcript.records.len().checked_sub(1) else {
            return Vec::new();
        };
        let Ok(tree) = JsonTree::new(transcript.records[last].bytes) else {
            return Vec::new();
        };
        let Some(list) = tree.root().get("messages") else {
            return Vec::new();
        };
        let infos = || list.items().rev().filter_map(|message| message.get("info"));
        let Some(newest) = infos().next() else {
            return Vec::new();
        };
        let of_role = |role: &'static str| infos().find(move |info| info.has_text("role", role));
        let bytes = |info: Option<JsonNode<'_>>, key: &str| {
            info.and_then(|info| info.get(key))
                .map(|value| value.bytes().to_vec())
        };
        let entry = |key: &str, value: Option<Vec<u8>>| {
            value.map(|value| [b"\"", key.as_bytes(), b"\": ", value.as_slice()].concat())
        };
        let session = bytes(Some(newest), "sessionID");
        let ids = new_ids(
            &newest
                .get("id")
                .and_then(JsonNode::as_text)
                .unwrap_or_default(),
            text,
        );
        let [question, answer] = [&ids[0], &ids[1]].map(|id| encode_literal(&format!("msg_{id}")));
        let part = |at: usize| Some(encode_literal(&format!("prt_{}", ids[at])));
        let now = ["completed", "created"]
            .iter()
            .find_map(|key| newest.get_path(&["time", key]))
            .map_or_else(|| b"1".to_vec(), |time| time.bytes().to_vec());
        let tail = transcript
            .source_bytes(
                place
                    .first_kept
                    .min(transcript.messages.len().saturating_sub(1)),
            )
            .next();
        let tail = tail
            .filter(|_| place.first_kept < transcript.messages.len())
            .and_then(|message| JsonTree::new(message).ok());
        let tail = tail.and_then(|tree| {
            tree.root()
                .get_path(&["info", "id"])
                .map(|id| id.bytes().to_vec())
        });
        let object = |entries: Vec<Option<Vec<u8>>>| {
            [
                b"{".as_slice(),
                &entries
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(b", ".as_slice()),
                b"}",
            ]
            .concat()
        };
        let string = |text: &str| Some(encode_literal(text));
        let message = |info: Vec<u8>, part: Vec<u8>| {
            [
                b"{\"info\": ".as_slice(),
                &info,
                b", \"parts\": [",
                &part,
                b"]}",
            ]
            .concat()
        };
        let (user, assistant) = (of_role("user"), of_role("assistant"));
        let asked = message(
            object(vec![
                entry("id", Some(question.clone())),
                entry("sessionID", session.clone()),
                entry("role", string("user")),
                entry(
                    "time",
                    Some([b"{\"created\": ".as_slice(), &now, b"}"].concat()),
                ),
                entry("agent", bytes(user, "agent")),
                entry("model", bytes(user, "model")),
            ]),
            object(vec![
                entry("id", part(0)),
                entry("sessionID", session.clone()),
                entry("messageID", Some(question.clone())),
                entry("type", string("compaction")),
                entry("auto", Some(b"false".to_vec())),
                entry("tail_start_id", tail),
            ]),
        );
        let said = message(
            object(vec![
                entry("id", Some(answer.clone())),
                entry("sessionID", session.clone()),
                entry("role", string("assistant")),
                entry("parentID", Some(question)),
                entry("time", Some([b"{\"created\": ".as_slice(), &now, b", \"completed\": ", &now, b"}"].concat())),
                entry("mode", string("compaction")),
                entry("agent", string("compaction")),
                entry("providerID", bytes(assistant, "providerID")),
                entry("modelID", bytes(assistant, "modelID")),
                entry("path", bytes(assistant, "path")),
                entry("summary", Some(b"true".to_vec())),
                entry("cost", Some(b"0".to_vec())),
                entry("tokens", Some(b"{\"input\": 0, \"output\": 0, \"reasoning\": 0, \"cache\": {\"read\": 0, \"write\": 0}}".to_vec())),
                entry("finish", string("stop")),
            ]),
            object(vec![
                entry("id", part(1)),
                entry("sessionID", session),
                entry("messageID", Some(answer)),
                entry("type", string("text")),
                entry("text", string(text)),
            ]),
        );
        append_elements(list, last, &[asked, said])
    }

    fn mark_cleared(&self, transcript: &Transcript<'_>, index: usize) -> Vec<(usize, Splice)> {
        let Some(&(record, span)) = transcript.message_sources(index).first() else {
            return Vec::new();
        };
        let Ok(tree) = JsonTree::new(span.slice(transcript.records[record].bytes)) else {
            return Vec::new();
        };
        let Some(state) = tree.root().get("state") else {
            return Vec::new();
        };
        let time = state
            .get("time")
            .filter(|time| time.is_kind(JsonKind::Object));
        let now = ["end", "start"]
            .iter()
            .find_map(|key| time?.get(key))
            .map_or_else(|| b"1".to_vec(), |at| at.bytes().to_vec());
        let mark = [b"\"compacted\": ".as_slice(), &now].concat();
        let (object, bytes) = match time {
            Some(time) => (time, mark),
            None => (state, [b"\"time\": {".as_slice(), &mark, b"}"].concat()),
        };
        // Behind the last key, or as the only one.
        let (at, bytes) = match object.entries().next_back() {
            Some((_, value)) => (value.span().end, [b", ".as_slice(), &bytes].concat()),
            None => (object.span().start + 1, bytes),
        };
        let at = span.start + at;
        vec![(
            record,
            Splice {
                span: Span { start: at, end: at },
                bytes,
            },
        )]
    }
}

/// Two ids that sort behind the newest: messages are ordered by them.
fn new_ids(newest: &str, text: &str) -> [String; 2] {
    let own = newest.strip_prefix("msg_").unwrap_or(newest);
    let random = hex_id(&[newest.as_bytes(), text.as_bytes()]);
    let time = own.get(..ID_DIGITS).filter(|digits| {
        digits
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    });
    let time = time
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .filter(|time| time + 2 < 1 << (4 * ID_DIGITS));
    [1, 2].map(|step| match time {
        Some(time) => format!("{:012x}{}", time + step, &random[..14]),
        None => format!("{own}_{step}"),
    })
}

/// An export while it is read.
struct OpenCodeReader {
    thread: Option<JournalThread>,
}

impl JournalReader for OpenCodeReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let list = record
            .get("messages")
            .ok_or_else(|| record.missing_key("messages"))?
            .must_be(JsonKind::Array, "messages")?;
        let messages: Vec<JsonNode<'_>> = list.items().collect();
        let mut thread = JournalThread::new(ANTHROPIC, "messages", WRITES, at);
        thread.id = record
            .get_path(&["info", "id"])
            .and_then(JsonNode::as_text)
            .map(Cow::into_owned);
        thread.model = messages.iter().rev().find_map(|message| {
            let [provider, model] = ["providerID", "modelID"]
                .map(|key| message.get_path(&["info", key]).and_then(JsonNode::as_text));
            Some(format!("{}/{}", provider?, model?))
        });
        let mut rest = messages.as_slice();
        if let Some((question, answer)) = last_compaction(&messages) {
            let place = |index: usize| vec![(at, messages[index].span())];
            thread.push_element(
                ElementMark::Summary,
                place(question),
                &[
                    b"{\"role\": \"user\", \"content\": ",
                    &encode_literal(OPENCODE_QUESTION),
                    b"}",
                ],
            );
            let said: Vec<Vec<u8>> = messages[answer]
                .items_of("parts")
                .filter_map(|part| block(part, "text"))
                .collect();
            thread.push_element(
                ElementMark::Summary,
                place(answer),
                &[
                    b"{\"role\": \"assistant\", \"content\": [",
                    &said.join(b", ".as_slice()),
                    b"]}",
                ],
            );
            let tail = messages[question]
                .items_of("parts")
                .find_map(|part| part.get("tail_start_id")?.as_text());
            let tail = tail.and_then(|id| {
                messages[..question].iter().position(|message| {
                    message
                        .get_path(&["info", "id"])
                        .and_then(JsonNode::as_text)
                        .as_ref()
                        == Some(&id)
                })
            });
            tail.into_iter()
                .flat_map(|from| &messages[from..question])
                .for_each(|message| tell(&mut thread, at, *message));
            let hidden = tail.unwrap_or(question);
            (0..hidden).for_each(|_| {
                thread.note_left_out("messages before the last compaction".to_owned(), at)
            });
            rest = &messages[question + 1..];
        }
        rest.iter()
            .for_each(|message| tell(&mut thread, at, *message));
        self.thread = Some(thread);
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.thread
            .into_iter()
            .filter(|thread| thread.len() > 0)
            .collect()
    }
}

fn is_question(message: JsonNode<'_>) -> bool {
    message
        .items_of("parts")
        .any(|part| part.has_text("type", "compaction"))
}

fn is_summary(message: JsonNode<'_>) -> bool {
    // Of a user `summary` is an object: a title for the screen.
    message
        .get_path(&["info", "summary"])
        .is_some_and(|value| value.bytes() == b"true")
}

/// The last question that was answered by a summary, and its answer.
fn last_compaction(messages: &[JsonNode<'_>]) -> Option<(usize, usize)> {
    let answers = (0..messages.len())
        .rev()
        .filter(|&index| is_summary(messages[index]));
    answers.into_iter().find_map(|answer| {
        let parent = messages[answer]
            .get_path(&["info", "parentID"])?
            .as_text()?;
        let is_asked = |index: &usize| {
            is_question(messages[*index])
                && messages[*index]
                    .get_path(&["info", "id"])
                    .and_then(JsonNode::as_text)
                    .as_ref()
                    == Some(&parent)
        };
        (0..answer)
            .rev()
            .find(is_asked)
            .map(|question| (question, answer))
    })
}

/// A part with a text as a block.
fn block(part: JsonNode<'_>, kind: &str) -> Option<Vec<u8>> {
    let is_sent = part.has_text("type", kind)
        && part
            .get("ignored")
            .is_none_or(|ignored| ignored.bytes() != b"true");
    let literal = part.literal_at("text").filter(|_| is_sent)?;
    Some(
        [
            b"{\"type\": \"text\", \"text\": ".as_slice(),
            literal.slice(part.record_bytes()),
            b"}",
        ]
        .concat(),
    )
}

fn tell(thread: &mut JournalThread, at: usize, message: JsonNode<'_>) {
    if is_question(message) || is_summary(message) {
        return;
    }
    for part in message.items_of("parts") {
        let is_told = ["text", "reasoning", "tool", "file"]
            .iter()
            .any(|kind| part.has_text("type", kind));
        if !is_told {
            thread.note_left_out(
                format!(
                    "parts of type {}",
                    part.get("type")
                        .and_then(JsonNode::as_text)
                        .unwrap_or_default()
                ),
                at,
            );
        } else if part
            .get("ignored")
            .is_some_and(|ignored| ignored.bytes() == b"true")
        {
            thread.note_left_out("parts that are ignored".to_owned(), at);
        }
    }
    let place = || vec![(at, message.span())];
    if message
        .get_path(&["info", "role"])
        .and_then(JsonNode::as_text)
        .as_deref()
        != Some("assistant")
    {
        let blocks: Vec<Vec<u8>> = message
            .items_of("parts")
            .filter_map(|part| block(part, "text").or_else(|| file(part)))
            .collect();
        if !blocks.is_empty() {
            thread.push_element(
                ElementMark::Message,
                place(),
                &[
                    b"{\"role\": \"user\", \"content\": [",
                    &blocks.join(b", ".as_slice()),
                    b"]}",
                ],
            );
        }
        return;
    }
    // Each step is a call of the model: what it says, what it calls, then the results.
    let mut is_first = true;
    let mut mark = || {
        if std::mem::replace(&mut is_first, false) {
            ElementMark::Message
        } else {
            ElementMark::Joined
        }
    };
    let usage = message
        .get_path(&["info", "tokens"])
        .map_or_else(Vec::new, usage);
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    let mut results: Vec<(Span, Vec<u8>)> = Vec::new();
    let mut flush =
        |blocks: &mut Vec<Vec<u8>>, results: &mut Vec<(Span, Vec<u8>)>, usage: &[u8]| {
            if !blocks.is_empty() {
                let content = std::mem::take(blocks).join(b", ".as_slice());
                thread.push_element(
                    mark(),
                    place(),
                    &[
                        b"{\"role\": \"assistant\", \"content\": [",
                        &content,
                        b"]",
                        usage,
                        b"}",
                    ],
                );
            }
            for (part, result) in results.drain(..) {
                thread.push_element(
                    mark(),
                    vec![(at, part)],
                    &[b"{\"role\": \"user\", \"content\": [", &result, b"]}"],
                );
            }
        };
    for part in message.items_of("parts") {
        let is_tool = part.has_text("type", "tool");
        if part.has_text("type", "step-start")
            || (!is_tool && !results.is_empty() && part.has_key("text"))
        {
            flush(&mut blocks, &mut results, b"");
        }
        blocks.extend(block(part, "text").or_else(|| block(part, "reasoning")));
        if let Some(state) = part.get("state").filter(|_| is_tool) {
            let bytes = |node: JsonNode<'_>, key: &str| {
                node.get(key)
                    .map_or_else(|| b"null".to_vec(), |value| value.bytes().to_vec())
            };
            let id = bytes(part, "callID");
            let start = b"{\"type\": \"tool_use\", \"id\": ".as_slice();
            blocks.push(
                [
                    start,
                    &id,
                    b", \"name\": ",
                    &bytes(part, "tool"),
                    b", \"input\": ",
                    &bytes(state, "input"),
                    b"}",
                ]
                .concat(),
            );
            results.extend(result(state, &id).map(|result| (part.span(), result)));
        }
    }
    flush(&mut blocks, &mut results, &usage);
}

fn result(state: JsonNode<'_>, id: &[u8]) -> Option<Vec<u8>> {
    let literal = |key: &str| {
        state
            .get(key)
            .filter(|value| value.is_kind(JsonKind::String))
            .map_or_else(|| b"\"\"".to_vec(), |value| value.bytes().to_vec())
    };
    let is_cleared = state
        .get_path(&["time", "compacted"])
        .is_some_and(|at| !matches!(at.bytes(), b"null" | b"0"));
    let (content, failed): (Vec<u8>, &[u8]) = match state.get("status")?.as_text()?.as_ref() {
        "completed" if is_cleared => (encode_literal(CLEARED), b""),
        "completed" => {
            let files: Vec<Vec<u8>> = state.items_of("attachments").filter_map(file).collect();
            let text = [
                b"{\"type\": \"text\", \"text\": ".as_slice(),
                &literal("output"),
                b"}",
            ]
            .concat();
            let all = std::iter::once(text)
                .chain(files.iter().cloned())
                .collect::<Vec<_>>()
                .join(b", ".as_slice());
            (
                if files.is_empty() {
                    literal("output")
                } else {
                    [b"[".as_slice(), &all, b"]"].concat()
                },
                b"",
            )
        }
        "error" => (literal("error"), b", \"is_error\": true"),
        // What has not ended has no result.
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

/// A file as a block: images as images.
fn file(part: JsonNode<'_>) -> Option<Vec<u8>> {
    let (mime, url) = (part.get("mime")?.as_text()?, part.get("url")?);
    if !part.has_text("type", "file") || !url.is_kind(JsonKind::String) {
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
            url.bytes(),
            b"}}",
        ]
        .concat(),
    )
}

fn usage(tokens: JsonNode<'_>) -> Vec<u8> {
    let count = |path: &[&str]| {
        tokens
            .get_path(path)
            .and_then(|node| std::str::from_utf8(node.bytes()).ok()?.parse::<u64>().ok())
            .unwrap_or(0)
    };
    format!(
        ", \"usage\": {{\"input_tokens\": {}, \"output_tokens\": {}, \"cache_read_input_tokens\": {}, \"cache_creation_input_tokens\": {}}}",
        count(&["input"]),
        count(&["output"]).saturating_add(count(&["reasoning"])),
        count(&["cache", "read"]),
        count(&["cache", "write"]),
    )
    .into_bytes()
}

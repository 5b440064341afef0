//! The length of messages as OpenCode hands them to the provider, by which it decides how many turns
//! stay (see `docs/reference/opencode.md`): UTF-16 code units of what JavaScript's `JSON.stringify`
//! writes, with all edits made.

use crate::reading::format::JsonTree;
use crate::reading::json::{encode_literal, encode_wtf8_literal, json_units, literal_units};
use crate::reading::transcript::view::{ContentPiece, TranscriptView};
use crate::reading::transcript::{BlockKind, Content, Role};

const USER: &str = r#"{"role":"user","content":[]}"#;
const ASSISTANT: &str = r#"{"role":"assistant","content":[]}"#;
const RESULTS: &str = r#"{"role":"tool","content":[]}"#;
const TEXT: &str = r#"{"type":"text","text":}"#;
const REASONING: &str = r#"{"type":"reasoning","text":}"#;
const FILE: &str = r#"{"type":"file","mediaType":"","data":}"#;
const CALL: &str = r#"{"type":"tool-call","toolCallId":,"toolName":,"input":}"#;
const RESULT: &str =
    r#"{"type":"tool-result","toolCallId":,"toolName":,"output":{"type":"","value":}}"#;
/// The words before pictures of a result, which are sent as a message of the user.
const MEDIA: &str = "Attached media from tool result:";
/// The keys of OpenAI's messages that hold reasoning.
const REASONING_KEYS: [&str; 2] = ["reasoning_content", "reasoning"];

/// The length of a message in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SentLength {
    /// UTF-16 code units, without the comma before a message.
    pub units: u64,
    /// The number of messages that begin with it. The results of an answer are one message.
    pub messages: u64,
}

/// Returns the length of message `index` as it is sent. System messages and earlier summaries have
/// none: they are not part of a turn.
pub(crate) fn sent_length(view: TranscriptView<'_, '_>, index: usize) -> SentLength {
    let message = view.message(index);
    if message.role.is_system() || message.earlier_summary {
        return SentLength::default();
    }
    let seen = message_length(view, index);
    let source = view.transcript.element_source(message);
    let Some(exact) = source.and_then(|source| source.sent_units) else {
        return seen;
    };
    // The exact length is that of the message without edits.
    let unedited = TranscriptView::logged(view.transcript);
    let logged = message_length(unedited, index);
    SentLength {
        units: (exact + seen.units).saturating_sub(logged.units),
        messages: logged.messages,
    }
}

/// Returns the length of a text that is ASCII.
pub(crate) fn length(text: &str) -> u64 {
    text.len() as u64
}

/// Returns the length of parts with the commas between them.
pub(crate) fn listed(parts: &[u64]) -> u64 {
    parts.iter().sum::<u64>() + (parts.len() as u64).saturating_sub(1)
}

/// Returns the length of message `index` by what the transcript holds of it.
fn message_length(view: TranscriptView<'_, '_>, index: usize) -> SentLength {
    match view.message(index).role {
        Role::User => message_of(USER, &user_parts(view, index)),
        Role::Assistant => message_of(ASSISTANT, &answer_parts(view, index)),
        Role::Tool | Role::Function => result_length(view, index),
        Role::System | Role::Developer => SentLength::default(),
    }
}

/// Returns the length of a message of parts with these lengths. Without parts it is not sent.
fn message_of(frame: &str, parts: &[u64]) -> SentLength {
    if parts.is_empty() {
        return SentLength::default();
    }
    SentLength { units: length(frame) + listed(parts), messages: 1 }
}

fn user_parts(view: TranscriptView<'_, '_>, index: usize) -> Vec<u64> {
    let pieces = view.content_pieces(index).into_iter();
    pieces
        .zip(piece_bytes(view, index))
        .filter_map(|(piece, bytes)| match piece {
            ContentPiece::Literal(b"\"\"") | ContentPiece::Text("") => None,
            ContentPiece::Literal(literal) => Some(length(TEXT) + literal_units(literal)),
            ContentPiece::Text(text) => Some(length(TEXT) + literal_units(&encode_literal(text))),
            ContentPiece::Image => Some(file_length(bytes)),
            ContentPiece::Call(json) | ContentPiece::Other(json) => Some(json_units(json)),
        })
        .collect()
}

/// Returns the bytes of each piece of a message's content: those of its block.
fn piece_bytes<'a>(view: TranscriptView<'_, 'a>, index: usize) -> Vec<&'a [u8]> {
    match &view.message(index).content {
        Content::Blocks(blocks) => {
            blocks.iter().map(|block| view.transcript.bytes(index, block.span)).collect()
        }
        Content::Absent | Content::Text(_) => vec![b"".as_slice()],
    }
}

/// Returns the length of a picture, given its block: its data, as a URL or by itself.
fn file_length(block: &[u8]) -> u64 {
    let url = JsonTree::new(block).ok().and_then(|tree| {
        let root = tree.root();
        let paths: [&[&str]; 6] = [
            &["image_url", "url"],
            &["image_url"],
            &["source", "url"],
            &["source", "data"],
            &["url"],
            &["data"],
        ];
        let node = paths.iter().find_map(|path| {
            let node = root.get_path(path)?;
            node.as_literal().map(|_| node)
        })?;
        let text = node.as_text()?;
        let mime = text.strip_prefix("data:").and_then(|rest| {
            let (mime, _) = rest.split_once(';')?;
            Some(length(mime))
        });
        Some((json_units(node.bytes()), mime))
    });
    let (units, mime) = url.unwrap_or((2, None));
    length(FILE) + units + mime.unwrap_or(length("image/png"))
}

fn answer_parts(view: TranscriptView<'_, '_>, index: usize) -> Vec<u64> {
    let message = view.message(index);
    let mut parts = logged_reasoning(view, index);
    let bytes = |span| view.transcript.bytes(index, span);
    let text = |literal: &[u8]| length(TEXT) + literal_units(literal);
    let mut listed = vec![false; message.calls.len()];
    match &message.content {
        Content::Absent => {}
        Content::Text(span) => {
            parts.extend(Some(bytes(*span)).filter(|literal| *literal != b"\"\"").map(text));
        }
        Content::Blocks(blocks) => {
            for block in blocks {
                parts.push(match block.kind {
                    BlockKind::Text(span) => text(bytes(span)),
                    BlockKind::Image => file_length(bytes(block.span)),
                    BlockKind::Call(number) => {
                        listed[number] = true;
                        call_length(view, index, number)
                    }
                    BlockKind::Other => thought_length(bytes(block.span)),
                });
            }
        }
    }
    let calls = message.calls.iter().enumerate();
    parts.extend(
        calls
            .filter(|(number, call)| !listed[*number] && !call.legacy)
            .map(|(number, _)| call_length(view, index, number)),
    );
    parts
}

/// Returns the lengths of the reasoning that a message holds beside its content.
fn logged_reasoning(view: TranscriptView<'_, '_>, index: usize) -> Vec<u64> {
    let message = view.message(index);
    if view.transcript.element_source(message).is_some() {
        return Vec::new();
    }
    let bytes = view.transcript.bytes(index, message.span);
    if memchr::memmem::find(bytes, REASONING_KEYS[1].as_bytes()).is_none() {
        return Vec::new();
    }
    let Ok(tree) = JsonTree::new(bytes) else {
        return Vec::new();
    };
    let literal = REASONING_KEYS
        .iter()
        .find_map(|key| tree.root().literal_bytes(key))
        .filter(|literal| *literal != b"\"\"");
    literal.map(|literal| length(REASONING) + literal_units(literal)).into_iter().collect()
}

/// Returns the length of a block of another kind: reasoning, or what is sent as it is.
fn thought_length(block: &[u8]) -> u64 {
    let Ok(tree) = JsonTree::new(block) else {
        return json_units(block);
    };
    let thought = tree.root().literal_bytes("thinking");
    thought.map_or_else(|| json_units(block), |literal| length(REASONING) + literal_units(literal))
}

fn call_length(view: TranscriptView<'_, '_>, index: usize, number: usize) -> u64 {
    let call = &view.message(index).calls[number];
    let literal =
        |span: Option<_>| span.map_or(2, |span| literal_units(view.transcript.bytes(index, span)));
    let arguments = view.call_arguments(index, number);
    let input = if call.valid {
        json_units(&arguments)
    } else {
        literal_units(&encode_wtf8_literal(&arguments))
    };
    length(CALL) + literal(call.id) + literal(call.name) + input
}

/// Returns the length of a result. The first result behind an answer begins a message.
fn result_length(view: TranscriptView<'_, '_>, index: usize) -> SentLength {
    let message = view.message(index);
    let transcript = view.transcript;
    let id = message.answers.map_or(2, |span| literal_units(transcript.bytes(index, span)));
    let name =
        transcript.tool_name_of(index).map_or(2, |name| literal_units(&encode_literal(&name)));
    let text = view.joined_text(index, "\n");
    let kind = if message.incomplete && !view.overlay.cleared.contains(&index) {
        "error-text"
    } else {
        "text"
    };
    let mut units =
        length(RESULT) + id + name + length(kind) + literal_units(&encode_literal(&text));
    let begins = index.checked_sub(1).is_none_or(|before| !view.message(before).role.is_result());
    let mut messages = 0;
    if begins {
        messages = 1;
        units += length(RESULTS);
    } else {
        units += 1;
    }
    let pictures: Vec<u64> = match &message.content {
        Content::Blocks(blocks) if !view.overlay.cleared.contains(&index) => blocks
            .iter()
            .filter(|block| block.kind == BlockKind::Image)
            .map(|block| file_length(transcript.bytes(index, block.span)))
            .collect(),
        Content::Absent | Content::Text(_) | Content::Blocks(_) => Vec::new(),
    };
    if !pictures.is_empty() {
        let words = length(TEXT) + length(MEDIA) + 2;
        let media = message_of(USER, &[&[words], pictures.as_slice()].concat());
        units += media.units;
        messages += media.messages;
    }
    SentLength { units, messages }
}

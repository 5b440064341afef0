//! Guards against readers that overlook the text of a message: a format that fits a
//! record by its outer keys may not know what its messages hold.

use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::format::{certain_format_and_shape, describe_record, shown_name};
use crate::reading::json::{JsonKind, Span, decode_literal};
use crate::reading::transcript::{BlockKind, Content, Message};
use crate::reporting::report::numbers::count_nouns;
use crate::running::conversation::prelude::*;

/// Keys under which messages of other formats hold their text.
const TEXT_KEYS: &str = "\
    text value message msg body parts data prompt completion response output input question \
    answer blocks segments contents chunks";
/// Types of blocks without text of their own, or with text that is not part of the answer. A block
/// without a type has one of these as its only key.
const KNOWN_BLOCKS: &str = "\
    thinking redacted_thinking reasoning refusal audio input_audio video video_url file \
    input_file document image image_url input_image reasoningContent cachePoint guardContent \
    toolResult";
/// Characters from which on a string without spaces counts as text.
const TEXT_CHARS: usize = 40;
/// Levels of a value that are searched for text.
const MAX_DEPTH: usize = 6;

/// Returns true if the reader of a transcript may have overlooked text, so that
/// [`check_text_is_found`] is worth its time.
pub(super) fn may_overlook_text(transcript: &Transcript<'_>) -> bool {
    // Where roles must alternate, a system prompt in the list is another format's.
    let mut inside = transcript.messages.iter().skip(transcript.outside);
    let has_prompt = transcript.alternates && inside.any(|message| message.role == Role::System);
    // Formats that notice nothing have many kinds of blocks without text of their own.
    let notices = transcript.noticed.is_some();
    has_prompt
        || !transcript.unread.is_empty()
        || transcript.noticed.is_some_and(|noticed| noticed.foreign)
        || transcript
            .messages
            .iter()
            .any(|message| lacks_text(message) || (notices && has_other_block(message)))
}

/// Returns the transcript if nothing in it was overlooked. Fails if the text of a message was not
/// found although its JSON holds some under other keys, or if no message has any content.
pub(super) fn check_text_is_found(
    transcript: Transcript<'_>,
) -> Result<Transcript<'_>, RecordError> {
    let messages = &transcript.messages;
    let answers = AnswersByPlace::new(messages);
    let mut textless = (0..messages.len()).filter(|&index| lacks_text(&messages[index]));
    if let Some(error) = textless.find_map(|index| unread_blocks(&transcript, &answers, index)) {
        return Err(error);
    }
    // A message alone may be empty, and so may all messages of a conversation that hold nothing else.
    let is_suspect = |index: usize| {
        let message = &messages[index];
        let has_place = message.content_span.is_some() || !lacks_text(message);
        !(transcript.message_per_record && has_place)
            && has_under_text_key(&transcript, index, holds_anything)
    };
    if messages.iter().all(lacks_text) && (0..messages.len()).any(is_suspect) {
        return check_any_text(transcript);
    }
    let mut overlooked = (transcript.outside..messages.len()).filter(|&index| {
        let message = &messages[index];
        message.content_span.is_none()
            && lacks_text(message)
            && has_under_text_key(&transcript, index, |value| holds_text(value, MAX_DEPTH))
    });
    match overlooked.next() {
        None => Ok(transcript),
        Some(index) => Err(RecordError::at(
            messages[index].span.start,
            format!(
                "no text was found in message {}, but another key holds some; {}",
                index + 1,
                describe_record(transcript.bytes(index, messages[index].span))
            ),
        )),
    }
}

/// Fails for a message that shows that it is of another format than its file, where its file's format
/// finds no call and no text, or blocks that it does not know: a call or a result would be missed.
pub(super) fn check_own_dialect(
    unit: &InputUnit,
    format: &'static dyn Format,
    read: &Transcript<'_>,
) -> Result<(), RecordError> {
    let mut messages = read.messages.iter();
    let misses = |message: &Message| {
        message.calls.is_empty() && (lacks_text(message) || has_other_block(message))
    };
    if unit.file.is_format_named || !messages.any(misses) {
        return Ok(());
    }
    match read.records.first().and_then(|record| certain_format_and_shape(record.bytes)) {
        Some((own, Shape::Message)) if own.name() != format.name() => {
            Err(RecordError::new(format!(
                "it is a message of {}, in a file that is read as {}; put it into a file of its own",
                own.name(),
                format.name()
            )))
        }
        _ => Ok(()),
    }
}

/// Returns true if a message holds such a value under a key that other formats use for text.
fn has_under_text_key(
    transcript: &Transcript<'_>,
    index: usize,
    is_such: impl Fn(JsonNode<'_>) -> bool,
) -> bool {
    let span = transcript.messages[index].span;
    JsonTree::new(transcript.bytes(index, span))
        .is_ok_and(|tree| TEXT_KEYS.split(' ').filter_map(|key| tree.root().get(key)).any(is_such))
}

/// Returns true if a value is a string, list or object that is not empty.
fn holds_anything(value: JsonNode<'_>) -> bool {
    match value.kind() {
        JsonKind::String => value.as_non_empty_text().is_some(),
        JsonKind::Array | JsonKind::Object => {
            value.items().next().is_some() || value.entries().next().is_some()
        }
        JsonKind::Null | JsonKind::Bool | JsonKind::Number => false,
    }
}

/// Returns the transcript if it has no messages, or at least one with content. Fails if no message
/// has any content.
pub(super) fn check_any_text(transcript: Transcript<'_>) -> Result<Transcript<'_>, RecordError> {
    let messages = &transcript.messages;
    if messages.is_empty() || !messages.iter().all(lacks_text) {
        return Ok(transcript);
    }
    Err(RecordError::new(format!(
        "no text was found in any of {}; the first: {}",
        count_nouns(messages.len(), "message"),
        describe_record(transcript.bytes(0, messages[0].span))
    )))
}

/// Returns true if a message has a block of a kind that its reader does not look into.
pub(super) fn has_other_block(message: &Message) -> bool {
    matches!(&message.content, Content::Blocks(blocks)
        if blocks.iter().any(|block| block.kind == BlockKind::Other))
}

/// Returns true if neither text nor calls were found in a message.
fn lacks_text(message: &Message) -> bool {
    message.calls.is_empty()
        && match &message.content {
            Content::Absent => true,
            Content::Text(_) => false,
            Content::Blocks(blocks) => {
                !blocks.is_empty() && blocks.iter().all(|block| block.kind == BlockKind::Other)
            }
        }
}

/// The ids that results answer, by the places of their messages: the results of one message share
/// its place.
struct AnswersByPlace(HashMap<(usize, usize, usize), Vec<Span>>);

impl AnswersByPlace {
    fn new(messages: &[Message]) -> Self {
        let mut by_place: HashMap<_, Vec<Span>> = HashMap::new();
        for message in messages {
            if let Some(answers) = message.answers {
                by_place.entry(place(message)).or_default().push(answers);
            }
        }
        Self(by_place)
    }

    /// Returns the ids that messages at the place of a message answer.
    fn of_message(&self, message: &Message) -> &[Span] {
        self.0.get(&place(message)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Returns the record of a message, and where it begins and ends there.
fn place(message: &Message) -> (usize, usize, usize) {
    (message.record, message.span.start, message.span.end)
}

/// Returns an error if the content of a message is a list of blocks of unknown types that hold text.
/// Blocks that became messages of their own (the results of calls) are known.
fn unread_blocks(
    transcript: &Transcript<'_>,
    answers: &AnswersByPlace,
    index: usize,
) -> Option<RecordError> {
    let span = transcript.messages[index].span;
    let tree = JsonTree::new(transcript.bytes(index, span)).ok()?;
    let mut results: Vec<Span> = answers
        .of_message(&transcript.messages[index])
        .iter()
        .map(|answers| answers.relative_to(span.start))
        .collect();
    results.sort_unstable();
    let holds_result = |block: Span| {
        let next = results.partition_point(|result| result.start < block.start);
        results.get(next).is_some_and(|result| block.contains(*result))
    };
    let mut places: Vec<String> = tree
        .root()
        .items_of("content")
        .filter(|block| !holds_result(block.span()))
        .filter_map(unread_block)
        .collect();
    if places.is_empty() {
        return None;
    }
    places.sort();
    places.dedup();
    Some(RecordError::at(
        span.start,
        format!(
            "no text was found in message {}, but its {} holds some: the format is not known \
             (`epitome formats` lists the known ones)",
            index + 1,
            places.join(" and ")
        ),
    ))
}

/// Describes a content block of an unknown type that holds text.
fn unread_block(block: JsonNode<'_>) -> Option<String> {
    let kind = block.get("type").and_then(JsonNode::as_text);
    let kind = kind.or_else(|| {
        let (key, _) = block.entries().next()?;
        Some(decode_literal(key.slice(block.record_bytes())))
    })?;
    let is_known = KNOWN_BLOCKS.split(' ').any(|known| known == kind);
    (!is_known && holds_text(block, MAX_DEPTH))
        .then(|| format!("content of type {}", shown_name(&kind)))
}

/// Returns true if a value holds a string that reads like text: with a space inside, or long.
fn holds_text(value: JsonNode<'_>, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    match value.kind() {
        JsonKind::String => value.as_text().is_some_and(|text| {
            text.trim().contains(char::is_whitespace) || text.chars().nth(TEXT_CHARS).is_some()
        }),
        JsonKind::Array => value.items().any(|item| holds_text(item, depth - 1)),
        JsonKind::Object => value.entries().any(|(_, entry)| holds_text(entry, depth - 1)),
        JsonKind::Null | JsonKind::Bool | JsonKind::Number => false,
    }
}

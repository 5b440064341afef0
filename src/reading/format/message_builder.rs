//! Messages of a document in the dialect of OpenAI, built part by part from logs that spell them
//! otherwise.

use crate::reading::format::anthropic_blocks::{join_blocks, text_block};
use crate::reading::format::foreign_log::describe_record;
use crate::reading::format::journal::{ElementMark, JournalThread};
use crate::reading::format::tree::{EventPlace, JsonNode};
use crate::reading::transcript::prelude::*;

/// A message of a document. JSON literals are kept as logged, so that nothing is decoded twice.
#[derive(Default)]
pub(super) struct MessageBuilder {
    role: &'static str,
    /// The literal of the speaker's name.
    name: Option<Vec<u8>>,
    blocks: Vec<ChatBlock>,
    /// The JSON of a content that is kept as it is logged.
    content: Option<Vec<u8>>,
    /// The literal of what was thought, where it is beside the content.
    reasoning: Option<Vec<u8>>,
    calls: Vec<Vec<u8>>,
    /// The literal of the id of the call that a result answers.
    answers: Option<Vec<u8>>,
    has_failed: bool,
    /// Reported usage, as an object.
    usage: Option<Vec<u8>>,
    /// Literals of the log that hold the texts in another spelling.
    spellings: Vec<Vec<u8>>,
    pub(super) mark: ElementMark,
    places: Vec<EventPlace>,
}

enum ChatBlock {
    /// The literal of a text.
    Text(Vec<u8>),
    /// The JSON of any other block.
    Other(Vec<u8>),
}

impl MessageBuilder {
    pub(super) fn new(role: &'static str) -> Self {
        Self { role, ..Self::default() }
    }

    /// A result of the call with this id, if it is known.
    pub(super) fn new_result(id: Option<&[u8]>) -> Self {
        Self { answers: id.map(<[u8]>::to_vec), ..Self::new("tool") }
    }

    /// A message of the same speaker, which has one place.
    pub(super) fn new_alike(&self, place: EventPlace) -> Self {
        Self::new(self.role).with_place(place)
    }

    /// Adds a place from which the message is built. The same place is added once.
    pub(super) fn add_place(&mut self, place: EventPlace) {
        if self.places.last() != Some(&place) {
            self.places.push(place);
        }
    }

    /// Returns the message with a place from which it is built.
    pub(super) fn with_place(mut self, place: EventPlace) -> Self {
        self.add_place(place);
        self
    }

    /// Returns the message with a content that is kept as it is logged.
    pub(super) fn with_content(mut self, json: &[u8]) -> Self {
        self.content = Some(json.to_vec());
        self
    }

    /// Returns the message with what was called for: a string or a list as it is, anything else as
    /// text.
    pub(super) fn with_output(self, json: &[u8]) -> Self {
        match json.first() {
            Some(b'"' | b'[') => self.with_content(json),
            _ => self.with_content(&encode_wtf8_literal(json)),
        }
    }

    /// Sets what was thought, beside the content.
    pub(super) fn set_reasoning(&mut self, literal: Option<&[u8]>) {
        self.reasoning = literal.map(<[u8]>::to_vec);
    }

    /// Returns true if the content is one that is kept as it is logged.
    pub(super) fn has_content(&self) -> bool {
        self.content.is_some()
    }

    pub(super) fn set_name(&mut self, literal: Option<&[u8]>) {
        self.name = literal.filter(|literal| !is_empty_literal(literal)).map(<[u8]>::to_vec);
    }

    pub(super) fn set_usage(&mut self, usage: Option<JsonNode<'_>>) {
        self.usage = usage
            .filter(|usage| usage.is_kind(JsonKind::Object))
            .map(|usage| usage.bytes().to_vec());
    }

    /// Keeps a literal of the log from which a text was made, beside the content: its words are in
    /// the message, so it is not listed as lost.
    pub(super) fn keep_spelling(&mut self, literal: &[u8]) {
        self.spellings.push(literal.to_vec());
    }

    /// Marks a result as that of a call that failed.
    pub(super) fn set_failed(&mut self, has_failed: bool) {
        self.has_failed |= has_failed;
    }

    /// Adds the literal of a text. Empty texts are left out.
    pub(super) fn push_text(&mut self, literal: &[u8]) {
        if !is_empty_literal(literal) {
            self.blocks.push(ChatBlock::Text(literal.to_vec()));
        }
    }

    /// Adds a text that is a string. Returns true if the value is one, or null.
    pub(super) fn push_string(&mut self, value: JsonNode<'_>) -> bool {
        if value.is_kind(JsonKind::String) {
            self.push_text(value.bytes());
        }
        matches!(value.kind(), JsonKind::String | JsonKind::Null)
    }

    /// Adds a value as text: a string as it is, anything else but null as JSON.
    pub(super) fn push_value(&mut self, value: JsonNode<'_>) {
        if !self.push_string(value) {
            self.push_text(&encode_wtf8_literal(value.bytes()));
        }
    }

    /// Adds reasoning of the model, which is not part of what it says.
    pub(super) fn push_reasoning(&mut self, literal: &[u8]) {
        if !is_empty_literal(literal) {
            self.push_json(fill_json(r#"{"type": "reasoning", "text": $}"#, &[literal]));
        }
    }

    /// Adds an image by the literal of its URL.
    pub(super) fn push_image(&mut self, url: &[u8]) {
        let pattern = r#"{"type": "image_url", "image_url": {"url": $}}"#;
        self.push_json(fill_json(pattern, &[url]));
    }

    /// Adds the JSON of a block.
    pub(super) fn push_json(&mut self, json: Vec<u8>) {
        self.blocks.push(ChatBlock::Other(json));
    }

    /// Adds a call by the literals of its id and its name. Arguments that are neither an object nor
    /// a string are written as JSON text.
    pub(super) fn push_call(&mut self, id: &[u8], name: &[u8], arguments: Option<JsonNode<'_>>) {
        let arguments = match arguments {
            Some(value) if matches!(value.kind(), JsonKind::Object | JsonKind::String) => {
                value.bytes().to_vec()
            }
            Some(value) if !value.is_kind(JsonKind::Null) => encode_wtf8_literal(value.bytes()),
            _ => b"{}".to_vec(),
        };
        self.push_call_json(id, name, &arguments);
    }

    /// Adds a call by the JSON of its parts. Arguments that are neither an object nor a string become
    /// a string.
    pub(super) fn push_logged_call(&mut self, id: &[u8], name: &[u8], arguments: &[u8]) {
        match arguments.first() {
            Some(b'{' | b'"') => self.push_call_json(id, name, arguments),
            _ => self.push_call_json(id, name, &encode_wtf8_literal(arguments)),
        }
    }

    /// Adds a call by the literal of its input: JSON of an object, or free text.
    pub(super) fn push_call_of_text(&mut self, id: &[u8], name: &[u8], input: &[u8]) {
        if is_json_object(decode_literal_wtf8(input).trim_ascii()) {
            return self.push_call_json(id, name, input);
        }
        self.push_call_json(id, name, &fill_json(r#"{"input": $}"#, &[input]));
    }

    /// Adds a call whose arguments are JSON already: an object, or the literal of a text.
    pub(super) fn push_call_json(&mut self, id: &[u8], name: &[u8], arguments: &[u8]) {
        let pattern = r#"{"id": $, "type": "function", "function": {"name": $, "arguments": $}}"#;
        self.calls.push(fill_json(pattern, &[id, name, arguments]));
    }

    /// Returns true if nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.calls.is_empty() && self.content.is_none()
    }

    /// Returns true if the message makes calls.
    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Moves the blocks and places of another message before those of this one.
    pub(super) fn prepend(&mut self, earlier: Self) {
        self.blocks.splice(0..0, earlier.blocks);
        self.places.splice(0..0, earlier.places);
        self.spellings.extend(earlier.spellings);
    }

    /// Returns the message with the blocks of an earlier part of it, whose call it answers.
    pub(super) fn with_earlier(self, earlier: Self) -> Self {
        let mut element = earlier;
        element.blocks.extend(self.blocks);
        self.places.into_iter().for_each(|place| element.add_place(place));
        element.has_failed |= self.has_failed;
        element.spellings.extend(self.spellings);
        element
    }

    /// Appends the message to a thread. If nothing was added to it, it is noted as left out. An
    /// empty result stays: its call is answered.
    pub(super) fn push_onto(self, thread: &mut JournalThread) {
        if self.is_empty() && self.role != "tool" {
            if let Some(place) = self.places.first() {
                thread.note_left_out("messages without text", place.record);
            }
            return;
        }
        self.push_whole(thread);
    }

    /// Appends the message to a thread, even if nothing was added to it.
    pub(super) fn push_whole(self, thread: &mut JournalThread) {
        let json = self.render();
        thread.push_element(self.mark, self.places, &json);
    }

    /// Appends the message to a thread, unless nothing was added to it: its object is in the thread
    /// by other messages.
    pub(super) fn push_if_said(self, thread: &mut JournalThread) {
        if !self.is_empty() || self.role == "tool" {
            self.push_onto(thread);
        }
    }

    fn render(&self) -> Vec<u8> {
        let mut json = fill_json(r#"{"role": "$""#, &[self.role.as_bytes()]);
        let mut push_entry = |key: &str, value: &[u8]| {
            push_json(&mut json, r#", "$": $"#, &[key.as_bytes(), value]);
        };
        if let Some(id) = &self.answers {
            push_entry("tool_call_id", id);
        }
        if let Some(name) = &self.name {
            push_entry("name", name);
        }
        push_entry("content", &self.render_content());
        if let Some(reasoning) = &self.reasoning {
            push_entry("reasoning_content", reasoning);
        }
        if self.has_calls() {
            push_entry("tool_calls", &join_blocks(&self.calls));
        }
        if self.has_failed {
            push_entry("is_error", b"true");
        }
        if let Some(usage) = &self.usage {
            push_entry("usage", usage);
        }
        if !self.spellings.is_empty() {
            push_entry("logged_as", &join_blocks(&self.spellings));
        }
        json.push(b'}');
        json
    }

    fn render_content(&self) -> Vec<u8> {
        if let Some(content) = &self.content {
            return content.clone();
        }
        match self.blocks.as_slice() {
            [] if self.role == "tool" => b"\"\"".to_vec(),
            [] => b"null".to_vec(),
            [ChatBlock::Text(literal)] => literal.clone(),
            blocks => {
                let blocks: Vec<Vec<u8>> = blocks.iter().map(render_block).collect();
                join_blocks(&blocks)
            }
        }
    }
}

fn render_block(block: &ChatBlock) -> Vec<u8> {
    match block {
        ChatBlock::Text(literal) => text_block(literal),
        ChatBlock::Other(json) => json.clone(),
    }
}

/// Returns the error that a message has no text under the keys that are known. `path` names the
/// message.
pub(super) fn unknown_content_error(message: JsonNode<'_>, path: &str) -> RecordError {
    let keys = describe_record(message.bytes());
    RecordError::at(message.span().start, format!("{path}: its text is not found; {keys}"))
}

/// Notes each key of a record but those that are read, unless its value is empty or the thread's
/// id.
pub(super) fn note_other_keys(thread: &mut JournalThread, record: JsonNode<'_>, read: &[&str]) {
    for (key, value) in filled_keys(record, read) {
        let is_id = value.as_text().is_some() && value.as_text().as_deref() == thread.id.as_deref();
        if !is_id {
            thread.note_left_out(key, record.record_index());
        }
    }
}

/// Returns the keys of a record that hold anything, but for those that are read, with their values.
pub(super) fn filled_keys<'t>(record: JsonNode<'t>, read: &[&str]) -> Vec<(String, JsonNode<'t>)> {
    let keys = record.members().map(|(key, value)| {
        let key = decode_literal(key.slice(record.record_bytes()));
        (key.into_owned(), value)
    });
    keys.filter(|(key, value)| {
        let is_empty = matches!(value.unasked_bytes(), b"null" | b"\"\"" | b"[]" | b"{}");
        !is_empty && !read.contains(&key.as_str())
    })
    .collect()
}

//! The conversation as OpenCode shows it to a model that is asked for a summary: labelled items, a
//! line each. The items of a stored message (an answer with its results is one) follow each other,
//! and an empty line separates messages. See `docs/reference/opencode.md`.

use crate::reading::format::JsonTree;
use crate::reading::json::stringify_json;
use crate::reading::transcript::journal::{PromptItem, PromptNote};
use crate::reading::transcript::prelude::*;
use crate::reading::transcript::view::TranscriptView;

/// The end of a tool result that is cut.
const TRUNCATED: &str = "\n[truncated]";
const USER: &str = "[User]: ";
const SYSTEM: &str = "[System]: ";
const ASSISTANT: &str = "[Assistant]: ";
const REASONING: &str = "[Assistant reasoning]: ";
const CALL: &str = "[Assistant tool call]: ";
const RESULT: &str = "[Tool result]: ";
const ERROR: &str = "[Tool error]: ";

/// The messages that are rendered, and how.
pub(super) struct LabelledMessages<'r, 'v, 'a> {
    pub(super) view: TranscriptView<'v, 'a>,
    /// The indices of the messages.
    pub(super) window: &'r [usize],
    /// The text of the first message, if only its end is in the window.
    pub(super) first_text: Option<&'r str>,
    /// UTF-16 code units of a result that are shown; 0 shows all.
    pub(super) result_units: usize,
    pub(super) mask: fn(&str) -> String,
}

impl LabelledMessages<'_, '_, '_> {
    pub(super) fn render(&self) -> String {
        let mut groups: Vec<String> = Vec::new();
        let mut position = 0;
        while let Some(&index) = self.window.get(position) {
            groups.extend(self.note_before(index).map(|note| self.join(&note.items)));
            let end = position + self.group_length(position);
            let items = match self.note_instead(&self.window[position..end]) {
                Some(note) => note.items.clone(),
                None => self.group_items(position, end),
            };
            groups.push(self.join(&items));
            position = end;
        }
        groups.extend(self.note_behind().map(|note| self.join(&note.items)));
        groups.retain(|group| !group.is_empty());
        groups.join("\n\n")
    }

    fn join(&self, items: &[PromptItem]) -> String {
        let lines = items.iter().map(|item| {
            if item.is_result {
                // Masked before it is cut, because half a secret is not recognised.
                let text = (self.mask)(&item.text);
                format!("{}{}", item.label, cut_units(text, self.result_units))
            } else {
                format!("{}{}", item.label, item.text)
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Returns the number of messages from this position on that are stored as one.
    fn group_length(&self, position: usize) -> usize {
        let first = self.view.message(self.window[position]);
        let rest = self.window[position..].windows(2);
        1 + rest
            .take_while(|pair| {
                let next = self.view.message(pair[1]);
                let answers = first.role == Role::Assistant && next.role.is_result();
                pair[0] + 1 == pair[1] && (next.joined || answers)
            })
            .count()
    }

    /// Returns the start of the element of message `index`, if it is in a rebuilt document.
    fn element_of(&self, index: usize) -> Option<usize> {
        let messages = &self.view.transcript.messages;
        match messages.get(index) {
            None => Some(usize::MAX),
            Some(message) => (message.record == 0).then_some(message.span.start),
        }
    }

    fn find_note(&self, index: usize, replaces: bool) -> Option<&PromptNote> {
        let element = self.element_of(index)?;
        let notes = &self.view.transcript.prompt_notes;
        let first = notes.partition_point(|note| note.element < element);
        notes[first..]
            .iter()
            .take_while(|note| note.element == element)
            .find(|note| note.replaces == replaces)
    }

    /// Returns the notes that come before message `index`.
    fn note_before(&self, index: usize) -> impl Iterator<Item = &PromptNote> {
        let element = self.element_of(index);
        let notes = self.view.transcript.prompt_notes.iter();
        notes.filter(move |note| !note.replaces && Some(note.element) == element)
    }

    /// Returns the notes behind the last message. A message that was not sent belongs to the kept
    /// messages if an answer of the same turn is the first of them.
    fn note_behind(&self) -> impl Iterator<Item = &PromptNote> {
        let next = self.window.last().map(|last| last + 1).filter(|next| {
            let next = self.view.transcript.messages.get(*next);
            next.is_none_or(|message| message.role == Role::User)
        });
        next.into_iter().flat_map(|next| self.note_before(next))
    }

    /// Returns the note that stands for a group of messages. An edit of them is not in it.
    fn note_instead(&self, group: &[usize]) -> Option<&PromptNote> {
        let overlay = self.view.overlay;
        let is_edited = group.iter().any(|index| {
            let mut calls = overlay.arguments.keys();
            overlay.results.contains_key(index) || calls.any(|(message, _)| message == index)
        });
        self.find_note(*group.first()?, true).filter(|_| !is_edited)
    }

    /// Returns the items of the messages from one position to before another.
    fn group_items(&self, position: usize, end: usize) -> Vec<PromptItem> {
        let mut items = Vec::new();
        let mut at = position;
        while at < end {
            let index = self.window[at];
            let results = self.window[at + 1..end]
                .iter()
                .take_while(|next| self.view.message(**next).role.is_result());
            let mut results: Vec<usize> = results.copied().collect();
            at += 1;
            match self.view.message(index).role {
                Role::Assistant => {
                    at += results.len();
                    self.push_answer(index, &mut results, &mut items);
                    items.extend(results.iter().map(|result| self.result_item(*result)));
                }
                Role::User => self.push_words(index, USER, at == 1, &mut items),
                Role::System | Role::Developer => {
                    self.push_words(index, SYSTEM, at == 1, &mut items);
                }
                Role::Tool | Role::Function => items.push(self.result_item(index)),
            }
        }
        items
    }

    /// Adds the texts of a message that is no answer, and its attachments.
    fn push_words(
        &self,
        index: usize,
        label: &'static str,
        is_first: bool,
        items: &mut Vec<PromptItem>,
    ) {
        let text = match self.first_text.filter(|_| is_first) {
            Some(text) => Cow::Borrowed(text),
            None => self.view.joined_text(index, "\n"),
        };
        if !text.is_empty() {
            items.push(PromptItem::new(label, text.into_owned()));
        }
        let attachments = self.attachments(index).into_iter();
        items.extend(attachments.map(|words| PromptItem::new("", words)));
    }

    /// Adds an answer: its words, and its calls each with its result, which is taken from
    /// `results`.
    fn push_answer(&self, index: usize, results: &mut Vec<usize>, items: &mut Vec<PromptItem>) {
        let message = self.view.message(index);
        let mut is_listed = vec![false; message.calls.len()];
        let mut has_first = self.first_text.is_some() && self.window.first() == Some(&index);
        if let (true, Some(text)) = (has_first, self.first_text) {
            items.push(PromptItem::new(ASSISTANT, text.to_owned()));
        }
        if let Content::Blocks(blocks) = &message.content {
            for block in blocks {
                let bytes = |span| self.view.transcript.bytes(index, span);
                match block.kind {
                    BlockKind::Text(span) if !has_first => {
                        let text = decode_literal(bytes(span)).into_owned();
                        if !text.is_empty() {
                            items.push(PromptItem::new(ASSISTANT, text));
                        }
                    }
                    BlockKind::Text(_) => {}
                    BlockKind::Call(number) => {
                        is_listed[number] = true;
                        self.push_call(index, number, results, items);
                    }
                    BlockKind::Image | BlockKind::Other => {
                        items.extend(describe_block(bytes(block.span)));
                    }
                }
            }
            has_first = true;
        }
        if !has_first {
            let text = self.view.joined_text(index, "\n");
            if !text.is_empty() {
                items.push(PromptItem::new(ASSISTANT, text.into_owned()));
            }
        }
        for number in (0..message.calls.len()).filter(|number| !is_listed[*number]) {
            self.push_call(index, number, results, items);
        }
    }

    fn push_call(
        &self,
        index: usize,
        number: usize,
        results: &mut Vec<usize>,
        items: &mut Vec<PromptItem>,
    ) {
        let call = &self.view.message(index).calls[number];
        let decode = |span| decode_literal(self.view.transcript.bytes(index, span));
        let name = call.name.map(decode).unwrap_or_default();
        let arguments = self.view.call_arguments(index, number);
        let arguments = if call.valid {
            stringify_json(&arguments)
        } else {
            String::from_utf8_lossy(&arguments).into_owned()
        };
        items.push(PromptItem::new(CALL, format!("{name}({arguments})")));
        let id = call.id.map(decode);
        let answer = results.iter().position(|result| {
            let transcript = self.view.transcript;
            transcript.answered_id(self.view.message(*result)) == id
        });
        if let Some(answer) = answer {
            items.push(self.result_item(results.remove(answer)));
        }
    }

    fn result_item(&self, index: usize) -> PromptItem {
        let failed =
            self.view.message(index).incomplete && !self.view.overlay.results.contains_key(&index);
        let mut lines = vec![self.view.joined_text(index, "\n").into_owned()];
        lines.extend(self.attachments(index));
        PromptItem {
            label: if failed { ERROR } else { RESULT },
            text: lines.join("\n"),
            is_result: !failed,
        }
    }

    /// Describes the attachments of a message that is no answer.
    fn attachments(&self, index: usize) -> Vec<String> {
        match &self.view.message(index).content {
            Content::Blocks(blocks) if !self.view.overlay.cleared.contains(&index) => blocks
                .iter()
                .filter(|block| matches!(block.kind, BlockKind::Image | BlockKind::Other))
                .map(|block| describe_attachment(self.view.transcript.bytes(index, block.span)))
                .collect(),
            Content::Absent | Content::Text(_) | Content::Blocks(_) => Vec::new(),
        }
    }
}

/// Describes a block of an answer that is neither text nor a call: reasoning, or an attachment.
fn describe_block(block: &[u8]) -> Option<PromptItem> {
    let tree = JsonTree::new(block).ok()?;
    let kind = tree.root().get("type").and_then(|kind| kind.as_text());
    if kind.is_some_and(|kind| kind.contains("thinking") || kind.contains("reasoning")) {
        let thought = ["thinking", "text", "reasoning"]
            .iter()
            .find_map(|key| tree.root().get(key)?.as_text())
            .filter(|text| !text.is_empty())?;
        return Some(PromptItem::new(REASONING, thought.into_owned()));
    }
    Some(PromptItem::new("", describe_attachment(block)))
}

/// Describes a block by the type and the name of the file that it holds.
fn describe_attachment(block: &[u8]) -> String {
    const KINDS: &str =
        "mime|mimeType|mime_type|media_type|mediaType|source media_type|file mime_type";
    const ADDRESSES: &str = "image_url url|image_url|source url|url|file file_data";
    const NAMES: &str = "filename|file filename|file_name|name|title";
    let Ok(tree) = JsonTree::new(block) else {
        return "[Attached file: file]".to_owned();
    };
    let root = tree.root();
    let first = |paths: &str| {
        let mut texts = paths.split('|').filter_map(|path| {
            let text = root.get_path(&Vec::from_iter(path.split(' ')))?.as_text()?;
            Some(text.into_owned()).filter(|text| !text.is_empty())
        });
        texts.next()
    };
    let in_address = || {
        let address = first(ADDRESSES)?;
        let (kind, _) = address.strip_prefix("data:")?.split_once([';', ','])?;
        Some(kind.to_owned())
    };
    let kind = first(KINDS)
        .or_else(in_address)
        .or_else(|| first("type"))
        .unwrap_or_else(|| "file".to_owned());
    let name = first(NAMES).unwrap_or_else(|| "file".to_owned());
    format!("[Attached {kind}: {name}]")
}

/// Cuts a text after `units` UTF-16 code units, unless `units` is 0. Half a pair becomes U+FFFD.
fn cut_units(mut text: String, units: usize) -> String {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        let end = used + character.len_utf16();
        if end > units && units > 0 {
            let parts_pair = used < units;
            text.truncate(at);
            if parts_pair {
                text.push(char::REPLACEMENT_CHARACTER);
            }
            text.push_str(TRUNCATED);
            return text;
        }
        used = end;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_results_above_the_limit_are_cut() {
        let cut = |text: &str, units| cut_units(text.to_owned(), units);
        assert_eq!(cut("éé", 2), "éé");
        assert_eq!(cut("ééé", 2), "éé\n[truncated]");
        assert_eq!(cut("ééé", 0), "ééé");
        assert_eq!(cut("a😀b", 3), "a😀\n[truncated]");
        assert_eq!(cut("a😀b", 2), "a\u{FFFD}\n[truncated]");
    }

    #[test]
    fn attachments_are_named_by_type_and_file() {
        for (block, words) in [
            (
                r#"{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}"#,
                "[Attached image/png: file]",
            ),
            (
                r#"{"type": "document", "source": {"type": "base64", "media_type": "application/pdf"}, "title": "a.pdf"}"#,
                "[Attached application/pdf: a.pdf]",
            ),
            (r#"{"type": "input_audio"}"#, "[Attached input_audio: file]"),
        ] {
            assert_eq!(describe_attachment(block.as_bytes()), words);
        }
    }
}

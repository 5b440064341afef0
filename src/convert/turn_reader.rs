//! Reads the turns of a transcript, with edits applied.

use crate::convert::block::words_beside;
use crate::convert::converted_values::ConvertedValues;
use crate::convert::prelude::*;
use crate::convert::tags::remove_tags;
use crate::convert::unconverted::text_bytes;

/// Reads the turns of a transcript, and records what was converted.
pub(super) struct TurnReader<'r, 't, 'a> {
    pub(super) source: &'r ConversionSource<'t, 'a>,
    pub(super) target: &'r ConversionTarget,
    /// Notes on blocks that the target refuses.
    pub(super) left_out: &'r mut ConversionNotes,
    pub(super) converted: &'r mut ConvertedValues,
    /// True if answers that the log holds as blocks or beside the content are read as text.
    pub(super) texts_only: bool,
    /// The index of the message that is read, and its turn.
    pub(super) index: usize,
    pub(super) turn: ChatTurn,
}

impl<'t, 'a: 't> TurnReader<'_, 't, 'a> {
    fn view(&self) -> TranscriptView<'t, 'a> {
        self.source.view
    }

    fn message(&self) -> &'t Message {
        self.view().message(self.index)
    }

    /// Returns the bytes of a span of the message's record.
    fn bytes(&self, span: Span) -> &'a [u8] {
        self.view().transcript.bytes(self.index, span)
    }

    /// Returns true if the log is in the target's format.
    fn is_same_format(&self) -> bool {
        self.target.same_formats.contains(&self.source.format)
    }

    /// Returns true if the archive contains the blocks of the message.
    fn is_cleared(&self) -> bool {
        self.view().overlay.cleared.contains(&self.index)
    }

    /// Reads all turns. The summary takes the place of the messages that it summarizes.
    pub(super) fn read_turns(mut self) -> Vec<ChatTurn> {
        let messages = self.view().transcript.messages.len();
        let summary = self.source.summary;
        let mut turns: Vec<ChatTurn> = Vec::with_capacity(messages);
        for index in 0..=messages {
            if let Some((summary, text)) =
                summary.filter(|(summary, _)| summary.first_kept == index)
            {
                let framed = summary.frame.render(&summary.path, text);
                turns.extend(framed.iter().map(|(role, text)| ChatTurn {
                    is_summary: true,
                    ..ChatTurn::with_text(*role, None, text)
                }));
            }
            if index == messages {
                break;
            }
            self.index = index;
            let message = self.message();
            if summary.is_some_and(|(summary, _)| summary.messages.binary_search(&index).is_ok()) {
                // The archive contains it.
                self.mark_converted(message.span);
                continue;
            }
            let turn = self.read_turn();
            let is_joined = message.joined && matches!(turn.role, Role::User | Role::Assistant);
            match turns.last_mut() {
                Some(last) if is_joined && last.role == turn.role && last.message.is_some() => {
                    last.append_turn(turn);
                }
                _ => turns.push(turn),
            }
        }
        turns
    }

    /// Records a span of the message's record as converted.
    fn mark_converted(&mut self, span: Span) {
        self.converted.add_span(self.message().record, span);
    }

    /// Reads a literal.
    fn read_text(&mut self, literal: Span) -> EscapedText {
        self.mark_converted(literal);
        EscapedText::from_literal(self.bytes(literal))
    }

    /// Reads a literal that may occur elsewhere in the records, such as an id.
    fn read_repeated_text(&mut self, literal: Span) -> EscapedText {
        let text = self.read_text(literal);
        self.converted.add_literal(&text.literal());
        text
    }

    fn read_id(&mut self, literal: Span) -> String {
        self.read_repeated_text(literal).decoded().into_owned()
    }

    fn read_turn(&mut self) -> ChatTurn {
        let (view, message, index) = (self.view(), self.message(), self.index);
        let role = if message.role.is_result() { Role::Tool } else { message.role };
        let spans_before = self.converted.record_spans(message.record).len();
        self.turn = ChatTurn {
            is_summary: message.earlier_summary,
            usage: message.usage.as_deref().copied(),
            failed: message.incomplete,
            ..ChatTurn::new(role, Some(index))
        };
        let call_numbers = self.read_calls();
        if let Some(answers) = message.answers {
            self.turn.answers = Some(self.read_id(answers)).filter(|id| !id.is_empty());
        }
        self.turn.name = match message.name {
            Some(name) => Some(self.read_repeated_text(name)),
            None if role == Role::Tool => {
                view.transcript.tool_name_of(index).map(|name| EscapedText::from(name.as_ref()))
            }
            None => None,
        };
        self.read_parts(&call_numbers);
        let mut has_part = vec![false; self.turn.calls.len()];
        for part in &self.turn.parts {
            if let ChatPart::Call(number) = part {
                has_part[*number] = true;
            }
        }
        let missing = (0..has_part.len()).filter(|number| !has_part[*number]);
        self.turn.parts.extend(missing.map(ChatPart::Call));
        if role == Role::Assistant && (self.texts_only || !self.is_same_format()) {
            self.read_words_beside();
        }
        remove_tags(view, index, &mut self.turn);
        self.read_extras(spans_before);
        std::mem::take(&mut self.turn)
    }

    /// Reads the calls. Returns the number of each logged call within the turn.
    ///
    /// A call without a name can't be made. It is left to be read as a block.
    fn read_calls(&mut self) -> Vec<Option<usize>> {
        let message = self.message();
        let mut numbers = vec![None; message.calls.len()];
        for (number, call) in message.calls.iter().enumerate() {
            let Some(name) = call.name else { continue };
            numbers[number] = Some(self.turn.calls.len());
            let name = self.read_repeated_text(name);
            let id = call.id.map(|id| self.read_id(id));
            let arguments = self.view().call_arguments(self.index, number);
            // Within a string, arguments that are no object are a string literal.
            let arguments =
                unquoted(arguments, |literal| call.inside && validate_json(literal).is_ok());
            for span in call.arguments.into_iter().chain(call.copies.iter().copied()) {
                self.mark_converted(span);
            }
            // An object may be written as JSON text once too often.
            let arguments = unquoted(arguments, |literal| {
                validate_json(literal).is_ok() && is_json_object(&decode_literal_wtf8(literal))
            });
            self.turn.calls.push(ChatCall {
                id,
                is_custom: !call.inside && is_custom(self.bytes(call.span)),
                ..ChatCall::new(self.index, name, arguments.into_owned())
            });
        }
        numbers
    }

    /// Reads the content. `call_numbers` holds the number of each logged call within the turn.
    fn read_parts(&mut self, call_numbers: &[Option<usize>]) {
        let (overlay, message) = (self.view().overlay, self.message());
        let replaced = overlay.results.get(&self.index);
        self.turn.parts.extend(replaced.map(|text| ChatPart::Text(text.as_str().into())));
        let blocks = match &message.content {
            Content::Absent => return,
            Content::Text(span) => {
                let text = ChatPart::Text(self.read_text(*span));
                self.turn.parts.extend(Some(text).filter(|_| replaced.is_none()));
                return;
            }
            Content::Blocks(blocks) => blocks,
        };
        let dropped = overlay.dropped.get(&self.index);
        for (number, block) in blocks.iter().enumerate() {
            let is_dropped = dropped.is_some_and(|dropped| dropped.contains(number));
            match block.kind {
                _ if is_dropped || self.is_cleared() => self.mark_converted(block.span),
                BlockKind::Text(span) if replaced.is_some() => self.mark_converted(span),
                BlockKind::Text(span) => self.read_text_block(block.span, span),
                BlockKind::Call(number) => match call_numbers.get(number).copied().flatten() {
                    Some(number) => self.turn.parts.push(ChatPart::Call(number)),
                    None => self.read_block(block.span),
                },
                BlockKind::Image | BlockKind::Other => self.read_block(block.span),
            }
        }
    }

    /// Reads a block of text.
    ///
    /// A block with further keys is kept whole if the log is in the target's format.
    fn read_text_block(&mut self, span: Span, literal: Span) {
        let json = self.bytes(span);
        let block = (json.first() == Some(&b'{')).then(|| ContentBlock::parse(json));
        if let Some(block) = &block {
            if matches!(block.content, BlockContent::Thinking(_)) {
                return self.read_block(span);
            }
            if self.is_same_format() && has_further_keys(json) {
                self.mark_converted(span);
                return self.turn.parts.push(ChatPart::Block(embed_json(json)));
            }
        }
        let text = self.read_text(literal);
        if block.is_none() {
            self.mark_converted(span);
        }
        self.turn.parts.push(ChatPart::Text(text));
    }

    /// Reads an answer that is beside the content: a refusal, or the transcript of what was
    /// spoken.
    fn read_words_beside(&mut self) {
        let message = self.message();
        if self.turn.says_something() || self.is_cleared() {
            return;
        }
        if let Some(words) = words_beside(self.bytes(message.span)) {
            let text = self.read_text(words.shifted(message.span.start));
            self.turn.parts.push(ChatPart::Text(text));
        }
    }

    /// Reads a block other than text, and notes it if the target refuses it.
    fn read_block(&mut self, span: Span) {
        let json = self.bytes(span);
        let block = ContentBlock::parse(json);
        let words = match &block.content {
            BlockContent::Words(words) => Some(ChatPart::Text(words.clone())),
            _ => None,
        };
        if let Some(words) = words.clone().filter(|_| self.texts_only) {
            return self.push_content(span, &block, words);
        }
        let role = self.turn.role;
        let converted = match self.target.keeps_blocks && self.is_same_format() {
            true => Some(ConvertedBlock::unchanged(&block)),
            false => (self.target.convert_block)(role, &block),
        };
        if let Some(converted) = converted {
            if !converted.is_complete {
                return self.push_content(span, &block, converted.part);
            }
            self.turn.parts.push(converted.part);
            return self.mark_converted(span);
        }
        if let Some(words) = words {
            return self.push_content(span, &block, words);
        }
        self.mark_converted(span);
        if role == Role::Tool && is_data(&block) {
            self.turn.parts.push(ChatPart::Text(data_text(json)));
            return;
        }
        if block.was_shown(role) {
            self.turn.gap = self.turn.gap.or(Some(TurnGap::Content));
        }
        let (target, role) = (self.target.name, role.name());
        self.left_out.add_text_note(
            format!("block {}", block.name),
            format!("{target} has no place for it in what the {role} says"),
            Some(self.index),
            text_bytes(json),
        );
    }

    /// Adds a part that keeps the content of a block only.
    fn push_content(&mut self, span: Span, block: &ContentBlock<'_>, part: ChatPart) {
        self.turn.parts.push(part);
        for content in &block.content_spans {
            self.mark_converted(content.shifted(span.start));
        }
    }

    /// Reads the further fields of the message if the log is in the target's format.
    ///
    /// Fields with a converted part are left out. `spans_before` is the number of
    /// converted spans of the record before this message.
    fn read_extras(&mut self, spans_before: usize) {
        let message = self.message();
        if !self.is_same_format() || shares_place(&self.view().transcript.messages, self.index) {
            return;
        }
        let Ok(tree) = JsonTree::new(self.bytes(message.span)) else {
            return;
        };
        let fields = (self.target.message_fields)(tree.root());
        let converted = self.converted.spans_since(message.record, spans_before);
        for (key, value) in fields.entries() {
            let span = value.span().shifted(message.span.start);
            let key = EscapedText::from_literal(key.slice(fields.record_bytes()));
            let is_written = self.target.message_keys.contains(&key.decoded().as_ref());
            // The thread id is on every line of some logs, and once in the result.
            let is_thread_id = value.as_text().is_some_and(|text| text == self.source.thread_id);
            if !is_written && !is_thread_id && !converted.overlap(span) {
                self.turn.extras.push((key, embed_json(value.bytes())));
                self.mark_converted(span);
            }
        }
    }
}

/// Returns the text of arguments that are a literal for which `is_quoted` is true.
fn unquoted(arguments: Cow<'_, [u8]>, is_quoted: impl Fn(&[u8]) -> bool) -> Cow<'_, [u8]> {
    match arguments.trim_ascii() {
        literal @ [b'"', ..] if is_quoted(literal) => {
            Cow::Owned(decode_literal_wtf8(literal).into_owned())
        }
        _ => arguments,
    }
}

/// Returns true if a call is of a tool that takes free text, as the APIs of OpenAI have them.
fn is_custom(call: &[u8]) -> bool {
    let may_be = memchr::memmem::find(call, b"custom").is_some();
    may_be
        && JsonTree::new(call).is_ok_and(|tree| {
            let call = tree.root();
            call.has_text("type", "custom") || call.has_text("type", "custom_tool_call")
        })
}

/// Returns true if the message before or after has the same place in the records.
fn shares_place(messages: &[Message], index: usize) -> bool {
    let message = &messages[index];
    [index.checked_sub(1), Some(index + 1)]
        .into_iter()
        .flatten()
        .filter_map(|other| messages.get(other))
        .any(|other| (other.record, other.span) == (message.record, message.span))
}

/// Returns true if a block of text has keys besides its type and its text.
fn has_further_keys(json: &[u8]) -> bool {
    JsonTree::new(json).is_ok_and(|tree| tree.root().entries().count() > 2)
}

/// Returns true if a block is an object that a tool returned, not a block of a known kind.
fn is_data(block: &ContentBlock<'_>) -> bool {
    block.json.first() == Some(&b'{')
        && !block.has_key("type")
        && !block.is_medium()
        && block.content == BlockContent::Other
}

/// Returns the object that a tool returned as text. A wrapper `{"json": ...}` is removed.
fn data_text(json: &[u8]) -> EscapedText {
    let tree = JsonTree::new(json).ok();
    let inner = tree
        .as_ref()
        .filter(|tree| tree.root().entries().count() == 1)
        .and_then(|tree| tree.root().get("json"));
    EscapedText::from_wtf8(&embed_json(inner.map_or(json, |inner| inner.bytes())))
}

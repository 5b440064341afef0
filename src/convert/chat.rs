//! A transcript as turns that no dialect has shaped yet: what each message
//! says, calls and answers, as some edits leave it.

use crate::convert::block::{BlockContent, ContentBlock};
use crate::convert::literal::{EscapedText, embedded};
use crate::convert::notes::ConversionNotes;
use crate::convert::rest::Accounts;
use crate::convert::tags;
use crate::convert::{ConversionSource, ConversionTarget};
use crate::format::tree::JsonTree;
use crate::json;
use crate::json::Span;
use crate::json::decode_literal_wtf8;
use crate::transcript::view::TranscriptView;
use crate::transcript::{BlockKind, Content, Role, Usage};
use std::borrow::Cow;

/// One turn.
#[derive(Debug, Clone)]
pub struct ChatTurn {
    /// Who speaks; of results always the tool.
    pub role: Role,
    /// The message that it is, by its place in the transcript; none of what was put in.
    pub message: Option<usize>,
    /// What is said, in order.
    pub parts: Vec<ChatPart>,
    /// The calls that it makes.
    pub calls: Vec<ChatCall>,
    /// Of a result: the id that it answers as logged, then as written.
    pub answers: Option<String>,
    /// Of a result: the number of its call in its turn.
    pub place: usize,
    /// The speaker's name; of a result the tool's.
    pub name: Option<EscapedText>,
    /// Whether the call failed whose result this is.
    pub failed: bool,
    /// Of a result: each part answers a call of its own.
    pub answers_each: bool,
    /// Whether it is a summary, ours or an earlier one.
    pub is_summary: bool,
    /// What the provider reported.
    pub usage: Option<Usage>,
    /// Further keys of the message, from a log that speaks the target's dialect already.
    pub extras: Vec<(EscapedText, Vec<u8>)>,
}

/// A piece of what is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatPart {
    /// Text.
    Text(EscapedText),
    /// A block as the target writes it.
    Block(Vec<u8>),
    /// One of the turn's calls.
    Call(usize),
}

/// One call.
#[derive(Debug, Clone)]
pub struct ChatCall {
    /// The message that makes it, and its number there.
    pub origin: (usize, usize),
    /// Its id: as logged, then as written.
    pub id: Option<String>,
    /// The tool.
    pub name: EscapedText,
    /// The arguments as logged (WTF-8).
    pub arguments: Vec<u8>,
    /// Whether they are a JSON object, by the letter of the grammar.
    pub is_object: bool,
}

impl ChatCall {
    /// The arguments as an object on one line; none if they are no object.
    #[must_use]
    pub fn object(&self) -> Option<Vec<u8>> {
        if self.arguments.trim_ascii().is_empty() {
            return Some(b"{}".to_vec());
        }
        self.is_object.then(|| embedded(&self.arguments))
    }
}

impl ChatTurn {
    /// A turn that says nothing yet.
    #[must_use]
    pub fn new(role: Role, message: Option<usize>) -> Self {
        Self {
            role,
            message,
            parts: Vec::new(),
            calls: Vec::new(),
            answers: None,
            place: 0,
            name: None,
            failed: false,
            answers_each: false,
            is_summary: false,
            usage: None,
            extras: Vec::new(),
        }
    }

    /// A turn with this text.
    #[must_use]
    pub fn says(role: Role, message: Option<usize>, text: &str) -> Self {
        Self {
            parts: vec![ChatPart::Text(text.into())],
            ..Self::new(role, message)
        }
    }

    /// Whether there is anything in it but empty texts.
    #[must_use]
    pub fn says_something(&self) -> bool {
        self.parts
            .iter()
            .any(|part| !matches!(part, ChatPart::Text(text) if text.is_empty()))
    }

    /// Its texts, in order.
    pub fn texts(&self) -> impl Iterator<Item = &EscapedText> {
        self.parts.iter().filter_map(|part| {
            if let ChatPart::Text(text) = part {
                Some(text)
            } else {
                None
            }
        })
    }

    /// Goes on with what another turn says.
    pub fn append(&mut self, other: Self) {
        let before = self.calls.len();
        self.parts.extend(other.parts.into_iter().map(|part| {
            if let ChatPart::Call(number) = part {
                ChatPart::Call(before + number)
            } else {
                part
            }
        }));
        self.calls.extend(other.calls);
        self.is_summary |= other.is_summary;
        self.usage = other.usage.or(self.usage);
        self.name = self.name.take().or(other.name);
    }
}

/// Reads the turns of a transcript.
pub(super) struct TurnReader<'r, 't, 'a> {
    source: &'r ConversionSource<'t, 'a>,
    target: &'r dyn ConversionTarget,
    notes: &'r mut ConversionNotes,
    pub(super) accounts: Accounts,
}

impl<'r, 't, 'a: 't> TurnReader<'r, 't, 'a> {
    pub(super) fn new(
        source: &'r ConversionSource<'t, 'a>,
        target: &'r dyn ConversionTarget,
        notes: &'r mut ConversionNotes,
    ) -> Self {
        Self {
            source,
            target,
            notes,
            accounts: Accounts::default(),
        }
    }

    fn view(&self) -> TranscriptView<'t, 'a> {
        self.source.view
    }

    /// All turns, with the summary in its place.
    pub(super) fn turns(&mut self) -> Vec<ChatTurn> {
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
                    ..ChatTurn::says(*role, None, text)
                }));
            }
            if index == messages {
                break;
            }
            if summary.is_some_and(|(summary, _)| summary.messages.binary_search(&index).is_ok()) {
                // It lies in the archive.
                let message = self.view().message(index);
                self.accounts.add(message.record, message.span);
                continue;
            }
            let turn = self.turn(index);
            let joined = self.view().message(index).joined
                && matches!(turn.role, Role::User | Role::Assistant);
            match turns.last_mut() {
                Some(last) if joined && last.role == turn.role && last.message.is_some() => {
                    last.append(turn)
                }
                _ => turns.push(turn),
            }
        }
        turns
    }

    /// Accounts for a span of a message.
    fn took(&mut self, index: usize, span: Span) {
        self.accounts.add(self.view().message(index).record, span);
    }

    /// The text of a literal, accounted for.
    fn text(&mut self, index: usize, span: Span) -> EscapedText {
        self.took(index, span);
        EscapedText::of_literal(self.view().transcript.bytes(index, span))
    }

    fn turn(&mut self, index: usize) -> ChatTurn {
        let view = self.view();
        let message = view.message(index);
        let role = if message.role.is_result() {
            Role::Tool
        } else {
            message.role
        };
        let since = self.accounts.count(message.record);
        let mut turn = ChatTurn::new(role, Some(index));
        (turn.is_summary, turn.usage, turn.failed) = (
            message.earlier_summary,
            message.usage.as_deref().copied(),
            message.incomplete,
        );
        let mut numbers = vec![None; message.calls.len()];
        for (number, call) in message.calls.iter().enumerate() {
            // Without a name it is no call that anyone could make: it stays what it is in the log.
            let Some(name) = call.name else { continue };
            numbers[number] = Some(turn.calls.len());
            let name = self.text(index, name);
            self.accounts.add_everywhere(&name.literal());
            let id = call.id.map(|id| self.id(index, id));
            let raw = view.call_arguments(index, number);
            // Inside a string what is no object is a string of its own.
            let raw = match raw.trim_ascii() {
                literal @ [b'"', ..] if call.inside && json::validate_json(literal).is_ok() => {
                    Cow::Owned(decode_literal_wtf8(literal).into_owned())
                }
                _ => raw,
            };
            call.arguments
                .into_iter()
                .chain(call.copies.iter().copied())
                .for_each(|span| self.took(index, span));
            let is_object =
                raw.trim_ascii_start().starts_with(b"{") && json::validate_json(&raw).is_ok();
            turn.calls.push(ChatCall {
                origin: (index, number),
                id,
                name,
                arguments: raw.into_owned(),
                is_object,
            });
        }
        if let Some(answers) = message.answers {
            turn.answers = Some(self.id(index, answers)).filter(|id| !id.is_empty());
        }
        turn.name = match message.name {
            Some(name) => Some(self.text(index, name))
                .inspect(|name| self.accounts.add_everywhere(&name.literal())),
            None if role == Role::Tool => view
                .transcript
                .tool_name_of(index)
                .map(|name| EscapedText::from(name.as_ref())),
            None => None,
        };
        self.parts(index, &numbers, &mut turn);
        for number in 0..turn.calls.len() {
            if !turn.parts.contains(&ChatPart::Call(number)) {
                turn.parts.push(ChatPart::Call(number));
            }
        }
        tags::take_out(view, index, &mut turn);
        self.extras(index, since, &mut turn);
        turn
    }

    fn id(&mut self, index: usize, literal: Span) -> String {
        let id = self.text(index, literal);
        self.accounts.add_everywhere(&id.literal());
        id.decoded().into_owned()
    }

    /// What a message says.
    fn parts(&mut self, index: usize, calls: &[Option<usize>], turn: &mut ChatTurn) {
        let view = self.view();
        let message = view.message(index);
        let replaced = view.overlay.results.get(&index);
        turn.parts
            .extend(replaced.map(|text| ChatPart::Text(EscapedText::from(text.as_str()))));
        let blocks = match &message.content {
            Content::Absent => return,
            Content::Text(span) => {
                let text = self.text(index, *span);
                if replaced.is_none() {
                    turn.parts.push(ChatPart::Text(text));
                }
                return;
            }
            Content::Blocks(blocks) => blocks,
        };
        for block in blocks {
            match block.kind {
                // What was cleared lies in the archive.
                _ if view.overlay.cleared.contains(&index) => self.took(index, block.span),
                BlockKind::Text(span) if replaced.is_some() => self.took(index, span),
                BlockKind::Text(span) => self.text_block(index, block.span, span, turn),
                BlockKind::Call(number) => match calls.get(number).copied().flatten() {
                    Some(number) => turn.parts.push(ChatPart::Call(number)),
                    None => self.block(index, block.span, turn),
                },
                BlockKind::Image | BlockKind::Other => self.block(index, block.span, turn),
            }
        }
    }

    /// A block of text: as it stands where the log speaks the target's dialect, else its text.
    fn text_block(&mut self, index: usize, span: Span, literal: Span, turn: &mut ChatTurn) {
        let json = self.view().transcript.bytes(index, span);
        let block = (json.first() == Some(&b'{')).then(|| ContentBlock::new(json));
        if let Some(block) = &block
            && matches!(block.kind, BlockContent::Thinking(_))
        {
            return self.block(index, span, turn);
        }
        let more = |tree: &JsonTree<'_>| tree.root().entries().count() > 2;
        if self.speaks_it() && block.is_some() && JsonTree::new(json).is_ok_and(|tree| more(&tree))
        {
            self.took(index, span);
            return turn.parts.push(ChatPart::Block(embedded(json)));
        }
        let text = self.text(index, literal);
        if block.is_none() {
            self.took(index, span);
        }
        turn.parts.push(ChatPart::Text(text));
    }

    /// A block that is no text.
    fn block(&mut self, index: usize, span: Span, turn: &mut ChatTurn) {
        let json = self.view().transcript.bytes(index, span);
        let block = ContentBlock::new(json);
        let written = self.target.block(turn.role, &block, self.speaks_it());
        match written {
            Some((part, whole)) => {
                turn.parts.push(part);
                if whole {
                    self.took(index, span);
                } else {
                    block.used.iter().for_each(|used| {
                        self.took(
                            index,
                            Span {
                                start: span.start + used.start,
                                end: span.start + used.end,
                            },
                        )
                    });
                }
            }
            // What a tool returned as data is its result.
            None if turn.role == Role::Tool
                && json.first() == Some(&b'{')
                && !block.has("type")
                && block.kind == BlockContent::Other =>
            {
                self.took(index, span);
                let tree = JsonTree::new(json).ok();
                let inner = tree
                    .as_ref()
                    .filter(|tree| tree.root().entries().count() == 1)
                    .and_then(|tree| tree.root().get("json"));
                turn.parts
                    .push(ChatPart::Text(EscapedText::of_wtf8(&embedded(
                        inner.map_or(json, |inner| inner.bytes()),
                    ))));
            }
            None => {
                self.took(index, span);
                let who = turn.role.name();
                self.notes.add(
                    format!("block {}", block.name),
                    format!(
                        "{} has no place for it in what the {who} says",
                        self.target.name()
                    ),
                    (0, Some(index)),
                );
            }
        }
    }

    /// Whether the log speaks the target's dialect already.
    fn speaks_it(&self) -> bool {
        self.target.rules().same.contains(&self.source.format)
    }

    /// Further keys of a message of the target's own dialect: all but those that were read since `since`.
    fn extras(&mut self, index: usize, since: usize, turn: &mut ChatTurn) {
        let message = self.view().message(index);
        let messages = &self.view().transcript.messages;
        let shares = |other: Option<usize>| {
            other
                .and_then(|other| messages.get(other))
                .is_some_and(|other| (other.record, other.span) == (message.record, message.span))
        };
        if !self.speaks_it() || shares(index.checked_sub(1)) || shares(Some(index + 1)) {
            return;
        }
        let base = message.span.start;
        let Ok(tree) = JsonTree::new(self.view().transcript.bytes(index, message.span)) else {
            return;
        };
        let fields = self.target.fields(tree.root());
        for (key, value) in fields.entries() {
            let span = Span {
                start: base + value.span().start,
                end: base + value.span().end,
            };
            let key = EscapedText::of_literal(key.slice(fields.record_bytes()));
            let own = self
                .target
                .rules()
                .message_keys
                .contains(&key.decoded().as_ref());
            // The key that tells threads apart stands on every line, and once in the result.
            let is_thread = value
                .as_text()
                .is_some_and(|text| text == self.source.thread_id);
            if !own && !is_thread && !self.accounts.touches(message.record, span, since) {
                turn.extras.push((key, embedded(value.bytes())));
                self.took(index, span);
            }
        }
    }
}

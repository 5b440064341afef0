//! A transcript as turns: what each message says, calls and answers, in no particular format.

use crate::convert::escaped_text::{EscapedText, embed_json};
use crate::convert::tools::ToolSchema;
use crate::reading::transcript::prelude::*;

/// A chat that follows the rules of a target, ready to be written.
pub(crate) struct ChatTranscript<'c> {
    pub(crate) thread_id: &'c str,
    /// The model, if the target names it.
    pub(crate) model: Option<&'c str>,
    /// The system prompt, if the target keeps it apart.
    pub(crate) system: Vec<ChatTurn>,
    /// The other turns. Each group becomes one message.
    pub(crate) groups: Vec<Vec<ChatTurn>>,
    pub(crate) tools: Vec<ToolSchema>,
    /// Further fields of the record, as keys and JSON values, from a log in the target's format.
    pub(crate) record_fields: Vec<(EscapedText, Vec<u8>)>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ChatTurn {
    /// The role. It is [`Role::Tool`] for all results.
    pub role: Role,
    /// The index of the message in the transcript. `None` for a turn that the conversion added.
    pub message: Option<usize>,
    /// The content, in order.
    pub parts: Vec<ChatPart>,
    pub calls: Vec<ChatCall>,
    /// The call id that a result answers: as logged, later as written.
    pub answers: Option<String>,
    /// The number of the call that a result answers, within the calls of its turn.
    pub call_number: usize,
    /// The name of the speaker. For a result, the name of the tool.
    pub name: Option<EscapedText>,
    /// True for a result whose call failed.
    pub failed: bool,
    /// True for a result whose parts answer a call each.
    pub answers_each: bool,
    /// True for a summary, made by this program or earlier.
    pub is_summary: bool,
    /// The usage that the provider reported.
    pub usage: Option<Usage>,
    /// The use of an answer in a sample of a data set. `None` outside samples, and for other turns.
    pub training: Option<AnswerUse>,
    /// Further fields of the message, as keys and JSON values, from a log in the target's format.
    pub extras: Vec<(EscapedText, Vec<u8>)>,
    /// What the turn lacks of what was sent.
    pub gap: Option<TurnGap>,
    /// The numbers of the parts with which another message of the log begins.
    pub(super) starts: Vec<usize>,
}

/// What a turn lacks of what was sent: answers behind it can't be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnGap {
    /// The call of a result was not read.
    Call,
    /// An image, a file or a block that the target has no place for.
    Content,
}

/// The use of an answer in a sample of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerUse {
    Trained,
    /// It is context: another sample trains on it.
    Context,
    /// It must not be trained on anywhere: the log excludes it, or it is a summary.
    Excluded,
}

/// A part of the content of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChatPart {
    Text(EscapedText),
    /// A block as JSON in the target's format.
    Block(Vec<u8>),
    /// A call, by its number in [`ChatTurn::calls`].
    Call(usize),
}

#[derive(Debug, Clone)]
pub(crate) struct ChatCall {
    /// The index of the message that makes the call.
    pub message: usize,
    /// The id: as logged, later as written.
    pub id: Option<String>,
    pub name: EscapedText,
    /// The arguments as logged (WTF-8).
    pub arguments: Vec<u8>,
    /// True if the arguments are a valid JSON object.
    pub is_object: bool,
    /// True if the log says that the arguments are free text.
    pub is_custom: bool,
}

impl ChatCall {
    /// A call of message `message` without an id.
    pub(super) fn new(message: usize, name: EscapedText, arguments: Vec<u8>) -> Self {
        let is_object = is_json_object(&arguments);
        Self { message, id: None, name, arguments, is_object, is_custom: false }
    }

    pub(super) fn id_literal(&self) -> Vec<u8> {
        encode_literal(self.id.as_deref().unwrap_or_default())
    }

    /// Returns the arguments as a JSON object on one line, or `None` if they are no object.
    ///
    /// Blank arguments give an empty object.
    pub(crate) fn argument_object(&self) -> Option<Vec<u8>> {
        if self.arguments.trim_ascii().is_empty() {
            return Some(b"{}".to_vec());
        }
        self.is_object.then(|| embed_json(&self.arguments))
    }

    /// Returns the arguments as a JSON object on one line. Other arguments are its `input`.
    pub(crate) fn argument_object_or_input(&self) -> Vec<u8> {
        self.argument_object().unwrap_or_else(|| {
            let text = encode_wtf8_literal(&self.arguments);
            fill_json(r#"{"input": $}"#, &[&text])
        })
    }
}

impl ChatTurn {
    /// Creates a turn without content.
    pub(crate) fn new(role: Role, message: Option<usize>) -> Self {
        Self { role, message, ..Self::default() }
    }

    /// Creates a turn with a text.
    pub(crate) fn with_text(role: Role, message: Option<usize>, text: &str) -> Self {
        Self { parts: vec![ChatPart::Text(text.into())], ..Self::new(role, message) }
    }

    /// Returns true if the turn has any content besides empty texts.
    pub(crate) fn says_something(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part, ChatPart::Text(text) if text.is_empty()))
    }

    /// Keeps the parts for which `stays` is true.
    pub(super) fn retain_parts(&mut self, stays: impl Fn(&ChatPart) -> bool) {
        let parts = &self.parts;
        for start in &mut self.starts {
            let before = parts.iter().take(*start);
            *start = before.filter(|part| stays(part)).count();
        }
        self.parts.retain(stays);
    }

    /// Returns the texts in order. The pieces of what the model said in one message are one text.
    pub(crate) fn texts(&self) -> Vec<EscapedText> {
        let mut texts: Vec<EscapedText> = Vec::new();
        let mut is_open = false;
        for (at, part) in self.parts.iter().enumerate() {
            let ChatPart::Text(text) = part else {
                is_open = false;
                continue;
            };
            let is_piece = is_open && !self.starts.contains(&at);
            match texts.last_mut() {
                Some(last) if is_piece => last.push_text(text),
                _ => texts.push(text.clone()),
            }
            is_open = self.role == Role::Assistant && !is_thinking(text);
        }
        texts
    }

    /// Appends the content and the calls of another turn.
    pub(crate) fn append_turn(&mut self, other: Self) {
        let before = self.calls.len();
        let parts_before = self.parts.len();
        self.starts.push(parts_before);
        let starts = other.starts.iter();
        self.starts.extend(starts.map(|start| parts_before + start));
        self.gap = self.gap.or(other.gap);
        self.parts.extend(other.parts.into_iter().map(|part| {
            if let ChatPart::Call(number) = part { ChatPart::Call(before + number) } else { part }
        }));
        self.calls.extend(other.calls);
        self.is_summary |= other.is_summary;
        self.usage = other.usage.or(self.usage);
        self.training = self.training.or(other.training);
        self.name = self.name.take().or(other.name);
    }
}

/// The tags around thinking in a text.
pub(super) const THINK_TAGS: [&str; 2] = ["<think>\n", "\n</think>"];

/// Returns true if a text is a single stretch of thinking.
pub(super) fn is_thinking(text: &EscapedText) -> bool {
    text.decoded()
        .strip_prefix(THINK_TAGS[0])
        .and_then(|rest| rest.strip_suffix(THINK_TAGS[1]))
        .is_some_and(|thinking| !thinking.contains("think>"))
}

/// Joins a group of turns to one. Returns `None` if the group is empty.
pub(crate) fn join_turns(group: &[ChatTurn]) -> Option<ChatTurn> {
    let mut turns = group.iter().cloned();
    let mut first = turns.next()?;
    turns.for_each(|turn| first.append_turn(turn));
    Some(first)
}

//! What a logged message becomes: a message of OpenAI, built step by step.

use crate::error::RecordError;
use crate::format::journal::{ElementMark, EventPlace, JournalThread};
use crate::format::located_node::unknown_role_reason;
use crate::format::message_builder::{MessageBuilder, unknown_content_error};
use crate::format::row::at::{At, at};
use crate::format::row::condition::{If, hold};
use crate::format::tree::JsonNode;
use crate::json::JsonKind;

type Result<T> = std::result::Result<T, RecordError>;

/// The row of a message.
pub(in crate::format) struct MessageRow {
    /// What errors call it.
    pub(in crate::format) what: &'static str,
    pub(in crate::format) speaker: SpeakerRow,
    pub(in crate::format) steps: &'static [Step],
}

/// Who says a message.
pub(in crate::format) enum SpeakerRow {
    /// Always the same.
    Always(Who),
    /// The one whose role is at a place. The error of an unknown one calls the place `path`.
    Named {
        role: At,
        path: &'static str,
        roles: &'static [(&'static str, Who)],
    },
    /// The first whose conditions hold.
    First(&'static [(&'static [If], Who)]),
}

/// A speaker.
#[derive(Debug, Clone, Copy)]
pub(in crate::format) enum Who {
    System,
    User,
    Assistant,
    /// The tool that answers the call whose id is at a place, if it is there.
    Tool(At),
    /// The same, whose id is empty if it is not there.
    ToolOf(At),
    /// The agent whose name is at a place.
    Named(At),
    /// Nobody that is known: an error.
    Stranger,
    /// Nobody of the conversation: the message is left out under this description.
    Nobody(&'static str),
}

/// A step in the making of a message.
pub(in crate::format) enum Step {
    /// Adds a text, if there is a string.
    Text(At),
    /// Adds a value as text: a string as it is, anything else but null as JSON.
    Value(At),
    /// Adds what the model thought.
    Reasoning(At),
    /// Adds an image by its URL.
    Image(At),
    /// Adds a call with the places of its id, its name and its arguments.
    Call(At, At, At),
    /// Takes the steps for each element of a list.
    Each(At, &'static [Step]),
    /// The same, and goes on behind an error, which is reported in the end.
    EachThat(At, &'static [Step]),
    /// Takes the steps at a place, if there is a value.
    In(At, &'static [Step]),
    /// Takes the steps if the conditions hold.
    When(&'static [If], &'static [Step]),
    /// Takes the steps of the first case whose conditions hold.
    Case(&'static [Case]),
    /// Takes the steps if nothing was said so far.
    IfSilent(&'static [Step]),
    /// Writes a message of its own before the current one.
    Before(&'static MessageRow),
    /// Writes a message of its own behind the current one.
    Behind(&'static MessageRow),
    /// If the message made calls, ends it: what follows is another message, behind their results.
    AfterCalls,
    /// Ends the message.
    End,
    /// Marks a result as that of a call that failed.
    Failed(&'static [If]),
    /// Sets the reported usage.
    Usage(At),
    /// Sets the model, unless an earlier message named it.
    FirstModel(At),
    /// Sets the model.
    LastModel(At),
    /// Marks the message.
    Mark(ElementMark),
    /// A message without text is not noted as left out.
    Quiet,
    /// Notes a part as left out: the description, in which `$place` is the text there.
    Note(&'static str),
    /// The same, if the whole message is left out.
    NoteIfAlone(&'static str),
    /// Fails unless the conditions hold: no text is found in what the error calls so.
    NeedText(&'static [If], &'static str),
    /// Fails unless the conditions hold: what the error calls so is missing.
    Need(&'static [If], &'static str),
    /// Fails if the value is of another kind. The error calls it so.
    Must(At, JsonKind, &'static str),
    /// Leaves the message out without a word.
    Skip,
    /// What no other step can do.
    Own(fn(&mut MessageWriter<'_>, JsonNode<'_>) -> Result<()>),
}

/// Steps for what fulfils the conditions.
pub(in crate::format) struct Case {
    when: &'static [If],
    steps: &'static [Step],
}

macro_rules! step_makers {
    ($($(#[$doc:meta])* $maker:ident: $step:ident;)*) => {
        $($(#[$doc])*
        pub(in crate::format) const fn $maker(places: &'static str) -> Step {
            Step::$step(at(places))
        })*
    };
}

step_makers! {
    /// Adds a text, if there is a string.
    text: Text;
    /// Adds a value as text.
    value: Value;
    /// Adds what the model thought.
    thought: Reasoning;
    /// Adds an image by its URL.
    image: Image;
    /// Sets the reported usage.
    usage: Usage;
}

/// Adds a call by the places of its id, its name and its arguments.
pub(in crate::format) const fn call(
    id: &'static str,
    name: &'static str,
    arguments: &'static str,
) -> Step {
    Step::Call(at(id), at(name), at(arguments))
}

/// Takes the steps for each element of a list.
pub(in crate::format) const fn each(places: &'static str, steps: &'static [Step]) -> Step {
    Step::Each(at(places), steps)
}

/// Takes the steps at a place, if there is a value.
pub(in crate::format) const fn inside(places: &'static str, steps: &'static [Step]) -> Step {
    Step::In(at(places), steps)
}

/// Steps of one case.
pub(in crate::format) const fn when(when: &'static [If], steps: &'static [Step]) -> Case {
    Case { when, steps }
}

/// Steps for what no case before fits.
pub(in crate::format) const fn otherwise(steps: &'static [Step]) -> Case {
    Case { when: &[], steps }
}

/// A message, part by part.
pub(in crate::format) const fn message(speaker: SpeakerRow, steps: &'static [Step]) -> MessageRow {
    part("a message", speaker, steps)
}

/// The same, where errors call it otherwise.
pub(in crate::format) const fn part(
    what: &'static str,
    speaker: SpeakerRow,
    steps: &'static [Step],
) -> MessageRow {
    MessageRow {
        what,
        speaker,
        steps,
    }
}

/// The speaker whose role is under a key.
pub(in crate::format) const fn by(
    key: &'static str,
    roles: &'static [(&'static str, Who)],
) -> SpeakerRow {
    SpeakerRow::Named {
        role: at(key),
        path: key,
        roles,
    }
}

/// The result of the call whose id is at a place. Without one its id is empty.
pub(in crate::format) const fn result(id: &'static str, steps: &'static [Step]) -> MessageRow {
    message(SpeakerRow::Always(Who::ToolOf(at(id))), steps)
}

impl MessageRow {
    /// The row of messages that nobody says.
    pub(super) const NONE: Self = Self {
        what: "a message",
        speaker: SpeakerRow::Always(Who::Stranger),
        steps: &[],
    };
}

impl SpeakerRow {
    fn of(&self, message: JsonNode<'_>) -> Result<Who> {
        match self {
            Self::Always(who) => Ok(*who),
            Self::First(speakers) => {
                let mut speakers = speakers.iter();
                let found = speakers.find(|(conditions, _)| hold(conditions, message));
                Ok(found.map_or(Who::Stranger, |(_, who)| *who))
            }
            Self::Named { role, path, roles } => {
                let name = role.node(message).and_then(JsonNode::as_text);
                let name = name.unwrap_or_default();
                let found = roles.iter().find(|(known, _)| *known == name);
                found.map(|(_, who)| *who).ok_or_else(|| {
                    let known: Vec<&str> = roles.iter().map(|(known, _)| *known).collect();
                    let reason = unknown_role_reason(path, &name, &known);
                    RecordError::at(message.span().start, reason)
                })
            }
        }
    }
}

/// A message while its steps are taken.
pub(in crate::format) struct MessageWriter<'w> {
    pub(in crate::format) thread: &'w mut JournalThread,
    pub(in crate::format) place: EventPlace,
    /// What is said and called.
    pub(in crate::format) element: MessageBuilder,
    /// The results that follow it.
    pub(in crate::format) results: Vec<MessageBuilder>,
    /// True if a part of the message was appended.
    has_pushed: bool,
    is_quiet: bool,
    is_skipped: bool,
    /// Descriptions of parts that are noted if the whole message is left out.
    unknown: Vec<String>,
    error: Option<RecordError>,
}

impl MessageRow {
    /// Appends a message of the log to a thread.
    ///
    /// # Errors
    ///
    /// Returns an error if something that the row asks for is missing.
    pub(in crate::format) fn push(
        &self,
        thread: &mut JournalThread,
        message: JsonNode<'_>,
        place: EventPlace,
    ) -> Result<()> {
        let Some(element) = self.new_element(thread, message, place)? else {
            return Ok(());
        };
        let mut writer = MessageWriter::new(thread, element, place);
        writer.take_steps(self.steps, message)?;
        writer.finish()
    }

    /// Returns the message without content, or notes that it is left out.
    fn new_element(
        &self,
        thread: &mut JournalThread,
        message: JsonNode<'_>,
        place: EventPlace,
    ) -> Result<Option<MessageBuilder>> {
        let element = match self.speaker.of(message)? {
            Who::System => MessageBuilder::new("system"),
            Who::User => MessageBuilder::new("user"),
            Who::Assistant => MessageBuilder::new("assistant"),
            Who::Tool(id) => MessageBuilder::new_result(id.literal(message)),
            Who::ToolOf(id) => MessageBuilder::new_result(Some(id.literal_or_empty(message))),
            Who::Named(name) => {
                let mut element = MessageBuilder::new("assistant");
                element.set_name(name.literal(message));
                element
            }
            Who::Stranger => return Err(unknown_content_error(message, self.what)),
            Who::Nobody(what) => {
                thread.note_left_out(describe(what, message), place.record);
                return Ok(None);
            }
        };
        Ok(Some(element.with_place(place)))
    }
}

/// Returns a description, of which `$key` at the end stands for the text of that key.
fn describe(what: &'static str, node: JsonNode<'_>) -> String {
    match what.split_once('$') {
        None => what.to_owned(),
        Some((before, key)) => {
            let text = node.get(key).and_then(JsonNode::as_text);
            format!("{before}{}", text.unwrap_or_default())
        }
    }
}

impl<'w> MessageWriter<'w> {
    fn new(thread: &'w mut JournalThread, element: MessageBuilder, place: EventPlace) -> Self {
        Self {
            thread,
            place,
            element,
            results: Vec::new(),
            has_pushed: false,
            is_quiet: false,
            is_skipped: false,
            unknown: Vec::new(),
            error: None,
        }
    }

    /// Takes steps with a node of the log.
    pub(in crate::format) fn take_steps(
        &mut self,
        steps: &[Step],
        node: JsonNode<'_>,
    ) -> Result<()> {
        for step in steps {
            if self.is_skipped {
                break;
            }
            self.take(step, node)?;
        }
        Ok(())
    }

    fn take(&mut self, step: &Step, node: JsonNode<'_>) -> Result<()> {
        match step {
            Step::Each(at, steps) => {
                return at.items(node).try_for_each(|it| self.take_steps(steps, it));
            }
            Step::EachThat(at, steps) => {
                for item in at.items(node) {
                    let error = self.take_steps(steps, item).err();
                    self.error = self.error.take().or(error);
                }
            }
            Step::In(at, steps) => {
                return at
                    .node(node)
                    .map_or(Ok(()), |it| self.take_steps(steps, it));
            }
            Step::When(conditions, steps) if hold(conditions, node) => {
                return self.take_steps(steps, node);
            }
            Step::Case(cases) => {
                let mut cases = cases.iter();
                let found = cases.find(|case| hold(case.when, node));
                return found.map_or(Ok(()), |case| self.take_steps(case.steps, node));
            }
            Step::IfSilent(steps) if self.element.is_empty() => {
                return self.take_steps(steps, node);
            }
            Step::Before(row) => {
                self.has_pushed = true;
                return row.push(self.thread, node, self.place);
            }
            Step::Behind(row) => {
                if let Some(element) = row.new_element(self.thread, node, self.place)? {
                    let own = std::mem::replace(&mut self.element, element);
                    let result = self.take_steps(row.steps, node);
                    let behind = std::mem::replace(&mut self.element, own);
                    self.results.push(behind);
                    return result;
                }
            }
            Step::NeedText(conditions, what) if !hold(conditions, node) => {
                return Err(unknown_content_error(node, what));
            }
            Step::Need(conditions, what) if !hold(conditions, node) => {
                return Err(node.missing_key(what));
            }
            Step::Must(at, kind, what) => {
                let value = at.node(node);
                return value.map_or(Ok(()), |value| value.must_be(*kind, what).map(drop));
            }
            Step::Own(step) => return step(self, node),
            Step::AfterCalls if self.element.has_calls() => self.end(),
            Step::End => self.end(),
            Step::Quiet => self.is_quiet = true,
            Step::Skip => self.is_skipped = true,
            Step::Note(what) => {
                let what = describe(what, node);
                self.thread.note_left_out(what, self.place.record);
            }
            Step::NoteIfAlone(what) => self.unknown.push(describe(what, node)),
            Step::FirstModel(at) => {
                self.thread.model = self.thread.model.take().or_else(|| at.text(node));
            }
            Step::LastModel(at) => {
                self.thread.model = at.text(node).or(self.thread.model.take());
            }
            _ => self.add(step, node),
        }
        Ok(())
    }

    /// Adds to the message what a step finds.
    fn add(&mut self, step: &Step, node: JsonNode<'_>) {
        let element = &mut self.element;
        match step {
            Step::Text(at) => at
                .literal(node)
                .into_iter()
                .for_each(|it| element.push_text(it)),
            Step::Value(at) => at
                .node(node)
                .into_iter()
                .for_each(|it| element.push_value(it)),
            Step::Reasoning(at) => {
                let literal = at.literal(node).into_iter();
                literal.for_each(|it| element.push_reasoning(it));
            }
            Step::Image(at) => {
                let url = at.node(node).into_iter();
                url.for_each(|url| element.push_image(url.bytes()));
            }
            Step::Call(id, name, arguments) => element.push_call(
                id.literal_or_empty(node),
                name.literal_or_empty(node),
                arguments.node(node),
            ),
            Step::Failed(conditions) => element.set_failed(hold(conditions, node)),
            Step::Usage(at) => element.set_usage(at.node(node)),
            Step::Mark(mark) => element.mark = *mark,
            _ => {}
        }
    }

    /// Appends what was said and called so far, and the results.
    pub(in crate::format) fn end(&mut self) {
        let next = self.element.new_alike(self.place);
        let element = std::mem::replace(&mut self.element, next);
        self.has_pushed |= !element.is_empty();
        element.push_if_said(self.thread);
        self.push_results();
    }

    fn push_results(&mut self) {
        for result in std::mem::take(&mut self.results) {
            self.has_pushed = true;
            if self.is_quiet {
                result.push_if_said(self.thread);
            } else {
                result.push_onto(self.thread);
            }
        }
    }

    fn finish(mut self) -> Result<()> {
        if self.is_skipped {
            return Ok(());
        }
        if self.has_pushed || self.is_quiet || !self.results.is_empty() {
            self.end();
        } else {
            let next = self.element.new_alike(self.place);
            self.has_pushed |= !self.element.is_empty();
            std::mem::replace(&mut self.element, next).push_onto(self.thread);
        }
        for what in self.unknown.iter().filter(|_| !self.has_pushed) {
            self.thread.note_left_out(what.clone(), self.place.record);
        }
        self.error.map_or(Ok(()), Err)
    }
}

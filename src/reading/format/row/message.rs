//! The making of messages: the steps of their rows, taken one by one.

use crate::reading::format::prelude::*;
use crate::reading::format::row::condition::{AskedNode, hold};
use crate::reading::format::row::step::{
    MessageEnding, MessageRow, MessageWriter, RowStep, SpeakerRow, Surroundings, Who,
};

impl SpeakerRow {
    fn of(&self, message: JsonNode<'_>) -> Result<Who> {
        match self {
            Self::Always(who) => Ok(*who),
            Self::First(speakers) => {
                let (mut speakers, mut asked) = (speakers.iter(), AskedNode::new(message));
                let found = speakers.find(|(conditions, _)| asked.fulfils(conditions));
                Ok(found.map_or(Who::Stranger, |(_, who)| *who))
            }
            Self::Named { role, path, roles } => {
                let message = match path.split_once('.') {
                    None => message,
                    Some((key, _)) => message.need(key)?,
                };
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

impl MessageRow {
    /// Appends a message of the log to a thread. Fails if something that the row asks for is
    /// missing.
    pub(crate) fn push(&self, thread: &mut JournalThread, message: JsonNode<'_>) -> Result<()> {
        self.push_among(thread, &mut Surroundings::default(), message, message.place())
    }

    /// Appends a message of a conversation to a thread.
    pub(super) fn push_among(
        &self,
        thread: &mut JournalThread,
        around: &mut Surroundings<'_>,
        message: JsonNode<'_>,
        place: EventPlace,
    ) -> Result<()> {
        let Some(element) = self.new_element(thread, message, place)? else {
            return Ok(());
        };
        let mut writer = MessageWriter {
            thread,
            place,
            element,
            results: Vec::new(),
            has_pushed: false,
            ending: MessageEnding::Said,
            unknown: Vec::new(),
            error: None,
            around,
        };
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
        if !hold(self.needs, message) {
            return Err(unknown_content_error(message, self.what));
        }
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
            let text = node.get_text(key);
            format!("{before}{}", text.unwrap_or_default())
        }
    }
}

impl MessageWriter<'_, '_> {
    /// Takes steps with a node of the log.
    pub(crate) fn take_steps(&mut self, steps: &[RowStep], node: JsonNode<'_>) -> Result<()> {
        for step in steps {
            if self.ending == MessageEnding::Skipped {
                break;
            }
            self.take(step, node)?;
        }
        Ok(())
    }

    fn take(&mut self, step: &RowStep, node: JsonNode<'_>) -> Result<()> {
        match step {
            RowStep::Each(at, steps) => {
                return at.items(node).try_for_each(|it| self.take_steps(steps, it));
            }
            RowStep::EachThat(at, steps) => {
                for item in at.items(node) {
                    let error = self.take_steps(steps, item).err();
                    self.error = self.error.take().or(error);
                }
            }
            RowStep::In(at, steps) => {
                return at.node(node).map_or(Ok(()), |it| self.take_steps(steps, it));
            }
            RowStep::When(conditions, steps) if hold(conditions, node) => {
                return self.take_steps(steps, node);
            }
            RowStep::Case(cases) => {
                let (mut cases, mut asked) = (cases.iter(), AskedNode::new(node));
                let found = cases.find(|case| asked.fulfils(case.when));
                return found.map_or(Ok(()), |case| self.take_steps(case.steps, node));
            }
            RowStep::Recall(without) => match self.around.held.take() {
                Some(held) => self.element.prepend(held),
                None => return self.take_steps(without, node),
            },
            RowStep::Unanswered(id, steps) => {
                let id = id.literal(node).unwrap_or_default();
                if !self.around.answered.contains(id) {
                    return self.take_steps(steps, node);
                }
            }
            RowStep::IfSilent(steps) if self.element.is_empty() => {
                return self.take_steps(steps, node);
            }
            RowStep::Before(row) => {
                self.has_pushed = true;
                let mut around = Surroundings::default();
                return row.push_among(self.thread, &mut around, node, self.place);
            }
            RowStep::Behind(row) => {
                if let Some(element) = row.new_element(self.thread, node, self.place)? {
                    let own = std::mem::replace(&mut self.element, element);
                    let result = self.take_steps(row.steps, node);
                    let behind = std::mem::replace(&mut self.element, own);
                    self.results.push(behind);
                    return result;
                }
            }
            RowStep::NeedText(conditions, what) if !hold(conditions, node) => {
                return Err(unknown_content_error(node, what));
            }
            RowStep::Need(conditions, what) if !hold(conditions, node) => {
                return Err(node.missing_key(what));
            }
            RowStep::Must(at, kind, what) => {
                let value = at.node(node);
                return value.map_or(Ok(()), |value| value.must_be(*kind, what).map(drop));
            }
            RowStep::Own(step) => return step(self, node),
            RowStep::AfterCalls if self.element.has_calls() => self.end(),
            RowStep::End => self.end(),
            RowStep::Quiet => self.ending = MessageEnding::Quiet,
            RowStep::Skip => self.ending = MessageEnding::Skipped,
            RowStep::Hold => self.ending = MessageEnding::Held,
            RowStep::Note(what) => {
                let what = describe(what, node);
                self.thread.note_left_out(what, self.place.record);
            }
            RowStep::NoteIfAlone(what) => self.unknown.push(describe(what, node)),
            RowStep::FirstModel(at) => {
                self.thread.model = self.thread.model.take().or_else(|| at.text(node));
            }
            _ => self.add(step, node),
        }
        Ok(())
    }

    /// Adds to the message what a step finds.
    fn add(&mut self, step: &RowStep, node: JsonNode<'_>) {
        let element = &mut self.element;
        match step {
            RowStep::Text(at) => {
                let literal = at.literal(node).map(|it| resolve(self.around, element, it));
                literal.into_iter().for_each(|it| element.push_text(&it));
            }
            RowStep::Value(at) => at.node(node).into_iter().for_each(|it| element.push_value(it)),
            RowStep::Reasoning(at) => {
                let literal = at.literal(node).map(|it| resolve(self.around, element, it));
                literal.into_iter().for_each(|it| element.push_reasoning(&it));
            }
            RowStep::Image(at) => {
                let url = at.node(node).map(JsonNode::bytes);
                let url = url.map(|it| resolve(self.around, element, it));
                url.into_iter().for_each(|it| element.push_image(&it));
            }
            RowStep::Call(id, name, arguments) => element.push_call(
                id.literal_or_empty(node),
                name.literal_or_empty(node),
                arguments.node(node),
            ),
            RowStep::Block => element.push_json(node.bytes().to_vec()),
            RowStep::Failed(conditions) => element.set_failed(hold(conditions, node)),
            RowStep::Usage(at) => element.set_usage(at.node(node)),
            RowStep::Mark(mark) => element.mark = *mark,
            _ => {}
        }
    }

    /// Appends what was said and called so far, and the results.
    pub(crate) fn end(&mut self) {
        let next = self.element.new_alike(self.place);
        let element = std::mem::replace(&mut self.element, next);
        self.has_pushed |= !element.is_empty();
        element.push_if_said(self.thread);
        let results = std::mem::take(&mut self.results);
        self.has_pushed |= push_results(results, self.thread, self.ending);
    }

    fn finish(mut self) -> Result<()> {
        match self.ending {
            MessageEnding::Skipped => return Ok(()),
            MessageEnding::Held => {
                self.around.held = Some(self.element);
                return Ok(());
            }
            MessageEnding::Said | MessageEnding::Quiet => {}
        }
        self.around.end(self.thread);
        let is_quiet =
            self.ending == MessageEnding::Quiet || self.has_pushed || !self.results.is_empty();
        self.has_pushed |= !self.element.is_empty();
        if is_quiet {
            self.element.push_if_said(self.thread);
        } else {
            self.element.push_onto(self.thread);
        }
        self.has_pushed |= push_results(self.results, self.thread, self.ending);
        for what in self.unknown.iter().filter(|_| !self.has_pushed) {
            self.thread.note_left_out(what.clone(), self.place.record);
        }
        self.error.map_or(Ok(()), Err)
    }
}

/// Appends results. Returns true if there are any.
fn push_results(
    results: Vec<MessageBuilder>,
    thread: &mut JournalThread,
    ending: MessageEnding,
) -> bool {
    let is_any = !results.is_empty();
    for result in results {
        match ending {
            MessageEnding::Quiet => result.push_if_said(thread),
            _ => result.push_onto(thread),
        }
    }
    is_any
}

impl Surroundings<'_> {
    /// Appends what was thought, if no answer followed.
    pub(super) fn end(&mut self, thread: &mut JournalThread) {
        if let Some(held) = self.held.take() {
            held.push_onto(thread);
        }
    }
}

/// Returns a literal with the texts to which it points in the place of their pointers.
fn resolve<'n>(
    around: &mut Surroundings<'_>,
    element: &mut MessageBuilder,
    literal: &'n [u8],
) -> Cow<'n, [u8]> {
    match &mut around.pointers {
        Some(pointers) => pointers.resolve(element, literal),
        None => Cow::Borrowed(literal),
    }
}

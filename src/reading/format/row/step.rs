//! The row of a message: who says it, and the steps in which it becomes a message of OpenAI.

use crate::reading::format::prelude::*;
use crate::reading::format::row::at::{At, at};
use crate::reading::format::row::condition::If;
use crate::reading::format::row::pointers::PointedTexts;

pub(crate) struct MessageRow {
    /// What errors call it.
    pub(crate) what: &'static str,
    /// What every such message has, or else no text is found in it.
    pub(crate) needs: &'static [If],
    pub(crate) speaker: SpeakerRow,
    pub(crate) steps: &'static [RowStep],
}

/// Who says a message.
pub(crate) enum SpeakerRow {
    Always(Who),
    /// The one whose role is at a place. The error of an unknown one calls the place `path`; where
    /// that has a dot, `role` counts from below its first key.
    Named {
        role: At,
        path: &'static str,
        roles: &'static [(&'static str, Who)],
    },
    /// The first whose conditions hold.
    First(&'static [(&'static [If], Who)]),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Who {
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
pub(crate) enum RowStep {
    /// Adds a text, if there is a string.
    Text(At),
    /// Adds a value as text: a string as it is, anything else but null as JSON.
    Value(At),
    /// Adds what the model thought.
    Reasoning(At),
    /// Adds an image by its URL.
    Image(At),
    /// Adds a block as it is logged: a medium that only some readers know.
    Block,
    /// Adds a call with the places of its id, its name and its arguments.
    Call(At, At, At),
    /// Takes the steps for each element of a list.
    Each(At, &'static [RowStep]),
    /// The same, and goes on behind an error, which is reported in the end.
    EachThat(At, &'static [RowStep]),
    /// Takes the steps at a place, if there is a value.
    In(At, &'static [RowStep]),
    /// Takes the steps if the conditions hold.
    When(&'static [If], &'static [RowStep]),
    /// Takes the steps of the first case whose conditions hold.
    Case(&'static [Case]),
    /// Takes the steps if nothing was said so far.
    IfSilent(&'static [RowStep]),
    /// Writes a message of its own before the current one.
    Before(&'static MessageRow),
    /// Writes a message of its own behind the current one.
    Behind(&'static MessageRow),
    /// If the message made calls, ends it: what follows is another message, behind their results.
    AfterCalls,
    End,
    /// Marks a result as that of a call that failed.
    Failed(&'static [If]),
    /// Sets the reported usage.
    Usage(At),
    /// Sets the model, unless an earlier message named it.
    FirstModel(At),
    Mark(ElementMark),
    /// A message without text is not noted as left out.
    Quiet,
    /// Holds back what was thought: it goes before what the next answer says.
    Hold,
    /// Puts what was held back before the answer; without it takes the steps.
    Recall(&'static [RowStep]),
    /// Takes the steps unless the call with this id has a result of its own.
    Unanswered(At, &'static [RowStep]),
    /// Notes a part as left out: the description, in which `$key` at its end is the text of that key.
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
    Own(StepMaker),
}

/// A function that takes a step.
pub(super) type StepMaker = fn(&mut MessageWriter<'_, '_>, JsonNode<'_>) -> Result<()>;

/// Steps for what fulfils the conditions.
pub(crate) struct Case {
    pub(super) when: &'static [If],
    pub(super) steps: &'static [RowStep],
}

macro_rules! step_makers {
    ($($(#[$doc:meta])* $maker:ident: $step:ident;)*) => {
        $($(#[$doc])*
        pub(crate) const fn $maker(places: &'static str) -> RowStep {
            RowStep::$step(at(places))
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
pub(crate) const fn call(id: &'static str, name: &'static str, arguments: &'static str) -> RowStep {
    RowStep::Call(at(id), at(name), at(arguments))
}

/// Takes the steps for each element of a list.
pub(crate) const fn each(places: &'static str, steps: &'static [RowStep]) -> RowStep {
    RowStep::Each(at(places), steps)
}

/// Takes the steps at a place, if there is a value.
pub(crate) const fn inside(places: &'static str, steps: &'static [RowStep]) -> RowStep {
    RowStep::In(at(places), steps)
}

pub(crate) const fn when(when: &'static [If], steps: &'static [RowStep]) -> Case {
    Case { when, steps }
}

/// Steps for what no case before fits.
pub(crate) const fn otherwise(steps: &'static [RowStep]) -> Case {
    Case { when: &[], steps }
}

/// A message, part by part.
pub(crate) const fn message(speaker: SpeakerRow, steps: &'static [RowStep]) -> MessageRow {
    part("a message", speaker, steps)
}

/// The same, where errors call it otherwise.
pub(crate) const fn part(
    what: &'static str,
    speaker: SpeakerRow,
    steps: &'static [RowStep],
) -> MessageRow {
    MessageRow { what, needs: &[], speaker, steps }
}

/// The speaker whose role is under a key.
pub(crate) const fn by(key: &'static str, roles: &'static [(&'static str, Who)]) -> SpeakerRow {
    SpeakerRow::Named { role: at(key), path: key, roles }
}

/// The result of the call whose id is at a place. Without one its id is empty.
pub(crate) const fn result(id: &'static str, steps: &'static [RowStep]) -> MessageRow {
    message(SpeakerRow::Always(Who::ToolOf(at(id))), steps)
}

impl MessageRow {
    /// The row of messages that nobody says.
    pub(super) const NONE: Self = Self {
        what: "a message",
        needs: &[],
        speaker: SpeakerRow::Always(Who::Stranger),
        steps: &[],
    };
}

/// A message while its steps are taken.
pub(crate) struct MessageWriter<'w, 'c> {
    pub(crate) thread: &'w mut JournalThread,
    pub(crate) place: EventPlace,
    /// What is said and called.
    pub(crate) element: MessageBuilder,
    /// The results that follow it.
    pub(crate) results: Vec<MessageBuilder>,
    /// True if a part of the message was appended.
    pub(super) has_pushed: bool,
    pub(super) ending: MessageEnding,
    /// Descriptions of parts that are noted if the whole message is left out.
    pub(super) unknown: Vec<String>,
    pub(super) error: Option<RecordError>,
    pub(super) around: &'w mut Surroundings<'c>,
}

/// What becomes of a message when all its steps are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageEnding {
    /// It is appended, or noted as left out if nothing was said.
    Said,
    /// It is appended if anything was said.
    Quiet,
    /// It is left out without a word.
    Skipped,
    /// It is held back: what the model thought before its next answer.
    Held,
}

/// What messages of a conversation leave to those that follow.
#[derive(Default)]
pub(crate) struct Surroundings<'c> {
    /// What was thought before the next answer.
    pub(super) held: Option<MessageBuilder>,
    /// The literals of the ids of calls with results of their own.
    pub(super) answered: HashSet<&'c [u8]>,
    /// The texts to which others point.
    pub(super) pointers: Option<PointedTexts<'c>>,
}

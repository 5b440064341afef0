//! The observations of a trajectory: what SWE-agent's `LastNObservations` counts as results. See
//! `docs/reference/presets.md`.

use crate::reading::json::python_parser::parse_python_json;
use crate::reading::json::python_value::{PythonValue, value_at};
use crate::reading::transcript::{Role, Transcript};
use memchr::memmem;

/// The key that marks an observation.
const TYPE_KEY: &str = "message_type";

/// The observations of a conversation, as its marks and tags say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Observations {
    /// The observations, in order.
    pub messages: Vec<usize>,
    /// The messages whose tag says that they always stay.
    pub kept: Vec<usize>,
    /// The messages whose tag says that they always go.
    pub removed: Vec<usize>,
    /// The user's task, which counts as an observation and always stays, where no message is marked.
    pub task: Option<usize>,
}

/// The marks of one message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MessageMarks {
    /// True if the message says of which type it is.
    pub typed: bool,
    pub observation: bool,
    pub demo: bool,
    pub keeps: bool,
    pub removes: bool,
}

/// Finds the observations of a conversation. Where no message is marked, these are all results, and
/// before them the first user message, in which an agent gets its task. A user message that follows
/// a result is no observation.
pub(crate) fn find_observations(transcript: &Transcript<'_>) -> Observations {
    let count = transcript.messages.len();
    let marks: Vec<MessageMarks> = (0..count).map(|index| marks_of(transcript, index)).collect();
    if !marks.iter().any(|marks| marks.typed) {
        let is_result = |index: usize| transcript.messages[index].role.is_result();
        let task = (0..count)
            .take_while(|&index| !is_result(index))
            .find(|&index| transcript.messages[index].role == Role::User);
        let is_observation = |index: &usize| Some(*index) == task || is_result(*index);
        return Observations {
            messages: (0..count).filter(is_observation).collect(),
            task,
            ..Observations::default()
        };
    }
    let select = |is_one: fn(&MessageMarks) -> bool| {
        (0..count).filter(|&index| is_one(&marks[index])).collect()
    };
    Observations {
        messages: select(|marks| marks.observation && !marks.demo),
        kept: select(|marks| marks.keeps),
        removed: select(|marks| marks.observation && marks.removes),
        task: None,
    }
}

/// Returns the marks of a message.
pub(crate) fn marks_of(transcript: &Transcript<'_>, index: usize) -> MessageMarks {
    let message = transcript.bytes(index, transcript.messages[index].span);
    if memmem::find(message, TYPE_KEY.as_bytes()).is_none() {
        return MessageMarks::default();
    }
    let Some(PythonValue::Object(entries)) = parse_python_json(message) else {
        return MessageMarks::default();
    };
    let tags = match value_at(&entries, &["tags"]) {
        Some(PythonValue::Array(tags)) => tags.as_slice(),
        _ => &[],
    };
    let is_tagged = |name: &str| tags.iter().any(|tag| is_text(tag, name));
    let kind = value_at(&entries, &[TYPE_KEY]);
    MessageMarks {
        typed: matches!(kind, Some(PythonValue::String(_))),
        observation: kind.is_some_and(|kind| is_text(kind, "observation")),
        demo: value_at(&entries, &["is_demo"]) == Some(&PythonValue::Bool(true)),
        keeps: is_tagged("keep_output"),
        removes: is_tagged("remove_output"),
    }
}

fn is_text(value: &PythonValue<'_>, wanted: &str) -> bool {
    matches!(value, PythonValue::String(text) if text.as_ref() == wanted.as_bytes())
}

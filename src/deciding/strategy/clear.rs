//! Stage prune by the number of results: all but the newest become a placeholder, for one call.
//! The rules are LangChain's `ClearToolUsesEdit` and SWE-agent's `LastNObservations`, see
//! `docs/reference/context-editing.md` and `docs/reference/presets.md`.

use crate::deciding::plan::ClearedInputs;
use crate::deciding::strategy::pin::is_pinned;
use crate::deciding::strategy::placeholder::{is_rendered_placeholder, render_placeholder};
use crate::deciding::strategy::prelude::*;
use crate::deciding::strategy::prune::plan_pruning;
use crate::reading::json::python_value::value_at;
use memchr::memmem;

/// The key under which LangChain marks what it cleared.
const MARK: &str = "context_editing";

/// The results that are cleared for one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ClearedResults {
    /// The results, in the order of the messages.
    pub prunings: Vec<Pruning>,
    /// The number of results that may be cleared.
    pub candidates: usize,
    /// The tokens saved.
    pub saved: i64,
}

/// Clears the results of a call that are old enough. Results that are excluded, were cleared
/// before, or do not answer a valid call of the answer before them stay.
pub(crate) fn clear_results(
    view: TranscriptView<'_, '_>,
    counter: &dyn TokenCounter,
    policy: &Prune,
    pin: &Pin,
) -> ClearedResults {
    let mut cleared = ClearedResults::default();
    for index in old_results(view.transcript, policy) {
        cleared.add_result(view, counter, policy, pin, index);
    }
    cleared
}

impl ClearedResults {
    /// Adds the next result that is old enough.
    pub(crate) fn add_result(
        &mut self,
        view: TranscriptView<'_, '_>,
        counter: &dyn TokenCounter,
        policy: &Prune,
        pin: &Pin,
        index: usize,
    ) {
        if is_pinned(view.transcript, index, pin) {
            return;
        }
        let Some(mut pruning) = clear_result(view, counter, policy, index) else {
            return;
        };
        let is_free = |inputs: &ClearedInputs| !is_pinned(view.transcript, inputs.message, pin);
        pruning.inputs = pruning.inputs.filter(is_free);
        self.candidates += 1;
        let least = i64::try_from(policy.clear_at_least).unwrap_or(i64::MAX);
        if least > 0 && policy.at_least == LeastCleared::Stop && self.saved >= least {
            return;
        }
        self.saved += saved_by(view, counter, &pruning, &self.prunings);
        self.prunings.push(pruning);
    }
}

/// Returns the results that count: those of tools, or the observations of a trajectory.
pub(crate) fn counted_results(transcript: &Transcript<'_>, policy: &Prune) -> Vec<usize> {
    if policy.observations {
        return find_observations(transcript).messages;
    }
    (0..transcript.messages.len())
        .filter(|&index| transcript.messages[index].role == Role::Tool)
        .collect()
}

/// Returns which of `count` results are old enough to go.
pub(crate) fn old_ordinals(count: usize, policy: &Prune) -> Range<usize> {
    let as_index = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let polling = as_index(policy.polling.max(1));
    let last = (count / polling * polling).saturating_sub(as_index(policy.keep));
    as_index(policy.keep_first).min(last)..last
}

/// Returns the results that are old enough to go, in order.
fn old_results(transcript: &Transcript<'_>, policy: &Prune) -> Vec<usize> {
    let results = counted_results(transcript, policy);
    let old = &results[old_ordinals(results.len(), policy)];
    if !policy.observations {
        return old.to_vec();
    }
    let marked = find_observations(transcript);
    let is_kept = |index: &usize| marked.kept.binary_search(index).is_ok();
    let chosen: BTreeSet<usize> = old
        .iter()
        .copied()
        .filter(|index| !is_kept(index) && Some(*index) != marked.task)
        .chain(marked.removed)
        .collect();
    chosen.into_iter().collect()
}

/// Returns the clearing of a result, or none if it stays.
fn clear_result(
    view: TranscriptView<'_, '_>,
    counter: &dyn TokenCounter,
    policy: &Prune,
    index: usize,
) -> Option<Pruning> {
    let transcript = view.transcript;
    let message = view.message(index);
    // A summary in the place of an agent's task is all that is left of the messages it replaced.
    if message.content_span.is_none() || message.earlier_summary || is_marked(transcript, index) {
        return None;
    }
    let answered = answered_calls(transcript, index);
    if answered.is_none() && !policy.every_result {
        return None;
    }
    let call_name = answered.as_ref().and_then(|(caller, calls)| {
        let name = transcript.messages[*caller].calls[calls[0]].name?;
        Some(transcript.bytes(*caller, name))
    });
    let tool = match message.name {
        Some(name) if !is_empty_literal(transcript.bytes(index, name)) => {
            Some(transcript.bytes(index, name))
        }
        _ => call_name,
    };
    let tool = tool.map(decode_literal).unwrap_or_default();
    if policy.protect_tools.iter().any(|name| *name == tool) {
        return None;
    }
    let text = view.joined_text(index, "\n");
    let placeholder = render_placeholder(view, index, &policy.placeholder);
    if is_rendered_placeholder(&text, &policy.placeholder) {
        return None;
    }
    let tokens = counter.count_text(&text) as u64;
    let inputs = answered
        .filter(|_| policy.clear_inputs)
        .map(|(message, calls)| ClearedInputs { message, calls });
    Some(Pruning { inputs, placeholder, ..plan_pruning(transcript, policy, index, tokens) })
}

/// Returns the answer before a result, and its valid calls that have the id of the result.
fn answered_calls(transcript: &Transcript<'_>, index: usize) -> Option<(usize, Vec<usize>)> {
    let id = transcript.answered_id(&transcript.messages[index]);
    let is_answer = |at: &usize| transcript.messages[*at].role == Role::Assistant;
    let last = (0..index).rev().find(is_answer)?;
    // Some formats log an answer as several messages.
    let mut at = last;
    loop {
        let message = &transcript.messages[at];
        let is_valid = |number: &usize| {
            let call = &message.calls[*number];
            call.valid && !call.legacy
        };
        let calls = match &id {
            Some(id) => transcript.calls_with_id(at, id),
            None => (0..message.calls.len()).filter(|at| message.calls[*at].id.is_none()).collect(),
        };
        let matching: Vec<usize> = calls.into_iter().filter(is_valid).collect();
        if !matching.is_empty() {
            return Some((at, matching));
        }
        at = at.checked_sub(1).filter(|before| message.joined && is_answer(before))?;
    }
}

/// Returns the element of a message, unless the message before it is of the same: each of many results
/// would look at all of them. LangChain and SWE-agent write an element for each message.
fn own_element<'t>(transcript: &'t Transcript<'_>, index: usize) -> Option<&'t [u8]> {
    let message = &transcript.messages[index];
    let before = index.checked_sub(1).map(|before| &transcript.messages[before]);
    let is_shared =
        before.is_some_and(|before| (before.record, before.span) == (message.record, message.span));
    (!is_shared).then(|| transcript.bytes(index, message.span))
}

/// Returns true if LangChain marked a result as cleared.
fn is_marked(transcript: &Transcript<'_>, index: usize) -> bool {
    let element = own_element(transcript, index);
    let Some(message) = element.filter(|it| memmem::find(it, MARK.as_bytes()).is_some()) else {
        return false;
    };
    let Some(PythonValue::Object(entries)) = parse_python_json(message) else {
        return false;
    };
    [
        ["response_metadata", MARK, "cleared"].as_slice(),
        &["data", "response_metadata", MARK, "cleared"],
        &["kwargs", "response_metadata", MARK, "cleared"],
    ]
    .into_iter()
    .any(|path| value_at(&entries, path) == Some(&PythonValue::Bool(true)))
}

/// Returns the tokens that a clearing saves after `earlier` ones of the same call.
fn saved_by(
    view: TranscriptView<'_, '_>,
    counter: &dyn TokenCounter,
    pruning: &Pruning,
    earlier: &[Pruning],
) -> i64 {
    let inputs_of = |pruning: &Pruning| pruning.inputs.as_ref().map(|inputs| inputs.message);
    let caller = inputs_of(pruning);
    let messages: Vec<usize> = [Some(pruning.message), caller].into_iter().flatten().collect();
    let shown = view.overlay.of_messages(&messages);
    // Only the clearings of the same answer change what it counts.
    let newest = earlier.iter().rev();
    let before = newest.take_while(|earlier| caller.is_some() && inputs_of(earlier) == caller);
    let before: Vec<Edit> = before.cloned().map(Edit::Prune).collect();
    let mut after = before.clone();
    after.push(Edit::Prune(pruning.clone()));
    let count = |edits: &[Edit]| {
        let overlay = shown.clone().with(overlay_edits(view.transcript, edits));
        let edited = TranscriptView::new(view.transcript, &overlay);
        let tokens = messages.iter().map(|index| counter.count_message(edited, *index) as i64);
        tokens.sum::<i64>()
    };
    count(&before) - count(&after)
}

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
fn find_observations(transcript: &Transcript<'_>) -> Observations {
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

pub(crate) fn marks_of(transcript: &Transcript<'_>, index: usize) -> MessageMarks {
    let element = own_element(transcript, index);
    let Some(message) = element.filter(|it| memmem::find(it, TYPE_KEY.as_bytes()).is_some()) else {
        return MessageMarks::default();
    };
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

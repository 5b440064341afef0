//! Pinned messages: no stage touches them. The other messages of their exchange stay with them where
//! the rest is summarized.

use crate::deciding::strategy::prelude::*;
use crate::deciding::strategy::tail::splits_exchange;
use memchr::memmem;

/// The keys of a message that hold its label, or the list of its labels.
const LABEL_KEYS: [&str; 4] = ["label", "labels", "tag", "tags"];
/// The keys of a message whose objects may hold labels, too.
const ENVELOPES: [&str; 5] =
    ["metadata", "additional_kwargs", "response_metadata", "data", "kwargs"];

/// Returns true if the policy pins a message.
pub(crate) fn is_pinned(transcript: &Transcript<'_>, index: usize, pin: &Pin) -> bool {
    if pin.is_empty() {
        return false;
    }
    let message = &transcript.messages[index];
    // Between two calls of a replay the last summary replaces what it is about. It is summarized
    // again: if it were kept, it would come before its own successor.
    if message.earlier_summary {
        return false;
    }
    // The role `tool` means all results, also those that older logs call the function's.
    let role = match message.role {
        Role::Function => Role::Tool,
        role => role,
    };
    if pin.roles.contains(&role) || pin.roles.contains(&message.role) {
        return true;
    }
    if message.role.is_result() && is_of_tool(transcript, index, &pin.tools) {
        return true;
    }
    has_label(transcript, index, &pin.labels) || has_pattern(transcript, index, pin)
}

/// Returns true if a result is known to be that of one of these tools.
pub(crate) fn is_of_tool(transcript: &Transcript<'_>, index: usize, tools: &[String]) -> bool {
    let tool = transcript.tool_name_of(index);
    tool.is_some_and(|tool| tools.iter().any(|name| *name == tool))
}

/// Returns true if one of the patterns is found in the text of a message as it was logged.
fn has_pattern(transcript: &Transcript<'_>, index: usize, pin: &Pin) -> bool {
    if pin.patterns.is_empty() {
        return false;
    }
    let view = TranscriptView::logged(transcript);
    let text = view.joined_text(index, "\n");
    pin.patterns.iter().any(|pattern| pattern.is_found_in(&text))
}

/// Returns true if a message bears one of these labels: in its own object or in one of its
/// envelopes, never in its text or in the arguments of its calls.
fn has_label(transcript: &Transcript<'_>, index: usize, labels: &[String]) -> bool {
    if labels.is_empty() {
        return false;
    }
    let record = transcript.record_of(index);
    let object = if transcript.message_per_record {
        record
    } else {
        transcript.messages[index].span.slice(record)
    };
    let may_have = LABEL_KEYS
        .iter()
        .any(|key| memmem::find(object, format!("\"{key}\"").as_bytes()).is_some());
    may_have
        && matches!(parse_python_json(object), Some(PythonValue::Object(entries))
            if labels_of(&entries).any(|label| labels.iter().any(|wanted| wanted.as_bytes() == label)))
}

/// Returns the labels in an object and its envelopes, as WTF-8.
fn labels_of<'e>(entries: &'e [PythonEntry<'_>]) -> impl Iterator<Item = &'e [u8]> {
    let is_one_of = |entry: &PythonEntry<'_>, keys: &[&str]| {
        keys.iter().any(|key| key.as_bytes() == entry.key.as_ref())
    };
    let enveloped = entries.iter().filter_map(move |entry| match &entry.value {
        PythonValue::Object(inner) if is_one_of(entry, &ENVELOPES) => Some(inner.as_slice()),
        _ => None,
    });
    std::iter::once(entries)
        .chain(enveloped)
        .flatten()
        .filter(move |entry| is_one_of(entry, &LABEL_KEYS))
        .flat_map(|entry| match &entry.value {
            PythonValue::Array(list) => list.as_slice(),
            value => std::slice::from_ref(value),
        })
        .filter_map(|value| match value {
            PythonValue::String(label) => Some(label.as_ref()),
            _ => None,
        })
}

/// Returns the pinned messages before `end`, with the exchanges that they are part of.
pub(crate) fn pinned_before(transcript: &Transcript<'_>, pin: &Pin, end: usize) -> BTreeSet<usize> {
    let mut pinned = BTreeSet::new();
    if pin.is_empty() {
        return pinned;
    }
    let splits = splits_exchange(transcript);
    for index in (0..end).filter(|&index| is_pinned(transcript, index, pin)) {
        let first = (0..=index).rev().find(|&at| !splits[at]).unwrap_or(0);
        let behind = (index + 1..splits.len()).find(|&at| !splits[at]);
        pinned.extend(first..behind.unwrap_or(splits.len()).min(end));
    }
    pinned
}

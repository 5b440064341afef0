//! Summaries that an agent asks for itself, by calling a tool.

use crate::deciding::policy::AskingTool;
use crate::deciding::strategy::prelude::*;

/// Returns true if message `index` is the result of a tool that made a summary.
pub(crate) fn made_summary(
    transcript: &Transcript<'_>,
    tools: &[AskingTool],
    index: usize,
) -> bool {
    if tools.is_empty() || !transcript.messages[index].role.is_result() {
        return false;
    }
    let Some(name) = transcript.tool_name_of(index) else {
        return false;
    };
    let logged = TranscriptView::logged(transcript);
    tools.iter().any(|tool| {
        tool.tool == name && logged.joined_text(index, "").starts_with(tool.made.as_str())
    })
}

/// Returns the answer that asked for a summary, if its results are the newest messages and one of
/// them says that it was made.
pub(crate) fn asking_answer(transcript: &Transcript<'_>, tools: &[AskingTool]) -> Option<usize> {
    let results = transcript.messages.iter().rev();
    let count = results.take_while(|message| message.role.is_result()).count();
    let end = transcript.messages.len();
    (end - count..end)
        .find(|&index| made_summary(transcript, tools, index))
        .and_then(|index| transcript.caller_of(index))
}

/// Returns true if a tool that asks for summaries is called anywhere.
pub(crate) fn calls_any(transcript: &Transcript<'_>, tools: &[AskingTool]) -> bool {
    let results = 0..transcript.messages.len();
    !tools.is_empty()
        && results
            .filter(|&index| transcript.messages[index].role.is_result())
            .filter_map(|index| transcript.tool_name_of(index))
            .any(|name| tools.iter().any(|tool| tool.tool == name))
}

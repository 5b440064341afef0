//! The conversation as a model reads it that is asked for a summary.
//!
//! LangChain's presets use the text of the history, and OpenCode's preset labels
//! every message; see `docs/reference/opencode.md`. In OpenCode's prompt an
//! earlier summary has a place of its own.

use crate::archive::history;
use crate::plan::Hole;
use crate::policy::{SummarizerPolicy, SummaryTemplate};
use crate::summary::prompt::SummaryPrompt;
use crate::transcript::Role;
use crate::transcript::summary_frame::unframe_summary;
use crate::transcript::view::{ContentPiece, TranscriptView};

/// The placeholder of an earlier summary in a template.
const PRIOR_SUMMARY: &str = "{prior_summary}";
/// The end of a tool result that is cut.
const TRUNCATED: &str = "[truncated]";

/// Returns the prompt for the messages of a hole. `mask` is applied to all text of the
/// conversation.
#[must_use]
pub(crate) fn summary_prompt(
    view: TranscriptView<'_, '_>,
    hole: &Hole,
    policy: &SummarizerPolicy,
    mask: fn(&str) -> String,
) -> SummaryPrompt {
    let earlier = hole
        .window
        .iter()
        .copied()
        .find(|&index| view.message(index).earlier_summary && !policy.merge_prompt.is_empty());
    let (template, window) = match earlier {
        None => (&policy.prompt, hole.window.clone()),
        Some(_) => (
            &policy.merge_prompt,
            hole.window
                .iter()
                .copied()
                .filter(|&index| !view.message(index).earlier_summary)
                .collect(),
        ),
    };
    let prior = earlier.map(|index| {
        let text = match &hole.first_text {
            Some(text) if hole.window.first() == Some(&index) => text.clone(),
            _ => view.joined_text(index, "").into_owned(),
        };
        mask(unframe_summary(&text))
    });
    // Only a part of the first message may be in the hole. An earlier summary that was taken out is
    // no longer the first.
    let first_text = hole
        .first_text
        .as_deref()
        .filter(|_| window.first() == hole.window.first());
    let messages = match policy.template {
        SummaryTemplate::DeepAgents => history::render_history(view, &window, first_text),
        SummaryTemplate::OpenCode => {
            render_labelled(view, &window, first_text, policy.result_chars, mask)
        }
    };
    let prompt = SummaryPrompt::new(template, mask(&messages));
    match prior {
        Some(prior) => prompt.map_frame(|part| part.replace(PRIOR_SUMMARY, &prior)),
        None => prompt,
    }
}

/// Renders messages as labelled items, separated by empty lines. Results longer than `result_chars`
/// code points are cut, unless `result_chars` is 0.
fn render_labelled(
    view: TranscriptView<'_, '_>,
    window: &[usize],
    first_text: Option<&str>,
    result_chars: usize,
    mask: fn(&str) -> String,
) -> String {
    let mut items = Vec::new();
    for (position, &index) in window.iter().enumerate() {
        let message = view.message(index);
        let text = match first_text.filter(|_| position == 0) {
            Some(text) => text.to_owned(),
            None => message_text(view, index),
        };
        let label = match message.role {
            Role::User => "User",
            Role::Assistant => "Assistant",
            Role::System | Role::Developer => "System",
            Role::Tool | Role::Function if message.incomplete => "Tool error",
            Role::Tool | Role::Function => "Tool result",
        };
        // Masked before it is cut, because half a secret is not recognised.
        let text = if message.role.is_result() && !message.incomplete {
            truncate_result(mask(&text), result_chars)
        } else {
            text
        };
        if !text.is_empty() || message.role.is_result() {
            items.push(format!("[{label}]: {text}"));
        }
        for call in view.viewed_turn(index).calls {
            items.push(format!(
                "[Assistant tool call]: {}({})",
                call.name,
                String::from_utf8_lossy(&call.arguments)
            ));
        }
    }
    items.join("\n\n")
}

/// Returns the text of a message, with a placeholder for each part that is not text.
fn message_text(view: TranscriptView<'_, '_>, index: usize) -> String {
    let pieces = view
        .content_pieces(index)
        .into_iter()
        .map(|piece| match piece {
            ContentPiece::Literal(_) | ContentPiece::Text(_) => {
                piece.text().unwrap_or_default().into_owned()
            }
            ContentPiece::Image => "[Attached image]".to_owned(),
            ContentPiece::Other(_) => "[Attached file]".to_owned(),
        });
    pieces
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Cuts a text after `chars` code points, unless `chars` is 0.
fn truncate_result(mut text: String, chars: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(chars).filter(|_| chars > 0) {
        text.truncate(at);
        text.push_str(TRUNCATED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_results_above_the_limit_are_cut() {
        assert_eq!(truncate_result("éé".to_owned(), 2), "éé");
        assert_eq!(truncate_result("ééé".to_owned(), 2), "éé[truncated]");
        assert_eq!(truncate_result("ééé".to_owned(), 0), "ééé");
    }
}

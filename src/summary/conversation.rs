//! The conversation as a model reads it that is asked for a summary: in
//! LangChain's words, or as OpenCode serialises it (spec: opencode, A.1, "What
//! the summariser sees"), where an earlier summary may stand by itself.

use crate::archive::markdown;
use crate::plan::Hole;
use crate::policy::{SummarizerPolicy, Template};
use crate::summary::SummaryPrompt;
use crate::transcript::Role;
use crate::transcript::summary_frame::unframe_summary;
use crate::transcript::view::{ContentPiece, TranscriptView};

const PRIOR_SUMMARY: &str = "{prior_summary}";
/// What follows a tool result that is cut.
const TRUNCATED: &str = "[truncated]";

/// The prompt for what the hole holds; `masked` goes over all that is said in it.
#[must_use]
pub fn prompt(
    view: TranscriptView<'_, '_>,
    hole: &Hole,
    policy: &SummarizerPolicy,
    masked: fn(&str) -> String,
) -> SummaryPrompt {
    let text = |index: usize| match &hole.first_text {
        Some(text) if hole.window.first() == Some(&index) => text.clone(),
        _ => view.joined_text(index, "").into_owned(),
    };
    let earlier = hole
        .window
        .iter()
        .find(|&&index| view.message(index).earlier_summary && !policy.merge_prompt.is_empty());
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
    let prior = earlier.map(|&index| masked(unframe_summary(&text(index))));
    // The first message may be there in part only; an earlier summary that stands apart is not the first any more.
    let first_text = hole
        .first_text
        .as_deref()
        .filter(|_| window.first() == hole.window.first());
    let messages = match policy.template {
        Template::DeepAgents => markdown::render_history(view, &window, first_text),
        Template::OpenCode => serialise(view, &window, first_text, policy.result_chars, masked),
    };
    let prompt = SummaryPrompt::new(template, masked(&messages));
    match prior {
        Some(prior) => prompt.around(|part| part.replace(PRIOR_SUMMARY, &prior)),
        None => prompt,
    }
}

/// Labelled items with an empty line between them; results longer than `result_chars` code points are cut (0 = none).
fn serialise(
    view: TranscriptView<'_, '_>,
    window: &[usize],
    first_text: Option<&str>,
    result_chars: usize,
    masked: fn(&str) -> String,
) -> String {
    let mut items = Vec::new();
    for (place, &index) in window.iter().enumerate() {
        let message = view.message(index);
        let text = match first_text.filter(|_| place == 0) {
            Some(text) => text.to_owned(),
            None => said(view, index),
        };
        let label = match message.role {
            Role::User => "User",
            Role::Assistant => "Assistant",
            Role::System | Role::Developer => "System",
            Role::Tool | Role::Function if message.incomplete => "Tool error",
            Role::Tool | Role::Function => "Tool result",
        };
        // Masked before it is cut: half a secret is not recognised.
        let text = if message.role.is_result() && !message.incomplete {
            cut(masked(&text), result_chars)
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

/// The text of a message; what is no text is named.
fn said(view: TranscriptView<'_, '_>, index: usize) -> String {
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

fn cut(mut text: String, chars: usize) -> String {
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
    fn a_result_of_just_so_many_characters_is_not_cut() {
        assert_eq!(cut("éé".to_owned(), 2), "éé");
        assert_eq!(cut("ééé".to_owned(), 2), "éé[truncated]");
        assert_eq!(cut("ééé".to_owned(), 0), "ééé");
    }
}

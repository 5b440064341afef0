//! The conversation as a model reads it that is asked for a summary.
//!
//! LangChain's presets use the text of the history, and OpenCode's preset labels every message; see
//! `docs/reference/opencode.md`. In OpenCode's prompt an earlier summary has a place of its own.

use crate::deciding::plan::Hole;
use crate::deciding::policy::{ArchivePolicy, SummarizerPolicy, SummaryTemplate};
use crate::files::archive::history;
use crate::reading::transcript::summary_frame::unframe_summary;
use crate::reading::transcript::view::TranscriptView;
use crate::summary::labelled::LabelledMessages;
use crate::summary::summarizer::SummaryPrompt;

/// The placeholder of an earlier summary in a template.
const PRIOR_SUMMARY: &str = "{prior_summary}";

/// Returns the prompt for the messages of a hole. `mask` is applied to all text of the
/// conversation.
pub(crate) fn summary_prompt(
    view: TranscriptView<'_, '_>,
    hole: &Hole,
    policy: &SummarizerPolicy,
    archive: &ArchivePolicy,
    mask: fn(&str) -> String,
) -> SummaryPrompt {
    // The last summary is an answer, or a message of the user that holds it.
    let earlier = hole
        .window
        .iter()
        .copied()
        .rfind(|&index| view.message(index).earlier_summary && !policy.merge_prompt.is_empty());
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
        mask(unframe_summary(&text).trim())
    });
    // Only a part of the first message may be in the hole. An earlier summary that was taken out is
    // no longer the first.
    let first_text = hole.first_text.as_deref().filter(|_| window.first() == hole.window.first());
    let messages = match policy.template {
        SummaryTemplate::DeepAgents => history::render_history(view, &window, first_text, archive),
        SummaryTemplate::OpenCode => {
            let messages = LabelledMessages {
                view,
                window: &window,
                first_text,
                result_units: policy.result_chars,
                mask,
            };
            messages.render()
        }
    };
    let prompt = SummaryPrompt::new(template, mask(&messages));
    match prior {
        Some(prior) => prompt.map_frame(|part| part.replace(PRIOR_SUMMARY, &prior)),
        None => prompt,
    }
}

//! Which results dedup and cut may replace.

use crate::deciding::strategy::notice::is_notice_text;
use crate::deciding::strategy::placeholder::is_rendered_placeholder;
use crate::deciding::strategy::prelude::*;
use crate::deciding::strategy::prune::PLACEHOLDER;

/// The beginning of a reference to a later result with the same text.
pub(crate) const REPEATED: &str = "[Repeated: the same result is further down";
/// The beginning of a reference to a later result that shows the same thing anew.
pub(crate) const REPLACED: &str = "[Replaced: a newer result is further down";
/// The ends of the notes on what cut leaves out.
const NOTES: [&str; 4] =
    [" left out ...]", " more elements\"", " more keys\"", " more characters)\""];

/// Returns true for a result that is complete, all text, and that no edit has replaced yet.
pub(crate) fn is_replaceable_result(view: TranscriptView<'_, '_>, index: usize) -> bool {
    let message = view.message(index);
    message.role.is_result()
        && !message.incomplete
        && message.content_span.is_some()
        && message.content.is_all_text()
        && !view.overlay.results.contains_key(&index)
}

/// Returns true for a text that an earlier compaction left: a notice that names a file, the placeholder of a
/// cleared result, a reference, or a shortened text. It is neither shortened again nor compared with others,
/// from which it may differ in what is left out.
pub(crate) fn is_left_by_stage(text: &str, policy: &Policy) -> bool {
    let placeholder = policy.prune.placeholder.as_str();
    is_notice_text(text)
        || text == placeholder
        || text == PLACEHOLDER
        || is_rendered_placeholder(text, placeholder)
        || text.starts_with(REPEATED)
        || text.starts_with(REPLACED)
        || NOTES.iter().any(|note| text.contains(note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::policy::PRESETS;

    #[test]
    fn what_a_stage_left_is_known() {
        let mut policy = PRESETS[0].policy();
        policy.prune.placeholder = "[{lines} lines cleared]".to_owned();
        for text in [PLACEHOLDER, REPEATED, REPLACED, "a\n[... 4 lines left out ...]"] {
            assert!(is_left_by_stage(text, &policy), "{text}");
        }
        policy.prune.placeholder = "[cleared: {lines} lines]".to_owned();
        assert!(is_left_by_stage("[cleared: 12 lines]", &policy));
        policy.prune.placeholder = "[gone]".to_owned();
        assert!(is_left_by_stage("[gone]", &policy));
        assert!(!is_left_by_stage("[gone] is what it printed", &policy));
    }
}

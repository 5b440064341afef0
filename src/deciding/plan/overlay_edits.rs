//! The conversation as it reads with edits in place, without a change to its bytes.

use super::edit::{Edit, truncations};
use crate::reading::transcript::Transcript;
use crate::reading::transcript::overlay::Overlay;
use crate::reading::transcript::rewrite_arguments::{clear_call_arguments, rewrite_call_arguments};

/// Returns the texts that edits put in the place of the originals.
pub(crate) fn overlay_edits(transcript: &Transcript<'_>, edits: &[Edit]) -> Overlay {
    let mut overlay = Overlay::default();
    for edit in edits {
        match edit {
            Edit::Evict(eviction) => {
                overlay
                    .results
                    .insert(eviction.message, eviction.notice.clone());
                // Of two edits of one result the later is seen.
                overlay.cleared.remove(&eviction.message);
            }
            Edit::Prune(pruning) => {
                overlay
                    .results
                    .insert(pruning.message, pruning.placeholder.clone());
                overlay.cleared.insert(pruning.message);
            }
            Edit::Summarize(summary) => {
                if let Some(cut) = &summary.cut {
                    overlay.results.insert(cut.message, cut.text.clone());
                }
                for dropped in &summary.dropped {
                    overlay.dropped.insert(dropped.message, dropped.clone());
                }
            }
            Edit::Truncate(_) => {}
        }
    }
    // The truncations of one call are consecutive: its arguments are rewritten once.
    let mut truncations = truncations(edits).peekable();
    while let Some(first) = truncations.next() {
        let call = (first.message, first.call);
        let mut values = vec![(first.place, first.value.as_str())];
        while let Some(next) = truncations.next_if(|next| (next.message, next.call) == call) {
            values.push((next.place, &next.value));
        }
        if let Some(new) = rewrite_call_arguments(transcript, first.message, first.call, &values) {
            overlay.arguments.insert(call, new);
        }
    }
    for inputs in edits.iter().filter_map(|edit| match edit {
        Edit::Prune(pruning) => pruning.inputs.as_ref(),
        Edit::Evict(_) | Edit::Truncate(_) | Edit::Summarize(_) => None,
    }) {
        for &call in &inputs.calls {
            if let Some(new) = clear_call_arguments(transcript, inputs.message, call) {
                overlay.arguments.insert((inputs.message, call), new);
            }
        }
    }
    overlay
}

//! Identifiers that a summary could name, with their features: the data that the
//! weights of the embedded summarizer are fitted to.

use crate::retention::{FutureNeeds, SessionCut};
use crate::summary::extract::{FEATURE_NAMES, FULL_FEATURE, observe};
use crate::transcript::view::{TranscriptView, ViewedTurn};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// Renders every identifier before a cut as a line of JSON: its features, and whether it was needed
/// later.
pub(super) fn render_references(
    view: TranscriptView<'_, '_>,
    cut: SessionCut,
    needs: &FutureNeeds,
    thread_id: &str,
) -> String {
    let mut kept = viewed_turns(view, 0..cut.head);
    kept.extend(viewed_turns(view, cut.tail..cut.end));
    let mut lines = String::new();
    for reference in observe(&viewed_turns(view, cut.head..cut.tail), &kept) {
        let named = FEATURE_NAMES.iter().zip(reference.features);
        let features: Map<String, Value> = named
            .filter(|(_, value)| *value != 0)
            .map(|(name, value)| {
                let share = f64::from(value) / f64::from(FULL_FEATURE);
                ((*name).to_owned(), json!(share))
            })
            .collect();
        let row = json!({
            "thread_id": thread_id,
            "cut": cut.end,
            "needed": needs.references.contains(&reference.text.to_lowercase()),
            "bytes": reference.text.len(),
            "features": features,
        });
        lines.push_str(&row.to_string());
        lines.push('\n');
    }
    lines
}

fn viewed_turns<'v>(view: TranscriptView<'v, '_>, messages: Range<usize>) -> Vec<ViewedTurn<'v>> {
    messages.map(|index| view.viewed_turn(index)).collect()
}

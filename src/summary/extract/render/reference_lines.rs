//! Renders the references that no other section names.

use super::reference_groups::ReferenceGroups;
use super::token_budget::{TokenCount, TokenRate};
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::facts::path_roots::paths_below_root;
use crate::summary::extract::facts::ranking::ReferenceFloor;
use crate::summary::extract::facts::references::References;
use crate::summary::extract::labels::ROW_MARK;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::quotations::scan_quotations;

/// Maximum number of drafts of the references. A draft is corrected if its cost is off.
const MOST_DRAFTS: usize = 5;

/// Marks the references that a text names.
pub(super) fn mark_told(references: &mut References<'_>, text: &str) {
    for path in paths_below_root(text) {
        references.mark_told(&path);
    }
    scan_identifiers(text, TextEncoding::Plain, &mut |identifier, _, _| {
        references.mark_told(identifier)
    });
    scan_quotations(text, &mut |quoted, _| references.mark_told(quoted));
    references.mark_spelled(text);
    // A row tells all its values, also two numbers side by side.
    let rows = text.lines().filter(|line| line.starts_with(ROW_MARK));
    for value in rows.flat_map(|row| row.split([' ', '|', ';', ',', '(', ')', '/'])) {
        references.mark_told(value);
    }
}

/// Renders the references in at most `tokens` tokens. Drafts them at the expected `rate`, counts
/// the tokens, and corrects the draft.
pub(super) fn render_references(
    references: &References<'_>,
    tokens: usize,
    floor: ReferenceFloor,
    rate: TokenRate,
    count: TokenCount<'_>,
) -> String {
    let mut best = String::new();
    if SummaryRule::References.is_off() {
        return best;
    }
    let mut room = rate.bytes_for(tokens);
    // A reference costs at least a token.
    let ranked = references.ranked_indices(tokens, floor, count);
    let mut groups = ReferenceGroups::new(references, &ranked);
    for _ in 0..MOST_DRAFTS {
        let draft = groups.render(room);
        let cost = count(&draft.text);
        if cost > tokens {
            room = (draft.text.len() * tokens / cost).min(room - 1) * 49 / 50;
            continue;
        }
        let is_enough =
            draft.is_complete || cost * 100 >= tokens * 98 || draft.text.len() <= best.len();
        if draft.text.len() >= best.len() {
            best = draft.text;
        }
        if is_enough {
            break;
        }
        room = (room * tokens / cost.max(1)).min(room * 4);
    }
    best
}

//! Tells what a message lists as expected, or as something to try: nobody has seen it yet.

use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::plan_words::UNTRIED_HEADING_WORDS;
use std::sync::LazyLock;

/// The most lines above an item that are searched for its heading.
const MOST_LINES: usize = 30;
/// Maximum length in bytes of a heading.
const LONGEST_HEADING: usize = 100;

/// Returns true if the line at byte `place` of a text stands below a heading like `Success indicators:`.
pub(super) fn is_expected_at(text: &str, place: usize) -> bool {
    let start = text[..place].rfind('\n').map_or(0, |end| end + 1);
    let above = text[..start].lines().rev().take(MOST_LINES);
    let heading = above.map(str::trim).find(|line| heads_section(line));
    heading.is_some_and(|heading| UNTRIED_HEADINGS.has_words(heading))
}

/// Returns true for a line that only names what stands below it: `## Risks`, `**Risks**`, `Watch for:`.
fn heads_section(line: &str) -> bool {
    let is_stressed = line.len() > 4 && line.starts_with("**") && line.ends_with("**");
    let is_lead_in = line.ends_with([':', '：']) || line.ends_with(":**");
    let is_item = line.starts_with(['-', '•']) || line.starts_with("* ");
    line.len() <= LONGEST_HEADING
        && (line.starts_with('#') || is_stressed || (is_lead_in && !is_item))
}

/// Searches for the words of such a heading.
static UNTRIED_HEADINGS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[UNTRIED_HEADING_WORDS]));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_heading_tells_what_is_expected() {
        let text = "## How to test\nOpen the gate.\n\n**Success indicators**:\n- The wheel turns\n\nResult:\n- The valve leaks\n";
        let is_expected = |part: &str| is_expected_at(text, text.find(part).unwrap());
        assert!(is_expected("Open the gate"));
        assert!(is_expected("The wheel"));
        assert!(!is_expected("The valve"));
        assert!(!is_expected("## How"));
    }
}

//! Finds where an assistant says that a fault lies: the items `Buggy File: src/a.py`, `Buggy Method: run`.

use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lexicon::finding_words::CULPRIT_LABELS;

/// The most items that are told, and the longest item in bytes.
const MOST_ITEMS: usize = 4;
const LONGEST_ITEM: usize = 140;
/// Between items.
const BETWEEN: &str = "; ";

/// Returns the items of a message that name the place of a fault, in a line. Returns `None` if there is none.
pub(super) fn culprits_in(text: &str) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| line.len() <= LONGEST_ITEM) {
        let item = line
            .trim_start_matches(|c: char| c.is_ascii_digit() || " \t-*.•#".contains(c))
            .replace("**", "");
        let Some((label, name)) = item.split_once(": ") else {
            continue;
        };
        let lower = label.to_ascii_lowercase();
        let is_culprit = CULPRIT_LABELS.iter().any(|words| lower.starts_with(words));
        if is_culprit && name.contains('`') && told.len() < MOST_ITEMS {
            let item = fold_line(&item, LONGEST_ITEM).into_owned();
            if !told.contains(&item) {
                told.push(item);
            }
        }
    }
    (!told.is_empty()).then(|| told.join(BETWEEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_of_a_fault_are_told_in_a_line() {
        let text = "It is clear:\n- **Buggy File:** `src/pump.py`\n  - **Reason**: It leaks.\n1. **Buggy Method**: `Pump.run`\n- Buggy style: none\n";
        assert_eq!(
            culprits_in(text).unwrap(),
            "Buggy File: `src/pump.py`; Buggy Method: `Pump.run`"
        );
        assert!(culprits_in("The buggy file is old: `a.py`").is_none());
    }
}

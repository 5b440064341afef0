//! Tells the numbered sections of a request, `ISSUE 2: the pump leaks`, so that none of them is left out.

use super::request_parts::RequestPart;
use crate::summary::extract::lexicon::sentence_words::SECTION_WORDS;
use std::ops::Range;

/// Minimum number of sections of a request that is written section by section.
const LEAST_SECTIONS: usize = 3;
/// Maximum length in bytes of the heading of a section.
const LONGEST_HEADING: usize = 110;

/// Returns true for the heading of a numbered section: `ISSUE 2 - the pump leaks`, `## Task 3: oil it`.
pub(super) fn is_numbered_section(line: &str) -> bool {
    let line = line.trim_start_matches(['#', '*', '_', ' ']);
    let Some((word, rest)) = line.split_once(' ') else {
        return false;
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_bounded = rest[digits..]
        .chars()
        .next()
        .is_none_or(|next| !next.is_alphanumeric() && next != '.');
    line.len() <= LONGEST_HEADING
        && !line.ends_with(['.', '?', '!'])
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && SECTION_WORDS
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
        && (1..=2).contains(&digits)
        && is_bounded
}

/// Returns true for a request that begins with the prompt of a shell: what a program printed, pasted as it is.
pub(super) fn is_pasted(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let is_drive =
        matches!(first.as_bytes(), [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic());
    (is_drive && first.contains('>')) || PROMPTS.iter().any(|prompt| first.starts_with(prompt))
}

/// The beginnings of prompts of shells.
const PROMPTS: [&str; 3] = ["PS C:", "PS D:", "$ "];

/// Returns the ranges of the parts of the numbered sections, each with its heading. Empty if there are too few.
pub(super) fn sections_of(parts: &[RequestPart<'_>]) -> Vec<Range<usize>> {
    let starts: Vec<usize> = (0..parts.len())
        .filter(|&at| parts[at].is_heading && is_numbered_section(parts[at].text))
        .collect();
    if starts.len() < LEAST_SECTIONS {
        return Vec::new();
    }
    let ends = starts.iter().skip(1).copied().chain([parts.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::render::long_requests::fold_request;

    #[test]
    fn a_section_has_a_word_and_a_number() {
        for line in [
            "ISSUE 1 — No pump",
            "## Task 12: oil it",
            "**Step 3**",
            "Phase 2",
        ] {
            assert!(is_numbered_section(line), "{line}");
        }
        for line in [
            "Issue 1 is older.",
            "step 3",
            "The 3 pumps",
            "Part 1.5",
            "Issues 3",
        ] {
            assert!(!is_numbered_section(line), "{line}");
        }
    }

    #[test]
    fn what_was_pasted_begins_with_a_prompt() {
        assert!(is_pasted("C:\\mill>pump run\nit leaks") && is_pasted("$ pump run\nit leaks"));
        assert!(!is_pasted("Run pump > log\n$ pump"));
        // A quotation of Markdown is no prompt.
        assert!(!is_pasted("> The pump leaks.\nMend it."));
    }

    #[test]
    fn no_section_of_a_request_is_left_out() {
        let section = |number: usize| {
            format!(
                "ISSUE {number} - HIGH: pump {number} leaks\n\nThe pump of the mill stands in the river and nobody saw it since spring. It may be that the wheel is wet, too.\n\nFix: Close valve {number} before the wheel turns, and open it again when the miller says so. Tell the miller what was done, and write it into the book of the mill.\n"
            )
        };
        let text = format!(
            "Fix all of these.\n\n{}",
            (1..6).map(section).collect::<String>()
        );
        for room in [700, 900, 1100] {
            let block = fold_request("", "  ", &text, room).unwrap();
            for number in 1..6 {
                assert!(
                    block.text.contains(&format!("ISSUE {number}"))
                        && block.text.contains(&format!("Close valve {number}")),
                    "{room}: {}",
                    block.text
                );
            }
            assert!(block.text.len() <= room, "{room}");
        }
    }
}

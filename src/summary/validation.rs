//! The rules that a summary must keep.
//!
//! An answer that breaks a rule is a failure and is never used: a text about an
//! error must not replace a conversation.

use crate::summary::error::SummaryError;

/// Removes the white space that Python's `str.strip` removes from both ends of a summary. Fails if
/// nothing is left.
pub(crate) fn clean_summary(text: &str) -> Result<String, SummaryError> {
    let clean =
        text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c));
    if clean.is_empty() { Err(SummaryError::Empty) } else { Ok(clean.to_owned()) }
}

/// Checks a model's answer as the summary of a conversation of `chars` code points. Returns the
/// summary. Fails if the text is empty, longer than the conversation, or lacks one of `headings`.
pub(super) fn check_summary(
    text: &str,
    chars: usize,
    headings: &[String],
) -> Result<String, SummaryError> {
    let text = clean_summary(without_thoughts(text))?;
    let length = text.chars().count();
    if length > chars {
        return Err(SummaryError::TooLong { length, replaced: chars });
    }
    match headings.iter().find(|heading| !has_heading(&text, heading)) {
        Some(missing) => Err(SummaryError::MissingHeading(missing.clone())),
        None => Ok(text),
    }
}

fn has_heading(text: &str, heading: &str) -> bool {
    text.lines().any(|line| heading_text(line).eq_ignore_ascii_case(heading_text(heading)))
}

/// Returns a line without the marks of a heading, as in `## SUMMARY` and `**Summary:**`.
fn heading_text(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || "#*_:".contains(c))
}

/// Removes the model's thoughts, which some servers leave at the start of an answer.
fn without_thoughts(text: &str) -> &str {
    let thoughts = text.trim_start().strip_prefix("<think>");
    thoughts.and_then(|rest| rest.split_once("</think>")).map_or(text, |(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_that_breaks_a_rule_is_an_error() {
        let headings = ["SUMMARY".to_owned(), "NEXT STEPS".to_owned()];
        let good = "## Summary\nBooked.\n\n**NEXT STEPS:**\nNone";
        assert_eq!(check_summary(good, 100, &headings), Ok(good.to_owned()));
        assert_eq!(check_summary(" \n", 100, &[]), Err(SummaryError::Empty));
        assert_eq!(
            check_summary("<think>x</think>", 100, &[]).map_err(|error| error.to_string()),
            Err("the summary is empty".to_owned())
        );
        assert!(
            check_summary("12345", 4, &[])
                .unwrap_err()
                .to_string()
                .contains("longer than what it replaces")
        );
        assert!(
            check_summary("## SUMMARY\nin NEXT STEPS", 100, &headings)
                .unwrap_err()
                .to_string()
                .contains("\"NEXT STEPS\"")
        );
    }

    #[test]
    fn thoughts_are_removed() {
        assert_eq!(check_summary("<think>hm</think>\n\nDone.", 100, &[]), Ok("Done.".to_owned()));
        assert_eq!(check_summary("a <think>", 100, &[]), Ok("a <think>".to_owned()));
    }
}

//! What counts as a summary. Whatever breaks a rule is a failed summary, never
//! one that is used: a text about an error must not replace a conversation.

use crate::summary::clean_summary;

/// What a server sent back, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReply {
    /// The model's text; or why it is none: cut off, refused, not text.
    pub text: Result<String, String>,
    /// Tokens of the question, as the server reported them.
    pub input_tokens: u64,
    /// Tokens of the answer, as the server reported them.
    pub output_tokens: u64,
}

/// The text as a summary of `chars` code points of conversation.
///
/// # Errors
/// Which rule it breaks: empty, longer than what it replaces, or without a heading that was demanded.
pub fn check_summary(text: &str, chars: usize, headings: &[String]) -> Result<String, String> {
    let text = clean_summary(without_thoughts(text))?;
    let length = text.chars().count();
    if length > chars {
        return Err(format!(
            "the summary is longer than what it replaces: {length} characters for {chars}"
        ));
    }
    let has = |heading: &&String| {
        !text
            .lines()
            .any(|line| bare(line).eq_ignore_ascii_case(bare(heading)))
    };
    match headings.iter().find(has) {
        Some(missing) => Err(format!("the summary lacks the heading {missing:?}")),
        None => Ok(text),
    }
}

/// A line without what makes it a heading: `## SUMMARY`, `**Summary:**`.
fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || "#*_:".contains(c))
}

/// Some servers leave a model's thoughts in its answer.
fn without_thoughts(text: &str) -> &str {
    let thoughts = text.trim_start().strip_prefix("<think>");
    thoughts
        .and_then(|rest| rest.split_once("</think>"))
        .map_or(text, |(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_summary() {
        let headings = ["SUMMARY".to_owned(), "NEXT STEPS".to_owned()];
        let good = "## Summary\nBooked.\n\n**NEXT STEPS:**\nNone";
        assert_eq!(check_summary(good, 100, &headings), Ok(good.to_owned()));
        assert_eq!(
            check_summary(" \n", 100, &[]),
            Err("the summary is empty".to_owned())
        );
        assert_eq!(
            check_summary("<think>x</think>", 100, &[]),
            Err("the summary is empty".to_owned())
        );
        assert!(
            check_summary("12345", 4, &[])
                .unwrap_err()
                .contains("longer than what it replaces")
        );
        assert!(
            check_summary("## SUMMARY\nin NEXT STEPS", 100, &headings)
                .unwrap_err()
                .contains("\"NEXT STEPS\"")
        );
    }

    #[test]
    fn thoughts_are_not_part_of_it() {
        assert_eq!(
            check_summary("<think>hm</think>\n\nDone.", 100, &[]),
            Ok("Done.".to_owned())
        );
        assert_eq!(
            check_summary("a <think>", 100, &[]),
            Ok("a <think>".to_owned())
        );
    }
}

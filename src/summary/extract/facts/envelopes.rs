//! Takes a request out of what a harness or an IDE puts around it.

use crate::summary::extract::lexicon::message_marks::{
    ANSWERED_TOOLS, HARNESS_SECTIONS, INJECTED_TAGS, MESSAGE_ENVELOPES,
};
use crate::transcript::envelopes::strip_envelope;

/// Minimum length in bytes of a request in an envelope. Shorter text between tags is a mention.
const LEAST_ENVELOPED: usize = 10;
/// The heading of a file with instructions that stands before a request.
const INSTRUCTIONS_HEADING: &str = "# AGENTS.md instructions";
/// The end of such a file.
const INSTRUCTIONS_END: &str = "</INSTRUCTIONS>";

/// Returns the user's words in a message: what stands in a known envelope, else the text without
/// the blocks that a harness put before and behind it. Empty if the harness wrote all of it.
pub(crate) fn unwrap_request(text: &str) -> &str {
    if let Some(answer) = answer_in(text) {
        return answer;
    }
    let text = strip_injected(strip_sections(strip_prompt(text.trim())).trim_end());
    let request = strip_envelope(text);
    if request.len() < text.len() {
        return strip_injected(request);
    }
    MESSAGE_ENVELOPES
        .iter()
        .filter_map(|(open, close)| text_between(text, open, close))
        .map(str::trim)
        .find(|words| words.len() > LEAST_ENVELOPED)
        .map_or(text, strip_injected)
}

/// Returns what the user answered in the result of a tool that asks.
pub(crate) fn answer_in(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if !ANSWERED_TOOLS.iter().any(|tool| text.starts_with(tool)) {
        return None;
    }
    // What the tool was asked to say may hold such tags, too.
    let result = text.rsplit_once(RESULT).map_or(text, |(_, result)| result);
    let mut words = (MESSAGE_ENVELOPES.iter())
        .filter_map(|(open, close)| {
            text_between(result, &format!("\n{open}\n"), &format!("\n{close}"))
        })
        .map(str::trim);
    words.find(|words| !words.is_empty())
}

/// The end of the heading of a result of Cline's tools.
const RESULT: &str = "] Result:";

/// Returns a text before the sections that a harness adds to it.
pub(crate) fn strip_sections(text: &str) -> &str {
    let starts = HARNESS_SECTIONS.iter();
    let starts =
        starts.filter_map(|heading| memchr::memmem::find(text.as_bytes(), heading.as_bytes()));
    starts.min().map_or(text, |start| &text[..start])
}

/// The prompt of SWE-agent's shell, and the beginnings of the lines before it.
const PROMPT: &str = "bash-$";
const PLACE_LINES: [&str; 2] = ["(Open file:", "(Current directory:"];

/// Strips the lines that a shell writes behind a request.
fn strip_prompt(mut text: &str) -> &str {
    while let Some((before, last)) = text.rsplit_once('\n')
        && (last.trim() == PROMPT || PLACE_LINES.iter().any(|line| last.trim().starts_with(line)))
    {
        text = before.trim_end();
    }
    text
}

/// Returns the text between two marks.
fn text_between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let start = memchr::memmem::find(text.as_bytes(), open.as_bytes())? + open.len();
    let length = memchr::memmem::find(&text.as_bytes()[start..], close.as_bytes())?;
    Some(&text[start..start + length])
}

/// Strips the blocks in known tags from both ends of a text.
fn strip_injected(mut text: &str) -> &str {
    loop {
        let stripped = strip_first_block(text).trim();
        let stripped = strip_last_block(stripped).trim();
        if stripped.len() == text.len() {
            return text;
        }
        text = stripped;
    }
}

fn strip_first_block(text: &str) -> &str {
    if text.starts_with(INSTRUCTIONS_HEADING)
        && let Some((_, rest)) = text.split_once(INSTRUCTIONS_END)
    {
        return rest;
    }
    let Some(after) = text.strip_prefix('<') else {
        return text;
    };
    let Some(tag) = INJECTED_TAGS.iter().find(|tag| starts_with_tag(after, tag)) else {
        return text;
    };
    let close = closing_tag(tag);
    match after.find(&close) {
        Some(at) => &after[at + close.len()..],
        None => text,
    }
}

fn strip_last_block(text: &str) -> &str {
    if !text.ends_with('>') {
        return text;
    }
    let Some((tag, close)) = INJECTED_TAGS
        .iter()
        .map(|tag| (*tag, closing_tag(tag)))
        .find(|(_, close)| text.ends_with(close.as_str()))
    else {
        return text;
    };
    let before = &text[..text.len() - close.len()];
    memchr::memmem::rfind(before.as_bytes(), format!("<{tag}").as_bytes())
        .map_or(text, |at| &before[..at])
}

fn starts_with_tag(text: &str, tag: &str) -> bool {
    text.strip_prefix(tag)
        .is_some_and(|rest| rest.starts_with(['>', ' ', '\n']))
}

fn closing_tag(tag: &str) -> String {
    format!("</{tag}>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::envelopes::REQUEST_ENVELOPES;

    #[test]
    fn every_envelope_is_taken_off() {
        let request = "Mend the pump, and never push.";
        let known = REQUEST_ENVELOPES
            .iter()
            .map(|envelope| (envelope.open, envelope.close.unwrap_or_default()));
        for (open, close) in known.chain(MESSAGE_ENVELOPES.iter().copied()) {
            let text = format!(
                "Here is a repository in /srv.\n{open}\n{request}\n{close}\nFollow these steps:\n1. look"
            );
            let wanted = if close.is_empty() {
                format!("{request}\n\nFollow these steps:\n1. look")
            } else {
                request.to_owned()
            };
            assert_eq!(unwrap_request(&text), wanted, "{open}");
        }
    }

    #[test]
    fn injected_blocks_are_stripped_from_both_ends() {
        for tag in INJECTED_TAGS {
            let block = format!("<{tag}>\nMode: act\n</{tag}>");
            assert_eq!(unwrap_request(&format!("{block}\n\nFix it")), "Fix it");
            assert_eq!(unwrap_request(&format!("Fix it\n{block}")), "Fix it");
            assert_eq!(unwrap_request(&block), "");
        }
        let text = "# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>\nuse tabs\n</INSTRUCTIONS>\n<environment_context>\nx\n</environment_context>\nFix it";
        assert_eq!(unwrap_request(text), "Fix it");
    }

    #[test]
    fn an_answer_to_a_tool_is_the_users() {
        for text in [
            "[ask_followup_question for 'Shall I?'] Result:\n<answer>\nyes\n</answer>\n<environment_details>\nx\n</environment_details>",
            "[attempt_completion] Result: Done\nThe user has provided feedback.\n<feedback>\nyes\n</feedback>",
            "[TASK RESUMPTION] This task was interrupted just now.\n<user_message>\nyes\n</user_message>\n\n# task_progress RECOMMENDED\n1. Do",
        ] {
            assert_eq!(unwrap_request(text), "yes", "{text}");
        }
        let text =
            "Mend the pump\n\n# task_progress List (Optional - Plan Mode)\n\n1. Review each item";
        assert_eq!(unwrap_request(text), "Mend the pump");
    }

    #[test]
    fn a_mention_of_a_tag_is_no_envelope() {
        for text in [
            "What does <task>x</task> mean?",
            "<task> is open",
            "Rename <issue> to <bug>",
            "",
            "<environment_context> is what I mean",
        ] {
            assert_eq!(unwrap_request(text), text);
        }
    }
}

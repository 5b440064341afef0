//! Tells what of a message in the user's name the user said. In doubt it is the user's: the inside of
//! an envelope and the text around it both are.

use crate::reading::transcript::envelopes::strip_envelope;
use crate::summary::extract::lexicon::{
    HARNESS_SECTIONS, HARNESS_TAGS, NOTICES, OUTPUTS, SUMMARY_OPENINGS,
};
use crate::summary::extract::prelude::*;

/// A part of a message of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestPart<'t> {
    pub text: &'t str,
    /// True for the text around a known envelope: often, but not always, a harness's.
    pub is_around: bool,
}

/// The origin of a message in the user's name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UserMessage<'t> {
    /// The user's words.
    Request(Vec<RequestPart<'t>>),
    Output,
    /// A summary that an agent left.
    Summary,
    /// A harness's words.
    Notice,
}

/// Longest prompt of a shell in bytes.
const LONGEST_PROMPT: usize = 80;
/// Longest heading of a result in bytes.
const LONGEST_HEADING: usize = 300;
/// Longest command to a harness in bytes.
const LONGEST_COMMAND: usize = 20;

/// Classifies a message in the user's name. It is the output of a call only if there was one.
pub(crate) fn read_user_message(text: &str, has_calls: bool) -> UserMessage<'_> {
    let text = text.trim();
    if begins_with_any(text, SUMMARY_OPENINGS) {
        return UserMessage::Summary;
    }
    if has_calls && is_output(text) {
        return UserMessage::Output;
    }
    if begins_with_any(text, NOTICES) || is_harness_command(text) {
        return UserMessage::Notice;
    }
    let mut parts = Vec::new();
    push_user_parts(text, &mut parts);
    if parts.is_empty() { UserMessage::Notice } else { UserMessage::Request(parts) }
}

fn begins_with_any(text: &str, openings: &[&str]) -> bool {
    openings.iter().any(|opening| text.starts_with(opening))
}

fn is_output(text: &str) -> bool {
    if begins_with_any(text, OUTPUTS) {
        return true;
    }
    let last = text.rsplit('\n').next().unwrap_or(text);
    let ends_with_prompt = strip_envelope(text).len() == text.len()
        && last.len() < text.len()
        && last.len() <= LONGEST_PROMPT
        && last.ends_with(['$', '#'])
        && (last.starts_with("bash-") || last.starts_with("root@"));
    ends_with_prompt || is_tool_heading(text)
}

/// Returns true for the heading of a result: `[read_file for 'a.rs'] Result:`.
fn is_tool_heading(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('[') else {
        return false;
    };
    let near = &inner[..floor_char(inner, LONGEST_HEADING)];
    let name = near.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'_').count();
    name > 2
        && (near[name..].starts_with("] Result:")
            || near[name..].starts_with(" for '") && near.contains("] Result:"))
}

/// Returns true if the text is a command to the harness and nothing else: `/mode`.
fn is_harness_command(text: &str) -> bool {
    let name = text.strip_prefix('/').unwrap_or_default();
    !name.is_empty()
        && name.len() <= LONGEST_COMMAND
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Pushes the user's words: the text without blocks of a harness, and what an envelope holds apart
/// from what is around it.
fn push_user_parts<'t>(text: &'t str, parts: &mut Vec<RequestPart<'t>>) {
    let text = without_harness_end(text);
    let core = strip_envelope(text);
    let has_envelope = core.len() < text.len() && !core.is_empty();
    if !has_envelope {
        push_without_blocks(text, false, parts);
        return;
    }
    let start = core.as_ptr() as usize - text.as_ptr() as usize;
    push_without_blocks(&text[..start], true, parts);
    push_without_blocks(core, false, parts);
    push_without_blocks(&text[start + core.len()..], true, parts);
}

/// Returns a text without the prompt of a shell behind it.
fn without_harness_end(text: &str) -> &str {
    let mut text = text;
    while let Some((before, last)) = text.trim_end().rsplit_once('\n')
        && is_furniture(last.trim())
    {
        text = before;
    }
    text
}

/// Pushes a text without the blocks that a harness wrote.
fn push_without_blocks<'t>(text: &'t str, is_around: bool, parts: &mut Vec<RequestPart<'t>>) {
    let mut push = |text: &'t str| {
        if text.chars().any(char::is_alphanumeric) {
            parts.push(RequestPart { text, is_around });
        }
    };
    let mut rest = text;
    if let Some((before, behind)) = split_section(text) {
        push(before);
        rest = behind;
    }
    let mut searched = 0;
    while let Some(at) = memchr::memchr(b'<', &rest.as_bytes()[searched..]).map(|at| searched + at)
    {
        let Some(end) = harness_block_end(&rest[at..]) else {
            searched = at + 1;
            continue;
        };
        push(&rest[..at]);
        rest = &rest[at + end..];
        searched = 0;
    }
    push(rest);
}

/// Splits a text at a section that a harness adds in front of one of its blocks.
fn split_section(text: &str) -> Option<(&str, &str)> {
    let starts = HARNESS_SECTIONS
        .iter()
        .filter_map(|heading| memchr::memmem::find(text.as_bytes(), heading.as_bytes()));
    let start = starts.min()?;
    let mut blocks = text[start..].match_indices('<').map(|(at, _)| start + at);
    let block = blocks.find(|&at| harness_block_end(&text[at..]).is_some())?;
    Some((&text[..start], &text[block..]))
}

/// Returns the end of the block of a harness that a text begins with.
fn harness_block_end(text: &str) -> Option<usize> {
    let inner = &text[1..];
    let tag = HARNESS_TAGS.iter().find(|tag| {
        inner.strip_prefix(**tag).is_some_and(|rest| rest.starts_with(['>', ' ', '\n']))
    })?;
    let close = ["</", tag, ">"].concat();
    // A block that nothing ends may hold the user's words: only its tag goes.
    let end = memchr::memmem::find(text.as_bytes(), close.as_bytes())?;
    Some(end + close.len())
}

/// Returns true for a line that is only a tag.
pub(crate) fn is_tag_line(line: &str) -> bool {
    line.starts_with('<')
        && line.ends_with('>')
        && !line.contains(' ')
        && line.len() <= LONGEST_PROMPT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(message: &str) -> Vec<&str> {
        match read_user_message(message, true) {
            UserMessage::Request(parts) => parts.iter().map(|part| part.text.trim()).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn what_stands_in_and_around_an_envelope_is_the_users() {
        let text = "Never push.\n<task>\nMend the pump now.\n</task>\nUse tabs.";
        let parts = ["Never push.\n<task>", "Mend the pump now.", "</task>\nUse tabs."];
        assert_eq!(texts(text), parts);
        let text = "<wish>\nMend it\n</wish> soon";
        assert_eq!(texts(text), [text]);
    }

    #[test]
    fn blocks_of_a_harness_are_left_out() {
        let text = "<environment_context>\n<cwd>/srv</cwd>\n</environment_context>Mend it.<system-reminder>x</system-reminder>";
        assert_eq!(texts(text), ["Mend it."]);
        let only = read_user_message("<system-reminder>x</system-reminder>", true);
        assert_eq!(only, UserMessage::Notice);
        let open = "<environment_details> Mend it.";
        assert_eq!(texts(open), [open]);
    }

    #[test]
    fn outputs_and_notices_are_told_apart() {
        for text in [
            "OBSERVATION:\na",
            "a\nbash-$",
            "[read_file for 'a.rs'] Result:\nx",
            "<returncode>0</returncode>",
        ] {
            assert_eq!(read_user_message(text, true), UserMessage::Output, "{text}");
        }
        for text in ["/clear", "[Request interrupted by user]"] {
            assert_eq!(read_user_message(text, true), UserMessage::Notice, "{text}");
        }
        assert_eq!(texts("/srv/data/in.csv"), ["/srv/data/in.csv"]);
    }
}

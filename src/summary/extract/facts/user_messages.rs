//! Classifies messages in the user's name. A harness puts notices into the
//! conversation there, and outputs if its format has no other place for them.
//!
//! Known are Claude Code (command and caveat messages), Codex (context messages),
//! pi (`!` commands), SWE-agent (observations that end with a prompt or begin with
//! their name), OpenHands (results of calls in tags), mini-swe-agent (results in
//! tags), Cline (`[read_file for 'a.rs'] Result:`) and AutoCodeRover (`Result of
//! search_code(…):`). Any other message is the user's.

use super::called_skills::CalledSkill;
use super::envelopes::{answer_in, unwrap_request};
use crate::summary::extract::lex::result_text::tool_heading;
use crate::summary::extract::lexicon::message_marks::{
    INJECTED_TAGS, NOTICE_ADVICE, NOTICE_OPENINGS, NOTICE_TAGS, OUTPUT_OPENINGS, PROMPT_OPENINGS,
    SETTING_COMMANDS, TAGGED_TOOLS, WHOLE_OUTPUTS,
};

/// Maximum length of a prompt in bytes.
const LONGEST_PROMPT: usize = 80;
/// Maximum length in bytes of the name of a command to the harness.
const LONGEST_COMMAND: usize = 20;

/// The origin of a message in the user's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UserMessageKind {
    /// The user's words.
    Request,
    /// A notice of a harness, neither goal nor request.
    Notice,
    /// The output of a command of the harness or of the user.
    CommandOutput,
}

/// Classifies a message in the user's name.
pub(crate) fn classify_user_message(text: &str) -> UserMessageKind {
    let text = text.trim();
    if answer_in(text).is_some() {
        return UserMessageKind::Request;
    }
    let words = unwrap_request(text);
    let opens_notice = (NOTICE_OPENINGS.iter()).any(|opening| text.starts_with(opening));
    if (opens_notice && !text.contains(REQUEST_TAG))
        || is_tagged_notice(text)
        || is_harness_command(text)
        || is_fetched_page(text)
        || words.is_empty()
        || NOTICE_ADVICE.contains(&words.trim())
    {
        UserMessageKind::Notice
    } else if ends_with_prompt(text)
        || is_tool_heading(text)
        || WHOLE_OUTPUTS.contains(&text)
        || OUTPUT_OPENINGS
            .iter()
            .any(|opening| text.starts_with(opening))
    {
        UserMessageKind::CommandOutput
    } else {
        UserMessageKind::Request
    }
}

/// The tag before the user's words in a message of Antigravity.
const REQUEST_TAG: &str = "<USER_REQUEST>";

/// Returns true for a result at the beginning of a log that was cut, in the form of Antigravity: nobody asks so.
pub(super) fn is_cut_result(text: &str) -> bool {
    let lines: Vec<&str> = text.trim_start().lines().take(3).collect();
    matches!(lines[..], [created, completed, _]
        if created.starts_with(CREATED) && completed.starts_with(COMPLETED))
}

/// How the first two lines of such a result begin.
const CREATED: &str = "Created At: 20";
const COMPLETED: &str = "Completed At: 20";

/// Returns true if a known tag opens the text and a tag ends it. A command with arguments is a
/// request.
fn is_tagged_notice(text: &str) -> bool {
    let Some((name, _)) = text
        .strip_prefix('<')
        .and_then(|rest| rest.split_once(['>', ' ']))
    else {
        return false;
    };
    // What a harness puts before the user's words is stripped by `unwrap_request`.
    NOTICE_TAGS.contains(&name)
        && !INJECTED_TAGS.contains(&name)
        && text.ends_with('>')
        && CalledSkill::from_message(text).is_none()
}

/// Returns true for a page that a harness fetched for an address in the user's message: with its address
/// and type before it, or HTML without a word around it.
fn is_fetched_page(text: &str) -> bool {
    if let Some((address, rest)) = text.split_once('\n')
        && address.starts_with("URL: http")
    {
        return rest.starts_with("Content-Type: ");
    }
    let begins_with = |tag: &str| {
        (text.as_bytes().get(..tag.len()))
            .is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
    };
    // A short page need not close its tags.
    let is_all_tags = || text.lines().all(|line| line.trim_start().starts_with('<'));
    HTML_OPENINGS.iter().any(|tag| begins_with(tag))
        && (text.trim_end().ends_with(HTML_END) || is_all_tags())
}

/// How a page begins, and how it ends.
const HTML_OPENINGS: [&str; 2] = ["<!doctype html", "<html"];
const HTML_END: &str = "</html>";

/// Returns true for a command that sets how the harness works, whatever its arguments.
pub(super) fn is_setting_command(name: &str) -> bool {
    SETTING_COMMANDS.contains(&name)
}

/// Returns true if the text is a command to the harness and nothing else: `/mode`.
fn is_harness_command(text: &str) -> bool {
    let name = text.strip_prefix('/').unwrap_or_default();
    !name.is_empty()
        && name.len() <= LONGEST_COMMAND
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Returns true for the heading of a result: `[read_file for 'a.rs'] Result:`, `[bash] Result:`.
/// What a call was made for may have several lines.
fn is_tool_heading(text: &str) -> bool {
    let Some(heading) = tool_heading(text) else {
        return false;
    };
    let name = heading.split(' ').next().unwrap_or_default();
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    let is_short = !heading.contains('\n');
    let is_call = TAGGED_TOOLS.contains(&name) && heading[name.len()..].starts_with(" for '");
    !name.is_empty() && name.bytes().all(is_name) && (is_short || is_call)
}

/// Returns true if the last line of the text is the prompt of a shell.
fn ends_with_prompt(text: &str) -> bool {
    let last = text.rsplit('\n').next().unwrap_or_default();
    last.len() < text.len()
        && last.len() <= LONGEST_PROMPT
        && last.ends_with(['$', '#'])
        && PROMPT_OPENINGS
            .iter()
            .any(|opening| last.starts_with(opening))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_notices_and_outputs_are_told_apart() {
        for (text, kind) in [
            ("Please fix <b>this</b>", UserMessageKind::Request),
            ("<task>\nfix it\n</task>", UserMessageKind::Request),
            ("look at /mode and /etc", UserMessageKind::Request),
            ("/srv/data/in.csv", UserMessageKind::Request),
            ("it costs 5$", UserMessageKind::Request),
            ("why does it print\n$", UserMessageKind::Request),
            (
                "<command-name>/review</command-name>\n<command-args>src/main.rs</command-args>",
                UserMessageKind::Request,
            ),
            (
                "<command-name>/model</command-name>\n<command-args>opus</command-args>",
                UserMessageKind::Notice,
            ),
            (
                "<command-name>/clear</command-name>\n<command-args></command-args>",
                UserMessageKind::Notice,
            ),
            (
                "<local-command-stdout></local-command-stdout>",
                UserMessageKind::Notice,
            ),
            (
                "<environment_context>\n  <cwd>/srv</cwd>\n</environment_context>",
                UserMessageKind::Notice,
            ),
            (
                "<task-notification>\n<event>7 of 9</event>\n</task-notification>\nIf this event is something the user would act on now, send a PushNotification. Routine or benign output doesn't need one.",
                UserMessageKind::Notice,
            ),
            (
                "<task-notification>\n<event>7 of 9</event>\n</task-notification>\nstop it",
                UserMessageKind::Request,
            ),
            (
                "[Request interrupted by user for tool use]",
                UserMessageKind::Notice,
            ),
            ("/mode", UserMessageKind::Notice),
            (
                "[TASK RESUMPTION] This task was interrupted. Retry the last step.",
                UserMessageKind::Notice,
            ),
            (
                "[attempt_completion] Result: Done\n<feedback>\nno migrations\n</feedback>",
                UserMessageKind::Request,
            ),
            (
                "[attempt_completion] Result: Done",
                UserMessageKind::CommandOutput,
            ),
            (
                "<environment_context>\n<cwd>/srv</cwd>\n</environment_context>\nFix it",
                UserMessageKind::Request,
            ),
            (
                "[read_file for 'a.rs'] Result:\nfn a() {}",
                UserMessageKind::CommandOutput,
            ),
            ("[Draft] Result: it works now", UserMessageKind::Request),
            (
                "Result of search_class(\"A\"):\nFound 3 classes",
                UserMessageKind::CommandOutput,
            ),
            (
                "URL: https://a.example/b\nContent-Type: text/markdown\n\n# B",
                UserMessageKind::Notice,
            ),
            (
                "<!DOCTYPE html>\n<html><p>Moved.</p></html>\n",
                UserMessageKind::Notice,
            ),
            (
                "<!doctype html>\n<title>Moved</title>\n<p>Click <a href=\"/\">here</a>.",
                UserMessageKind::Notice,
            ),
            (
                "<html><p>Moved.</p></html>\nWhy does this page say so?",
                UserMessageKind::Request,
            ),
            ("Ran `ls`\n```\na.txt\n```", UserMessageKind::CommandOutput),
            ("OBSERVATION:\nno matches", UserMessageKind::CommandOutput),
            (
                "Your command ran successfully and did not produce any output.",
                UserMessageKind::CommandOutput,
            ),
            (
                "Your command ran successfully and did not produce any output. But where is the file?",
                UserMessageKind::Request,
            ),
            (
                "EXECUTION RESULT of [execute_bash]:\na.txt",
                UserMessageKind::CommandOutput,
            ),
            (
                "<returncode>0</returncode>\n<output>\na.txt\n</output>",
                UserMessageKind::CommandOutput,
            ),
            (
                "345\n(Open file: n/a)\n(Current directory: /srv)\nbash-$",
                UserMessageKind::CommandOutput,
            ),
        ] {
            assert_eq!(classify_user_message(text), kind, "{text}");
        }
    }
}

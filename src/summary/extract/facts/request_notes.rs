//! Writes the notes beside a request, and strips them from a summary that is read again: how often it was
//! made, that a commit came since, that the messages which stay hold it.

use crate::summary::extract::labels::{
    ASKED_AGAIN, COMMITTED_SINCE, SAID_AGAIN, SAID_NEWER, SAID_OFTEN, TIMES,
};
use std::borrow::Cow;

/// Adds how often a request was made, if more than once.
pub(crate) fn with_times_note(request: Cow<'_, str>, times: usize) -> Cow<'_, str> {
    match times {
        1 => request,
        _ => Cow::Owned(format!("{request} {SAID_OFTEN}{times}{TIMES}")),
    }
}

/// Adds that a commit came after a request, if one did.
pub(crate) fn with_commit_note(request: Cow<'_, str>, is_committed: bool) -> Cow<'_, str> {
    if is_committed {
        Cow::Owned(format!("{COMMITTED_SINCE}{request}"))
    } else {
        request
    }
}

/// Strips the note that a commit came since.
pub(super) fn without_commit_note(request: &str) -> &str {
    request.strip_prefix(COMMITTED_SINCE).unwrap_or(request)
}

/// Strips the notes behind a request: how often it was said is counted anew, and the messages that stayed then
/// may be gone by now.
pub(super) fn without_note(line: &str) -> &str {
    let line = match line.rsplit_once(SAID_OFTEN) {
        Some((said, times)) if is_count(times) => said.trim_end(),
        _ => line,
    };
    [SAID_AGAIN, SAID_NEWER, ASKED_AGAIN]
        .iter()
        .find_map(|note| line.strip_suffix(note))
        .map_or(line, str::trim_end)
}

/// Returns true for the end of the note that says how often something was said.
fn is_count(note: &str) -> bool {
    let number = note.strip_suffix(TIMES).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_stripped_as_it_was_written() {
        let request = "Build the pump (said often)";
        let noted = with_times_note(Cow::Borrowed(request), 12);
        assert_eq!(noted, "Build the pump (said often) (said 12 times)");
        assert_eq!(without_note(&noted), request);
        assert_eq!(with_times_note(Cow::Borrowed(request), 1), request);
        let noted = with_commit_note(Cow::Borrowed(request), true);
        assert_ne!(noted, request);
        assert_eq!(without_commit_note(&noted), request);
        assert_eq!(with_commit_note(Cow::Borrowed(request), false), request);
    }

    #[test]
    fn what_the_user_says_is_no_note() {
        for line in ["It was (said many times)", "It was (said 3 times) then"] {
            assert_eq!(without_note(line), line);
        }
    }
}

//! Leaves out what requests say again: the goal, sentences of it, and whole requests.

use crate::summary::extract::facts::request_log::{LEAST_REQUEST, UserRequest};
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::lex::sentences::sentences_of;
use std::borrow::Cow;

/// Maximum length in bytes of a goal whose sentences are looked for in the other requests.
const LONGEST_REPEATED: usize = 2000;
/// Minimum length in bytes of a first line that makes two requests of the same form.
const LEAST_FORM: usize = 16;
/// Maximum length in bytes of a request that is searched for others.
const LONGEST_REPEATING: usize = 8 * 1024;

/// Returns true if a request of moderate length holds another.
pub(super) fn repeats_request(holder: &UserRequest<'_>, request: &UserRequest<'_>) -> bool {
    holder.text.len() <= LONGEST_REPEATING && holder.text.contains(request.text.as_ref())
}

/// Returns true for a request in the form of another one: what a hook writes again with other figures.
pub(super) fn repeats_form(holder: &UserRequest<'_>, request: &UserRequest<'_>) -> bool {
    // A wish holds however often something else is asked for.
    !WISHES.has_words(&request.text) && has_same_opening(holder, request)
}

/// Returns true for two requests of several lines that begin with the same line.
pub(super) fn has_same_opening(one: &UserRequest<'_>, other: &UserRequest<'_>) -> bool {
    let first = |request: &str| {
        request
            .split_once('\n')
            .map(|(first, _)| first.trim().to_owned())
    };
    first(&one.text).is_some_and(|line| {
        line.len() >= LEAST_FORM && first(&other.text).is_some_and(|other| other == line)
    })
}

/// Returns a request without the goal, which harnesses repeat with instructions around it. Returns
/// `None` if nothing else is left.
pub(super) fn without_goal<'t>(request: &'t str, goal: &str) -> Option<Cow<'t, str>> {
    if goal.contains(request) {
        return None;
    }
    if goal.len() < LEAST_REQUEST {
        return Some(Cow::Borrowed(request));
    }
    let Some(at) = memchr::memmem::find(request.as_bytes(), goal.as_bytes()) else {
        return Some(Cow::Borrowed(request));
    };
    let (before, after) = (request[..at].trim_end(), &request[at + goal.len()..]);
    let rest = format!("{before}\n{}", after.trim_start());
    (rest.trim().len() >= LEAST_REQUEST).then(|| Cow::Owned(rest.trim().to_owned()))
}

/// Returns a request without the sentences that the goal has too: some users say the same each time.
pub(super) fn without_sentences<'t>(request: Cow<'t, str>, goal: &str) -> Cow<'t, str> {
    if goal.len() > LONGEST_REPEATED {
        return request;
    }
    let mut rest = request.clone();
    for sentence in sentences_of(goal) {
        if let Some(at) = rest
            .find(sentence)
            .filter(|at| is_whole(&rest, *at, sentence))
        {
            let (before, after) = (rest[..at].trim_end(), &rest[at + sentence.len()..]);
            rest = Cow::Owned(format!("{before}{after}"));
        }
    }
    if rest.trim().len() < LEAST_REQUEST {
        request
    } else {
        rest
    }
}

/// Returns true if a sentence stands as a whole at a place of a text: a part of a longer one may say the
/// opposite.
fn is_whole(text: &str, at: usize, sentence: &str) -> bool {
    const ENDS: [char; 7] = ['.', '!', '?', '\n', '。', '！', '？'];
    let before = text[..at].trim_end_matches([' ', '-', '*', '#', '•', '\t', '_']);
    let after = text[at + sentence.len()..].trim_start_matches([' ', '*', '_']);
    (before.is_empty() || before.ends_with(ENDS))
        && (sentence.ends_with(ENDS) || after.is_empty() || after.starts_with(ENDS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::request_log::RequestLog;

    #[test]
    fn a_sentence_that_is_said_each_time_is_written_once() {
        let goal = "I need help with my pump. You are the best smith that I have ever spoken to.";
        let request =
            "Mend valve V-7 of the pump first. You are the best smith that I have ever spoken to.";
        assert_eq!(
            without_sentences(request.into(), goal),
            "Mend valve V-7 of the pump first."
        );
        assert_eq!(without_sentences(goal.into(), goal), goal);
        let goal = "Mend it.\nPush the branch to main when done.";
        for other in [
            "I changed my mind, so you must not Push the branch to main when done. Wait for Mia.",
            "Never Push the branch to main when done., as long as Mia is away",
        ] {
            assert_eq!(without_sentences(other.into(), goal), other);
        }
    }

    #[test]
    fn what_a_hook_writes_again_is_of_the_same_form() {
        let request = |text: &'static str| {
            let mut log = RequestLog::default();
            log.push_request(text.into(), 0, false);
            log.current_task()[0].clone()
        };
        let hook = request("Stop hook feedback:\n2 files are not committed");
        assert!(repeats_form(
            &hook,
            &request("Stop hook feedback:\n3 files")
        ));
        assert!(!repeats_form(&hook, &request("Stop hook feedback:")));
        let wish = request("Stop hook feedback:\nNever push to main");
        assert!(!repeats_form(&hook, &wish));
        assert!(!repeats_form(&request("Go on.\na"), &request("Go on.\nb")));
    }

    #[test]
    fn a_goal_that_a_request_repeats_is_written_once() {
        let goal = "Build the dashboard of the design.";
        let request = format!("You are an engineer.\nRoot: /srv\n\n{goal}\nNever push.");
        assert_eq!(
            without_goal(&request, goal).as_deref(),
            Some("You are an engineer.\nRoot: /srv\nNever push.")
        );
        assert_eq!(
            without_goal("Now test all of it, please", goal).as_deref(),
            Some("Now test all of it, please")
        );
        assert_eq!(without_goal(goal, goal), None);
        assert_eq!(without_goal("dashboard", goal), None);
    }
}

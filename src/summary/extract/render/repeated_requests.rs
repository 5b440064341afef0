//! Leaves out what requests say again: the goal, sentences of it, and whole requests.

use super::request_lines::LEAST_NEWEST;
use crate::summary::extract::facts::findings::sentences_of;
use crate::summary::extract::facts::request_log::UserRequest;
use std::borrow::Cow;

/// Maximum length in bytes of a goal whose sentences are looked for in the other requests.
const LONGEST_REPEATED: usize = 2000;
/// Maximum length in bytes of a request that is searched for others.
const LONGEST_REPEATING: usize = 8 * 1024;

/// Returns true if a request of moderate length holds another.
pub(super) fn repeats_request(holder: &UserRequest<'_>, request: &UserRequest<'_>) -> bool {
    holder.text.len() <= LONGEST_REPEATING && holder.text.contains(request.text.as_ref())
}

/// Returns a request without the goal, which harnesses repeat with instructions around it. Returns
/// `None` if nothing else is left.
pub(super) fn without_goal<'t>(request: &'t str, goal: &str) -> Option<Cow<'t, str>> {
    if goal.contains(request) {
        return None;
    }
    if goal.len() < LEAST_NEWEST {
        return Some(Cow::Borrowed(request));
    }
    let Some(at) = memchr::memmem::find(request.as_bytes(), goal.as_bytes()) else {
        return Some(Cow::Borrowed(request));
    };
    let (before, after) = (request[..at].trim_end(), &request[at + goal.len()..]);
    let rest = format!("{before}\n{}", after.trim_start());
    (rest.trim().len() >= LEAST_NEWEST).then(|| Cow::Owned(rest.trim().to_owned()))
}

/// Returns a request without the sentences that the goal has too: some users say the same each time.
pub(super) fn without_sentences<'t>(request: Cow<'t, str>, goal: &str) -> Cow<'t, str> {
    if goal.len() > LONGEST_REPEATED {
        return request;
    }
    let mut rest = request.clone();
    for sentence in sentences_of(goal) {
        if let Some(at) = rest.find(sentence) {
            let (before, after) = (rest[..at].trim_end(), &rest[at + sentence.len()..]);
            rest = Cow::Owned(format!("{before}{after}"));
        }
    }
    if rest.trim().len() < LEAST_NEWEST {
        request
    } else {
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

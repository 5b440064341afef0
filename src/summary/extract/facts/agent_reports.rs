//! Finds the results in which another agent reports its work.

use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::assistant_words::REFUTING_WORDS;
use crate::summary::extract::lexicon::tool_words::AGENT_TOOLS;
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use hashbrown::{HashMap, HashSet};
use std::sync::LazyLock;

/// Minimum length of a report in bytes. A shorter one says that the agent began.
const LEAST_AGENT_REPORT: usize = 600;

/// Returns the indices of the results of calls that ask other agents.
pub(super) fn agent_reports(turns: &[ViewedTurn<'_>]) -> HashSet<usize> {
    // Ids repeat in real logs: the newest call counts.
    let mut asks: HashMap<&str, bool> = HashMap::new();
    let mut reports = HashSet::new();
    for (number, turn) in turns.iter().enumerate() {
        for call in &turn.calls {
            asks.insert(&call.id, AGENT_TOOLS.contains(&call.name.as_ref()));
        }
        let is_answer = turn.role.is_result()
            && !turn.failed
            && asks.get(turn.answers.as_ref()).copied().unwrap_or(false);
        if is_answer && is_report(&turn.text) && !turns.get(number + 1).is_some_and(denies) {
            reports.insert(number);
        }
    }
    reports
}

/// Returns true if the assistant says in the next message that a report is wrong.
fn denies(next: &ViewedTurn<'_>) -> bool {
    next.role == Role::Assistant && DENIALS.has_words(&next.text)
}

static DENIALS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[REFUTING_WORDS]));

/// Returns true for a report in prose.
fn is_report(text: &str) -> bool {
    text.len() >= LEAST_AGENT_REPORT && !text.trim_start().starts_with(['{', '['])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::tests::{turn_of, viewed_call};

    #[test]
    fn only_what_other_agents_say_at_length_is_a_report() {
        let report = "The valve of the pump leaks because its spring is too short. ".repeat(12);
        let reports_of = |tool: &str, text: &str| {
            let call = ViewedTurn {
                calls: vec![viewed_call(tool, "{}")],
                ..turn_of(Role::Assistant, "")
            };
            let result = ViewedTurn {
                answers: "c".into(),
                ..turn_of(Role::Tool, text)
            };
            agent_reports(&[call, result]).len()
        };
        assert_eq!(reports_of("Task", &report), 1);
        assert_eq!(reports_of("Read", &report), 0);
        let denied = [
            ViewedTurn {
                calls: vec![viewed_call("Task", "{}")],
                ..turn_of(Role::Assistant, "")
            },
            ViewedTurn {
                answers: "c".into(),
                ..turn_of(Role::Tool, &report)
            },
            turn_of(Role::Assistant, "The report is wrong: the spring is fine."),
        ];
        assert!(agent_reports(&denied).is_empty());
        assert_eq!(reports_of("Task", "Started."), 0);
        assert_eq!(reports_of("Task", &format!("{{\"a\": \"{report}\"}}")), 0);
    }
}

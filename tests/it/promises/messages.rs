//! Promises 3 and 4: calls and results stay together, system messages stay.

use crate::promises::generate::{Message, policy, sample};
use crate::promises::support::{Compacted, by_tag, cases, tag_of};
use proptest::prelude::*;

/// The message whose call message `at` answers: the nearest before it with that id;
/// for a legacy result the call right before its run.
fn caller(messages: &[Option<&Message>], at: usize) -> Option<u64> {
    let message = messages[at]?;
    let found = match (message.role, &message.answers) {
        ("tool", Some(id)) => messages[..at]
            .iter()
            .rev()
            .flatten()
            .find(|other| other.calls.contains(id)),
        ("function", _) => messages[..at]
            .iter()
            .rev()
            .find(|other| other.is_none_or(|other| other.role != "function"))?
            .as_ref()
            .filter(|other| other.legacy_call),
        _ => None,
    };
    found.map(|other| other.tag)
}

/// All pairs of a result and its call.
fn pairs(messages: &[Option<&Message>]) -> Vec<(u64, u64)> {
    (0..messages.len())
        .filter_map(|at| Some((messages[at]?.tag, caller(messages, at)?)))
        .collect()
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn no_call_is_parted_from_its_results(sample in sample(), policy in policy(None)) {
        let run = Compacted::run(&sample, &policy.toml);
        for (thread, outcome) in sample.threads.iter().zip(&run.threads) {
            let known = by_tag(thread);
            let before: Vec<Option<&Message>> = thread.messages.iter().map(Some).collect();
            let tags: Vec<Option<u64>> = outcome.written.iter().map(|message| tag_of(message)).collect();
            let after: Vec<Option<&Message>> = tags.iter().map(|tag| tag.and_then(|tag| known.get(&tag).copied())).collect();
            let left = pairs(&after);
            for (result, call) in pairs(&before) {
                let here = |tag: u64| tags.contains(&Some(tag));
                prop_assert_eq!(here(result), here(call), "result {} and call {} are parted", result, call);
                prop_assert!(!here(result) || left.contains(&(result, call)), "result {} answers another call than {}", result, call);
            }
        }
    }

    #[test]
    fn system_messages_stay_in_their_order(sample in sample(), policy in policy(None)) {
        let run = Compacted::run(&sample, &policy.toml);
        for (thread, outcome) in sample.threads.iter().zip(&run.threads) {
            let known = by_tag(thread);
            let is_system = |message: &&Message| matches!(message.role, "system" | "developer");
            let before: Vec<u64> = thread.messages.iter().filter(is_system).map(|message| message.tag).collect();
            let written = outcome.written.iter().filter_map(|message| known.get(&tag_of(message)?).copied());
            let after: Vec<u64> = written.filter(is_system).map(|message| message.tag).collect();
            prop_assert_eq!(before, after);
        }
    }
}

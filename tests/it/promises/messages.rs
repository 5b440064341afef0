//! Promises 3 and 4: calls and results stay together, system messages stay; and so do pinned ones,
//! and what a reference leads to.

use crate::promises::generate::{Message, Pin, policy, sample};
use crate::promises::plan::{Cause, Fate, Plan, Stage};
use crate::promises::support::{Compacted, by_tag, cases, tag_of};
use proptest::prelude::*;

/// The message whose call message `at` answers: the nearest before it with that id;
/// for a legacy result the call right before its run.
fn caller(messages: &[Option<&Message>], at: usize) -> Option<u64> {
    let message = messages[at]?;
    let found = match (message.role, &message.answers) {
        ("tool", Some(id)) => {
            messages[..at].iter().rev().flatten().find(|other| other.calls.contains(id))
        }
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
    (0..messages.len()).filter_map(|at| Some((messages[at]?.tag, caller(messages, at)?))).collect()
}

/// Returns true if a pin names a message by its role or by its text.
fn is_pinned(message: &Message, pin: Pin) -> bool {
    if message.earlier_summary {
        // The next summary takes its place.
        return false;
    }
    match pin {
        Pin::Role("tool") => matches!(message.role, "tool" | "function"),
        Pin::Role(role) => message.role == role,
        Pin::Pattern("3»") => message.text.contains("3»"),
        Pin::Pattern(_) => {
            ["0»", "2»", "4»", "6»", "8»"].iter().any(|mark| message.text.contains(mark))
        }
        Pin::Tool(_) => false,
    }
}

/// Returns why a result is replaced.
fn replaced_for(plan: &Plan, index: usize) -> impl Iterator<Item = Cause> {
    plan.prunings().filter(move |pruning| pruning.message == index).map(|pruning| pruning.cause)
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

    #[test]
    fn pinned_messages_are_left_alone(sample in sample(), policy in policy(None)) {
        let run = Compacted::run(&sample, &policy.toml);
        for (thread, outcome) in sample.threads.iter().zip(&run.threads) {
            let fates = outcome.carried_out().fates();
            for (message, fate) in thread.messages.iter().zip(&fates) {
                let pinned = policy.pin.is_some_and(|pin| is_pinned(message, pin));
                prop_assert!(!pinned || *fate == Fate::Kept, "{} is {:?}", message.raw, fate);
            }
        }
    }

    #[test]
    fn what_a_reference_leads_to_stands_further_down(sample in sample(), policy in policy(None)) {
        let run = Compacted::run(&sample, &policy.toml);
        for (thread, outcome) in sample.threads.iter().zip(&run.threads) {
            let plan = outcome.carried_out();
            let fates = plan.fates();
            for pruning in plan.prunings().filter(|pruning| pruning.cause == Cause::Repeated) {
                let (at, is_same) = (pruning.message, pruning.placeholder.starts_with("[Repeated"));
                // Stage overflow may clear what the limit leaves no room for.
                let is_cleared = |index: usize| replaced_for(&plan, index).any(|cause| cause != Cause::Shortened);
                let stands = |index: usize| {
                    let both_gone = fates[at] == Fate::Summarized && fates[index] == Fate::Summarized;
                    both_gone || (fates[index] != Fate::Summarized && !is_cleared(index))
                };
                let shrunk = plan.reasons.iter().any(|reason| reason.stage == Stage::Overflow && reason.applies);
                let found = (at + 1..thread.messages.len()).any(|index| {
                    let (message, earlier) = (&thread.messages[index], &thread.messages[at]);
                    message.role == "tool" && (!is_same || message.lines == earlier.lines) && (stands(index) || shrunk)
                });
                prop_assert!(found, "message {} leads to nothing: {}", at, pruning.placeholder);
            }
        }
    }
}

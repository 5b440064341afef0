//! What is asked of a summary alone, without the messages that stay beside it.

use crate::reading::transcript::Role;
use crate::reporting::retention::file_claims::FileOutcomes;
use crate::reporting::retention::identifiers::{ValueIdentifiers, path_without_indices};
use crate::reporting::retention::passage::Passage;
use crate::reporting::retention::requests::RequestWords;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The needs that a summary answers by itself, and what its claims are checked against.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SummaryNeeds {
    /// The references of each future call that needs several of them together.
    pub(super) joint_calls: Vec<BTreeSet<String>>,
    /// The words of the first and the last request.
    pub(super) requests: RequestWords,
    /// What the compacted calls on files came to.
    pub(super) files: FileOutcomes,
    /// All that the assistant writes later, in lowercase.
    pub(super) written_later: String,
    /// The compacted messages, in lowercase.
    pub(super) compacted: String,
}

impl SummaryNeeds {
    /// Collects the needs of `future` from `compacted` messages, whose text in lowercase is
    /// `lower`. `is_needed` tells needed references in arguments of calls.
    pub(super) fn new(
        compacted: &[Passage],
        lower: String,
        future: &[Passage],
        is_needed: impl Fn(&str) -> bool,
    ) -> Self {
        let later = future
            .iter()
            .filter(|passage| passage.role == Role::Assistant)
            .map(|passage| passage.lower.as_str());
        Self {
            joint_calls: joint_calls(future, is_needed),
            requests: RequestWords::from_passages(compacted),
            files: FileOutcomes::from_passages(compacted),
            written_later: later.collect::<Vec<_>>().join("\n"),
            compacted: lower,
        }
    }
}

/// The fewest references, and the fewest arguments that hold some, of a call that needs them
/// together.
const MIN_JOINT: usize = 2;

/// Returns the needed references of each future call that needs several of them, under several
/// names of arguments. Calls with the same references count once.
pub(super) fn joint_calls<'n>(
    future: &[Passage],
    is_needed: impl Fn(&str) -> bool + 'n,
) -> Vec<BTreeSet<String>> {
    let mut joint: Vec<BTreeSet<String>> = Vec::new();
    let mut known: HashSet<BTreeSet<String>> = HashSet::new();
    let calls = future
        .iter()
        .filter(|passage| passage.role == Role::Assistant)
        .flat_map(|passage| &passage.calls);
    for call in calls {
        let mut by_argument: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for leaf in &call.leaves {
            let identifiers = ValueIdentifiers::from_value(&leaf.value).into_vec();
            let needed = identifiers.into_iter().filter(|identifier| is_needed(identifier));
            let argument = path_without_indices(leaf).into_owned();
            by_argument.entry(argument).or_default().extend(needed);
        }
        by_argument.retain(|_, identifiers| !identifiers.is_empty());
        let arguments = by_argument.len();
        let identifiers: BTreeSet<String> = by_argument.into_values().flatten().collect();
        if arguments >= MIN_JOINT
            && identifiers.len() >= MIN_JOINT
            && known.insert(identifiers.clone())
        {
            joint.push(identifiers);
        }
    }
    joint
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporting::retention::passage::PassageCall;

    #[test]
    fn only_calls_with_several_references_under_several_names_count() {
        let booking = |arguments: &[(&'static str, &'static str)]| {
            let call = PassageCall::from_text("book", arguments.iter().copied());
            Passage::new(Role::Assistant, String::new(), vec![call])
        };
        let future = [
            booking(&[("flight", "HAT175"), ("payment", "card_77")]),
            booking(&[("payment", "card_77"), ("flight", "HAT175")]),
            booking(&[("flights[0]", "HAT175"), ("flights[1]", "HAT084")]),
            booking(&[("flight", "HAT175"), ("payment", "HAT175")]),
            booking(&[("flight", "HAT084"), ("payment", "unknown_1")]),
        ];
        let needed = ["hat175", "hat084", "card_77"];
        let joint = joint_calls(&future, |identifier| needed.contains(&identifier));
        assert_eq!(joint.len(), 1, "{joint:?}");
        assert_eq!(joint[0].iter().collect::<Vec<_>>(), ["card_77", "hat175"]);
    }
}

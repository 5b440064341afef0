//! What is asked of a summary alone, without the messages that stay beside it; so the requests of
//! the user.

use crate::reading::transcript::Role;
use crate::reading::transcript::envelopes::{strip_envelope, trim_blanks};
use crate::reporting::retention::identifiers::{
    ValueIdentifiers, content_words, path_without_indices,
};
use crate::reporting::retention::paired_calls::{is_note, is_text_result};
use crate::reporting::retention::{file_claims::FileOutcomes, passage::Passage};
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

/// The content words of the first and the last request of compacted messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RequestWords {
    /// Those of the first. Empty if there is no request.
    pub first: BTreeSet<String>,
    /// Those of the last. Empty if there are fewer than two different requests.
    pub last: BTreeSet<String>,
}

impl RequestWords {
    /// Collects the words of the requests in messages.
    pub(super) fn from_passages(passages: &[Passage]) -> Self {
        let requests = find_requests(passages);
        let words = |request: &str| content_words(request).collect();
        match requests.as_slice() {
            [] => Self::default(),
            [only] => Self { first: words(only), last: BTreeSet::new() },
            [first, .., last] => Self { first: words(first), last: words(last) },
        }
    }
}

/// Returns the different requests in order, each without its envelope.
///
/// The first message of the user that is no note always counts. Of the later ones, results of text
/// actions don't.
fn find_requests(passages: &[Passage]) -> Vec<&str> {
    let mut texts = passages
        .iter()
        .filter(|passage| passage.role == Role::User && !is_note(&passage.text))
        .map(|passage| passage.text.as_str());
    let first = texts.next();
    let later = texts.filter(|text| !is_text_result(text));
    let mut requests: Vec<&str> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    for text in first.into_iter().chain(later) {
        let request = strip_envelope(text);
        if !trim_blanks(text).is_empty() && known.insert(request) {
            requests.push(request);
        }
    }
    requests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_with_several_references_under_several_names_count() {
        let booking = |arguments| Passage::calling("book", arguments);
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

    fn requests_of(texts: &[&str]) -> Vec<String> {
        let passages = Vec::from_iter(texts.iter().map(|text| Passage::said(Role::User, text)));
        find_requests(&passages).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn requests_are_told_from_notes_and_results() {
        assert_eq!(
            requests_of(&[
                "<system-reminder>be brief</system-reminder>",
                "<task>\nFix the lexer of tabs\n</task>\ndetails",
                "[read_file for 'a.rs'] Result:\nfn main() {}",
                "Fix the lexer of tabs",
                "Now the parser, too.",
            ]),
            ["Fix the lexer of tabs", "Now the parser, too."]
        );
        // The first message counts even if it looks like a result.
        assert_eq!(requests_of(&["Ran `ls`", "Ran `pwd`"]), ["Ran `ls`"]);
        assert!(requests_of(&[" \n"]).is_empty());
    }

    #[test]
    fn a_lone_request_is_the_first_and_not_the_last() {
        let passage = Passage::said(Role::User, "Book flight HAT175");
        let words = RequestWords::from_passages(&[passage]);
        assert_eq!(words.first.iter().collect::<Vec<_>>(), ["book", "flight", "hat175"]);
        assert!(words.last.is_empty());
    }
}

//! The requests of a user in compacted messages.

use crate::reading::transcript::Role;
use crate::reading::transcript::envelopes::{strip_envelope, trim_blanks};
use crate::reporting::retention::harness_texts::{is_note, is_text_result};
use crate::reporting::retention::identifiers::content_words;
use crate::reporting::retention::passage::Passage;
use std::collections::{BTreeSet, HashSet};

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

    fn requests_of(texts: &[&str]) -> Vec<String> {
        let passages: Vec<Passage> = texts
            .iter()
            .map(|text| Passage::new(Role::User, (*text).to_owned(), Vec::new()))
            .collect();
        let requests = find_requests(&passages);
        requests.into_iter().map(str::to_owned).collect()
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
        let passage = Passage::new(Role::User, "Book flight HAT175".to_owned(), Vec::new());
        let words = RequestWords::from_passages(&[passage]);
        assert_eq!(words.first.iter().collect::<Vec<_>>(), ["book", "flight", "hat175"]);
        assert!(words.last.is_empty());
    }
}

//! The needs of the messages after a cut from the messages before it.

use crate::reading::transcript::Role;
use crate::reporting::retention::cut::{CompactedText, SessionCut};
use crate::reporting::retention::identifiers::{
    ValueIdentifiers, argument_keywords, content_words, error_signatures, find_identifiers,
    is_file_name, is_self_explanatory, normalize_identifier,
};
use crate::reporting::retention::word_search::{contains_each, first_occurrences};
use crate::reporting::retention::{facts::Facts, passage::Passage, summary_needs::SummaryNeeds};
use std::collections::{BTreeMap, BTreeSet};

/// The needs of the future of a cut, and other content that a compaction should keep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FutureNeeds {
    /// The identifiers that the assistant writes later and that only the compacted messages
    /// contain.
    pub references: BTreeSet<String>,
    /// The references that the assistant writes in arguments of calls.
    ///
    /// Each has the keywords of its arguments. A summary should name one of them beside it.
    pub arguments: BTreeMap<String, BTreeSet<String>>,
    /// The content words of the user.
    pub words: BTreeSet<String>,
    pub errors: BTreeSet<Vec<String>>,
    /// The files named in arguments of calls.
    pub files: BTreeSet<String>,
    /// All text that the compactor saw, in lowercase. A summary may only name what it contains.
    pub source: String,
    /// What is asked of the summary alone.
    pub alone: SummaryNeeds,
}

impl FutureNeeds {
    /// Collects what the messages after a cut need.
    pub(crate) fn from_cut(passages: &[Passage], cut: SessionCut) -> Self {
        Self::collect(passages, cut, |_| {})
    }

    /// Collects what they need of what the conversation alone tells.
    pub(crate) fn facts_from_cut(passages: &[Passage], cut: SessionCut) -> Self {
        let facts = Facts::new(&passages[cut.head..cut.tail], &passages[cut.end..]);
        Self::collect(passages, cut, |uses| uses.keep_facts(&facts))
    }

    fn collect(
        passages: &[Passage],
        cut: SessionCut,
        narrow: impl FnOnce(&mut IdentifierUses),
    ) -> Self {
        let evicted = &passages[cut.head..cut.tail];
        let system = join_lowercase(&passages[..cut.head]);
        let compacted = join_lowercase(evicted);
        let seen = join_lowercase(&passages[cut.tail..cut.end]);
        let mut uses = IdentifierUses::default();
        let mut later = String::new();
        for passage in &passages[cut.end..] {
            if passage.role == Role::Assistant {
                uses.observe_message(passage, later.len());
            }
            later.push('\n');
            later.push_str(&passage.lower);
        }
        uses.decide_needed(&compacted, &[&system, &seen], &later);
        narrow(&mut uses);
        uses.add_keywords_of_results(evicted);
        let mut needs = uses.into_needs();
        needs.source = [compacted.as_str(), &seen, &system].concat();
        needs.alone = SummaryNeeds::new(evicted, compacted, &passages[cut.end..], |identifier| {
            needs.arguments.contains_key(identifier)
        });
        for passage in evicted {
            needs.add_content(passage);
        }
        needs
    }

    /// Returns the needed references that a text holds.
    pub(crate) fn references_in(&self, text: &CompactedText) -> BTreeSet<String> {
        let lower = text.whole().to_lowercase();
        let references: Vec<&str> = self.references.iter().map(String::as_str).collect();
        let held = contains_each(&references, &lower);
        self.references
            .iter()
            .zip(held)
            .filter(|(_, is_held)| *is_held)
            .map(|(reference, _)| reference.clone())
            .collect()
    }

    /// Adds the words, errors and files of a compacted message.
    fn add_content(&mut self, passage: &Passage) {
        if passage.role == Role::User {
            self.words.extend(content_words(&passage.text));
        }
        if passage.role == Role::User || passage.role.is_result() {
            self.errors.extend(error_signatures(&passage.text));
        }
        let identifiers = passage
            .calls
            .iter()
            .flat_map(|call| &call.leaves)
            .flat_map(|leaf| ValueIdentifiers::from_value(&leaf.value).into_vec());
        self.files.extend(identifiers.filter(|identifier| is_file_name(identifier)));
    }
}

/// The first use of an identifier after a cut.
struct IdentifierUse {
    /// The length of the text between the cut and the message that writes it.
    before: usize,
    /// True if an argument of a call holds it, there or later.
    is_argument: bool,
    /// True if it was needed then.
    is_needed: bool,
}

/// The identifiers that the assistant writes after a cut.
#[derive(Default)]
struct IdentifierUses {
    uses: BTreeMap<String, IdentifierUse>,
    /// The keywords of the arguments that an identifier is the whole value of.
    keywords: BTreeMap<String, BTreeSet<String>>,
}

impl IdentifierUses {
    /// Adds the identifiers of an assistant message. `before` is the length of the text between it
    /// and the cut.
    fn observe_message(&mut self, passage: &Passage, before: usize) {
        let mut written: Vec<String> = Vec::new();
        for leaf in passage.calls.iter().flat_map(|call| &call.leaves) {
            let identifiers = ValueIdentifiers::from_value(&leaf.value);
            if let ValueIdentifiers::Whole(identifier) = &identifiers
                && !is_self_explanatory(identifier)
            {
                let keywords = self.keywords.entry(identifier.clone()).or_default();
                keywords.extend(argument_keywords(leaf));
            }
            written.extend(identifiers.into_vec());
        }
        let arguments: BTreeSet<String> = written.iter().cloned().collect();
        written.extend(find_identifiers(&passage.text));
        for identifier in written {
            let is_argument = arguments.contains(&identifier);
            // The first use decides whether it is needed.
            let identifier_use = self.uses.entry(identifier).or_insert(IdentifierUse {
                before,
                is_argument,
                is_needed: false,
            });
            identifier_use.is_argument |= is_argument;
        }
    }

    /// Decides which identifiers are needed: those of the compacted text that neither the texts in
    /// `known` hold nor those in `later` before the first use.
    fn decide_needed(&mut self, compacted: &str, known: &[&str], later: &str) {
        let mut open: Vec<(&str, &mut IdentifierUse)> = self
            .uses
            .iter_mut()
            .map(|(identifier, identifier_use)| (identifier.as_str(), identifier_use))
            .collect();
        retain_if_found(&mut open, compacted, |_, at| at.is_some());
        for known in known {
            retain_if_found(&mut open, known, |_, at| at.is_none());
        }
        retain_if_found(&mut open, later, |(identifier, identifier_use), at| {
            at.is_none_or(|at| at + identifier.len() > identifier_use.before)
        });
        for (_, identifier_use) in open {
            identifier_use.is_needed = true;
        }
    }

    /// Drops the needed identifiers that are no facts.
    fn keep_facts(&mut self, facts: &Facts) {
        let needed = self.uses.iter();
        let needed: Vec<&str> = needed
            .filter(|(_, identifier_use)| identifier_use.is_needed)
            .map(|(identifier, _)| identifier.as_str())
            .collect();
        let facts: BTreeSet<String> = facts.among(&needed).into_iter().map(str::to_owned).collect();
        for (identifier, identifier_use) in &mut self.uses {
            identifier_use.is_needed &= facts.contains(identifier);
        }
    }

    /// Adds the keywords under which compacted tool results gave an identifier.
    fn add_keywords_of_results(&mut self, evicted: &[Passage]) {
        for leaf in
            evicted.iter().filter(|passage| passage.role.is_result()).flat_map(Passage::json_leaves)
        {
            if let Some(keywords) = self
                .keywords
                .get_mut(&normalize_identifier(&leaf.value))
                .filter(|keywords| !keywords.is_empty())
            {
                keywords.extend(argument_keywords(&leaf));
            }
        }
    }

    fn into_needs(mut self) -> FutureNeeds {
        FutureNeeds {
            arguments: self
                .uses
                .iter()
                .filter(|(_, identifier_use)| {
                    identifier_use.is_needed && identifier_use.is_argument
                })
                .map(|(identifier, _)| {
                    let keywords = self.keywords.remove(identifier).unwrap_or_default();
                    (identifier.clone(), keywords)
                })
                .collect(),
            references: self
                .uses
                .into_iter()
                .filter_map(|(identifier, identifier_use)| {
                    identifier_use.is_needed.then_some(identifier)
                })
                .collect(),
            ..FutureNeeds::default()
        }
    }
}

/// Keeps the identifiers for which `is_kept` returns true. It gets the place of the first
/// occurrence in `text`, if there is any.
fn retain_if_found(
    identifiers: &mut Vec<(&str, &mut IdentifierUse)>,
    text: &str,
    is_kept: impl Fn(&(&str, &mut IdentifierUse), Option<usize>) -> bool,
) {
    let names: Vec<&str> = identifiers.iter().map(|(name, _)| *name).collect();
    let mut found = first_occurrences(&names, text).into_iter();
    identifiers.retain(|identifier| is_kept(identifier, found.next().flatten()));
}

/// Returns the lowercase text and calls of messages, joined by line ends.
fn join_lowercase(passages: &[Passage]) -> String {
    passages.iter().map(|passage| passage.lower.as_str()).collect::<Vec<_>>().join("\n")
}

//! The needs of the messages after a cut from the messages before it.

use crate::retention::compacted_text::CompactedText;
use crate::retention::cut::SessionCut;
use crate::retention::identifiers::{
    ValueIdentifiers, argument_keywords, content_words, error_signatures, find_identifiers,
    is_file_name, is_self_explanatory, normalize_identifier,
};
use crate::retention::passage::Passage;
use crate::retention::summary_needs::SummaryNeeds;
use crate::retention::word_search::contains_identifier;
use crate::transcript::Role;
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
    /// The signatures of errors.
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
    #[must_use]
    pub(crate) fn from_cut(passages: &[Passage], cut: SessionCut) -> Self {
        let evicted = &passages[cut.head..cut.tail];
        let system = join_lowercase(&passages[..cut.head]);
        let compacted = join_lowercase(evicted);
        let seen = join_lowercase(&passages[cut.tail..cut.end]);
        let mut uses = IdentifierUses::default();
        let mut later = String::new();
        for passage in &passages[cut.end..] {
            if passage.role == Role::Assistant {
                uses.observe_message(passage, |identifier| {
                    contains_identifier(&compacted, identifier)
                        && !contains_identifier(&system, identifier)
                        && !contains_identifier(&seen, identifier)
                        && !contains_identifier(&later, identifier)
                });
            }
            later.push('\n');
            later.push_str(&passage.lower);
        }
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
    #[must_use]
    pub(crate) fn references_in(&self, text: &CompactedText) -> BTreeSet<String> {
        let lower = text.whole().to_lowercase();
        let held = self.references.iter();
        held.filter(|identifier| contains_identifier(&lower, identifier))
            .cloned()
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
        self.files
            .extend(identifiers.filter(|identifier| is_file_name(identifier)));
    }
}

/// The identifiers that the assistant writes after a cut.
#[derive(Default)]
struct IdentifierUses {
    /// True for each identifier that was needed when it was first written.
    needed: BTreeMap<String, bool>,
    /// The same for identifiers in arguments of calls.
    needed_in_arguments: BTreeMap<String, bool>,
    /// The keywords of the arguments that an identifier is the whole value of.
    keywords: BTreeMap<String, BTreeSet<String>>,
}

impl IdentifierUses {
    /// Adds the identifiers of an assistant message. `is_needed` decides about new ones.
    fn observe_message(&mut self, passage: &Passage, is_needed: impl Fn(&str) -> bool) {
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
            // The first use decides.
            if let Some(&needed) = self.needed.get(&identifier) {
                if needed && is_argument {
                    self.needed_in_arguments.insert(identifier, true);
                }
                continue;
            }
            let needed = is_needed(&identifier);
            if is_argument {
                self.needed_in_arguments.insert(identifier.clone(), needed);
            }
            self.needed.insert(identifier, needed);
        }
    }

    /// Adds the keywords under which compacted tool results gave an identifier.
    fn add_keywords_of_results(&mut self, evicted: &[Passage]) {
        for leaf in evicted
            .iter()
            .filter(|passage| passage.role.is_result())
            .flat_map(Passage::json_leaves)
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

    /// Returns the needed identifiers.
    fn into_needs(mut self) -> FutureNeeds {
        FutureNeeds {
            references: needed_only(self.needed).collect(),
            arguments: needed_only(self.needed_in_arguments)
                .map(|identifier| {
                    let keywords = self.keywords.remove(&identifier).unwrap_or_default();
                    (identifier, keywords)
                })
                .collect(),
            ..FutureNeeds::default()
        }
    }
}

/// Returns the identifiers that are needed.
fn needed_only(identifiers: BTreeMap<String, bool>) -> impl Iterator<Item = String> {
    identifiers
        .into_iter()
        .filter_map(|(identifier, needed)| needed.then_some(identifier))
}

/// Returns the lowercase text and calls of messages, joined by line ends.
fn join_lowercase(passages: &[Passage]) -> String {
    passages
        .iter()
        .map(|passage| passage.lower.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

//! What the future of a cut needs from what was compacted.

use super::cut::SessionCut;
use super::identifiers::{
    NamedValue, all_named, errors, identifiers, is_file, keywords, named, normal, present,
    speaks_for_itself, words,
};
use super::passage::Passage;
use crate::transcript::Role;
use std::collections::{BTreeMap, BTreeSet};

/// What the future of a cut needs, and what else should survive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FutureNeeds {
    /// Identifiers that the assistant writes later and that only the compacted part holds.
    pub references: BTreeSet<String>,
    /// Those it writes in arguments of calls, each with the words of its name, one of which should stand beside it.
    pub arguments: BTreeMap<String, BTreeSet<String>>,
    /// Content words of the user.
    pub words: BTreeSet<String>,
    /// Errors, each by what tells it from others.
    pub errors: BTreeSet<Vec<String>>,
    /// Files in arguments of calls.
    pub files: BTreeSet<String>,
    /// All that the compactor saw, in lower case: what it may name.
    pub source: String,
}

impl FutureNeeds {
    /// Looks into the future of a cut.
    #[must_use]
    pub fn from_cut(passages: &[Passage], cut: SessionCut) -> Self {
        let lower = |from: usize, to: usize| {
            passages[from..to]
                .iter()
                .map(|passage| passage.lower.as_str())
                .collect::<Vec<_>>()
                .join("\n")
        };
        let (system, compacted, seen) = (
            lower(0, cut.head),
            lower(cut.head, cut.tail),
            lower(cut.tail, cut.end),
        );
        let mut said = String::new();
        let mut all: BTreeMap<String, bool> = BTreeMap::new();
        let mut in_arguments: BTreeMap<String, bool> = BTreeMap::new();
        let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for passage in &passages[cut.end..] {
            if passage.role == Role::Assistant {
                let mut written: Vec<(String, bool)> = Vec::new();
                for leaf in passage.calls.iter().flat_map(|call| &call.leaves) {
                    match named(&leaf.value) {
                        NamedValue::Whole(one) => {
                            if !speaks_for_itself(&one) {
                                names.entry(one.clone()).or_default().extend(keywords(leaf));
                            }
                            written.push((one, true));
                        }
                        NamedValue::Within(found) => {
                            written.extend(found.into_iter().map(|one| (one, true)))
                        }
                    }
                }
                let arguments: BTreeSet<String> =
                    written.iter().map(|(one, _)| one.clone()).collect();
                written.extend(identifiers(&passage.text).map(|one| (one, false)));
                for (one, _) in written {
                    let argument = arguments.contains(&one);
                    // The first use decides.
                    if let Some(&needed) = all.get(&one) {
                        if needed && argument {
                            in_arguments.insert(one, true);
                        }
                        continue;
                    }
                    let needed = present(&one, &compacted)
                        && !present(&one, &system)
                        && !present(&one, &seen)
                        && !present(&one, &said);
                    all.insert(one.clone(), needed);
                    if argument {
                        in_arguments.insert(one, needed);
                    }
                }
            }
            said.push('\n');
            said.push_str(&passage.lower);
        }
        let evicted = &passages[cut.head..cut.tail];
        // The names under which the compacted part itself gave the value.
        for leaf in evicted
            .iter()
            .filter(|passage| passage.role.is_result())
            .flat_map(Passage::json_leaves)
        {
            if let Some(known) = names
                .get_mut(&normal(&leaf.value))
                .filter(|known| !known.is_empty())
            {
                known.extend(keywords(&leaf));
            }
        }
        let mut needs = Self {
            references: all
                .into_iter()
                .filter_map(|(one, needed)| needed.then_some(one))
                .collect(),
            arguments: BTreeMap::new(),
            source: compacted + &seen + &system,
            ..Self::default()
        };
        let arguments = in_arguments.into_iter().filter(|(_, needed)| *needed);
        needs.arguments = arguments
            .map(|(one, _)| (one.clone(), names.remove(&one).unwrap_or_default()))
            .collect();
        for passage in evicted {
            if passage.role == Role::User {
                needs.words.extend(words(&passage.text));
            }
            if passage.role == Role::User || passage.role.is_result() {
                needs.errors.extend(errors(&passage.text));
            }
            let values = passage
                .calls
                .iter()
                .flat_map(|call| &call.leaves)
                .flat_map(|leaf| all_named(&leaf.value));
            needs.files.extend(values.filter(|one| is_file(one)));
        }
        needs
    }
}

//! The texts that edits put in place of the original.

use crate::reading::transcript::dropped_blocks::DroppedBlocks;
use crate::reading::transcript::splice::Splice;
use std::collections::{BTreeMap, BTreeSet};

/// The replaced texts of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Overlay {
    /// New text of a tool result, by message. Blocks other than text stay.
    pub results: BTreeMap<usize, String>,
    /// New arguments of a call, by message and call.
    pub arguments: BTreeMap<(usize, usize), NewArguments>,
    /// Results whose new text replaces all blocks.
    pub cleared: BTreeSet<usize>,
    /// Content blocks that are gone, by message.
    pub dropped: BTreeMap<usize, DroppedBlocks>,
}

/// The overlay of a transcript as it was logged.
pub(super) static NOTHING_REPLACED: Overlay = Overlay {
    results: BTreeMap::new(),
    arguments: BTreeMap::new(),
    cleared: BTreeSet::new(),
    dropped: BTreeMap::new(),
};

impl Overlay {
    /// Returns what the overlay replaces in these messages, but for blocks that are gone.
    pub(crate) fn of_messages(&self, messages: &[usize]) -> Self {
        let mut part = Self::default();
        for &index in messages {
            let result = self.results.get(&index);
            part.results.extend(result.map(|text| (index, text.clone())));
            part.cleared.extend(self.cleared.get(&index));
            let calls = self.arguments.range((index, 0)..=(index, usize::MAX));
            let calls = calls.map(|(call, arguments)| (*call, arguments.clone()));
            part.arguments.extend(calls);
        }
        part
    }

    /// Returns this overlay with another one laid over it.
    pub(crate) fn with(mut self, upper: Self) -> Self {
        self.results.extend(upper.results);
        self.cleared.extend(upper.cleared);
        self.arguments.extend(upper.arguments);
        self
    }

    /// Returns the first message that reads differently through two overlays.
    pub(crate) fn first_difference(&self, other: &Self) -> Option<usize> {
        let result = first_unequal(&self.results, &other.results);
        let call = first_unequal(&self.arguments, &other.arguments);
        let cleared = self.cleared.symmetric_difference(&other.cleared).next();
        let dropped = first_unequal(&self.dropped, &other.dropped);
        [result, call.map(|(message, _)| message), cleared.copied(), dropped]
            .into_iter()
            .flatten()
            .min()
    }
}

/// Returns the first key that two maps do not hold with equal values.
fn first_unequal<K: Copy + Ord, V: PartialEq>(
    one: &BTreeMap<K, V>,
    other: &BTreeMap<K, V>,
) -> Option<K> {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    [one, other].into_iter().filter_map(|map| map.keys().nth(same)).min().copied()
}

/// The arguments of one call after an edit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NewArguments {
    /// The arguments as JSON (WTF-8).
    pub json: Vec<u8>,
    /// The changes to the record, in all places that hold the arguments.
    pub splices: Vec<Splice>,
    /// The content block that holds the call, after the edit.
    pub block: Option<Vec<u8>>,
}

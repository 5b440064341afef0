//! The rows seen so far, to find duplicates: a digest of each takes some 20 bytes, and a sketch with
//! its index some 500.

use crate::dataset::drops::DropReason;
use crate::dataset::options::Duplicates;
use crate::dataset::sketch::{SKETCH_HASHES, Sketch};
use crate::dataset::thread_rows::RowFacts;
use std::collections::{HashMap, HashSet};
use twox_hash::XxHash3_128;

/// The parts of a sketch. Only rows that agree in all hashes of a part are compared.
const BANDS: usize = 16;
const BAND_HASHES: usize = SKETCH_HASHES / BANDS;
/// The hashes in which the sketches of near duplicates agree: 80 %.
const NEAR_AGREEMENT: usize = SKETCH_HASHES * 4 / 5;

/// The rows seen so far.
pub(super) struct SeenRows {
    duplicates: Duplicates,
    digests: HashSet<u128>,
    /// The last 8 bits of the hashes of each row that is written.
    sketches: Vec<[u8; SKETCH_HASHES]>,
    /// The last row with these hashes in this band.
    bands: HashMap<u64, u32>,
}

impl SeenRows {
    pub(super) fn new(duplicates: Duplicates) -> Self {
        Self { duplicates, digests: HashSet::new(), sketches: Vec::new(), bands: HashMap::new() }
    }

    /// Adds a row, unless an earlier one is the same or nearly so. Then returns the reason to drop
    /// it.
    pub(super) fn observe_row(
        &mut self,
        facts: &RowFacts,
        sketch: Option<&Sketch>,
    ) -> Option<DropReason> {
        if self.duplicates == Duplicates::Kept {
            return None;
        }
        if !self.digests.insert(facts.digest) {
            return Some(DropReason::Duplicate);
        }
        let sketch = sketch.filter(|_| self.duplicates == Duplicates::NearDropped)?;
        self.is_near(sketch).then_some(DropReason::NearDuplicate)
    }

    /// Returns true if a sketch agrees with that of an earlier row, and adds it otherwise.
    fn is_near(&mut self, sketch: &Sketch) -> bool {
        let short = sketch.least.map(|least| least as u8);
        let bands = sketch.least.chunks(BAND_HASHES).zip(0..).map(|(hashes, band)| {
            let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
            XxHash3_128::oneshot_with_seed(band, &bytes) as u64
        });
        let keys: Vec<u64> = bands.collect();
        let mut rows = keys.iter().filter_map(|key| self.bands.get(key));
        let is_near = rows.any(|row| {
            let earlier = &self.sketches[*row as usize];
            let agreed = earlier.iter().zip(&short).filter(|(a, b)| a == b).count();
            agreed >= NEAR_AGREEMENT
        });
        if !is_near {
            let row = u32::try_from(self.sketches.len()).unwrap_or(u32::MAX);
            self.sketches.push(short);
            self.bands.extend(keys.into_iter().map(|key| (key, row)));
        }
        is_near
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::chat::ChatTurn;
    use crate::reading::transcript::Role;

    fn is_dropped(seen: &mut SeenRows, digest: u128, text: &str) -> Option<DropReason> {
        let facts = RowFacts { sample: 0, bytes: 1, tokens: 1, messages: 1, answers: 1, digest };
        let turn = ChatTurn::with_text(Role::Assistant, None, text);
        seen.observe_row(&facts, Some(&Sketch::of_turns(&[turn])))
    }

    #[test]
    fn texts_are_near_that_share_four_fifths_of_their_shingles() {
        let mut seen = SeenRows::new(Duplicates::NearDropped);
        let words: Vec<String> = (0..1000).map(|number| format!("w{number}")).collect();
        let without = |part: usize| words[part..].join(" ");
        assert_eq!(is_dropped(&mut seen, 1, &without(0)), None);
        assert_eq!(is_dropped(&mut seen, 1, &without(0)), Some(DropReason::Duplicate));
        assert_eq!(is_dropped(&mut seen, 2, &without(50)), Some(DropReason::NearDuplicate));
        assert_eq!(is_dropped(&mut seen, 3, &without(500)), None);
        let chinese: String = ('\u{4e00}'..='\u{4fff}').collect();
        assert_eq!(is_dropped(&mut seen, 4, &chinese), None);
        let shorter: String = chinese.chars().skip(20).collect();
        assert_eq!(is_dropped(&mut seen, 5, &shorter), Some(DropReason::NearDuplicate));
    }

    #[test]
    fn only_what_is_asked_for_is_dropped() {
        let mut kept = SeenRows::new(Duplicates::Kept);
        let mut exact = SeenRows::new(Duplicates::ExactDropped);
        for seen in [&mut kept, &mut exact] {
            assert_eq!(is_dropped(seen, 1, "the same words"), None);
            assert_eq!(is_dropped(seen, 2, "the same words"), None);
        }
        assert_eq!(is_dropped(&mut kept, 1, "x"), None);
        assert_eq!(is_dropped(&mut exact, 1, "x"), Some(DropReason::Duplicate));
    }
}

//! MinHash sketches of samples: two samples are as similar as their sketches agree. See Broder, "On
//! the resemblance and containment of documents" (1997).

use crate::convert::chat::ChatTurn;
use crate::dataset::chat_turns::turn_text;
use crate::reading::json::wtf8_to_str;
use twox_hash::XxHash3_128;

/// The number of hash functions.
pub(super) const SKETCH_HASHES: usize = 64;
const SHINGLE_WORDS: usize = 5;

/// The least hash of all shingles under each hash function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sketch {
    pub(super) least: [u64; SKETCH_HASHES],
}

impl Sketch {
    /// Returns the sketch of what is said in a chat. System prompts are left out, as they repeat.
    pub(super) fn of_turns(turns: &[ChatTurn]) -> Self {
        let mut sketch = Self { least: [u64::MAX; SKETCH_HASHES] };
        for turn in turns.iter().filter(|turn| !turn.role.is_system()) {
            sketch.add_text(&turn_text(turn).decoded());
            for call in &turn.calls {
                sketch.add_text(&wtf8_to_str(&call.arguments));
            }
        }
        sketch
    }

    /// Adds the shingles of a text. A short text is one shingle.
    fn add_text(&mut self, text: &str) {
        let words: Vec<u64> =
            words(text).map(|word| XxHash3_128::oneshot(word.as_bytes()) as u64).collect();
        if words.is_empty() {
            return;
        }
        for shingle in words.windows(SHINGLE_WORDS.min(words.len())) {
            let hash = shingle.iter().fold(0, |hash, word| mix(hash ^ word));
            for (number, least) in self.least.iter_mut().enumerate() {
                *least = (*least).min(mix(hash.wrapping_add(number as u64 + 1)));
            }
        }
    }
}

/// Returns the words of a text. Characters of scripts without blanks are words of their own.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .flat_map(|word| {
            let single = !word.is_ascii() && word.chars().any(|c| c >= '\u{2e80}');
            let pieces: Vec<&str> = if single {
                word.char_indices().map(|(at, c)| &word[at..at + c.len_utf8()]).collect()
            } else {
                vec![word]
            };
            pieces
        })
        .filter(|word| !word.is_empty())
}

/// Mixes the bits of a number (SplitMix64).
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

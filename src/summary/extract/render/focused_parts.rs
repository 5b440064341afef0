//! Weighs the parts of a long request that are about the work in hand: what was built already is needed less than
//! what is built next.

use super::request_parts::RequestPart;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::facts::focus_words::FocusWords;
use hashbrown::{HashMap, HashSet};

/// Minimum number of parts of a request in which some are weighed: of a shorter one most is shown.
const LEAST_PARTS: usize = 24;
/// The most parts that a telling word stands in, at least and of all parts in hundredths.
const MOST_PARTS: usize = 4;
const MOST_PARTS_SHARE: usize = 5;
/// What a part says more for each telling word in it, the most words that count, and what it says more below a
/// heading with such a word.
const WORD_WORTH: i32 = 16;
const MOST_WORDS: usize = 3;
const BELOW_WORTH: i32 = 16;

/// Adds what the parts of a request say of the work in hand. `telling` are the numbers of `telling_words`.
pub(super) fn weigh_focus(parts: &mut [RequestPart<'_>], telling: &[usize]) {
    if parts.len() < LEAST_PARTS || SummaryRule::FocusWords.is_off() {
        return;
    }
    for (part, &words) in parts.iter_mut().zip(telling) {
        let is_below = part.heading.is_some_and(|heading| telling[heading] > 0);
        let words = i32::try_from(words.min(MOST_WORDS)).unwrap_or(0);
        part.worth += words * WORD_WORTH + if is_below { BELOW_WORTH } else { 0 };
    }
}

/// Returns for each part the number of its words about the work in hand that few other parts have.
pub(super) fn telling_words(parts: &[RequestPart<'_>], focus: &FocusWords) -> Vec<usize> {
    if focus.is_empty() {
        return vec![0; parts.len()];
    }
    let named: Vec<HashSet<String>> = (parts.iter())
        .map(|part| focus.words_in(part.text))
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in named.iter().flatten() {
        *counts.entry(word.as_str()).or_default() += 1;
    }
    let most = MOST_PARTS.max(parts.len() * MOST_PARTS_SHARE / 100);
    let is_telling = |word: &&String| counts[word.as_str()] <= most;
    (named.iter())
        .map(|words| words.iter().filter(is_telling).count())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::render::split_requests::split_request;

    #[test]
    fn what_a_request_says_of_the_work_in_hand_weighs_more() {
        let rooms: String = (0..30)
            .map(|number| format!("## Room {number}\nIt has a door and a lamp.\n"))
            .collect();
        let text = format!("{rooms}## The cellar\nThe barrels stand on the left.\n");
        let mut parts = split_request(&text, 300);
        let before: Vec<i32> = parts.iter().map(|part| part.worth).collect();
        let focus = FocusWords::of(&["Build the cellar of the house"]);
        let telling = telling_words(&parts, &focus);
        weigh_focus(&mut parts, &telling);
        for (part, before) in parts.iter().zip(before) {
            let is_about = part.text.contains("cellar") || part.text.contains("barrels");
            assert_eq!(part.worth > before, is_about, "{}", part.text);
        }
    }
}

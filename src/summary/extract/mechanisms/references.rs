//! Single names, which fill what is left: those that are most likely needed again, behind their key.

use crate::summary::extract::choose::{Candidate, Kind, Signs};
use crate::summary::extract::lexicon::{COMMAND_ARGUMENTS, OUTPUT_KEYS};
use crate::summary::extract::session::Reading;
use std::borrow::Cow;

/// The most names that are offered.
const MOST: usize = 120;
/// The least probability of a name to be offered, in millionths.
const LEAST: i64 = 500;
/// The longest key in bytes.
const LONGEST_KEY: usize = 32;
/// In place of the key of names that have none.
const NO_KEY: &str = "also";

/// Offers the likeliest names.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, values: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let mut places: Vec<usize> = (0..values.len())
        .filter(|&place| values[place] >= LEAST)
        .collect();
    places.sort_by_key(|&place| (std::cmp::Reverse(values[place]), place));
    for place in places.into_iter().take(MOST) {
        let name = &reading.vocabulary.names[place];
        let key = name.key.filter(|key| {
            key.text.len() <= LONGEST_KEY
                && !COMMAND_ARGUMENTS.contains(&key.text)
                && !OUTPUT_KEYS.contains(&key.text)
                && !key.text.bytes().any(|b| b.is_ascii_digit() || b <= b' ')
        });
        // Keys are told apart by their symbol: a table of them is not needed.
        let (group, key) = key.map_or((0, NO_KEY), |key| (key.symbol.0 as usize, key.text));
        let line = Candidate::new(
            Kind::Reference,
            (name.last as usize, place),
            Cow::Borrowed(name.text),
            Signs::default(),
        );
        lines.push(line.under(group, Cow::Borrowed(key)));
    }
}

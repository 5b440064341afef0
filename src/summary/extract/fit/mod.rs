//! Learns the weights from logged sessions. A session goes on behind any cut, so what was needed later
//! is known: labels cost nothing.

mod regression;
mod rows;

pub(crate) use rows::{CutRows, session_cuts};

use super::choose::Weights;
use super::choose::weights::FULL;
use regression::{LabelledRow, Link, Regression};

/// The sessions of one source. Each source weighs the same, up to what it can carry.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub cuts: Vec<CutRows>,
}

/// A source with this many needed names, or used words, weighs in full.
const ENOUGH_NEEDED: f64 = 150.0;
const ENOUGH_USED: f64 = 500.0;
/// What a source weighs.
const SOURCE_WEIGHT: f64 = 1000.0;
/// How strongly weights are pulled towards the embedded ones. What is used later does not tell which
/// kinds of lines a reader needs, so those of lines are pulled more.
const PULL_NAMES: f64 = 20.0;
const PULL_LINES: f64 = 30000.0;

/// Learns weights from sources. What a reader gains from each kind of line can't be learnt from logs: it
/// stays that of `embedded`.
pub(crate) fn fit_weights(sources: &[&Source], embedded: &Weights) -> Weights {
    let mut names = Regression::new(as_numbers(&embedded.names), Link::Logistic, PULL_NAMES);
    let mut lines = Regression::new(as_numbers(&embedded.lines), Link::Exponential, PULL_LINES);
    for source in sources {
        let needed = source.cuts.iter().flat_map(|cut| &cut.names);
        let needed = needed.filter(|row| row.is_needed).count() as f64;
        let used = source.cuts.iter().flat_map(|cut| &cut.lines);
        let used: f64 = used.map(|row| f64::from(row.used)).sum();
        for cut in &source.cuts {
            let rows = cut.names.iter().map(|row| LabelledRow {
                features: row.features.to_vec(),
                target: if row.is_needed { 1.0 } else { 0.0 },
                weight: f64::from(row.weight) * SOURCE_WEIGHT / needed.max(ENOUGH_NEEDED),
            });
            names.samples.extend(rows);
            let rows = cut.lines.iter().map(|row| LabelledRow {
                features: row.features.to_vec(),
                target: f64::from(row.used),
                weight: f64::from(row.weight) * SOURCE_WEIGHT / used.max(ENOUGH_USED),
            });
            lines.samples.extend(rows);
        }
    }
    let mut weights = embedded.clone();
    if let Some(learnt) = names.fit() {
        round_into(&learnt, &mut weights.names);
    }
    if let Some(learnt) = lines.fit() {
        round_into(&learnt, &mut weights.lines);
    }
    weights
}

fn as_numbers(weights: &[i32]) -> Vec<f64> {
    let number = |weight: &i32| f64::from(*weight) / f64::from(FULL);
    weights.iter().map(number).collect()
}

fn round_into(learnt: &[f64], weights: &mut [i32]) {
    for (weight, value) in weights.iter_mut().zip(learnt) {
        // Two digits are enough, and hide what differs between machines.
        *weight = (value * 100.0).round().clamp(-9000.0, 9000.0) as i32 * 10;
    }
}

/// How well weights rank what was needed.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Judgement {
    /// The needed names among the first of each cut, and all needed names.
    pub found: f64,
    pub needed: f64,
    /// The used words of the best lines of each cut, and those of the best possible choice.
    pub used: f64,
    pub usable: f64,
}

/// The number of names and of lines that count as first: a summary of some hundred tokens has room for
/// them.
const FIRST_NAMES: usize = 40;
const FIRST_LINES: usize = 12;

/// Judges weights by cuts.
pub(crate) fn judge_weights(weights: &Weights, cuts: &[CutRows]) -> Judgement {
    let mut judgement = Judgement::default();
    for cut in cuts {
        let names = cut.names.iter();
        let needed = |row: &rows::NameRow| if row.is_needed { 1.0 } else { 0.0 };
        let names = names.map(|row| (score(&row.features, &weights.names), needed(row)));
        let mut names: Vec<(i64, f64)> = names.collect();
        let lines = cut.lines.iter();
        let lines = lines.map(|row| (score(&row.features, &weights.lines), f64::from(row.used)));
        let mut lines: Vec<(i64, f64)> = lines.collect();
        judgement.needed += names.iter().map(|(_, needed)| needed).sum::<f64>();
        judgement.found += first_sum(&mut names, FIRST_NAMES);
        judgement.used += first_sum(&mut lines, FIRST_LINES);
        let best = lines.iter().map(|(_, used)| ((used * 1000.0) as i64, *used));
        let mut best: Vec<(i64, f64)> = best.collect();
        judgement.usable += first_sum(&mut best, FIRST_LINES);
    }
    judgement
}

fn first_sum(scored: &mut [(i64, f64)], first: usize) -> f64 {
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.iter().take(first).map(|(_, value)| value).sum()
}

fn score(features: &[f32], weights: &[i32]) -> i64 {
    let weighed = features.iter().zip(&weights[1..]);
    weighed.map(|(feature, weight)| (f64::from(*feature) * f64::from(*weight)) as i64).sum()
}

/// Returns features as shares of a full one.
fn shares<const N: usize>(features: [i32; N]) -> [f32; N] {
    features.map(|feature| feature as f32 / FULL as f32)
}

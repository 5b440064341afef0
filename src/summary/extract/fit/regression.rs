//! Linear models: logistic for what happens or not, exponential for how often. Newton's method, with
//! features scaled to their spread.

/// How the weighted sum becomes an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// A probability.
    Logistic,
    /// A count.
    Exponential,
}

/// Features with what came of them.
#[derive(Debug)]
pub(crate) struct LabelledRow {
    pub features: Vec<f32>,
    pub target: f64,
    pub weight: f64,
}

/// A model that is fitted to samples.
#[derive(Debug)]
pub(crate) struct Regression {
    size: usize,
    link: Link,
    /// How strongly weights are pulled towards those that are known before.
    pull: f64,
    /// The constant and the weights that are known before.
    prior: Vec<f64>,
    pub samples: Vec<LabelledRow>,
}

/// The most steps of Newton's method.
const MOST_STEPS: usize = 40;
/// The largest sum of an exponential model: `exp` of more is no count of words in a line.
const LARGEST_SUM: f64 = 4.0;
/// The largest step in any weight.
const LARGEST_STEP: f64 = 2.0;

impl Regression {
    pub(crate) fn new(prior: Vec<f64>, link: Link, pull: f64) -> Self {
        Self { size: prior.len() - 1, link, pull, prior, samples: Vec::new() }
    }

    /// Returns the constant and the weights. Returns `None` without samples of both outcomes.
    pub(crate) fn fit(&self) -> Option<Vec<f64>> {
        let total: f64 = self.samples.iter().map(|sample| sample.weight).sum();
        let hits = self.samples.iter().map(|sample| sample.weight * sample.target);
        let hits: f64 = hits.sum();
        if hits <= 0.0 || (self.link == Link::Logistic && hits >= total) {
            return None;
        }
        let (means, spreads) = self.spread(total);
        let mut weights = vec![0.0; self.size + 1];
        let mean = hits / total;
        weights[0] = match self.link {
            Link::Logistic => (mean / (1.0 - mean)).ln(),
            Link::Exponential => mean.ln(),
        };
        let mut scaled_prior = vec![0.0];
        let prior = self.prior[1..].iter().zip(&spreads);
        scaled_prior.extend(prior.map(|(weight, spread)| weight * spread));
        weights[1..].copy_from_slice(&scaled_prior[1..]);
        let mut row = vec![1.0; self.size + 1];
        for _ in 0..MOST_STEPS {
            let gradient = weights.iter().zip(&scaled_prior);
            let gradient = gradient.map(|(weight, prior)| self.pull * (weight - prior));
            let mut gradient: Vec<f64> = gradient.collect();
            gradient[0] = 0.0;
            let mut curvature = vec![0.0; (self.size + 1) * (self.size + 1)];
            for at in 1..=self.size {
                curvature[at * (self.size + 1) + at] = self.pull;
            }
            for sample in &self.samples {
                for (at, value) in sample.features.iter().enumerate() {
                    row[at + 1] = (f64::from(*value) - means[at]) / spreads[at];
                }
                let sum = row.iter().zip(&weights).map(|(value, weight)| value * weight).sum();
                let (expected, slope) = self.expectation(sum);
                let error = sample.weight * (expected - sample.target);
                let slope = sample.weight * slope;
                for at in 0..=self.size {
                    gradient[at] += error * row[at];
                    let scaled = slope * row[at];
                    let line = &mut curvature[at * (self.size + 1)..=at * (self.size + 1) + at];
                    for (cell, value) in line.iter_mut().zip(&row) {
                        *cell += scaled * value;
                    }
                }
            }
            let step = solve(&mut curvature, gradient);
            let largest = step.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            let scale = if largest > LARGEST_STEP { LARGEST_STEP / largest } else { 1.0 };
            for (weight, change) in weights.iter_mut().zip(&step) {
                *weight -= scale * change;
            }
            if largest < 1e-6 {
                break;
            }
        }
        for at in 0..self.size {
            weights[at + 1] /= spreads[at];
            weights[0] -= weights[at + 1] * means[at];
        }
        Some(weights)
    }

    fn expectation(&self, sum: f64) -> (f64, f64) {
        match self.link {
            Link::Logistic => {
                let chance = 1.0 / (1.0 + (-sum).exp());
                (chance, (chance * (1.0 - chance)).max(1e-9))
            }
            Link::Exponential => {
                let count = sum.min(LARGEST_SUM).exp();
                (count, count.max(1e-9))
            }
        }
    }

    /// Returns the mean of each feature and its spread.
    fn spread(&self, total: f64) -> (Vec<f64>, Vec<f64>) {
        let mut means = vec![0.0; self.size];
        let mut squares = vec![0.0; self.size];
        for sample in &self.samples {
            for (at, value) in sample.features.iter().enumerate() {
                let value = f64::from(*value);
                means[at] += sample.weight * value / total;
                squares[at] += sample.weight * value * value / total;
            }
        }
        let spreads = means
            .iter()
            .zip(&squares)
            .map(|(mean, square)| (square - mean * mean).max(1e-6).sqrt().max(0.02));
        let spreads = spreads.collect();
        (means, spreads)
    }
}

/// Solves a symmetric system whose lower half is given, by Cholesky's method.
fn solve(matrix: &mut [f64], mut side: Vec<f64>) -> Vec<f64> {
    let size = side.len();
    for row in 0..size {
        for column in 0..=row {
            let products: f64 =
                (0..column).map(|at| matrix[row * size + at] * matrix[column * size + at]).sum();
            let rest = matrix[row * size + column] - products;
            matrix[row * size + column] = if row == column {
                rest.max(1e-12).sqrt()
            } else {
                rest / matrix[column * size + column]
            };
        }
    }
    for row in 0..size {
        let products: f64 = (0..row).map(|at| matrix[row * size + at] * side[at]).sum();
        side[row] = (side[row] - products) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let products: f64 = (row + 1..size).map(|at| matrix[at * size + row] * side[at]).sum();
        side[row] = (side[row] - products) / matrix[row * size + row];
    }
    side
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_found_again() {
        let mut regression = Regression::new(vec![0.0; 3], Link::Exponential, 1e-3);
        for at in 0..200_u16 {
            let (left, right) = (f32::from(at % 7) / 7.0, f32::from(at % 11) / 11.0);
            let target = (f64::from(left) * 1.5 - f64::from(right) + 0.5).exp();
            regression.samples.push(LabelledRow {
                features: vec![left, right],
                target,
                weight: 1.0,
            });
        }
        let weights = regression.fit().unwrap();
        for (weight, expected) in weights.iter().zip([0.5, 1.5, -1.0]) {
            assert!((weight - expected).abs() < 0.01, "{weights:?}");
        }
    }

    #[test]
    fn nothing_is_learnt_from_one_outcome() {
        let mut regression = Regression::new(vec![0.0; 2], Link::Logistic, 1.0);
        assert_eq!(regression.fit(), None);
        regression.samples.push(LabelledRow { features: vec![1.0], target: 0.0, weight: 1.0 });
        assert_eq!(regression.fit(), None);
    }
}

//! What an answer is worth, and the sum over questions.

use crate::base::sums::add_fields;
use crate::reporting::retention::ratio::{KeptRatio, MeanRatio};
use std::ops::AddAssign;

/// What a part of an answer is worth beside its share: half an answer helps a reader less than half.
const PART_WORTH: f64 = 0.8;

/// The mark of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mark {
    /// From 0, nothing of it is there, to 1, all is.
    pub share: f64,
    /// True if the summary says what is stale or refused.
    pub misleads: bool,
}

impl Mark {
    /// Creates the mark for so many halves of groups, of which `enough` whole ones are all.
    #[expect(clippy::cast_precision_loss, reason = "groups are few")]
    pub(super) fn new(halves: usize, enough: usize, misleads: bool) -> Self {
        let share = if halves >= 2 * enough {
            1.0
        } else {
            PART_WORTH * (halves as f64 / 2.0) / enough as f64
        };
        Self { share, misleads }
    }
}

/// The marks of several answers together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct AnswerScores {
    /// The sum of the marks; `counts` are whole answers.
    pub answered: MeanRatio,
    /// Answers that mislead.
    pub misleading: KeptRatio,
}

impl AddAssign<Mark> for AnswerScores {
    fn add_assign(&mut self, mark: Mark) {
        self.answered += MeanRatio {
            counts: KeptRatio::from_kept([mark.share >= 1.0].into_iter()),
            shares: mark.share,
            cuts: 1,
        };
        self.misleading += KeptRatio::from_kept([mark.misleads].into_iter());
    }
}

add_fields!(AnswerScores: answered, misleading);

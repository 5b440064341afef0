//! Questions that a summary must answer, marked without a reader.
//!
//! The author of a question writes down what a reader would need to find: its needles. A summary
//! answers it if it holds them. `docs/guide/evaluate.md` has the rules.

mod needle;
mod needles;
mod question_file;

pub(crate) use crate::reporting::retention::ratio::{AnswerScores, Mark};
pub(crate) use question_file::{Question, QuestionFile};

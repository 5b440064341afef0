//! Questions on a session: where they cut it, and the marks of what a summary answers.

use crate::reporting::retention::{Mark, Passage, Question, QuestionFile, SessionCut};

/// A cut, and the questions on it.
pub(super) struct AskedCut<'q> {
    /// The cut.
    pub cut: SessionCut,
    /// The questions, in the order of the file.
    pub questions: Vec<&'q Question>,
}

impl AskedCut<'_> {
    /// Creates a cut that nothing is asked on.
    pub(super) fn without_questions(cut: SessionCut) -> Self {
        Self { cut, questions: Vec::new() }
    }
}

/// Returns the cuts that the questions on a session name. Those that can't be made are added to the
/// errors.
pub(super) fn asked_cuts<'q>(
    file: &'q QuestionFile,
    thread_id: &str,
    passages: &[Passage],
    errors: &mut Vec<String>,
) -> Vec<AskedCut<'q>> {
    let mut cuts: Vec<AskedCut<'q>> = Vec::new();
    for question in file.on_thread(thread_id) {
        let Some(cut) = question.cut.find(passages) else {
            errors.push(format!(
                "{}:{}: the session can't be cut at {}: no assistant message from there on, or too little before it",
                file.name, question.line, question.cut.text
            ));
            continue;
        };
        match cuts.iter_mut().find(|asked| asked.cut == cut) {
            Some(asked) => asked.questions.push(question),
            None => cuts.push(AskedCut { cut, questions: vec![question] }),
        }
    }
    cuts
}

/// What a summary answers to a question.
#[derive(Debug)]
pub(crate) struct MarkedAnswer {
    /// The line of the question in its file, from 1.
    pub line: usize,
    /// The name of the cut.
    pub cut: String,
    /// The question.
    pub question: String,
    /// The policy whose summary was asked.
    pub policy: String,
    /// The mark.
    pub mark: Mark,
}

impl MarkedAnswer {
    /// Marks what a summary answers. Fails if a pattern takes too many steps.
    pub(super) fn new(question: &Question, policy: &str, summary: &str) -> Result<Self, String> {
        let mark = question.mark(summary);
        let mark =
            mark.map_err(|error| format!("the question of line {}: {error}", question.line))?;
        Ok(Self {
            line: question.line,
            cut: question.cut.text.clone(),
            question: question.question.clone(),
            policy: policy.to_owned(),
            mark,
        })
    }
}

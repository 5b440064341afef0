//! A session: cut, compacted by every policy, and judged by what came later and by the questions on
//! it.

use crate::base::stop_flag::StopFlag;
use crate::deciding::policy::{Amount, Clause, Keep, SummarizerKind, Trigger};
use crate::deciding::tokens::TokenCounter;
use crate::reading::transcript::view::TranscriptView;
use crate::reporting::report::{SummaryUsage, SummaryUsageTotals};
use crate::reporting::retention::{
    CompactedText, FutureNeeds, Mark, Passage, Question, QuestionFile, RetentionScores, SEEN_TAIL,
    SessionCut, session_cuts,
};
use crate::running::compaction::{CompactionError, Filled, Planned};
use crate::running::conversation::Conversation;
use crate::settings::Settings;
use crate::summary::{Summarizer, summarizer_entry};
use serde::Serialize;
use std::path::Path;

/// The scores of a policy on a session, over its cuts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SessionScores {
    /// Shares of what was needed that were kept.
    pub scores: RetentionScores,
    /// Cuts that were measured.
    pub cuts: u64,
    /// Cuts whose compaction failed.
    pub failed: u64,
    /// Tokens of what took the place of the compacted messages, over all cuts.
    pub tokens: u64,
    pub counter: Option<&'static str>,
}

#[derive(Debug, Default)]
pub(crate) struct MeasuredSession {
    /// The scores of each policy.
    pub scores: Vec<SessionScores>,
    /// Compactions that failed.
    pub errors: Vec<String>,
    /// The cost of summaries that a model wrote.
    pub usage: SummaryUsageTotals,
    /// The id of the session, if there are questions on it.
    pub asked: Option<String>,
    /// The answers to them.
    pub answers: Vec<MarkedAnswer>,
}

/// The parameters that the evaluations of all sessions share.
pub(crate) struct SessionEvaluation<'c> {
    pub contenders: &'c [Contender],
    /// Cut where there are questions, and mark the answers.
    pub questions: Option<&'c QuestionFile>,
    /// Ends the run early.
    pub stop: &'c StopFlag,
}

/// The compaction of the messages before a cut.
struct CompactedCut<'c> {
    /// The cost of the summary, where a model was asked.
    usage: Option<SummaryUsage>,
    left: Result<CountedText<'c>, CompactionError>,
}

/// The text that a policy leaves of a session up to a cut, and its counter.
struct CountedText<'c> {
    text: CompactedText,
    counter: &'c dyn TokenCounter,
}

impl SessionEvaluation<'_> {
    pub(crate) fn measure(&self, conversation: &Conversation<'_>) -> MeasuredSession {
        let thread_id = &conversation.thread_id;
        if self.questions.is_some_and(|file| file.on_thread(thread_id).is_empty()) {
            return MeasuredSession::default();
        }
        let passages = Passage::all_logged(&conversation.transcript);
        let mut measured = MeasuredSession {
            scores: vec![SessionScores::default(); self.contenders.len()],
            ..MeasuredSession::default()
        };
        for AskedCut { cut, questions } in self.cuts(thread_id, &passages, &mut measured) {
            let needs = FutureNeeds::from_cut(&passages, cut);
            let tail = &passages[cut.tail..cut.end];
            for (number, contender) in self.contenders.iter().enumerate() {
                let compacted = self.compact_before(conversation, cut, tail, contender);
                if let Some(usage) = &compacted.usage {
                    measured.usage += usage;
                }
                match compacted.left {
                    Ok(left) => {
                        measured.scores[number].add_cut(&needs, tail, &left);
                        measured.mark_answers(number, contender, &questions, &left.text);
                    }
                    Err(error) => {
                        measured.scores[number].failed += 1;
                        measured.errors.push(format!(
                            "{}, cut before message {}: {error}",
                            contender.name, cut.end
                        ));
                    }
                }
            }
        }
        measured
    }

    /// Returns the cuts of a session: where there are questions, those that they name.
    fn cuts(
        &self,
        thread_id: &str,
        passages: &[Passage],
        measured: &mut MeasuredSession,
    ) -> Vec<AskedCut<'_>> {
        let Some(file) = self.questions else {
            let cuts = session_cuts(passages).into_iter();
            return cuts.map(|cut| AskedCut { cut, questions: Vec::new() }).collect();
        };
        measured.asked = Some(thread_id.to_owned());
        asked_cuts(file, thread_id, passages, &mut measured.errors)
    }

    /// Compacts the messages before a cut.
    fn compact_before<'c>(
        &self,
        conversation: &Conversation<'_>,
        cut: SessionCut,
        tail: &[Passage],
        contender: &'c Contender,
    ) -> CompactedCut<'c> {
        let settings = &contender.settings;
        let mut prefix = conversation.prefix(cut.end, settings);
        prefix.assume_names();
        let planned = match Planned::decide(&prefix, settings) {
            Ok(planned) => planned,
            Err(error) => {
                return CompactedCut { usage: None, left: Err(error.into()) };
            }
        };
        let place = format!("{}, line {}", prefix.thread_id, prefix.line());
        let asked = planned.ask(contender.summarizer.as_deref());
        match asked.fill(self.stop, &place) {
            Ok(mut filled) => CompactedCut {
                left: Ok(CountedText {
                    text: CompactedText::new(left_messages(&filled, cut.end), tail),
                    counter: prefix.counter(settings),
                }),
                usage: filled.take_notes().asked,
            },
            Err(failed) => CompactedCut { usage: failed.notes.asked, left: Err(failed.error) },
        }
    }
}

impl MeasuredSession {
    fn mark_answers(
        &mut self,
        number: usize,
        contender: &Contender,
        questions: &[&Question],
        left: &CompactedText,
    ) {
        let summary = left.summary();
        for question in questions {
            match MarkedAnswer::new(question, &contender.name, &summary) {
                Ok(answer) => {
                    self.scores[number].scores.answers += answer.mark;
                    self.answers.push(answer);
                }
                Err(error) => self.errors.push(error),
            }
        }
    }
}

impl SessionScores {
    fn add_cut(&mut self, needs: &FutureNeeds, tail: &[Passage], left: &CountedText<'_>) {
        let tail: Vec<String> = tail.iter().map(Passage::full_text).collect();
        let counter = left.counter;
        let tail_tokens = counter.count_text(&tail.join("\n"));
        let left_tokens = counter.count_text(&left.text.whole());
        let tokens = left_tokens.saturating_sub(tail_tokens);
        self.scores += RetentionScores::measure(needs, &left.text);
        self.cuts += 1;
        self.counter = Some(counter.name());
        self.tokens += tokens as u64;
    }
}

/// Returns the texts of the summary and of the messages before message `end` that a compaction
/// leaves, without system prompts.
pub(crate) fn left_messages(filled: &Filled<'_, '_>, end: usize) -> Vec<String> {
    let overlay = filled.overlay();
    let view = TranscriptView::new(&filled.conversation().transcript, &overlay);
    let mut texts: Vec<String> = Vec::new();
    let mut first_kept = 0;
    if let Some((summary, text)) = filled.summary() {
        let framed = summary.frame.render(&summary.path, text);
        texts.extend(framed.into_iter().map(|(_, text)| text));
        first_kept = summary.first_kept;
    }
    let kept = (first_kept..end).filter(|&index| !view.message(index).role.is_system());
    texts.extend(kept.map(|index| Passage::from_message(view, index).full_text()));
    texts
}

/// A cut, and the questions on it.
struct AskedCut<'q> {
    pub cut: SessionCut,
    /// The questions, in the order of the file.
    pub questions: Vec<&'q Question>,
}

/// Returns the cuts that the questions on a session name. Those that can't be made are added to the
/// errors.
fn asked_cuts<'q>(
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
#[derive(Debug, Serialize)]
pub(crate) struct MarkedAnswer {
    /// The line of the question in its file, from 1.
    pub line: usize,
    pub cut: String,
    pub question: String,
    /// The policy whose summary was asked.
    pub policy: String,
    #[serde(flatten)]
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

/// A policy that is measured.
pub(crate) struct Contender {
    /// The name of its row.
    pub name: String,
    /// The policy, as it is measured: it acts at every cut.
    pub settings: Settings,
    /// The summarizer, built when the run begins.
    pub summarizer: Option<Box<dyn Summarizer>>,
}

impl Contender {
    /// Prepares a policy to be measured. A policy from a file has the file's name.
    pub(crate) fn new(mut settings: Settings, file: Option<&Path>) -> Self {
        let policy = &mut settings.policy;
        policy.summarize.trigger =
            Some(Trigger { clauses: vec![Clause(vec![Amount::Messages(1)])] });
        // A share of the model's window is more than most sessions have.
        if matches!(
            policy.summarize.keep,
            None | Some(Keep::Last(Amount::Fraction(_)) | Keep::Turns { tokens: None, .. })
        ) {
            policy.summarize.keep = Some(Keep::Last(Amount::Messages(SEEN_TAIL as u64)));
        }
        let name = match file.and_then(Path::file_stem) {
            Some(stem) => stem.to_string_lossy().into_owned(),
            None => summarizer_name(&settings),
        };
        Self { name, settings, summarizer: None }
    }
}

fn summarizer_name(settings: &Settings) -> String {
    let policy = &settings.policy;
    match &policy.summarizer.kind {
        SummarizerKind::Command(line) => line.clone(),
        SummarizerKind::Http => {
            let model = policy.summarizer.model.name.as_ref();
            let model = model.or(policy.model.as_ref());
            model.map_or_else(|| "http".to_owned(), Clone::clone)
        }
        kind => summarizer_entry(kind).name.to_owned(),
    }
}

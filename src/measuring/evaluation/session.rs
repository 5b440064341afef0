//! A session: cut, compacted by every policy, and judged by what came later.

use crate::base::stop_flag::StopFlag;
use crate::deciding::tokens::TokenCounter;
use crate::measuring::evaluation::answers::{AskedCut, MarkedAnswer, asked_cuts};
use crate::measuring::evaluation::contender::Contender;
use crate::reading::transcript::view::TranscriptView;
use crate::reporting::report::{SummaryUsage, SummaryUsageTotals};
use crate::reporting::retention::{
    CompactedText, FutureNeeds, Passage, Question, QuestionFile, RetentionScores, SessionCut,
    session_cuts,
};
use crate::running::compaction::{CompactionError, Filled, Planned};
use crate::running::conversation::Conversation;
use crate::settings::Settings;

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
    /// The name of the counter.
    pub counter: Option<&'static str>,
}

/// A session that was measured.
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
    /// The policies.
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
    /// Measures a session.
    pub(crate) fn measure(&self, conversation: &Conversation<'_>) -> MeasuredSession {
        let thread_id = &conversation.thread_id;
        if self.questions.is_some_and(|file| file.on_thread(thread_id).is_empty()) {
            return MeasuredSession::default();
        }
        let view = TranscriptView::logged(&conversation.transcript);
        let messages = 0..conversation.transcript.messages.len();
        let passages: Vec<Passage> =
            messages.map(|index| Passage::from_message(view, index)).collect();
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
            return cuts.map(AskedCut::without_questions).collect();
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
        let prefix = conversation_before(conversation, cut, settings);
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

fn conversation_before<'u>(
    conversation: &Conversation<'u>,
    cut: SessionCut,
    settings: &Settings,
) -> Conversation<'u> {
    let mut prefix = conversation.prefix(cut.end, settings);
    prefix.assume_names();
    prefix
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

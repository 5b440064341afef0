//! A plan while its stages add to it.

use crate::json::decode_literal;
use crate::plan::{Edit, Hole, Reason, Stage, Summary, overlay};
use crate::planner::Input;
use crate::policy::{Clause, OnGrowth, SummarizerKind, Threshold, Triggered};
use crate::strategy::evict::evict;
use crate::strategy::{prune, summarize, trim, truncate};
use crate::tokens::Ledger;
use crate::transcript::journal::WriteMode;
use crate::transcript::overlay::Overlay;
use crate::transcript::summary_frame::SummaryFrame;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Message, Role, Transcript};
use std::collections::BTreeMap;

/// A summary's default budget: a share of what it replaces, within bounds (spec: summary).
const BUDGET_SHARE: usize = 20;
pub(super) const BUDGET_MIN: usize = 256;
const BUDGET_MAX: usize = 2000;
/// With less room than this no summary is worth its frame.
pub(super) const LEAST_ROOM: usize = 8;

/// What messages counted before a stage touched them, by message.
pub(super) type Saved = BTreeMap<usize, usize>;

/// A plan while its stages add to it.
pub(super) struct Draft<'i, 'a> {
    pub(super) input: &'i Input<'i, 'a>,
    pub(super) ledger: Ledger<'i>,
    pub(super) overlay: Overlay,
    pub(super) edits: Vec<Edit>,
    pub(super) reasons: Vec<Reason>,
    /// Tokens with the frame of a summary, its text not counted.
    pub(super) summarized: Option<usize>,
    /// Whether it is summarised only because it is above its limit.
    pub(super) fallback: bool,
    /// The edits before stage overflow.
    pub(super) regular: Vec<Edit>,
}

impl<'i, 'a> Draft<'i, 'a> {
    pub(super) fn new(input: &'i Input<'i, 'a>) -> Self {
        let mut draft = Self {
            input,
            ledger: input.ledger.clone(),
            overlay: Overlay::default(),
            edits: input.cleared.unwrap_or_default().to_vec(),
            reasons: Vec::new(),
            summarized: None,
            fallback: false,
            regular: Vec::new(),
        };
        if !draft.edits.is_empty() {
            draft.apply_overlay(&mut Saved::new());
        }
        draft
    }

    pub(super) fn view(&self) -> TranscriptView<'_, 'a> {
        TranscriptView {
            transcript: self.input.transcript,
            overlay: &self.overlay,
        }
    }

    /// Tokens of a model call as the edits so far leave it.
    pub(super) fn total(&self) -> usize {
        self.ledger
            .call_tokens(self.view(), 0..self.input.transcript.messages.len(), None)
    }

    pub(super) fn reason(&mut self, stage: Stage, applies: bool, tokens: [usize; 2], why: String) {
        self.reasons.push(Reason {
            stage,
            applies,
            why,
            tokens_before: tokens[0],
            tokens_after: tokens[1],
        });
    }

    /// Why a stage can't be carried out in this log.
    pub(super) fn unwritten(&self, stage: Stage) -> Option<String> {
        let clears = match self.input.transcript.write_mode {
            WriteMode::InPlace | WriteMode::Nowhere => return None,
            WriteMode::Appended { clears, .. } => clears,
        };
        let why = if clears {
            "summaries and cleared results"
        } else {
            "summaries"
        };
        (stage != Stage::Prune || !clears).then(|| {
            format!(
                "not done: this journal records only {why}, nothing in it is rewritten (--to can)"
            )
        })
    }

    pub(super) fn evict(&mut self) {
        let before = self.total();
        if let Some(why) = self.unwritten(Stage::Evict) {
            return self.reason(Stage::Evict, false, [before; 2], why);
        }
        let policy = &self.input.policy.evict;
        if policy.tokens == 0 {
            return self.reason(Stage::Evict, false, [before; 2], "off".to_owned());
        }
        let limit = policy.tokens.saturating_mul(4);
        let named = self
            .input
            .candidates
            .iter()
            .zip(&self.input.names.results)
            .filter(|(one, _)| one.large);
        let edits: Vec<Edit> = named
            .map(|(one, name)| {
                Edit::Evict(evict(self.input.transcript, one, &name.file, &name.path))
            })
            .collect();
        if edits.is_empty() {
            return self.reason(
                Stage::Evict,
                false,
                [before; 2],
                format!("no tool result longer than {limit} characters"),
            );
        }
        self.propose(
            Stage::Evict,
            before,
            edits,
            |made| format!("{made} longer than {limit} characters"),
            "tool result",
        );
    }

    pub(super) fn truncate(&mut self) {
        let before = self.total();
        if let Some(why) = self.unwritten(Stage::Truncate) {
            return self.reason(Stage::Truncate, false, [before; 2], why);
        }
        let (policy, thresholds) = (&self.input.policy.truncate, self.input.thresholds);
        let state = self.triggered(before, false);
        let Some(clause) = state.first(&thresholds.truncate_trigger) else {
            let why = not_triggered(&state, &thresholds.truncate_trigger);
            return self.reason(Stage::Truncate, false, [before; 2], why);
        };
        let recent = truncate::first_recent(self.view(), &self.ledger, thresholds.truncate_keep);
        let edits: Vec<Edit> = truncate::truncations(self.view(), policy, recent)
            .into_iter()
            .map(Edit::Truncate)
            .collect();
        let rule = format!(
            "trigger {clause} reached, keep {}",
            thresholds.truncate_keep
        );
        if edits.is_empty() {
            let why = format!(
                "{rule}: no argument longer than {} characters in {} before message {recent}",
                policy.max_length,
                policy.tools.join(", ")
            );
            return self.reason(Stage::Truncate, false, [before; 2], why);
        }
        self.propose(
            Stage::Truncate,
            before,
            edits,
            |made| {
                format!(
                    "{rule}: {made} longer than {} characters",
                    policy.max_length
                )
            },
            "argument",
        );
    }

    pub(super) fn prune(&mut self) {
        let before = self.total();
        let policy = &self.input.policy.prune;
        if !policy.enabled {
            return self.reason(Stage::Prune, false, [before; 2], "off".to_owned());
        }
        if let Some(why) = self.unwritten(Stage::Prune) {
            return self.reason(Stage::Prune, false, [before; 2], why);
        }
        if let Some(cleared) = self.input.cleared {
            let why = format!(
                "{} cleared before this call",
                plural(cleared.len(), "tool result")
            );
            return self.reason(Stage::Prune, !cleared.is_empty(), [before; 2], why);
        }
        let scan = prune::scan(self.view(), self.ledger.counter, policy);
        let counted = format!(
            "{} tokens of tool results count, the newest {} stay",
            scan.counted, policy.protect
        );
        let stop = scan
            .stop
            .map(|(index, what)| format!("; message {index} ended the scan: {what}"))
            .unwrap_or_default();
        let results = plural(scan.prunable.len(), "tool result");
        if scan.prunable.is_empty() {
            return self.reason(Stage::Prune, false, [before; 2], format!("{counted}{stop}"));
        }
        if scan.tokens <= policy.minimum {
            let why = format!(
                "{counted}; {results} of {} tokens would go, that is not more than {}{stop}",
                scan.tokens, policy.minimum
            );
            return self.reason(Stage::Prune, false, [before; 2], why);
        }
        let kept_edits = self.edits.len();
        let mut saved = Saved::new();
        self.edits
            .extend(scan.prunable.into_iter().map(Edit::Prune));
        self.apply_overlay(&mut saved);
        let after = self.total();
        // As a whole, not one by one: what is shorter than the placeholder goes with the rest, as in OpenCode.
        if self.input.policy.on_growth == OnGrowth::Skip && after > before {
            self.edits.truncate(kept_edits);
            self.apply_overlay(&mut saved);
            let why = format!(
                "{counted}; {results} would only get longer and stay as they are (on_growth){stop}"
            );
            return self.reason(Stage::Prune, false, [before; 2], why);
        }
        self.reason(
            Stage::Prune,
            true,
            [before, after],
            format!(
                "{counted}; {results} of {} tokens cleared{stop}",
                scan.tokens
            ),
        );
    }

    /// Makes the edits of a stage that replace text, but for those that make their message longer.
    pub(super) fn propose(
        &mut self,
        stage: Stage,
        before: usize,
        edits: Vec<Edit>,
        why: impl Fn(&str) -> String,
        noun: &str,
    ) {
        let kept_edits = self.edits.len();
        let mut proposed = edits.len();
        let mut saved = Saved::new();
        self.edits.extend(edits);
        self.apply_overlay(&mut saved);
        if self.input.policy.on_growth == OnGrowth::Skip {
            let grown = |index: usize| {
                saved
                    .get(&index)
                    .is_some_and(|tokens| self.ledger.messages[index] > *tokens)
            };
            if saved.keys().any(|index| grown(*index)) {
                let mut place = 0;
                self.edits.retain(|edit| {
                    place += 1;
                    place <= kept_edits || !edit.message().is_some_and(grown)
                });
                self.apply_overlay(&mut saved);
            }
            if self.total() > before {
                // Reported usage scales totals: a smaller list can count more.
                self.edits.truncate(kept_edits);
                self.apply_overlay(&mut saved);
            }
        }
        let made = self.edits.len() - kept_edits;
        proposed -= made;
        let longer = format!(
            "{} would only get longer and stay as they are (on_growth)",
            plural(proposed, noun)
        );
        let text = match (made, proposed) {
            (0, _) => longer,
            (_, 0) => why(&plural(made, noun)),
            (_, _) => format!("{}; {longer}", why(&plural(made, noun))),
        };
        let after = self.total();
        self.reason(stage, made > 0, [before, after], text);
    }

    /// Brings overlay and ledger up to the edits; `saved` collects what messages counted before.
    pub(super) fn apply_overlay(&mut self, saved: &mut Saved) {
        self.overlay = overlay(self.input.transcript, &self.edits);
        for index in self.edits.iter().filter_map(Edit::message) {
            saved.entry(index).or_insert(self.ledger.messages[index]);
        }
        let view = TranscriptView {
            transcript: self.input.transcript,
            overlay: &self.overlay,
        };
        for &index in saved.keys() {
            self.ledger.recount(view, index);
        }
    }

    pub(super) fn triggered(&self, total: usize, with_reported: bool) -> Triggered {
        let transcript = self.input.transcript;
        let reported = || {
            let last = transcript
                .messages
                .iter()
                .rposition(|message| message.role == Role::Assistant)?;
            reported(transcript, last, self.input.provider)
        };
        Triggered {
            tokens: total as u64,
            messages: (transcript.messages.len() - transcript.system_prefix_len()) as u64,
            reported: if with_reported { reported() } else { None },
            used: self.used(),
        }
    }

    /// Tokens that the last model call used, as the log reports them. Not after a compaction: what stands behind
    /// a summary may be older than it, and then its usage is that of a longer list.
    pub(super) fn used(&self) -> Option<u64> {
        let messages = &self.input.transcript.messages;
        if messages.iter().any(|message| message.earlier_summary) {
            return None;
        }
        messages
            .iter()
            .rev()
            .filter(|message| message.role == Role::Assistant)
            .find_map(Message::reported_tokens)
    }

    /// How a summary before message `first_kept` is presented. OpenCode's two messages can't stand where the format
    /// keeps a summary beside the list, or where the model would speak twice in a row.
    pub(super) fn frame(&self, first_kept: usize) -> SummaryFrame {
        let (frame, transcript) = (self.input.policy.summarize.frame, self.input.transcript);
        let is_beside = transcript.outside > 0 && transcript.messages[0].earlier_summary;
        let next = transcript.messages[first_kept..]
            .iter()
            .find(|message| !message.role.is_system());
        match transcript.write_mode {
            WriteMode::Appended { asked: true, .. } => return SummaryFrame::OpenCode,
            WriteMode::Appended { .. } if frame == SummaryFrame::OpenCode => {
                return SummaryFrame::Archived;
            }
            WriteMode::Appended { .. } | WriteMode::InPlace | WriteMode::Nowhere => {}
        }
        let speaks_twice =
            transcript.alternates && next.is_some_and(|message| message.role == Role::Assistant);
        if frame == SummaryFrame::OpenCode && (is_beside || speaks_twice) {
            SummaryFrame::Archived
        } else {
            frame
        }
    }

    /// Tokens of the messages that present a summary.
    pub(super) fn framed(&self, frame: SummaryFrame, path: &str, text: &str) -> usize {
        frame
            .render(path, text)
            .iter()
            .map(|(role, text)| self.ledger.counter.count_summary(*role, text))
            .sum()
    }

    pub(super) fn summarize(&mut self, before: usize) {
        let thresholds = self.input.thresholds;
        if self.input.policy.summarizer.kind == SummarizerKind::None {
            return self.reason(
                Stage::Summarize,
                false,
                [before; 2],
                "off: no summarizer".to_owned(),
            );
        }
        let state = self.triggered(before, true);
        let rule = match (
            state.first(&thresholds.summarize_trigger),
            thresholds.overflow,
        ) {
            (Some(clause), _) => {
                format!("trigger {clause} reached ({})", distances(&state, clause))
            }
            (None, Some(limit)) if state.tokens > limit => {
                self.fallback = true;
                format!(
                    "no trigger, but {} tokens are more than the limit of {limit}",
                    state.tokens
                )
            }
            (None, _) => {
                return self.reason(
                    Stage::Summarize,
                    false,
                    [before; 2],
                    not_triggered(&state, &thresholds.summarize_trigger),
                );
            }
        };
        match self.cut(before) {
            Ok((summary, after)) => {
                let why = format!(
                    "{rule}; keep {} leaves {} from message {}, {} become one summary of at most {} tokens",
                    thresholds.summarize_keep,
                    plural(
                        self.input.transcript.messages.len() - summary.first_kept,
                        "message"
                    ),
                    summary.first_kept,
                    summary.messages.len(),
                    summary.hole.budget,
                );
                self.edits.push(Edit::Summarize(summary));
                self.summarized = Some(after);
                self.reason(Stage::Summarize, true, [before, after], why);
            }
            Err(why) => self.reason(
                Stage::Summarize,
                false,
                [before; 2],
                format!("{rule}; {why}"),
            ),
        }
    }

    /// The summary that the keep rule asks for, and the tokens with its frame; or why there is none.
    pub(super) fn cut(&self, before: usize) -> Result<(Summary, usize), String> {
        let (input, keep) = (self.input, self.input.thresholds.summarize_keep);
        let first_kept = summarize::first_kept(
            self.view(),
            &self.ledger,
            keep,
            input.policy.summarize.replay,
        );
        if first_kept <= input.transcript.system_prefix_len() {
            return Err(format!(
                "keep {keep} leaves nothing to summarise without parting a call from its results"
            ));
        }
        self.cut_at(before, first_kept)
    }

    /// The summary of all before message `first_kept`.
    pub(super) fn cut_at(
        &self,
        before: usize,
        first_kept: usize,
    ) -> Result<(Summary, usize), String> {
        let (input, view, transcript) = (self.input, self.view(), self.input.transcript);
        let skip_growth = input.policy.on_growth == OnGrowth::Skip;
        let (head, count) = (transcript.system_prefix_len(), transcript.messages.len());
        let is_system = |index: &usize| transcript.messages[*index].role.is_system();
        let (kept_system, messages): (Vec<usize>, Vec<usize>) =
            (head..first_kept).partition(is_system);
        if messages.is_empty() {
            return Err("only system messages lie before the cutoff".to_owned());
        }
        if skip_growth
            && messages
                .iter()
                .all(|&index| transcript.messages[index].earlier_summary)
        {
            return Err("only an earlier summary lies before the cutoff; a summary of a summary alone loses and saves nothing".to_owned());
        }
        let frame = self.frame(first_kept);
        let path = input.names.history_path.clone();
        let framed = self.framed(frame, &path, "");
        let left = (0..head)
            .chain(kept_system.iter().copied())
            .chain(first_kept..count);
        let after = self.ledger.call_tokens(view, left, Some(framed));
        let replaced: usize = messages
            .iter()
            .map(|&index| self.ledger.messages[index])
            .sum();
        let wanted = match input.policy.summarizer.budget {
            0 => (replaced / BUDGET_SHARE).clamp(BUDGET_MIN, BUDGET_MAX),
            tokens => tokens,
        };
        let room = before.saturating_sub(after);
        if skip_growth && room < LEAST_ROOM {
            return Err(format!(
                "not worth it: {replaced} tokens would go, the summary's frame alone costs {framed} (on_growth)"
            ));
        }
        // Half of what a summary could take without growth: else it would save nothing.
        let budget = if skip_growth {
            wanted.min(room / 2)
        } else {
            wanted
        };
        // That somebody asked for the earlier summary says nothing.
        let said: Vec<usize> = messages
            .iter()
            .copied()
            .filter(|&index| {
                !(transcript.messages[index].earlier_summary && transcript.is_question(index))
            })
            .collect();
        let window = trim::window(
            view,
            &self.ledger,
            &said,
            input.policy.summarize.trim_tokens,
        );
        let hole = Hole {
            budget,
            window: window.messages,
            first_text: window.first_text,
        };
        Ok((
            Summary {
                cutoff: first_kept - head,
                first_kept,
                messages,
                kept_system,
                path,
                frame,
                hole,
            },
            after,
        ))
    }

    pub(super) fn after(&self, messages: usize) -> (usize, usize) {
        match (self.summarized, self.edits.last()) {
            (Some(after), Some(Edit::Summarize(summary))) => (
                messages - summary.messages.len() + summary.frame.messages(),
                after,
            ),
            _ => (messages, self.total()),
        }
    }
}

/// The tokens that the provider reported with an answer, if it is the model's provider.
#[inline]
pub(super) fn reported(
    transcript: &Transcript<'_>,
    answer: usize,
    provider: Option<&str>,
) -> Option<u64> {
    let message = &transcript.messages[answer];
    let tokens = message.reported_tokens()?;
    let named = decode_literal(transcript.bytes(answer, message.provider?));
    (provider == Some(named.as_ref())).then_some(tokens)
}

fn not_triggered(state: &Triggered, clauses: &[Clause<Threshold>]) -> String {
    if clauses.is_empty() {
        return "off: no trigger".to_owned();
    }
    let distances: Vec<String> = clauses
        .iter()
        .map(|clause| distances(state, clause))
        .collect();
    format!("not triggered: {}", distances.join(" or "))
}

fn distances(state: &Triggered, clause: &Clause<Threshold>) -> String {
    let parts: Vec<String> = clause.0.iter().map(|part| state.distance(*part)).collect();
    parts.join(" and ")
}

/// `1 argument`, `2 arguments`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

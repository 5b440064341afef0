//! Folds the stages into one plan: evict, truncate, summarize, each on what
//! the one before it left.

mod meter;

pub use meter::{Cut, Meter, Outlook};

use crate::plan::{Edit, Hole, Plan, Reason, Stage, Summary, overlay};
use crate::policy::{Clause, OnGrowth, Policy, SummarizerKind, Threshold, Thresholds, Triggered};
use crate::strategy::evict::{Candidate, evict};
use crate::strategy::{summarize, trim, truncate};
use crate::tokens::Ledger;
use crate::transcript::view::{Overlay, View};
use crate::transcript::{Role, Transcript, text};

/// A summary's default budget: a share of what it replaces, within bounds (spec: summary).
const BUDGET_SHARE: usize = 20;
const BUDGET_MIN: usize = 256;
const BUDGET_MAX: usize = 2000;
/// With less room than this no summary is worth its frame.
const LEAST_ROOM: usize = 8;

/// Names that only the whole run can give out: they are unique in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// The history archive as the model sees it.
    pub history_path: String,
    /// A file for each eviction candidate, in order.
    pub results: Vec<ResultName>,
}

/// The file of one evicted result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultName {
    /// Below the directory of evicted results.
    pub file: String,
    /// As the model sees it.
    pub path: String,
}

/// Everything that one decision looks at.
pub struct Input<'i, 'a> {
    /// The conversation.
    pub transcript: &'i Transcript<'a>,
    /// Its counts as logged.
    pub ledger: &'i Ledger<'i>,
    /// What the user asked for.
    pub policy: &'i Policy,
    /// Its numbers for this transcript's model.
    pub thresholds: &'i Thresholds,
    /// The model's provider, compared with that of reported usage.
    pub provider: Option<&'i str>,
    /// Results that are too large, found before names were given out.
    pub candidates: &'i [Candidate],
    /// The names that the run gave out.
    pub names: &'i Names,
}

/// Decides about one transcript, for one model call.
#[must_use]
pub fn plan(input: &Input<'_, '_>) -> Plan {
    let mut draft = Draft::new(input);
    let tokens_before = draft.total();
    draft.evict();
    draft.truncate();
    let total_tokens = draft.total();
    draft.summarize(total_tokens);
    let messages_before = input.transcript.messages.len();
    let (messages_after, tokens_after) = draft.after(messages_before, total_tokens);
    Plan { messages_before, messages_after, tokens_before, total_tokens, tokens_after, edits: draft.edits, reasons: draft.reasons }
}

/// Tokens of a model call once `plan` is carried out with this summary.
#[must_use]
pub fn tokens_with(input: &Input<'_, '_>, plan: &Plan, summary: &Summary, text: &str) -> usize {
    let mut draft = Draft::new(input);
    draft.edits.clone_from(&plan.edits);
    draft.apply_overlay(&mut Vec::new());
    let framed = draft.ledger.counter.summary(&summary.frame.render(&summary.path, text));
    let head = 0..input.transcript.head();
    let left = head.chain(summary.kept_system.iter().copied()).chain(summary.first_kept..plan.messages_before);
    draft.ledger.call(draft.view(), left, Some(framed))
}

/// The plan without its summary, which came out too long; `why` replaces the stage's reason.
#[must_use]
pub fn without_summary(plan: &Plan, why: String) -> Plan {
    let mut plan = plan.clone();
    plan.edits.retain(|edit| !matches!(edit, Edit::Summarize(_)));
    for reason in plan.reasons.iter_mut().filter(|reason| reason.stage == Stage::Summarize) {
        (reason.applies, reason.tokens_after) = (false, reason.tokens_before);
        reason.why.clone_from(&why);
    }
    (plan.messages_after, plan.tokens_after) = (plan.messages_before, plan.total_tokens);
    plan
}

/// What to say of a result that is still over its limit.
#[must_use]
pub fn over_limit(thresholds: &Thresholds, tokens: usize) -> Option<String> {
    let limit = thresholds.limit.filter(|limit| tokens as u64 > *limit)?;
    Some(format!("{tokens} tokens are left, more than the limit of {limit}; a smaller --keep or a lower [evict] tokens may help"))
}

/// A plan while its stages add to it.
struct Draft<'i, 'a> {
    input: &'i Input<'i, 'a>,
    ledger: Ledger<'i>,
    overlay: Overlay,
    edits: Vec<Edit>,
    reasons: Vec<Reason>,
    /// Tokens with the frame of a summary, its text not counted.
    summarized: Option<usize>,
}

impl<'i, 'a> Draft<'i, 'a> {
    fn new(input: &'i Input<'i, 'a>) -> Self {
        Self { input, ledger: input.ledger.clone(), overlay: Overlay::default(), edits: Vec::new(), reasons: Vec::new(), summarized: None }
    }

    fn view(&self) -> View<'_, 'a> {
        View { transcript: self.input.transcript, overlay: &self.overlay }
    }

    /// Tokens of a model call as the edits so far leave it.
    fn total(&self) -> usize {
        self.ledger.call(self.view(), 0..self.input.transcript.messages.len(), None)
    }

    fn reason(&mut self, stage: Stage, applies: bool, tokens: [usize; 2], why: String) {
        self.reasons.push(Reason { stage, applies, why, tokens_before: tokens[0], tokens_after: tokens[1] });
    }

    fn evict(&mut self) {
        let before = self.total();
        let policy = &self.input.policy.evict;
        if policy.tokens == 0 {
            return self.reason(Stage::Evict, false, [before; 2], "off".to_owned());
        }
        let limit = policy.tokens.saturating_mul(4);
        let named = self.input.candidates.iter().zip(&self.input.names.results);
        let edits: Vec<Edit> = named.map(|(one, name)| Edit::Evict(evict(self.input.transcript, one, &name.file, &name.path))).collect();
        if edits.is_empty() {
            return self.reason(Stage::Evict, false, [before; 2], format!("no tool result longer than {limit} characters"));
        }
        self.propose(Stage::Evict, before, edits, |made| format!("{made} longer than {limit} characters"), "tool result");
    }

    fn truncate(&mut self) {
        let before = self.total();
        let (policy, thresholds) = (&self.input.policy.truncate, self.input.thresholds);
        let state = self.triggered(before, false);
        let Some(clause) = state.first(&thresholds.truncate_trigger) else {
            let why = not_triggered(&state, &thresholds.truncate_trigger);
            return self.reason(Stage::Truncate, false, [before; 2], why);
        };
        let recent = truncate::first_recent(self.view(), &self.ledger, thresholds.truncate_keep);
        let edits: Vec<Edit> = truncate::truncations(self.view(), policy, recent).into_iter().map(Edit::Truncate).collect();
        let rule = format!("trigger {clause} reached, keep {}", thresholds.truncate_keep);
        if edits.is_empty() {
            let why = format!("{rule}: no argument longer than {} characters in {} before message {recent}", policy.max_length, policy.tools.join(", "));
            return self.reason(Stage::Truncate, false, [before; 2], why);
        }
        self.propose(Stage::Truncate, before, edits, |made| format!("{rule}: {made} longer than {} characters", policy.max_length), "argument");
    }

    /// Makes the edits of a stage that replace text, but for those that make their message longer.
    fn propose(&mut self, stage: Stage, before: usize, edits: Vec<Edit>, why: impl Fn(&str) -> String, noun: &str) {
        let kept_edits = self.edits.len();
        let mut proposed = edits.len();
        let mut saved: Vec<(usize, usize)> = Vec::new();
        self.edits.extend(edits);
        self.apply_overlay(&mut saved);
        if self.input.policy.on_growth == OnGrowth::Skip {
            let grown: Vec<usize> = saved.iter().filter(|(index, tokens)| self.ledger.messages[*index] > *tokens).map(|(index, _)| *index).collect();
            if !grown.is_empty() {
                let mut place = 0;
                self.edits.retain(|edit| {
                    place += 1;
                    place <= kept_edits || message_of(edit).is_none_or(|index| !grown.contains(&index))
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
        let longer = format!("{} would only get longer and stay as they are (on_growth)", plural(proposed, noun));
        let text = match (made, proposed) {
            (0, _) => longer,
            (_, 0) => why(&plural(made, noun)),
            (_, _) => format!("{}; {longer}", why(&plural(made, noun))),
        };
        let after = self.total();
        self.reason(stage, made > 0, [before, after], text);
    }

    /// Brings overlay and ledger up to the edits; `saved` collects what messages counted before.
    fn apply_overlay(&mut self, saved: &mut Vec<(usize, usize)>) {
        let touched: Vec<usize> = self.edits.iter().filter_map(message_of).chain(saved.iter().map(|(index, _)| *index)).collect();
        self.overlay = overlay(self.input.transcript, &self.edits);
        for index in touched {
            if !saved.iter().any(|(known, _)| *known == index) {
                saved.push((index, self.ledger.messages[index]));
            }
            let view = View { transcript: self.input.transcript, overlay: &self.overlay };
            self.ledger.recount(view, index);
        }
    }

    fn triggered(&self, total: usize, with_reported: bool) -> Triggered {
        let transcript = self.input.transcript;
        let reported = || {
            let last = transcript.messages.iter().rposition(|message| message.role == Role::Assistant)?;
            reported(transcript, last, self.input.provider)
        };
        Triggered {
            tokens: total as u64,
            messages: (transcript.messages.len() - transcript.head()) as u64,
            reported: if with_reported { reported() } else { None },
        }
    }

    fn summarize(&mut self, before: usize) {
        let thresholds = self.input.thresholds;
        if self.input.policy.summarizer.kind == SummarizerKind::None {
            return self.reason(Stage::Summarize, false, [before; 2], "off: no summarizer".to_owned());
        }
        let state = self.triggered(before, true);
        let rule = match (state.first(&thresholds.summarize_trigger), thresholds.overflow) {
            (Some(clause), _) => format!("trigger {clause} reached ({})", distances(&state, clause)),
            (None, Some(limit)) if state.tokens > limit => format!("no trigger, but {} tokens are more than the limit of {limit}", state.tokens),
            (None, _) => return self.reason(Stage::Summarize, false, [before; 2], not_triggered(&state, &thresholds.summarize_trigger)),
        };
        match self.cut(before) {
            Ok((summary, after)) => {
                let why = format!(
                    "{rule}; keep {} leaves {} from message {}, {} become one summary of at most {} tokens",
                    thresholds.summarize_keep,
                    plural(self.input.transcript.messages.len() - summary.first_kept, "message"),
                    summary.first_kept,
                    summary.messages.len(),
                    summary.hole.budget,
                );
                self.edits.push(Edit::Summarize(summary));
                self.summarized = Some(after);
                self.reason(Stage::Summarize, true, [before, after], why);
            }
            Err(why) => self.reason(Stage::Summarize, false, [before; 2], format!("{rule}; {why}")),
        }
    }

    /// The summary that the keep rule asks for, and the tokens with its frame; or why there is none.
    fn cut(&self, before: usize) -> Result<(Summary, usize), String> {
        let (input, view) = (self.input, self.view());
        let (transcript, keep) = (input.transcript, input.thresholds.summarize_keep);
        let skip_growth = input.policy.on_growth == OnGrowth::Skip;
        let (head, count) = (transcript.head(), transcript.messages.len());
        let first_kept = summarize::first_kept(view, &self.ledger, keep);
        if first_kept <= head {
            return Err(format!("keep {keep} leaves nothing to summarise without parting a call from its results"));
        }
        let is_system = |index: &usize| transcript.messages[*index].role.is_system();
        let (kept_system, messages): (Vec<usize>, Vec<usize>) = (head..first_kept).partition(is_system);
        if messages.is_empty() {
            return Err("only system messages lie before the cutoff".to_owned());
        }
        if skip_growth && messages.iter().all(|&index| transcript.messages[index].earlier_summary) {
            return Err("only an earlier summary lies before the cutoff; a summary of a summary alone loses and saves nothing".to_owned());
        }
        let frame = input.policy.summarize.frame;
        let path = input.names.history_path.clone();
        let framed = self.ledger.counter.summary(&frame.render(&path, ""));
        let left = (0..head).chain(kept_system.iter().copied()).chain(first_kept..count);
        let after = self.ledger.call(view, left, Some(framed));
        let replaced: usize = messages.iter().map(|&index| self.ledger.messages[index]).sum();
        let wanted = match input.policy.summarizer.budget {
            0 => (replaced / BUDGET_SHARE).clamp(BUDGET_MIN, BUDGET_MAX),
            tokens => tokens,
        };
        let room = before.saturating_sub(after);
        if skip_growth && room < LEAST_ROOM {
            return Err(format!("not worth it: {replaced} tokens would go, the summary's frame alone costs {framed} (on_growth)"));
        }
        // Half of what a summary could take without growth: else it would save nothing.
        let budget = if skip_growth { wanted.min(room / 2) } else { wanted };
        let window = trim::window(view, &self.ledger, &messages, input.policy.summarize.trim_tokens);
        let hole = Hole { budget, window: window.messages, first_text: window.first_text };
        Ok((Summary { cutoff: first_kept - head, first_kept, messages, kept_system, path, frame, hole }, after))
    }

    fn after(&self, messages: usize, tokens: usize) -> (usize, usize) {
        match (self.summarized, self.edits.last()) {
            (Some(after), Some(Edit::Summarize(summary))) => (messages - summary.messages.len() + 1, after),
            _ => (messages, tokens),
        }
    }
}

/// The tokens that the provider reported with an answer, if it is the model's provider.
fn reported(transcript: &Transcript<'_>, answer: usize, provider: Option<&str>) -> Option<u64> {
    let message = &transcript.messages[answer];
    let tokens = u64::try_from(message.usage?.total_tokens).ok().filter(|tokens| *tokens > 0)?;
    let named = text::decode(transcript.bytes(answer, message.provider?));
    (provider == Some(named.as_ref())).then_some(tokens)
}

/// The message whose text an edit replaces.
fn message_of(edit: &Edit) -> Option<usize> {
    match edit {
        Edit::Evict(eviction) => Some(eviction.message),
        Edit::Truncate(truncation) => Some(truncation.message),
        Edit::Summarize(_) => None,
    }
}

fn not_triggered(state: &Triggered, clauses: &[Clause<Threshold>]) -> String {
    if clauses.is_empty() {
        return "off: no trigger".to_owned();
    }
    let distances: Vec<String> = clauses.iter().map(|clause| distances(state, clause)).collect();
    format!("not triggered: {}", distances.join(" or "))
}

fn distances(state: &Triggered, clause: &Clause<Threshold>) -> String {
    let parts: Vec<String> = clause.0.iter().map(|part| state.distance(*part)).collect();
    parts.join(" and ")
}

/// `1 argument`, `2 arguments`.
fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

//! One session: cut, compacted by every policy, judged by what came later.

use crate::commands::evaluate::Contender;
use crate::compaction::filled::{Noted, fill};
use crate::compaction::question::answer;
use crate::conversation::Conversation;
use crate::plan::overlay_edits;
use crate::planner;
use crate::planner::ResultName;
use crate::report::SummaryUsageTotals;
use crate::retention::{FutureNeeds, Passage, RetentionScores, SessionCut, session_cuts};
use crate::settings::Settings;
use crate::summary::extract::{FEATURE_NAMES, FULL_FEATURE, observe};
use crate::summary::stop::StopFlag;
use crate::tokens::TokenCounter;
use crate::transcript::overlay::Overlay;
use crate::transcript::view::{TranscriptView, ViewedTurn};

/// What a policy kept of one session, over its cuts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept {
    /// What was kept of what was needed.
    pub scores: RetentionScores,
    /// Cuts that were measured.
    pub cuts: u64,
    /// Cuts whose compaction failed.
    pub failed: u64,
    /// Tokens of what took the place of the compacted messages, over all cuts.
    pub tokens: u64,
    /// Who counted them.
    pub counter: Option<&'static str>,
}

/// A session that was measured.
#[derive(Debug, Default)]
pub struct Measured {
    /// By policy.
    pub scores: Vec<Kept>,
    /// Identifiers with their features, as JSON lines.
    pub references: String,
    /// Compactions that failed.
    pub errors: Vec<String>,
    /// What summaries took of a model.
    pub asked: SummaryUsageTotals,
}

/// Measures one session.
pub fn session(
    one: &Conversation<'_>,
    contenders: &[Contender],
    references: bool,
    stop: &StopFlag,
) -> Measured {
    let none = Overlay::default();
    let view = TranscriptView {
        transcript: &one.transcript,
        overlay: &none,
    };
    let passages: Vec<Passage> = (0..one.transcript.messages.len())
        .map(|index| Passage::from_message(view, index))
        .collect();
    let mut measured = Measured {
        scores: vec![Kept::default(); contenders.len()],
        ..Measured::default()
    };
    for cut in session_cuts(&passages) {
        let needs = FutureNeeds::from_cut(&passages, cut);
        for (contender, kept) in contenders.iter().zip(&mut measured.scores) {
            match left(one, cut, contender, stop, &mut measured.asked) {
                Ok((left, counter)) => {
                    let tail: Vec<String> = passages[cut.tail..cut.end]
                        .iter()
                        .map(Passage::full_text)
                        .collect();
                    kept.scores += RetentionScores::measure(&needs, &left);
                    kept.cuts += 1;
                    kept.counter = Some(counter.name());
                    kept.tokens += counter
                        .count_text(&left)
                        .saturating_sub(counter.count_text(&tail.join("\n")))
                        as u64;
                }
                Err(error) => {
                    kept.failed += 1;
                    measured.errors.push(format!(
                        "{}, cut before message {}: {error}",
                        contender.name, cut.end
                    ));
                }
            }
        }
        if references {
            observed(view, cut, &needs, one, &mut measured.references);
        }
    }
    measured
}

/// The text of what a policy leaves of a session up to a cut, system prompts not counted, and the counter that applies.
fn left<'c>(
    one: &Conversation<'_>,
    cut: SessionCut,
    contender: &'c Contender,
    stop: &StopFlag,
    asked: &mut SummaryUsageTotals,
) -> Result<(String, &'c dyn TokenCounter), String> {
    let settings = &contender.settings;
    let prefix = prefix(one, cut.end, settings);
    let counter = settings.counter(prefix.model.as_deref(), prefix.provider.as_deref());
    let ledger = prefix.ledger(counter);
    let input = prefix.planning(settings, &ledger)?;
    let planned = planner::plan(&input);
    let mut noted = Noted {
        place: format!("{}, line {}", prefix.thread_id, prefix.line()),
        ..Noted::default()
    };
    let answer = answer(
        &prefix,
        &input,
        &planned,
        settings,
        contender.summarizer.as_deref(),
        &mut noted.redacted,
    );
    let filled = fill(
        &prefix,
        &input,
        planned,
        (settings, stop),
        &mut noted,
        answer,
    );
    noted.asked.iter().for_each(|one| *asked += one);
    let (plan, text) = filled?;
    let overlay = overlay_edits(&prefix.transcript, &plan.edits);
    let view = TranscriptView {
        transcript: &prefix.transcript,
        overlay: &overlay,
    };
    let (mut texts, first): (Vec<String>, usize) = match (plan.summary(), text) {
        (Some(summary), Some(text)) => (
            summary
                .frame
                .render(&summary.path, &text)
                .into_iter()
                .map(|(_, text)| text)
                .collect(),
            summary.first_kept,
        ),
        _ => (Vec::new(), 0),
    };
    let kept = (first..cut.end).filter(|&index| !view.message(index).role.is_system());
    texts.extend(kept.map(|index| Passage::from_message(view, index).full_text()));
    Ok((texts.join("\n"), counter))
}

/// The conversation as it was before message `end`, under the policy.
fn prefix<'u>(one: &Conversation<'u>, end: usize, settings: &Settings) -> Conversation<'u> {
    let mut prefix = one.prefix(end, settings);
    let archive = &settings.policy.archive;
    prefix.names.history_path = format!("{}/{}.md", archive.prefix, prefix.thread_name);
    let file = |number: usize| ResultName {
        path: format!(
            "{}/{number}",
            archive
                .results_prefix
                .replace("{thread_id}", &prefix.thread_name)
        ),
        file: number.to_string(),
    };
    prefix.names.results = (0..prefix.candidates.len()).map(file).collect();
    prefix
}

/// Every identifier that a summary could name, what is known of it, and whether it was needed.
fn observed(
    view: TranscriptView<'_, '_>,
    cut: SessionCut,
    needs: &FutureNeeds,
    one: &Conversation<'_>,
    lines: &mut String,
) {
    let turns = |range: std::ops::Range<usize>| {
        range
            .map(|index| view.viewed_turn(index))
            .collect::<Vec<ViewedTurn<'_>>>()
    };
    let stays: Vec<ViewedTurn<'_>> = turns(0..cut.head)
        .into_iter()
        .chain(turns(cut.tail..cut.end))
        .collect();
    for reference in observe(&turns(cut.head..cut.tail), &stays) {
        let name = reference.text.to_lowercase();
        let features: serde_json::Map<String, serde_json::Value> = FEATURE_NAMES
            .iter()
            .zip(reference.features)
            .filter(|(_, value)| *value != 0)
            .map(|(name, value)| {
                (
                    (*name).to_owned(),
                    serde_json::json!(f64::from(value) / f64::from(FULL_FEATURE)),
                )
            })
            .collect();
        let row = serde_json::json!({
            "thread_id": one.thread_id,
            "cut": cut.end,
            "needed": needs.references.contains(&name),
            "bytes": reference.text.len(),
            "features": features,
        });
        lines.push_str(&row.to_string());
        lines.push('\n');
    }
}

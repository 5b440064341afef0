//! The compaction of a model call: decided on the effective messages, with the
//! steps that all commands share.

use crate::compaction::{CompactionNotes, Planned};
use crate::conversation::Conversation;
use crate::plan::{Edit, Plan, Reason};
use crate::settings::Settings;
use crate::summary::Summarizer;
use crate::summary::stop::StopFlag;

/// The outcome of asking for a compaction before a model call.
pub(crate) struct CallDecision {
    /// The decisions of the stages, and their reasons.
    pub(crate) reasons: Vec<Reason>,
    pub(crate) notes: CompactionNotes,
    /// The compaction, or the error that leaves the messages as they are.
    pub(crate) compacted: Result<CompactedCall, String>,
}

/// A compaction that can be carried out.
pub(crate) struct CompactedCall {
    pub(crate) plan: Plan,
    /// The text of the summary.
    pub(crate) text: Option<String>,
    /// Tokens of the call, the summary's text included.
    pub(crate) tokens: usize,
}

/// Decides about the effective messages before a model call, and fills the plan's hole. `cleared`
/// are the results that stage prune cleared before earlier calls; `place` names the conversation.
pub(crate) fn compact_call(
    conversation: &Conversation<'_>,
    settings: &Settings,
    summarizer: Option<&dyn Summarizer>,
    stop: &StopFlag,
    cleared: &[Edit],
    place: &str,
) -> CallDecision {
    let planned = match Planned::decide_after_clearing(conversation, settings, cleared) {
        Ok(planned) => planned,
        Err(error) => {
            return CallDecision {
                reasons: Vec::new(),
                notes: CompactionNotes::default(),
                compacted: Err(error.to_string()),
            };
        }
    };
    match planned.ask(summarizer).fill(stop, place) {
        Ok(filled) => {
            let tokens = filled.tokens_after();
            let parts = filled.into_parts();
            CallDecision {
                reasons: parts.plan.reasons.clone(),
                notes: parts.notes,
                compacted: Ok(CompactedCall {
                    plan: parts.plan,
                    text: parts.text,
                    tokens,
                }),
            }
        }
        Err(failed) => CallDecision {
            reasons: failed.planned.plan.reasons,
            notes: failed.notes,
            compacted: Err(failed.error.to_string()),
        },
    }
}

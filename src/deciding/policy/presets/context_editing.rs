//! Context editing: old tool results are cleared for one call, by LangChain's middleware or by
//! Anthropic's servers. `docs/reference/context-editing.md` has the rules.

use super::deepagents::deepagents;
use super::preset::opencode_prune;
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{
    Evict, LeastCleared, OnGrowth, PatchedCalls, Prune, PruneMeasure, PruneRule, Summarize,
};
use crate::reading::transcript::summary_frame::SummaryFrame;

/// The deliberate differences from LangChain's middleware, as `epitome presets` prints them.
pub(super) const LANGCHAIN_DIFFERS: &[&str] = &[
    "`compact` writes what one call would be sent; in LangChain nothing is stored, and each call begins anew (so does `replay`).",
    "A cleared message is not marked in response_metadata; results that LangChain marked are not cleared again.",
    "A leading system message is the system prompt, which does not count, as in create_agent.",
    "Cleared results and arguments go to the archive.",
];

/// The differences from Anthropic's servers, as `epitome presets` prints them.
pub(super) const ANTHROPIC_DIFFERS: &[&str] = &[
    "Only what Anthropic documents is reproduced (clear_tool_uses_20250919): which results go, not their exact text. The placeholder is ours, as theirs is not \
     published, so tokens afterwards are estimates.",
    "The server counts input tokens by its own tokenizer. What the log reports for the last answer is taken, else the estimate, at 3.3 characters a token.",
    "Where the log reports usage after the server cleared results, that usage is of the cleared context.",
    "`clear_at_least` that can't be reached leaves everything, as documented; by how much the server counts it, is not.",
    "Thinking is not cleared (clear_thinking_20251015), and the server's own compaction (compact_20260112) is not reproduced.",
    "`compact` writes what one call would be sent. Cleared results go to the archive.",
];

/// Returns the policy of `langchain-context-editing`.
pub(super) fn langchain_context_editing() -> Policy {
    let base = deepagents();
    Policy {
        preset: "langchain-context-editing",
        patch: PatchedCalls::Off,
        counter: "langchain",
        chars_per_token: Some(4.0),
        evict: Evict { tokens: 0, ..base.evict },
        prune: Prune {
            enabled: true,
            placeholder: "[cleared]".to_owned(),
            protect_tools: Vec::new(),
            rule: PruneRule::Results,
            ..opencode_prune()
        },
        summarize: Summarize { frame: SummaryFrame::Plain, ..base.summarize },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

/// Returns the policy of `anthropic-clear`.
pub(super) fn anthropic_clear() -> Policy {
    let base = langchain_context_editing();
    Policy {
        preset: "anthropic-clear",
        counter: "approx",
        chars_per_token: Some(3.3),
        prune: Prune {
            measure: PruneMeasure::Used,
            at_least: LeastCleared::Need,
            placeholder: "[Old tool result content cleared]".to_owned(),
            ..base.prune
        },
        on_growth: OnGrowth::Skip,
        ..base
    }
}

//! Deep Agents, and LangChain's middleware for summaries alone.
//! `docs/reference/deepagents.md` and `docs/reference/langchain.md` have the rules.

use super::defaults::{PresetDefaults, opencode_prune, trigger_on};
use super::prompts::{DEEPAGENTS_HEADINGS, DEEPAGENTS_PROMPT};
use crate::model::Models;
use crate::policy::amount::{Amount, Keep, Trigger};
use crate::policy::model::ModelPolicy;
use crate::policy::overflow::OverflowPolicy;
use crate::policy::policy::Policy;
use crate::policy::stages::{ArchivePolicy, Evict, OnGrowth, Prune, Summarize, Truncate};
use crate::policy::summarizer::{OnFailure, SummarizerKind, SummarizerPolicy, SummaryTemplate};
use crate::transcript::summary_frame::SummaryFrame;

/// Tools whose results are never evicted.
const EXCLUDED_TOOLS: [&str; 7] = [
    "ls",
    "glob",
    "grep",
    "read_file",
    "write_file",
    "edit_file",
    "write_todos",
];

/// Returns the policy of `deepagents`.
pub(super) fn deepagents() -> Policy {
    Policy {
        preset: "deepagents",
        model: None,
        limits: None,
        models: Models::default(),
        strict_model: false,
        max_input_tokens: None,
        counter: "approx",
        chars_per_token: None,
        evict: Evict {
            tokens: 20_000,
            exclude: EXCLUDED_TOOLS.map(str::to_owned).to_vec(),
        },
        truncate: Truncate {
            trigger: None,
            keep: None,
            max_length: 2000,
            text: "...(argument truncated)".to_owned(),
            tools: vec!["write_file".to_owned(), "edit_file".to_owned()],
        },
        prune: Prune {
            enabled: false,
            ..opencode_prune()
        },
        summarize: Summarize {
            trigger: None,
            keep: None,
            trim_tokens: 0,
            frame: SummaryFrame::Archived,
            replay: false,
        },
        summarizer: SummarizerPolicy {
            kind: SummarizerKind::Extract,
            budget: 0,
            template: SummaryTemplate::DeepAgents,
            prompt: DEEPAGENTS_PROMPT.to_owned(),
            merge_prompt: String::new(),
            result_chars: 0,
            headings: DEEPAGENTS_HEADINGS.map(str::to_owned).to_vec(),
            on_failure: OnFailure::Keep,
            pass_env: Vec::new(),
            model: ModelPolicy::default(),
        },
        archive: ArchivePolicy {
            prefix: "/conversation_history".to_owned(),
            results_prefix: "/large_tool_results/{thread_id}".to_owned(),
        },
        overflow: OverflowPolicy::default(),
        on_growth: OnGrowth::Skip,
        redact: false,
    }
}

/// Returns the policy of `langchain`.
pub(super) fn langchain() -> Policy {
    let base = deepagents();
    Policy {
        preset: "langchain",
        evict: Evict {
            tokens: 0,
            ..base.evict
        },
        summarize: Summarize {
            trim_tokens: 4000,
            frame: SummaryFrame::Plain,
            ..base.summarize
        },
        ..base
    }
}

/// Returns when `deepagents` acts and how much it keeps.
pub(super) fn deepagents_defaults(limit_known: bool) -> PresetDefaults {
    if limit_known {
        return PresetDefaults {
            summarize_trigger: trigger_on(Amount::Fraction(0.85)),
            summarize_keep: Keep::Last(Amount::Fraction(0.10)),
            truncate_trigger: trigger_on(Amount::Fraction(0.85)),
            truncate_keep: Keep::Last(Amount::Fraction(0.10)),
        };
    }
    PresetDefaults {
        summarize_trigger: trigger_on(Amount::Tokens(170_000)),
        summarize_keep: Keep::Last(Amount::Messages(6)),
        truncate_trigger: trigger_on(Amount::Messages(20)),
        truncate_keep: Keep::Last(Amount::Messages(20)),
    }
}

/// Returns when `langchain` acts and how much it keeps.
pub(super) fn langchain_defaults(_: bool) -> PresetDefaults {
    PresetDefaults {
        summarize_trigger: Trigger::default(),
        summarize_keep: Keep::Last(Amount::Messages(20)),
        truncate_trigger: Trigger::default(),
        truncate_keep: Keep::Last(Amount::Messages(20)),
    }
}

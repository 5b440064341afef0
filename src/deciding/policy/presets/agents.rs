//! The agents whose compaction is that of LangChain with other numbers, and context editing: old tool
//! results are cleared for one call, by LangChain's middleware or by Anthropic's servers.
//! `docs/reference/presets.md` and `docs/reference/context-editing.md` have the rules.

use super::deepagents::{deepagents, langchain};
use super::preset::opencode_prune;
use crate::deciding::policy::overflow::OverflowPolicy;
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{
    Evict, LeastCleared, OnGrowth, PatchedCalls, Prune, PruneMeasure, PruneRule, Summarize,
    TriggerCount, TriggerMeasure,
};
use crate::reading::transcript::summary_frame::SummaryFrame;

/// The tokens that pi keeps free of the window.
const PI_RESERVE: u64 = 16_384;

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

/// Claude Code's automatic compaction. It keeps the longest answer free, and a buffer beside it.
pub(super) fn claude_code() -> Policy {
    let base = langchain();
    Policy {
        preset: "claude-code",
        counter: "utf16-up",
        summarize: Summarize {
            trim_tokens: 0,
            measure: TriggerMeasure::Trailing,
            ..base.summarize
        },
        overflow: OverflowPolicy { max_output: 20_000, buffer: 13_000, ..base.overflow },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

/// Codex CLI's local compaction: what the user said stays, all else becomes a summary behind it.
pub(super) fn codex() -> Policy {
    let base = langchain();
    Policy {
        preset: "codex",
        counter: "bytes",
        summarize: Summarize {
            trim_tokens: 0,
            after_step: true,
            measure: TriggerMeasure::Trailing,
            keep_users: 20_000,
            ..base.summarize
        },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

/// pi's compaction: the newest 20,000 tokens stay.
pub(super) fn pi() -> Policy {
    let base = langchain();
    Policy {
        preset: "pi",
        counter: "utf16-up",
        summarize: Summarize {
            trim_tokens: 0,
            measure: TriggerMeasure::Trailing,
            ..base.summarize
        },
        overflow: OverflowPolicy {
            output: PI_RESERVE,
            reserved: Some(PI_RESERVE),
            max_output: PI_RESERVE,
            strict: true,
            ..base.overflow
        },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

/// Gemini CLI's compression and masking.
pub(super) fn gemini_cli() -> Policy {
    let base = langchain();
    Policy {
        preset: "gemini-cli",
        counter: "gemini-cli",
        prune: Prune {
            protect: 50_000,
            minimum: 29_999,
            // A masked result has a preview of 500 characters, and its path.
            least: 210,
            placeholder: "[Old tool result content cleared]".to_owned(),
            protect_tools: ["activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"]
                .map(str::to_owned)
                .to_vec(),
            skip_turns: 0,
            skip_messages: 1,
            rescan: true,
            each_call: true,
            ..opencode_prune()
        },
        summarize: Summarize {
            trim_tokens: 0,
            after_step: true,
            measure: TriggerMeasure::Prompt,
            ..base.summarize
        },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

/// OpenHands' summarizing condenser, by its rule of events.
pub(super) fn openhands() -> Policy {
    let base = langchain();
    Policy {
        preset: "openhands",
        count: TriggerCount { system: true, tools: true },
        summarize: Summarize { trim_tokens: 0, keep_first: 4, ..base.summarize },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

/// SWE-agent's `LastNObservations`: all observations but the newest become a line that says how much
/// was there.
pub(super) fn swe_agent() -> Policy {
    let base = langchain_context_editing();
    Policy {
        preset: "swe-agent-last-n",
        counter: "approx",
        chars_per_token: None,
        prune: Prune {
            placeholder:
                "Old environment output: ({lines} lines omitted)[[ ({images} images omitted)]]"
                    .to_owned(),
            trigger: 0,
            keep: 5,
            keep_first: 1,
            every_result: true,
            observations: true,
            ..base.prune
        },
        ..base
    }
}

/// Cline's compaction with a model.
pub(super) fn cline() -> Policy {
    let base = langchain();
    Policy {
        preset: "cline",
        counter: "cline",
        count: TriggerCount { system: true, tools: true },
        summarize: Summarize { trim_tokens: 0, measure: TriggerMeasure::Larger, ..base.summarize },
        overflow: OverflowPolicy { input_share: 0.9, ..base.overflow },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

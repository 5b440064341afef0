//! OpenCode: the released build, and the smaller design that an essay about it describes
//! (`opencode-seed`). `docs/reference/opencode.md` has the rules.

use super::deepagents::deepagents;
use super::preset::opencode_prune;
use super::prompts::SEED_PROMPT;
use crate::deciding::policy::overflow::OverflowPolicy;
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{Evict, PatchedCalls, Prune, Summarize, TriggerMeasure};
use crate::deciding::policy::summarizer::{SummarizerPolicy, SummaryTemplate};
use crate::reading::transcript::summary_frame::SummaryFrame;

pub(super) fn released_opencode() -> Policy {
    let base = deepagents();
    let mut summarizer = base.summarizer;
    summarizer.use_template(SummaryTemplate::OpenCode);
    Policy {
        preset: "opencode",
        patch: PatchedCalls::Off,
        counter: "utf16",
        evict: Evict { tokens: 0, ..base.evict },
        prune: Prune { stored_order: true, ..opencode_prune() },
        summarize: Summarize { frame: SummaryFrame::OpenCode, after_step: true, ..base.summarize },
        summarizer,
        ..base
    }
}

/// Returns the policy of `opencode-2`.
pub(super) fn second_opencode() -> Policy {
    let base = released_opencode();
    Policy {
        preset: "opencode-2",
        prune: Prune { enabled: false, ..base.prune },
        summarize: Summarize {
            frame: SummaryFrame::Plain,
            after_step: false,
            measure: TriggerMeasure::Trailing,
            ..base.summarize
        },
        overflow: OverflowPolicy { reserved: Some(20_000), reserve_both: true, ..base.overflow },
        ..base
    }
}

pub(super) fn seed_opencode() -> Policy {
    let base = released_opencode();
    Policy {
        preset: "opencode-seed",
        counter: "cjk",
        prune: Prune {
            protect: 20_000,
            minimum: 10_000,
            protect_tools: Vec::new(),
            skip_turns: 0,
            rescan: true,
            every_result: true,
            each_call: true,
            ..opencode_prune()
        },
        overflow: OverflowPolicy {
            context: 128_000,
            output: 32_000,
            reserved: Some(32_000),
            strict: true,
            ..OverflowPolicy::default()
        },
        summarizer: SummarizerPolicy {
            prompt: SEED_PROMPT.to_owned(),
            merge_prompt: String::new(),
            result_chars: 0,
            headings: Vec::new(),
            ..base.summarizer
        },
        ..base
    }
}

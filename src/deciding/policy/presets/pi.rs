//! pi's compaction: the newest 20,000 tokens stay. `docs/reference/presets.md` has the rules.

use super::deepagents::langchain;
use super::preset::{Preset, summaries};
use crate::deciding::policy::amount::{Amount, Keep};
use crate::deciding::policy::overflow::OverflowPolicy;
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{OnGrowth, Summarize, TriggerMeasure};

/// The tokens that pi keeps free of the window.
const RESERVE: u64 = 16_384;

/// The row of `pi`.
pub(super) const PI: Preset = Preset {
    name: "pi",
    about: "pi 1.6.0: above the window less 16,384 tokens all but the newest 20,000 tokens becomes a summary",
    differs: &[
        "reserveTokens is [overflow] reserved, max_output and output; keepRecentTokens is --keep recent=N.",
        "A turn that is split has one summary; in pi its beginning has one of its own, after that of the history.",
        "The files read and changed are in the summary, not in lists of tags after it.",
        "Messages of pi that no model reads (bash runs left out, labels, custom entries) are not in a log, or count nothing.",
        "A picture counts as in the other estimates (85 tokens); in pi as 1,200.",
        "Versions from 0.74 to 1.6.0 decide alike. What the summarizer reads has no reasoning, as from 1.5 on; in 0.74 it had.",
        "The words around the summary, and those of the prompt, are ours.",
        "Never fires where the model's window is not known.",
    ],
    build: pi,
    defaults: |_| summaries(Amount::Overflow, Keep::Recent(20_000)),
};

fn pi() -> Policy {
    let base = langchain();
    Policy {
        preset: PI.name,
        counter: "utf16-up",
        summarize: Summarize {
            trim_tokens: 0,
            measure: TriggerMeasure::Trailing,
            ..base.summarize
        },
        overflow: OverflowPolicy {
            output: RESERVE,
            reserved: Some(RESERVE),
            max_output: RESERVE,
            strict: true,
            ..base.overflow
        },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

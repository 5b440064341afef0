//! Cline's compaction with a model. `docs/reference/presets.md` has the rules.

use super::deepagents::langchain;
use super::preset::{Preset, share_or_tokens, summaries};
use crate::deciding::policy::amount::Keep;
use crate::deciding::policy::overflow::OverflowPolicy;
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{OnGrowth, Summarize, TriggerCount, TriggerMeasure};

/// The input limit of a model that declares none, and the share of it that fires.
const LIMIT: u64 = 128_000;
const SHARE: f64 = 0.9;

/// The row of `cline`.
pub(super) const CLINE: Preset = Preset {
    name: "cline",
    about: "Cline (@cline/core 0.0.86), strategy `agentic`: from 90 % of the input limit on all but the newest 20,000 tokens and the last turn becomes a summary",
    differs: &[
        "The input limit is what the model declares, else 90 % of its context ([overflow] input_share), else 128,000 tokens.",
        "The strategy `basic`, which asks no model and keeps what the user typed, is not reproduced, nor what Cline does after a refusal by the provider (the same).",
        "The only turn of a session is cut inside as any other; in Cline the tail must also fit 70 % of the limit, and after an earlier summary nothing is done.",
        "The system prompt and the tools count as far as the log holds them; in Cline with about 15 tokens for the frame of the request.",
        "Pictures count 85 tokens; in Cline by the length of their data.",
        "The words around the summary and those of the prompt are ours; the files read and changed are in the summary, not in a section after it.",
        "A log's last message is taken as followed by a call, before which Cline decides.",
    ],
    build: cline,
    defaults: |limit_known| {
        let most = share_or_tokens(limit_known, SHARE, LIMIT / 10 * 9);
        summaries(most, Keep::Back(20_000))
    },
};

fn cline() -> Policy {
    let base = langchain();
    Policy {
        preset: CLINE.name,
        counter: "cline",
        count: TriggerCount { system: true, tools: true },
        summarize: Summarize { trim_tokens: 0, measure: TriggerMeasure::Larger, ..base.summarize },
        overflow: OverflowPolicy { input_share: SHARE, ..base.overflow },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

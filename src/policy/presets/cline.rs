//! Cline's sliding window. `docs/reference/presets.md` has the rules.

use super::context_editing::editing_defaults;
use super::deepagents::langchain;
use super::defaults::{PresetDefaults, trigger_on};
use super::preset::Preset;
use crate::policy::amount::{Amount, Keep};
use crate::policy::overflow::{OverflowPolicy, ReservedWindow};
use crate::policy::policy::Policy;
use crate::policy::stages::{OnGrowth, Summarize, TriggerMeasure};

/// The most that Cline keeps free of a window.
const RESERVE: u64 = 40_000;
/// The windows of which Cline keeps free a number of tokens of their own.
const OF_WINDOWS: [ReservedWindow; 3] = [
    ReservedWindow {
        window: 64_000,
        tokens: 27_000,
    },
    ReservedWindow {
        window: 128_000,
        tokens: 30_000,
    },
    ReservedWindow {
        window: 200_000,
        tokens: 40_000,
    },
];

/// The row of `cline`.
pub(super) const CLINE: Preset = Preset {
    name: "cline",
    about: "Cline's sliding window: near the window half of the messages behind the first 2 go, or three quarters",
    differs: &[
        "What goes becomes a summary behind the first two messages; there it goes without one, and a note says so.",
        "Files that were read again are not shortened first.",
        "A message is an answer, or all results of an answer and what the user says with them.",
        "The cut moves back where it would part a call from its results.",
        "In a plain list of messages an earlier summary behind the first messages is a message like any other: it is summarised and archived again.",
        "Where a format wants the user and the assistant to alternate, or keeps its summary beside the list, no messages stay before the summary.",
        "An earlier summary in a log counts as a message.",
        "Where a log reports no usage, the estimate counts. Never fires where the model's window is not known.",
    ],
    build: cline,
    defaults: cline_defaults,
};

fn cline() -> Policy {
    let base = langchain();
    Policy {
        preset: CLINE.name,
        summarize: Summarize {
            trim_tokens: 0,
            measure: TriggerMeasure::Used,
            keep_first: 2,
            ..base.summarize
        },
        overflow: OverflowPolicy {
            output: RESERVE,
            reserved: Some(RESERVE),
            reserved_share: 0.2,
            reserved_of: OF_WINDOWS.to_vec(),
            max_output: RESERVE,
            ..base.overflow
        },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

fn cline_defaults(limit_known: bool) -> PresetDefaults {
    PresetDefaults {
        summarize_trigger: trigger_on(Amount::Overflow),
        summarize_keep: Keep::Half,
        ..editing_defaults(limit_known)
    }
}

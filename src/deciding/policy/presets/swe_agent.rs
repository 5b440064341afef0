//! SWE-agent's `LastNObservations`: all observations but the newest become a line that says how
//! much was there. `docs/reference/presets.md` has the rules.

use super::context_editing::langchain_context_editing;
use super::preset::{Preset, no_summaries};
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::Prune;

/// The row of `swe-agent-last-n`.
pub(super) const SWE_AGENT: Preset = Preset {
    name: "swe-agent-last-n",
    about: "SWE-agent's LastNObservations: all observations but the first and the newest 5 become a line that says how much was there",
    differs: &[
        "`compact` writes what one call would be sent; in SWE-agent the history stays whole, and each call begins anew (so does `replay`).",
        "Where no message has a message_type, the first user message is the first observation, and all results follow.",
        "A tag remove_output on a message that is not an observation has no effect; in SWE-agent the program fails.",
        "An observation that is such a line already stays as it is.",
        "Omitted observations go to the archive.",
    ],
    build: swe_agent,
    defaults: no_summaries,
};

fn swe_agent() -> Policy {
    let base = langchain_context_editing();
    Policy {
        preset: SWE_AGENT.name,
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

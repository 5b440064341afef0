//! OpenHands' summarizing condenser, by its rule of events. `docs/reference/presets.md` has the
//! rules.

use super::deepagents::langchain;
use super::preset::{Preset, summaries};
use crate::deciding::policy::amount::{Amount, Keep};
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{OnGrowth, Summarize, TriggerCount};

/// The row of `openhands`.
pub(super) const OPENHANDS: Preset = Preset {
    name: "openhands",
    about: "OpenHands SDK 1.58.2, LLMSummarizingCondenser: above 80 events the first 4 and the last 35 stay, and a summary between them",
    differs: &[
        "max_size is --trigger events=N, one more than it; keep_first is [summarize] keep_first; the events that stay at the end are --keep events=N: \
         max_size / 2 - keep_first - 1, rounded down.",
        "An event is a message, or each call of an answer that makes several. Events that no message shows do not count.",
        "A limit in tokens is --trigger tokens=N beside the events: then as many events stay as without it. In OpenHands the longest end stays with which more than \
         half of the tokens go.",
        "A condensation that would forget less than a tenth of the events is made all the same.",
        "A request for a condensation, and the hard reset after a failure, are not in a log.",
        "Loops of calls that began with a thought may be parted between their exchanges.",
        "The words around the summary, and those of the prompt, are ours.",
        "Where a format wants the user and the assistant to alternate, or keeps its summary beside the list, no messages stay before the summary.",
        "In a plain list of messages an earlier summary after the first events is a message like any other: it is summarised and archived again.",
        "System messages stay wherever they are.",
    ],
    build: openhands,
    defaults: |_| summaries(Amount::Events(81), Keep::Last(Amount::Events(35))),
};

fn openhands() -> Policy {
    let base = langchain();
    Policy {
        preset: OPENHANDS.name,
        count: TriggerCount { system: true, tools: true },
        summarize: Summarize { trim_tokens: 0, keep_first: 4, ..base.summarize },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

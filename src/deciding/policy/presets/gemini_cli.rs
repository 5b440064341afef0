//! Gemini CLI's compression and masking. `docs/reference/presets.md` has the rules.

use super::deepagents::langchain;
use super::preset::{Preset, opencode_prune, share_or_tokens, summaries};
use crate::deciding::policy::amount::Keep;
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{OnGrowth, Prune, Summarize, TriggerMeasure};

/// The window of all models of Gemini CLI but Gemma's.
const WINDOW: u64 = 1_048_576;

/// The row of `gemini-cli`.
pub(super) const GEMINI_CLI: Preset = Preset {
    name: "gemini-cli",
    about: "Gemini CLI 0.61.0: from half of the window on all but the last 30 % of the characters becomes a summary; old tool results are masked",
    differs: &[
        "model.compressionThreshold is --trigger fraction=F. Where the model's limit is not known, the window is 1,048,576 tokens.",
        "Masked results hold a short text, and the original is in the archive; in Gemini CLI a preview and the path of a file.",
        "A result of fewer than 210 tokens is not masked ([prune] least); in Gemini CLI one whose masked form, with the path of its file, would not be smaller.",
        "The tokens of a result that masking compares are those of its text as JSON; names and pictures do not count.",
        "Results beyond 50,000 tokens are not shortened before the split (step 1 of the compression).",
        "The new message of the user is not part of the history, but results that wait for an answer are; in Gemini CLI neither is.",
        "The summary is one user message; in Gemini CLI the model answers it with a fixed sentence.",
        "A compression is never rejected because its result would be larger than the last prompt.",
        "The words around the summary, and those of the prompt, are ours; the summary is not checked by a second call.",
    ],
    build: gemini_cli,
    defaults: |limit_known| {
        let half = share_or_tokens(limit_known, 0.5, WINDOW / 2);
        summaries(half, Keep::Characters(0.3))
    },
};

fn gemini_cli() -> Policy {
    let base = langchain();
    Policy {
        preset: GEMINI_CLI.name,
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

//! The presets: live middlewares that a policy can start from.

mod agents;
mod deepagents;
mod opencode;
mod preset;
mod prompts;

pub(super) use preset::TRUNCATE_KEEP_WITHOUT_LIMIT;
pub(crate) use preset::{LAST_CHECK, Preset};

use crate::deciding::policy::amount::{Amount, Keep};
use deepagents::{deepagents, deepagents_defaults, langchain, newest_deepagents};
use opencode::{released_opencode, second_opencode, seed_opencode};
use preset::{PresetDefaults, newest_turns, no_summaries, share_or_tokens, summaries};

/// All presets. The first is the default.
pub(crate) static PRESETS: &[Preset] = &[
    Preset::new("deepagents", deepagents, deepagents_defaults),
    Preset::new("deepagents-0.7", newest_deepagents, deepagents_defaults),
    Preset::new("langchain", langchain, no_summaries),
    Preset::new("langchain-context-editing", agents::langchain_context_editing, no_summaries),
    Preset::new("anthropic-clear", agents::anthropic_clear, no_summaries),
    Preset::new("opencode", released_opencode, |_| {
        summaries(Amount::Overflow, newest_turns(None, None))
    }),
    Preset::new("opencode-2", second_opencode, |_| {
        summaries(Amount::Overflow, Keep::Whole(15_000))
    }),
    Preset::new("opencode-seed", seed_opencode, |_| {
        summaries(Amount::Overflow, newest_turns(Some(0), None))
    }),
    Preset::new("claude-code", agents::claude_code, |_| {
        summaries(Amount::Overflow, Keep::Answers(1))
    }),
    Preset::new("codex", agents::codex, |is_known| {
        summaries(share_or_tokens(is_known, 0.9, 170_000), newest_turns(Some(0), Some(0)))
    }),
    Preset::new("pi", agents::pi, |_| summaries(Amount::Overflow, Keep::Recent(20_000))),
    Preset::new("gemini-cli", agents::gemini_cli, |is_known| {
        // The window of all models of Gemini CLI but Gemma's.
        summaries(share_or_tokens(is_known, 0.5, 1_048_576 / 2), Keep::Characters(0.3))
    }),
    Preset::new("openhands", agents::openhands, |_| {
        summaries(Amount::Events(81), Keep::Last(Amount::Events(35)))
    }),
    Preset::new("swe-agent-last-n", agents::swe_agent, no_summaries),
    Preset::new("cline", agents::cline, |is_known| {
        // The input limit of a model that declares none.
        summaries(share_or_tokens(is_known, 0.9, 128_000 / 10 * 9), Keep::Back(20_000))
    }),
];

/// Returns when a preset acts and how much it keeps if the user does not say.
pub(super) fn preset_defaults(name: &str, limit_known: bool) -> PresetDefaults {
    let preset = PRESETS.iter().find(|preset| preset.name == name).unwrap_or(&PRESETS[0]);
    (preset.defaults)(limit_known)
}

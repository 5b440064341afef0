//! Codex CLI's local compaction: what the user said stays, all else becomes a summary behind it.
//! `docs/reference/presets.md` has the rules.

use super::deepagents::langchain;
use super::preset::{Preset, newest_turns, share_or_tokens, summaries};
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{OnGrowth, Summarize, TriggerMeasure};

/// The row of `codex`.
pub(super) const CODEX: Preset = Preset {
    name: "codex",
    about: "Codex CLI 0.171.0, local compaction: at 90 % of the window all but the user's messages of 20,000 tokens becomes a summary after them",
    differs: &[
        "The window is the input limit (--max-input-tokens, or the log's own); model_auto_compact_token_limit is --trigger tokens=N. Where neither is known, \
         it acts at 170,000 tokens.",
        "model_post_turn_compact_threshold_percent is --trigger tokens=N, N that percentage of 95 % of the window.",
        "model_auto_compact_token_limit_scope = body_after_prefix, which does not count what came before the first answer, is not reproduced, nor compaction beside a running turn.",
        "With OpenAI's own models Codex lets the server compact (an encrypted item): that can't be reproduced.",
        "The fixed words before the summary are LangChain's, not Codex's, and the words of the prompt are ours.",
        "A message that is cut in its middle is one text; in Codex it has three parts. With pictures it goes.",
        "Pictures of kept messages stay; in Codex they are dropped.",
        "What Codex injects (AGENTS.md, environment, permissions) stays where it is; in Codex it is written anew before the last user message.",
        "A summary in a log that is not a rollout is known only where only user messages precede it.",
        "Where a log reports no usage, the estimate of the whole call counts (bytes / 4).",
        "The oldest items that do not fit the request for a summary are not dropped: the embedded summarizer has no limit.",
        "Where a format wants the user and the assistant to alternate, or keeps its summary beside the list, no messages stay before the summary.",
        "A log's last answer is taken as followed by a new user message, before which Codex decides.",
    ],
    build: codex,
    defaults: |limit_known| {
        let most = share_or_tokens(limit_known, 0.9, 170_000);
        summaries(most, newest_turns(Some(0), Some(0)))
    },
};

fn codex() -> Policy {
    let base = langchain();
    Policy {
        preset: CODEX.name,
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

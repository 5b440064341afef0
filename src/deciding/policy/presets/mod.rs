//! The presets: live middlewares that a policy can start from.

mod claude_code;
mod cline;
mod codex;
mod context_editing;
mod deepagents;
mod gemini_cli;
mod opencode;
mod openhands;
mod pi;
mod preset;
mod prompts;
mod swe_agent;

pub(super) use preset::TRUNCATE_KEEP_WITHOUT_LIMIT;
pub(crate) use preset::{LAST_CHECK, Preset};

use crate::deciding::policy::amount::Amount;
use context_editing::{anthropic_clear, langchain_context_editing};
use deepagents::{deepagents, deepagents_defaults, langchain, newest_deepagents};
use opencode::{released_opencode, seed_opencode};
use preset::{PresetDefaults, newest_turns, no_summaries, summaries};

/// All presets. The first is the default.
pub(crate) static PRESETS: &[Preset] = &[
    Preset {
        name: "deepagents",
        about: "Deep Agents 0.4.3: evict, truncate and summarize, with an archive that is named to the model",
        differs: &[
            "System and developer messages are never summarised.",
            "A cut moves back until no kept result is without its call.",
            "An edit that makes a transcript larger is not made ([summarize] on_growth = \"allow\" makes it).",
            "Above the model's input limit it summarises even if no trigger fired.",
            "A summary that failed or is empty changes nothing.",
            "A call whose arguments are not a JSON object counts them, its name and its id: in Deep Agents it counts nothing.",
            "A result that begins with the notice of an eviction is not evicted again.",
            "Of a result that is a list, the text is measured and written, and other blocks stay: in Deep Agents the list as Python shows it.",
            "A second result with the same id, or without one, has a file of its own, and an id of over 128 bytes a hash: in Deep Agents they stay.",
            "Python's repr in arguments escapes what Unicode 18 has no character for: in Deep Agents what the Unicode of its Python has none for (3.11: 14, 3.13: 15.1).",
            "Results of write_todos stay.",
            "Carriage returns stay in the history, and lone surrogates become U+FFFD: in Deep Agents no later section is written.",
            "A thread id that can't be a file name is escaped in that of its history: in Deep Agents it has none.",
            "Results without ids answer the call before them: in Deep Agents a cut inside a run of them moves after it.",
            "Where trimming leaves nothing to summarise, the end that fits is summarised: in Deep Agents a fixed sentence takes the place of a summary.",
            "[patch] answers a call that the user spoke after in every call from its place on: in Deep Agents only once the user spoke.",
            "[patch] leaves a call alone whose own result comes after the user spoke again: in Deep Agents it has an answer and that result.",
            "The path of an evicted result names the transcript, because call ids repeat; [archive] results_prefix = \"/large_tool_results\" \
             names it as in Deep Agents, for totals that are equal.",
        ],
        build: deepagents,
        defaults: deepagents_defaults,
    },
    Preset {
        name: "deepagents-0.7",
        about: "Deep Agents 0.7.32: as deepagents, with an input budget, a history in XML and notices that say what they leave out",
        differs: deepagents::NEWEST_DIFFERS,
        build: newest_deepagents,
        defaults: deepagents_defaults,
    },
    Preset {
        name: "langchain",
        about: "LangChain's SummarizationMiddleware alone: summarize, with no trigger of its own (give --trigger)",
        differs: &[
            "As deepagents. Most often the end that fits is summarised where trimming leaves nothing: in LangChain a fixed sentence takes the place of a summary.",
            "What is summarised is archived; the summary message does not name the archive.",
            "A system message that leads a log is taken for the prompt, which the middleware does not see ([count] system = true counts it).",
            "The summarizer gets lines, as from LangChain 1.2: newer versions write elements ([archive] form = \"xml\", with inline media as files; in LangChain they are left out).",
        ],
        build: langchain,
        defaults: no_summaries,
    },
    Preset {
        name: "langchain-context-editing",
        about: "LangChain's ContextEditingMiddleware alone: above 100,000 tokens all tool results but the newest 3 are cleared",
        differs: context_editing::LANGCHAIN_DIFFERS,
        build: langchain_context_editing,
        defaults: no_summaries,
    },
    Preset {
        name: "anthropic-clear",
        about: "Anthropic's context editing on the server (clear_tool_uses_20250919), as far as it is documented",
        differs: context_editing::ANTHROPIC_DIFFERS,
        build: anthropic_clear,
        defaults: no_summaries,
    },
    Preset {
        name: "opencode",
        about: "OpenCode 1.18.34: prune old tool results, summarise on overflow, keep the newest turns",
        differs: opencode::DIFFERS,
        build: released_opencode,
        defaults: |_| summaries(Amount::Overflow, newest_turns(None, None)),
    },
    opencode::OPENCODE_2,
    Preset {
        name: "opencode-seed",
        about: "an essay's smaller OpenCode: prunes more, 32,000 reserved of 128,000 tokens, keeps no turns, counts CJK characters by themselves",
        differs: opencode::SEED_DIFFERS,
        build: seed_opencode,
        defaults: |_| summaries(Amount::Overflow, newest_turns(Some(0), None)),
    },
    claude_code::CLAUDE_CODE,
    codex::CODEX,
    pi::PI,
    gemini_cli::GEMINI_CLI,
    openhands::OPENHANDS,
    swe_agent::SWE_AGENT,
    cline::CLINE,
];

/// Returns when a preset acts and how much it keeps if the user does not say.
pub(super) fn preset_defaults(name: &str, limit_known: bool) -> PresetDefaults {
    let preset = PRESETS.iter().find(|preset| preset.name == name).unwrap_or(&PRESETS[0]);
    (preset.defaults)(limit_known)
}

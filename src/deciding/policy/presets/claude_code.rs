//! Claude Code's automatic compaction. `docs/reference/presets.md` has the rules.

use super::deepagents::langchain;
use super::preset::{Preset, summaries};
use crate::deciding::policy::amount::{Amount, Keep};
use crate::deciding::policy::overflow::OverflowPolicy;
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{OnGrowth, Summarize, TriggerMeasure};

/// The most that Claude Code keeps free for an answer.
const ANSWER: u64 = 20_000;
/// What it keeps free beside that.
const BUFFER: u64 = 13_000;

/// The row of `claude-code`.
pub(super) const CLAUDE_CODE: Preset = Preset {
    name: "claude-code",
    about: "Claude Code 2.1.332: above the window less 33,000 tokens all but the last answer and what follows it becomes a summary",
    differs: &[
        "The source is closed. When it fires and what stays was measured with the program on 2026-11-29; what its vendor switches on or off for some users is not known.",
        "The window is the model's, or --max-input-tokens: autoCompactWindow and CLAUDE_CODE_AUTO_COMPACT_WINDOW. CLAUDE_AUTOCOMPACT_PCT_OVERRIDE is --trigger tokens=N, \
         with N that share of the window less 20,000; a larger N than the preset's has no effect there.",
        "Opus 4.6 and Sonnet 4.6 have a window of 200,000 tokens without the [1m] after the name, which a log does not hold: give --max-input-tokens 200000.",
        "With models up to Opus, Sonnet and Haiku 4.5 it waits for the provider to refuse a call unless it was told a window; a log does not say so.",
        "Reminders that it adds to a question or a result count as far as the log holds their words: 20 to 60 tokens may be missing.",
        "The only answer since the beginning or since the last compaction is summarised with the rest, or waited for: here it stays.",
        "Up to 5 files, of at most 5,000 tokens each, are read again after a summary, with lists of tools, agents and skills: here the summary names the files.",
        "A compaction by hand (/compact, with or without words) also keeps the last answer: here it happens where the trigger fires, and its words are not known.",
        "Old tool results are not cleared before: the program sent all of them, after a rest of five hours, too.",
        "The words around the summary, and those of the prompt, are ours.",
        "Never fires where the model's window is not known.",
    ],
    build: claude_code,
    defaults: |_| summaries(Amount::Overflow, Keep::Answers(1)),
};

fn claude_code() -> Policy {
    let base = langchain();
    Policy {
        preset: CLAUDE_CODE.name,
        counter: "utf16-up",
        summarize: Summarize {
            trim_tokens: 0,
            measure: TriggerMeasure::Trailing,
            ..base.summarize
        },
        overflow: OverflowPolicy { max_output: ANSWER, buffer: BUFFER, ..base.overflow },
        on_growth: OnGrowth::Allow,
        ..base
    }
}

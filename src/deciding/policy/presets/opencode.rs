//! OpenCode: the released build, and the smaller design that an essay about it
//! describes (`opencode-seed`).
//! `docs/reference/opencode.md` has the rules.

use super::deepagents::deepagents;
use super::preset::{Preset, opencode_prune, summaries};
use super::prompts::SEED_PROMPT;
use crate::deciding::policy::amount::{Amount, Keep};
use crate::deciding::policy::overflow::OverflowPolicy;
use crate::deciding::policy::policy::Policy;
use crate::deciding::policy::stages::{Evict, PatchedCalls, Prune, Summarize, TriggerMeasure};
use crate::deciding::policy::summarizer::{SummarizerPolicy, SummaryTemplate};
use crate::reading::transcript::summary_frame::SummaryFrame;

/// The deliberate differences from the released build, as `epitome presets` prints them.
pub(super) const DIFFERS: &[&str] = &[
    "Prune is on: in OpenCode it is opt-in ([prune] enabled = false turns it off).",
    "The newest question stays, and is not decided on. After a switch to a smaller model, and for a summary asked for by hand, OpenCode decides with it, and may summarise it.",
    "One model call is looked at, as if the agent's loop had ended with the last answer: prune runs then, unless the reported usage overflows.",
    "A summary that failed changes nothing: in OpenCode results that are old enough are cleared all the same, because the agent's loop ended.",
    "An earlier summary goes when it is merged into the next. Where a tail begins before it, OpenCode sends it once more, inside the tail.",
    "Hidden results (those before an earlier compaction of an export) are neither counted nor cleared.",
    "Cleared results and summarised messages go to the archive: in OpenCode they stay in a database.",
    "Where a log reports no usage, or does not tell which usage is newer than its earlier summary, an overflow is judged by the estimate.",
    "A summary that was cut off is tried again with the next question if the usage before it still overflows: in OpenCode it is tried again in any case.",
    "What a log leaves out, such as reasoning in the format of OpenAI, has no size here: more messages may stay.",
    "Reasoning of an earlier model stays reasoning: in OpenCode it is sent to another model as if it had been said.",
    "Files stay as they are: in OpenCode words replace those that the model can't take.",
    "A replay has no call for an answer that failed, and none for the sessions of sub-agents. It makes no summary that was asked for by hand, so results \
     that such a summary hid are sent, and cleared.",
    "A log that is not an export tells the end of an earlier tail only by the message that asks to continue.",
    "In a replay the limits are those of one model, also if the session changed its model.",
    "The overflow test never fires where the model's limits are not known; above [overflow] limit it summarises even so.",
    "A refusal by the provider can't be known from a log: [summarize] replay = true decides as after one. The last user message then stays as \
     it is, its media with it: in OpenCode it is sent again, with words in place of media, after a tail that may hold it already. What the agent \
     did for it before the refusal stays: in OpenCode neither the summary nor the request has it, unless the tail does. The only question of a session \
     stays while nothing was done for it: in OpenCode it is summarised.",
    "No message that asks to continue is added.",
    "Result kinds: those with status error, pending or running, or is_error, are not completed.",
    "Where a format keeps its summary beside the list, or wants the roles to alternate and the model would speak twice in a row, \
     the summary is one user message, as in deepagents.",
    "The words of the prompt around the conversation are ours, in the same shape.",
    "A stage that makes a transcript larger is not applied ([summarize] on_growth = \"allow\" applies it).",
];

/// The deliberate differences from the essay, as `epitome presets` prints them.
pub(super) const SEED_DIFFERS: &[&str] = &[
    "Legacy function results are pruned as tool results are.",
    "The context is 128,000 tokens whatever the model ([overflow] context; --max-input-tokens takes precedence).",
    "System and developer messages stay, wherever they are.",
    "Where a format keeps its summary beside the list, or wants the roles to alternate and the model would speak twice in a row, \
     the summary is one user message, as in deepagents.",
    "A new user message after the last answer stays and does not count ([summarize] after_step = false counts it, and summarises it).",
    "A stage that makes a transcript larger is not applied ([summarize] on_growth = \"allow\" applies it).",
];

/// Returns the policy of `opencode`.
pub(super) fn released_opencode() -> Policy {
    let base = deepagents();
    let mut summarizer = base.summarizer;
    summarizer.use_template(SummaryTemplate::OpenCode);
    Policy {
        preset: "opencode",
        patch: PatchedCalls::Off,
        counter: "utf16",
        evict: Evict { tokens: 0, ..base.evict },
        prune: Prune { stored_order: true, ..opencode_prune() },
        summarize: Summarize { frame: SummaryFrame::OpenCode, after_step: true, ..base.summarize },
        summarizer,
        ..base
    }
}

/// The row of `opencode-2`.
pub(super) const OPENCODE_2: Preset = Preset {
    name: "opencode-2",
    about: "OpenCode 2, by its documentation and its public source: near the limit a checkpoint of a summary and of the newest turns of 15,000 tokens",
    differs: &[
        "Read, and not run: no released program decides by it yet. `opencode` is that of 1.18.",
        "`compaction.buffer` is [overflow] reserved, `compaction.keep.tokens` is --keep whole=N.",
        "The newest turns stay as messages; in OpenCode they are text inside the checkpoint, with results cut to 2,000 characters, and their size is that of the text.",
        "A single turn becomes a summary as a whole, but for a session with an earlier checkpoint: in OpenCode its own tail does.",
        "Pictures count 85 tokens; in OpenCode 1,500, and PDFs 2,000. What is only known to the program (skills, changes of the directory) is not in a log.",
        "The words of the summary and of the prompt are ours.",
        "Its database is not read: `opencode export` writes a session.",
        "Never fires where the model's limits are not known.",
    ],
    build: second_opencode,
    defaults: |_| summaries(Amount::Overflow, Keep::Whole(15_000)),
};

fn second_opencode() -> Policy {
    let base = released_opencode();
    Policy {
        preset: OPENCODE_2.name,
        prune: Prune { enabled: false, ..base.prune },
        summarize: Summarize {
            frame: SummaryFrame::Plain,
            after_step: false,
            measure: TriggerMeasure::Trailing,
            ..base.summarize
        },
        overflow: OverflowPolicy { reserved: Some(20_000), reserve_both: true, ..base.overflow },
        ..base
    }
}

/// Returns the policy of `opencode-seed`.
pub(super) fn seed_opencode() -> Policy {
    let base = released_opencode();
    Policy {
        preset: "opencode-seed",
        counter: "cjk",
        prune: Prune {
            protect: 20_000,
            minimum: 10_000,
            protect_tools: Vec::new(),
            skip_turns: 0,
            rescan: true,
            every_result: true,
            each_call: true,
            ..opencode_prune()
        },
        overflow: OverflowPolicy {
            context: 128_000,
            output: 32_000,
            reserved: Some(32_000),
            strict: true,
            ..OverflowPolicy::default()
        },
        summarizer: SummarizerPolicy {
            prompt: SEED_PROMPT.to_owned(),
            merge_prompt: String::new(),
            result_chars: 0,
            headings: Vec::new(),
            ..base.summarizer
        },
        ..base
    }
}

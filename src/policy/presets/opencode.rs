//! OpenCode: the released build, and the essay of a smaller one (spec: opencode, A.1 and A.2).

use crate::policy::presets::{Defaults, deepagents, use_template, when};
use crate::policy::{
    Amount, Evict, Keep, Overflow, Policy, Prune, Summarize, SummarizerPolicy, Template, Trigger,
};
use crate::transcript::summary_frame::SummaryFrame;

/// Where the released build is left on purpose.
pub(super) const DIFFERS: &[&str] = &[
    "Prune is on: there it is opt-in ([prune] enabled = false turns it off).",
    "One model call is looked at: prune runs once, before the overflow test, not after the agent's loop ended.",
    "Cleared results and summarised messages go to the archive: there they stay in a database.",
    "An overflow is judged by the usage that the log reports for its last answer; where it reports none, or an earlier \
     summary stands in it (the usage may be older), by the estimate.",
    "The overflow test never fires where the model's limits are not known; above [overflow] limit it summarises even so.",
    "A tail never begins inside an exchange of a call and its results; there both are one message.",
    "Result kinds: those with status error, pending or running, or is_error, are not completed.",
    "No message that asks to continue is added; the last user message stays if [summarize] replay = true, its media with it.",
    "Where a format keeps its summary beside the list, or wants the roles to alternate and the model would speak twice in a row, \
     the summary is one user message, as in deepagents.",
    "Labels and wording of the prompt are ours, in the same shape.",
    "A stage that makes a transcript larger is not applied ([summarize] on_growth = \"allow\" applies it).",
];

/// Where the essay is left on purpose.
pub(super) const SEED_DIFFERS: &[&str] = &[
    "Legacy function results are pruned as tool results are.",
    "The context is 128,000 tokens whatever the model ([overflow] context; --max-input-tokens goes before it).",
    "System and developer messages stay, wherever they stand.",
    "Where a format keeps its summary beside the list, or wants the roles to alternate and the model would speak twice in a row, \
     the summary is one user message, as in deepagents.",
    "The new user message comes with the next call; [summarize] replay = true keeps the last one that is there.",
    "A stage that makes a transcript larger is not applied ([summarize] on_growth = \"allow\" applies it).",
];

/// Code points of a tool result that the summarising model sees.
pub(super) const RESULT_CHARS: usize = 2000;

/// The headings that the prompts of the released build demand.
pub(super) const HEADINGS: [&str; 5] = [
    "Objective",
    "Important Details",
    "Work State",
    "Next Move",
    "Relevant Files",
];

/// The sections that a summary has, for a model and for the embedded summarizer.
macro_rules! task {
    () => {
        "\
You are a context summarisation agent. The conversation below between a user and an assistant that uses tools will be replaced by \
what you write now. Follow the format exactly, keep paths and identifiers as they are, do not continue the conversation and do not \
answer its questions. Write in the language of the conversation.

<conversation>
{messages}
</conversation>

"
    };
}

macro_rules! template {
    () => {
        "
## Objective
- what the user wants, in one or two bullets

## Important Details
- constraints, preferences, decisions and their reasons, facts, exact errors

## Work State
### Completed
- what is done and verified
### Active
- what is under way
### Blocked
- what is in the way, and why

## Next Move
1. what to do next, in order

## Relevant Files
- exact path: why it matters

Keep every section, even if it is empty (then write: - None). Terse bullets, no prose. Exact paths, commands and errors. \
Do not mention that anything was summarised."
    };
}

/// For a conversation without an earlier summary.
pub(super) const PROMPT: &str = concat!(
    task!(),
    "Create a new anchored summary of this conversation, in this format:\n",
    template!()
);

/// For a conversation that begins with an earlier summary.
pub(super) const MERGE_PROMPT: &str = concat!(
    task!(),
    "<prior-summary>
{prior_summary}
</prior-summary>

Merge the earlier summary and the conversation, which is newer, into one summary: carry forward goals, constraints and decisions that still hold; \
where the two disagree the conversation wins; move what was finished since to Completed; drop what no longer matters. \
The earlier summary is discarded: what you leave out is gone. Use this format:
",
    template!()
);

/// The essay's own words; the second part asks in its language to summarise, so that the work can go on.
const SEED_PROMPT: &str = "\
You are a helpful AI assistant tasked with summarizing conversations.
Focus on information helpful for continuing the conversation:
- What was done
- What is currently being worked on
- Which files are being modified
- What needs to be done next
- Key user preferences that should persist

{messages}

请总结上述对话，以便继续后续工作。";

/// The constants of the released build.
pub(super) fn prune() -> Prune {
    Prune {
        enabled: true,
        protect: 40_000,
        minimum: 20_000,
        placeholder: "[Old tool result content cleared]".to_owned(),
        protect_tools: vec!["skill".to_owned()],
        skip_turns: 2,
        rescan: false,
        every_result: false,
        each_call: false,
    }
}

pub(super) fn released() -> Policy {
    let base = deepagents();
    let mut summarizer = base.summarizer;
    use_template(&mut summarizer, Template::OpenCode);
    Policy {
        preset: "opencode",
        counter: "utf16",
        evict: Evict {
            tokens: 0,
            ..base.evict
        },
        prune: prune(),
        summarize: Summarize {
            frame: SummaryFrame::OpenCode,
            ..base.summarize
        },
        summarizer,
        ..base
    }
}

pub(super) fn seed() -> Policy {
    let base = released();
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
            ..prune()
        },
        overflow: Overflow {
            context: 128_000,
            output: 32_000,
            reserved: Some(32_000),
            strict: true,
            ..Overflow::default()
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

pub(super) fn released_defaults(_: bool) -> Defaults {
    Defaults {
        summarize_trigger: when(Amount::Overflow),
        summarize_keep: Keep::Turns {
            most: None,
            tokens: None,
        },
        truncate_trigger: Trigger::default(),
        truncate_keep: Keep::Last(Amount::Messages(20)),
    }
}

pub(super) fn seed_defaults(limit_known: bool) -> Defaults {
    Defaults {
        summarize_keep: Keep::Turns {
            most: Some(0),
            tokens: None,
        },
        ..released_defaults(limit_known)
    }
}

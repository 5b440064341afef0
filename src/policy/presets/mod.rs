//! The live middlewares that a policy can start from.

mod opencode;

use crate::model::Models;
use crate::policy::{
    Amount, ArchivePolicy, Clause, Evict, Keep, ModelPolicy, OnFailure, OnGrowth, Overflow, Policy,
    Prune, Summarize, SummarizerKind, SummarizerPolicy, Template, Trigger, Truncate,
};
use crate::transcript::summary_frame::SummaryFrame;

/// A preset: its name and what it reproduces.
#[derive(Debug)]
pub struct Preset {
    /// The name for `--preset`.
    pub name: &'static str,
    /// One line on what it reproduces.
    pub about: &'static str,
    /// Where it does something else on purpose.
    pub differs: &'static [&'static str],
    build: fn() -> Policy,
    defaults: fn(bool) -> Defaults,
}

impl Preset {
    /// The preset's policy.
    #[must_use]
    pub fn policy(&self) -> Policy {
        (self.build)()
    }
}

/// All presets; the first is the default.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "deepagents",
        about: "Deep Agents 0.4.3: evict, truncate and summarize, with an archive that the model is told of",
        differs: &[
            "System and developer messages are never summarised.",
            "A cut moves back until no kept result is without its call.",
            "An edit that makes a transcript larger is not made ([summarize] on_growth = \"allow\" makes it).",
            "Above the model's input limit it summarises even if no trigger fired.",
            "A summary that failed or is empty changes nothing.",
        ],
        build: deepagents,
        defaults: deepagents_defaults,
    },
    Preset {
        name: "langchain",
        about: "LangChain's SummarizationMiddleware alone: summarize, with no trigger of its own (give --trigger)",
        differs: &[
            "As deepagents.",
            "What is summarised is archived; the summary message does not name the archive.",
        ],
        build: langchain,
        defaults: langchain_defaults,
    },
    Preset {
        name: "opencode",
        about: "OpenCode 1.18.34: prune old tool results, summarise on overflow, keep the newest turns",
        differs: opencode::DIFFERS,
        build: opencode::released,
        defaults: opencode::released_defaults,
    },
    Preset {
        name: "opencode-seed",
        about: "an essay's smaller OpenCode: prunes more, 32,000 reserved of 128,000 tokens, keeps no turns, counts CJK characters by themselves",
        differs: opencode::SEED_DIFFERS,
        build: opencode::seed,
        defaults: opencode::seed_defaults,
    },
];

/// Takes over a template, with its prompts.
pub(super) fn use_template(policy: &mut SummarizerPolicy, template: Template) {
    let (prompt, merge_prompt, result_chars, headings) = match template {
        Template::DeepAgents => (PROMPT, "", 0, HEADINGS.as_slice()),
        Template::OpenCode => (
            opencode::PROMPT,
            opencode::MERGE_PROMPT,
            opencode::RESULT_CHARS,
            opencode::HEADINGS.as_slice(),
        ),
    };
    let headings = headings.iter().map(|&heading| heading.to_owned()).collect();
    *policy = SummarizerPolicy {
        template,
        prompt: prompt.to_owned(),
        merge_prompt: merge_prompt.to_owned(),
        result_chars,
        headings,
        ..policy.clone()
    };
}

/// What truncation keeps where a fraction has no limit to be taken of.
pub(super) const TRUNCATE_KEEP_WITHOUT_LIMIT: usize = 20;

/// What a preset does where the user said nothing.
pub(super) struct Defaults {
    pub(super) summarize_trigger: Trigger,
    pub(super) summarize_keep: Keep,
    pub(super) truncate_trigger: Trigger,
    pub(super) truncate_keep: Keep,
}

/// The defaults of a preset, by whether the model's input limit is known.
pub(super) fn defaults(name: &str, limit_known: bool) -> Defaults {
    let preset = PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .unwrap_or(&PRESETS[0]);
    (preset.defaults)(limit_known)
}

fn when(amount: Amount) -> Trigger {
    Trigger {
        clauses: vec![Clause(vec![amount])],
    }
}

/// Spec: deepagents, section 3, "Defaults".
fn deepagents_defaults(limit_known: bool) -> Defaults {
    if limit_known {
        return Defaults {
            summarize_trigger: when(Amount::Fraction(0.85)),
            summarize_keep: Keep::Last(Amount::Fraction(0.10)),
            truncate_trigger: when(Amount::Fraction(0.85)),
            truncate_keep: Keep::Last(Amount::Fraction(0.10)),
        };
    }
    Defaults {
        summarize_trigger: when(Amount::Tokens(170_000)),
        summarize_keep: Keep::Last(Amount::Messages(6)),
        truncate_trigger: when(Amount::Messages(20)),
        truncate_keep: Keep::Last(Amount::Messages(20)),
    }
}

fn langchain_defaults(_: bool) -> Defaults {
    Defaults {
        summarize_trigger: Trigger::default(),
        summarize_keep: Keep::Last(Amount::Messages(20)),
        truncate_trigger: Trigger::default(),
        truncate_keep: Keep::Last(Amount::Messages(20)),
    }
}

const EXCLUDED_TOOLS: [&str; 7] = [
    "ls",
    "glob",
    "grep",
    "read_file",
    "write_file",
    "edit_file",
    "write_todos",
];

/// The headings that the prompt below demands.
const HEADINGS: [&str; 4] = ["SESSION INTENT", "SUMMARY", "ARTIFACTS", "NEXT STEPS"];

/// Asks a model for the four sections that the embedded summarizer writes too.
const PROMPT: &str = "\
The conversation below between a user and an assistant that uses tools has grown too long. It will be replaced by what you write now, \
so the assistant must be able to go on from your text alone, without asking again and without doing finished work twice.

Write these four sections, each with its heading, in the language of the conversation. Where there is nothing to say, write None.

## SESSION INTENT
What the user wants, with all constraints and preferences, in the user's own words where they matter.

## SUMMARY
What was done and found out: decisions and their reasons, options that were ruled out, errors and how they were solved. \
Keep identifiers, numbers, paths and commands exactly as they are.

## ARTIFACTS
Files and other resources that were created, changed or read, each with its exact path and what happened to it.

## NEXT STEPS
What is left to do, starting with what was under way when the conversation was cut.

Answer with the four sections only.

<conversation>
{messages}
</conversation>";

fn deepagents() -> Policy {
    Policy {
        preset: "deepagents",
        model: None,
        limits: None,
        models: Models::default(),
        strict_model: false,
        max_input_tokens: None,
        counter: "approx",
        chars_per_token: None,
        evict: Evict {
            tokens: 20_000,
            exclude: EXCLUDED_TOOLS.map(str::to_owned).to_vec(),
        },
        truncate: Truncate {
            trigger: None,
            keep: None,
            max_length: 2000,
            text: "...(argument truncated)".to_owned(),
            tools: vec!["write_file".to_owned(), "edit_file".to_owned()],
        },
        prune: Prune {
            enabled: false,
            ..opencode::prune()
        },
        summarize: Summarize {
            trigger: None,
            keep: None,
            trim_tokens: 0,
            frame: SummaryFrame::Archived,
            replay: false,
        },
        summarizer: SummarizerPolicy {
            kind: SummarizerKind::Extract,
            budget: 0,
            template: Template::DeepAgents,
            prompt: PROMPT.to_owned(),
            merge_prompt: String::new(),
            result_chars: 0,
            headings: HEADINGS.map(str::to_owned).to_vec(),
            on_failure: OnFailure::Keep,
            model: ModelPolicy::default(),
        },
        archive: ArchivePolicy {
            prefix: "/conversation_history".to_owned(),
            results_prefix: "/large_tool_results/{thread_id}".to_owned(),
        },
        overflow: Overflow::default(),
        on_growth: OnGrowth::Skip,
        redact: false,
    }
}

fn langchain() -> Policy {
    let base = deepagents();
    Policy {
        preset: "langchain",
        evict: Evict {
            tokens: 0,
            ..base.evict
        },
        summarize: Summarize {
            trim_tokens: 4000,
            frame: SummaryFrame::Plain,
            ..base.summarize
        },
        ..base
    }
}

//! Deep Agents, and LangChain's middleware for summaries alone.
//! `docs/reference/deepagents.md` and `docs/reference/langchain.md` have the rules.

use super::preset::{PresetDefaults, opencode_prune, trigger_on};
use super::prompts::{DEEPAGENTS_HEADINGS, DEEPAGENTS_PROMPT};
use crate::base::secrets::Redaction;
use crate::deciding::model::{Models, ProfileRelease};
use crate::deciding::policy::amount::{Amount, Keep};
use crate::deciding::policy::overflow::OverflowPolicy;
use crate::deciding::policy::policy::{Policy, SectionsVersion, SystemPolicy};
use crate::deciding::policy::stages::{
    ArchivePolicy, AskingTool, BoundReasoning, Cut, DedupPolicy, Evict, HistoryForm, NoticeForm,
    OnGrowth, PatchedCalls, Pin, Prune, Summarize, TriggerCount, TriggerMeasure, Truncate,
};
use crate::deciding::policy::summarizer::{
    ModelPolicy, OnFailure, SummarizerKind, SummarizerPolicy, SummaryTemplate,
};
use crate::reading::transcript::summary_frame::SummaryFrame;

/// Tools whose results are never evicted.
const EXCLUDED_TOOLS: &str = "ls glob grep read_file write_file edit_file write_todos";

/// Tools that show files and folders as they are: a later result replaces an earlier one.
const READERS: &str = "\
    read_file read Read view View view_file open_file cat read_many_files str_replace_editor \
    str_replace_based_edit_tool file_editor ls LS list list_dir list_directory list_files glob \
    Glob grep Grep search_files search_file_content list_code_definition_names";

pub(super) fn deepagents() -> Policy {
    Policy {
        preset: "deepagents",
        model: None,
        limits: None,
        profiles: ProfileRelease::None,
        models: Models::default(),
        strict_model: false,
        max_input_tokens: None,
        counter: "approx",
        chars_per_token: None,
        system: SystemPolicy {
            base: None,
            memory: Vec::new(),
            skills: Vec::new(),
            root: None,
            count: true,
            version: SectionsVersion::V04,
        },
        count: TriggerCount { system: true, tools: true },
        patch: PatchedCalls::V04,
        evict: Evict {
            tokens: 20_000,
            exclude: EXCLUDED_TOOLS.split(' ').map(str::to_owned).collect(),
            human_tokens: 0,
            notice: NoticeForm::Fixed,
        },
        truncate: Truncate {
            trigger: None,
            keep: None,
            max_length: 2000,
            text: "...(argument truncated)".to_owned(),
            tools: vec!["write_file".to_owned(), "edit_file".to_owned()],
        },
        prune: Prune { enabled: false, ..opencode_prune() },
        dedup: DedupPolicy {
            enabled: false,
            least: 50,
            tools: READERS.split(' ').map(str::to_owned).collect(),
        },
        cut: Cut { tokens: 0, keep: 3, exclude: Vec::new() },
        pin: Pin::default(),
        summarize: Summarize {
            trigger: None,
            keep: None,
            keep_share: 0.0,
            trim_tokens: 0,
            frame: SummaryFrame::Archived,
            replay: false,
            after_step: false,
            measure: TriggerMeasure::Estimate,
            keep_first: 0,
            keep_users: 0,
            bound_reasoning: BoundReasoning::Keep,
            asked_by: Vec::new(),
        },
        summarizer: SummarizerPolicy {
            kind: SummarizerKind::Extract,
            budget: 0,
            template: SummaryTemplate::DeepAgents,
            prompt: DEEPAGENTS_PROMPT.to_owned(),
            merge_prompt: String::new(),
            result_chars: 0,
            headings: DEEPAGENTS_HEADINGS.map(str::to_owned).to_vec(),
            on_failure: OnFailure::Keep,
            pass_env: Vec::new(),
            weights: None,
            model: ModelPolicy::default(),
        },
        archive: ArchivePolicy {
            prefix: "/conversation_history".to_owned(),
            results_prefix: "/large_tool_results/{thread_id}".to_owned(),
            form: HistoryForm::Lines,
        },
        overflow: OverflowPolicy::default(),
        on_growth: OnGrowth::Skip,
        redact: Redaction::Off,
    }
}

/// Returns the policy of `deepagents-0.7`.
pub(super) fn newest_deepagents() -> Policy {
    let base = deepagents();
    let mut evict = base.evict;
    evict.exclude.push("delete".to_owned());
    evict.human_tokens = 50_000;
    evict.notice = NoticeForm::Caveats;
    Policy {
        preset: "deepagents-0.7",
        patch: PatchedCalls::V07,
        system: SystemPolicy {
            // There the sections come behind the middleware that summarizes.
            count: false,
            version: SectionsVersion::V07,
            ..base.system
        },
        evict,
        summarize: Summarize {
            bound_reasoning: BoundReasoning::Drop,
            asked_by: vec![AskingTool {
                tool: "compact_conversation".to_owned(),
                made: "Conversation compacted.".to_owned(),
            }],
            ..base.summarize
        },
        archive: ArchivePolicy { form: HistoryForm::Xml, ..base.archive },
        overflow: OverflowPolicy {
            budget: 0.95,
            answers_of: vec!["anthropic".to_owned()],
            ..base.overflow
        },
        ..base
    }
}

pub(super) fn langchain() -> Policy {
    let base = deepagents();
    Policy {
        preset: "langchain",
        // The middleware sees the messages of the agent's state, and nothing else.
        count: TriggerCount { system: false, tools: false },
        patch: PatchedCalls::Off,
        evict: Evict { tokens: 0, ..base.evict },
        summarize: Summarize { trim_tokens: 4000, frame: SummaryFrame::Plain, ..base.summarize },
        ..base
    }
}

/// Returns when `deepagents` acts and how much it keeps.
pub(super) fn deepagents_defaults(limit_known: bool) -> PresetDefaults {
    if limit_known {
        return PresetDefaults {
            summarize_trigger: trigger_on(Amount::Fraction(0.85)),
            summarize_keep: Keep::Last(Amount::Fraction(0.10)),
            truncate_trigger: trigger_on(Amount::Fraction(0.85)),
            truncate_keep: Keep::Last(Amount::Fraction(0.10)),
        };
    }
    PresetDefaults {
        summarize_trigger: trigger_on(Amount::Tokens(170_000)),
        summarize_keep: Keep::Last(Amount::Messages(6)),
        truncate_trigger: trigger_on(Amount::Messages(20)),
        truncate_keep: Keep::Last(Amount::Messages(20)),
    }
}

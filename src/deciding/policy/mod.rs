//! The policy: what the user asked for, as data, and its pure evaluation.
//! Settings fill it in once; nothing after that reads an option.

mod absolute_amounts;
mod amount;
mod overflow;
mod policy;
mod presets;
mod stages;
mod summarizer;
mod text_pattern;
mod thresholds;

pub(crate) use absolute_amounts::{KeepCount, Threshold};
pub(crate) use amount::{Amount, Clause, Keep, Trigger};
pub(crate) use policy::{Policy, SectionsVersion, SkillSource, SystemPolicy};
pub(crate) use presets::{LAST_CHECK, PRESETS, Preset};
pub(crate) use stages::{
    ArchivePolicy, AskingTool, BoundReasoning, Evict, HistoryForm, LeastCleared, NoticeForm,
    OnGrowth, PatchedCalls, Pin, Prune, PruneMeasure, PruneRule, TriggerCount, TriggerMeasure,
    Truncate,
};
pub(crate) use summarizer::{
    CachePlace, CallPrice, Dialect, ModelPolicy, OnFailure, SummarizerKind, SummarizerPolicy,
    SummaryTemplate,
};
pub(crate) use text_pattern::TextPattern;
pub(crate) use thresholds::{AskedLength, ContextSize, Thresholds};

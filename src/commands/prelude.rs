//! What commands are written with.

pub(super) use crate::base::error::describe_with_causes;
pub(super) use crate::base::foreign_text::harmless_json;
pub(super) use crate::base::stop_flag::StopFlag;
pub(super) use crate::commands::ending::{explain_early_end, print_complaints};
pub(super) use crate::commands::run_terms::{
    archive_line, archive_time, replaced_paths, run_facts, source_date, writing_terms,
};
pub(super) use crate::commands::summarizers::{
    build_summarizer, keeps_answers, refuse_missing_program,
};
pub(super) use crate::commands::terminal_width::{table_columns, talk_columns, talk_table_columns};
pub(super) use crate::commands::{
    Ending, collect_named_inputs, interrupt, print_found_configs, print_policy,
    print_section_notes, start_progress, warn_of_large_keep,
};
pub(super) use crate::dataset::{CardFacts, DatasetOptions, DatasetWriter};
pub(super) use crate::deciding::model::Prices;
pub(super) use crate::deciding::policy::{PRESETS, Preset, SummarizerKind};
pub(super) use crate::files::archive::{REPORT_FILE, history::SectionClock, names::NameRule};
pub(super) use crate::files::input::{
    InputEntry, InputError, InputSource, InputUnit, NamedInputs, PathRules, ReadLimits,
    ReadOptions, name_outputs_jsonl,
};
pub(super) use crate::files::output::{
    AccessLimit, NamedFile, OutputTree, OverwriteGuard, STDOUT, WriteError, WritingTerms,
    fault_of_stdout, print_lines, print_message, print_result,
};
pub(super) use crate::measuring::evaluation::gate::RetentionGate;
pub(super) use crate::measuring::replay::thread_report::ReplayTotals;
pub(super) use crate::measuring::replay::work::{ReplayPolicy, ReplayWork};
pub(super) use crate::measuring::replay::{receiver::PolicyOutput, training::TrainingOptions};
pub(super) use crate::reading::format::{Format, Shape};
pub(super) use crate::reading::transcript::view::TranscriptView;
pub(super) use crate::reporting::report::numbers::count_nouns;
pub(super) use crate::reporting::report::terminal_text::{plain_table, render_wrapping};
pub(super) use crate::reporting::report::{
    ExpectedUsage, ExpectedUsageTotals, RunFacts, SummaryUsageTotals, TranscriptReport,
    render_run_table, wrap_lines,
};
pub(super) use crate::running::batch::run_log::RunLog;
pub(super) use crate::running::batch::{
    FindingsReceiver, ReceiveInOrder, RunError, UnitWork, WorkerSlot, run_batch,
};
pub(super) use crate::running::compaction::{
    CompactedOutput, CompactionError, EntryKinds, Job, Planned, RunReports, UnitReceiver,
};
pub(super) use crate::running::conversation::{
    Conversation, Panicked, UnitFindings, UnitRecord, read_unit, source_location,
};
pub(super) use crate::running::requests::manifest::Manifest;
pub(super) use crate::settings::cli::{MaxErrors, PlanArgs, PolicyArgs};
pub(super) use crate::settings::progress::Progress;
pub(super) use crate::settings::{
    self, ReportRequest, RunSettings, Settings, to_toml, to_toml_without_prompts,
};
pub(super) use crate::summary::answer_cache::AnswerCache;
pub(super) use crate::summary::model::{ModelEndpoint, SummaryTask};
pub(super) use crate::summary::summarizer_entry;
pub(super) use anyhow::{Context, Result, anyhow, bail};
pub(super) use serde_json::json;
pub(super) use std::collections::{BTreeMap, BTreeSet, HashSet};
pub(super) use std::io::{self, BufWriter, Write};
pub(super) use std::path::{Path, PathBuf};
pub(super) use std::sync::Arc;
pub(super) use std::sync::atomic::{AtomicBool, Ordering};

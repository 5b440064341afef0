//! The command line as typed arguments, which `settings` resolves: a file for each
//! group of subcommands, and one for each group of options that several of them share.

mod brief_help;
pub(crate) mod checked_values;
mod clap_parsers;
mod command_line;
mod measuring;
mod output_options;
mod policy_options;
mod reference;
mod replaying;
mod requests;
mod rows;
mod run_options;
mod usage_tips;
mod writing;

pub(crate) use command_line::{Cli, Command, misspelt_variable, option_of_unknown_variable};
pub(crate) use measuring::{AuditArgs, CountArgs, EvaluateArgs, FitArgs};
pub(crate) use output_options::{ReportArgs, ToArgs, WhenLocked, WritingArgs};
pub(crate) use policy_options::{CountingArgs, PolicyArgs};
pub(crate) use reference::{CompletionsArgs, FormatsArgs, ManArgs, ModelsArgs, PresetsArgs};
pub(crate) use replaying::{Columns, DatasetArgs, Dedup, FileType, ReplayArgs};
pub(crate) use requests::{
    ApplyArgs, BatchArgs, ExportArgs, RequestsArgs, RequestsCommand, SubmitArgs,
};
pub(crate) use rows::{
    SchemaArgs, SchemaLanguage, StreamArgs, StreamJob, StreamRemoved, StreamUndo, UnpackArgs,
};
pub(crate) use run_options::{AnnotationStyle, InputArgs, MaxErrors, RunArgs, When};
pub(crate) use usage_tips::{improve_usage_error, tip_for_option};
pub(crate) use writing::{CompactArgs, ConvertArgs, PlanArgs, RestoreArgs};

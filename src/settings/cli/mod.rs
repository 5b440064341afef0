//! The command line as typed arguments, which `settings` resolves: a file for each
//! subcommand, and one for each group of options that several of them share.

mod audit;
mod brief_help;
pub(crate) mod checked_values;
mod clap_parsers;
mod command_line;
mod compact;
mod completions;
mod convert;
mod count;
mod dataset;
mod evaluate;
mod fit;
mod formats;
mod input_options;
mod man;
mod models;
mod output_options;
mod plan;
mod policy_options;
mod presets;
mod replay;
mod requests;
mod restore;
mod run_options;
mod stream;
mod table_help;
mod token_counts;
mod unpack;
mod usage_tips;
mod value_error;

pub(crate) use audit::AuditArgs;
pub(crate) use command_line::{Cli, Command, misspelt_variables, option_of_unknown_variable};
pub(crate) use compact::CompactArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use convert::ConvertArgs;
pub(crate) use count::CountArgs;
pub(crate) use dataset::{Columns, DatasetArgs, Dedup, FileType};
pub(crate) use evaluate::EvaluateArgs;
pub(crate) use fit::FitArgs;
pub(crate) use formats::FormatsArgs;
pub(crate) use input_options::InputArgs;
pub(crate) use man::ManArgs;
pub(crate) use models::ModelsArgs;
pub(crate) use output_options::{ReportArgs, ToArgs, WhenLocked, WritingArgs};
pub(crate) use plan::PlanArgs;
pub(crate) use policy_options::{CountingArgs, PolicyArgs};
pub(crate) use presets::PresetsArgs;
pub(crate) use replay::ReplayArgs;
pub(crate) use requests::{
    ApplyArgs, BatchArgs, ExportArgs, RequestsArgs, RequestsCommand, SubmitArgs,
};
pub(crate) use restore::RestoreArgs;
pub(crate) use run_options::{AnnotationStyle, MaxErrors, RunArgs, When};
pub(crate) use stream::{
    SchemaArgs, SchemaLanguage, StreamArgs, StreamJob, StreamRemoved, StreamUndo,
};
pub(crate) use unpack::UnpackArgs;
pub(crate) use usage_tips::{improve_usage_error, tip_for_option};
pub(crate) use value_error::{ABOVE_ZERO, MAX_NUMBER, ValueError, did_you_mean};

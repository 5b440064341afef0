//! Options and configuration become one resolved policy, once. After this
//! nothing reads an option or a key of the configuration again.

mod chat_tokenizer;
pub(crate) mod cli;
mod config;
mod endpoint;
mod found_config;
#[cfg(target_os = "linux")]
mod inherited_signals;
mod named_files;
mod policy_layers;
mod program_environment;
pub(crate) mod progress;
mod run;
mod settings;
mod system_prompt;
mod user_directories;

pub(crate) use chat_tokenizer::ModelTokenizer;
pub(crate) use config::ConfigError;
pub(crate) use config::{key_like_option, read_text, to_toml, to_toml_without_prompts};
pub(crate) use endpoint::{keyless_endpoint, resolve_endpoint};
pub(crate) use found_config::FoundConfig;
#[cfg(target_os = "linux")]
pub(crate) use inherited_signals::ignored_signals;
pub(crate) use named_files::make_paths_absolute;
pub(crate) use policy_layers::model_policy;
pub(crate) use program_environment::program_environment;
pub(crate) use run::{
    ReportRequest, RunSettings, conversion, resolve_jobs, resolve_reading, resolve_reading_of,
    resolve_reports, resolve_run,
};
pub(crate) use settings::Settings;
pub(crate) use system_prompt::{PromptSection, PromptSections};
pub(crate) use user_directories::{key_directories, state_directory};

//! Options and configuration become one resolved policy, once. After this
//! nothing reads an option or a key of the configuration again.

pub(crate) mod cli;
mod config;
mod endpoint;
mod environment;
mod found_config;
mod named_files;
mod policy_layers;
pub(crate) mod progress;
mod run;
mod settings;
mod system_prompt;

pub(crate) use config::ConfigError;
pub(crate) use config::{key_like_option, read_text, to_toml, to_toml_without_prompts};
pub(crate) use endpoint::{keyless_endpoint, resolve_endpoint};
#[cfg(target_os = "linux")]
pub(crate) use environment::ignored_signals;
pub(crate) use environment::{key_directories, program_environment, state_directory};
pub(crate) use found_config::FoundConfig;
pub(crate) use named_files::{ModelTokenizer, make_paths_absolute};
pub(crate) use policy_layers::model_policy;
pub(crate) use run::{
    ReportRequest, RunSettings, conversion, resolve_jobs, resolve_reading, resolve_reading_of,
    resolve_reports, resolve_run,
};
pub(crate) use settings::Settings;
pub(crate) use system_prompt::{PromptSection, PromptSections};

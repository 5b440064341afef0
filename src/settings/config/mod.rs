//! The configuration file. Each key is written once, in a row of `config.rs`: it is
//! read from TOML, laid over a policy, printed by `--print-config`, and described
//! by `docs/config.schema.json`. The options of the command line fill the same
//! struct and are laid over the policy after the file.

mod amounts;
mod config;
mod document;
mod error;
mod file;
mod print;
mod refusal;
mod row;
#[cfg(test)]
mod schema;
mod spelling;
mod trust;

pub(crate) use config::Config;
pub(in crate::settings) use config::SummarizerConfig;
pub(crate) use error::ConfigError;
pub(crate) use file::read_text;
pub(in crate::settings) use file::unreadable;
pub(in crate::settings) use print::MASKED;
pub(crate) use print::{to_toml, to_toml_without_prompts};
pub(crate) use refusal::key_like_option;
pub(in crate::settings) use refusal::reaching_key;
pub(in crate::settings) use spelling::CounterName;

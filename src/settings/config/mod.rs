//! The configuration file. Each key stands once, in the struct [`Config`]: it is
//! read from TOML, laid over a policy, printed by `--print-config`, and described
//! by `docs/config.schema.json`. The options of the command line fill the same
//! struct and are laid over the policy after the file.

mod amounts;
mod apply;
mod assignments;
mod config;
mod document;
mod error;
mod file;
mod keys;
mod print;
#[cfg(test)]
mod schema;
mod spelling;
mod trust;

pub(crate) use config::Config;
pub(in crate::settings) use config::{PinConfig, PruneConfig, SummarizerConfig};
pub(crate) use error::ConfigError;
pub(in crate::settings) use print::MASKED;
pub(crate) use print::{to_toml, to_toml_without_prompts};
pub(in crate::settings) use spelling::{CounterName, HeaderList};
pub(crate) use trust::key_like_option;

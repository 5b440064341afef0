//! The arguments of `presets`.

use super::clap_parsers::preset_parser;
use crate::deciding::policy::Preset;
use clap::Args;

/// The arguments of `presets`.
#[derive(Debug, Args)]
pub(crate) struct PresetsArgs {
    /// Show only this preset, with its prompts
    #[arg(value_name = "NAME", value_parser = preset_parser())]
    pub name: Option<&'static Preset>,
    /// The model whose limits determine the values, as provider:model
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
}

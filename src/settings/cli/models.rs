//! The arguments of `models`, and the text behind its help.

use super::clap_parsers::{parse_assignment, preset_parser};
use crate::deciding::policy::Preset;
use clap::Args;
use std::path::PathBuf;

pub(super) const MODELS_HELP: &str = "\
A name is provider:model, provider/model or model. It is looked up exactly, first in --limits, then
in the embedded table. A bare name means the model of its maker. `:` and `/` mean the same: the
provider's model, or else the model with that full name at a reseller (openai/gpt-oss-120b at Groq).

A name that is in no table is looked up again without, in this order: `models/` or `ft:`; a router
(openrouter/openai/...); a region (us.); the maker's prefix (anthropic., then only as the maker's
own model); a version or variant (-v1:0, @..., :free); a date (-20250929, -2025-12-11) or -latest.
The limit of a reseller counts only if it is smaller than that of the maker.

--limits takes a table like the embedded one: a heading with provider, model, context, input and
output, then a line for each model, all separated by tabs. An input limit that equals the context
may be empty.";

/// The arguments of `models`.
#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// The model to explain [default: list all]
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// A table of your own model limits, which takes precedence over the embedded one
    #[arg(long, value_name = "FILE")]
    pub limits: Option<PathBuf>,
    /// Set a key of the configuration, such as profiles=0.4.3: a release of Deep Agents whose limits
    /// take precedence over the embedded ones (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_assignment)]
    pub set: Vec<String>,
    /// The preset whose defaults are shown [default: deepagents]
    #[arg(long, value_name = "NAME", value_parser = preset_parser())]
    pub preset: Option<&'static Preset>,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
}

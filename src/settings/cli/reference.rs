//! The arguments of the commands that explain the program, the texts behind their help, and the
//! scripts and pages that clap makes.

use super::clap_parsers::{parse_assignment, preset_parser};
use crate::deciding::policy::Preset;
use clap::builder::{StringValueParser, TypedValueParser};
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use std::io;
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

pub(super) const FORMATS_HELP: &str = "\
How `compact` writes a format:
  rewritten  In the same format; what does not change stays byte for byte
  appended   Nothing is rewritten; the agent's own record of a compaction is added
  --to only  The agent has no such record; `compact --to` writes a chat transcript";

/// The arguments of `formats`.
#[derive(Debug, Args)]
pub(crate) struct FormatsArgs {
    /// Show what was recognized in these files, and which format follows from it [default: list all
    /// formats]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

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

pub(super) const COMPLETIONS_HELP: &str = "\
Examples:
  bash    epitome completions bash > ~/.local/share/bash-completion/completions/epitome
  zsh     epitome completions zsh > \"${fpath[1]}/_epitome\"
  fish    epitome completions fish > ~/.config/fish/completions/epitome.fish";

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsArgs {
    /// Returns the script of the shell for a command line.
    pub(crate) fn script(&self, mut command: Command) -> String {
        let mut script = Vec::new();
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        String::from_utf8_lossy(&script).into_owned()
    }
}

pub(super) const MAN_HELP: &str = "\
Examples:
  Read the page of the program:
    epitome man | man -l -
  Install the page of a command:
    epitome man compact > ~/.local/share/man/man1/epitome-compact.1";

/// The arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command whose page is printed [default: the program itself]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl ManArgs {
    /// Returns the page of a command line or of one of its commands, as roff. It never fails in practice:
    /// the page is written into memory.
    pub(crate) fn page(&self, mut command: Command) -> io::Result<String> {
        command.build();
        if let Some(name) = &self.command
            && let Some(subcommand) = command.find_subcommand(name)
        {
            command = subcommand.clone();
        }
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        Ok(String::from_utf8_lossy(&page).into_owned())
    }
}

/// Returns a command line whose `man` takes the names of its commands and no other.
pub(super) fn with_command_names(command: Command) -> Command {
    let known: Vec<String> =
        command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let parser = StringValueParser::new().try_map(move |name| {
        if known.contains(&name) {
            return Ok(name);
        }
        Err(format!("there is no such command (commands: {})", known.join(", ")))
    });
    command.mut_subcommand("man", |man| {
        man.mut_arg("command", |argument| argument.value_parser(parser))
    })
}

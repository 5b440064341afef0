//! The arguments of `completions`, and the scripts that it prints.

use clap::{Args, Command};
use clap_complete::Shell;

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
    #[must_use]
    pub(crate) fn script(&self, mut command: Command) -> String {
        let mut script = Vec::new();
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        String::from_utf8_lossy(&script).into_owned()
    }
}

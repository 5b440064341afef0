//! The arguments of `man`, and the pages that it prints.

use super::value_error::ValueError;
use clap::builder::{StringValueParser, TypedValueParser};
use clap::{Args, Command};
use clap_mangen::Man;
use std::io;

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
    /// Returns the page of a command line or of one of its commands, as roff.
    ///
    /// # Errors
    /// Never in practice: the page is written into memory.
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
        let known = known.clone();
        Err(ValueError::UnknownCommand { name, known })
    });
    command.mut_subcommand("man", |man| {
        man.mut_arg("command", |argument| argument.value_parser(parser))
    })
}

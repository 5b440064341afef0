//! The arguments of `man`, and the pages that it prints.

use super::command_line::Cli;
use super::value_error::ValueError;
use clap::{Args, CommandFactory};
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
    #[arg(value_name = "COMMAND", value_parser = parse_command)]
    command: Option<String>,
}

impl ManArgs {
    /// Returns the page, as roff.
    ///
    /// # Errors
    /// Never in practice: the page is written into memory.
    pub(crate) fn page(&self) -> io::Result<String> {
        let mut command = Cli::command();
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

fn parse_command(name: &str) -> Result<String, ValueError> {
    let command = Cli::command();
    let names = || command.get_subcommands().map(clap::Command::get_name);
    if names().any(|known| known == name) {
        return Ok(name.to_owned());
    }
    let known = names().map(str::to_owned).collect();
    Err(ValueError::UnknownCommand {
        name: name.to_owned(),
        known,
    })
}

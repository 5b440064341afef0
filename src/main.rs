//! The `epitome` program: reads the command line, runs the command, and turns
//! how it ended into an exit status.

use clap::Parser;
use epitome::cli::{Cli, Command};
use epitome::commands::{compact, convert, count, evaluate, formats, models, plan, presets, replay, requests, restore};
use epitome::output::say;
use epitome::run::BrokeOff;
use std::io;
use std::process::ExitCode;

/// Usage or configuration; nothing was written.
const USAGE: u8 = 2;
/// The run broke off: something may have been written.
const BROKE_OFF: u8 = 3;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout and are no error.
            let printed = error.print();
            return if printed.is_ok() && !error.use_stderr() { ExitCode::SUCCESS } else { ExitCode::from(USAGE) };
        }
    };
    let outcome = match &cli.command {
        Command::Compact(arguments) => compact::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Plan(arguments) => plan::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Restore(arguments) => restore::run(arguments),
        Command::Requests(arguments) => requests::run(arguments),
        Command::Count(arguments) => count::run(arguments),
        Command::Evaluate(arguments) => evaluate::run(arguments),
        Command::Models(arguments) => models::run(arguments),
        Command::Formats(arguments) => formats::run(arguments),
        Command::Presets(arguments) => presets::run(arguments),
    };
    match outcome {
        Ok(ending) => ending.exit_code(),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("epitome: {error:#}"));
            ExitCode::from(if error.is::<BrokeOff>() { BROKE_OFF } else { USAGE })
        }
    }
}

/// Whoever read our output has enough: a normal end.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

//! The `epitome` program: reads the command line, runs the command, and turns
//! how it ended into an exit status.

use clap::Parser;
use epitome::batch::BrokeOff;
use epitome::cli::{Cli, Command};
use epitome::commands::{
    compact, convert, count, evaluate, formats, models, plan, presets, replay, requests, restore,
};
use epitome::output::print_message;
use std::io;
use std::process::ExitCode;

/// Usage or configuration; nothing was written.
const USAGE: u8 = 2;
/// The run broke off: something may have been written.
const BROKE_OFF: u8 = 3;

/// Twice so much freed memory is kept: more than the work on one unit of input gives back.
const KEPT_BYTES: usize = 4 << 20;

fn main() -> ExitCode {
    keep_freed_memory();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout and are no error.
            let printed = error.print();
            return if printed.is_ok() && !error.use_stderr() {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(USAGE)
            };
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
            print_message(&format!("epitome: {error:#}"));
            ExitCode::from(if error.is::<BrokeOff>() {
                BROKE_OFF
            } else {
                USAGE
            })
        }
    }
}

/// glibc gives what is free at the end of its heap back to the system as soon as it is more than 128 KB, or than twice the
/// largest block that was mapped by itself and freed (mallopt(3), `M_TRIM_THRESHOLD`); and the system clears each page that is
/// asked for again, which could take a third of the time of a replay. So one large block is freed first, which nobody has
/// touched. Other allocators know no such rule.
fn keep_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(KEPT_BYTES)));
}

/// Whoever read our output has enough: a normal end.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

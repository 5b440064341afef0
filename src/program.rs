//! The program: reads the command line, runs the command, and turns the outcome
//! into an exit status.

use crate::commands::{
    Ending, LinesError, audit, compact, convert, count, dataset, end_on_abort, evaluate, fit,
    formats, interrupt, models, plan, reference, replay, report_odd_variables, requests, restore,
    stream, unpack,
};
use crate::files::output::{STDOUT, WriteError, print_lines, print_message};
use crate::running::batch::RunError;
use crate::settings::cli::{Cli, Command, InputArgs, improve_usage_error};
use crate::settings::{ConfigError, key_like_option};
use anyhow::Result;
use std::error::Error;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;

/// Usage or configuration is wrong; nothing was written.
const USAGE_STATUS: u8 = 2;
/// Something is in the way of a file.
const FAILURE_STATUS: u8 = 3;
/// The run broke off, through no fault of an input: something may have been written.
const BROKE_OFF_STATUS: u8 = 4;

/// Twice this many bytes of freed memory are kept: more than the work on a unit of input frees.
const KEPT_BYTES: usize = 4 << 20;

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    keep_freed_memory();
    if reference::is_version_wanted() {
        return match reference::print_version() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
            Err(error) => {
                print_error(&error);
                ExitCode::from(BROKE_OFF_STATUS)
            }
        };
    }
    let mut cli = match Cli::parse_process() {
        Ok(cli) => cli,
        Err(error) => {
            let error = improve_usage_error(error, key_like_option);
            // Help and version go to stdout and are no error.
            return match error.print() {
                _ if error.use_stderr() => ExitCode::from(USAGE_STATUS),
                Err(fault) if fault.kind() != io::ErrorKind::BrokenPipe => {
                    print_message(&format!("epitome: can't write to stdout: {fault}"));
                    ExitCode::from(BROKE_OFF_STATUS)
                }
                _ => ExitCode::SUCCESS,
            };
        }
    };
    report_odd_variables();
    // A filter's status says only whether its rows can be used.
    let broke_off = match &cli.command {
        Command::Stream(_) => USAGE_STATUS,
        _ => BROKE_OFF_STATUS,
    };
    end_on_abort(broke_off);
    // Without it the limit ends the process, and the next run cleans up.
    let _ = interrupt::survive_file_size_limit();
    let listed = cli.command.input_arguments().map_or(Ok(()), InputArgs::append_listed);
    // The standard library panics where a directory can't be closed. What happened is on stderr.
    let run = || listed.map_err(anyhow::Error::from).and_then(|()| run_command(&cli.command));
    let Ok(outcome) = panic::catch_unwind(AssertUnwindSafe(run)) else {
        print_message("epitome: the run ended early; only complete files were written");
        return ExitCode::from(broke_off);
    };
    match outcome {
        Ok(ending) => ending.exit_code(),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&error);
            let failed_run = error.downcast_ref::<RunError>();
            if failed_run.is_some_and(RunError::may_have_written) && is_full_disk(&error) {
                print_way_on(&cli.command);
            } else if matches!(cli.command, Command::Compact(_) | Command::Convert(_))
                && error.chain().filter_map(as_write_error).any(WriteError::is_of_existing)
            {
                print_message("epitome: or --resume, if the run that wrote it was interrupted");
            }
            ExitCode::from(match failed_run {
                Some(error) if error.is_refusal() => FAILURE_STATUS,
                Some(error) if error.may_have_written() => BROKE_OFF_STATUS,
                // A filter's status says only whether its rows can be used.
                None if is_full_disk(&error) && !matches!(cli.command, Command::Stream(_)) => {
                    BROKE_OFF_STATUS
                }
                _ => USAGE_STATUS,
            })
        }
    }
}

fn run_command(command: &Command) -> Result<Ending> {
    match command {
        Command::Compact(arguments) => compact::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Plan(arguments) => plan::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Dataset(arguments) => dataset::run(arguments),
        Command::Stream(arguments) => stream::run(arguments),
        Command::Unpack(arguments) => unpack::run(arguments),
        Command::Schema(arguments) => reference::print_row_schema(arguments),
        Command::Restore(arguments) => restore::run(arguments),
        Command::Requests(arguments) => requests::run(arguments),
        Command::Count(arguments) => count::run(arguments),
        Command::Evaluate(arguments) => evaluate::run(arguments),
        Command::Fit(arguments) => fit::run(arguments),
        Command::Audit(arguments) => audit::run(arguments),
        Command::Models(arguments) => models::run(arguments),
        Command::Formats(arguments) => formats::run(arguments),
        Command::Presets(arguments) => reference::print_presets(arguments),
        Command::Completions(arguments) => reference::print_completions(arguments),
        Command::Man(arguments) => reference::print_man_page(arguments),
    }
}

/// Prints an error. That of a TOML file shows the lines that are wrong.
fn print_error(error: &anyhow::Error) {
    let text = format!("epitome: {error:#}");
    let has_lines = error.chain().any(|cause| {
        cause.is::<toml::de::Error>() || cause.is::<LinesError>() || is_wrong_key(cause)
    });
    if has_lines {
        print_lines(&text);
    } else {
        print_message(&text);
    }
}

/// Says how to continue a run that found no room, where its whole files can be kept.
fn print_way_on(command: &Command) {
    let (writing, output) = match command {
        Command::Compact(arguments) => (&arguments.writing, arguments.output.as_deref()),
        Command::Convert(arguments) => (&arguments.writing, Some(arguments.output.as_path())),
        _ => return,
    };
    if output == Some(Path::new(STDOUT)) {
        return;
    }
    let option = if writing.force { "--force" } else { "--resume" };
    print_message(&format!(
        "epitome: free some space, then run the same command again with {option}"
    ));
}

/// Returns true for an error about a key or a value of a configuration file, which shows its line.
fn is_wrong_key(cause: &(dyn Error + 'static)) -> bool {
    matches!(cause.downcast_ref(), Some(ConfigError::WrongKey { .. }))
}

/// Raises the amount of freed memory that glibc keeps.
///
/// glibc gives the free memory at the end of its heap back to the system as soon as it is more than
/// 128 KB, or more than twice the largest block that was mapped by itself and freed (mallopt(3),
/// `M_TRIM_THRESHOLD`). The system clears each page that is asked for again, which could take a
/// third of the time of a replay. So a large block is freed first that was never touched. Other
/// allocators have no such rule.
fn keep_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(KEPT_BYTES)));
}

/// Returns true if the reader of the output has enough: a normal end.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    kinds(error).any(|kind| kind == io::ErrorKind::BrokenPipe)
}

/// Returns true if there is no room for the output.
fn is_full_disk(error: &anyhow::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    kinds(error).any(|kind| matches!(kind, StorageFull | QuotaExceeded | FileTooLarge))
}

/// Returns the kinds of the faults of the system behind an error.
fn kinds(error: &anyhow::Error) -> impl Iterator<Item = io::ErrorKind> {
    error
        .chain()
        .filter_map(|cause| match as_write_error(cause) {
            // It shows its cause as itself.
            Some(WriteError::Io(cause)) => Some(cause),
            _ => cause.downcast_ref::<io::Error>(),
        })
        .map(io::Error::kind)
}

/// Returns a cause as an error of writing, which may be boxed.
fn as_write_error<'e>(cause: &'e (dyn Error + 'static)) -> Option<&'e WriteError> {
    let boxed = || cause.downcast_ref::<Box<WriteError>>().map(AsRef::as_ref);
    cause.downcast_ref::<WriteError>().or_else(boxed)
}

//! The `epitome` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    epitome::program::run()
}

//! `epitome --version`.

use crate::files::output::print_result;
use anyhow::Result;

/// Returns true if the arguments of the process ask for the version and nothing else. Engines and
/// package managers ask often, and the tree of commands takes longer to build than to answer.
pub(crate) fn is_wanted() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    first.is_some_and(|word| word == "--version" || word == "-V") && arguments.next().is_none()
}

/// Prints the name and the version. Fails if stdout can't be written.
pub(crate) fn run() -> Result<()> {
    print_result(concat!("epitome ", env!("CARGO_PKG_VERSION"), "\n"))?;
    Ok(())
}

//! The arguments of `formats`, and the text behind its help.

use clap::Args;
use std::path::PathBuf;

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

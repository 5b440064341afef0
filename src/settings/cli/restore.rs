//! The arguments of `restore`, and the text behind its help.

use super::output_options::WhenLocked;
use clap::Args;
use std::path::PathBuf;

pub(super) const RESTORE_HELP: &str = "\
Reads the files that `epitome compact ... -o DIR` wrote, and the originals beside them:

  epitome compact logs/ -o out && epitome restore out -o back && diff -r logs back

Checksums verify outputs and originals. A file that has changed since is refused, with the place of the
change, and so is a file whose originals are missing. Files that epitome did not write are listed, and
not restored. Compressed files are restored with the same content; their compressed bytes may differ.

  epitome restore out --check

writes nothing, and ends with status 3 if a file can't be restored.

  epitome restore rows.jsonl -o back

writes the records that the rows of `epitome stream` were made of.";

/// The arguments of `restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The output directory of an earlier compact, or files of rows that `epitome stream` wrote
    #[arg(value_name = "DIR|ROWS", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Directory for the restored files
    #[arg(short, long, value_name = "DIR", required_unless_present = "check")]
    pub output: Option<PathBuf>,
    /// Write nothing: only check that every file can be restored
    #[arg(long, conflicts_with_all = ["output", "force"])]
    pub check: bool,
    /// The directory that was given to `compact --archive` [default: DIR]
    #[arg(long, value_name = "DIR")]
    pub archive: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
    /// What to do if another run writes into the same directory [default: wait]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub lock: Option<WhenLocked>,
    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
}

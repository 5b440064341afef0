//! The arguments of `restore`, and the text behind its help.

use clap::Args;
use std::path::PathBuf;

pub(super) const RESTORE_HELP: &str = "\
Reads the files that `epitome compact ... -o DIR` wrote, and the originals beside them:

  epitome compact logs/ -o out && epitome restore out -o back && diff -r logs back

A file that was changed since then, or whose originals are cut off, is refused. Compressed files are
restored with the same content; their compressed bytes may differ.";

/// The arguments of `restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The output directory of an earlier compact
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Directory for the restored files
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// The directory that `compact --archive` named for the originals [default: DIR]
    #[arg(long, value_name = "DIR")]
    pub archive: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
}

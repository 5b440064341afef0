//! The arguments of `unpack`, and the text behind its help.

use super::output_options::WhenLocked;
use clap::Args;
use std::path::PathBuf;

pub(super) const UNPACK_HELP: &str = "\
Writes what one run of `compact --names content` would have written: the compacted records, histories,
evicted results, originals and report.json, byte for byte, but for the name of the file. Outputs are named after the files of rows.

Examples:
  epitome stream < records.jsonl > rows.jsonl
  epitome unpack rows.jsonl -o out";

/// The arguments of `unpack`.
#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Files of rows that `epitome stream` wrote, directories of them, or `-` for stdin
    #[arg(value_name = "ROWS", required = true)]
    pub rows: Vec<PathBuf>,
    /// Directory for the results
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Replace existing results
    #[arg(long)]
    pub force: bool,
    /// What to do if another run writes into the same directory [default: wait]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub lock: Option<WhenLocked>,
    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
}

//! The arguments of `unpack`, and the text behind its help.

use super::output_options::WhenLocked;
use clap::Args;
use std::path::PathBuf;

pub(super) const UNPACK_HELP: &str = "\
Writes what one run of `compact --names content` would have written: the compacted records, histories,
evicted results, originals and report.json, byte for byte.

Examples:
  epitome stream < records.jsonl > rows.jsonl
  epitome unpack rows.jsonl --name records.jsonl -o out";

/// The arguments of `unpack`.
#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Files of rows that `epitome stream` wrote, directories of them, or `-` for stdin
    #[arg(value_name = "ROWS", required = true)]
    pub rows: Vec<PathBuf>,
    /// Directory for the results
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// The name of the compacted file, for a single file of rows [default: that of the rows]
    #[arg(long, value_name = "FILE", value_parser = parse_file_name)]
    pub name: Option<String>,
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

/// Parses the name of a file, which leads to no other directory.
fn parse_file_name(name: &str) -> Result<String, String> {
    let is_name = !name.is_empty() && !name.contains(['/', '\\']) && name != "." && name != "..";
    is_name
        .then(|| name.to_owned())
        .ok_or_else(|| "it must be a file name without a directory".to_owned())
}

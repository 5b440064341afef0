//! The arguments of the commands about rows, and the texts behind their help.

use super::clap_parsers::{format_parser, parse_size, parse_whole};
use super::output_options::WhenLocked;
use super::policy_options::PolicyArgs;
use super::run_options::MaxErrors;
use crate::files::input::ReadLimits;
use crate::reading::format::Format;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const STREAM_HELP: &str = "\
A filter for engines such as Spark or Ray: reads one record a line on stdin, and writes one row a line
on stdout, in the same order. A row depends on its record and the policy and on nothing else: no file,
no clock, no other record. So a task can run twice, anywhere and at the same time, and the engine
commits its rows like any others.

  epitome stream --trigger tokens=4000 < records.jsonl > rows.jsonl

A row holds the compacted record, the archive files of what was removed, and what restores the record:

  epitome unpack rows.jsonl -o out     the files that one run would write
  epitome restore rows.jsonl -o back   the records, byte for byte

Exit status 0: every line has a row; check its `status`. Exit status 2: the process failed; discard
its rows and run the task again. It reads only stdin and the files that options name, and looks for no
epitome.toml and no cache. docs/reference/rows.md describes the row, and `epitome schema` prints its schema.";

pub(super) const SCHEMA_HELP: &str = "\
  spark.read.json(rows, schema=subprocess.check_output([\"epitome\", \"schema\", \"spark\"], text=True))

Tables hold the JSON of `report`, and of bytes that are not UTF-8, as a string.";

/// The arguments of `stream`.
#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// What to do with each record
    #[arg(value_name = "WHAT", value_enum, default_value = "compact")]
    pub job: StreamJob,
    /// Read every record as this format instead of detecting it by content (see `epitome formats`)
    #[arg(
        long,
        value_name = "NAME",
        value_parser = format_parser(),
        hide_possible_values = true,
        help_heading = "Input"
    )]
    pub format: Option<&'static dyn Format>,
    /// Read consecutive lines with the same value of KEY as one thread, with one row (for formats
    /// whose conversations take several lines)
    #[arg(long, value_name = "KEY", conflicts_with = "document", help_heading = "Input")]
    pub thread_key: Option<String>,
    /// Each line is a JSON string that holds a whole file
    #[arg(long, help_heading = "Input")]
    pub document: bool,
    /// Fail records longer than this, unread
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_size,
        default_value_t = ReadLimits::default().max_record_bytes,
        help_heading = "Input"
    )]
    pub max_record_bytes: usize,
    /// What restores a record from its row [default: bytes]
    #[arg(long, value_name = "HOW", value_enum, help_heading = "Output")]
    pub undo: Option<StreamUndo>,
    /// Whether rows hold the archive files of what was removed [default: text]
    #[arg(long, value_name = "HOW", value_enum, help_heading = "Output")]
    pub removed: Option<StreamRemoved>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The number of threads [default: 1]
    #[arg(short, long, value_name = "N", value_parser = parse_whole::<usize>, help_heading = "Run")]
    pub jobs: Option<usize>,
    /// End with status 2 if more than this many records failed: a number, or `all`
    // Another id than that of the commands that end a run with status 3: no variable of the
    // environment may end the tasks of an engine.
    #[arg(
        id = "most_failed_records",
        long = "max-errors",
        value_name = "N",
        default_value = "all",
        help_heading = "Run"
    )]
    pub max_errors: MaxErrors,
    /// Print only errors
    #[arg(short, long, help_heading = "Run")]
    pub quiet: bool,
}

/// What `stream` does to each record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StreamJob {
    /// Compact it
    Compact,
    /// Decide what would go; rows hold the decision only
    Plan,
    /// Count its tokens; rows hold the counts only
    Count,
}

/// What restores a record from its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StreamUndo {
    /// The bytes that were removed
    Bytes,
    /// Their place in the input and their SHA-256, for inputs that are kept
    Reference,
    /// Nothing
    None,
}

/// Whether rows hold archive files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StreamRemoved {
    /// The files, with their contents
    Text,
    /// No files
    None,
}

/// The arguments of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The language of the schema
    #[arg(value_name = "LANGUAGE", value_enum)]
    pub language: SchemaLanguage,
}

/// The language of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaLanguage {
    /// Spark's data definitions
    Spark,
    /// The fields with the names of Arrow's types, as JSON
    Arrow,
    /// A JSON schema
    Json,
}

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

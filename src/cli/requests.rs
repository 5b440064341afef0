//! `requests`: summaries through batch files.

use super::options::{InputArgs, PolicyArgs, RunArgs, ServerArgs, ToArgs, WritingArgs};
use crate::policy::OnFailure;
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(super) const REQUESTS_HELP: &str = "\
In order:
  epitome requests export logs/ -o requests --summary-model openai:gpt-5.2   writes the request files
  epitome requests submit requests      hands them to OpenAI or Anthropic; or run them anywhere else
  epitome requests status requests      how far they are
  epitome requests fetch requests       gets the results
  epitome requests apply requests -o out   finishes the compaction

A request's custom_id is the hash of all that its answer depends on: results may come in any order and
in parts, and apply can be repeated as more of them arrive.";

/// What to do with requests.
#[derive(Debug, Args)]
pub struct RequestsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: RequestsCommand,
}

/// What to do with requests.
#[derive(Debug, Subcommand)]
pub enum RequestsCommand {
    /// Write the requests for all summaries into files for OpenAI's or Anthropic's batch interface
    Export(Box<ExportArgs>),
    /// Finish the compaction with results
    Apply(Box<ApplyArgs>),
    /// Hand exported requests to the server; what was handed over before is not again
    Submit(BatchArgs),
    /// How far the server is
    Status(BatchArgs),
    /// Get the results of what is done into the export directory
    Fetch(BatchArgs),
}

/// Options of `requests export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the request files; it must be new or empty
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Requests in one file at most [default: what the provider takes: openai 50000, anthropic 100000]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub max_requests: Option<u64>,
    /// Bytes of one file at most [default: what the provider takes: openai 100 MB, anthropic 256 MB]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub max_bytes: Option<u64>,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Options of `requests apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// Result files (JSONL, in any order), or the export directory with the results that were fetched into it
    #[arg(value_name = "RESULTS", required = true)]
    pub results: Vec<PathBuf>,
    /// The export directory [default: where the first of RESULTS lies]
    #[arg(long, value_name = "DIR")]
    pub requests: Option<PathBuf>,
    /// Directory for the compacted transcripts
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Directory for histories, evicted results and originals [default: the output directory]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub archive: Option<PathBuf>,
    /// What is written beside the results, and over what.
    #[command(flatten)]
    pub writing: WritingArgs,
    /// What to do with a transcript whose result is missing or failed [default: as exported]
    #[arg(
        long,
        visible_alias = "on-missing",
        value_name = "WHAT",
        value_enum,
        help_heading = "Policy"
    )]
    pub on_failure: Option<OnFailure>,
    /// What is written.
    #[command(flatten)]
    pub to: ToArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript changed
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

/// Options of `requests submit`, `status` and `fetch`.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// The export directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

//! The arguments of `requests`.

use super::clap_parsers::{
    parse_apply_assignment, parse_batch_id, parse_byte_size, parse_server_assignment, parse_size,
};
use super::output_options::{ToArgs, WhenLocked, WritingArgs};
use super::policy_options::PolicyArgs;
use super::run_options::{InputArgs, RunArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(super) const REQUESTS_HELP: &str = "\
The commands in order:
  Write the request files:
    epitome requests export logs/ -o requests --set summarizer.model=openai:gpt-5.2
  Submit them to OpenAI or Anthropic, or run them elsewhere:
    epitome requests submit requests
  Show their progress:
    epitome requests status requests
  Download the results:
    epitome requests fetch requests
  Finish the compaction:
    epitome requests apply requests -o out

The custom_id of a request is the hash of everything that its answer depends on. So results may
arrive in any order and in parts, and apply can be repeated when more of them have arrived.";

/// The arguments of `requests`.
#[derive(Debug, Args)]
pub(crate) struct RequestsArgs {
    /// The command.
    #[command(subcommand)]
    pub command: RequestsCommand,
}

/// The commands of `requests`.
#[derive(Debug, Subcommand)]
pub(crate) enum RequestsCommand {
    /// Write the requests for all summaries to files for OpenAI's or Anthropic's batch interface
    Export(Box<ExportArgs>),
    /// Finish the compaction with the results
    Apply(Box<ApplyArgs>),
    /// Submit the exported requests that have not been submitted yet
    Submit(SubmitArgs),
    /// Show the progress of submitted requests
    Status(BatchArgs),
    /// Download finished results to the export directory
    Fetch(BatchArgs),
}

/// The arguments of `requests export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the request files; it must be new or empty
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Maximum requests per file [default: the provider's limit, 50000 for openai and 100000 for
    /// anthropic]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub max_requests: Option<u64>,
    /// Start a new file before one exceeds this size (B, kB, MB, GB, KiB, MiB, GiB) [default:
    /// the provider's limit, 100 MB for openai and 256 MB for anthropic]
    #[arg(long, value_name = "SIZE", value_parser = parse_byte_size, help_heading = "Output")]
    pub shard_size: Option<u64>,
    /// What to do if another run writes into the same directory [default: wait]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Output")]
    pub lock: Option<WhenLocked>,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// The arguments of `requests apply`.
#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    /// The export directory with the fetched results; and result files from elsewhere (JSONL, in any
    /// order)
    #[arg(value_name = "DIR|RESULTS", required = true)]
    pub results: Vec<PathBuf>,
    /// Directory for the compacted transcripts
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Directory for histories, evicted results and originals [default: the output directory]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub archive: Option<PathBuf>,
    #[command(flatten)]
    pub writing: WritingArgs,
    /// Set a key of the configuration in place of the exported one: summarizer.on_failure, which says
    /// what to do with a transcript whose result is missing or failed
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_apply_assignment, help_heading = "Policy")]
    pub set: Vec<String>,
    /// Maximum bytes of a record: longer lines of the inputs are copied unread; a longer line of
    /// RESULTS ends the run [default: as exported]
    #[arg(long, value_name = "N", value_parser = parse_size, help_heading = "Input")]
    pub max_record_bytes: Option<usize>,
    #[command(flatten)]
    pub to: ToArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript changed
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

/// The arguments of `requests submit`.
#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    #[command(flatten)]
    pub batches: BatchArgs,
    /// Use this server batch for an interrupted submission that the server cannot identify; `none`
    /// submits the file again, although the server may have it
    #[arg(long, value_name = "ID", value_parser = parse_batch_id)]
    pub adopt: Option<String>,
}

/// The arguments of `requests submit`, `status` and `fetch`.
#[derive(Debug, Args)]
pub(crate) struct BatchArgs {
    /// The export directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
    /// What to do if another run writes into the same directory [default: wait]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub lock: Option<WhenLocked>,
    /// Set a key of the configuration for the server, such as summarizer.base_url=URL or
    /// summarizer.api_key_file=FILE (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_server_assignment)]
    pub set: Vec<String>,
}

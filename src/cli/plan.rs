//! The arguments of `plan`, and the text behind its help.

use super::options::{InputArgs, PolicyArgs, RunArgs};
use clap::Args;

pub(super) const PLAN_HELP: &str = "\
`compact` with the same options carries out exactly this plan; only the text of a summary is not
known in advance. With --json, each transcript is one object with thread_id, file, line, and the
plan with its edits and the reasons of each stage.";

/// The arguments of `plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
    /// Show every message, even of transcripts that would not change
    #[arg(short, long)]
    pub verbose: bool,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript would change
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

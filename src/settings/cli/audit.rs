//! The arguments of `audit`.

use super::input_options::InputArgs;
use super::output_options::ReportArgs;
use super::policy_options::CountingArgs;
use super::run_options::RunArgs;
use clap::Args;
use std::path::PathBuf;

pub(super) const AUDIT_HELP: &str = "\
Sessions of Claude Code, Codex, pi, OpenCode and Gemini CLI record the compactions that the agent
made itself, with the summary that its model wrote. What the assistant wrote afterwards, up to the
next compaction, shows what it still needed. For each compaction, and over all, this shows:

  - The tokens of the conversation before and after
  - Four figures of `epitome evaluate` (--full: all) for the agent's summary, and beside them for
    the summary that `extract` writes of the same messages in as many tokens
  - The lost facts: identifiers that the assistant wrote later although its summary did not hold
    them, with the message in which each was last mentioned. It had to look them up again, or guess

A compaction after which the assistant wrote nothing, or whose summary is encrypted, is listed but
can't be measured. Logs without a compaction are counted.

Examples:
  Write what the agent forgot, to paste it back into the session:
    epitome audit session.jsonl --lost forgotten.md
  Audit all sessions of Claude Code:
    epitome audit ~/.claude/projects
  Write a page to send around:
    epitome audit session.jsonl --report audit.html
  Exit with status 1 if the agents' summaries kept less than half of what was needed:
    epitome audit logs/ --fail-under recall=0.5";

/// The arguments of `audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Show all figures, with intervals, and each compaction
    #[arg(long, conflicts_with = "json")]
    pub full: bool,
    /// Write the lost facts to this file, as lines to paste back into the session
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub lost: Option<PathBuf>,
    /// Exit with status 1 below this share (repeatable)
    ///
    /// It applies to all agents' summaries together; false_reads fails above the share. A metric that
    /// could not be measured fails, too
    #[arg(long, value_name = "METRIC=SHARE")]
    pub fail_under: Vec<String>,
    /// The reports to write.
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Replace reports that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// The counting of tokens.
    #[command(flatten)]
    pub counting: CountingArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
}

//! The arguments of `evaluate`, and the text behind its help.

use super::input_options::InputArgs;
use super::policy_options::PolicyArgs;
use super::run_options::RunArgs;
use clap::Args;
use std::path::PathBuf;

pub(super) const EVALUATE_HELP: &str = "\
Each transcript of 10 messages or more is cut after 40, 60 and 80 % of its messages, before an
assistant message. What precedes the cut is compacted with the policy, whatever its trigger. What
follows it shows what was needed. A --keep that is a share of the model's window counts as
messages=4. Four figures are shown: recall, joined, goal_first60 and false_reads. --full shows all.
They are shares of:

  recall     identifiers that the assistant writes after the cut, that nobody else wrote again, and
             that only the compacted part contained (neither the system prompt nor the last 4
             messages before the cut)
  arguments  those identifiers that the assistant writes in the arguments of a call
  linked     those identifiers next to a word of their name
  user       content words of the user
  errors     error lines, each kind counted once
  files      files in the arguments of calls
  faithful   identifiers of the summary that are found in its source

user, errors, files and faithful look at the summary and the last 4 messages before the cut, the
others only at what the summary alone can hold. These look at the summary alone:

  joined        later calls that need several identifiers of the compacted part, under several names
                of arguments: the summary has all of them on one line
  goal_first60  content words of the user's first request, without the text that a harness puts
                around it; of a long request 60 are enough (mean over cuts)
  goal_last60   the same for the last request, if there are several
  used          identifiers of the summary that the assistant writes later
  false_reads   paths listed as read or written although every call on them failed or only
                searched: less is better
  answered      with --questions: how much of the answers it holds (mean over questions)
  misleading    with --questions: answers that say what is stale or refused: less is better

Intervals are 95 % bootstrap intervals over transcripts; the same log gives the same numbers.

Examples:
  epitome evaluate logs/ --summary-tokens 512
  epitome evaluate logs/ --compare small.toml --full
  epitome evaluate logs/ --questions questions.jsonl --fail-under answered=0.75
  epitome evaluate logs/ --compare small.toml --compare model.toml --json
  epitome evaluate logs/ --fail-under recall=0.5 --fail-under faithful=0.9
  epitome evaluate logs/ --fail-under goal_first60=0.5 --fail-under false_reads=0.2";

/// The arguments of `evaluate`.
#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Show all figures, with intervals, and each file
    #[arg(long, conflicts_with = "json")]
    pub full: bool,
    /// Another policy to compare with, a TOML file (repeatable)
    ///
    /// Its column has the name of the file
    #[arg(long, value_name = "FILE")]
    pub compare: Vec<PathBuf>,
    /// Cut transcripts only where the questions of this file ask, and mark the answers that
    /// summaries hold; one JSON object a line: cut, question, needles
    #[arg(long, value_name = "FILE")]
    pub questions: Option<PathBuf>,
    /// Exit with status 1 below this share (repeatable)
    ///
    /// It applies to all data, for each policy; false_reads fails above the share. A metric that could
    /// not be measured fails, too
    #[arg(long, value_name = "METRIC=SHARE")]
    pub fail_under: Vec<String>,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
}

//! The arguments of the commands that measure, and the texts behind their help.

use super::checked_values::parse_counter;
use super::output_options::ReportArgs;
use super::policy_options::{CountingArgs, PolicyArgs};
use super::run_options::{InputArgs, RunArgs};
use clap::Args;
use std::path::PathBuf;

/// The arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
    /// Also count with this counter, and show the difference; without a name, with the exact
    /// counter of each model
    #[arg(
        long,
        value_name = "COUNTER",
        value_parser = parse_counter,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "auto"
    )]
    pub compare: Option<&'static str>,
    #[command(flatten)]
    pub counting: CountingArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

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
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

pub(super) const FIT_HELP: &str = "\
The embedded summarizer ranks names and lines by a table of learnt weights. This learns the same
table from your own logs: each transcript of 10 messages or more is cut after 40, 60 and 80 %
of its messages, and what the assistant wrote behind a cut shows what was needed of what comes
before it. The weights are pulled towards the embedded ones, so that few sessions do not undo what
others taught. One transcript in five is held out, to check whether the new table ranks what was
needed better than the embedded one:

  names  needed names among the first 40 of a cut
  lines  words used later in the first 12 lines of a cut, of the most that 12 lines can hold

The same logs give the same table. It is used with `weights = \"FILE\"` in the table [summarizer] of
the configuration.

Examples:
  epitome fit logs/ -o weights.toml
  epitome fit logs/ -o weights.toml --force --jobs 1";

/// The arguments of `fit`.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The file to write the table of weights to
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub counting: CountingArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

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
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Replace reports that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    #[command(flatten)]
    pub counting: CountingArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

//! The command line: the subcommands and their one-line descriptions.

use super::brief_help::{with_brief_help, with_command_groups};
use super::measuring::{
    AUDIT_HELP, AuditArgs, CountArgs, EVALUATE_HELP, EvaluateArgs, FIT_HELP, FitArgs,
};
use super::reference::{
    COMPLETIONS_HELP, CompletionsArgs, FORMATS_HELP, FormatsArgs, MAN_HELP, MODELS_HELP, ManArgs,
    ModelsArgs, PresetsArgs, with_command_names,
};
use super::replaying::{DATASET_HELP, DatasetArgs, REPLAY_HELP, ReplayArgs};
use super::requests::{REQUESTS_HELP, RequestsArgs, RequestsCommand};
use super::rows::{SCHEMA_HELP, STREAM_HELP, SchemaArgs, StreamArgs, UNPACK_HELP, UnpackArgs};
use super::run_options::InputArgs;
use super::writing::{
    COMPACT_HELP, CONVERT_HELP, CompactArgs, ConvertArgs, PLAN_HELP, PlanArgs, RESTORE_HELP,
    RestoreArgs,
};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

const ABOUT: &str = "Compact logged LLM and agent transcripts, offline and in parallel";

const AFTER_HELP: &str = "\
Examples:
  epitome plan logs/               what would go, and why
  epitome compact logs/ -o out     the results, with archives and a report
  epitome restore out -o back      the inputs again, byte for byte

More examples:
  Exit with status 1 if a transcript would change:
    epitome plan logs/ --trigger tokens=4000 --check
  Show every model call as a policy would have sent it:
    epitome replay logs/ -o out --policy deepagents
  Estimate the cost of summaries by a model:
    epitome plan logs/ --summarizer http --set summarizer.model=openai:gpt-5.2
  Convert any format to chat transcripts:
    epitome convert logs/ --to openai -o chats
  Make a data set for fine-tuning:
    epitome dataset logs/ --to trl --max-tokens 8192 -o data
  Count tokens by role:
    epitome count session.jsonl
  Measure what a compaction would have lost:
    epitome evaluate logs/
  Measure what the compactions of agents have lost:
    epitome audit ~/.claude/projects
  Show how the format of a file is detected:
    epitome formats session.jsonl

Variables:
Environment variables such as EPITOME_TRIGGER set options that the command line omits.
epitome.toml in the working directory, or above it, holds a policy (--config, --no-config).

Exit status:
  0    Success
  1    --check found a change, or a result still exceeds a limit
  2    Wrong usage or configuration, and nothing was written; or the model could
       not be asked, and the run ended early
  3    Some input failed, and all other input was written
  4    The run broke off, as on a full disk: only whole files are written
  130  Interrupted by Ctrl-C";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "epitome", version, about = ABOUT, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compact transcripts, and write archives and a report
    #[command(after_help = COMPACT_HELP)]
    Compact(CompactArgs),
    /// Convert transcripts of any format to chat transcripts
    #[command(after_help = CONVERT_HELP)]
    Convert(ConvertArgs),
    /// Show what compact would do to each message, and why
    #[command(after_help = PLAN_HELP)]
    Plan(PlanArgs),
    /// Show what a live agent would have sent at each model call
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArgs),
    /// Write samples for fine-tuning that a trainer takes
    #[command(after_help = DATASET_HELP)]
    Dataset(DatasetArgs),
    /// Compact records from stdin to stdout, for Spark and other engines
    #[command(after_help = STREAM_HELP)]
    Stream(StreamArgs),
    /// Turn the rows of stream into the files of one run
    #[command(after_help = UNPACK_HELP)]
    Unpack(UnpackArgs),
    /// Restore the inputs of an earlier compact, byte for byte
    #[command(after_help = RESTORE_HELP)]
    Restore(RestoreArgs),
    /// Write summaries through batch files, at half the price
    #[command(after_help = REQUESTS_HELP)]
    Requests(RequestsArgs),
    /// Count tokens per transcript and in total, by role
    Count(CountArgs),
    /// Measure what a compaction would have kept of what comes later
    #[command(after_help = EVALUATE_HELP)]
    Evaluate(EvaluateArgs),
    /// Learn the weights of the embedded summarizer from your own logs
    #[command(after_help = FIT_HELP)]
    Fit(FitArgs),
    /// Measure what the compactions of agents have lost
    #[command(after_help = AUDIT_HELP)]
    Audit(AuditArgs),
    /// List models and their limits, or explain how a name is resolved
    #[command(after_help = MODELS_HELP)]
    Models(ModelsArgs),
    /// List the formats, or explain how a file's format is detected
    #[command(after_help = FORMATS_HELP)]
    Formats(FormatsArgs),
    /// Show what each preset reproduces, and its values
    Presets(PresetsArgs),
    /// Print the schema of the rows of stream
    #[command(after_help = SCHEMA_HELP)]
    Schema(SchemaArgs),
    /// Print the completions of a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Print the manual page of the program or of a command
    #[command(after_help = MAN_HELP)]
    Man(ManArgs),
}

impl Cli {
    /// Returns the commands and their options as clap knows them.
    pub(crate) fn definition() -> clap::Command {
        Self::command()
    }

    /// Parses the arguments of the process. Fails if they are wrong, or ask for help or the
    /// version.
    pub(crate) fn parse_process() -> Result<Self, clap::Error> {
        let command = with_command_names(with_environment(Self::command()));
        let mut command = with_command_groups(with_brief_help(command));
        let matches = command.clone().try_get_matches()?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

impl Command {
    /// Returns the arguments that name the inputs, of a command that reads logs.
    pub(crate) fn input_arguments(&mut self) -> Option<&mut InputArgs> {
        match self {
            Self::Compact(arguments) => Some(&mut arguments.input),
            Self::Convert(arguments) => Some(&mut arguments.input),
            Self::Plan(arguments) => Some(&mut arguments.input),
            Self::Replay(arguments) => Some(&mut arguments.input),
            Self::Dataset(arguments) => Some(&mut arguments.input),
            Self::Count(arguments) => Some(&mut arguments.input),
            Self::Evaluate(arguments) => Some(&mut arguments.input),
            Self::Fit(arguments) => Some(&mut arguments.input),
            Self::Audit(arguments) => Some(&mut arguments.input),
            Self::Requests(arguments) => match &mut arguments.command {
                RequestsCommand::Export(arguments) => Some(&mut arguments.input),
                _ => None,
            },
            Self::Stream(_)
            | Self::Unpack(_)
            | Self::Restore(_)
            | Self::Models(_)
            | Self::Formats(_)
            | Self::Presets(_)
            | Self::Schema(_)
            | Self::Completions(_)
            | Self::Man(_) => None,
        }
    }
}

/// The options that can be set by a variable of the environment, with its name: when, how and for
/// which model to compact, and how to run. None of them names a program, a server, a key or a file to
/// write.
const VARIABLE_OPTIONS: [(&str, &str); 17] = [
    ("config", "EPITOME_CONFIG"),
    ("preset", "EPITOME_PRESET"),
    ("model", "EPITOME_MODEL"),
    ("counter", "EPITOME_COUNTER"),
    ("limits", "EPITOME_LIMITS"),
    ("max_input_tokens", "EPITOME_MAX_INPUT_TOKENS"),
    ("max_tokens", "EPITOME_MAX_TOKENS"),
    ("trigger", "EPITOME_TRIGGER"),
    ("keep", "EPITOME_KEEP"),
    ("summary_tokens", "EPITOME_SUMMARY_TOKENS"),
    ("redact", "EPITOME_REDACT"),
    ("names", "EPITOME_NAMES"),
    ("jobs", "EPITOME_JOBS"),
    ("max_errors", "EPITOME_MAX_ERRORS"),
    ("max_record_bytes", "EPITOME_MAX_RECORD_BYTES"),
    ("progress", "EPITOME_PROGRESS"),
    ("annotations", "EPITOME_ANNOTATIONS"),
];

/// Returns the variable that sets a long option.
pub(super) fn variable_of_option(option: &str) -> Option<&'static str> {
    let name = option.replace('-', "_");
    VARIABLE_OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, variable)| *variable)
}

/// Two names of variables that are at least this similar (1.0 is the same) are taken for one and its
/// misspelling.
const MISSPELT_FROM: f64 = 0.9;

const VARIABLE_PREFIX: &str = "EPITOME_";

/// Returns the name of a variable without the prefix, if no option has that variable.
fn unknown_variable(name: &str) -> Option<&str> {
    let is_known = VARIABLE_OPTIONS.iter().any(|(_, known)| *known == name);
    name.strip_prefix(VARIABLE_PREFIX).filter(|_| !is_known)
}

/// Returns the variable that sets an option and that this one looks like a misspelling of.
pub(crate) fn misspelt_variable(name: &str) -> Option<&'static str> {
    let given = unknown_variable(name)?;
    let similarity = |known: &str| strsim::jaro_winkler(given, &known[VARIABLE_PREFIX.len()..]);
    let variables = VARIABLE_OPTIONS.iter().map(|(_, known)| *known);
    let nearest = variables.max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    nearest.filter(|nearest| similarity(nearest) >= MISSPELT_FROM)
}

/// Returns the option whose name an `EPITOME_` variable spells, if no option has that variable.
pub(crate) fn option_of_unknown_variable(name: &str) -> Option<String> {
    let option = unknown_variable(name)?;
    Some(format!("--{}", option.to_lowercase().replace('_', "-")))
}

/// Lets variables of the environment set options that the command line omits: `EPITOME_TRIGGER` sets
/// `--trigger`.
fn with_environment(command: clap::Command) -> clap::Command {
    command.mut_subcommands(|subcommand| {
        with_environment(subcommand).mut_args(|argument| {
            let name = argument.get_id().as_str();
            match VARIABLE_OPTIONS.iter().find(|(option, _)| *option == name) {
                Some((_, variable)) => argument.env(variable).hide_env(true),
                None => argument,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn variables_stand_for_options_with_values() {
        let command = Cli::command();
        for (option, _) in VARIABLE_OPTIONS {
            let mut arguments = command
                .get_subcommands()
                .flat_map(clap::Command::get_arguments)
                .filter(|argument| argument.get_id() == option);
            assert!(arguments.any(|argument| argument.get_action().takes_values()), "{option}");
        }
    }

    /// Nobody learns more of them: a further option replaces another, or is a key of `--set`.
    #[test]
    fn there_are_few_options() {
        fn add_options(command: &clap::Command, all: &mut BTreeSet<String>) {
            let named = command.get_arguments().filter_map(clap::Arg::get_long);
            let named: Vec<String> = named.map(str::to_owned).collect();
            assert!(named.len() <= 45, "{}: {}", command.get_name(), named.len());
            all.extend(named);
            for subcommand in command.get_subcommands() {
                add_options(subcommand, all);
            }
        }
        let mut command = Cli::command();
        command.build();
        let mut all = BTreeSet::new();
        add_options(&command, &mut all);
        assert!(all.len() <= 70, "{} options: {all:?}", all.len());
    }

    #[test]
    fn only_misspelt_variables_are_told() {
        for (name, known) in [
            ("EPITOME_TRIGER", Some("EPITOME_TRIGGER")),
            ("EPITOME_TRIGGER", None),
            ("EPITOME_CHECKS", None),
            ("EPITOME_FIXTURES", None),
            ("EPITOME_THREAD_ID", None),
            ("EPITOME_MESSAGES", None),
            ("EPITOME_SEED", None),
            ("HOME", None),
        ] {
            assert_eq!(misspelt_variable(name), known, "{name}");
        }
    }

    #[test]
    fn the_command_tree_is_sound() {
        Cli::command().debug_assert();
    }
}

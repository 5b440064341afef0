//! Tips for arguments that a command doesn't have, and that users of other tools expect.

use super::command_line::{Cli, variable_of_option};
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error};

/// Arguments that commands don't have, or no longer have, and what to do instead: a line names the
/// commands, if it is not about all, then the arguments, then the tip.
const USAGE_TIPS: &str = "\
dataset --strict: --check exits with status 1 if anything was dropped
requests --on-missing --on-failure: --set summarizer.on_failure=extract (or keep, fail)
requests --requests: write the export directory beside the results: `epitome requests apply DIR RESULTS`
requests --send-again: --adopt none submits the file once more
requests --max-bytes: --shard-size 30MB begins another file before one would exceed this size
schema --spark --arrow --json: write the language without dashes: `epitome schema spark`, arrow or json
formats --explain: write the file alone: `epitome formats FILE`
stream --do: write the word alone: `epitome stream compact`, plan or count
stream --fail-over: --max-errors N ends with status 2 if more records fail
stream --now: SOURCE_DATE_EPOCH dates sections of records without a time
stream --names: archive files of a stream are always named by content
unpack --name: the output has the name of the file of rows, or stdin.jsonl
dataset --chat-template: --tokenizer takes a .jinja file, too: --tokenizer MODEL --tokenizer FILE.jinja
replay --cache-life: cache_life in the model's table of --prices
replay --alternate: `epitome dataset --to axolotl` (or trl, sharegpt) writes samples whose turns alternate
plan --limit: --full lists every transcript
--color: NO_COLOR=1 and CLICOLOR_FORCE=1 in the environment turn colors off and on
compact convert plan replay requests audit --report-format: write the kind before the file: --report json:FILE, --report html:-
--max-decompression-ratio: decompress such a file first: zstd -d FILE, or gunzip FILE
plan count evaluate audit -o --output: this command writes no transcripts; `epitome compact INPUT -o DIR` does
compact convert replay -n --dry-run: `epitome plan` shows what compact would do with the same options, and writes nothing
compact convert replay restore -f --overwrite --yes: --force replaces existing results";

/// A line of the tips.
struct UsageTip {
    /// The commands that it is about; all if there are none.
    commands: Vec<&'static str>,
    arguments: Vec<&'static str>,
    tip: &'static str,
}

fn usage_tips() -> impl Iterator<Item = UsageTip> {
    USAGE_TIPS.lines().filter_map(|line| {
        let (words, tip) = line.split_once(": ")?;
        let (arguments, commands) = words.split(' ').partition(|word| word.starts_with('-'));
        Some(UsageTip { commands, arguments, tip })
    })
}

/// Returns the tip for an argument of a command.
fn tip_of_command(command: &str, argument: &str) -> Option<String> {
    let mut tips = usage_tips().filter(|tip| tip.arguments.contains(&argument));
    let found = tips.find(|tip| tip.commands.is_empty() || tip.commands.contains(&command))?;
    Some(found.tip.to_owned())
}

/// Returns the tip for an argument of whichever command had it, which it names.
fn tip_of_any_command(argument: &str) -> Option<String> {
    let UsageTip { commands, tip, .. } =
        usage_tips().find(|tip| tip.arguments.contains(&argument))?;
    Some(match commands.as_slice() {
        [] => tip.to_owned(),
        commands => format!("for `epitome {}`: {tip}", commands.join("`, `epitome ")),
    })
}

/// Options of earlier versions that are keys of the configuration under another name.
const RENAMED: [(&str, &str); 8] = [
    ("--truncate-length", "truncate.max_length=VALUE"),
    ("--header", "summarizer.headers.NAME=VALUE"),
    ("--no-cache", "summarizer.cache="),
    ("--prompt-file", "summarizer.prompt=@FILE"),
    ("--summary-model", "summarizer.model=VALUE"),
    ("--prune", "prune.enabled=true"),
    ("--dedup-results", "dedup.enabled=true"),
    ("--pin", "pin.tools=[\"NAME\"] (or roles, patterns, labels)"),
];

fn renamed_option(option: &str) -> Option<String> {
    let renamed = RENAMED.iter().find(|(name, _)| *name == option);
    renamed.map(|(_, assignment)| (*assignment).to_owned())
}

/// Returns what to do instead of an option that no command has, or no longer has.
/// `key_like` returns the assignment to the key of the configuration that an option looks like.
pub(crate) fn tip_for_option(
    option: &str,
    key_like: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    if has_option(&Cli::command(), option.trim_start_matches('-')) {
        return None;
    }
    let set = |assignment: String| format!("--set {assignment} does");
    renamed_option(option)
        .map(set)
        .or_else(|| tip_of_any_command(option))
        .or_else(|| key_like(option).map(set))
}

/// Replaces the tip of an error about an unknown argument by one that helps. `key_like` returns the
/// assignment to the key of the configuration that an option looks like.
pub(crate) fn improve_usage_error(
    mut error: Error,
    key_like: impl Fn(&str) -> Option<String>,
) -> Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return name_variable(error);
    }
    // clap advises to pass the argument as a file name, which nobody means.
    error.remove(ContextKind::Suggested);
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.clone(),
        _ => return error,
    };
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => return error,
    };
    // It begins with `Usage: epitome COMMAND`, and guesses options that nobody gave.
    let words: Vec<&str> = usage.split_whitespace().skip(2).collect();
    let command = words.first().copied().unwrap_or_default();
    let mut named = named_command(&words);
    let usage = ContextValue::StyledStr(named.render_usage());
    error.insert(ContextKind::Usage, usage);
    let tip = tip_of_command(command, &unknown);
    let assignment = renamed_option(&unknown).or_else(|| key_like(&unknown));
    let tip = tip.or(assignment.filter(|_| takes_keys(&named)).map(|assignment| {
        format!("it is a key of the configuration: --set {assignment}, or in a file for --config")
    }));
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        let text = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, text);
    }
    error
}

/// Says which variable of the environment gave an option its wrong value, if one did.
fn name_variable(mut error: Error) -> Error {
    let text_of = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let option = text_of(ContextKind::InvalidArg).and_then(|argument| argument.strip_prefix("--"));
    let option = option.and_then(|option| option.split(['[', ' ', '=']).next());
    let variable = option.and_then(variable_of_option);
    let given = variable.and_then(|variable| std::env::var(variable).ok());
    if let Some(variable) =
        variable.filter(|_| given.as_deref() == text_of(ContextKind::InvalidValue))
    {
        let tip = format!("the variable {variable} gives this value");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
    error
}

/// Returns true if a command or one below it has a long option.
fn has_option(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some(long))
        || command.get_subcommands().any(|command| has_option(command, long))
}

/// Returns the command at the beginning of a usage.
fn named_command(usage: &[&str]) -> Command {
    let mut program = Cli::command();
    program.build();
    let mut command = &program;
    for word in usage {
        match command.find_subcommand(word) {
            Some(subcommand) => command = subcommand,
            None => break,
        }
    }
    command.clone()
}

/// Returns true if a command takes keys of the configuration.
fn takes_keys(command: &Command) -> bool {
    command.get_arguments().any(|argument| argument.get_id() == "set")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn usage_error(words: &str) -> String {
        let words: Vec<&str> = words.split(' ').collect();
        let error = Cli::try_parse_from(&words).unwrap_err();
        let key_like = |option: &str| match option {
            "--timeout" => Some("summarizer.timeout=VALUE".to_owned()),
            "--base-url" => Some("summarizer.base_url=VALUE".to_owned()),
            _ => None,
        };
        improve_usage_error(error, key_like).to_string()
    }

    #[test]
    fn every_line_is_a_tip_of_known_commands() {
        let cli = Cli::command();
        assert_eq!(usage_tips().count(), USAGE_TIPS.lines().count());
        for UsageTip { commands, arguments, tip } in usage_tips() {
            assert!(!arguments.is_empty() && !tip.is_empty(), "{tip}");
            let mut commands = commands.into_iter();
            assert!(commands.all(|name| cli.find_subcommand(name).is_some()), "{tip}");
        }
        let tip = tip_of_any_command("--name");
        assert!(tip.is_some_and(|tip| tip.starts_with("for `epitome unpack`: ")));
    }

    #[test]
    fn unknown_arguments_get_a_tip_that_helps() {
        for (words, wanted) in [
            ("epitome plan x -o out", "tip: this command writes no transcripts"),
            ("epitome compact x --dry-run", "tip: `epitome plan` shows"),
            ("epitome compact x -o out --yes", "tip: --force replaces"),
            (
                "epitome compact x -o out --timeout 5",
                "tip: it is a key of the configuration: --set summarizer.timeout=VALUE",
            ),
            (
                "epitome compact x -o out --no-cache",
                "tip: it is a key of the configuration: --set summarizer.cache=, or",
            ),
            (
                "epitome requests submit x --base-url http://h",
                "tip: it is a key of the configuration: --set summarizer.base_url=VALUE",
            ),
            ("epitome schema --spark", "tip: write the language without dashes"),
            ("epitome plan x --color never", "tip: NO_COLOR=1"),
            ("epitome audit x --report-format md", "tip: write the kind before the file"),
            ("epitome compact x --triger 3", "tip: a similar argument exists: '--trigger'"),
        ] {
            let error = usage_error(words);
            assert!(error.contains(wanted), "{error}");
            assert_eq!(error.matches("tip:").count(), 1, "{error}");
            assert!(!error.contains("Usage: epitome plan --"), "{error}");
        }
        for words in ["epitome count x --wrong-by-far", "epitome convert x --timeout 5"] {
            assert!(!usage_error(words).contains("tip:"), "{words}");
        }
    }
}

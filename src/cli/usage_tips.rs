//! Tips for arguments that a command doesn't have, and that users of other tools expect.

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Arguments that some commands don't have, and what to do instead.
struct UsageTip {
    commands: &'static [&'static str],
    arguments: &'static [&'static str],
    tip: &'static str,
}

const USAGE_TIPS: [UsageTip; 3] = [
    UsageTip {
        commands: &["plan", "count", "evaluate", "audit"],
        arguments: &["-o", "--output"],
        tip: "this command writes no transcripts; `epitome compact INPUT -o DIR` does",
    },
    UsageTip {
        commands: &["compact", "convert", "replay"],
        arguments: &["-n", "--dry-run"],
        tip: "`epitome plan` shows what compact would do with the same options, and writes nothing",
    },
    UsageTip {
        commands: &["compact", "convert", "replay", "restore"],
        arguments: &["-f", "--overwrite", "--yes"],
        tip: "--force replaces existing results",
    },
];

/// Options of earlier versions that are keys of the configuration under another name.
const RENAMED: [(&str, &str); 3] = [
    ("--truncate-length", "truncate.max_length=VALUE"),
    ("--header", "summarizer.headers.NAME=VALUE"),
    ("--no-cache", "summarizer.cache="),
];

/// Replaces the tip of an error about an unknown argument by one that helps. `key_like` returns the
/// key of the configuration that an option looks like.
#[must_use]
pub(crate) fn improve_usage_error(
    mut error: Error,
    key_like: impl Fn(&str) -> Option<String>,
) -> Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
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
    // It begins with `Usage: epitome COMMAND`.
    let command = usage.split_whitespace().nth(2).unwrap_or_default();
    let tip = USAGE_TIPS
        .iter()
        .find(|tip| tip.commands.contains(&command) && tip.arguments.contains(&unknown.as_str()))
        .map(|tip| tip.tip.to_owned());
    let renamed = RENAMED.iter().find(|(option, _)| *option == unknown);
    let assignment = match renamed {
        Some((_, assignment)) => Some((*assignment).to_owned()),
        None => key_like(&unknown).map(|key| format!("{key}=VALUE")),
    };
    let tip = tip.or(assignment.map(|assignment| {
        format!("it is a key of the configuration: --set {assignment}, or in a file for --config")
    }));
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        let text = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, text);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    fn usage_error(words: &str) -> String {
        let words: Vec<&str> = words.split(' ').collect();
        let error = Cli::try_parse_from(&words).unwrap_err();
        let key_like =
            |option: &str| (option == "--timeout").then(|| "summarizer.timeout".to_owned());
        improve_usage_error(error, key_like).to_string()
    }

    #[test]
    fn unknown_arguments_get_a_tip_that_helps() {
        for (words, wanted) in [
            (
                "epitome plan x -o out",
                "tip: this command writes no transcripts",
            ),
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
                "epitome compact x --triger 3",
                "tip: a similar argument exists: '--trigger'",
            ),
        ] {
            let error = usage_error(words);
            assert!(error.contains(wanted), "{error}");
            assert_eq!(error.matches("tip:").count(), 1, "{error}");
        }
        assert!(!usage_error("epitome count x --wrong-by-far").contains("tip:"));
    }
}

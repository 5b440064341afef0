//! The help of `-h`: one screen with the options that matter most. `--help` shows and explains all.

use clap::{Arg, Command};

/// The options that `-h` shows of a command with many.
struct MainOptions {
    command: &'static str,
    options: &'static [&'static str],
}

const MAIN_OPTIONS: [MainOptions; 12] = [
    MainOptions {
        command: "compact",
        options: &[
            "inputs", "output", "trigger", "keep", "model", "report", "resume", "check",
        ],
    },
    MainOptions {
        command: "plan",
        options: &[
            "inputs", "trigger", "keep", "model", "report", "changed", "top", "thread", "check",
        ],
    },
    MainOptions {
        command: "convert",
        options: &["inputs", "output", "to", "check", "force"],
    },
    MainOptions {
        command: "replay",
        options: &[
            "inputs", "output", "policies", "trigger", "keep", "model", "segments", "check",
        ],
    },
    MainOptions {
        command: "dataset",
        options: &["inputs", "output", "to", "max_tokens", "split", "check"],
    },
    MainOptions {
        command: "stream",
        options: &["trigger", "keep", "model", "max_tokens"],
    },
    MainOptions {
        command: "export",
        options: &["inputs", "output", "trigger", "keep", "set"],
    },
    MainOptions {
        command: "apply",
        options: &["results", "requests", "output", "report", "check"],
    },
    MainOptions {
        command: "count",
        options: &["inputs", "counter", "model", "json"],
    },
    MainOptions {
        command: "evaluate",
        options: &["inputs", "summary_tokens", "compare", "fail_under", "json"],
    },
    MainOptions {
        command: "fit",
        options: &["inputs", "output", "force"],
    },
    MainOptions {
        command: "audit",
        options: &["inputs", "report", "fail_under", "json"],
    },
];

/// What `-h` says of an option that `--help` explains at length.
struct BriefText {
    option: &'static str,
    text: &'static str,
}

const BRIEF_TEXTS: [BriefText; 14] = [
    BriefText {
        option: "inputs",
        text: "Files, directories, or `-` for stdin",
    },
    BriefText {
        option: "trigger",
        text: "When to summarize, for example tokens=100k",
    },
    BriefText {
        option: "keep",
        text: "How much recent context to keep, for example tokens=20k",
    },
    BriefText {
        option: "model",
        text: "The model, whose limit sets the default trigger",
    },
    BriefText {
        option: "max_tokens",
        text: "Maximum tokens per result",
    },
    BriefText {
        option: "report",
        text: "Also write a report, for example page.html",
    },
    BriefText {
        option: "resume",
        text: "Resume an interrupted run",
    },
    BriefText {
        option: "counter",
        text: "The token counter, for example o200k_base",
    },
    BriefText {
        option: "set",
        text: "Set a key of the configuration, such as summarizer.model=openai:gpt-5.2",
    },
    BriefText {
        option: "summary_tokens",
        text: "Maximum tokens per summary",
    },
    BriefText {
        option: "policies",
        text: "A preset or TOML file to compare (repeatable)",
    },
    BriefText {
        option: "thread",
        text: "Show only this thread, with its messages (repeatable)",
    },
    BriefText {
        option: "fail_under",
        text: "Exit with status 1 below this share (repeatable)",
    },
    BriefText {
        option: "compare",
        text: "Another policy to compare with",
    },
];

/// The heading of the part of a help text that `-h` shows, too.
const EXAMPLES: &str = "Examples:";

/// Returns the command line with a short help beside the long one.
pub(super) fn with_brief_help(command: Command) -> Command {
    let command = command.mut_subcommands(with_brief_help);
    let command = split_after_help(command);
    let name = command.get_name().to_owned();
    let main = MAIN_OPTIONS.iter().find(|main| main.command == name);
    match main {
        Some(main) => command.mut_args(|argument| shorten_argument(argument, main.options)),
        None => command,
    }
}

/// The commands of engines and of batch files, which the help of the program lists by themselves.
const SECOND_GROUP: [&str; 4] = ["stream", "unpack", "schema", "requests"];

/// Returns the command line with its commands in two groups.
pub(super) fn with_command_groups(command: Command) -> Command {
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let second: String = SECOND_GROUP
        .iter()
        .filter_map(|name| command.find_subcommand(name))
        .map(|subcommand| {
            let about = subcommand.get_about().cloned().unwrap_or_default();
            format!(
                "\n  {literal}{:<11}{literal:#}  {about}",
                subcommand.get_name()
            )
        })
        .collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n\
         {header}Commands:{header:#}\n{{subcommands}}\n\n\
         {header}For engines and batch files:{header:#}{second}\n\n\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    let command = command.mut_subcommands(|subcommand| {
        let is_second = SECOND_GROUP.contains(&subcommand.get_name());
        subcommand.hide(is_second)
    });
    command.help_template(template)
}

/// Leaves the examples at the end of the short help, and the whole text at the end of the long one.
fn split_after_help(command: Command) -> Command {
    let Some(text) = command.get_after_help().map(ToString::to_string) else {
        return command;
    };
    let brief = examples_of(&text).unwrap_or_default().to_owned();
    let command = command.after_long_help(join_paragraphs(&text));
    command.after_help(brief)
}

/// Returns the examples of a help text, up to the next empty line.
fn examples_of(text: &str) -> Option<&str> {
    let start = text.find(EXAMPLES)?;
    let examples = &text[start..];
    examples.split("\n\n").next()
}

/// Joins the lines of each paragraph, so that they are wrapped to the terminal. Indented lines stay:
/// examples and lists.
fn join_paragraphs(text: &str) -> String {
    let mut out = String::new();
    let mut joins = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with([' ', '-']);
        if !out.is_empty() {
            out.push(if joins && is_prose { ' ' } else { '\n' });
        }
        out.push_str(line);
        // A heading stands by itself.
        joins = is_prose && !line.ends_with(':');
    }
    out
}

/// Hides an option from `-h`, or says in a line there what it is.
fn shorten_argument(argument: Arg, main: &[&str]) -> Arg {
    let name = argument.get_id().as_str().to_owned();
    if name != "help" && !main.contains(&name.as_str()) {
        return argument.hide_short_help(true);
    }
    let Some(brief) = BRIEF_TEXTS.iter().find(|brief| brief.option == name) else {
        return argument;
    };
    let long = argument.get_long_help().or_else(|| argument.get_help());
    let long = long.cloned().unwrap_or_default();
    argument.help(brief.text).long_help(long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    fn find<'c>(command: &'c Command, name: &str) -> Option<&'c Command> {
        command.get_subcommands().find_map(|subcommand| {
            if subcommand.get_name() == name {
                Some(subcommand)
            } else {
                find(subcommand, name)
            }
        })
    }

    #[test]
    fn the_main_options_are_options() {
        let cli = Cli::command();
        for main in MAIN_OPTIONS {
            let command = find(&cli, main.command).unwrap();
            let known: Vec<&str> = command
                .get_arguments()
                .map(|a| a.get_id().as_str())
                .collect();
            for option in main.options {
                assert!(known.contains(option), "{} {option}", main.command);
            }
        }
        for brief in BRIEF_TEXTS {
            let is_main = MAIN_OPTIONS
                .iter()
                .any(|main| main.options.contains(&brief.option));
            assert!(is_main, "{}", brief.option);
        }
    }

    #[test]
    fn every_short_help_fits_a_screen() {
        fn check(command: &mut Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            let help = command.clone().term_width(80).render_help().to_string();
            let lines = help.lines().count();
            assert!(lines <= 40, "{path} -h has {lines} lines:\n{help}");
            for subcommand in command.get_subcommands_mut() {
                check(subcommand, &path);
            }
        }
        let mut command = with_brief_help(Cli::command());
        command.build();
        check(&mut command, "");
    }

    #[test]
    fn paragraphs_are_joined_and_examples_are_not() {
        let text =
            "One idea\nof two lines.\n\nExamples:\n  epitome plan a\n  epitome plan b\nSee\nthere.";
        assert_eq!(
            join_paragraphs(text),
            "One idea of two lines.\n\nExamples:\n  epitome plan a\n  epitome plan b\nSee there."
        );
        assert_eq!(
            examples_of("x\n\nExamples:\n  a\n\ny"),
            Some("Examples:\n  a")
        );
        assert_eq!(examples_of("x"), None);
    }
}

//! The help of `-h`: one screen with the options that matter most. `--help` shows and explains all.

use clap::Command;

/// A command with more options than this shows only the main ones in `-h`.
const FEW_OPTIONS: usize = 12;

/// The options that matter most, in whichever command.
const MAIN_OPTIONS: &str = "\
    inputs output results to force resume report changed top thread policies trigger keep \
    max_tokens model set counter split compare fail_under json check";

/// The heading of the part of a help text that `-h` shows, too.
const EXAMPLES: &str = "Examples:";

/// Returns the command line with a short help beside the long one.
pub(super) fn with_brief_help(command: Command) -> Command {
    let command = command.mut_subcommands(with_brief_help);
    let command = split_after_help(command);
    if command.get_arguments().count() <= FEW_OPTIONS {
        return command;
    }
    command.mut_args(|argument| {
        let is_main = MAIN_OPTIONS.split(' ').any(|main| argument.get_id() == main);
        argument.hide_short_help(!is_main)
    })
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
            format!("\n  {literal}{:<11}{literal:#}  {about}", subcommand.get_name())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_main_options_are_options() {
        let cli = Cli::command();
        let commands = cli.get_subcommands();
        let commands =
            commands.flat_map(|command| [command].into_iter().chain(command.get_subcommands()));
        let known: Vec<&str> = commands
            .flat_map(Command::get_arguments)
            .map(|argument| argument.get_id().as_str())
            .collect();
        for option in MAIN_OPTIONS.split(' ') {
            assert!(known.contains(&option), "{option}");
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
        assert_eq!(examples_of("x\n\nExamples:\n  a\n\ny"), Some("Examples:\n  a"));
        assert_eq!(examples_of("x"), None);
    }
}

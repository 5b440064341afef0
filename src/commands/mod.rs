//! The subcommands, a file each: what to run, and what to print.

pub(crate) mod audit;
pub(crate) mod compact;
pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod dataset;
mod ending;
pub(crate) mod evaluate;
pub(crate) mod fit;
pub(crate) mod formats;
pub(crate) mod interrupt;
pub(crate) mod models;
pub(crate) mod plan;
mod prelude;
pub(crate) mod reference;
pub(crate) mod replay;
pub(crate) mod requests;
pub(crate) mod restore;
mod run_terms;
pub(crate) mod stream;
mod summarizers;
mod terminal_width;
pub(crate) mod unpack;
pub(crate) mod writing_run;

pub(crate) use ending::{Ending, LinesError};
pub(crate) use interrupt::end_on_abort;

use crate::base::foreign_text::harmless_line;
use crate::deciding::policy::{Keep, Policy};
use crate::files::input::{CollectedInputs, InputEntry, NamedInputs, collect_inputs};
use crate::files::output::{print_message, print_result};
use crate::settings::cli::{misspelt_variable, option_of_unknown_variable, tip_for_option};
use crate::settings::progress::Progress;
use crate::settings::{FoundConfig, RunSettings, Settings, key_like_option, to_toml};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Says which skills are left out of the system prompt, and what is odd about others.
fn print_section_notes(settings: &Settings) {
    let notes = settings.sections.iter().flat_map(|sections| &sections.notes);
    for note in notes {
        print_message(&format!("warning: skills: {}", harmless_line(note)));
    }
}

/// Collects the inputs that the user named, but nothing below `written`. Warns of what is skipped.
fn collect_named_inputs(named: &NamedInputs<'_>, written: &[&Path]) -> Result<Vec<InputEntry>> {
    let CollectedInputs { inputs, skipped, links, hidden, left_out: _, side, other_data } =
        collect_inputs(named, written)?;
    for directory in skipped {
        print_message(&format!(
            "warning: skipping {} (output of an earlier run); name it to include it",
            directory.display()
        ));
    }
    say_of_first(
        &side,
        "",
        "is skipped: it holds no conversation",
        "are skipped: they hold no conversation",
    );
    say_of_first(
        &other_data,
        "warning: ",
        "is skipped; name it to see how to convert it",
        "files of other kinds are skipped; name one to see how to convert it",
    );
    say_of_first(
        &links,
        "warning: ",
        "is a link and is not followed; --follow reads it",
        "are links and are not followed; --follow reads them",
    );
    say_of_first(
        &hidden,
        "warning: ",
        "is hidden and is not entered; --hidden reads it",
        "are hidden and are not entered; --hidden reads them",
    );
    Ok(inputs)
}

/// Names the first of some paths, with the number of the others.
fn say_of_first(paths: &[PathBuf], before: &str, one: &str, several: &str) {
    let Some(first) = paths.first() else {
        return;
    };
    let first = first.display();
    print_message(&match paths.len() - 1 {
        0 => format!("{before}{first} {one}"),
        more => format!("{before}{first} and {more} more {several}"),
    });
}

/// Names the configuration files that the user did not name. What somebody else may have written is
/// named in a quiet run, too.
fn print_found_configs(settings: &Settings, run: &RunSettings) {
    for found in &settings.found_configs {
        match found {
            FoundConfig::Users(_) if run.quiet => {}
            FoundConfig::Users(path) | FoundConfig::Applies(path) => {
                let path = path.display();
                print_message(&format!("options of {path} apply (--no-config)"));
            }
            FoundConfig::Ignored(path, why) => print_message(&format!(
                "warning: {} is not read: {why} (--config reads it)",
                path.display()
            )),
        }
    }
}

/// Warns of a policy that keeps as much as its trigger waits for.
fn warn_of_large_keep(settings: &Settings, run: &RunSettings) {
    let summarize = &settings.policy.summarize;
    if let (Some(trigger), Some(Keep::Last(kept))) = (&summarize.trigger, summarize.keep)
        && !run.quiet
        && trigger.is_reached_by(kept)
    {
        print_message(&format!(
            "warning: keep {kept} is not below the trigger: a transcript that just reaches it stays unchanged"
        ));
    }
}

/// Says which variables of the environment spell an option that is gone or a key of the
/// configuration, which none sets, or look like a misspelling of one that sets an option.
pub(crate) fn report_odd_variables() {
    for name in std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()) {
        let option = option_of_unknown_variable(&name);
        let tip = option.and_then(|option| tip_for_option(&option, key_like_option));
        if let Some(tip) = tip {
            print_message(&format!("epitome: warning: the variable {name} sets nothing; {tip}"));
        } else if let Some(nearest) = misspelt_variable(&name) {
            print_message(&format!(
                "epitome: warning: no option has the variable {name}; did you mean {nearest}?"
            ));
        }
    }
}

/// Begins the progress over these inputs.
fn start_progress(run: &RunSettings, inputs: &[InputEntry]) -> Progress {
    let bytes = inputs.iter().map(|input| input.bytes).sum();
    Progress::new(run.progress, run.quiet, bytes)
}

/// Prints a resolved policy as TOML.
fn print_policy(policy: &Policy) -> Result<Ending> {
    print_result(&to_toml(policy))?;
    Ok(Ending::success())
}

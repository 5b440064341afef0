//! The commands that explain the program: `completions`, `man`, `schema`, `presets` and `--version`.

use crate::commands::prelude::*;
use crate::deciding::policy::LAST_CHECK;
use crate::running::stream::render_schema;
use crate::settings::cli::{Cli, CompletionsArgs, ManArgs, PresetsArgs, SchemaArgs};
use std::fmt::Write;

/// Prints the completions. Fails if stdout can't be written.
pub(crate) fn print_completions(arguments: &CompletionsArgs) -> Result<Ending> {
    print_result(&arguments.script(Cli::definition()))?;
    Ok(Ending::success())
}

/// Prints a page. Fails if stdout can't be written.
pub(crate) fn print_man_page(arguments: &ManArgs) -> Result<Ending> {
    print_result(&arguments.page(Cli::definition())?)?;
    Ok(Ending::success())
}

/// Prints the schema of a row. Fails if stdout can't be written.
pub(crate) fn print_row_schema(arguments: &SchemaArgs) -> Result<Ending> {
    print_result(&render_schema(arguments.language))?;
    Ok(Ending::success())
}

/// Prints each preset: the system that it reproduces, its differences, and its values. Fails if
/// stdout can't be written.
pub(crate) fn print_presets(arguments: &PresetsArgs) -> Result<Ending> {
    let mut text = String::new();
    let named = arguments.name;
    let shown: Vec<&Preset> = PRESETS
        .iter()
        .filter(|preset| named.is_none_or(|named| named.name == preset.name))
        .collect();
    for (place, preset) in shown.into_iter().enumerate() {
        let mut policy = preset.policy();
        policy.model.clone_from(&arguments.model);
        let values =
            if named.is_some() { to_toml(&policy) } else { to_toml_without_prompts(&policy) };
        let gap = if place > 0 { "\n\n" } else { "" };
        writeln!(text, "{gap}# {}\n#", preset.name)?;
        let (about, differences) = preset.texts();
        writeln!(text, "{}", comment(about, "# "))?;
        let checked = format!("Last compared with its newest version on {LAST_CHECK}.");
        writeln!(text, "{}", comment(&checked, "# "))?;
        writeln!(text, "#\n# Where it differs on purpose:")?;
        for difference in differences {
            writeln!(text, "{}", comment(difference, "# - "))?;
        }
        write!(text, "\n{values}")?;
    }
    print_result(&text)?;
    Ok(Ending::success())
}

/// Returns a text as comment lines of TOML, no wider than the terminal.
fn comment(text: &str, start: &str) -> String {
    let options = textwrap::Options::new(table_columns())
        .initial_indent(start)
        .subsequent_indent(if start == "# " { "# " } else { "#   " })
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(text, options)
}

/// Returns true if the arguments of the process ask for the version and nothing else. Engines and
/// package managers ask often, and the tree of commands takes longer to build than to answer.
pub(crate) fn is_version_wanted() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    first.is_some_and(|word| word == "--version" || word == "-V") && arguments.next().is_none()
}

/// Prints the name and the version. Fails if stdout can't be written.
pub(crate) fn print_version() -> Result<()> {
    print_result(concat!("epitome ", env!("CARGO_PKG_VERSION"), "\n"))?;
    Ok(())
}

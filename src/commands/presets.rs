//! `epitome presets`: the policies that can be started from.

use crate::commands::Ending;
use crate::commands::terminal_width::table_columns;
use crate::deciding::policy::{LAST_CHECK, PRESETS, Preset};
use crate::settings::cli::PresetsArgs;
use crate::settings::{to_toml, to_toml_without_prompts};
use anyhow::Result;
use std::io::Write;

/// Prints each preset: the system that it reproduces, its differences, and its values. Fails if
/// stdout can't be written.
pub(crate) fn run(arguments: &PresetsArgs) -> Result<Ending> {
    let mut stdout = std::io::stdout().lock();
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
        writeln!(stdout, "{gap}# {}\n#", preset.name)?;
        let (about, differences) = preset.texts();
        writeln!(stdout, "{}", comment(about, "# "))?;
        let checked = format!("Last compared with its newest version on {LAST_CHECK}.");
        writeln!(stdout, "{}", comment(&checked, "# "))?;
        writeln!(stdout, "#\n# Where it differs on purpose:")?;
        for difference in differences {
            writeln!(stdout, "{}", comment(difference, "# - "))?;
        }
        write!(stdout, "\n{values}")?;
    }
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

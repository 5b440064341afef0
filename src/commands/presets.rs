//! `epitome presets`: the policies that can be started from.

use crate::commands::Ending;
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
        let values = if named.is_some() {
            to_toml(&policy)
        } else {
            to_toml_without_prompts(&policy)
        };
        writeln!(
            stdout,
            "{}# {}\n#\n# {}\n# Last held against its newest version on {LAST_CHECK}.",
            if place > 0 { "\n\n" } else { "" },
            preset.name,
            preset.about
        )?;
        writeln!(stdout, "#\n# Where it differs on purpose:")?;
        for difference in preset.differs {
            writeln!(stdout, "# - {difference}")?;
        }
        write!(stdout, "\n{values}")?;
    }
    Ok(Ending::success())
}

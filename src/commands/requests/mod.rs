//! `epitome requests`: summaries through batch files. `export` writes what is to
//! be asked, anyone answers it anywhere, `apply` finishes the compaction.

mod apply;
mod batches;
mod export;

use crate::commands::prelude::*;
use crate::files::output::is_own_export;
use crate::running::requests::manifest::POLICY;
use crate::settings::cli::{RequestsArgs, RequestsCommand};
use crate::settings::key_directories;

struct ExportSettings {
    settings: Settings,
    /// True if this user made the export on this machine.
    is_own: bool,
}

/// Returns the settings of an export. Of one that this user did not make on this machine, they choose
/// no server, key or file. Keys that the command line sets win.
fn export_settings(
    directory: &Path,
    manifest: &Manifest,
    assignments: &[String],
) -> Result<ExportSettings> {
    let mut is_own = false;
    let settings = Settings::from_export(
        directory,
        POLICY,
        |policy| {
            let seal = manifest.seal.as_deref();
            let text = manifest.sealed_text(policy);
            is_own = text.is_ok_and(|text| is_own_export(&key_directories(), &text, seal));
            is_own
        },
        assignments,
    )?;
    Ok(ExportSettings { settings, is_own })
}

/// Exports, submits, fetches or applies. Fails if an option or a file is wrong, or something
/// can't be read, sent or written.
pub(crate) fn run(arguments: &RequestsArgs) -> Result<Ending> {
    match &arguments.command {
        RequestsCommand::Export(arguments) => export::run(arguments),
        RequestsCommand::Apply(arguments) => apply::run(arguments),
        RequestsCommand::Submit(arguments) => batches::submit(arguments),
        RequestsCommand::Status(arguments) => batches::status(arguments),
        RequestsCommand::Fetch(arguments) => batches::fetch(arguments),
    }
}

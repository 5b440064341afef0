//! `epitome convert`: transcripts of any format as chat transcripts of another.
//! The same batch as `compact`, with nothing to decide.

use crate::commands::prelude::*;
use crate::commands::writing_run::WritingRun;
use crate::settings::cli::ConvertArgs;

/// Converts transcripts. Fails if an option or an input is wrong, or something can't be written.
pub(crate) fn run(arguments: &ConvertArgs) -> Result<Ending> {
    let conversion = settings::conversion(arguments.to, arguments.merge_user);
    let mut settings = Settings::from_preset(PRESETS[0].name)?;
    settings.policy.redact = arguments.redact.redact.unwrap_or_default();
    let run = WritingRun {
        job: Job::Convert(conversion),
        settings: &settings,
        inputs: arguments.input.named(),
        reading: settings::resolve_reading(&arguments.input, &SummarizerKind::Extract),
        output: &arguments.output,
        archive: None,
        writing: &arguments.writing,
        run: &arguments.run,
        check: arguments.check,
        measures_retention: false,
        names: NameRule::Order,
    };
    run.execute(|_| Ok(None))
}

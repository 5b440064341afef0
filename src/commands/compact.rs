//! `epitome compact`: the main job.

use crate::commands::prelude::*;
use crate::commands::run_terms::stdout_archive;
use crate::commands::writing_run::{WritingRun, writing_job};
use crate::settings::cli::CompactArgs;

/// Compacts transcripts. Fails if an option or an input is wrong, or something can't be written.
pub(crate) fn run(arguments: &CompactArgs) -> Result<Ending> {
    let settings = Settings::from_options(&arguments.policy)?;
    // Only --print-config goes without an output.
    let printing = arguments.policy.print_config;
    let Some(output) = arguments.output.as_ref().filter(|_| !printing) else {
        return print_policy(&settings.policy);
    };
    print_section_notes(&settings);
    let summarizer = &settings.policy.summarizer.kind;
    refuse_missing_program(summarizer)?;
    let is_piped = output == Path::new(STDOUT) && arguments.archive.is_none();
    let default_archive = is_piped.then(stdout_archive).flatten();
    let run = WritingRun {
        job: writing_job(&arguments.to),
        settings: &settings,
        inputs: arguments.input.named(),
        reading: settings::resolve_reading(&arguments.input, summarizer),
        output,
        archive: arguments.archive.as_deref().or(default_archive.as_deref()),
        writing: &arguments.writing,
        run: &arguments.run,
        check: arguments.check,
        measures_retention: arguments.measure,
        names: arguments.names.unwrap_or_default().into(),
    };
    let ending = run.execute(|stop| build_summarizer(&settings, stop));
    // A run that did not reach its end, as where the reader of its output had enough, has not said
    // where it put what it removed.
    if let (Err(_), Some(archive)) = (&ending, &default_archive)
        && archive.is_dir()
    {
        print_message(&archive_line(archive));
    }
    ending
}

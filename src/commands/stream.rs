//! `epitome stream`: a record in, a row out.

use crate::base::stop_flag::StopCause;
use crate::commands::prelude::*;
use crate::deciding::policy::CachePlace;
use crate::files::input::LineUnits;
use crate::reporting::report::TranscriptStatus;
use crate::running::batch::ParallelMap;
use crate::running::stream::{PieceKind, PieceReader, StreamRowMaker};
use crate::settings::cli::{StreamArgs, StreamRemoved, StreamUndo};

/// Bytes of input per thread that are worked on before their rows are written.
const CHUNK_BYTES: usize = 1 << 20;

/// The number of rows that failed, of all.
#[derive(Default)]
struct RowCounts {
    rows: u64,
    failed: u64,
    /// The first error, with its line.
    first_error: Option<String>,
}

/// Writes a row for each record. Fails if an option is wrong, the stream can't be read or written,
/// or a model can't be asked. The rows that are written by then are not to be used.
pub(crate) fn run(arguments: &StreamArgs) -> Result<Ending> {
    let settings = resolve_settings(&arguments.policy)?;
    if arguments.policy.print_config {
        return print_policy(&settings.policy);
    }
    print_section_notes(&settings);
    let summarizer = &settings.policy.summarizer.kind;
    refuse_missing_program(summarizer)?;
    refuse_format_of_lines(arguments)?;
    let limits = ReadLimits { max_record_bytes: arguments.max_record_bytes };
    let stop = Arc::new(StopFlag::default());
    let summarizer = build_summarizer(&settings, &stop)?;
    let maker = StreamRowMaker {
        settings: &settings,
        summarizer: summarizer.as_deref(),
        clock: SectionClock::Record(source_date()?),
        reading: settings::resolve_reading_of(
            arguments.format,
            limits,
            &settings.policy.summarizer.kind,
        ),
        lines: &LineUnits::new("stdin", arguments.format, limits.max_record_bytes),
        kind: piece_kind(arguments),
        job: arguments.job,
        undo: arguments.undo.unwrap_or(StreamUndo::Bytes),
        keeps_removed: arguments.removed != Some(StreamRemoved::None),
        stop: &stop,
    };
    let jobs = settings::resolve_jobs(arguments.jobs.or(Some(1)))?;
    let counts = write_rows(&maker, arguments.thread_key.clone(), jobs)?;
    judge(&counts, arguments)
}

/// Resolves the policy. No configuration is looked for, and no answers of a model are kept, unless
/// the user names a place.
fn resolve_settings(policy: &PolicyArgs) -> Result<Settings> {
    let mut policy = policy.clone();
    policy.counting.no_config = policy.counting.config.is_none();
    let mut settings = Settings::from_options(&policy)?;
    let cache = &mut settings.policy.summarizer.model.cache;
    if *cache == CachePlace::User {
        *cache = CachePlace::Off;
    }
    Ok(settings)
}

fn piece_kind(arguments: &StreamArgs) -> PieceKind {
    if arguments.document {
        PieceKind::Document
    } else if arguments.thread_key.is_some() {
        PieceKind::Thread
    } else {
        PieceKind::Line
    }
}

/// Refuses a named format whose conversations are never a line.
fn refuse_format_of_lines(arguments: &StreamArgs) -> Result<()> {
    if let Some(format) = arguments.format
        && format.as_journal().is_some()
        && piece_kind(arguments) == PieceKind::Line
    {
        bail!(
            "--format {}: its conversations take several lines; --thread-key KEY takes lines that \
             belong together, --document whole files",
            format.name()
        );
    }
    Ok(())
}

fn write_rows(
    maker: &StreamRowMaker<'_>,
    thread_key: Option<String>,
    jobs: usize,
) -> Result<RowCounts> {
    let threads = ParallelMap::new(jobs).map_err(|error| anyhow!("{error}"))?;
    let mut reader = PieceReader::new(io::stdin().lock(), thread_key);
    let mut stdout = io::stdout().lock();
    let mut counts = RowCounts::default();
    loop {
        let pieces = reader.next_pieces(CHUNK_BYTES * jobs);
        let pieces = pieces.context("stdin can't be read")?;
        if pieces.is_empty() {
            return Ok(counts);
        }
        let rows = threads.map(pieces, |piece| {
            let row = maker.make_row(piece);
            let error = row.error.as_ref();
            let failure = error.map(|error| format!("stdin:{}: {error}", row.line));
            let has_failed = row.status == TranscriptStatus::Failed;
            (row.render(), has_failed, failure)
        });
        // A model that is gone has failed the records of this chunk already.
        if let Some(StopCause::Failed(reason)) = maker.stop.cause() {
            bail!("{reason}; discard the rows");
        }
        for (row, has_failed, failure) in rows {
            row.write_to(&mut stdout).context("stdout")?;
            counts.rows += 1;
            counts.failed += u64::from(has_failed);
            if counts.first_error.is_none() {
                counts.first_error = failure;
            }
        }
        stdout.flush().context("stdout")?;
    }
}

/// Says how many rows failed, and ends as the user wants it for so many.
fn judge(counts: &RowCounts, arguments: &StreamArgs) -> Result<Ending> {
    let RowCounts { rows, failed, .. } = counts;
    let first = counts.first_error.as_deref().unwrap_or_default();
    if let MaxErrors::Some(most) = arguments.max_errors
        && *failed > most
    {
        bail!(
            "{failed} of {} failed, more than --max-errors {most}: {first}",
            count_nouns(*rows, "record")
        );
    }
    if *failed > 0 && !arguments.quiet {
        print_message(&format!(
            "warning: {failed} of {} failed: {first}",
            count_nouns(*rows, "record")
        ));
    }
    Ok(Ending::success())
}

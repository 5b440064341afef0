//! `epitome fit`: learns the weights of the embedded summarizer from logged sessions.

use crate::commands::prelude::*;
use crate::files::output::AtomicFile;
use crate::reading::transcript::view::ViewedTurn;
use crate::settings::cli::FitArgs;
use crate::summary::extract::choose::Weights;
use crate::summary::extract::fit::{CutRows, Source, fit_weights, judge_weights, session_cuts};

/// One transcript in this many is held out.
const HELD_OUT: usize = 5;

/// Learns weights. Fails if an option or an input is wrong, or if there is nothing to learn from.
pub(crate) fn run(arguments: &FitArgs) -> Result<Ending> {
    let settings = Settings::from_counting_options(&arguments.counting)?;
    let run = settings::resolve_run(&arguments.run)?;
    print_found_configs(&settings, &run);
    let reading = settings::resolve_reading(&arguments.input, &SummarizerKind::None);
    let inputs = collect_named_inputs(&arguments.input.named(), &[])?;
    let path = &arguments.output;
    OverwriteGuard::new(&inputs, arguments.force).check_path(path)?;
    let file = AtomicFile::create(path, AccessLimit::of_inputs(&inputs))?;
    let mut lessons = Lessons::default();
    let receiver = FindingsReceiver {
        log: RunLog::complete(start_progress(&run, &inputs), &run),
        take: |_: &mut RunLog, unit: &InputUnit, sessions| {
            lessons.add(&unit.file.name, sessions);
            Ok(())
        },
    };
    let work = Fitting { settings: &settings };
    let log = run_batch(InputSource::new(inputs, reading), run.jobs, &work, receiver)?.log;
    log.finish();
    if lessons.sources.is_empty() {
        bail!("no transcript has the 10 messages that learning needs");
    }
    write_weights(&lessons, file)?;
    Ok(Ending::new(log.errors, run.max_errors, false))
}

/// Writes the weights, and prints what they are worth.
fn write_weights(lessons: &Lessons, mut file: AtomicFile) -> Result<()> {
    let embedded = Weights::embedded();
    let sources: Vec<&Source> = lessons.sources.values().collect();
    let weights = fit_weights(&sources, embedded);
    let text = format!(
        "# Weights of the embedded summarizer, learnt by `epitome fit` from {}.\n{}",
        count_nouns(lessons.sessions, "session"),
        weights.render()
    );
    file.append(text.as_bytes())?;
    file.publish().map_err(RunError::BrokeOff)?;
    print_result(&render_comparison(lessons, &weights, embedded))?;
    Ok(())
}

fn render_comparison(lessons: &Lessons, weights: &Weights, embedded: &Weights) -> String {
    let cuts: usize = lessons.sources.values().map(|source| source.cuts.len()).sum();
    let mut text = format!(
        "{}, {} to learn from, {} held out\n",
        count_nouns(lessons.sessions, "session"),
        count_nouns(cuts, "cut"),
        lessons.held_out.len()
    );
    if lessons.held_out.is_empty() {
        return text
            + "too few sessions to hold any out: whether these weights are better is unknown\n";
    }
    let old = judge_weights(embedded, &lessons.held_out);
    let new = judge_weights(weights, &lessons.held_out);
    let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
    let shares = |judgement: crate::summary::extract::fit::Judgement| {
        (share(judgement.found, judgement.needed), share(judgement.used, judgement.usable))
    };
    let (old, new) = (shares(old), shares(new));
    text += &format!(
        "            names  lines\nembedded    {:.3}  {:.3}\nthese       {:.3}  {:.3}\n",
        old.0, old.1, new.0, new.1
    );
    let is_better = new.0 + new.1 > old.0 + old.1;
    text + if is_better {
        "better than the embedded weights\n"
    } else {
        "no better than the embedded weights\n"
    }
}

struct Fitting<'s> {
    settings: &'s Settings,
}

struct FittedSession {
    is_held_out: bool,
    cuts: Vec<CutRows>,
}

impl UnitWork for Fitting<'_> {
    type Output = UnitFindings<FittedSession>;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_unit(unit, self.settings)
    }

    fn name_rule(&self) -> Option<NameRule> {
        None
    }

    fn finish_unit(
        &self,
        _: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        _: &mut WorkerSlot<'_>,
    ) -> Self::Output {
        UnitFindings::collect(records, read_cuts)
    }
}

/// Returns the rows of a conversation. Whether it is held out depends on its name alone.
fn read_cuts(conversation: &Conversation<'_>) -> Result<Option<FittedSession>, Panicked> {
    let view = TranscriptView::logged(&conversation.transcript);
    let all = conversation.transcript.messages.len();
    let turns: Vec<ViewedTurn<'_>> = (0..all).map(|index| view.viewed_turn(index)).collect();
    let system = conversation.transcript.system_prefix_len();
    let sum: usize = conversation
        .thread_id
        .bytes()
        .fold(7, |sum, byte| sum * 31 % 1_000_003 + usize::from(byte));
    let cuts = session_cuts(&turns, system, Weights::embedded());
    let is_held_out = sum.is_multiple_of(HELD_OUT);
    Ok((!cuts.is_empty()).then_some(FittedSession { is_held_out, cuts }))
}

/// What is learnt from.
#[derive(Default)]
struct Lessons {
    /// The sessions to learn from, by file.
    sources: BTreeMap<String, Source>,
    held_out: Vec<CutRows>,
    sessions: usize,
}

impl Lessons {
    fn add(&mut self, file: &str, sessions: Vec<FittedSession>) {
        for session in sessions {
            self.sessions += 1;
            if session.is_held_out {
                self.held_out.extend(session.cuts);
            } else {
                self.sources.entry(file.to_owned()).or_default().cuts.extend(session.cuts);
            }
        }
    }
}

//! Takes finished units in input order: their bytes into the output, their
//! originals beside it, their entries into the reports.

use crate::archive::originals::{OriginalsHeader, OriginalsTrailer, RemovedBytes};
use crate::batch::Receive;
use crate::batch::run_log::Talk;
use crate::conversation::place;
use crate::input::{InputFile, InputUnit};
use crate::output::{AtomicFile, OutputSink, OutputTree};
use crate::report::{REPORT_VIEWS, ReportView, RunDigest, TranscriptReport, json};
use crate::summary::stop::{StopCause, StopFlag};
use crate::transcript::splice::SplicedOutput;
use anyhow::{Context, Result, anyhow, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A finished unit.
pub struct Done {
    pub file: Arc<InputFile>,
    pub bytes: SplicedOutput,
    /// Places count from the start of `bytes`.
    pub originals: Vec<RemovedBytes>,
    pub starts_with_bom: bool,
    pub entries: Vec<Judged>,
    pub archived: bool,
    pub last: bool,
}

/// An entry, and what is to be said of it.
pub struct Judged {
    entry: TranscriptReport,
    over_limit: bool,
    /// The entry as the report has it: written where many are written at once.
    json: Vec<u8>,
}

impl Judged {
    pub fn new(entry: TranscriptReport, over_limit: bool) -> Self {
        Self {
            json: json::report_entry(&entry),
            entry,
            over_limit,
        }
    }
}

/// Report files by their ending.
pub struct Endings<'p> {
    pub json: Vec<&'p Path>,
    pub views: Vec<(&'static ReportView, &'p Path)>,
}

/// The JSON reports, written while the run goes on.
pub struct Reports {
    files: Vec<AtomicFile>,
    written: u64,
    entries: u64,
}

impl Reports {
    /// Sorts report files by their ending.
    pub fn check(paths: &[PathBuf]) -> Result<Endings<'_>> {
        let mut endings = Endings {
            json: Vec::new(),
            views: Vec::new(),
        };
        for path in paths {
            let ending = path
                .extension()
                .and_then(|extension| extension.to_str())
                .unwrap_or_default();
            match REPORT_VIEWS.iter().find(|view| view.ending == ending) {
                Some(view) => endings.views.push((view, path)),
                None if ending == "json" => endings.json.push(path),
                None => {
                    let known: Vec<String> = REPORT_VIEWS
                        .iter()
                        .map(|view| format!(".{}", view.ending))
                        .collect();
                    bail!(
                        "--report {}: its ending must be .json, {}",
                        path.display(),
                        known.join(" or ")
                    );
                }
            }
        }
        Ok(endings)
    }

    pub fn open(tree: &OutputTree, extra: Vec<&Path>) -> Result<Self> {
        let extra: Result<Vec<AtomicFile>, _> = extra.into_iter().map(AtomicFile::create).collect();
        let files = tree.create_report()?.into_iter().chain(extra?).collect();
        let mut reports = Self {
            files,
            written: 0,
            entries: 0,
        };
        reports.write(json::report_opening().as_bytes())?;
        Ok(reports)
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        self.written += text.len() as u64;
        for file in &mut self.files {
            file.write_all(text).context("can't write the report")?;
        }
        Ok(())
    }

    /// Adds an entry as JSON.
    fn add(&mut self, entry: &[u8]) -> Result<()> {
        self.write(json::entry_separator(self.entries == 0))?;
        self.entries += 1;
        self.write(entry)
    }

    /// Where the report stands, to go back to.
    fn mark(&self) -> (u64, u64) {
        (self.written, self.entries)
    }

    /// Takes back what was added since a mark.
    fn rewind(&mut self, (written, entries): (u64, u64)) -> Result<()> {
        for file in &mut self.files {
            file.truncate(written).context("can't write the report")?;
        }
        (self.written, self.entries) = (written, entries);
        Ok(())
    }

    fn publish(mut self, digest: &RunDigest) -> Result<()> {
        self.write(json::report_closing(&digest.totals).as_bytes())?;
        Ok(self.files.into_iter().try_for_each(AtomicFile::publish)?)
    }
}

/// One file that is being written.
struct Open {
    file: Arc<InputFile>,
    sink: OutputSink,
    originals: Option<AtomicFile>,
    digest: RunDigest,
    mark: (u64, u64),
}

/// The one that takes units.
pub struct Receiver<'t> {
    tree: &'t OutputTree,
    stop: &'t StopFlag,
    reports: Reports,
    talk: Talk,
    open: Option<Open>,
    /// A file of which nothing more is taken.
    abandoned: Option<usize>,
    digest: RunDigest,
    archived: bool,
}

/// What is left when all is written.
pub struct Finished {
    pub digest: RunDigest,
    pub archived: bool,
}

impl<'t> Receiver<'t> {
    pub fn new(tree: &'t OutputTree, reports: Reports, talk: Talk, stop: &'t StopFlag) -> Self {
        Self {
            tree,
            stop,
            reports,
            talk,
            open: None,
            abandoned: None,
            digest: RunDigest::default(),
            archived: false,
        }
    }

    /// Ends the reports.
    pub fn finish(self) -> Result<Finished> {
        self.talk.finish();
        self.reports.publish(&self.digest)?;
        Ok(Finished {
            digest: self.digest,
            archived: self.archived,
        })
    }

    /// The run has ended early: a file that is not whole does not appear. What went to stdout is there.
    pub fn stopped(&mut self, cause: StopCause<'_>) -> Result<()> {
        match self.open.take() {
            Some(open) if !self.tree.is_stdout() => self.abandon(
                open.file.index,
                &open.file.name,
                Some(open.mark),
                &why(cause),
            ),
            open => {
                self.open = open;
                Ok(())
            }
        }
    }

    fn add(&mut self, open: &mut Open, judged: &Judged) -> Result<()> {
        let entry = &judged.entry;
        let place = place(&entry.file, entry.line, entry.column);
        if let Some(error) = &entry.error {
            self.talk.error(&format!("{place}: {error}"));
        }
        entry
            .warnings
            .iter()
            .for_each(|warning| self.talk.warn(&place, warning));
        open.digest.add_report(entry, judged.over_limit);
        self.reports.add(&judged.json)
    }

    fn write(&mut self, open: &mut Open, unit: &InputUnit, done: &Done) -> Result<()> {
        if self.tree.is_stdout() && done.archived {
            self.tree.sync_archives()?;
        }
        let base = open.sink.bytes_written();
        done.bytes
            .write_to(&unit.bytes, &mut open.sink)
            .context(if self.tree.is_stdout() {
                "can't write to stdout"
            } else {
                "can't write the output"
            })?;
        for original in &done.originals {
            let originals = match &mut open.originals {
                Some(originals) => originals,
                empty => {
                    let output = open.file.output.clone();
                    let mut created = self.tree.create_originals(&output)?;
                    let header = OriginalsHeader::new(&output, &open.file.relative_path);
                    writeln!(created, "{}", serde_json::to_string(&header)?)?;
                    empty.insert(created)
                }
            };
            original.write_original(base, &unit.bytes, originals)?;
        }
        Ok(())
    }

    /// A file that can't be finished does not appear; what the report said of it since `mark` is taken back.
    fn abandon(
        &mut self,
        index: usize,
        name: &str,
        mark: Option<(u64, u64)>,
        error: &anyhow::Error,
    ) -> Result<()> {
        if let Some(mark) = mark {
            self.reports.rewind(mark)?;
        }
        self.abandoned = Some(index);
        let error = format!("{error:#}; it is not written");
        self.talk.error(&format!("{name}: {error}"));
        let entry = TranscriptReport::unreadable(name, 0, None, "approx", error);
        self.digest.add_report(&entry, false);
        self.reports.add(&json::report_entry(&entry))
    }

    /// Opens the output of a unit's file, if it is not open.
    fn opened(&mut self, done: &Done) -> Result<Open> {
        match self.open.take() {
            Some(open) => Ok(open),
            None => {
                let sink = self
                    .tree
                    .create_output(&done.file.output, done.file.compression)?;
                Ok(Open {
                    file: Arc::clone(&done.file),
                    sink,
                    originals: None,
                    digest: RunDigest::default(),
                    mark: self.reports.mark(),
                })
            }
        }
    }

    /// Gives the finished file its name. What was removed is safe before the file without it appears.
    fn publish(&mut self, open: Open) -> Result<()> {
        self.tree.sync_archives()?;
        match open.originals {
            Some(mut originals) => {
                writeln!(
                    originals,
                    "{}",
                    serde_json::to_string(&OriginalsTrailer {
                        output_bytes: open.sink.bytes_written()
                    })?
                )?;
                originals.publish()?;
                open.sink.publish()?;
            }
            None => {
                open.sink.publish()?;
                self.tree.remove_originals(&open.file.output)?;
            }
        }
        self.digest.merge_part(open.digest);
        Ok(())
    }
}

impl Receive<Done> for Receiver<'_> {
    fn receive(&mut self, unit: &InputUnit, done: Done) -> Result<()> {
        self.talk.done(done.entries.len() as u64);
        if self.abandoned == Some(done.file.index) {
            return Ok(());
        }
        let mark = self
            .open
            .as_ref()
            .map_or_else(|| self.reports.mark(), |open| open.mark);
        // What failed because the run stops will not fail when it goes on.
        if let Some(cause) = self.stop.cause()
            && done
                .entries
                .iter()
                .any(|judged| judged.entry.error.is_some())
        {
            self.open = None;
            return self.abandon(done.file.index, &done.file.name, Some(mark), &why(cause));
        }
        let mut open = match self.opened(&done) {
            Ok(open) => open,
            Err(error) => return self.abandon(done.file.index, &done.file.name, None, &error),
        };
        if done.starts_with_bom {
            self.talk
                .warn(&done.file.name, "a byte order mark is dropped");
        }
        for judged in &done.entries {
            self.add(&mut open, judged)?;
        }
        self.archived |= done.archived;
        let written = self.write(&mut open, unit, &done).and_then(|()| {
            if done.last {
                return self.publish(open);
            }
            self.open = Some(open);
            Ok(())
        });
        match written {
            // Whoever reads stdout has enough, or nothing more can be said there.
            Err(error) if self.tree.is_stdout() => Err(error),
            Err(error) => self.abandon(done.file.index, &done.file.name, Some(mark), &error),
            Ok(()) => Ok(()),
        }
    }

    fn failed(&mut self, index: usize, name: &str, error: &anyhow::Error) -> Result<()> {
        let mark = self.open.take().map(|open| open.mark);
        if self.abandoned == Some(index) {
            return Ok(());
        }
        self.abandon(index, name, mark, error)
    }

    fn progress(&mut self, bytes: u64) {
        self.talk.read(bytes);
    }
}

fn why(cause: StopCause<'_>) -> anyhow::Error {
    match cause {
        StopCause::Signal(_) => anyhow!("the run was interrupted"),
        StopCause::Failed(why) => anyhow!(why.to_owned()),
    }
}

//! The output directory and the archive directory of a run, locked while the run writes.

use crate::base::error::describe_with_causes;
use crate::files::archive::{REPORT_FILE, REPORT_LINES_FILE};
use crate::files::input::{InputEntry, InputError};
use crate::files::output::destination_checks::{Destinations, ExistingFiles};
use crate::files::output::directories::{ensure_empty, resolve_path};
use crate::files::output::error::{OverwriteError, WriteError};
use crate::files::output::journal_seal::seal_export;
use crate::files::output::origins::Origins;
use crate::files::output::overwrite::{OverwriteGuard, refuse_link};
use crate::files::output::run_directory::{RunDirectory, RunOwner};
use crate::files::output::standing_outputs::StandingOutputs;
use crate::files::output::terms::WritingTerms;
use crate::files::output::{group::PendingGroup, permissions::AccessLimit, staged_file::RunRoot};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, OnceLock};

/// The name of stdout on the command line.
pub(crate) const STDOUT: &str = "-";
/// The archive directory if the output is stdout and the user has no directory.
pub(crate) const DEFAULT_ARCHIVE: &str = "epitome-archive";

/// The directories that a run writes into.
pub(crate) struct OutputTree {
    /// The output directory; none for stdout.
    output: Option<PathBuf>,
    archive: PathBuf,
    pub(super) guard: OverwriteGuard,
    terms: WritingTerms,
    /// Who may use the files that are made from all inputs.
    pub(super) access: AccessLimit,
    /// Who may use the output of each input.
    output_access: Vec<AccessLimit>,
    /// Which input each output is made of.
    pub(super) origins: Origins,
    /// The random name of the run.
    run: String,
    output_run: Option<RunDirectory>,
    /// The archive directory, where it is not the output directory. For stdout it is locked when
    /// the first file goes there.
    archive_run: OnceLock<Result<RunDirectory, Arc<WriteError>>>,
    /// True if the archive directory is the output directory.
    pub(super) shares_root: bool,
    /// True if the run writes the entries of its report as lines, too.
    pub(super) has_report_lines: bool,
    /// True if files of an earlier run are replaced.
    pub(super) replaces: bool,
    /// What a run that goes on with an earlier one found of it; none for other runs.
    pub(super) standing: Option<StandingOutputs>,
    pub(super) group: Mutex<Option<PendingGroup>>,
    /// The number of outputs that are published.
    pub(super) committed: AtomicUsize,
}

impl OutputTree {
    /// Locks the directories of a run that writes one file for each input, and checks that nothing
    /// that exists would be lost. Fails if another run writes there, an output exists and `terms`
    /// do not allow to replace it, an input would be overwritten, or two outputs have the same
    /// path. Nothing is written then.
    pub(crate) fn new(
        output: &Path,
        archive: Option<&Path>,
        inputs: &[InputEntry],
        reports: &[PathBuf],
        terms: &WritingTerms,
    ) -> Result<Self, WriteError> {
        let to_stdout = output.as_os_str() == STDOUT;
        if to_stdout && inputs.len() != 1 {
            return Err(OverwriteError::StdoutForInputs { inputs: inputs.len() }.into());
        }
        let output = (!to_stdout).then_some(output);
        let access = AccessLimit::of_inputs(inputs);
        let readable = inputs.iter().filter(|input| !input.is_unreadable());
        let outputs = readable.map(|input| input.output.clone());
        let mut outputs: Vec<PathBuf> = outputs.collect();
        let mut tree = Self::unlocked(output, archive, inputs, access, terms)?;
        let lines = PathBuf::from(REPORT_LINES_FILE);
        tree.has_report_lines = !outputs.contains(&lines) && !tree.is_named_report(&lines, reports);
        if tree.has_report_lines {
            outputs.push(lines);
        }
        outputs.push(PathBuf::from(REPORT_FILE));
        tree.lock(&outputs, reports)?.check(&outputs, reports)
    }

    /// Records no origins: what is written depends on the contents of the inputs only, wherever they
    /// are.
    pub(crate) fn without_origins(mut self) -> Self {
        self.origins = Origins::default();
        self
    }

    /// Locks the directory of a run that writes the result files `results`, relative to `output`.
    /// Checks the same as [`OutputTree::new`]. Fails as [`OutputTree::new`] does, and if `output`
    /// is stdout.
    pub(crate) fn for_results(
        output: &Path,
        results: impl IntoIterator<Item = PathBuf>,
        inputs: &[InputEntry],
        terms: &WritingTerms,
    ) -> Result<Self, WriteError> {
        if output.as_os_str() == STDOUT {
            return Err(OverwriteError::StdoutForResults.into());
        }
        let access = AccessLimit::of_inputs(inputs);
        let results: Vec<PathBuf> = results.into_iter().collect();
        let tree = Self::unlocked(Some(output), None, inputs, access, terms)?;
        tree.lock(&results, &[])?.check(&results, &[])
    }

    /// Locks a directory that must be new or empty, for files made from `inputs`. Fails if another
    /// run writes there, or the directory is not empty or is stdout.
    pub(crate) fn for_new_directory(
        directory: &Path,
        inputs: &[InputEntry],
        terms: &WritingTerms,
    ) -> Result<Self, WriteError> {
        if directory.as_os_str() == STDOUT {
            return Err(OverwriteError::StdoutForResults.into());
        }
        let access = AccessLimit::of_inputs(inputs);
        let tree = Self::unlocked(Some(directory), None, inputs, access, terms)?.lock(&[], &[])?;
        ensure_empty(directory)?;
        Ok(tree)
    }

    /// Locks a directory whose files may be replaced. Fails if another run writes there.
    pub(crate) fn for_existing_directory(
        directory: &Path,
        access: AccessLimit,
        terms: &WritingTerms,
    ) -> Result<Self, WriteError> {
        let terms = WritingTerms { force: true, ..terms.clone() };
        Self::unlocked(Some(directory), None, &[], access, &terms)?.lock(&[], &[])
    }

    /// Returns true if one of the reports that the user named is a file of the output directory.
    fn is_named_report(&self, relative: &Path, reports: &[PathBuf]) -> bool {
        let Some(output) = &self.output else {
            return false;
        };
        let path = resolve_path(&output.join(relative));
        reports.iter().any(|report| resolve_path(report) == path)
    }

    fn unlocked(
        output: Option<&Path>,
        archive: Option<&Path>,
        inputs: &[InputEntry],
        access: AccessLimit,
        terms: &WritingTerms,
    ) -> Result<Self, WriteError> {
        let access = access.and(terms.access);
        let archive = archive.or(output).unwrap_or_else(|| Path::new(DEFAULT_ARCHIVE));
        // Equal names need no resolution, which can fail.
        let shares_root = output.is_some_and(|output| {
            output == archive || resolve_path(output) == resolve_path(archive)
        });
        let origins = match output {
            Some(output) => Origins::of_inputs(inputs, output, archive),
            None => Origins::default(),
        };
        Ok(Self {
            output: output.map(Path::to_path_buf),
            archive: archive.to_path_buf(),
            guard: OverwriteGuard::new(inputs, terms.force),
            terms: terms.clone(),
            access,
            output_access: inputs
                .iter()
                .map(|input| AccessLimit::of_input(input).and(terms.access))
                .collect(),
            origins,
            run: format!("{:016x}", fastrand::u64(..)),
            output_run: None,
            archive_run: OnceLock::new(),
            shares_root,
            has_report_lines: false,
            replaces: false,
            standing: None,
            group: Mutex::new(None),
            committed: AtomicUsize::new(0),
        })
    }

    /// Locks the directories, which must not be links.
    fn lock(mut self, outputs: &[PathBuf], reports: &[PathBuf]) -> Result<Self, WriteError> {
        for directory in self.output.iter().chain([&self.archive]) {
            if let Err(refusal) = refuse_link(directory) {
                // A refusal of one of the files says more.
                self.destinations().check(outputs, reports)?;
                return Err(refusal.into());
            }
        }
        if let Some(output) = self.output.clone() {
            self.lock_roots(&output)?;
        }
        Ok(self)
    }

    /// Locks the output directory and the archive directory. All runs lock in the same order, so
    /// that no two wait for each other.
    fn lock_roots(&mut self, output: &Path) -> Result<(), WriteError> {
        let lock = |root: &Path| RunDirectory::acquire(root, self.owner());
        if self.shares_root {
            self.output_run = Some(lock(output)?);
            return Ok(());
        }
        let (mut output_run, mut archive_run);
        if resolve_path(output) < resolve_path(&self.archive) {
            output_run = lock(output)?;
            archive_run = lock(&self.archive)?;
        } else {
            archive_run = lock(&self.archive)?;
            output_run = lock(output)?;
        }
        archive_run.follow(&mut output_run);
        self.output_run = Some(output_run);
        self.archive_run = OnceLock::from(Ok(archive_run));
        Ok(())
    }

    fn owner(&self) -> RunOwner<'_> {
        RunOwner { terms: &self.terms, run: &self.run, access: self.access }
    }

    fn check(mut self, outputs: &[PathBuf], reports: &[PathBuf]) -> Result<Self, WriteError> {
        let existing = self.destinations().check(outputs, reports)?;
        if self.terms.resumes {
            let standing = StandingOutputs::read(&self.archive)?;
            for output in outputs {
                self.refuse_other_origin(&standing, output)?;
            }
            if self.shares_root && standing.holds_none_of(outputs)? {
                return Err(OverwriteError::OtherOrigin(self.archive.clone()).into());
            }
            self.standing = Some(standing);
        } else {
            self.replaces = existing == ExistingFiles::Some;
        }
        Ok(self)
    }

    fn destinations(&self) -> Destinations<'_> {
        Destinations { output: self.output.as_deref(), archive: &self.archive, guard: &self.guard }
    }

    /// Returns true if the run replaces files of an earlier run: all at once, at its end.
    pub(crate) fn replaces_earlier_run(&self) -> bool {
        self.replaces && !self.is_stdout()
    }

    /// Fails if the system can't read an input, and its part of an earlier result would be lost:
    /// all inputs make one result. Fails if the run replaces files, and the error is no fault of
    /// the input.
    pub(crate) fn refuse_loss(&self, name: &str, error: &InputError) -> Result<(), WriteError> {
        if self.replaces_earlier_run() && error.is_fault() {
            return Err(WriteError::UnreadInput {
                name: name.to_owned(),
                problem: describe_with_causes(error),
            });
        }
        Ok(())
    }

    /// Returns the seal that proves later that a run of this user wrote a text; none where that can't
    /// be proved.
    pub(crate) fn seal_export(&self, text: &str) -> Option<String> {
        seal_export(&self.terms.key_directories, text)
    }

    /// Returns true if files may be in the place of those that the run writes.
    pub(super) fn meets_earlier_files(&self) -> bool {
        self.replaces || self.standing.is_some()
    }

    /// Returns the number of outputs of an earlier run that were whole and the same.
    pub(crate) fn kept_outputs(&self) -> usize {
        let standing = self.standing.as_ref();
        standing.map_or(0, StandingOutputs::kept)
    }

    pub(crate) fn archive_directory(&self) -> &Path {
        &self.archive
    }

    /// Returns the limit of the files that are made from all inputs.
    pub(crate) fn access(&self) -> AccessLimit {
        self.access
    }

    /// Returns the limit of the output of the input with this index.
    pub(crate) fn output_access(&self, index: usize) -> AccessLimit {
        self.output_access.get(index).copied().unwrap_or(self.access)
    }

    pub(crate) fn is_stdout(&self) -> bool {
        self.output.is_none()
    }

    /// Returns the directory that a kind of files goes into.
    pub(super) fn root_of(&self, root: RunRoot) -> &Path {
        match root {
            RunRoot::Output => self.output.as_deref().unwrap_or(&self.archive),
            RunRoot::Archive => &self.archive,
        }
    }

    /// Returns the run directory of the output directory; none for stdout.
    pub(super) fn output_run(&self) -> Option<&RunDirectory> {
        self.output_run.as_ref()
    }

    /// Returns the run directory of the archive directory, if it is locked.
    pub(super) fn opened_archive_run(&self) -> Option<&RunDirectory> {
        if self.shares_root {
            return self.output_run();
        }
        self.archive_run.get()?.as_ref().ok()
    }

    /// Returns a run directory. That of stdout's archive is locked now.
    pub(super) fn run_of(&self, root: RunRoot) -> Result<&RunDirectory, WriteError> {
        if let Some(run) = &self.output_run
            && (root == RunRoot::Output || self.shares_root)
        {
            return Ok(run);
        }
        let opened = self.archive_run.get_or_init(|| {
            refuse_link(&self.archive).map_err(WriteError::from)?;
            let run = RunDirectory::acquire(&self.archive, self.owner())?;
            // Another run may have written there since the first check.
            self.destinations().check_archives(&[])?;
            Ok(run)
        });
        opened.as_ref().map_err(|error| WriteError::ArchiveUnavailable(Arc::clone(error)))
    }
}

//! The only writer. A file appears under its name when it is whole: written to
//! a temporary file beside it, synced, renamed. Archives go first.

mod file;
mod overwrite;
mod spool;

use crate::archive::{ARCHIVE_DIRS, REPORT_FILE, originals_path};
use crate::input::{Compression, InputEntry};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use file::sync_directory;
pub use file::{AtomicFile, OutputSink};
pub use overwrite::OverwriteGuard;
pub use spool::OutputSpool;

/// How stdout is named on the command line.
pub const STDOUT: &str = "-";
/// Where archives go when the output is stdout.
pub const DEFAULT_ARCHIVE: &str = "epitome-archive";
/// How many archive files wait to be synced at most.
const MOST_UNSYNCED: usize = 512;

/// Prints a line of talk. Where stderr is closed there is nobody to tell.
pub fn print_message(text: &str) {
    // Names and keys come from the log: nothing in them may be obeyed by a terminal.
    let harmless: String = text
        .chars()
        .map(|c| {
            if c.is_control() && c != '\n' {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect();
    let _ = writeln!(io::stderr().lock(), "{harmless}");
}

/// Where everything goes.
pub struct OutputTree {
    /// The output directory; none for stdout.
    output: Option<PathBuf>,
    archive: PathBuf,
    guard: OverwriteGuard,
    unsynced: Mutex<UnsyncedArchives>,
}

/// Archive files that are written, but may not be on the disk yet. Many at once cost the disk little more than one.
#[derive(Default)]
struct UnsyncedArchives {
    paths: Vec<PathBuf>,
    /// What could not be synced; nothing that relies on the archives may be published any more.
    failed: Option<String>,
}

impl UnsyncedArchives {
    fn sync(&mut self) {
        let mut directories = BTreeSet::new();
        for path in self.paths.drain(..) {
            match File::open(&path).and_then(|file| file.sync_data()) {
                Ok(()) => drop(
                    path.parent()
                        .map(|parent| directories.insert(parent.to_path_buf())),
                ),
                // It was taken back.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    self.failed = Some(format!(
                        "can't sync the archive {}: {error}",
                        path.display()
                    ))
                }
            }
        }
        directories
            .iter()
            .for_each(|directory| sync_directory(directory));
    }
}

impl OutputTree {
    /// Checks that nothing that exists would be lost, before anything is written.
    ///
    /// # Errors
    /// If an output exists and `force` is not given, or an input would be written over.
    pub fn new(
        output: &Path,
        archive: Option<&Path>,
        inputs: &[InputEntry],
        reports: &[PathBuf],
        force: bool,
    ) -> Result<Self> {
        let to_stdout = output.as_os_str() == STDOUT;
        if to_stdout && inputs.len() != 1 {
            bail!(
                "-o - writes one input to stdout, but there are {}; name a directory",
                inputs.len()
            );
        }
        let written = inputs
            .iter()
            .map(|input| input.output.clone())
            .chain([PathBuf::from(REPORT_FILE)]);
        Self::checked(
            (!to_stdout).then_some(output),
            archive,
            written,
            inputs,
            reports,
            force,
        )
    }

    /// As [`OutputTree::new`], for results that are not one file an input: `written` are their paths below `output`.
    ///
    /// # Errors
    /// As [`OutputTree::new`].
    pub fn for_results(
        output: &Path,
        written: impl IntoIterator<Item = PathBuf>,
        inputs: &[InputEntry],
        force: bool,
    ) -> Result<Self> {
        if output.as_os_str() == STDOUT {
            bail!("-o -: several files are written; name a directory");
        }
        Self::checked(Some(output), None, written, inputs, &[], force)
    }

    fn checked(
        output: Option<&Path>,
        archive: Option<&Path>,
        written: impl IntoIterator<Item = PathBuf>,
        inputs: &[InputEntry],
        reports: &[PathBuf],
        force: bool,
    ) -> Result<Self> {
        let output = output.map(Path::to_path_buf);
        let archive = match (archive, &output) {
            (Some(archive), _) => archive.to_path_buf(),
            (None, Some(output)) => output.clone(),
            (None, None) => PathBuf::from(DEFAULT_ARCHIVE),
        };
        let tree = Self {
            output,
            archive,
            guard: OverwriteGuard::new(inputs, force),
            unsynced: Mutex::default(),
        };
        let written: Vec<PathBuf> = written.into_iter().collect();
        let outputs = tree
            .output
            .iter()
            .flat_map(|output| written.iter().map(|path| output.join(path)));
        let mut seen = BTreeSet::new();
        for path in outputs.chain(reports.iter().cloned()) {
            tree.guard.check_path(&path)?;
            let real = real_path(&path);
            if ARCHIVE_DIRS
                .iter()
                .any(|name| real.starts_with(real_path(&tree.archive.join(name))))
            {
                bail!(
                    "{} would be written among the archives; rename that input, or choose another --archive directory",
                    path.display()
                );
            }
            if real == real_path(&tree.archive) {
                bail!(
                    "--archive {}: an output is to be written there",
                    tree.archive.display()
                );
            }
            if !seen.insert(real) {
                bail!("{} would be written twice", path.display());
            }
        }
        for directory in ARCHIVE_DIRS.map(|name| tree.archive.join(name)) {
            tree.check_directory(&directory)?;
        }
        Ok(tree)
    }

    /// Archives of an earlier run may be all that is left of what it removed.
    fn check_directory(&self, path: &Path) -> Result<()> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => bail!(
                "{} is a link; archives are written into real directories only",
                path.display()
            ),
            Ok(metadata) if !metadata.is_dir() && !self.guard.force => bail!(
                "{} is no directory; archives are to be written there",
                path.display()
            ),
            Ok(_)
                if !self.guard.force
                    && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) =>
            {
                bail!(
                    "{} holds an earlier archive; choose another directory (--force replaces files of the same name, and what they hold is gone)",
                    path.display()
                )
            }
            _ => Ok(()),
        }
    }

    /// The directory of archives.
    #[must_use]
    pub fn archive_directory(&self) -> &Path {
        &self.archive
    }

    /// Whether the output is stdout.
    #[must_use]
    pub fn is_stdout(&self) -> bool {
        self.output.is_none()
    }

    /// Writes one archive file, whole, below the archive directory. It is safe after [`OutputTree::sync_archives`].
    ///
    /// # Errors
    /// If it exists or can't be written; nothing of it is left then.
    pub fn write_archive_file(&self, relative: &Path, text: &[u8]) -> Result<()> {
        let path = self.archive.join(relative);
        let write = || -> Result<()> {
            make_directories(&self.archive, relative)?;
            if self.guard.force {
                self.guard.refuse_input(&path)?;
                remove_if_there(&path)?;
            }
            // Created, never opened: a link or a name that differs only in case can't lead elsewhere.
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&path)?;
            if let Err(error) = file.write_all(text) {
                drop(file);
                fs::remove_file(&path)?;
                return Err(error.into());
            }
            Ok(())
        };
        write().with_context(|| format!("can't write the archive {}", path.display()))?;
        let mut unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
        unsynced.paths.push(path);
        if unsynced.paths.len() >= MOST_UNSYNCED {
            unsynced.sync();
        }
        Ok(())
    }

    /// Waits until all archive files are on the disk: before what relies on them is published.
    ///
    /// # Errors
    /// If one of them can't be synced.
    pub fn sync_archives(&self) -> Result<()> {
        let mut unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
        unsynced.sync();
        unsynced
            .failed
            .as_ref()
            .map_or(Ok(()), |why| bail!("{why}"))
    }

    /// Takes away the originals of an earlier run over the same output, which now holds all there was.
    ///
    /// # Errors
    /// If they can't be removed.
    pub fn remove_originals(&self, relative: &Path) -> Result<()> {
        self.remove(&self.archive.join(originals_path(relative)))
            .context("can't remove the originals of an earlier run")
    }

    /// Takes an archive file back, because its transcript stays as it was.
    pub fn remove_archive_file(&self, relative: &Path) {
        // What can't be removed does no harm: it says what the output still holds.
        let _ = fs::remove_file(self.archive.join(relative));
    }

    /// Opens the output for one input.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn create_output(&self, relative: &Path, compression: Compression) -> Result<OutputSink> {
        let Some(output) = &self.output else {
            return Ok(OutputSink::stdout());
        };
        make_directories(output, relative)?;
        OutputSink::file(AtomicFile::create(&output.join(relative))?, compression)
    }

    /// Opens a file below the archive directory that is filled while the run goes on.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn create_originals(&self, relative: &Path) -> Result<AtomicFile> {
        let name = originals_path(relative);
        make_directories(&self.archive, &name)?;
        let path = self.archive.join(name);
        self.guard.refuse_input(&path)?;
        AtomicFile::create(&path)
    }

    /// Opens a result that is none of the inputs.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn create_result(&self, relative: &str) -> Result<AtomicFile> {
        AtomicFile::create(
            &self
                .output
                .as_deref()
                .unwrap_or(&self.archive)
                .join(relative),
        )
    }

    /// What waits until it may go into a result.
    #[must_use]
    pub fn new_spool(&self) -> OutputSpool {
        OutputSpool::new(self.output.as_deref().unwrap_or(&self.archive))
    }

    /// Takes away a result of an earlier run that a run in its place does not have.
    ///
    /// # Errors
    /// If it can't be removed.
    pub fn remove_result(&self, relative: &str) -> Result<()> {
        if !self.guard.force {
            return Ok(());
        }
        self.remove(
            &self
                .output
                .as_deref()
                .unwrap_or(&self.archive)
                .join(relative),
        )
        .with_context(|| format!("can't remove {relative} of an earlier run"))
    }

    /// Removes what an earlier run left, unless this one reads it.
    fn remove(&self, path: &Path) -> io::Result<()> {
        if self.guard.is_input(path) {
            Ok(())
        } else {
            remove_if_there(path)
        }
    }

    /// Opens `report.json` in the output directory; for stdout a report that goes nowhere but into copies.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn create_report(&self) -> Result<Option<AtomicFile>> {
        self.output
            .as_ref()
            .map(|output| AtomicFile::create(&output.join(REPORT_FILE)))
            .transpose()
    }
}

/// Makes a directory for files of a kind; there must be nothing in it yet.
///
/// # Errors
/// If there is, or it can't be made.
pub fn new_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path)
        .with_context(|| format!("can't create the directory {}", path.display()))?;
    let mut entries = fs::read_dir(path)
        .with_context(|| format!("can't read the directory {}", path.display()))?;
    if entries.next().is_some() {
        bail!(
            "the directory {} is not empty; choose another",
            path.display()
        );
    }
    Ok(())
}

/// Makes the directories that a file below `root` lies in: real ones, no link leads out of them.
fn make_directories(root: &Path, relative: &Path) -> Result<()> {
    let mut directory = root.to_path_buf();
    fs::create_dir_all(&directory)
        .with_context(|| format!("can't create the directory {}", directory.display()))?;
    for part in relative.parent().into_iter().flat_map(Path::components) {
        directory.push(part);
        match fs::symlink_metadata(&directory) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => bail!("{} is no real directory", directory.display()),
            Err(_) => match fs::create_dir(&directory) {
                // Another thread may have been faster.
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(error).with_context(|| {
                        format!("can't create the directory {}", directory.display())
                    });
                }
                _ => {}
            },
        }
    }
    Ok(())
}

/// Where a path really leads, also if the file itself is not there yet.
fn real_path(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut real = PathBuf::new();
    for part in absolute.components() {
        match part {
            std::path::Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
        real = real.canonicalize().unwrap_or(real);
    }
    real
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error)
            if !matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}

//! Reasons why an output can't be written.
//!
//! `Display` gives the outermost message only; the causes follow through `source`.

use crate::files::archive::{manifest::ManifestError, path_below::EscapingPath};
use std::error::Error as StdError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// A failure to write an output, an archive or a report.
#[derive(Debug, Error)]
pub(crate) enum WriteError {
    /// Writing would lose something that exists, or is not possible with these arguments.
    #[error(transparent)]
    Refused(#[from] OverwriteError),
    /// A file can't be read, written or removed.
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("can't create the directory {}{}", path.display(), file_hint(path))]
    CreateDirectory { path: PathBuf, source: io::Error },
    /// The system refuses something at a path.
    #[error("can't {act} {}", path.display())]
    System { act: &'static str, path: PathBuf, source: io::Error },
    /// A file can't be written, synced or renamed to its name.
    #[error("can't write {}", path.display())]
    Publish { path: PathBuf, source: Box<dyn StdError + Send + Sync> },
    #[error("can't end the compressed file")]
    FinishCompression(#[source] io::Error),
    /// Buffered bytes can't be written to stdout.
    #[error("can't write to stdout")]
    Stdout(#[source] io::Error),
    /// The bytes of a file can't be written to its output.
    #[error("can't write the output")]
    Output(#[source] io::Error),
    /// Requests can't be written into an export directory.
    #[error("can't write to {}", directory.display())]
    Requests { directory: PathBuf, source: Box<WriteError> },
    /// An archive file can't be written.
    #[error("can't write the archive {}", path.display())]
    WriteArchive { path: PathBuf, source: Box<WriteError> },
    /// The system can't read an input, and a result of an earlier run, which may have held it, would
    /// be replaced.
    #[error("{name}: {problem}; what an earlier run made is not replaced without it")]
    UnreadInput { name: String, problem: String },
    /// The archive directory could not be locked when the first file went there.
    #[error(transparent)]
    ArchiveUnavailable(Arc<WriteError>),
    #[error("can't lock {}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    /// The journal of a run can't be written or read.
    #[error("can't use the journal {}", path.display())]
    Journal { path: PathBuf, source: io::Error },
    #[error("can't read the manifest {}", path.display())]
    Manifest { path: PathBuf, source: ManifestError },
    /// The files of a dead run can't be published.
    #[error(
        "{} ended while it published its files; that must be completed first", .holder
    )]
    Unfinished { holder: String, source: Box<WriteError> },
    #[error("can't remove {name} of an earlier run")]
    RemoveResult { name: String, source: io::Error },
}

impl From<EscapingPath> for WriteError {
    fn from(error: EscapingPath) -> Self {
        OverwriteError::from(error).into()
    }
}

impl WriteError {
    /// Returns the error of a file that can't be written.
    pub(crate) fn of_file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        |error| Self::Publish { path, source: error.into() }
    }

    /// Returns the error for an act that the system refuses at a path, as in "can't read the directory".
    pub(super) fn cannot(act: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::System { act, path: path.clone(), source }
    }

    /// Returns true if only this path can't be written, as something is in the way. All other
    /// errors are faults of the directory, the disk or the system, which the next file will meet.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::Refused(refusal) => !matches!(refusal, OverwriteError::Locked { .. }),
            Self::WriteArchive { source, .. } => source.is_refusal(),
            Self::ArchiveUnavailable(source) => source.is_refusal(),
            _ => false,
        }
    }

    /// Returns true if an output was there already.
    pub(crate) fn is_of_existing(&self) -> bool {
        matches!(self, Self::Refused(OverwriteError::Exists(_) | OverwriteError::NotEmpty(_)))
    }

    /// Names the file in an error that names none.
    pub(crate) fn naming(self, path: &Path) -> Self {
        match self {
            Self::Io(error) => Self::of_file(path)(error),
            named => named,
        }
    }
}

/// A refusal to write at a path.
#[derive(Debug, Error)]
pub(crate) enum OverwriteError {
    /// Several inputs can't be written to stdout.
    #[error("-o - writes one input to stdout, but there are {inputs}; name a directory")]
    StdoutForInputs { inputs: usize },
    #[error("-o -: several files are written; name a directory")]
    StdoutForResults,
    #[error("{} is a directory", .0.display())]
    IsDirectory(PathBuf),
    /// The path exists, and `--force` is not given.
    #[error("{} exists; --force replaces it, or choose another output", .0.display())]
    Exists(PathBuf),
    /// A directory that a run writes into is a link.
    #[error("{} is a link; name the directory that it leads to", .0.display())]
    DirectoryIsLink(PathBuf),
    /// The path of an output is a link, and `--force` is given.
    #[error("{} is a link, and only files are replaced; remove it, or choose another output", .0.display())]
    OutputIsLink(PathBuf),
    /// The path leads to an input.
    #[error("{} is an input; the input is never written over", .0.display())]
    IsInput(PathBuf),
    /// The path leads to a device, a pipe or a socket.
    #[error("{} is not a regular file, so it can't be replaced; choose another path", .0.display())]
    NotRegular(PathBuf),
    /// An output would be written into an archive directory.
    #[error(
        "{} would be written among the archives; \
         rename that input, or choose another --archive directory",
        .0.display()
    )]
    AmongArchives(PathBuf),
    /// The archive directory is the path of an output.
    #[error("--archive {}: an output is to be written there", .0.display())]
    ArchiveIsOutput(PathBuf),
    /// Two outputs have the same path.
    #[error("{} would be written twice", .0.display())]
    WrittenTwice(PathBuf),
    #[error("{} is a link; archives are written into real directories only", .0.display())]
    ArchiveIsLink(PathBuf),
    #[error("{} is not a directory; archives are written there", .0.display())]
    ArchiveIsFile(PathBuf),
    /// A directory for archives is not empty, and `--force` is not given.
    #[error(
        "{} holds an earlier archive; choose another directory \
         (--force replaces files of the same name, and what they hold is gone)",
        .0.display()
    )]
    EarlierArchive(PathBuf),
    /// A directory on the way to an output is a link or a file.
    #[error("{} is not a real directory", .0.display())]
    NotRealDirectory(PathBuf),
    /// Another run writes into the directory.
    #[error("{holder} writes into {}; wait until it ends (--lock wait does)", directory.display())]
    Locked { directory: PathBuf, holder: String },
    /// What stands was made of another input, or by a run into another directory.
    #[error(
        "{} belongs to what another run made of another input; --force replaces it, or choose another \
         output or --archive directory",
        .0.display()
    )]
    OtherOrigin(PathBuf),
    /// A path leads out of the directory that it should lie in.
    #[error(transparent)]
    Escaping(#[from] EscapingPath),
    /// A journal is not proved to be one that this user's runs wrote in this place.
    #[error(
        "{} is not known as a run of yours in this directory, and is not carried out; if the directory was moved since the run was killed, move it back and run again; else look \
         at it, and remove it to continue",
        .0.display()
    )]
    ForeignJournal(PathBuf),
    #[error("the directory {} is not empty; choose another", .0.display())]
    NotEmpty(PathBuf),
}

/// Returns the remedy where a file has the place of a directory.
fn file_hint(path: &Path) -> &'static str {
    if path.exists() && !path.is_dir() { " (it is not a directory; name one)" } else { "" }
}

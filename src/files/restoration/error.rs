//! Reasons why inputs can't be restored.

use crate::base::error::describe_with_causes;
use crate::files::archive::manifest::ManifestError;
use crate::files::archive::restore_error::RestoreError;
use crate::files::input::InputError;
use crate::files::output::WriteError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// The reason why nothing can be restored.
#[derive(Debug, Error)]
pub(crate) enum RestorationError {
    /// The path of the compaction is no directory.
    #[error(
        "{} is not a directory; name the output directory of an earlier `epitome compact`",
        .0.display()
    )]
    NoDirectory(PathBuf),
    /// The directory of the compaction has no file that a compaction writes.
    #[error("{} holds no output of an earlier `epitome compact`", .0.display())]
    NoOutput(PathBuf),
    /// The archive says nothing about outputs.
    #[error(
        "there is no manifest and there are no originals in {}: nothing shows what the files in {} \
         had lost (--archive names another archive directory)",
        archive.display(), directory.display()
    )]
    NothingRecorded {
        /// The archive directory.
        archive: PathBuf,
        /// The output directory.
        directory: PathBuf,
    },
    /// The archive or its manifest can't be read.
    #[error(transparent)]
    Read(#[from] InputError),
    /// The manifest can't be used.
    #[error("can't read the manifest {}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        source: ManifestError,
    },
    /// The restored files may not be written, or a dead run can't be cleared up after.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The restored files can't be published.
    #[error(transparent)]
    BrokeOff(WriteError),
}

/// The reason why a file can't be restored. `Display` gives the outermost message only; the causes
/// follow through `source`.
#[derive(Debug, Error)]
pub(crate) enum FileRestorationError {
    /// The output of the compaction, or its originals, can't be opened.
    #[error(transparent)]
    Read(#[from] InputError),
    /// The output of the compaction can't be copied.
    #[error(transparent)]
    Copy(#[from] io::Error),
    /// The originals can't be read, or don't fit the output.
    #[error("{}", originals.display())]
    Originals {
        /// The file of originals.
        originals: PathBuf,
        /// The cause.
        source: RestoreError,
    },
    /// The originals name another output as theirs.
    #[error("{}: these originals belong to {output}", originals.display())]
    ForeignOriginals {
        /// The file of originals.
        originals: PathBuf,
        /// The path of the other output.
        output: String,
    },
    /// The manifest says that there are originals, and there are none.
    #[error("its originals are missing: {}", .0.display())]
    MissingOriginals(PathBuf),
    /// The originals are whole, but not those of the output that the manifest names.
    #[error("{}: the manifest names other originals", .0.display())]
    UnknownOriginals(PathBuf),
    /// An output that had lost nothing is not the one that was written.
    #[error(
        "the compacted file was changed: its bytes 1 to {actual} are not the {expected} bytes that \
         were written"
    )]
    ChangedOutput {
        /// The length of the output in bytes.
        actual: u64,
        /// The length when it was written.
        expected: u64,
    },
    /// The restored file can't be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A file that could not be restored.
#[derive(Debug, Error)]
pub(crate) enum UnrestoredFile {
    /// It is not written.
    #[error("{name}: {}; it is not written", describe_with_causes(.error))]
    Failed {
        /// The name of the compacted file.
        name: String,
        /// The reason.
        error: FileRestorationError,
    },
    /// There are originals for a compacted file that does not exist.
    #[error("{}: the file is missing, but the archive holds its originals", .0.display())]
    MissingOutput(PathBuf),
    /// The archive has originals with checksums, and no manifest: it is not known which other files
    /// there were.
    #[error(
        "{}: the manifest is missing; only files that had lost something can be restored",
        .0.display()
    )]
    NoManifest(PathBuf),
    /// There are originals for a file, and the manifest does not name it.
    #[error(
        "{}: the archive holds its originals, but the manifest does not name it: it was cut, and \
         other files may be missing",
        .0.display()
    )]
    Unnamed(PathBuf),
    /// The manifest names a compacted file that does not exist.
    #[error("{}: the file is missing, but the manifest names it", .0.display())]
    MissingRecorded(PathBuf),
}

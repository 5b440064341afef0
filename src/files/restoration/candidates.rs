//! The files that a restoration looks at: those that the manifest names, and what else is there;
//! and the reasons why inputs can't be restored.

use crate::files::archive::manifest::{
    ManifestError, RecordedOutput, RecordedOutputs, manifest_path,
};
use crate::files::archive::stretch_reader::RestoreError;
use crate::files::archive::{originals::OriginalsHeader, originals_path};
use crate::files::input::{
    InputEntry, InputError, collect_outputs, manifest_files, open_if_exists, output_entry,
    outputs_with_originals,
};
use crate::files::output::WriteError;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The proof that an output is the one that was written.
#[derive(Debug)]
pub(super) enum OutputProof {
    /// A line of the manifest.
    Recorded(RecordedOutput),
    /// Its originals. The manifest does not know it.
    Originals,
    /// None: a version without manifests wrote it, and it had lost nothing.
    None,
}

/// An output that can be restored.
#[derive(Debug)]
pub(super) struct RestorationCandidate {
    pub(super) entry: InputEntry,
    pub(super) proof: OutputProof,
}

impl RestorationCandidate {
    /// Returns true if there should be originals.
    pub(super) fn has_originals(&self) -> bool {
        match &self.proof {
            OutputProof::Recorded(recorded) => recorded.originals.is_some(),
            OutputProof::Originals => true,
            OutputProof::None => false,
        }
    }
}

/// The files of an output directory.
#[derive(Debug, Default)]
pub(super) struct RestorationCandidates {
    /// The outputs, in sorted order.
    pub(super) outputs: Vec<RestorationCandidate>,
    /// Outputs that do not exist, and signs that there were more.
    pub(super) missing: Vec<String>,
    /// Files that are no outputs.
    pub(super) foreign: Vec<PathBuf>,
}

impl RestorationCandidates {
    /// Looks through the directories. Those in `written` are not entered.
    pub(super) fn collect(
        directory: &Path,
        archive: &Path,
        written: &[&Path],
    ) -> Result<Self, RestorationError> {
        let recorded = read_manifest(archive)?;
        let with_originals = outputs_with_originals(archive)?;
        if recorded.is_none() && with_originals.is_empty() {
            return Err(RestorationError::NothingRecorded {
                archive: archive.to_path_buf(),
                directory: directory.to_path_buf(),
            });
        }
        // Such a version wrote no manifest.
        let is_unchecked = recorded.is_none() && lack_checksums(archive, &with_originals);
        let mut found = Self::default();
        let has_manifest = recorded.is_some();
        if !has_manifest && !is_unchecked {
            found.missing.push(format!(
                "{}: the manifest is missing; only files that had lost something can be restored",
                archive.join(manifest_path()).display()
            ));
        }
        let mut known = BTreeSet::new();
        for (output, recorded) in recorded.unwrap_or_default().0 {
            match output_entry(directory, &output) {
                Some(entry) => found
                    .outputs
                    .push(RestorationCandidate { entry, proof: OutputProof::Recorded(recorded) }),
                None => found.missing.push(format!(
                    "{}: the file is missing, but the manifest names it; if it went to stdout, put it there",
                    directory.join(&output).display()
                )),
            }
            known.insert(output);
        }
        for entry in collect_outputs(directory, archive, written)? {
            if known.contains(&entry.output) {
                continue;
            }
            let proof = if with_originals.binary_search(&entry.output).is_ok() {
                if has_manifest {
                    found.missing.push(format!(
                        "{}: the archive holds its originals, but the manifest does not name it: it was \
                         cut, and other files may be missing",
                        directory.join(&entry.output).display()
                    ));
                }
                OutputProof::Originals
            } else if is_unchecked || entry.is_unreadable() {
                OutputProof::None
            } else {
                found.foreign.push(directory.join(&entry.output));
                continue;
            };
            known.insert(entry.output.clone());
            found.outputs.push(RestorationCandidate { entry, proof });
        }
        for output in with_originals {
            if !known.contains(&output) {
                found.missing.push(format!(
                    "{}: the file is missing, but the archive holds its originals",
                    directory.join(output).display()
                ));
            }
        }
        let by_output = |candidate: &RestorationCandidate| candidate.entry.output.clone();
        found.outputs.sort_by_cached_key(by_output);
        Ok(found)
    }
}

fn read_manifest(archive: &Path) -> Result<Option<RecordedOutputs>, RestorationError> {
    let mut recorded: Option<RecordedOutputs> = None;
    for path in manifest_files(archive)? {
        if let Some(lines) = open_if_exists(archive, &path)? {
            let added = recorded.get_or_insert_default().add_from(lines);
            added.map_err(|source| RestorationError::Manifest {
                path: archive.join(path),
                source,
            })?;
        }
    }
    Ok(recorded)
}

/// Returns true if no originals have checksums.
fn lack_checksums(archive: &Path, outputs: &[PathBuf]) -> bool {
    outputs.iter().all(|output| {
        let originals = open_if_exists(archive, &originals_path(output));
        let header =
            originals.ok().flatten().map(|mut lines| OriginalsHeader::read_from(&mut lines));
        header.is_none_or(|header| header.is_ok_and(|header| !header.has_checksums()))
    })
}

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
    NothingRecorded { archive: PathBuf, directory: PathBuf },
    /// The archive or its manifest can't be read.
    #[error(transparent)]
    Read(#[from] InputError),
    #[error("can't read the manifest {}", path.display())]
    Manifest { path: PathBuf, source: ManifestError },
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
    Originals { originals: PathBuf, source: RestoreError },
    /// The originals name another output as theirs.
    #[error("{}: these originals belong to {output}", originals.display())]
    ForeignOriginals { originals: PathBuf, output: String },
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
    ChangedOutput { actual: u64, expected: u64 },
    /// The restored file can't be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

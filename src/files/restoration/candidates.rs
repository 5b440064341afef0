//! The files that a restoration looks at: those that the manifest names, and what else is there.

use crate::files::archive::manifest::{RecordedOutput, RecordedOutputs, manifest_path};
use crate::files::archive::originals::OriginalsHeader;
use crate::files::archive::originals_path;
use crate::files::input::{
    InputEntry, collect_outputs, manifest_files, open_if_exists, output_entry,
    outputs_with_originals,
};
use crate::files::restoration::error::{RestorationError, UnrestoredFile};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    pub(super) missing: Vec<UnrestoredFile>,
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
            let manifest = archive.join(manifest_path());
            found.missing.push(UnrestoredFile::NoManifest(manifest));
        }
        let mut known = BTreeSet::new();
        for (output, recorded) in recorded.unwrap_or_default().0 {
            match output_entry(directory, &output) {
                Some(entry) => found
                    .outputs
                    .push(RestorationCandidate { entry, proof: OutputProof::Recorded(recorded) }),
                None => {
                    let missing = UnrestoredFile::MissingRecorded(directory.join(&output));
                    found.missing.push(missing);
                }
            }
            known.insert(output);
        }
        for entry in collect_outputs(directory, archive, written)? {
            if known.contains(&entry.output) {
                continue;
            }
            let proof = if with_originals.binary_search(&entry.output).is_ok() {
                if has_manifest {
                    let unnamed = UnrestoredFile::Unnamed(directory.join(&entry.output));
                    found.missing.push(unnamed);
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
                let missing = UnrestoredFile::MissingOutput(directory.join(output));
                found.missing.push(missing);
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

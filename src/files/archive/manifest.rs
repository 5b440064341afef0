//! The manifest of an archive: which outputs a compaction wrote, with the checksums by which
//! `restore` recognises them, and which archive files belong to each.
//!
//! It consists of lines of JSON: a [`ManifestVersion`], then for each output its archive files and
//! itself.

use crate::files::archive::ORIGINALS_DIR;
use crate::files::archive::path_below::{ArchiveFilePath, PathBelow};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

/// The file name of the manifest, in the directory of originals.
pub(crate) const MANIFEST_FILE: &str = "manifest.jsonl";
const MANIFEST_VERSION: u32 = 1;
/// The names of the parts of a manifest begin and end so.
const PART_NAME: [&str; 2] = ["manifest-", ".jsonl"];

/// Returns the path of the manifest, relative to the archive directory.
pub(crate) fn manifest_path() -> PathBuf {
    Path::new(ORIGINALS_DIR).join(MANIFEST_FILE)
}

/// Returns the path of a part of the manifest, relative to the archive directory. A run that is not
/// at its end writes parts; at its end they become one manifest.
pub(crate) fn manifest_part_path(number: u32) -> PathBuf {
    let [start, end] = PART_NAME;
    Path::new(ORIGINALS_DIR).join(format!("{start}{number}{end}"))
}

/// Returns the number of a part of a manifest, by its file name.
pub(crate) fn manifest_part_number(name: &str) -> Option<u32> {
    let [start, end] = PART_NAME;
    name.strip_prefix(start)?.strip_suffix(end)?.parse().ok()
}

/// A reason why a manifest can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ManifestError {
    /// It can't be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is not the JSON that belongs there.
    #[error("line {line} names neither an output nor a file of it within the directory")]
    InvalidLine { line: u64 },
    /// The last line has no end.
    #[error("it is cut off")]
    CutOff,
    /// A later version of this program wrote it.
    #[error("its version {0} is not known")]
    UnknownVersion(u32),
}

/// The first line of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ManifestVersion {
    /// The version of the file format.
    manifest: u32,
}

/// The length and checksum of a file of originals up to its trailer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OriginalsSeal {
    /// Bytes in front of the trailer.
    pub bytes: u64,
    /// Their checksum.
    pub xxh3: String,
}

/// A line about an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedOutput {
    /// The path of the output, relative to the output directory.
    pub output: PathBelow,
    /// The origin of the output: digits that stand for the input's place and its own. Absent where the
    /// input has no place, as stdin has none, and where names follow the contents.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    /// The length of the output in bytes, decompressed.
    pub bytes: u64,
    /// The checksum of the decompressed output. Absent if there are originals, which hold the
    /// checksum of each stretch of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub xxh3: Option<String>,
    /// The seal of the originals. Absent if nothing was removed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub originals: Option<OriginalsSeal>,
}

/// A line about an archive file that belongs to an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedArchiveFile {
    /// The path of the archive file, relative to the archive directory.
    pub file: ArchiveFilePath,
    /// The output.
    pub of: PathBelow,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum ManifestLine {
    Output(RecordedOutput),
    ArchiveFile(RecordedArchiveFile),
    Version(ManifestVersion),
}

impl ManifestLine {
    /// Returns the first line of a manifest.
    pub(crate) fn version() -> Self {
        Self::Version(ManifestVersion { manifest: MANIFEST_VERSION })
    }

    /// Returns the output that the line is about.
    pub(crate) fn output(&self) -> Option<&PathBelow> {
        match self {
            Self::Output(recorded) => Some(&recorded.output),
            Self::ArchiveFile(recorded) => Some(&recorded.of),
            Self::Version(_) => None,
        }
    }

    /// Writes the line. Returns an error if writing fails.
    pub(crate) fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

/// Calls `visit` with each line of a manifest behind its version. Fails if a line can't be read, or
/// `visit` fails.
pub(crate) fn visit_manifest_lines<E: From<ManifestError>>(
    mut manifest: impl BufRead,
    mut visit: impl FnMut(ManifestLine) -> Result<(), E>,
) -> Result<(), E> {
    let (mut bytes, mut number) = (Vec::new(), 0);
    loop {
        bytes.clear();
        let count = manifest.read_until(b'\n', &mut bytes).map_err(ManifestError::Io)?;
        if count == 0 {
            return Ok(());
        }
        number += 1;
        if bytes.last() != Some(&b'\n') {
            return Err(ManifestError::CutOff.into());
        }
        // What serde says of a line that is one of several things helps nobody.
        let invalid = |_| ManifestError::InvalidLine { line: number };
        let line = serde_json::from_slice(&bytes).map_err(invalid)?;
        match line {
            ManifestLine::Version(ManifestVersion { manifest }) if manifest == MANIFEST_VERSION => {
            }
            ManifestLine::Version(ManifestVersion { manifest }) => {
                return Err(ManifestError::UnknownVersion(manifest).into());
            }
            line => visit(line)?,
        }
    }
}

/// The outputs that a manifest names.
#[derive(Debug, Default)]
pub(crate) struct RecordedOutputs(pub BTreeMap<PathBuf, RecordedOutput>);

impl RecordedOutputs {
    /// Adds the outputs of a manifest, or of a part of one. Fails if a line can't be read.
    pub(crate) fn add_from(&mut self, manifest: impl BufRead) -> Result<(), ManifestError> {
        visit_manifest_lines(manifest, |line| {
            if let ManifestLine::Output(recorded) = line {
                self.0.insert(recorded.output.as_path().to_path_buf(), recorded);
            }
            Ok::<_, ManifestError>(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::archive::path_below::StoredPath;

    #[test]
    fn parts_are_told_by_their_names() {
        assert_eq!(manifest_part_path(12), Path::new("originals/manifest-12.jsonl"));
        assert_eq!(manifest_part_number("manifest-12.jsonl"), Some(12));
        for name in [MANIFEST_FILE, "manifest-x.jsonl", "manifest-1.jsonl.originals"] {
            assert_eq!(manifest_part_number(name), None, "{name}");
        }
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        let output = PathBelow::new(Path::new("a/b.jsonl")).unwrap();
        let lines = [
            ManifestLine::version(),
            ManifestLine::ArchiveFile(RecordedArchiveFile {
                file: ArchiveFilePath::try_from(StoredPath::Bytes(
                    b"conversation_history/\xff".to_vec(),
                ))
                .unwrap(),
                of: output.clone(),
            }),
            ManifestLine::Output(RecordedOutput {
                output,
                from: Some("0a".to_owned()),
                bytes: 3,
                xxh3: None,
                originals: Some(OriginalsSeal { bytes: 9, xxh3: "0f".to_owned() }),
            }),
        ];
        let mut text = Vec::new();
        for line in &lines {
            line.write_to(&mut text).unwrap();
        }
        let mut read = Vec::new();
        visit_manifest_lines(&text[..], |line| {
            read.push(line);
            Ok::<_, ManifestError>(())
        })
        .unwrap();
        assert_eq!(read, lines[1..]);
        let mut outputs = RecordedOutputs::default();
        outputs.add_from(&text[..]).unwrap();
        assert_eq!(outputs.0.keys().collect::<Vec<_>>(), [Path::new("a/b.jsonl")]);
        for (text, why) in [
            (&b"{\"manifest\":1}\n{\"output\":\"a\",\"byt"[..], "cut off"),
            (b"{\"manifest\":2}\n", "version 2"),
            (b"{\"manifest\":1}\n{\"output\":3}\n", "line 2"),
        ] {
            let error = RecordedOutputs::default().add_from(text).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}

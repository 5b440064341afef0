//! The original bytes of everything that was removed from a file.
//!
//! A file of originals stores each removed stretch with its offset in the output, so that the input
//! can be restored byte for byte. It consists of lines of JSON: an [`OriginalsHeader`], one
//! [`OriginalEntry`] for each removed stretch in the order of offsets, and an [`OriginalsTrailer`].
//! The line of an entry is followed by the original bytes, unescaped, and a line end.
//!
//! Since version 3 checksums prove that the output and the originals are those that were written:
//! each entry has one of the output up to its end and one of its original bytes, and the trailer
//! has one of all lines before it. Version 2 had only the length of the output.

use crate::files::archive::checksum::{Checksum, ChecksumPipe};
use crate::files::archive::stretch_reader::RestoreError;
use crate::files::archive::{manifest::OriginalsSeal, path_below::PathBelow};
use crate::reading::transcript::splice::SpliceUndo;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};
use std::path::Path;

/// The version of this file format.
pub(crate) const ORIGINALS_VERSION: u32 = 3;
/// The last version without checksums. It is still read.
const UNCHECKED_VERSION: u32 = 2;

/// The first line of a file of originals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OriginalsHeader {
    pub version: u32,
    /// The path of the output file, relative to the output directory.
    pub output: String,
    /// The path of the input file, relative to the directory given on the command line.
    /// Absent if it equals `output`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input: Option<String>,
}

impl OriginalsHeader {
    /// Creates the header for the originals of `output`, which was made from `input`.
    pub(crate) fn new(output: &Path, input: &Path) -> Self {
        Self {
            version: ORIGINALS_VERSION,
            output: output.to_string_lossy().into_owned(),
            input: (input != output).then(|| input.to_string_lossy().into_owned()),
        }
    }

    /// Reads the header line. Returns an error if the line can't be read or names another version.
    pub(crate) fn read_from(originals: &mut impl BufRead) -> Result<Self, RestoreError> {
        let header: Self = parse_line(&read_line_bytes(originals)?)?;
        header.refuse_unknown_version()?;
        Ok(header)
    }

    pub(crate) fn has_checksums(&self) -> bool {
        self.version > UNCHECKED_VERSION
    }

    pub(super) fn refuse_unknown_version(&self) -> Result<(), RestoreError> {
        match self.version {
            UNCHECKED_VERSION..=ORIGINALS_VERSION => Ok(()),
            version => Err(RestoreError::UnknownVersion(version)),
        }
    }

    /// Returns the relative path of the restored input: that of `input`, else that of `output`.
    /// Returns an error if the path leads out of the directory of restored files.
    pub(crate) fn restored_path<'p>(&'p self, output: &'p Path) -> Result<&'p Path, RestoreError> {
        let path = self.input.as_ref().map_or(output, Path::new);
        PathBelow::new(path)?;
        Ok(path)
    }
}

/// The last line of a file of originals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OriginalsTrailer {
    /// The length of the output in bytes, decompressed.
    pub output_bytes: u64,
    /// The checksum of the output behind the last stretch. Absent in version 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_xxh3: Option<String>,
    /// The checksum of the originals up to this line. Absent in version 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub xxh3: Option<String>,
}

/// The line that precedes the original bytes of one stretch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OriginalEntry {
    /// The byte offset in the output, decompressed.
    pub at: u64,
    /// The number of output bytes to remove at the offset.
    pub len: u64,
    /// The number of original bytes to insert. They follow this line.
    pub bytes: u64,
    /// The line of the input where the record begins.
    pub line: u64,
    /// The thread id. Absent for bytes between records.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread_id: Option<String>,
    /// The checksum of the output between the end of the stretch before and the end of this one,
    /// which is `at + len`. Absent in version 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_xxh3: Option<String>,
    /// The checksum of the original bytes. Absent in version 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub xxh3: Option<String>,
}

/// A stretch removed from one part of the output, before the offset of that part is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemovedBytes {
    /// The removed stretch, with its offset in the part.
    pub undo: SpliceUndo,
    /// The line of the input where the record begins.
    pub line: u64,
    /// The thread id, as in [`OriginalEntry::thread_id`].
    pub thread_id: Option<String>,
}

/// Reads a line with its line end.
pub(super) fn read_line_bytes(originals: &mut impl BufRead) -> Result<Vec<u8>, RestoreError> {
    let mut line = Vec::new();
    originals.read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') {
        return Err(RestoreError::CutOff(None));
    }
    Ok(line)
}

pub(super) fn parse_line<T: for<'l> Deserialize<'l>>(line: &[u8]) -> Result<T, RestoreError> {
    serde_json::from_slice(line).map_err(RestoreError::InvalidLine)
}

/// Writes a file of originals, with its checksums.
#[derive(Debug)]
pub(crate) struct OriginalsWriter<W>(ChecksumPipe<W>);

impl<W: Write> OriginalsWriter<W> {
    /// Writes the header. Returns an error if writing fails.
    pub(crate) fn begin(out: W, header: &OriginalsHeader) -> io::Result<Self> {
        let mut out = ChecksumPipe::new(out);
        write_json_line(header, &mut out)?;
        Ok(Self(out))
    }

    /// Writes the entry and the original bytes of a stretch.
    ///
    /// `base` is the offset of the part in the output, `input` holds the input bytes of the part,
    /// and `output_xxh3` is the checksum of the output up to the end of the stretch. Returns an
    /// error if writing fails.
    pub(crate) fn push(
        &mut self,
        removed: &RemovedBytes,
        base: u64,
        input: &[u8],
        output_xxh3: String,
    ) -> io::Result<()> {
        let SpliceUndo { at, len, original } = &removed.undo;
        let original = &input[original.clone()];
        let entry = OriginalEntry {
            at: base + at,
            len: *len,
            bytes: original.len() as u64,
            line: removed.line,
            thread_id: removed.thread_id.clone(),
            output_xxh3: Some(output_xxh3),
            xxh3: Some(Checksum::hex_of_bytes(original)),
        };
        write_json_line(&entry, &mut self.0)?;
        self.0.write_all(original)?;
        self.0.write_all(b"\n")
    }

    /// Writes the trailer for an output of `output_bytes` bytes. `output_xxh3` is the checksum of
    /// the output behind the last stretch. Returns the writer, and the seal for the manifest.
    /// Returns an error if writing fails.
    pub(crate) fn finish(
        self,
        output_bytes: u64,
        output_xxh3: String,
    ) -> io::Result<(W, OriginalsSeal)> {
        let seal = OriginalsSeal { bytes: self.0.bytes(), xxh3: self.0.hex() };
        let trailer = OriginalsTrailer {
            output_bytes,
            output_xxh3: Some(output_xxh3),
            xxh3: Some(seal.xxh3.clone()),
        };
        let mut out = self.0.into_inner();
        write_json_line(&trailer, &mut out)?;
        Ok((out, seal))
    }
}

fn write_json_line(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

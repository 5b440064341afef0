//! The original bytes of everything that was removed from a file.
//!
//! A file of originals stores each removed stretch with its offset in the
//! output, so that the input can be restored byte for byte. It consists of
//! lines of JSON: an [`OriginalsHeader`], one [`OriginalEntry`] for each removed
//! stretch in the order of offsets, and an [`OriginalsTrailer`]. The line of an
//! entry is followed by the original bytes, unescaped, and a line end.

use crate::transcript::splice::SpliceUndo;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use std::path::{Component, Path, PathBuf};

/// The version of this file format.
pub(crate) const ORIGINALS_VERSION: u32 = 2;

/// An error while reading originals or restoring an input from them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RestoreError {
    /// The header names a version that this program can't read.
    #[error("version {0} of the originals is not known")]
    UnknownVersion(u32),
    /// The header names an input path outside the directory of restored files.
    #[error("the name of the input leads out of the directory: {}", .0.display())]
    EscapingName(PathBuf),
    /// The offsets of the entries don't increase.
    #[error("the originals are not in the order of their places")]
    UnorderedEntries,
    /// The bytes of an entry are not followed by a line end.
    #[error("what stands behind the line of an original is not {0} bytes")]
    WrongLength(u64),
    /// The output has another length than when the originals were written.
    #[error("the compacted file has {actual} bytes, but its originals belong to one of {expected}")]
    WrongOutputLength {
        /// Bytes of the output that was given.
        actual: u64,
        /// Bytes of the output that the originals belong to.
        expected: u64,
    },
    /// The output ends before the offset of an entry.
    #[error(
        "the compacted file ends before the place of an original: it is not the one that they belong to"
    )]
    OutputTooShort,
    /// The originals end early.
    #[error("the originals are cut off")]
    CutOff(#[source] Option<io::Error>),
    /// A line of the originals is not the JSON that belongs there.
    #[error("a line of the originals can't be read")]
    InvalidLine(#[source] serde_json::Error),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The first line of a file of originals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OriginalsHeader {
    /// The format version, [`ORIGINALS_VERSION`].
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
    #[must_use]
    pub(crate) fn new(output: &Path, input: &Path) -> Self {
        Self {
            version: ORIGINALS_VERSION,
            output: output.to_string_lossy().into_owned(),
            input: (input != output).then(|| input.to_string_lossy().into_owned()),
        }
    }

    /// Reads the header line.
    ///
    /// # Errors
    /// Returns an error if the line can't be read or names another version.
    pub(crate) fn read_from(originals: &mut impl BufRead) -> Result<Self, RestoreError> {
        let header: Self = read_json_line(originals)?;
        if header.version != ORIGINALS_VERSION {
            return Err(RestoreError::UnknownVersion(header.version));
        }
        Ok(header)
    }

    /// Writes the header line.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub(crate) fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        write_json_line(self, out)
    }

    /// Returns the relative path of the restored input: that of `input`, else that of `output`.
    ///
    /// # Errors
    /// Returns an error if the path leads out of the directory of restored files.
    pub(crate) fn restored_path<'p>(&'p self, output: &'p Path) -> Result<&'p Path, RestoreError> {
        let path = self.input.as_ref().map_or(output, Path::new);
        let stays_inside = path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
            && path.file_name().is_some();
        if !stays_inside {
            return Err(RestoreError::EscapingName(path.to_owned()));
        }
        Ok(path)
    }
}

/// The last line of a file of originals. It identifies the output by its length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OriginalsTrailer {
    /// The length of the output in bytes, decompressed.
    pub output_bytes: u64,
}

impl OriginalsTrailer {
    /// Writes the trailer line.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub(crate) fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        write_json_line(self, out)
    }
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

impl RemovedBytes {
    /// Writes the entry and the original bytes of this stretch.
    ///
    /// `base` is the offset of the part in the output, and `input` holds the input
    /// bytes of the part.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub(crate) fn write_original(
        &self,
        base: u64,
        input: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let SpliceUndo { at, len, original } = &self.undo;
        let original = &input[original.clone()];
        let entry = OriginalEntry {
            at: base + at,
            len: *len,
            bytes: original.len() as u64,
            line: self.line,
            thread_id: self.thread_id.clone(),
        };
        write_json_line(&entry, out)?;
        out.write_all(original)?;
        out.write_all(b"\n")
    }
}

/// Writes the bytes of the input, made from the output (decompressed) and its originals.
///
/// # Errors
/// Returns an error if reading or writing fails, or if `output` and `originals`
/// don't belong together. The bytes written until then are not the input.
pub(crate) fn restore_input(
    mut output: impl Read,
    mut originals: impl BufRead,
    into: &mut impl Write,
) -> Result<(), RestoreError> {
    OriginalsHeader::read_from(&mut originals)?;
    let mut at = 0;
    let trailer = loop {
        match read_json_line(&mut originals)? {
            OriginalsLine::Original(entry) => {
                let kept = entry
                    .at
                    .checked_sub(at)
                    .ok_or(RestoreError::UnorderedEntries)?;
                copy_output_bytes(kept, &mut output, into)?;
                copy_output_bytes(entry.len, &mut output, &mut io::sink())?;
                at = entry.at + entry.len;
                copy_original_bytes(entry.bytes, &mut originals, into)?;
            }
            OriginalsLine::Trailer(trailer) => break trailer,
        }
    };
    at += io::copy(&mut output, into)?;
    if at != trailer.output_bytes {
        return Err(RestoreError::WrongOutputLength {
            actual: at,
            expected: trailer.output_bytes,
        });
    }
    Ok(())
}

/// Any line after the header.
#[derive(Deserialize)]
#[serde(untagged)]
enum OriginalsLine {
    Original(OriginalEntry),
    Trailer(OriginalsTrailer),
}

/// Writes one line of JSON.
fn write_json_line(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Reads one line and parses it as JSON.
fn read_json_line<T: for<'l> Deserialize<'l>>(
    originals: &mut impl BufRead,
) -> Result<T, RestoreError> {
    let mut line = Vec::new();
    originals.read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(RestoreError::CutOff(None));
    }
    serde_json::from_slice(&line).map_err(RestoreError::InvalidLine)
}

/// Copies exactly `bytes` bytes of the output.
fn copy_output_bytes(
    bytes: u64,
    output: &mut impl Read,
    into: &mut impl Write,
) -> Result<(), RestoreError> {
    if io::copy(&mut output.take(bytes), into)? != bytes {
        return Err(RestoreError::OutputTooShort);
    }
    Ok(())
}

/// Copies the original bytes of an entry and consumes the line end that follows them.
fn copy_original_bytes(
    bytes: u64,
    originals: &mut impl BufRead,
    into: &mut impl Write,
) -> Result<(), RestoreError> {
    let copied = io::copy(&mut originals.take(bytes), into)?;
    let mut line_end = [0];
    originals
        .read_exact(&mut line_end)
        .map_err(|error| RestoreError::CutOff(Some(error)))?;
    if copied != bytes || line_end != *b"\n" {
        return Err(RestoreError::WrongLength(bytes));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    fn removed_bytes(at: u64, len: u64, original: Range<usize>) -> RemovedBytes {
        RemovedBytes {
            undo: SpliceUndo { at, len, original },
            line: 3,
            thread_id: Some("t".to_owned()),
        }
    }

    fn originals_of_output(output_bytes: u64) -> Vec<u8> {
        let mut lines =
            serde_json::to_vec(&OriginalsHeader::new(Path::new("out"), Path::new("out"))).unwrap();
        lines.push(b'\n');
        let input = b"end a,\"b\"\n\xff\n";
        removed_bytes(1, 2, 4..input.len())
            .write_original(0, input, &mut lines)
            .unwrap();
        removed_bytes(1, 0, 0..3)
            .write_original(4, input, &mut lines)
            .unwrap();
        lines.extend(serde_json::to_vec(&OriginalsTrailer { output_bytes }).unwrap());
        lines.push(b'\n');
        lines
    }

    fn restored_bytes(output: &[u8], lines: &[u8]) -> Result<Vec<u8>, RestoreError> {
        let mut out = Vec::new();
        restore_input(output, lines, &mut out).map(|()| out)
    }

    #[test]
    fn bytes_return_to_their_offsets() {
        assert_eq!(
            restored_bytes(b"<xy>..", &originals_of_output(6)).unwrap(),
            b"<a,\"b\"\n\xff\n>.end."
        );
    }

    #[test]
    fn an_input_with_another_name_is_restored_under_its_own() {
        let header = |input: &str| OriginalsHeader::new(Path::new("a/b.jsonl"), Path::new(input));
        assert_eq!(
            header("a/b.jsonl").input,
            None,
            "readers that do not know the field need it only where it differs"
        );
        for (input, wanted) in [
            ("a/b.jsonl", Some("a/b.jsonl")),
            ("a/b.traj", Some("a/b.traj")),
            ("../b.traj", None),
            ("/b", None),
            ("a/../../b", None),
            ("", None),
        ] {
            assert_eq!(
                header(input).restored_path(Path::new("a/b.jsonl")).ok(),
                wanted.map(Path::new),
                "{input}"
            );
        }
    }

    #[test]
    fn originals_of_another_output_are_refused() {
        for (output, lines, why) in [
            (b"<xy>...".as_slice(), originals_of_output(6), "has 7 bytes"),
            (b"<x", originals_of_output(6), "ends before"),
            (b"<xy>..", originals_of_output(6)[..90].to_vec(), "cut off"),
            (b"<xy>..", b"{\"version\":2,\"output\":\"x\"}\n{\"at\":0,\"len\":0,\"bytes\":1,\"line\":1}\nab\n".to_vec(), "not 1 bytes"),
            (b"<xy>..", b"{\"version\":1,\"output\":\"x\"}\n".to_vec(), "version 1"),
            (b"<xy>..", b"nonsense\n".to_vec(), "can't be read"),
        ] {
            let error = restored_bytes(output, &lines).unwrap_err();
            assert!(format!("{error:#}").contains(why), "{error:#}");
        }
    }
}

//! The original bytes of everything that was removed from a file.
//!
//! A file of originals stores each removed stretch with its offset in the
//! output, so that the input can be restored byte for byte. It consists of
//! lines of JSON: an [`OriginalsHeader`], one [`OriginalEntry`] for each removed
//! stretch in the order of offsets, and an [`OriginalsTrailer`]. The line of an
//! entry is followed by the original bytes, unescaped, and a line end.
//!
//! Since version 3 checksums prove that the output and the originals are those that were written:
//! each entry has one of the output up to its end and one of its original bytes, and the trailer
//! has one of all lines before it. Version 2 had only the length of the output.

use crate::archive::checksum::{Checksum, ChecksumPipe};
use crate::archive::manifest::OriginalsSeal;
use crate::archive::restore_error::RestoreError;
use crate::archive::stretch_reader::StretchReader;
use crate::transcript::splice::SpliceUndo;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use std::path::{Component, Path};

/// The version of this file format.
pub(crate) const ORIGINALS_VERSION: u32 = 3;
/// The last version without checksums. It is still read.
const UNCHECKED_VERSION: u32 = 2;

/// The first line of a file of originals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OriginalsHeader {
    /// The format version.
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
        let header: Self = parse_line(&read_line_bytes(originals)?)?;
        header.refuse_unknown_version()?;
        Ok(header)
    }

    /// Returns true if the originals have checksums.
    #[must_use]
    pub(crate) fn has_checksums(&self) -> bool {
        self.version > UNCHECKED_VERSION
    }

    fn refuse_unknown_version(&self) -> Result<(), RestoreError> {
        match self.version {
            UNCHECKED_VERSION..=ORIGINALS_VERSION => Ok(()),
            version => Err(RestoreError::UnknownVersion(version)),
        }
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

impl RemovedBytes {
    /// Returns the offset of the end of the stretch, in the part of the output.
    #[must_use]
    pub(crate) fn output_end(&self) -> u64 {
        self.undo.at + self.undo.len
    }
}

/// Writes a file of originals, with its checksums.
#[derive(Debug)]
pub(crate) struct OriginalsWriter<W>(ChecksumPipe<W>);

impl<W: Write> OriginalsWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub(crate) fn begin(out: W, header: &OriginalsHeader) -> io::Result<Self> {
        let mut out = ChecksumPipe::new(out);
        write_json_line(header, &mut out)?;
        Ok(Self(out))
    }

    /// Writes the entry and the original bytes of a stretch.
    ///
    /// `base` is the offset of the part in the output, `input` holds the input bytes of the part,
    /// and `output_xxh3` is the checksum of the output up to the end of the stretch.
    ///
    /// # Errors
    /// Returns an error if writing fails.
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
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub(crate) fn finish(
        self,
        output_bytes: u64,
        output_xxh3: String,
    ) -> io::Result<(W, OriginalsSeal)> {
        let seal = OriginalsSeal {
            bytes: self.0.bytes(),
            xxh3: self.0.hex(),
        };
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

/// Writes the bytes of the input, made from the output (decompressed) and its originals. Returns
/// the seal of the originals; none if they have no checksums.
///
/// # Errors
/// Returns an error if reading or writing fails, or if `output` and `originals` are not those that
/// were written together. The bytes written until then are not the input.
pub(crate) fn restore_input(
    output: impl Read,
    originals: impl BufRead,
    into: &mut impl Write,
) -> Result<Option<OriginalsSeal>, RestoreError> {
    let mut originals = OriginalsReader::new(originals);
    let header: OriginalsHeader = originals.read_header()?;
    let mut output = StretchReader::new(output);
    let trailer = loop {
        match originals.read_line()? {
            OriginalsLine::Original(entry) => {
                let kept = entry
                    .at
                    .checked_sub(output.position())
                    .ok_or(RestoreError::UnorderedEntries)?;
                output.copy(kept, into)?;
                output.copy(entry.len, &mut io::sink())?;
                let stretch = output.finish_stretch();
                if header.has_checksums() {
                    stretch.check(entry.output_xxh3.as_ref())?;
                }
                originals.copy_bytes(&entry, header.has_checksums(), into)?;
            }
            OriginalsLine::Trailer(trailer) => break trailer,
        }
    };
    output.copy_rest(into)?;
    if output.position() != trailer.output_bytes {
        return Err(RestoreError::WrongOutputLength {
            actual: output.position(),
            expected: trailer.output_bytes,
        });
    }
    if !header.has_checksums() {
        // A changed version must not switch the checks off.
        return match trailer.xxh3 {
            None => Ok(None),
            Some(_) => Err(RestoreError::ChangedLines),
        };
    }
    output
        .finish_stretch()
        .check(trailer.output_xxh3.as_ref())?;
    originals.seal(&trailer).map(Some)
}

/// Any line after the header.
#[derive(Deserialize)]
#[serde(untagged)]
enum OriginalsLine {
    Original(OriginalEntry),
    Trailer(OriginalsTrailer),
}

/// Reads a file of originals, and sums what it reads.
struct OriginalsReader<R> {
    originals: R,
    checksum: Checksum,
    bytes: u64,
}

impl<R: BufRead> OriginalsReader<R> {
    fn new(originals: R) -> Self {
        Self {
            originals,
            checksum: Checksum::default(),
            bytes: 0,
        }
    }

    fn read_header(&mut self) -> Result<OriginalsHeader, RestoreError> {
        let line = read_line_bytes(&mut self.originals)?;
        self.add(&line);
        let header: OriginalsHeader = parse_line(&line)?;
        header.refuse_unknown_version()?;
        Ok(header)
    }

    /// Reads the next line. The trailer is not summed.
    fn read_line(&mut self) -> Result<OriginalsLine, RestoreError> {
        let line = read_line_bytes(&mut self.originals)?;
        let parsed = parse_line(&line)?;
        if let OriginalsLine::Original(_) = parsed {
            self.add(&line);
        }
        Ok(parsed)
    }

    fn add(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// Copies the original bytes of an entry and consumes the line end that follows them.
    fn copy_bytes(
        &mut self,
        entry: &OriginalEntry,
        has_checksums: bool,
        into: &mut impl Write,
    ) -> Result<(), RestoreError> {
        let mut checksum = Checksum::default();
        let mut missing = entry.bytes;
        while missing > 0 {
            let bytes = self.originals.fill_buf()?;
            let count = bytes
                .len()
                .min(usize::try_from(missing).unwrap_or(usize::MAX));
            if count == 0 {
                return Err(RestoreError::CutOff(None));
            }
            let bytes = &bytes[..count];
            checksum.update(bytes);
            self.checksum.update(bytes);
            into.write_all(bytes)?;
            self.originals.consume(count);
            missing -= count as u64;
        }
        self.bytes += entry.bytes;
        let mut line_end = [0];
        self.originals
            .read_exact(&mut line_end)
            .map_err(|error| RestoreError::CutOff(Some(error)))?;
        if line_end != *b"\n" {
            return Err(RestoreError::WrongLength(entry.bytes));
        }
        self.add(&line_end);
        if !has_checksums {
            return Ok(());
        }
        match &entry.xxh3 {
            None => Err(RestoreError::MissingChecksum),
            Some(written) if *written != checksum.hex() => {
                Err(RestoreError::ChangedOriginals { line: entry.line })
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns the seal, after a comparison with the trailer.
    fn seal(self, trailer: &OriginalsTrailer) -> Result<OriginalsSeal, RestoreError> {
        let xxh3 = self.checksum.hex();
        match &trailer.xxh3 {
            None => Err(RestoreError::MissingChecksum),
            Some(written) if *written != xxh3 => Err(RestoreError::ChangedLines),
            Some(_) => Ok(OriginalsSeal {
                bytes: self.bytes,
                xxh3,
            }),
        }
    }
}

/// Reads a line with its line end.
fn read_line_bytes(originals: &mut impl BufRead) -> Result<Vec<u8>, RestoreError> {
    let mut line = Vec::new();
    originals.read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') {
        return Err(RestoreError::CutOff(None));
    }
    Ok(line)
}

fn parse_line<T: for<'l> Deserialize<'l>>(line: &[u8]) -> Result<T, RestoreError> {
    serde_json::from_slice(line).map_err(RestoreError::InvalidLine)
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

    fn originals_of_output(output: &[u8]) -> Vec<u8> {
        let header = OriginalsHeader::new(Path::new("out"), Path::new("out"));
        let mut originals = OriginalsWriter::begin(Vec::new(), &header).unwrap();
        let input = b"end a,\"b\"\n\xff\n";
        let sum = Checksum::hex_of_bytes;
        originals
            .push(
                &removed_bytes(1, 2, 4..input.len()),
                0,
                input,
                sum(&output[..3]),
            )
            .unwrap();
        originals
            .push(&removed_bytes(1, 0, 0..3), 4, input, sum(&output[3..5]))
            .unwrap();
        let finished = originals.finish(output.len() as u64, sum(&output[5..]));
        finished.unwrap().0
    }

    fn restored_bytes(output: &[u8], lines: &[u8]) -> Result<Vec<u8>, RestoreError> {
        let mut out = Vec::new();
        restore_input(output, lines, &mut out).map(|_| out)
    }

    #[test]
    fn bytes_return_to_their_offsets() {
        assert_eq!(
            restored_bytes(b"<xy>..", &originals_of_output(b"<xy>..")).unwrap(),
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
            (b"<xy>...".as_slice(), originals_of_output(b"<xy>.."), "has 7 bytes"),
            (b"<x", originals_of_output(b"<xy>.."), "ends before"),
            (b"<xy>..", originals_of_output(b"<xy>..")[..90].to_vec(), "cut off"),
            (b"<xy>..", b"{\"version\":2,\"output\":\"x\"}\n{\"at\":0,\"len\":0,\"bytes\":1,\"line\":1}\nab\n".to_vec(), "not 1 bytes"),
            (b"<xy>..", b"{\"version\":1,\"output\":\"x\"}\n".to_vec(), "version 1"),
            (b"<xy>..", b"nonsense\n".to_vec(), "can't be read"),
        ] {
            let error = restored_bytes(output, &lines).unwrap_err();
            assert!(format!("{error:#}").contains(why), "{error:#}");
        }
    }

    #[test]
    fn every_changed_byte_is_found() {
        let (output, lines) = (b"<xy>..", originals_of_output(b"<xy>.."));
        for at in 0..output.len() {
            let mut changed = *output;
            changed[at] ^= 1;
            let error = restored_bytes(&changed, &lines).unwrap_err();
            assert!(
                matches!(error, RestoreError::ChangedOutput(_)),
                "{at}: {error}"
            );
        }
        for at in 0..lines.len() {
            let mut changed = lines.clone();
            changed[at] ^= 1;
            let restored = restored_bytes(output, &changed);
            assert!(
                restored.is_err(),
                "{at}: {}",
                String::from_utf8_lossy(&changed)
            );
        }
        let swapped = restored_bytes(b"<xy>..", &originals_of_output(b"<yx>.."));
        let error = swapped.unwrap_err().to_string();
        assert!(error.contains("bytes 1 to 3 (lines 1 to 1)"), "{error}");
    }

    #[test]
    fn originals_without_checksums_are_read() {
        let lines = b"{\"version\":2,\"output\":\"x\"}\n{\"at\":1,\"len\":2,\"bytes\":1,\"line\":1}\na\n{\"output_bytes\":4}\n";
        assert_eq!(restored_bytes(b"<xy>", lines).unwrap(), b"<a>");
        let newer = [
            b"{\"version\":3".as_slice(),
            &lines[b"{\"version\":3".len()..],
        ]
        .concat();
        assert!(matches!(
            restored_bytes(b"<xy>", &newer).unwrap_err(),
            RestoreError::MissingChecksum
        ));
    }
}

//! The input, restored from an output and its originals.

use crate::files::archive::originals::{
    OriginalEntry, OriginalsHeader, OriginalsTrailer, parse_line, read_line_bytes,
};
use crate::files::archive::stretch_reader::{RestoreError, StretchReader};
use crate::files::archive::{checksum::Checksum, manifest::OriginalsSeal};
use serde::Deserialize;
use std::io::{self, BufRead, Read, Write};

/// Writes the bytes of the input, made from the output (decompressed) and its originals. Returns
/// the seal of the originals; none if they have no checksums. Returns an error if reading or
/// writing fails, or if `output` and `originals` are not those that were written together. The
/// bytes written until then are not the input.
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
    output.copy_at_most(u64::MAX, into)?;
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
    output.finish_stretch().check(trailer.output_xxh3.as_ref())?;
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
        Self { originals, checksum: Checksum::default(), bytes: 0 }
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
            let count = bytes.len().min(usize::try_from(missing).unwrap_or(usize::MAX));
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
            Some(_) => Ok(OriginalsSeal { bytes: self.bytes, xxh3 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::archive::originals::{OriginalsWriter, RemovedBytes};
    use crate::reading::transcript::splice::SpliceUndo;
    use std::ops::Range;
    use std::path::Path;

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
        originals.push(&removed_bytes(1, 2, 4..input.len()), 0, input, sum(&output[..3])).unwrap();
        originals.push(&removed_bytes(1, 0, 0..3), 4, input, sum(&output[3..5])).unwrap();
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
            (b"<xy>..", b"{\"version\":2,\"output\":\"x\"}\n{\"at\":0,\"len\":0,\"bytes\":1,\"line\":1}\nab\n".to_vec(), "not followed by 1 bytes"),
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
            assert!(matches!(error, RestoreError::ChangedOutput(_)), "{at}: {error}");
        }
        for at in 0..lines.len() {
            let mut changed = lines.clone();
            changed[at] ^= 1;
            let restored = restored_bytes(output, &changed);
            assert!(restored.is_err(), "{at}: {}", String::from_utf8_lossy(&changed));
        }
        let swapped = restored_bytes(b"<xy>..", &originals_of_output(b"<yx>.."));
        let error = swapped.unwrap_err().to_string();
        assert!(error.contains("bytes 1 to 3 (lines 1 to 1)"), "{error}");
    }

    #[test]
    fn originals_without_checksums_are_read() {
        let lines = b"{\"version\":2,\"output\":\"x\"}\n{\"at\":1,\"len\":2,\"bytes\":1,\"line\":1}\na\n{\"output_bytes\":4}\n";
        assert_eq!(restored_bytes(b"<xy>", lines).unwrap(), b"<a>");
        let newer = [b"{\"version\":3".as_slice(), &lines[b"{\"version\":3".len()..]].concat();
        assert!(matches!(
            restored_bytes(b"<xy>", &newer).unwrap_err(),
            RestoreError::MissingChecksum
        ));
    }
}

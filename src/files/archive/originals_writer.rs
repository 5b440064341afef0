//! Writing of a file of originals.

use crate::files::archive::checksum::{Checksum, ChecksumPipe};
use crate::files::archive::manifest::OriginalsSeal;
use crate::files::archive::originals::{
    OriginalEntry, OriginalsHeader, OriginalsTrailer, RemovedBytes,
};
use crate::reading::transcript::splice::SpliceUndo;
use serde::Serialize;
use std::io::{self, Write};

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

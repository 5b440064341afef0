//! The exact original bytes of everything that was taken out of a file, with
//! their place in the output: all that is needed to get the input back.
//!
//! Lines of JSON: a [`OriginalsHeader`], an [`OriginalEntry`] for each place in the order of
//! their places, a [`OriginalsTrailer`]. Behind the line of an original stand the bytes
//! themselves, as they were, and a line end.

use crate::transcript::splice::SpliceUndo;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use std::path::{Component, Path};

/// Version of this file's shape.
pub const VERSION: u32 = 2;

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginalsHeader {
    /// [`VERSION`].
    pub version: u32,
    /// The output file that the places belong to, below the output directory.
    pub output: String,
    /// The path of the input below the directory that was named, where that is another.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input: Option<String>,
}

impl OriginalsHeader {
    /// The first line of the originals of `output`, which was made of `input`.
    #[must_use]
    pub fn new(output: &Path, input: &Path) -> Self {
        let named = |path: &Path| path.to_string_lossy().into_owned();
        Self {
            version: VERSION,
            output: named(output),
            input: (input != output).then(|| named(input)),
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// If it can't be read, or is of another version.
    pub fn read_from(originals: &mut impl BufRead) -> Result<Self> {
        let header: Self = next(originals)?;
        if header.version != VERSION {
            bail!("version {} of the originals is not known", header.version);
        }
        Ok(header)
    }

    /// Where the input goes when it comes back, below any directory: under the name of its `output`, unless it had another.
    ///
    /// # Errors
    /// If that leads out of the directory.
    pub fn restored_path<'p>(&'p self, output: &'p Path) -> Result<&'p Path> {
        let path = self.input.as_ref().map_or(output, Path::new);
        let stays = path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
            && path.file_name().is_some();
        if !stays {
            bail!(
                "the name of the input leads out of the directory: {}",
                path.display()
            );
        }
        Ok(path)
    }
}

/// The last line: tells whether an output is the one that the places belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginalsTrailer {
    /// Bytes of the output, decompressed.
    pub output_bytes: u64,
}

/// What stood at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginalEntry {
    /// Byte offset in the output, decompressed.
    pub at: u64,
    /// How many bytes of the output to take out there.
    pub len: u64,
    /// How many bytes to put in: those behind this line.
    pub bytes: u64,
    /// The line of the input where the record begins.
    pub line: u64,
    /// The thread; none for bytes between records.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread_id: Option<String>,
}

/// What was taken out at a place that counts from the start of a part of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedBytes {
    /// What stood there; its place counts from the start of the part.
    pub undo: SpliceUndo,
    /// As in [`OriginalEntry`].
    pub line: u64,
    /// As in [`OriginalEntry`].
    pub thread_id: Option<String>,
}

impl RemovedBytes {
    /// Writes it for a part that goes to `base`; `came` are the bytes that came in for it.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write(&self, base: u64, came: &[u8], out: &mut impl Write) -> io::Result<()> {
        let SpliceUndo { at, len, original } = &self.undo;
        let original = &came[original.clone()];
        let line = OriginalEntry {
            at: base + at,
            len: *len,
            bytes: original.len() as u64,
            line: self.line,
            thread_id: self.thread_id.clone(),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
        out.write_all(original)?;
        out.write_all(b"\n")
    }
}

/// Writes the input's bytes, from the output's (decompressed) and its originals.
///
/// # Errors
/// If something can't be read or written, or they do not belong together; what was written then is of no use.
pub fn restore_input(
    mut output: impl Read,
    mut originals: impl BufRead,
    into: &mut impl Write,
) -> Result<()> {
    OriginalsHeader::read_from(&mut originals)?;
    let mut at = 0;
    let trailer = loop {
        match next(&mut originals)? {
            OriginalsLine::Original(original) => {
                let Some(kept) = original.at.checked_sub(at) else {
                    bail!("the originals are not in the order of their places")
                };
                exactly(kept, &mut output, into)?;
                exactly(original.len, &mut output, &mut io::sink())?;
                at = original.at + original.len;
                let mut bytes = (&mut originals).take(original.bytes);
                let copied = io::copy(&mut bytes, into)?;
                let mut end = [0];
                originals.read_exact(&mut end).context(CUT_OFF)?;
                if copied != original.bytes || end != *b"\n" {
                    bail!(
                        "what stands behind the line of an original is not {} bytes",
                        original.bytes
                    );
                }
            }
            OriginalsLine::Trailer(trailer) => break trailer,
        }
    };
    at += io::copy(&mut output, into)?;
    if at != trailer.output_bytes {
        bail!(
            "the compacted file has {at} bytes, but its originals belong to one of {}",
            trailer.output_bytes
        );
    }
    Ok(())
}

const CUT_OFF: &str = "the originals are cut off";

#[derive(Deserialize)]
#[serde(untagged)]
enum OriginalsLine {
    Original(OriginalEntry),
    Trailer(OriginalsTrailer),
}

fn next<T: for<'l> Deserialize<'l>>(originals: &mut impl BufRead) -> Result<T> {
    let mut line = Vec::new();
    originals.read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        bail!(CUT_OFF);
    }
    serde_json::from_slice(&line).context("a line of the originals can't be read")
}

fn exactly(bytes: u64, from: &mut impl Read, into: &mut impl Write) -> Result<()> {
    if io::copy(&mut from.take(bytes), into)? != bytes {
        bail!(
            "the compacted file ends before the place of an original: it is not the one that they belong to"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    fn removed(at: u64, len: u64, original: Range<usize>) -> RemovedBytes {
        RemovedBytes {
            undo: SpliceUndo { at, len, original },
            line: 3,
            thread_id: Some("t".to_owned()),
        }
    }

    fn lines(output_bytes: u64) -> Vec<u8> {
        let mut lines =
            serde_json::to_vec(&OriginalsHeader::new(Path::new("out"), Path::new("out"))).unwrap();
        lines.push(b'\n');
        let came = b"end a,\"b\"\n\xff\n";
        removed(1, 2, 4..came.len())
            .write(0, came, &mut lines)
            .unwrap();
        removed(1, 0, 0..3).write(4, came, &mut lines).unwrap();
        lines.extend(serde_json::to_vec(&OriginalsTrailer { output_bytes }).unwrap());
        lines.push(b'\n');
        lines
    }

    fn restored(output: &[u8], lines: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        restore_input(output, lines, &mut out).map(|()| out)
    }

    #[test]
    fn bytes_go_back_to_their_places() {
        assert_eq!(
            restored(b"<xy>..", &lines(6)).unwrap(),
            b"<a,\"b\"\n\xff\n>.end."
        );
    }

    #[test]
    fn an_input_of_another_name_goes_back_under_its_own() {
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
    fn what_does_not_belong_together_is_told() {
        for (output, lines, why) in [
            (b"<xy>...".as_slice(), lines(6), "has 7 bytes"),
            (b"<x", lines(6), "ends before"),
            (b"<xy>..", lines(6)[..90].to_vec(), "cut off"),
            (b"<xy>..", b"{\"version\":2,\"output\":\"x\"}\n{\"at\":0,\"len\":0,\"bytes\":1,\"line\":1}\nab\n".to_vec(), "not 1 bytes"),
            (b"<xy>..", b"{\"version\":1,\"output\":\"x\"}\n".to_vec(), "version 1"),
            (b"<xy>..", b"nonsense\n".to_vec(), "can't be read"),
        ] {
            let error = restored(output, &lines).unwrap_err();
            assert!(format!("{error:#}").contains(why), "{error:#}");
        }
    }
}

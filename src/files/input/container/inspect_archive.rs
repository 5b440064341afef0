//! Archives of Inspect (`.eval`): a zip file with a JSON document for each sample.

use crate::files::input::container::Container;
use std::io::{self, Cursor, Read};
use tempfile::SpooledTempFile;
use zip::ZipArchive;

pub(super) struct InspectArchive;

/// The first bytes of a zip file.
const ZIP: &[u8] = b"PK\x03\x04";
/// The offset of the name of the first entry.
const FIRST_NAME: usize = 30;
/// The beginnings of the names of entries that Inspect writes first.
const FIRST_NAMES: [&[u8]; 3] = [b"_journal/", b"samples/", b"header.json"];
/// The size in bytes up to which an archive is kept in memory. A larger one is copied to a temporary
/// file: the list of its entries is at its end, and not every input can be read from there.
const IN_MEMORY_BYTES: usize = 64 << 20;

impl Container for InspectArchive {
    fn begins(&self, head: &[u8]) -> bool {
        let name = head.get(FIRST_NAME..).unwrap_or_default();
        head.starts_with(ZIP) && FIRST_NAMES.iter().any(|first| name.starts_with(first))
    }

    fn open(
        &self,
        mut file: Box<dyn Read + Send>,
        max_bytes: usize,
    ) -> io::Result<Box<dyn Read + Send>> {
        let mut copy = tempfile::spooled_tempfile(IN_MEMORY_BYTES);
        io::copy(&mut file, &mut copy)?;
        let archive = ZipArchive::new(copy)?;
        let is_sample = |entry: &usize| {
            let name = archive.name_for_index(*entry).and_then(Result::ok);
            name.is_some_and(|name| name.starts_with("samples/") && name.ends_with(".json"))
        };
        let samples: Vec<usize> = (0..archive.len()).filter(is_sample).collect();
        if samples.is_empty() {
            return Err(io::Error::other("the archive of Inspect holds no samples"));
        }
        Ok(Box::new(SampleReader {
            archive,
            samples: samples.into_iter(),
            max_bytes,
            sample: Cursor::default(),
        }))
    }
}

/// A reader of the samples of an archive, each ended by a line feed.
struct SampleReader {
    archive: ZipArchive<SpooledTempFile>,
    /// The entries that are still to be read.
    samples: std::vec::IntoIter<usize>,
    /// The longest record, in bytes. A sample that is longer is not decompressed to its end.
    max_bytes: usize,
    /// The sample that is being read.
    sample: Cursor<Vec<u8>>,
}

impl Read for SampleReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.sample.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(entry) = self.samples.next() else {
                return Ok(0);
            };
            let mut bytes = Vec::new();
            let sample = self.archive.by_index(entry)?;
            let most = (self.max_bytes as u64).saturating_add(1);
            sample.take(most).read_to_end(&mut bytes)?;
            bytes.push(b'\n');
            self.sample = Cursor::new(bytes);
        }
    }
}

//! Bytes that wait for their turn: a little in memory, more in a file without a name.

use std::fmt;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use tempfile::SpooledTempFile;

/// The number of bytes kept in memory. Each thread of a run may hold as much.
const MAX_BYTES_IN_MEMORY: usize = 8 << 20;

/// Bytes that wait for their turn.
pub(crate) struct OutputSpool {
    file: SpooledTempFile,
    length: u64,
}

impl fmt::Debug for OutputSpool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.length)
    }
}

impl OutputSpool {
    /// Creates an empty spool. Bytes that exceed the memory limit go into a file in `directory`,
    /// which must exist by then.
    pub(crate) fn new(directory: &Path) -> Self {
        Self { file: tempfile::spooled_tempfile_in(MAX_BYTES_IN_MEMORY, directory), length: 0 }
    }

    /// Returns true if nothing was appended.
    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends bytes. Fails if the file can't be written. Some of the bytes may be in it.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Returns `length` bytes from `offset` on. Fails if the bytes can't be read.
    pub(crate) fn read_range(&mut self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.file.seek(io::SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        let read = Read::take(&mut self.file, length).read_to_end(&mut bytes)?;
        if read as u64 == length { Ok(bytes) } else { Err(Self::bytes_gone()) }
    }

    fn bytes_gone() -> io::Error {
        io::Error::new(io::ErrorKind::UnexpectedEof, "a temporary file is missing")
    }

    /// Copies all bytes into a writer. Fails if the bytes can't be read or written.
    pub(crate) fn copy_into(mut self, writer: &mut impl Write) -> io::Result<()> {
        self.file.rewind()?;
        let copied = io::copy(&mut Read::take(&mut self.file, self.length), writer)?;
        if copied == self.length { Ok(()) } else { Err(Self::bytes_gone()) }
    }
}

impl Write for OutputSpool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_memory_and_from_a_file() {
        let directory = tempfile::tempdir().unwrap();
        for pieces in [0, 3, 9] {
            let mut spool = OutputSpool::new(directory.path());
            let mut wanted = Vec::new();
            for piece in 0..pieces {
                let bytes = vec![piece; 1 << 20];
                spool.push(&bytes).unwrap();
                wanted.extend(bytes);
            }
            assert_eq!((spool.length == 0, spool.file.is_rolled()), (pieces == 0, pieces > 8));
            let mut got = Vec::new();
            spool.copy_into(&mut got).unwrap();
            assert!(got == wanted, "{pieces}");
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "the file has no name");
    }

    #[test]
    fn a_file_that_can_t_be_written_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let mut spool = OutputSpool::new(&directory.path().join("gone"));
        spool.push(&vec![0; MAX_BYTES_IN_MEMORY]).unwrap();
        assert!(spool.push(&[0]).is_err());
    }
}

//! Files that have a name once they are whole, and whose errors name them.

use crate::files::output::error::WriteError;
use std::io::{self, Write};
use std::path::Path;

/// A file that is being written.
pub(crate) trait NamedFile: Write {
    /// Returns the path that the file will have.
    fn path(&self) -> &Path;

    /// Removes all bytes behind the first `length` bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Appends bytes. Fails with an error that names the file.
    fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let written = self.write_all(bytes);
        written.map_err(WriteError::of_file(self.path()))
    }

    /// Keeps the first `length` bytes. Fails with an error that names the file.
    fn truncate(&mut self, length: u64) -> Result<(), WriteError> {
        let cut = self.cut(length);
        cut.map_err(WriteError::of_file(self.path()))
    }
}

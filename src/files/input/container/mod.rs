//! Files that are no JSON but hold conversations: each kind is read as JSON records, one after
//! another, and can't be written back.

mod aider_history;
mod inspect_archive;
#[cfg(feature = "parquet")]
mod parquet_file;

use std::io::{self, Read};

/// The bytes at the beginning of a file by which a container is told.
pub(super) const TOLD_BY_BYTES: usize = 64;

/// A kind of file that is read as JSON records.
pub(super) trait Container: Sync {
    /// Returns true if a file of this kind begins so.
    fn begins(&self, head: &[u8]) -> bool;

    /// Returns true if its records are rows of a data set. They can be written as lines of JSON,
    /// where other containers must be converted.
    fn is_table(&self) -> bool {
        false
    }

    /// Returns a reader of the records of a file. Of a record of more than `max_bytes` it may hand
    /// out only so much that it is seen to be too long. Fails if the file can't be read or holds no
    /// records.
    fn open(
        &self,
        file: Box<dyn Read + Send>,
        max_bytes: usize,
    ) -> io::Result<Box<dyn Read + Send>>;
}

const CONTAINERS: &[&dyn Container] = &[
    &inspect_archive::InspectArchive,
    &aider_history::AiderHistory,
    #[cfg(feature = "parquet")]
    &parquet_file::ParquetFile,
];

/// Returns the kind of container that begins so, if any.
pub(super) fn container_of(head: &[u8]) -> Option<&'static dyn Container> {
    CONTAINERS.iter().copied().find(|container| container.begins(head))
}

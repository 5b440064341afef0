//! Writing of outputs, archives, reports and messages.
//!
//! An output appears under its name only when it is complete: it is written to
//! a temporary file beside it, synced and renamed. The archives of what it no
//! longer holds are on the disk before that.

mod archive_sync;
mod atomic_file;
mod directories;
mod error;
mod message;
mod overwrite;
mod sink;
mod spool;
mod tree;

pub use atomic_file::AtomicFile;
pub use directories::create_empty_directory;
pub use error::{OverwriteError, WriteError};
pub use message::print_message;
pub use overwrite::OverwriteGuard;
pub use sink::OutputSink;
pub use spool::OutputSpool;
pub use tree::{DEFAULT_ARCHIVE, OutputTree, STDOUT};

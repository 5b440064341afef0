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
mod permissions;
mod sink;
mod spool;
mod tree;

pub(crate) use archive_sync::ReliantOutput;
pub(crate) use atomic_file::AtomicFile;
pub(crate) use directories::create_empty_directory;
pub(crate) use error::WriteError;
pub(crate) use message::{print_lines, print_message, print_result};
pub(crate) use overwrite::OverwriteGuard;
pub(crate) use permissions::AccessLimit;
pub(crate) use sink::OutputSink;
pub(crate) use spool::OutputSpool;
pub(crate) use tree::{OutputTree, STDOUT};

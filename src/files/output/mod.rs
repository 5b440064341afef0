//! Writing of outputs, archives, reports and messages.
//!
//! A run is a transaction: it locks the directories that it writes into, writes everything into the
//! run directory there, and publishes it in groups. The archives of what an output no longer holds
//! are on the disk before it appears.

mod absence;
mod atomic_file;
mod destination_checks;
mod directories;
mod error;
mod group;
mod journal;
mod journal_seal;
mod kept_results;
mod manifest_staging;
mod message;
mod origins;
mod overwrite;
mod permissions;
mod publication;
mod recovery;
mod report_file;
mod run_directory;
mod run_lock;
mod spool;
mod staged_file;
mod standing_outputs;
mod terms;
mod transaction;
mod tree;
mod tree_files;

pub(crate) use atomic_file::AtomicFile;
pub(crate) use directories::resolve_path;
pub(crate) use error::WriteError;
pub(crate) use group::{FinishedOutput, OutputSeal, PendingOutput};
pub(crate) use journal_seal::is_own_export;
pub(crate) use message::{fault_of_stdout, print_lines, print_message, print_result};
pub(crate) use overwrite::OverwriteGuard;
pub(crate) use permissions::AccessLimit;
pub(crate) use report_file::{ReportDestination, ReportFile};
pub(crate) use run_directory::{await_other_run, settle_dead_run};
pub(crate) use spool::OutputSpool;
pub(crate) use staged_file::{NamedFile, StagedFile, StagedName};
pub(crate) use terms::{LockMode, RunIdentity, WritingTerms};
pub(crate) use tree::{OutputTree, STDOUT};
pub(crate) use tree_files::{OutputReport, OutputSink};

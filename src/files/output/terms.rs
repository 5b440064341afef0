//! What a run may do to files that exist, and how other runs see it.

use crate::files::output::permissions::AccessLimit;
use std::path::PathBuf;

/// What to do where another run writes into the same directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum LockMode {
    /// Wait until the other run ends.
    #[default]
    Wait,
    /// Wait for a minute, then fail.
    WaitBriefly,
    /// Fail.
    Fail,
}

/// A run, as other runs see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunIdentity {
    /// The subcommand.
    pub command: &'static str,
    /// The time when the run began, for people.
    pub started: String,
}

/// The terms on which a run writes into directories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WritingTerms {
    /// Files that exist may be replaced.
    pub force: bool,
    /// Results of an earlier run that are whole and the same are kept, and others replaced.
    pub resumes: bool,
    /// What to do where another run writes.
    pub lock: LockMode,
    /// The widest permissions of what is made.
    pub access: AccessLimit,
    pub identity: RunIdentity,
    /// Where the keys of the user's journals may lie: private directories outside of all that runs
    /// write into. Without one, what a dead run decided is not carried out.
    pub key_directories: Vec<PathBuf>,
}

impl WritingTerms {
    /// Returns the terms of a caller without a command line: nothing is replaced or waited for.
    pub(crate) fn for_library(command: &'static str) -> Self {
        Self {
            force: false,
            resumes: false,
            lock: LockMode::Fail,
            access: AccessLimit::UMASK,
            identity: RunIdentity { command, started: String::new() },
            key_directories: Vec::new(),
        }
    }
}

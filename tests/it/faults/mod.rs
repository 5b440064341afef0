//! A fault at every system call of a small run, for every command: the files of before or those of
//! an undisturbed run, a message that names a file, and no leftover after the next run.

/// Limits of the system on file sizes and descriptors: a full disk at every block.
mod limits;
/// The runs that are disturbed, and what they may leave.
mod scenario;
/// Faults and kills that strace injects, where it is installed.
pub(crate) mod strace;

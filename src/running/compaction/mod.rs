//! A conversation's way through a compaction, the same for every command:
//!
//! ```text
//! Conversation --decide--> Planned --ask--> Asked --fill--> Filled --carry_out--> Carried
//! ```
//!
//! * [`Planned`] holds the decision: plain data that `plan` prints.
//! * [`Asked`] holds what will fill the plan's hole: a summary, or the promise of one.
//! * [`Filled`] holds the summary's text, and the plan as it can be carried out with it.
//! * [`Carried`] holds the bytes that change. What they no longer hold is in the archive.
//!
//! A step that fails yields a [`FailedCompaction`]: the plan that was made, and why the
//! conversation is written unchanged. `replay` and `evaluate` stop at `Filled`, `requests export` at
//! `Planned`.

mod archive_files;
mod carried;
mod converted_lines;
mod expected;
mod filled;
mod planned;
mod prelude;
mod question;
mod receiver;
mod report_entries;
mod report_files;
mod unit;
mod unit_bytes;

pub(crate) use archive_files::{
    ArchiveFile, KeptFile, mask_archive_files, pruned_messages, push_summary_section,
    summary_media, write_archive_files,
};
pub(crate) use carried::{Archive, ArchivePlace};
pub(crate) use expected::Job;
pub(crate) use filled::Filled;
pub(crate) use planned::{CompactionError, CompactionNotes, Planned};
pub(crate) use receiver::{CompactedOutput, UNREAD_COUNTER, UnitReceiver};
pub(crate) use report_entries::{EntryKinds, shown_texts};
pub(crate) use report_files::RunReports;
pub(crate) use unit::{Begun, CompactedUnit, UnitCompaction, UnitCompactor, UnitReport};

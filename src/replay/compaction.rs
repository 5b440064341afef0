//! The steps of a compaction that replay shares with `compact`: ask for a
//! summary, fill the plan's hole with it, archive what goes.

pub(crate) use crate::compaction::archived::{redact, section, write_all};
pub(crate) use crate::compaction::filled::{Noted, fill};
pub(crate) use crate::compaction::question::answer;

//! The state of reading an earlier summary, and the facts that it is read into.

use super::earlier_facts::EarlierFacts;
use super::earlier_sections::SummarySection;
use super::earlier_sink::SummarySink;
use super::fact::FactKind;
use super::file_actions::FileAction;
use std::borrow::Cow;

/// The facts of an earlier summary besides its references, files and errors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EarlierSummary<'r> {
    /// The section SESSION INTENT, or Objective.
    pub(crate) goal: Option<Cow<'r, str>>,
    /// The quotations of the user, newest first.
    pub(crate) requests: Vec<Cow<'r, str>>,
    /// Calls, records, findings and other prose.
    pub(crate) facts: EarlierFacts<'r>,
    /// The requests are a list of all that the user said.
    pub(crate) lists_messages: bool,
    /// The next steps.
    pub(crate) steps: Vec<Cow<'r, str>>,
    /// The steps were older than the newest request already.
    pub(crate) are_steps_older: bool,
}

/// The state of reading a summary line by line.
pub(super) struct SummaryReader<'n, 'r> {
    pub(super) sink: SummarySink<'n, 'r>,
    pub(super) summary: EarlierSummary<'r>,
    pub(super) section: SummarySection,
    /// The lines of the goal.
    pub(super) intent: Vec<&'r str>,
    /// The errors, newest first.
    pub(super) errors: Vec<&'r str>,
    /// The last line belongs to a quotation of the user, which indented lines continue.
    pub(super) is_quoting: bool,
    /// Number of blanks before the item that quotes the user.
    pub(super) quoted_indent: usize,
    /// The kind of the items of the list that was opened last.
    pub(super) list: Option<FactKind>,
    /// The folder that a mark stands for in the lists of files.
    pub(super) root: Option<&'r str>,
    /// The summary has the sections that this program writes.
    pub(super) is_ours: bool,
    /// What was done with the files of the list that was opened last.
    pub(super) listed: FileAction,
}

//! Reads the next steps of an earlier summary.

use super::earlier_reader::SummaryReader;
use super::fact::FactKind;
use crate::summary::extract::labels::{
    ANSWERED_BEFORE, DONE_TODOS, GOES_ON, LAST_ACTION, LAST_REPLY, NEXT_STEPS, NOT_ANSWERED,
    NOT_WRITTEN, OLDER_TODOS, OPEN_TODOS, SAID_BEFORE, SAID_LAST, STALE_TODOS,
};
use std::borrow::Cow;

impl<'r> SummaryReader<'_, 'r> {
    /// Reads a next step. The last action is a call among others, and what the assistant said last is no step
    /// any more, nor is what the messages that stayed told. Returns true if the line quotes the user.
    pub(super) fn read_step(&mut self, line: &'r str) -> bool {
        let older = line.strip_prefix(OLDER_TODOS);
        self.summary.are_steps_older |= older.is_some();
        let stale = || line.strip_prefix(STALE_TODOS);
        if let Some(open) = older
            .or_else(stale)
            .or_else(|| line.strip_prefix(OPEN_TODOS))
        {
            let steps = open.trim_end_matches([' ', '…']).split("; ");
            self.summary.steps.extend(steps.map(Cow::Borrowed));
        } else if let Some(request) = line.strip_prefix(NOT_ANSWERED) {
            // It is the user's newest request, even if it was answered since.
            self.summary.requests.insert(0, Cow::Borrowed(request));
            return true;
        } else if let Some(call) = line.strip_prefix(LAST_ACTION) {
            self.summary.facts.push_line(FactKind::Call, call);
        } else if let Some(next) = line.strip_prefix(NEXT_STEPS) {
            let steps = next.trim_end_matches([' ', '…']).split(" / ");
            self.summary.steps.extend(steps.map(Cow::Borrowed));
        } else if ![
            ANSWERED_BEFORE,
            DONE_TODOS,
            NOT_WRITTEN,
            LAST_REPLY,
            SAID_LAST,
            SAID_BEFORE,
            GOES_ON,
        ]
        .iter()
        .any(|label| line.starts_with(label))
        {
            self.summary.steps.push(Cow::Borrowed(line));
        }
        false
    }
}

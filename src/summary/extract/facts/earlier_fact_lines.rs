//! Reads the lines of an earlier summary that tell facts: calls, records, findings, errors, references.

use super::earlier_counts::{hidden_calls, records_heading};
use super::earlier_groups::parse_group;
use super::earlier_reader::SummaryReader;
use super::fact::FactKind;
use crate::summary::extract::labels::{
    CALL_MARK, CALLS_HEADING, CONSTRAINT, DEFINED, DEFINITIONS_HEADING, DONE, EARLIER,
    FINDING_MARK, FINDINGS_HEADING, FINISHED, OUTLINES_HEADING, PASSAGES_HEADING, RECORDS,
    ROW_MARK, TIP, USER_HEADING, USER_QUOTE,
};
use std::borrow::Cow;

impl<'r> SummaryReader<'_, 'r> {
    /// Reads a line of facts. `item` is the line without its bullet.
    pub(super) fn read_fact(&mut self, line: &'r str, item: &'r str) {
        let opened = match line {
            USER_HEADING => Some(None),
            FINDINGS_HEADING => Some(Some(FactKind::Finding)),
            DEFINITIONS_HEADING | DEFINED => Some(Some(FactKind::Definition)),
            OUTLINES_HEADING => Some(Some(FactKind::Outline)),
            PASSAGES_HEADING => Some(Some(FactKind::Passage)),
            _ if line.starts_with(CALLS_HEADING) => Some(Some(FactKind::Call)),
            _ => None,
        };
        if let Some(list) = opened {
            self.list = list;
            if list == Some(FactKind::Call) {
                self.summary.facts.hidden_calls += hidden_calls(line);
            }
            return;
        }
        let facts = &mut self.summary.facts;
        if let Some(request) = line.strip_prefix(USER_QUOTE) {
            self.summary.requests.push(Cow::Borrowed(request));
        } else if let Some(heading) = line.strip_prefix(RECORDS) {
            facts.headings.push(records_heading(heading));
        } else if let Some(row) = line.strip_prefix(ROW_MARK) {
            facts.push_record(row);
            self.sink.observe_row(row);
        } else if let (
            Some(
                kind @ (FactKind::Call
                | FactKind::Definition
                | FactKind::Outline
                | FactKind::Passage),
            ),
            Some(text),
        ) = (self.list, line.strip_prefix(CALL_MARK))
        {
            facts.push_line(kind, text);
        } else if let (Some(FactKind::Finding), Some(finding)) =
            (self.list, line.strip_prefix(FINDING_MARK))
        {
            facts.push_line(FactKind::Finding, finding);
        } else if let Some(calls) = line.strip_prefix(DONE) {
            facts.push_line(FactKind::Call, calls);
        } else if let Some(wish) = line.strip_prefix(CONSTRAINT) {
            facts.push_line(FactKind::Constraint, wish);
        } else if let Some(tip) = line.strip_prefix(TIP) {
            facts.push_line(FactKind::Tip, tip);
        } else if let Some(error) = line.strip_prefix("Error").filter(|rest| {
            rest.starts_with(": ") || rest.starts_with(" (x") || rest.starts_with(" (worked")
        }) {
            // What worked later is over.
            let (count, error) = error.split_once(": ").unwrap_or_default();
            self.errors
                .extend((!error.is_empty() && !count.contains("worked")).then_some(error));
        } else if let Some(group) = parse_group(item) {
            for (value, kinds) in group.values {
                self.sink.observe_reference(value, kinds, group.key);
            }
            return;
        } else {
            let prose = line.strip_prefix(EARLIER).unwrap_or(item);
            let prose = if line.starts_with(FINISHED) {
                line
            } else {
                prose
            };
            facts.push_line(FactKind::Earlier, prose);
        }
        self.sink.observe_identifiers(item);
    }
}

//! The collections that the facts of an earlier summary are added to.

use super::error_log::ErrorLog;
use super::places::{IN_ASSISTANT_TEXT, IN_EARLIER_SUMMARY};
use super::references::References;
use super::touched_files::TouchedFiles;
use crate::summary::extract::lex::identifier_kinds::{Kinds, kinds_of};
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::value_keys::ValueKey;

/// The collections that the facts of an earlier summary are added to.
pub(crate) struct SummarySink<'n, 'r> {
    pub(crate) references: &'n mut References<'r>,
    pub(crate) files: &'n mut TouchedFiles<'r>,
    pub(crate) errors: &'n mut ErrorLog<'r>,
    /// Index of the message that holds the summary.
    pub(crate) message: usize,
}

impl<'r> SummarySink<'_, 'r> {
    pub(super) fn observe_identifiers(&mut self, text: &'r str) {
        scan_identifiers(text, TextEncoding::Plain, &mut |identifier, kinds, _| {
            self.observe_reference(identifier, kinds, ValueKey::NONE)
        });
    }

    /// Observes the values in a row of a record that stand behind their names: `order_id A-17`, `total: 40`.
    pub(super) fn observe_row(&mut self, row: &'r str) {
        for part in row.split('|').flat_map(|cell| cell.split(", ")) {
            let pair = part.split_once(": ").or_else(|| part.split_once(' '));
            if let Some((name, value)) = pair
                && !name.contains(' ')
                && !value.contains(['(', ')', ' '])
                && let Some(kinds) = kinds_of(value)
            {
                self.observe_reference(value, kinds, ValueKey::from_name(name));
            }
        }
    }

    pub(super) fn observe_reference(&mut self, text: &'r str, kinds: Kinds, key: ValueKey<'r>) {
        self.references.observe(
            text,
            kinds,
            self.message,
            IN_ASSISTANT_TEXT | IN_EARLIER_SUMMARY,
            || key,
        );
    }
}

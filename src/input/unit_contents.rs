//! The contents of a unit while its file is cut.

use crate::input::unit::{InputFault, UnitItem, UnitItemKind};
use std::ops::Range;

/// The contents of one unit.
#[derive(Default)]
pub(super) struct UnitContents {
    pub(super) bytes: Vec<u8>,
    pub(super) items: Vec<UnitItem>,
    pub(super) faults: Vec<InputFault>,
    pub(super) is_last: bool,
    pub(super) records_before: u64,
}

impl UnitContents {
    /// Adds an item of the line that begins at `line_start`, unless it is empty.
    pub(super) fn push_line_item(
        &mut self,
        span: Range<usize>,
        line: u64,
        line_start: usize,
        kind: UnitItemKind,
    ) {
        if span.is_empty() {
            return;
        }
        // Lines without a record are many in some files, and one item is enough for them. The line
        // end of a record stays apart: it goes where the record goes.
        if kind == UnitItemKind::Between
            && let [.., before, last] = &mut self.items[..]
            && [before.kind, last.kind] == [kind, kind]
        {
            last.span.end = span.end;
            return;
        }
        let column = (span.start - line_start) as u64;
        self.items.push(UnitItem {
            span,
            line,
            column,
            kind,
        });
    }
}

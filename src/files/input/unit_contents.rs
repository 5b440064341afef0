//! The contents of a unit while its file is cut.

use crate::files::input::buffer::BOM;
use crate::files::input::unit::{InputFault, UnitItem, UnitItemKind};
use crate::files::input::{InputFile, InputUnit};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The contents of one unit.
#[derive(Default)]
pub(crate) struct UnitContents {
    pub(crate) bytes: Vec<u8>,
    pub(crate) items: Vec<UnitItem>,
    pub(crate) faults: Vec<InputFault>,
    pub(crate) is_last: bool,
    pub(crate) records_before: u64,
}

impl InputUnit {
    /// Returns a unit of a file.
    pub(crate) fn new(file: Arc<InputFile>, contents: UnitContents) -> Self {
        Self {
            file,
            bytes: contents.bytes,
            items: contents.items,
            faults: contents.faults,
            is_last: contents.is_last,
            records_before: contents.records_before,
            rebuilt: OnceLock::new(),
        }
    }
}

impl UnitContents {
    /// Adds the items of a line of `buffer`: a byte order mark, the record and the line end. Returns
    /// the span of the record, unless the line is blank.
    pub(super) fn push_line(
        &mut self,
        buffer: &[u8],
        span: Range<usize>,
        line: u64,
        drops_bom: bool,
    ) -> Option<Range<usize>> {
        let bytes = &buffer[span.clone()];
        let ends = bytes.last() == Some(&b'\n');
        let line_start = span.start;
        let mut start = span.start;
        if drops_bom && bytes.starts_with(BOM) {
            let bom = start..start + BOM.len();
            self.push_line_item(bom, line, line_start, UnitItemKind::Dropped);
            start += BOM.len();
        }
        let mut end = span.end - usize::from(ends);
        let has_return = ends && end > start && buffer[end - 1] == b'\r';
        end -= usize::from(has_return);
        let is_blank = buffer[start..end].trim_ascii().is_empty();
        let kind = if is_blank { UnitItemKind::Between } else { UnitItemKind::Record };
        self.push_line_item(start..end, line, line_start, kind);
        if has_return {
            self.push_line_item(end..end + 1, line, line_start, UnitItemKind::Dropped);
        }
        let newline = span.end - usize::from(ends)..span.end;
        self.push_line_item(newline, line, line_start, UnitItemKind::Between);
        (!is_blank).then_some(start..end)
    }

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
        self.items.push(UnitItem { span, line, column, kind });
    }
}

//! The bytes of a unit, put together again item by item with their edits made.

use crate::files::input::UnitItem;
use crate::reading::transcript::splice::Splice;
use crate::running::apply::RecordEdit;
use crate::running::compaction::prelude::*;
use std::collections::HashMap;

/// An edit of an item, and the thread that it belongs to.
struct ItemEdit {
    edit: RecordEdit,
    thread_id: String,
}

/// The edits of a unit, by item. Threads of one journal share items.
#[derive(Default)]
pub(super) struct UnitEdits {
    by_item: HashMap<usize, Vec<ItemEdit>>,
}

/// The bytes of a unit as they leave, and the bytes that were taken out of them.
#[derive(Default)]
pub(super) struct UnitBytes {
    pub(super) leaving: SplicedOutput,
    pub(super) originals: Vec<RemovedBytes>,
}

impl UnitEdits {
    pub(super) fn push(&mut self, item: usize, edit: RecordEdit, thread_id: &str) {
        let thread_id = thread_id.to_owned();
        let edits = self.by_item.entry(item).or_default();
        edits.push(ItemEdit { edit, thread_id });
    }

    /// Makes the edits. All other bytes of the unit are written unchanged.
    pub(super) fn assemble(mut self, unit: &InputUnit) -> UnitBytes {
        let mut bytes = UnitBytes::default();
        let mut removed: Option<RemovedBytes> = None;
        for (index, item) in unit.items.iter().enumerate() {
            let is_dropped = item.kind == UnitItemKind::Dropped;
            // A record that goes takes its line end along.
            if let Some(mut original) = removed.take() {
                let is_newline = &unit.bytes[item.span.clone()] == b"\n";
                if is_newline || is_dropped {
                    // Items lie directly behind each other.
                    original.undo.original.end = item.span.end;
                }
                if is_dropped && !is_newline {
                    // The line end is still to come, as `\n` comes behind `\r`.
                    removed = Some(original);
                    continue;
                }
                bytes.originals.push(original);
                if is_newline {
                    continue;
                }
            }
            if is_dropped {
                let original = bytes.cut(item, None);
                bytes.originals.push(original);
                continue;
            }
            let Some(edits) = self.by_item.remove(&index) else {
                bytes.leaving.keep_range(item.span.clone());
                continue;
            };
            let removal = edits.iter().find(|edit| edit.edit == RecordEdit::Remove);
            match removal {
                Some(ItemEdit { thread_id, .. }) => {
                    removed = Some(bytes.cut(item, Some(thread_id.clone())));
                }
                None => bytes.splice(item, edits),
            }
        }
        bytes.originals.extend(removed);
        bytes
    }
}

impl UnitBytes {
    fn cut(&mut self, item: &UnitItem, thread_id: Option<String>) -> RemovedBytes {
        RemovedBytes {
            undo: self.leaving.replace_range(item.span.clone(), Vec::new()),
            line: item.line,
            thread_id,
        }
    }

    fn splice(&mut self, item: &UnitItem, edits: Vec<ItemEdit>) {
        let mut splices: Vec<(Splice, String)> = Vec::new();
        for ItemEdit { edit, thread_id } in edits {
            if let RecordEdit::Splice(of_edit) = edit {
                let of_edit = of_edit.into_iter();
                splices.extend(of_edit.map(|splice| (splice, thread_id.clone())));
            }
        }
        splices.sort_by_key(|(splice, _)| splice.span);
        let (splices, threads): (Vec<Splice>, Vec<String>) = splices.into_iter().unzip();
        let undos = self.leaving.push_spliced(item.span.clone(), splices);
        for (undo, thread_id) in undos.into_iter().zip(threads) {
            self.originals.push(RemovedBytes { undo, line: item.line, thread_id: Some(thread_id) });
        }
    }
}

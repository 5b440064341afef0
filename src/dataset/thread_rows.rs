//! The rows of one thread, spooled to disk, and what of its samples is not written.

use crate::base::secrets::Redaction;
use crate::convert::masked_json::mask_json;
use crate::dataset::columns::NamedType;
use crate::dataset::drops::{DropReason, DroppedSample};
use crate::dataset::sketch::Sketch;
use crate::files::output::{OutputSpool, OutputTree};
use std::collections::BTreeSet;
use std::io;

/// The facts about a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowFacts {
    /// The number of the sample in its thread, from 0.
    pub(crate) sample: usize,
    /// Bytes with the line end.
    pub(crate) bytes: u64,
    pub(crate) tokens: usize,
    pub(crate) messages: usize,
    /// The number of answers that are trained on.
    pub(crate) answers: usize,
    /// The hash of the messages, tools and masks.
    pub(crate) digest: u128,
}

/// A row of a data set.
pub(crate) struct DatasetRow {
    /// The line with its line end.
    pub(crate) bytes: Vec<u8>,
    pub(crate) facts: RowFacts,
    /// The other columns.
    pub(super) columns: Vec<NamedType>,
    /// The sketch, where near duplicates are dropped.
    pub(super) sketch: Option<Sketch>,
}

#[derive(Default)]
pub(crate) struct MadeSample {
    pub(super) row: Option<DatasetRow>,
    /// What of the sample is not written. Its number is not yet known.
    pub(super) drop: Option<DroppedSample>,
    /// Descriptions of what rows can't hold.
    pub(super) left_out: BTreeSet<String>,
    /// True if system messages of the conversation are in the system prompt.
    pub(super) moved: bool,
    /// How much of the row was masked.
    pub(super) masked: u64,
}

impl MadeSample {
    /// A sample that is not written.
    pub(crate) fn dropped(reason: DropReason) -> Self {
        Self { drop: Some(DroppedSample::new(reason)), ..Self::default() }
    }

    fn with(mut self, change: impl FnOnce(&mut DroppedSample)) -> Self {
        if let Some(drop) = &mut self.drop {
            change(drop);
        }
        self
    }

    pub(super) fn too_long(tokens: usize) -> Self {
        Self::dropped(DropReason::TooLong).with(|drop| drop.tokens = Some(tokens))
    }

    pub(crate) fn masked(mut self, redaction: Redaction) -> Self {
        if let Some(row) = &mut self.row {
            self.masked = mask_json(&mut row.bytes, redaction);
            row.facts.bytes = row.bytes.len() as u64;
        }
        self
    }

    /// Sets the number of answers that are not written.
    pub(crate) fn with_answers(self, answers: usize) -> Self {
        self.with(|drop| drop.answers = answers)
    }

    /// Names the message that is to blame, by its index in the sample.
    pub(super) fn at_message(self, index: usize) -> Self {
        self.with(|drop| drop.message = Some(index + 1))
    }
}

#[derive(Default)]
pub(crate) struct ThreadRows {
    pub(super) spool: Option<OutputSpool>,
    pub(super) facts: Vec<RowFacts>,
    /// The other columns of the rows, which are the same in each.
    pub(super) columns: Vec<NamedType>,
    /// The sketches of the rows, where near duplicates are dropped.
    pub(super) sketches: Vec<Sketch>,
    pub(super) dropped: Vec<DroppedSample>,
    left_out: BTreeSet<String>,
    moved: bool,
    masked: u64,
    samples: usize,
}

impl ThreadRows {
    /// Adds the outcome of the next sample. Fails if its row can't be put aside.
    pub(crate) fn push(&mut self, made: MadeSample, tree: &OutputTree) -> io::Result<()> {
        self.dropped.extend(made.drop.map(|drop| DroppedSample {
            sample: Some(self.samples),
            shortened: made.row.is_some(),
            ..drop
        }));
        self.samples += 1;
        self.left_out.extend(made.left_out);
        self.moved |= made.moved;
        self.masked += made.masked;
        let Some(row) = made.row else {
            return Ok(());
        };
        self.facts.push(RowFacts { sample: self.samples - 1, ..row.facts });
        self.columns = row.columns;
        self.sketches.extend(row.sketch);
        let spool = self.spool.get_or_insert_with(|| tree.new_spool());
        spool.push(&row.bytes)
    }

    /// Returns how much of the rows was masked.
    pub(crate) fn masked(&self) -> u64 {
        self.masked
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.facts.len()
    }

    /// Returns warnings about what rows can't hold, and what is in another place.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let kinds: Vec<&str> = self.left_out.iter().map(String::as_str).collect();
        let left_out = (!kinds.is_empty()).then(|| {
            format!(
                "left out of samples, because the target has no place for it: {}",
                kinds.join(", ")
            )
        });
        let moved = "system messages inside the conversation move to the system prompt of samples";
        let moved = self.moved.then(|| moved.to_owned());
        left_out.into_iter().chain(moved)
    }
}

//! Writes the files of a data set: the rows of each split in shards, the list of what was dropped,
//! the data set card, and LLaMA-Factory's description.

use crate::dataset::card::{self, CardFacts};
use crate::dataset::columns::ColumnTypes;
use crate::dataset::drops::{DROPPED_FILE, DropReason, DroppedLine, DroppedSample};
use crate::dataset::options::{DataFileType, DatasetOptions};
use crate::dataset::seen_rows::SeenRows;
use crate::dataset::shard_file::{RowStore, ShardFile, ShardForm};
use crate::dataset::sums::{DATA_FOLDER, DatasetSums, SplitSums};
use crate::dataset::thread_rows::{RowFacts, ThreadRows};
use crate::files::output::{NamedFile, OutputTree, StagedFile, StagedName, WriteError};
use std::collections::BTreeSet;

const CARD_FILE: &str = "README.md";
/// LLaMA-Factory's description.
const INFO_FILE: &str = "dataset_info.json";

/// The shards of a split while they are written.
#[derive(Default)]
struct SplitShards {
    sums: SplitSums,
    finished: Vec<StagedName>,
    open: Option<ShardFile>,
    /// The rows, if they are written at the end: in another order, or with columns that the last of
    /// them may add to.
    waiting: Option<RowStore>,
}

impl SplitShards {
    fn count_row(&mut self, facts: &RowFacts) {
        let sums = &mut self.sums;
        sums.samples += 1;
        sums.answers += facts.answers as u64;
        sums.messages += facts.messages as u64;
        sums.tokens += facts.tokens as u64;
        sums.longest = sums.longest.max(facts.tokens);
        sums.bytes += facts.bytes;
    }

    /// Appends a row to the last shard, or begins another.
    fn write_row(
        &mut self,
        row: &[u8],
        form: &ShardForm<'_>,
        tree: &OutputTree,
    ) -> Result<(), WriteError> {
        let bytes = row.len() as u64;
        if self.open.as_ref().is_some_and(|shard| shard.is_full(bytes, form)) {
            self.end_shard()?;
        }
        let shard = match self.open.take() {
            Some(shard) => shard,
            None => {
                let (split, number) = (&self.sums.split, self.finished.len());
                let extension = form.file_type.extension();
                let name = format!("{DATA_FOLDER}/{split}-{number:05}.{extension}");
                ShardFile::create(&name, form, tree)?
            }
        };
        self.open.insert(shard).push(row)
    }

    fn end_shard(&mut self) -> Result<(), WriteError> {
        if let Some(shard) = self.open.take() {
            self.finished.push(shard.finish()?);
        }
        Ok(())
    }

    /// Writes the rows that wait, and adds all shards to the publication under their final names.
    fn publish(&mut self, form: &ShardForm<'_>, tree: &OutputTree) -> Result<(), WriteError> {
        if let Some(mut rows) = self.waiting.take() {
            rows.shuffle();
            for index in 0..rows.len() {
                let row = rows.row(index);
                let row = row.map_err(WriteError::of_file(DATA_FOLDER.as_ref()))?;
                self.write_row(&row, form, tree)?;
            }
        }
        self.end_shard()?;
        let shards = self.finished.len();
        for (number, file) in self.finished.drain(..).enumerate() {
            let (split, extension) = (&self.sums.split, form.file_type.extension());
            let name = format!("{DATA_FOLDER}/{split}-{number:05}-of-{shards:05}.{extension}");
            tree.join_result_as(file, &name)?;
            self.sums.files.push(name);
        }
        Ok(())
    }
}

/// Writes the files of a data set.
pub(crate) struct DatasetWriter<'t> {
    tree: &'t OutputTree,
    options: &'t DatasetOptions,
    splits: Vec<SplitShards>,
    dropped: StagedFile,
    sums: DatasetSums,
    seen: SeenRows,
    columns: ColumnTypes,
}

impl<'t> DatasetWriter<'t> {
    /// Begins the files. Fails if a file can't be created.
    pub(crate) fn create(
        tree: &'t OutputTree,
        options: &'t DatasetOptions,
    ) -> Result<Self, WriteError> {
        // Then no row can be written before all are made.
        let writes_at_the_end =
            options.shuffle.is_some() || options.file_type != DataFileType::JsonLines;
        let new_split = |name: &str| SplitShards {
            sums: SplitSums { split: name.to_owned(), ..SplitSums::default() },
            waiting: writes_at_the_end.then(|| RowStore::new(options.shuffle, tree.new_spool())),
            ..SplitShards::default()
        };
        Ok(Self {
            tree,
            options,
            splits: options.splits.names().map(new_split).collect(),
            dropped: tree.create_result(DROPPED_FILE)?,
            sums: DatasetSums { target: options.target.name, ..DatasetSums::default() },
            seen: SeenRows::new(options.duplicates),
            columns: ColumnTypes::default(),
        })
    }

    /// The names of the files beside the rows.
    pub(crate) const SIDE_FILES: [&'static str; 3] = [CARD_FILE, DROPPED_FILE, INFO_FILE];

    /// Writes the rows of a thread that is in a file at a line. Fails if a file can't be read
    /// or written.
    pub(crate) fn write_thread(
        &mut self,
        thread_id: &str,
        file: &str,
        line: u64,
        mut rows: ThreadRows,
    ) -> Result<(), WriteError> {
        let split = self.options.splits.split_of(thread_id);
        let mut dropped = std::mem::take(&mut rows.dropped);
        if dropped.is_empty() && rows.facts.is_empty() {
            dropped.push(DroppedSample::new(DropReason::NoAnswer));
        }
        dropped.iter().for_each(|drop| self.count_drop(drop));
        self.columns.observe_row(&rows.columns);
        let mut offset = 0;
        let mut spool = rows.spool.take();
        for (index, facts) in rows.facts.iter().enumerate() {
            let start = offset;
            offset += facts.bytes;
            if let Some(reason) = self.seen.observe_row(facts, rows.sketches.get(index)) {
                let drop = DroppedSample {
                    sample: Some(facts.sample),
                    answers: facts.answers,
                    ..DroppedSample::new(reason)
                };
                self.count_drop(&drop);
                dropped.push(drop);
                continue;
            }
            let Some(spool) = &mut spool else { continue };
            let row = spool.read_range(start, facts.bytes);
            let row = row.map_err(WriteError::of_file(DATA_FOLDER.as_ref()))?;
            self.write_row(split, &row, facts)?;
        }
        for sample in &dropped {
            let line = DroppedLine { thread_id, file, line, sample };
            let mut bytes = serde_json::to_vec(&line).unwrap_or_default();
            bytes.push(b'\n');
            self.dropped.append(&bytes)?;
        }
        Ok(())
    }

    fn write_row(&mut self, split: usize, row: &[u8], facts: &RowFacts) -> Result<(), WriteError> {
        let shards = &mut self.splits[split];
        shards.count_row(facts);
        match &mut shards.waiting {
            Some(rows) => rows.push(row).map_err(WriteError::of_file(DATA_FOLDER.as_ref())),
            None => shards.write_row(row, &ShardForm::new(self.options, &[]), self.tree),
        }
    }

    fn count_drop(&mut self, drop: &DroppedSample) {
        self.sums.answers_dropped += drop.answers as u64;
        if drop.shortened {
            self.sums.shortened += 1;
        } else {
            *self.sums.dropped.entry(drop.reason).or_default() += 1;
        }
    }

    /// Writes the files that describe the rows, and adds all files but the list of what was dropped
    /// to the publication. Returns that list and the sums. Fails if a file can't be written.
    pub(crate) fn finish(
        mut self,
        facts: &CardFacts,
    ) -> Result<(StagedName, DatasetSums), WriteError> {
        let mut written = BTreeSet::new();
        let mut features = (self.options.target.features)();
        features.extend(self.columns.features());
        let form = ShardForm::new(self.options, &features);
        for split in &mut self.splits {
            split.publish(&form, self.tree)?;
            written.extend(split.sums.files.iter().cloned());
            self.sums.splits.push(std::mem::take(&mut split.sums));
        }
        self.tree.remove_other_results(DATA_FOLDER, &written)?;
        let card = card::render_card(self.options, &self.sums, &self.columns, facts);
        self.write_side_file(CARD_FILE, &card)?;
        if self.options.target.in_dataset_info {
            self.write_side_file(INFO_FILE, &card::render_dataset_info(&self.sums))?;
        } else {
            self.tree.remove_result(INFO_FILE)?;
        }
        Ok((self.dropped.finish()?, self.sums))
    }

    fn write_side_file(&self, name: &str, text: &str) -> Result<(), WriteError> {
        let mut file = self.tree.create_result(name)?;
        file.append(text.as_bytes())?;
        self.tree.join_result(file)
    }
}

//! `epitome unpack`: the files that one run would have written, from rows; and how files of rows are
//! read.

use crate::commands::prelude::*;
use crate::files::input::{Compression, InputFile, open_decompressed};
use crate::running::stream::{RowReader, StreamRow, StreamRowError, last_unit};
use crate::settings::cli::{UnpackArgs, When};
use std::io::{BufReader, Read};

/// Writes the files that `compact --names content` would have written. Fails if an option is wrong,
/// a line is no row, or a file can't be written. Nothing of an unfinished file appears.
pub(crate) fn run(arguments: &UnpackArgs) -> Result<Ending> {
    if arguments.output == Path::new(STDOUT) {
        bail!("-o -: unpack writes a directory; `jq -r .record` prints the records of rows");
    }
    let named = NamedInputs { paths: &arguments.rows, rules: PathRules::default() };
    let inputs = collect_named_inputs(&named, &[&arguments.output])?;
    let terms = writing_terms("unpack", arguments.force, arguments.lock);
    let tree = OutputTree::new(&arguments.output, None, &inputs, &[], &terms)?.without_origins();
    let kinds = EntryKinds::of_requests(&[]);
    let stop = StopFlag::default();
    let mut unpacked = unpack_files(&inputs, &tree, &kinds, &stop)?;
    // Rows have these reasons in words only.
    unpacked.digest.totals.stayed.clear();
    if !arguments.quiet {
        print_lines(
            render_run_table(&unpacked.digest, talk_columns(), talk_table_columns()).trim_end(),
        );
    }
    Ok(Ending::success())
}

fn unpack_files(
    inputs: &[InputEntry],
    tree: &OutputTree,
    kinds: &EntryKinds,
    stop: &StopFlag,
) -> Result<CompactedOutput> {
    let reports = RunReports::open(&[], kinds, tree.create_report()?, None, tree.access())?;
    let settings = RunSettings {
        jobs: 1,
        max_errors: MaxErrors::All,
        quiet: true,
        annotations: None,
        progress: When::Never,
    };
    let log = RunLog::beside_report(Progress::new(When::Never, true, None), &settings);
    let facts = RunFacts {
        is_reported: false,
        command: "epitome unpack".to_owned(),
        time: String::new(),
        inputs: Vec::new(),
        policy: String::new(),
    };
    let mut receiver = UnitReceiver::new(tree, reports, kinds, facts, log, stop, true);
    for (index, input) in inputs.iter().enumerate() {
        unpack_file(index, input, tree, &mut receiver)?;
    }
    Ok(receiver.finish().map_err(RunError::BrokeOff)?)
}

fn unpack_file(
    index: usize,
    input: &InputEntry,
    tree: &OutputTree,
    receiver: &mut UnitReceiver<'_>,
) -> Result<()> {
    let mut rows = RowFile::open(input)?;
    let file = Arc::new(InputFile {
        index,
        name: input.name.clone(),
        relative_path: input.relative_path.clone(),
        output: input.output.clone(),
        format: None,
        is_format_named: false,
        has_known_records: true,
        shape: Shape::Conversation,
        compression: rows.compression,
    });
    let mut lines = 0;
    while let Some(row) = rows.next_row()? {
        let first = lines + 1;
        lines += row.lines;
        let unpacked = row.unpack(&file, first, tree);
        let unpacked = unpacked.map_err(|error| match error {
            StreamRowError::Write(fault) if !fault.is_refusal() => {
                anyhow::Error::from(RunError::BrokeOff(fault))
            }
            error => rows.error(error),
        })?;
        let received = receiver.receive(&unpacked.unit, unpacked.compacted);
        received.map_err(RunError::BrokeOff)?;
    }
    let last = last_unit(&file, lines);
    let received = receiver.receive(&last.unit, last.compacted);
    Ok(received.map_err(RunError::BrokeOff)?)
}

pub(super) struct RowFile {
    name: String,
    rows: RowReader<BufReader<Box<dyn Read + Send>>>,
    pub(super) compression: Compression,
}

impl RowFile {
    pub(super) fn open(entry: &InputEntry) -> Result<Self> {
        let opened = open_decompressed(entry);
        let (reader, compression) = opened.with_context(|| entry.name.clone())?;
        Ok(Self {
            name: entry.name.clone(),
            rows: RowReader::new(BufReader::new(reader)),
            compression,
        })
    }

    /// Returns the next row, or none at the end.
    pub(super) fn next_row(&mut self) -> Result<Option<StreamRow>> {
        let row = self.rows.next_row();
        row.map_err(|error| self.error(error))
    }

    /// Places an error about the last row.
    pub(super) fn error(&self, error: StreamRowError) -> anyhow::Error {
        anyhow!("{}:{}: the line {error}", self.name, self.rows.line)
    }
}

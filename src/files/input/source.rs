//! The inputs of a run as a sequence of units.

use crate::files::input::buffer::{BufferPool, ReadBuffer};
use crate::files::input::compression::{Compression, CountingReader, decode, decode_without_limit};
use crate::files::input::entry::{InputEntry, ReadOptions};
use crate::files::input::error::{FramingError, InputError};
use crate::files::input::extensions::whole_jsonl_name;
use crate::files::input::foreign_file::recognize_foreign_file;
use crate::files::input::framing::{self, FileFraming, oversize_reason};
use crate::files::input::head::{self, DetectionReport, FramingKind};
use crate::files::input::unit::{InputFault, InputFile, InputUnit, UnitContents, UnitItemKind};
use crate::reading::format::{Format, Shape};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The next piece of work.
pub(crate) enum InputClaim {
    /// A unit to work on.
    Unit(InputUnit),
    /// A file that can't be read any further. Nothing of its output may be published.
    Failed {
        /// The position of the file in the run.
        index: usize,
        /// The name of the file in messages.
        name: String,
        error: InputError,
    },
}

/// Reads the inputs of a run in order and hands them out as units.
pub(crate) struct InputSource {
    inputs: VecDeque<(usize, InputEntry)>,
    options: ReadOptions,
    open: Option<(Arc<InputFile>, FileFraming)>,
    /// The number of bytes read so far, before decompression.
    pub bytes_read: Arc<AtomicU64>,
    /// The pool that takes back the memory of finished units.
    pub spares: BufferPool,
}

impl InputSource {
    /// Creates a source that reads `inputs` in order.
    pub(crate) fn new(inputs: Vec<InputEntry>, options: ReadOptions) -> Self {
        Self {
            inputs: inputs.into_iter().enumerate().collect(),
            options,
            open: None,
            bytes_read: Arc::default(),
            spares: BufferPool::default(),
        }
    }

    /// Returns the next unit, or the failure of the next file. Returns none at the end of the last
    /// input.
    pub(crate) fn claim_next(&mut self) -> Option<InputClaim> {
        loop {
            if let Some((file, framing)) = &mut self.open {
                let file = Arc::clone(file);
                return Some(match framing.next_unit(self.options) {
                    Ok(contents) => {
                        if contents.is_last {
                            self.open = None;
                        }
                        InputClaim::Unit(InputUnit::new(file, contents))
                    }
                    Err(error) => {
                        self.open = None;
                        InputClaim::Failed {
                            index: file.index,
                            name: file.name.clone(),
                            error: error.into(),
                        }
                    }
                });
            }
            let (index, input) = self.inputs.pop_front()?;
            match self.open_file(index, &input) {
                Ok(opened) => self.open = Some(opened),
                Err(error) => {
                    return Some(InputClaim::Failed { index, name: input.name, error });
                }
            }
        }
    }

    fn open_file(
        &self,
        index: usize,
        input: &InputEntry,
    ) -> Result<(Arc<InputFile>, FileFraming), InputError> {
        let counted = CountingReader {
            inner: input.open().map_err(InputError::Open)?,
            count: Arc::clone(&self.bytes_read),
        };
        let decoded = decode(Box::new(counted), self.options).map_err(head_error)?;
        let opened = framing::open(decoded.reader, input, self.options, self.spares.clone())
            .map_err(InputError::ReadHead)?;
        let tells_lines = self.options.tells_each_line
            && opened.framing.kind == FramingKind::Lines
            && opened.detected.shape == Shape::Conversation;
        let file = InputFile {
            index,
            name: input.name.clone(),
            relative_path: if decoded.is_container {
                whole_jsonl_name(&input.relative_path)
            } else {
                input.relative_path.clone()
            },
            output: input.output.clone(),
            format: match tells_lines {
                true => self.options.format,
                false => opened.detected.format,
            },
            is_format_named: self.options.format.is_some(),
            has_known_records: tells_lines || opened.detected.has_known_records,
            shape: opened.detected.shape,
            compression: decoded.compression,
        };
        Ok((Arc::new(file), opened.framing))
    }
}

/// Cuts a file whose contents are in memory into units. Fails if its beginning can't be read, or
/// lines that belong together are too long.
pub(crate) fn units_in_memory(
    name: &str,
    contents: Vec<u8>,
    options: ReadOptions,
) -> Result<Vec<InputUnit>, InputError> {
    let mut source = InputSource::new(vec![InputEntry::in_memory(name, contents)], options);
    let mut units = Vec::new();
    while let Some(claim) = source.claim_next() {
        match claim {
            InputClaim::Unit(unit) => units.push(unit),
            InputClaim::Failed { error, .. } => return Err(error),
        }
    }
    Ok(units)
}

fn head_error(error: io::Error) -> InputError {
    InputError::ReadHead(FramingError::Io(error))
}

/// Opens an input and returns its decompressed bytes, with the compression that was found. Fails if
/// the file can't be opened, or its first bytes can't be read.
pub(crate) fn open_decompressed(
    input: &InputEntry,
) -> Result<(Box<dyn Read + Send>, Compression), InputError> {
    decode_without_limit(input.open().map_err(InputError::Open)?).map_err(head_error)
}

/// Detects framing and format of a file as reading it would. Fails if the beginning of the file
/// can't be read, or it holds no JSON.
pub(crate) fn explain_detection(
    input: &InputEntry,
    options: ReadOptions,
) -> Result<DetectionReport, InputError> {
    let raw = input.open().map_err(InputError::Open)?;
    let decoded = decode(raw, options).map_err(head_error)?;
    let mut buffer = ReadBuffer::new(decoded.reader, BufferPool::default());
    let detection = head::explain_votes(&mut buffer, options).map_err(head_error)?;
    match recognize_foreign_file(buffer.bytes()) {
        Some(file) if detection.decided.is_none() => {
            Err(InputError::ReadHead(FramingError::Foreign(file)))
        }
        _ => Ok(detection),
    }
}

/// Makes a unit of each line: nothing in it depends on other lines.
pub(crate) struct LineUnits {
    file: Arc<InputFile>,
    max_record_bytes: usize,
}

impl LineUnits {
    /// Makes units of the lines of a stream with this name. Each is read as `format`, or as the format
    /// that it shows by itself.
    pub(crate) fn new(
        name: &str,
        format: Option<&'static dyn Format>,
        max_record_bytes: usize,
    ) -> Self {
        let file = InputFile {
            index: 0,
            name: name.to_owned(),
            relative_path: PathBuf::from(name),
            output: PathBuf::from(name),
            format,
            is_format_named: format.is_some(),
            has_known_records: true,
            shape: Shape::Conversation,
            compression: Compression::None,
        };
        Self { file: Arc::new(file), max_record_bytes }
    }

    /// Makes the unit of a line, which is line `number` of the stream. Its bytes include the line
    /// end, if it has one.
    pub(crate) fn unit(&self, bytes: Vec<u8>, number: u64) -> InputUnit {
        let mut contents = UnitContents::default();
        let whole = 0..bytes.len();
        if bytes.len() > self.max_record_bytes {
            contents.push_line_item(whole, number, 0, UnitItemKind::Between);
            contents.faults.push(InputFault {
                line: number,
                column: None,
                reason: oversize_reason(self.max_record_bytes),
            });
        } else {
            contents.push_line(&bytes, whole, number, true);
        }
        // Only a line without an end can be one that is still written.
        contents.is_last = bytes.last() != Some(&b'\n');
        contents.bytes = bytes;
        contents.records_before = number.saturating_sub(1);
        InputUnit::new(Arc::clone(&self.file), contents)
    }
}

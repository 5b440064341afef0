//! ReadOptions: files, directories and stdin become units of work, in order.
//!
//! A unit is a stretch of one file that can be worked on by itself: some
//! conversations, or all records of the threads that lie in it. Its items cover
//! every byte, so that what nobody touches is copied, separators and all.

mod buffer;
mod compression;
mod elements;
mod files;
mod framing;
mod head;
mod item;
pub mod line_files;
mod threads;

pub use buffer::BufferPool;
pub use compression::{Compression, Encoder, encoder};
pub use files::{
    CollectedInputs, InputEntry, STDIN, collect_inputs, collect_outputs, name_outputs_jsonl,
    outputs_with_originals,
};
pub use item::{InputFault, UnitItem, UnitItemKind};

use crate::format::journal::RebuiltJournal;
use crate::format::{Format, FormatVerdict, Shape};
use anyhow::{Context, Result};
use framing::{FileFraming, UnitContents};
use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Bytes that a unit aims at: enough to make handing it out cheap, and few enough to be still in the processor's cache when it
/// is worked on.
const UNIT_BYTES: usize = 256 << 10;
const READ_BUFFER: usize = 128 << 10;
/// What it may mean that a file ends too early.
pub const UNTERMINATED: &str = " (unterminated; the file may still be written)";

/// One input file as the run sees it.
pub struct InputFile {
    /// Place in the run, from 0.
    pub index: usize,
    /// How messages name it.
    pub name: String,
    /// As in [`InputEntry`].
    pub relative_path: PathBuf,
    /// As in [`InputEntry`].
    pub output: PathBuf,
    /// Its format; none where no record of its beginning is known.
    pub format: Option<&'static dyn Format>,
    /// What its records are.
    pub shape: Shape,
    /// How it is compressed; its output is compressed alike.
    pub compression: Compression,
}

/// One stretch of a file.
pub struct InputUnit {
    /// The file.
    pub file: Arc<InputFile>,
    /// Its bytes, decompressed.
    pub bytes: Vec<u8>,
    /// What they are; the spans cover `bytes` in order.
    pub items: Vec<UnitItem>,
    /// What is wrong with bytes that are no record to be read.
    pub faults: Vec<InputFault>,
    /// Whether the file ends here.
    pub is_last: bool,
    /// How many records of the file lie before it.
    pub records_before: u64,
    /// What is told from its records, where they are a journal: the conversations point into it.
    pub rebuilt: OnceLock<Vec<RebuiltJournal>>,
}

/// What the next claim yields.
pub enum InputClaim {
    /// Work.
    Unit(InputUnit),
    /// A file that can't be read (on): nothing of it may be published.
    Failed {
        /// The file's place in the run.
        index: usize,
        /// How messages name it.
        name: String,
        /// Why.
        error: anyhow::Error,
    },
}

/// How to read.
#[derive(Clone, Copy)]
pub struct ReadOptions {
    /// The format that the user names.
    pub format: Option<&'static dyn Format>,
    /// Longer records pass through unread.
    pub max_record_bytes: usize,
    /// At most so many records a unit: 1 where each takes long.
    pub records_per_unit: usize,
}

/// What a file looks like at its beginning, and what follows from it.
pub struct DetectionReport {
    /// How it falls into records.
    pub framing: &'static str,
    /// How it is read; none where no format knows any of its first records.
    pub decided: Option<(&'static dyn Format, Shape)>,
    /// What its first records say.
    pub verdict: FormatVerdict,
}

/// Looks at the beginning of a file as reading it would.
///
/// # Errors
/// If it can't be read.
pub fn explain_detection(input: &InputEntry, reading: ReadOptions) -> Result<DetectionReport> {
    let (reader, _) = open_decompressed(input)?;
    head::explain(
        &mut buffer::Buffer::new(reader, BufferPool::default()),
        reading,
    )
    .context("can't read it")
}

/// The decompressed bytes of a file, and how it was compressed.
///
/// # Errors
/// If it can't be opened, or its first bytes can't be read.
pub fn open_decompressed(input: &InputEntry) -> Result<(Box<dyn Read + Send>, Compression)> {
    compression::decoder(input.open().context("can't open it")?).context("can't read it")
}

/// A file's bytes as they are; none if it does not exist.
///
/// # Errors
/// If it can't be opened.
pub fn open_if_exists(path: &Path) -> Result<Option<impl BufRead + use<>>> {
    match fs::File::open(path) {
        Ok(file) => Ok(Some(BufReader::with_capacity(READ_BUFFER, file))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("can't read {}", path.display())),
    }
}

/// All inputs, one after the other.
pub struct InputSource {
    inputs: VecDeque<(usize, InputEntry)>,
    reading: ReadOptions,
    open: Option<(Arc<InputFile>, FileFraming)>,
    /// Bytes of compressed or plain input read so far, for progress.
    pub bytes_read: Arc<std::sync::atomic::AtomicU64>,
    /// Where units' memory goes when they are done.
    pub spares: BufferPool,
}

impl InputSource {
    /// Reads `inputs` in order.
    #[must_use]
    pub fn new(inputs: Vec<InputEntry>, reading: ReadOptions) -> Self {
        Self {
            inputs: inputs.into_iter().enumerate().collect(),
            reading,
            open: None,
            bytes_read: Arc::default(),
            spares: BufferPool::default(),
        }
    }

    /// The next stretch of input; none at the end.
    pub fn claim_next(&mut self) -> Option<InputClaim> {
        loop {
            if let Some((file, framing)) = &mut self.open {
                let file = Arc::clone(file);
                return Some(match framing.next(self.reading) {
                    Ok(stretch) => {
                        if stretch.is_last {
                            self.open = None;
                        }
                        {
                            let UnitContents {
                                bytes,
                                items,
                                faults,
                                is_last,
                                records_before,
                            } = stretch;
                            InputClaim::Unit(InputUnit {
                                file,
                                bytes,
                                items,
                                faults,
                                is_last,
                                records_before,
                                rebuilt: OnceLock::new(),
                            })
                        }
                    }
                    Err(error) => {
                        self.open = None;
                        InputClaim::Failed {
                            index: file.index,
                            name: file.name.clone(),
                            error,
                        }
                    }
                });
            }
            let (index, input) = self.inputs.pop_front()?;
            match self.open(index, &input) {
                Ok(opened) => self.open = Some(opened),
                Err(error) => {
                    return Some(InputClaim::Failed {
                        index,
                        name: input.name,
                        error,
                    });
                }
            }
        }
    }

    fn open(&self, index: usize, input: &InputEntry) -> Result<(Arc<InputFile>, FileFraming)> {
        let raw = input.open().context("can't open it")?;
        let counted = CountingReader {
            inner: raw,
            count: Arc::clone(&self.bytes_read),
        };
        let (reader, compression) =
            compression::decoder(Box::new(counted)).context("can't read it")?;
        let opened = framing::open(reader, input, self.reading, self.spares.clone())
            .context("can't read it")?;
        let file = InputFile {
            index,
            name: input.name.clone(),
            relative_path: input.relative_path.clone(),
            output: input.output.clone(),
            format: opened.format,
            shape: opened.shape,
            compression,
        };
        Ok((Arc::new(file), opened.framing))
    }
}

/// Counts what goes through.
struct CountingReader {
    inner: Box<dyn Read + Send>,
    count: Arc<std::sync::atomic::AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count
            .fetch_add(count as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(count)
    }
}

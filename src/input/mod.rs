//! Reading of files, directories and stdin as units of work, in order.
//!
//! A unit is a stretch of one file that can be worked on by itself: some
//! conversations, or all records of the threads in it. Its items cover every
//! byte, so that whatever is not changed is copied, separators included.

mod array_elements;
mod buffer;
mod compression;
mod earlier_run;
mod entry;
mod error;
mod framing;
mod head;
pub mod line_files;
mod listing;
mod options;
mod source;
mod thread_ends;
mod unit;

pub use buffer::BufferPool;
pub use compression::{Compression, Encoder, encoder};
pub use earlier_run::outputs_with_originals;
pub use entry::{InputEntry, STDIN};
pub use error::{FramingError, InputError, ListingError};
pub use framing::UNTERMINATED;
pub use head::DetectionReport;
pub use line_files::open_if_exists;
pub use listing::{CollectedInputs, collect_inputs, collect_outputs, name_outputs_jsonl};
pub use options::ReadOptions;
pub use source::{InputClaim, InputSource, explain_detection, open_decompressed};
pub use unit::{InputFault, InputFile, InputUnit, UnitItem, UnitItemKind};

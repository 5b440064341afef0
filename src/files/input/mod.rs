//! Reading of files, directories and stdin as units of work, in order.
//!
//! A unit is a stretch of one file that can be worked on by itself: some
//! conversations, or all records of the threads in it. Its items cover every
//! byte, so that whatever is not changed is copied, separators included.

mod buffer;
mod compression;
mod container;
mod earlier_run;
mod entry;
mod error;
mod extensions;
mod foreign_file;
mod framing;
mod head;
pub(crate) mod line_files;
mod listing;
mod opened_below;
mod output_names;
mod path_filter;
mod source;
mod unit;
mod value_scanner;

pub(crate) use buffer::BufferPool;
pub(crate) use compression::{Compression, Encoder, encoder};
pub(crate) use earlier_run::{
    is_report_of, manifest_files, manifest_parts, outputs_with_originals,
};
pub(crate) use entry::{InputEntry, ReadLimits, ReadOptions, STDIN, read_path_list};
pub(crate) use error::{InputError, ListingError};
pub(crate) use foreign_file::is_utf16;
pub(crate) use framing::UNTERMINATED;
pub(crate) use head::DetectionReport;
pub(crate) use line_files::open_if_exists;
pub(crate) use listing::{
    CollectedInputs, NamedInputs, collect_inputs, collect_outputs, output_entry,
};
#[cfg(unix)]
pub(crate) use opened_below::ParentBelow;
pub(crate) use opened_below::open_below;
pub(crate) use output_names::{fail_taken_names, name_outputs_jsonl};
pub(crate) use path_filter::{GlobError, PathRules, check_glob};
pub(crate) use source::{
    InputClaim, InputSource, LineUnits, explain_detection, open_decompressed, units_in_memory,
};
pub(crate) use unit::{
    InputFault, InputFile, InputUnit, ItemPlaces, UnitContents, UnitItem, UnitItemKind,
};

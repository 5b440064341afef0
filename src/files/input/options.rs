//! Options that decide how inputs are cut into records and units.

use crate::reading::format::Format;

/// Limits on what is read. Memory is bounded by them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadLimits {
    /// The size in bytes above which a record is copied without being parsed, and a journal or a
    /// document is not read.
    pub max_record_bytes: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { max_record_bytes: 1 << 30 }
    }
}

/// Options for reading inputs.
#[derive(Clone, Copy)]
pub(crate) struct ReadOptions {
    /// The format that the user names; none to detect it.
    pub format: Option<&'static dyn Format>,
    /// The limits on what is read.
    pub limits: ReadLimits,
    /// The maximum number of records in a unit: 1 where each record takes long.
    pub records_per_unit: usize,
    /// Tells the format of each line by itself, whatever the lines around it are, unless lines belong
    /// together.
    pub tells_each_line: bool,
    /// Reads the records in files that are no JSON. False where these files would have to be written.
    pub opens_containers: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            limits: ReadLimits::default(),
            records_per_unit: usize::MAX,
            tells_each_line: false,
            opens_containers: true,
        }
    }
}

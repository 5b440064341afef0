//! Options that decide how inputs are cut into records and units.

use crate::format::Format;

/// Options for reading inputs.
#[derive(Clone, Copy)]
pub(crate) struct ReadOptions {
    /// The format that the user names; none to detect it.
    pub format: Option<&'static dyn Format>,
    /// The size in bytes above which a record is copied without being parsed.
    pub max_record_bytes: usize,
    /// The maximum number of records in a unit: 1 where each record takes long.
    pub records_per_unit: usize,
}

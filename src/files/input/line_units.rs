//! Lines that are units by themselves.

use crate::files::input::compression::Compression;
use crate::files::input::framing::oversize_reason;
use crate::files::input::unit::{InputFault, InputFile, InputUnit, UnitContents, UnitItemKind};
use crate::reading::format::{Format, Shape};
use std::path::PathBuf;
use std::sync::Arc;

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

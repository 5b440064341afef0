//! The format of a record.

use crate::files::input::is_utf16;
use crate::reading::json;
use crate::running::conversation::prelude::*;

/// The reason why a record has no format.
pub(super) enum Unidentified {
    /// It is no valid JSON text.
    Invalid(RecordError),
    /// No format matches; the text describes what the record holds.
    Unknown(String),
}

/// The error of a record in another encoding.
const UTF16: &str = "it looks like UTF-16, and only UTF-8 is read; convert the file, as `iconv -f UTF-16 -t UTF-8` does";

/// Checks that a record is UTF-8, and finds its format.
pub(super) fn identify_format(
    unit: &InputUnit,
    bytes: &[u8],
) -> Result<&'static dyn Format, Unidentified> {
    if is_utf16(bytes) {
        return Err(Unidentified::Invalid(RecordError::at(0, UTF16.to_owned())));
    }
    if let Err(error) = simdutf8::compat::from_utf8(bytes) {
        let at = error.valid_up_to();
        let reason = format!("invalid UTF-8: byte 0x{:02x}", bytes[at]);
        return Err(Unidentified::Invalid(RecordError::at(at, reason)));
    }
    if let Some(format) = unit.file.format {
        let own = is_odd_record(unit, format, bytes).then(|| format::conversation_format(bytes));
        return Ok(own.flatten().unwrap_or(format));
    }
    // Where the beginning of the file decided nothing, each record is looked at by itself.
    match format::detect_format([bytes]) {
        Some((format, Shape::Conversation)) => Ok(format),
        _ => {
            json::validate_json(bytes).map_err(Unidentified::Invalid)?;
            Err(Unidentified::Unknown(format::describe_record(bytes)))
        }
    }
}

/// Returns true if a record that stands for itself is not one of its file's format: one odd record
/// may have decided for the file. Other formats than exports tell where they can't read a record.
fn is_odd_record(unit: &InputUnit, format: &'static dyn Format, bytes: &[u8]) -> bool {
    unit.file.shape == Shape::Conversation
        && !unit.file.is_format_named
        && format.as_journal().is_some()
        && format::shape_in_format(format, bytes).is_none()
}

//! The format of a record, and the transcript in a record that holds a whole conversation.

use crate::files::input::is_utf16;
use crate::reading::json;
use crate::running::conversation::overlooked_text::{
    check_text_is_found, has_other_block, may_overlook_text,
};
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

/// Reads a record that holds a whole conversation: by the format of its file, or, where that one
/// can't read it or does not know all that is in it, by the format that the record itself shows. So it
/// is where a summary took the place of the calls that told the file's format.
pub(super) fn read_self_contained<'u>(
    record: Record<'u>,
    file_format: &'static dyn Format,
) -> Result<(Transcript<'u>, &'static dyn Format), RecordError> {
    let is_other = |own: &&'static dyn Format| own.name() != file_format.name();
    let read_as = |own: &'static dyn Format| {
        let transcript = own.read_transcript(vec![record], Shape::Conversation)?;
        Ok((check_text_is_found(transcript)?, own))
    };
    let certain_format = || format::certain_format(record.bytes).filter(is_other);
    // One odd line may have decided for a file of plain conversations, which are of no certain format.
    let any_format = || format::conversation_format(record.bytes).filter(is_other);
    let transcript = match file_format.read_transcript(vec![record], Shape::Conversation) {
        Ok(transcript) => transcript,
        Err(error) => return any_format().map_or(Err(error), read_as),
    };
    let messages = &transcript.messages;
    let is_doubtful =
        may_overlook_text(&transcript) || messages.iter().any(|message| message.earlier_summary);
    if (is_doubtful || messages.is_empty() || messages.iter().any(has_other_block))
        && let Some(own) = certain_format()
    {
        return read_as(own);
    }
    if !is_doubtful {
        return Ok((transcript, file_format));
    }
    match check_text_is_found(transcript) {
        Ok(transcript) => Ok((transcript, file_format)),
        Err(error) => any_format().map_or(Err(error), read_as),
    }
}

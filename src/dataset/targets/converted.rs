//! Rows that are written as `convert` writes them.

use crate::convert::chat::ChatTranscript;
use crate::convert::notes::ConversionNotes;
use crate::convert::target_by_name;

/// Appends a chat as `convert --to` writes it, without what only some rows have.
pub(super) fn write_converted_row(
    conversion: &str,
    chat: &mut ChatTranscript<'_>,
    out: &mut Vec<u8>,
) {
    chat.model = None;
    if let Some(target) = target_by_name(conversion) {
        (target.write_chat)(chat, out, &mut ConversionNotes::default());
    }
}

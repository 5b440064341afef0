//! The job of a run: what becomes of each conversation.

use crate::convert::Conversion;

/// The job of a run that writes transcripts.
#[derive(Clone, Copy)]
pub(crate) enum Job {
    /// Transcripts are compacted and leave in their own format.
    Compact,
    /// Transcripts are compacted and leave in another format.
    CompactTo(Conversion),
    /// Transcripts leave in another format; nothing is decided about them.
    Convert(Conversion),
}

impl Job {
    /// Returns the conversion to another format, if there is one.
    pub(crate) fn conversion(self) -> Option<Conversion> {
        match self {
            Self::Compact => None,
            Self::CompactTo(conversion) | Self::Convert(conversion) => Some(conversion),
        }
    }

    /// Returns true if conversations are planned.
    pub(crate) fn compacts(self) -> bool {
        !matches!(self, Self::Convert(_))
    }
}

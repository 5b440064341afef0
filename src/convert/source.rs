//! The input of a conversion.

use crate::deciding::plan::Summary;
use crate::reading::transcript::view::TranscriptView;

/// A transcript to convert, with edits applied.
#[derive(Clone, Copy)]
pub(crate) struct ConversionSource<'t, 'a> {
    /// The transcript, and the texts that edits put into it.
    pub view: TranscriptView<'t, 'a>,
    /// The name of the format.
    pub format: &'static str,
    /// The thread id.
    pub thread_id: &'t str,
    /// A summary and its text. It takes the place of the messages that it summarizes.
    pub summary: Option<(&'t Summary, &'t str)>,
}

//! The state of splitting a request into its parts.

use super::request_parts::RequestPart;

/// A request that is being split.
#[derive(Default)]
pub(super) struct RequestSplitter<'t> {
    pub(super) parts: Vec<RequestPart<'t>>,
    /// Number of lines so far.
    pub(super) lines: usize,
    /// The heading of the section.
    pub(super) section: Option<usize>,
    /// The heading is a label, which heads only what stands directly below it: `Check for:`.
    pub(super) is_label: bool,
    /// The sentence before a list or a block of code: `Never do this:`.
    pub(super) intro: Option<usize>,
    /// The newest heading of each level that the next part stands below.
    pub(super) open_headings: [Option<usize>; RequestPart::UNMARKED_LEVEL + 1],
    /// The item with a number that items without one stand below.
    pub(super) numbered: Option<usize>,
    /// The lines of the block of code that is open.
    pub(super) code: Option<Vec<&'t str>>,
    /// Maximum length in bytes of a block that is shown as a whole.
    pub(super) longest_whole: usize,
    /// Number of sentences that follow which tell what is wanted.
    pub(super) wanted: usize,
    /// The section lists versions and settings.
    pub(super) lists_environment: bool,
    /// The newest place of a traceback that is open, unless it is in a library.
    pub(super) last_frame: Option<usize>,
    /// The lines belong to a traceback, whose last line says what went wrong.
    pub(super) in_traceback: bool,
}

impl<'t> RequestSplitter<'t> {
    /// Adds a part that stands in the newest line.
    pub(super) fn push(&mut self, text: &'t str, heading: Option<usize>, worth: i32) {
        self.parts.push(RequestPart {
            text,
            line: self.lines,
            is_heading: false,
            level: 0,
            heading,
            group: None,
            worth,
        });
    }
}

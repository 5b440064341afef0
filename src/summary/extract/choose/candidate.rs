//! A line that may stand in the summary.

use std::borrow::Cow;
use std::ops::Range;

/// What a line is. The order is that of the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// A sentence of the first request.
    Goal,
    /// A sentence of the newest request.
    Newest,
    /// A sentence of another request.
    Request,
    /// A sentence that forbids, requires, prefers or sets a value.
    Constraint,
    /// A call with its outcome.
    Call,
    /// A record.
    Row,
    /// A sentence in which the assistant finds or decides something.
    Finding,
    /// An error.
    Error,
    /// A line of an earlier summary.
    Earlier,
    /// A file that was written, read or deleted.
    Written,
    Read,
    Deleted,
    /// A step that is open, or done.
    Open,
    Done,
    /// A single name.
    Reference,
}

/// All kinds, in order.
pub(crate) const KINDS: [Kind; 15] = [
    Kind::Goal,
    Kind::Newest,
    Kind::Request,
    Kind::Constraint,
    Kind::Call,
    Kind::Row,
    Kind::Finding,
    Kind::Error,
    Kind::Earlier,
    Kind::Written,
    Kind::Read,
    Kind::Deleted,
    Kind::Open,
    Kind::Done,
    Kind::Reference,
];

/// What a mechanism knows of its line. What it does not know is 0.
#[derive(Debug, Default, Clone)]
pub(crate) struct Signs {
    /// The number of the line among those of its message, and how many there are.
    pub number: usize,
    pub of: usize,
    /// 1 or 2 for a sentence that binds.
    pub binding: u8,
    /// The text stands around a known envelope.
    pub is_around: bool,
    /// The call failed, the line tells a failure.
    pub failed: bool,
    /// The call changes something, or runs something.
    pub changes: bool,
    pub runs: bool,
    /// How many calls were the same before.
    pub repeats: usize,
    /// The sentence tells, or announces.
    pub tells: bool,
    pub announces: bool,
    /// The line is code, or an item of a list.
    pub is_code: bool,
    pub is_item: bool,
    /// The number of records in the same result.
    pub siblings: usize,
    /// The message ends a turn: the user speaks next.
    pub ends_turn: bool,
    /// It stood in an earlier summary.
    pub is_earlier: bool,
    /// It is the newest line of its kind.
    pub is_newest: bool,
}

/// A line that may stand in the summary.
#[derive(Debug, Clone)]
pub(crate) struct Candidate<'s> {
    /// What it is.
    pub kind: Kind,
    /// The index of the message that it is about, and its place there: the order of lines.
    pub message: usize,
    pub place: usize,
    /// The text, without the mark of its kind.
    pub text: Cow<'s, str>,
    /// Lines with the same group share a heading: a table, a request, the key of references.
    pub group: usize,
    /// The heading of the group; empty if the kind has one for all.
    pub heading: Cow<'s, str>,
    /// What the mechanism knows.
    pub signs: Signs,
    /// The words of the sentence that it is, if they were read.
    pub words: Option<Range<usize>>,
}

/// So many bytes more or less make no difference to the words of a line.
const LITTLE: usize = 16;

impl<'s> Candidate<'s> {
    /// Returns a line about the message `at.0`, where it stands at place `at.1`.
    pub(crate) const fn new(
        kind: Kind,
        at: (usize, usize),
        text: Cow<'s, str>,
        signs: Signs,
    ) -> Self {
        Self {
            kind,
            message: at.0,
            place: at.1,
            text,
            group: 0,
            heading: Cow::Borrowed(""),
            signs,
            words: None,
        }
    }

    /// Returns the line with the words of its sentence, unless the sentence says much more than the line.
    pub(crate) fn of_sentence(mut self, words: &Option<Range<usize>>, length: usize) -> Self {
        if self.text.len().abs_diff(length) <= LITTLE {
            self.words.clone_from(words);
        }
        self
    }

    /// Returns the line under a heading.
    pub(crate) fn under(mut self, group: usize, heading: Cow<'s, str>) -> Self {
        (self.group, self.heading) = (group, heading);
        self
    }
}

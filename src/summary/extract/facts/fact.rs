//! The fact: a line that the summary may hold, and how much it is worth.

/// The kind of a fact, which decides the section that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FactKind {
    /// A wish or a limit that holds beside the requests: of the user, of a harness, or handed on by an
    /// earlier summary.
    Constraint,
    /// What a harness says to do when something happens.
    Tip,
    /// Prose of an earlier summary.
    Earlier,
    /// A sentence in which the assistant decides or finds something.
    Finding,
    /// A call and what came of it.
    Call,
    /// A record with its newest state.
    Record,
    /// The same without its long lists. It stands directly behind the whole record, and instead of it.
    ShortRecord,
    /// What a file defines that the agent wrote.
    Definition,
    /// What a file holds that was read.
    Outline,
    /// A line of a result in which a reference stands.
    Passage,
}

/// A line that the summary may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) kind: FactKind,
    pub(crate) text: String,
    /// The worth of the line among all facts, in thousandths.
    pub(crate) worth: i32,
    /// The place of the line in its section, ascending.
    pub(crate) order: usize,
    /// The heading that the line needs, as an index into the headings of the records.
    pub(crate) heading: Option<usize>,
    /// The line goes before all others of its kind.
    pub(crate) is_pinned: bool,
    /// The line with more of what it tells, for room that no other fact needs.
    pub(crate) longer: Option<String>,
}

//! The parts of a page. Each view renders them in its own syntax.

/// A stretch of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PageText {
    /// Words of this program.
    Plain(String),
    /// Words of this program, emphasized.
    Strong(String),
    /// A number, aligned to the right of its cell.
    Number(String),
    /// Text from a log or from the system. Markup in it must have no effect.
    Quoted(String),
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PagePart {
    /// A heading of the parts that follow.
    Heading(&'static str),
    /// A paragraph.
    Line(Vec<PageText>),
    /// A table: column headings, and rows with a cell for each.
    Table(&'static [&'static str], Vec<Vec<PageText>>),
    /// A list of lines.
    List(Vec<Vec<PageText>>),
}

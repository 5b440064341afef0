//! Labels of the lines that a summary is written in and read back from.

use crate::summary::extract::choose::Kind;

/// Before the user's newest request, if it is not the first.
pub(crate) const NEWEST: &str = "Newest request: ";
/// The same if the messages that stay hold a newer one.
pub(crate) const LATER: &str = "Later request: ";
/// The line before the user's other requests, and the mark before each.
pub(crate) const REQUESTS: &str = "User, oldest first:";
pub(crate) const REQUEST: &str = "> ";
/// Before a constraint.
pub(crate) const CONSTRAINT: &str = "Constraint: ";
/// The line before findings, and the mark before each.
pub(crate) const FINDINGS: &str = "Found, oldest first:";
pub(crate) const FINDING: &str = "* ";
/// The beginning of the line before calls, and the mark before each.
pub(crate) const CALLS: &str = "Calls, oldest first";
pub(crate) const CALL: &str = "- ";
/// Before the columns of a table, and before each row.
pub(crate) const RECORDS: &str = "Records ";
pub(crate) const ROW: &str = "| ";
/// Before an error.
pub(crate) const ERROR: &str = "Error: ";
/// Before a line of an earlier summary.
pub(crate) const EARLIER: &str = "Earlier: ";
/// Before the folder of the files that are listed without one.
pub(crate) const BELOW: &str = "files below ";
/// Before files.
pub(crate) const WRITTEN: &str = "written: ";
pub(crate) const READ: &str = "read: ";
pub(crate) const DELETED: &str = "deleted: ";
/// Before steps.
pub(crate) const OPEN: &str = "Open: ";
pub(crate) const DONE: &str = "Done: ";

/// Labels with the kind of their lines.
const KINDS_OF_LABELS: [(&str, Kind); 15] = [
    (NEWEST, Kind::Newest),
    (LATER, Kind::Newest),
    (REQUEST, Kind::Request),
    (CONSTRAINT, Kind::Constraint),
    (FINDING, Kind::Finding),
    (CALL, Kind::Call),
    (ROW, Kind::Row),
    (ERROR, Kind::Error),
    ("Error (worked later): ", Kind::Error),
    (EARLIER, Kind::Earlier),
    (WRITTEN, Kind::Written),
    (READ, Kind::Read),
    (DELETED, Kind::Deleted),
    (OPEN, Kind::Open),
    (DONE, Kind::Done),
];

/// Returns the kind of a line by its label, and the text behind that.
pub(crate) fn kind_of_line(line: &str) -> Option<(Kind, &str)> {
    let labelled = KINDS_OF_LABELS
        .iter()
        .find(|(label, _)| line.starts_with(label))?;
    Some((labelled.1, &line[labelled.0.len()..]))
}

/// Returns true for a line that only heads others.
pub(crate) fn heads_lines(line: &str) -> bool {
    line == REQUESTS
        || line == FINDINGS
        || line.starts_with(CALLS)
        || line.starts_with("User, newest first")
        || line.starts_with("Found, newest first")
}

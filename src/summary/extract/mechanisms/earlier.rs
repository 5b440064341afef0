//! The labels of a summary's lines, by which earlier summaries are read back: their lines are lines again,
//! each of the kind that its label or heading says. So a constraint survives any number of compactions.

use crate::reading::transcript::summary_frame::unframe_summary;
use crate::summary::extract::lexicon::{GOAL_HEADINGS, LIMIT_HEADINGS, OPEN_HEADINGS};
use crate::summary::extract::mechanisms::files::is_absolute;
use crate::summary::extract::prelude::*;
use crate::summary::extract::text::sentences::{visit_pieces, without_bullet};

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
/// Before a step that an earlier summary calls open.
pub(crate) const OPEN: &str = "Open: ";

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
    ("Done: ", Kind::Earlier),
];

/// Returns the kind of a line by its label, and the text behind that.
fn kind_of_line(line: &str) -> Option<(Kind, &str)> {
    let labelled = KINDS_OF_LABELS.iter().find(|(label, _)| line.starts_with(label))?;
    Some((labelled.1, &line[labelled.0.len()..]))
}

/// Returns true for a line that only heads others.
fn heads_lines(line: &str) -> bool {
    line == REQUESTS
        || line == FINDINGS
        || line.starts_with(CALLS)
        || line.starts_with("User, newest first")
        || line.starts_with("Found, newest first")
}

/// The longest line in bytes.
const LONGEST: usize = 500;
/// The most lines of a summary that are read.
const MOST_LINES: usize = 400;

/// Offers the lines of earlier summaries.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    for (message, text) in &reading.session.earlier {
        let text = unframe_summary(text);
        let mut section = Kind::Earlier;
        let mut table = (0, String::new());
        let mut below = "";
        let all: Vec<&str> = text.lines().take(MOST_LINES).collect();
        for (number, line) in all.iter().enumerate() {
            let line = line.trim();
            if let Some(columns) = line.strip_prefix(RECORDS) {
                table = (usize::MAX - lines.len(), columns.to_owned());
            } else if let Some(folder) = line.strip_prefix(BELOW) {
                below = folder;
            } else if let Some(kind) = heading_kind(line) {
                section = kind;
            } else if !is_empty_line(line) && !heads_lines(line) {
                let start = lines.len();
                let place = (*message, number, all.len());
                push_line(line, section, below, place, reading, lines);
                for row in lines[start..].iter_mut().filter(|line| line.kind == Kind::Row) {
                    (row.group, row.heading) = (table.0, Cow::Owned(table.1.clone()));
                }
            }
        }
    }
}

fn push_line<'s>(
    line: &str,
    section: Kind,
    below: &str,
    (message, number, of): (usize, usize, usize),
    reading: &'s Reading<'s>,
    lines: &mut Vec<Candidate<'s>>,
) {
    let (kind, line) = kind_of_line(line).unwrap_or((section, line));
    let at = (message, number);
    if matches!(kind, Kind::Written | Kind::Read | Kind::Deleted) {
        for path in line.split_whitespace().filter(|path| path.len() > 2) {
            let signs = Signs { number, of, ..Signs::default() };
            let folder = if is_absolute(path) { "" } else { below };
            let path = Cow::Owned([folder, path].concat());
            lines.push(Candidate::new(kind, at, path, signs));
        }
        return;
    }
    let is_marked = kind != Kind::Earlier;
    let text = fold_line(if is_marked { without_bullet(line) } else { line });
    // What was the newest request then is one of the others now.
    let kind = match kind {
        Kind::Newest if !reading.session.requests.is_empty() => Kind::Request,
        kind => kind,
    };
    let signs = Signs {
        binding: if kind == Kind::Constraint { 2 } else { 0 },
        is_earlier: true,
        ..Signs::default()
    };
    let text = Cow::Owned(clip_text(&text, LONGEST).into_owned());
    lines.push(Candidate::new(kind, at, text, signs));
    if matches!(kind, Kind::Goal | Kind::Newest | Kind::Request) {
        push_limits(line, at, lines);
    }
}

/// Offers the sentences of a request that set a limit, which had no lines of their own in the summary.
fn push_limits(request: &str, at: (usize, usize), lines: &mut Vec<Candidate<'_>>) {
    visit_pieces(request, &mut |piece| {
        if binding_of(piece.text) == Binding::Strong {
            let text = clip_text(&fold_line(piece.text), LONGEST).into_owned();
            let signs = Signs { binding: 2, is_earlier: true, ..Signs::default() };
            lines.push(Candidate::new(Kind::Constraint, at, Cow::Owned(text), signs));
        }
    });
}

/// Returns the kind of the lines below a heading.
fn heading_kind(line: &str) -> Option<Kind> {
    let is_bold = line.starts_with("**") && line.trim_end_matches(':').ends_with("**");
    let is_numbered = line.ends_with(':') && line.len() < 60 && !line.contains(". ");
    if !line.starts_with('#') && !is_bold && !is_numbered {
        return None;
    }
    let lower = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Some(if has(LIMIT_HEADINGS) {
        Kind::Constraint
    } else if has(GOAL_HEADINGS) {
        Kind::Goal
    } else if has(OPEN_HEADINGS) {
        Kind::Open
    } else {
        Kind::Earlier
    })
}

/// Returns true for a line that says nothing.
fn is_empty_line(line: &str) -> bool {
    !line.chars().any(char::is_alphanumeric)
        || matches!(line.trim_matches(['-', ' ', '(', ')', '.']), "None" | "none" | "See below")
}

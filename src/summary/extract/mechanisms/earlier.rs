//! Earlier summaries: their lines are lines again, each of the kind that its label or heading says. So
//! a constraint survives any number of compactions.

use crate::summary::extract::choose::{Candidate, Kind, Signs};
use crate::summary::extract::lexicon::{GOAL_HEADINGS, LIMIT_HEADINGS, OPEN_HEADINGS};
use crate::summary::extract::session::Reading;
use crate::summary::extract::text::sentences::without_bullet;
use crate::summary::extract::text::{clip_text, fold_line};
use crate::summary::extract::write as labels;
use crate::transcript::summary_frame::unframe_summary;
use std::borrow::Cow;

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
        let all: Vec<&str> = text.lines().take(MOST_LINES).collect();
        for (number, line) in all.iter().enumerate() {
            let line = line.trim();
            if let Some(columns) = line.strip_prefix(labels::RECORDS) {
                table = (usize::MAX - lines.len(), columns.to_owned());
            } else if let Some(kind) = heading_kind(line) {
                section = kind;
            } else if !is_empty_line(line) && !labels::heads_lines(line) {
                let start = lines.len();
                push_line(line, section, (*message, number, all.len()), reading, lines);
                for row in lines[start..]
                    .iter_mut()
                    .filter(|line| line.kind == Kind::Row)
                {
                    (row.group, row.heading) = (table.0, Cow::Owned(table.1.clone()));
                }
            }
        }
    }
}

fn push_line<'s>(
    line: &str,
    section: Kind,
    (message, number, of): (usize, usize, usize),
    reading: &'s Reading<'s>,
    lines: &mut Vec<Candidate<'s>>,
) {
    let (kind, text) = labels::kind_of_line(line).unwrap_or((section, line));
    let list = matches!(kind, Kind::Written | Kind::Read | Kind::Deleted);
    if list {
        for path in text.split_whitespace().filter(|path| path.len() > 2) {
            let signs = Signs {
                number,
                of,
                ..Signs::default()
            };
            lines.push(Candidate::new(
                kind,
                (message, number),
                Cow::Owned(path.to_owned()),
                signs,
            ));
        }
        return;
    }
    let text = fold_line(if kind == Kind::Earlier {
        text
    } else {
        without_bullet(text)
    });
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
    lines.push(Candidate::new(kind, (message, number), text, signs));
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
        || matches!(
            line.trim_matches(['-', ' ', '(', ')', '.']),
            "None" | "none" | "See below"
        )
}

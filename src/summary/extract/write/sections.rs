//! The sections of a summary and the lines in them.

use crate::deciding::policy::SummaryTemplate;
use crate::summary::extract::mechanisms::earlier as labels;
use crate::summary::extract::prelude::*;
use std::fmt::Write;

/// A heading with the kinds of lines under it.
type Section = (&'static str, &'static [Kind]);

const FILES: &[Kind] = &[Kind::Written, Kind::Read, Kind::Deleted];

#[rustfmt::skip]
const DEEP_AGENTS: &[Section] = &[
    ("## SESSION INTENT", &[Kind::Goal, Kind::Newest]),
    ("## SUMMARY", &[
        Kind::Request, Kind::Constraint, Kind::Earlier, Kind::Finding, Kind::Call, Kind::Row, Kind::Error, Kind::Reference,
    ]),
    ("## ARTIFACTS", FILES),
    ("## NEXT STEPS", &[Kind::Open]),
];

#[rustfmt::skip]
const OPEN_CODE: &[Section] = &[
    ("## Objective", &[Kind::Goal, Kind::Newest]),
    ("## Important Details", &[
        Kind::Request, Kind::Constraint, Kind::Earlier, Kind::Finding, Kind::Row, Kind::Reference,
    ]),
    ("## Work State", &[]),
    ("### Completed", &[Kind::Call]),
    ("### Active", &[]),
    ("### Blocked", &[Kind::Error]),
    ("## Next Move", &[Kind::Open]),
    ("## Relevant Files", FILES),
];

pub(crate) struct Writer<'w, 's> {
    pub lines: &'w [Candidate<'s>],
    pub reading: &'w Reading<'s>,
    pub template: SummaryTemplate,
    /// False if the headings cost too much.
    pub has_headings: bool,
}

impl Writer<'_, '_> {
    /// Renders the lines at these places, and one more.
    pub(crate) fn render(&self, chosen: &[usize], more: Option<&Candidate<'_>>) -> String {
        let mut by_kind: Vec<Vec<&Candidate<'_>>> = vec![Vec::new(); Kind::Reference as usize + 1];
        for line in chosen.iter().map(|&place| &self.lines[place]).chain(more) {
            by_kind[line.kind as usize].push(line);
        }
        for lines in &mut by_kind {
            lines.sort_by_key(|line| (line.message, line.place));
        }
        // What a request says is not said again; it is found there by the next compaction.
        let requests = [Kind::Goal, Kind::Newest, Kind::Request];
        let mut constraints = std::mem::take(&mut by_kind[Kind::Constraint as usize]);
        constraints.retain(|line| {
            let mut said = requests.iter().flat_map(|kind| &by_kind[*kind as usize]);
            !said.any(|request| request.text.contains(&*line.text))
        });
        by_kind[Kind::Constraint as usize] = constraints;
        let sections = match self.template {
            SummaryTemplate::DeepAgents => DEEP_AGENTS,
            SummaryTemplate::OpenCode => OPEN_CODE,
        };
        let mut text = String::new();
        for &(heading, kinds) in sections {
            let mut body = String::new();
            for kind in kinds {
                self.write_kind(*kind, &by_kind[*kind as usize], &mut body);
            }
            // OpenCode's own summaries have all headings.
            let shows_empty = self.template == SummaryTemplate::OpenCode && self.has_headings;
            if body.is_empty() && !shows_empty {
                continue;
            }
            if self.has_headings {
                let gap = if text.is_empty() {
                    ""
                } else if heading.starts_with("###") {
                    "\n"
                } else {
                    "\n\n"
                };
                text.push_str(gap);
                text.push_str(heading);
            }
            if !body.is_empty() {
                text.push_str(if text.is_empty() { "" } else { "\n" });
                text.push_str(&body);
            }
        }
        text
    }

    fn write_kind(&self, kind: Kind, lines: &[&Candidate<'_>], out: &mut String) {
        if lines.is_empty() {
            return;
        }
        match kind {
            Kind::Goal | Kind::Newest | Kind::Request => self.write_requests(kind, lines, out),
            Kind::Row => write_tables(lines, out),
            Kind::Written | Kind::Read | Kind::Deleted => write_files(kind, lines, out),
            Kind::Reference => write_references(lines, out),
            Kind::Call => {
                if self.has_headings {
                    let all = self.reading.session.calls.len();
                    push_line(&format!("{} ({} of {all}):", labels::CALLS, lines.len()), out);
                }
                push_marked(labels::CALL, lines, out);
            }
            Kind::Finding => {
                if self.has_headings {
                    push_line(labels::FINDINGS, out);
                }
                push_marked(labels::FINDING, lines, out);
            }
            Kind::Constraint => push_marked(labels::CONSTRAINT, lines, out),
            Kind::Error => push_marked(labels::ERROR, lines, out),
            Kind::Earlier => push_marked(labels::EARLIER, lines, out),
            Kind::Open => push_marked(labels::OPEN, lines, out),
        }
    }

    /// Writes the sentences of each request on a line, with a mark where some are left out.
    fn write_requests(&self, kind: Kind, lines: &[&Candidate<'_>], out: &mut String) {
        let label = match kind {
            Kind::Goal => "",
            Kind::Newest if !self.reading.glossary.keeps_user_text => labels::NEWEST,
            Kind::Newest => labels::LATER,
            _ => labels::REQUEST,
        };
        if kind == Kind::Request && self.has_headings {
            push_line(labels::REQUESTS, out);
        }
        for request in lines.chunk_by(|left, right| left.message == right.message) {
            let mut text = label.to_owned();
            let mut expected = 0;
            for line in request {
                if line.signs.number > expected {
                    text.push_str(if expected == 0 && label.is_empty() { "… " } else { " … " });
                } else if expected > 0 {
                    text.push(' ');
                }
                text.push_str(&line.text);
                expected = line.signs.number + 1;
            }
            if request.last().is_some_and(|last| expected < last.signs.of) {
                text.push_str(" …");
            }
            push_line(&text.replace("  ", " "), out);
        }
    }
}

fn push_marked(mark: &str, lines: &[&Candidate<'_>], out: &mut String) {
    for line in lines {
        push_line(&[mark, &line.text].concat(), out);
    }
}

/// Writes tables, each below its heading.
fn write_tables(lines: &[&Candidate<'_>], out: &mut String) {
    let mut groups: Vec<usize> = lines.iter().map(|line| line.group).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let rows = lines.iter().filter(|line| line.group == group);
        let rows: Vec<&Candidate<'_>> = rows.copied().collect();
        push_line(&[labels::RECORDS, &rows[0].heading].concat(), out);
        push_marked(labels::ROW, &rows, out);
    }
}

/// Writes files of a kind on a line, the newest first.
fn write_files(kind: Kind, lines: &[&Candidate<'_>], out: &mut String) {
    let label = match kind {
        Kind::Written => labels::WRITTEN,
        Kind::Read => labels::READ,
        _ => labels::DELETED,
    };
    let mut roots = lines.iter().map(|line| line.heading.as_ref());
    let root = roots.find(|root| !root.is_empty()).unwrap_or_default();
    if !root.is_empty() && !out.contains(root) {
        push_line(&[labels::BELOW, root].concat(), out);
    }
    // Files of an earlier summary have their whole path.
    let below =
        |line: &&'_ Candidate<'_>| line.text.strip_prefix(root).unwrap_or(&line.text).to_owned();
    let paths: Vec<String> = lines.iter().rev().map(below).collect();
    push_line(&[label, &paths.join(" ")].concat(), out);
}

/// Writes names on a line for each key.
fn write_references(lines: &[&Candidate<'_>], out: &mut String) {
    let mut keys: Vec<&str> = Vec::new();
    for line in lines {
        if !keys.contains(&line.heading.as_ref()) {
            keys.push(&line.heading);
        }
    }
    for key in keys {
        let mut text = [key, ":"].concat();
        for line in lines.iter().filter(|line| line.heading == key) {
            let _ = write!(text, " {}", line.text);
        }
        push_line(&text, out);
    }
}

/// Pushes a line that breaks neither the frame nor the headings.
fn push_line(line: &str, out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
    if is_heading(line) {
        out.push('\\');
    }
    out.push_str(&break_frame_tags(line));
}

/// Returns true if the text behind a `<` makes it a tag of the frame.
fn is_frame_tag(rest: &str) -> bool {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    name.get(..7).is_some_and(|name| name.eq_ignore_ascii_case("summary"))
}

/// Inserts a blank into `<summary>` and `</summary>`, so that they don't read as the frame.
fn break_frame_tags(line: &str) -> Cow<'_, str> {
    let mut tags =
        line.match_indices('<').filter(|(at, _)| is_frame_tag(&line[at + 1..])).peekable();
    if tags.peek().is_none() {
        return Cow::Borrowed(line);
    }
    let mut safe = String::with_capacity(line.len() + 8);
    let mut copied = 0;
    for (at, _) in tags {
        safe.push_str(&line[copied..=at]);
        safe.push(' ');
        copied = at + 1;
    }
    safe.push_str(&line[copied..]);
    Cow::Owned(safe)
}

/// Returns true if a line would be taken for a heading.
fn is_heading(line: &str) -> bool {
    line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_the_frame_are_broken() {
        let line = "a <summary> b </SUMMARY> <sum>";
        assert_eq!(break_frame_tags(line), "a < summary> b < /SUMMARY> <sum>");
        assert!(matches!(break_frame_tags("a < b"), Cow::Borrowed(_)));
    }
}

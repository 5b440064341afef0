//! The digest as Markdown, fit for a CI job summary.

use crate::report::RunDigest;
use crate::report::sheet::{PagePart, PageText, lay_out};
use std::fmt::Write;

/// The whole digest.
#[must_use]
pub(super) fn render(digest: &RunDigest) -> String {
    let mut out = String::from("## Transcript compaction\n");
    for part in lay_out(digest) {
        // Writing to a String can't fail.
        let _ = match part {
            PagePart::Heading(title) => writeln!(out, "\n### {title}"),
            PagePart::Line(pieces) => writeln!(out, "\n{}", line(&pieces)),
            PagePart::Table(heads, rows) => write!(out, "\n{}", table(heads, &rows)),
            PagePart::List(items) => {
                let items: String = items
                    .iter()
                    .map(|item| format!("- {}\n", line(item)))
                    .collect();
                write!(out, "\n{items}")
            }
        };
    }
    out
}

fn table(heads: &[&str], rows: &[Vec<PageText>]) -> String {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let is_number = |column: usize| {
        rows.first()
            .is_some_and(|row| matches!(row.get(column), Some(PageText::Number(_))))
    };
    let rule: String = (0..heads.len())
        .map(|column| if is_number(column) { "---:|" } else { "---|" })
        .collect();
    let body: String = rows
        .iter()
        .map(|cells| row(cells.iter().map(piece).collect()))
        .collect();
    format!(
        "{}|{rule}\n{body}",
        row(heads.iter().map(|head| (*head).to_owned()).collect())
    )
}

fn line(pieces: &[PageText]) -> String {
    pieces.iter().map(piece).collect()
}

fn piece(piece: &PageText) -> String {
    match piece {
        PageText::Plain(text) | PageText::Number(text) => text.clone(),
        PageText::Strong(text) => format!("**{text}**"),
        PageText::Quoted(text) => quoted(text),
    }
}

/// Text from a log as code that can't break out of its cell.
fn quoted(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() || c == '`' { ' ' } else { c })
        .collect();
    format!("`{}`", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_a_log_stays_in_its_cell() {
        assert_eq!(quoted("a|b`c\n| x"), "`a\\|b c \\| x`");
    }
}

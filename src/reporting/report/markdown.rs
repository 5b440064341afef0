//! The digest as Markdown, for example for the job summary of a CI run.

use crate::base::foreign_text::{harmless_line, is_unsafe_char};
use crate::reporting::report::page_part::{PagePart, PageText};
use crate::reporting::report::{digest::RunDigest, page::lay_out_page};
use std::fmt::Write;

pub(super) fn render_markdown(digest: &RunDigest) -> String {
    render_markdown_page(digest.title(), lay_out_page(digest))
}

pub(crate) fn render_markdown_page(title: &str, parts: Vec<PagePart>) -> String {
    let mut out = format!("## {title}\n");
    for part in parts {
        // Writing to a String can't fail.
        let _ = match part {
            PagePart::Heading(title) => writeln!(out, "\n### {title}"),
            PagePart::Line(texts) => writeln!(out, "\n{}", render_line(&texts)),
            PagePart::Table(headings, rows) => {
                write!(out, "\n{}", render_table(headings, &rows))
            }
            PagePart::List(items) => {
                let items: String =
                    items.iter().map(|item| format!("- {}\n", render_line(item))).collect();
                write!(out, "\n{items}")
            }
        };
    }
    out
}

fn render_table(headings: &[&str], rows: &[Vec<PageText>]) -> String {
    // The first cell of a column tells whether it holds numbers.
    let is_number =
        |column| matches!(rows.first().and_then(|row| row.get(column)), Some(PageText::Number(_)));
    let rule: String = (0..headings.len())
        .map(|column| if is_number(column) { "---:|" } else { "---|" })
        .collect();
    let body: String = rows
        .iter()
        .map(|row| {
            let cells: Vec<String> = row.iter().map(render_text).collect();
            format!("| {} |\n", cells.join(" | "))
        })
        .collect();
    format!("| {} |\n|{rule}\n{body}", headings.join(" | "))
}

fn render_line(texts: &[PageText]) -> String {
    texts.iter().map(render_text).collect()
}

fn render_text(text: &PageText) -> String {
    match text {
        PageText::Plain(text) | PageText::Number(text) => harmless_line(text).into_owned(),
        PageText::Strong(text) => format!("**{}**", harmless_line(text)),
        PageText::Quoted(text) => quote_code(text),
    }
}

/// Formats text as code that can't leave its table cell.
fn quote_code(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if is_unsafe_char(c) || c == '`' { ' ' } else { c }).collect();
    format!("`{}`", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_a_log_stays_in_its_cell() {
        assert_eq!(quote_code("a|b`c\n| x"), "`a\\|b c \\| x`");
    }
}

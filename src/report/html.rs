//! The digest as an HTML page without scripts or external resources.

use crate::foreign_text::is_unsafe_char;
use crate::report::digest::RunDigest;
use crate::report::page::{PagePart, PageText, lay_out_page};

/// The beginning of the page. `{title}` stands for its title.
const PAGE_HEAD: &str = "\
<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>{title}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border-bottom: 1px solid #8886; padding: .3rem .8rem; text-align: left; overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
</style>
</head>
<body>
<h1>{title}</h1>
";

/// Renders a digest as an HTML page.
#[must_use]
pub(super) fn render_html(digest: &RunDigest) -> String {
    render_html_page(digest.title(), &lay_out_page(digest))
}

/// Renders the parts of a page as HTML.
#[must_use]
pub(crate) fn render_html_page(title: &str, parts: &[PagePart]) -> String {
    let head = PAGE_HEAD.replace("{title}", &escape_html(title));
    let parts: String = parts.iter().map(render_part).collect();
    format!("{head}{parts}</body>\n</html>\n")
}

fn render_part(part: &PagePart) -> String {
    match part {
        PagePart::Heading(title) => format!("<h2>{}</h2>\n", escape_html(title)),
        PagePart::Line(texts) => format!("<p>{}</p>\n", render_line(texts)),
        PagePart::List(items) => {
            let items: String = items
                .iter()
                .map(|item| format!("<li>{}</li>\n", render_line(item)))
                .collect();
            format!("<ul>\n{items}</ul>\n")
        }
        PagePart::Table(headings, rows) => render_table(headings, rows),
    }
}

fn render_table(headings: &[&str], rows: &[Vec<PageText>]) -> String {
    let first_row = rows.first();
    let headings: String = headings
        .iter()
        .enumerate()
        .map(|(column, heading)| {
            let class = cell_class(first_row.and_then(|row| row.get(column)));
            format!("<th{class}>{}</th>", escape_html(heading))
        })
        .collect();
    let rows: String = rows
        .iter()
        .map(|row| format!("<tr>{}</tr>\n", render_cells(row)))
        .collect();
    format!("<table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n")
}

fn render_cells(row: &[PageText]) -> String {
    row.iter()
        .map(|cell| format!("<td{}>{}</td>", cell_class(Some(cell)), render_text(cell)))
        .collect()
}

/// Returns the class attribute of a cell.
fn cell_class(cell: Option<&PageText>) -> &'static str {
    if matches!(cell, Some(PageText::Number(_))) {
        " class=\"number\""
    } else {
        ""
    }
}

fn render_line(texts: &[PageText]) -> String {
    texts.iter().map(render_text).collect()
}

fn render_text(text: &PageText) -> String {
    match text {
        PageText::Plain(text) | PageText::Number(text) => escape_html(text),
        PageText::Strong(text) => format!("<strong>{}</strong>", escape_html(text)),
        PageText::Quoted(text) => format!("<code>{}</code>", escape_html(text)),
    }
}

/// Escapes text so that it can't become markup. Control characters become blanks.
fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if is_unsafe_char(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::digest::TranscriptFailure;

    #[test]
    fn text_from_a_log_does_not_become_markup() {
        let page = render_html(&RunDigest {
            failures: vec![TranscriptFailure {
                place: "<script>alert('x')</script>".to_owned(),
                error: "a & b\u{7}".to_owned(),
            }],
            ..RunDigest::default()
        });
        assert!(page.contains("<code>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;</code>: <code>a &amp; b </code>"), "{page}");
        assert!(!page.contains("<script"));
    }
}

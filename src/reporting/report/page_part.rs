//! The parts of a page, which each view renders in its own syntax, and their rendering as HTML
//! without scripts or external resources.

use crate::base::foreign_text::is_unsafe_char;

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PagePart {
    /// A heading of the parts that follow.
    Heading(&'static str),
    Line(Vec<PageText>),
    /// A table: column headings, and rows with a cell for each.
    Table(&'static [&'static str], Vec<Vec<PageText>>),
    List(Vec<Vec<PageText>>),
}

const STYLE: &str = include_str!("html.css");

pub(crate) fn render_html_page(title: &str, parts: &[PagePart]) -> String {
    let title = escape_markup(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n{}</head>\n<body>\n<h1>{title}</h1>\n{}</body>\n</html>\n",
        render_head(&title, "'none'"),
        render_parts(parts)
    )
}

/// Renders the head of a page: its escaped title, its style, and the scripts that it may run.
pub(super) fn render_head(title: &str, scripts: &str) -> String {
    format!(
        "<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src {scripts}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n"
    )
}

/// Renders parts without a page around them.
pub(super) fn render_parts(parts: &[PagePart]) -> String {
    parts.iter().map(render_part).collect()
}

fn render_part(part: &PagePart) -> String {
    match part {
        PagePart::Heading(title) => format!("<h2>{}</h2>\n", escape_markup(title)),
        PagePart::Line(texts) => format!("<p>{}</p>\n", render_line(texts)),
        PagePart::List(items) => {
            let items: String =
                items.iter().map(|item| format!("<li>{}</li>\n", render_line(item))).collect();
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
            format!("<th{class}>{}</th>", escape_markup(heading))
        })
        .collect();
    let cell = |cell| format!("<td{}>{}</td>", cell_class(Some(cell)), render_text(cell));
    let cells = rows.iter().map(|row| row.iter().map(cell).collect::<String>());
    let rows: String = cells.map(|cells| format!("<tr>{cells}</tr>\n")).collect();
    format!(
        "<div class=\"wide\"><table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn cell_class(cell: Option<&PageText>) -> &'static str {
    if matches!(cell, Some(PageText::Number(_))) { " class=\"number\"" } else { "" }
}

fn render_line(texts: &[PageText]) -> String {
    texts.iter().map(render_text).collect()
}

fn render_text(text: &PageText) -> String {
    match text {
        PageText::Plain(text) | PageText::Number(text) => escape_markup(text),
        PageText::Strong(text) => format!("<strong>{}</strong>", escape_markup(text)),
        PageText::Quoted(text) => format!("<code>{}</code>", escape_markup(text)),
    }
}

/// Escapes text so that it can't become markup. Control characters become blanks.
pub(super) fn escape_markup(text: &str) -> String {
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

    #[test]
    fn text_from_a_log_does_not_become_markup() {
        let quoted = |text: &str| PageText::Quoted(text.to_owned());
        let line = vec![quoted("<script>alert('x')</script>"), quoted("a & b\u{7}")];
        let page = render_html_page("Title", &[PagePart::Line(line)]);
        assert!(page.contains("<code>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;</code><code>a &amp; b </code>"), "{page}");
        assert!(!page.contains("<script"));
    }
}

//! The digest as one HTML page: no scripts, nothing loaded from elsewhere.

use crate::report::RunDigest;
use crate::report::sheet::{PagePart, PageText, lay_out};

const HEAD: &str = "\
<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Transcript compaction</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border-bottom: 1px solid #8886; padding: .3rem .8rem; text-align: left; overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
</style>
</head>
<body>
<h1>Transcript compaction</h1>
";

/// The whole digest.
#[must_use]
pub(super) fn render(digest: &RunDigest) -> String {
    let parts: String = lay_out(digest).iter().map(part).collect();
    format!("{HEAD}{parts}</body>\n</html>\n")
}

fn part(part: &PagePart) -> String {
    match part {
        PagePart::Heading(title) => format!("<h2>{}</h2>\n", escaped(title)),
        PagePart::Line(pieces) => format!("<p>{}</p>\n", line(pieces)),
        PagePart::List(items) => {
            let items: String = items
                .iter()
                .map(|item| format!("<li>{}</li>\n", line(item)))
                .collect();
            format!("<ul>\n{items}</ul>\n")
        }
        PagePart::Table(heads, rows) => {
            let first = rows.first();
            let class = |piece: Option<&PageText>| {
                if matches!(piece, Some(PageText::Number(_))) {
                    " class=\"number\""
                } else {
                    ""
                }
            };
            let heads = heads.iter().enumerate().map(|(at, head)| {
                format!(
                    "<th{}>{}</th>",
                    class(first.and_then(|row| row.get(at))),
                    escaped(head)
                )
            });
            let cells = |row: &Vec<PageText>| {
                row.iter()
                    .map(|cell| format!("<td{}>{}</td>", class(Some(cell)), piece(cell)))
                    .collect::<String>()
            };
            let rows = rows.iter().map(|row| format!("<tr>{}</tr>\n", cells(row)));
            format!(
                "<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n",
                heads.collect::<String>(),
                rows.collect::<String>()
            )
        }
    }
}

fn line(pieces: &[PageText]) -> String {
    pieces.iter().map(piece).collect()
}

fn piece(piece: &PageText) -> String {
    match piece {
        PageText::Plain(text) | PageText::Number(text) => escaped(text),
        PageText::Strong(text) => format!("<strong>{}</strong>", escaped(text)),
        PageText::Quoted(text) => format!("<code>{}</code>", escaped(text)),
    }
}

/// Text that can't become markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_a_log_is_no_markup() {
        let page = render(&RunDigest {
            failures: vec![(
                "<script>alert('x')</script>".to_owned(),
                "a & b\u{7}".to_owned(),
            )],
            ..RunDigest::default()
        });
        assert!(page.contains("<code>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;</code>: <code>a &amp; b </code>"), "{page}");
        assert!(!page.contains("<script"));
    }
}

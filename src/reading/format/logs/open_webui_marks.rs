//! The marks of Open WebUI in the text of an answer: `<details type="reasoning">` around what the
//! model thought, and `<details type="tool_calls">` for a call with its result.

use crate::reading::format::tree::JsonTree;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AnswerPiece<'t> {
    Text(&'t str),
    Reasoning(&'t str),
    Call(MarkedCall),
}

/// A call, as the attributes of its mark hold it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MarkedCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) result: Option<String>,
}

const START: &str = "<details type=\"";
const END: &str = "</details>";
const SUMMARY_END: &str = "</summary>";

/// Returns the pieces of an answer. Marks of other types stay in the text.
pub(crate) fn answer_pieces(text: &str) -> Vec<AnswerPiece<'_>> {
    let (mut pieces, mut rest, mut from) = (Vec::new(), text, 0);
    while let Some(start) = rest[from..].find(START).map(|at| from + at) {
        let end = rest[start..].find(END);
        let end = end.map_or(rest.len(), |at| start + at + END.len());
        let Some(piece) = marked_piece(&rest[start..end]) else {
            from = start + START.len();
            continue;
        };
        push_text(&mut pieces, &rest[..start]);
        pieces.push(piece);
        (rest, from) = (&rest[end..], 0);
    }
    push_text(&mut pieces, rest);
    pieces
}

fn push_text<'t>(pieces: &mut Vec<AnswerPiece<'t>>, text: &'t str) {
    let text = text.trim();
    if !text.is_empty() {
        pieces.push(AnswerPiece::Text(text));
    }
}

/// Returns the piece that a mark stands for, if its type is known.
fn marked_piece(mark: &str) -> Option<AnswerPiece<'_>> {
    let (opening, inner) = mark.split_once('>')?;
    let kind = attribute(opening, "type")?;
    match kind.as_str() {
        "reasoning" => {
            let inner = inner.strip_suffix(END).unwrap_or(inner);
            let thought = inner.split_once(SUMMARY_END).map_or(inner, |parts| parts.1);
            Some(AnswerPiece::Reasoning(thought.trim()))
        }
        "tool_calls" => Some(AnswerPiece::Call(MarkedCall {
            id: attribute(opening, "id").unwrap_or_default(),
            name: attribute(opening, "name")?,
            arguments: attribute(opening, "arguments").map_or_else(String::new, inner_text),
            result: attribute(opening, "result").map(inner_text),
        })),
        _ => None,
    }
}

/// Returns the value of an attribute of an opening tag.
fn attribute(opening: &str, name: &str) -> Option<String> {
    let start = format!(" {name}=\"");
    let (_, value) = opening.split_once(&start)?;
    let (value, _) = value.split_once('"')?;
    Some(unescape_html(value))
}

fn unescape_html(text: &str) -> String {
    let quotes = ["&quot;", "&#34;", "&#x22;"];
    let text = quotes.iter().fold(text.to_owned(), |text, quote| text.replace(quote, "\""));
    let text = text.replace("&#x27;", "'").replace("&#39;", "'");
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Returns the text of a value that is a string in JSON, and any other value as it is.
fn inner_text(value: String) -> String {
    let tree = JsonTree::new(value.trim().as_bytes());
    let text = tree.ok().and_then(|tree| tree.root().as_text().map(Into::into));
    text.unwrap_or(value)
}

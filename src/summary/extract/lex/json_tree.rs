//! Parses JSON into a small tree, as far as it goes: a text that is cut off yields the values before
//! the cut.

use super::argument_leaves::LeafValue;
use crate::json::string_scan::scan_string_with_controls;
use std::borrow::Cow;

/// Maximum depth of a tree. Deeper values are left out.
const DEEPEST: usize = 12;
/// Maximum number of values in a tree. A larger document is data, not a record.
const MOST_VALUES: usize = 4000;

/// A value of JSON. Numbers and booleans are text as written; null is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResultTree<'t> {
    /// The members of an object, in order.
    Object(Vec<(Cow<'t, str>, ResultTree<'t>)>),
    /// The items of a list.
    List(Vec<ResultTree<'t>>),
    /// A string without its escapes, or a number as written.
    Text(Cow<'t, str>),
    /// `true`, `false` or `null`.
    Word(&'t str),
}

/// Parses a text that begins with an object or a list. Returns `None` for any other text, and for a
/// document with too many values.
pub(crate) fn parse_json_tree(text: &str) -> Option<ResultTree<'_>> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut parser = TreeParser {
        text,
        at: 0,
        left: MOST_VALUES,
    };
    let tree = parser.parse_value(0)?;
    (parser.left > 0).then_some(tree)
}

struct TreeParser<'t> {
    text: &'t str,
    at: usize,
    /// Number of values that may still be read.
    left: usize,
}

impl<'t> TreeParser<'t> {
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Parses a value. Returns `None` at the end of the text, and for what is no JSON.
    fn parse_value(&mut self, depth: usize) -> Option<ResultTree<'t>> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        match self.peek()? {
            b'{' => Some(self.parse_object(depth)),
            b'[' => Some(self.parse_list(depth)),
            b'"' => Some(ResultTree::Text(self.parse_string()?)),
            _ => self.parse_word(),
        }
    }

    fn parse_object(&mut self, depth: usize) -> ResultTree<'t> {
        self.at += 1;
        let mut members = Vec::new();
        while self.peek() == Some(b'"') {
            let Some(key) = self.parse_string() else {
                break;
            };
            if self.peek() != Some(b':') {
                break;
            }
            self.at += 1;
            let Some(value) = self.parse_value(depth + 1) else {
                break;
            };
            members.push((key, value));
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
        }
        self.skip_closing(b'}');
        ResultTree::Object(members)
    }

    fn parse_list(&mut self, depth: usize) -> ResultTree<'t> {
        self.at += 1;
        let mut items = Vec::new();
        while self.peek().is_some_and(|byte| byte != b']') {
            let Some(value) = self.parse_value(depth + 1) else {
                break;
            };
            items.push(value);
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
        }
        self.skip_closing(b']');
        ResultTree::List(items)
    }

    /// Steps over a closing bracket. Anything else ends the document.
    fn skip_closing(&mut self, bracket: u8) {
        if self.peek() == Some(bracket) {
            self.at += 1;
        } else {
            self.at = self.text.len();
        }
    }

    fn parse_string(&mut self) -> Option<Cow<'t, str>> {
        let start = self.at + 1;
        let end = scan_string_with_controls(self.text.as_bytes(), start)?.closing_quote;
        self.at = end + 1;
        LeafValue::String(&self.text[start..end]).decode()
    }

    fn parse_word(&mut self) -> Option<ResultTree<'t>> {
        let rest = &self.text[self.at..];
        let length = rest
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | ':' | '"'))
            .unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        match word {
            "true" | "false" | "null" => Some(ResultTree::Word(word)),
            _ => word
                .starts_with(|c: char| c.is_ascii_digit() || c == '-')
                .then_some(ResultTree::Text(Cow::Borrowed(word))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> ResultTree<'_> {
        ResultTree::Text(Cow::Borrowed(value))
    }

    #[test]
    fn values_are_as_written() {
        let tree = parse_json_tree(r#" {"a": 5.50, "b": [true, "x\n\"y\""], "c": {"d": null}} "#);
        let members = vec![
            ("a".into(), text("5.50")),
            (
                "b".into(),
                ResultTree::List(vec![ResultTree::Word("true"), text("x\n\"y\"")]),
            ),
            (
                "c".into(),
                ResultTree::Object(vec![("d".into(), ResultTree::Word("null"))]),
            ),
        ];
        assert_eq!(tree, Some(ResultTree::Object(members)));
    }

    #[test]
    fn a_text_that_is_cut_off_keeps_its_beginning() {
        assert_eq!(
            parse_json_tree(r#"[{"a": "b"}, {"c": "d"#),
            Some(ResultTree::List(vec![
                ResultTree::Object(vec![("a".into(), text("b"))]),
                ResultTree::Object(Vec::new()),
            ]))
        );
        for odd in [
            "",
            "x",
            "{",
            "[",
            "[[[[",
            "{\"a\"",
            "{\"a\": }",
            "[1 2",
            "]",
        ] {
            parse_json_tree(odd);
        }
        let deep = "[".repeat(100_000);
        parse_json_tree(&deep);
        let long = format!("[{}1]", "1,".repeat(5000));
        assert_eq!(parse_json_tree(&long), None);
    }
}

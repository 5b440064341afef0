//! Parses JSON as far as it goes: a text that is cut off yields the values before the cut.

use crate::reading::json::decode_content;
use crate::reading::json::string_scan::scan_string_with_controls;
use std::borrow::Cow;

/// Maximum depth of a value. Deeper ones end the document.
const DEEPEST: usize = 12;
/// Maximum number of values. A larger document is read to there.
const MOST_VALUES: usize = 4000;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum JsonValue<'t> {
    /// The members of an object, in order.
    Object(Vec<(Cow<'t, str>, JsonValue<'t>)>),
    List(Vec<JsonValue<'t>>),
    /// A string without its escapes.
    Text(Cow<'t, str>),
    /// A number, `true` or `false`, as written.
    Plain(&'t str),
    /// `null`.
    Null,
}

impl<'t> JsonValue<'t> {
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Returns the text of a string, a number or a truth value.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Plain(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn members(&self) -> &[(Cow<'t, str>, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// Calls `visit` with each string, number and truth value below, and the member that it stands
    /// in (empty at the top).
    pub(crate) fn visit_leaves<'s>(
        &'s self,
        key: &'s str,
        visit: &mut impl FnMut(&'s str, &'s str),
    ) {
        match self {
            Self::Object(members) => {
                members.iter().for_each(|(name, value)| value.visit_leaves(name, visit));
            }
            Self::List(items) => items.iter().for_each(|item| item.visit_leaves(key, visit)),
            leaf => leaf.as_text().into_iter().for_each(|text| visit(key, text)),
        }
    }
}

/// Parses a text that begins with an object or a list. Returns `None` for any other text, and for one
/// that is no JSON from the start.
pub(crate) fn parse_json(text: &str) -> Option<JsonValue<'_>> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut parser = Parser { text, at: 0, left: MOST_VALUES };
    let value = parser.parse_value(0)?;
    let is_empty = match &value {
        JsonValue::Object(members) => members.is_empty() && text.len() > 2,
        JsonValue::List(items) => items.is_empty() && text.len() > 2,
        _ => true,
    };
    // `[bash] done` begins like a list.
    (!is_empty && (parser.at >= text.len() || parser.broke_off())).then_some(value)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// Number of values that may still be read.
    left: usize,
}

impl<'t> Parser<'t> {
    fn broke_off(&self) -> bool {
        self.left == 0
    }

    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn parse_value(&mut self, depth: usize) -> Option<JsonValue<'t>> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        match self.peek()? {
            b'{' => Some(self.parse_object(depth)),
            b'[' => Some(self.parse_list(depth)),
            b'"' => Some(JsonValue::Text(self.parse_string()?)),
            _ => self.parse_plain(),
        }
    }

    fn parse_object(&mut self, depth: usize) -> JsonValue<'t> {
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
        self.step_over(b'}');
        JsonValue::Object(members)
    }

    fn parse_list(&mut self, depth: usize) -> JsonValue<'t> {
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
        self.step_over(b']');
        JsonValue::List(items)
    }

    /// Steps over a closing bracket. Anything else ends the document.
    fn step_over(&mut self, bracket: u8) {
        if self.peek() == Some(bracket) {
            self.at += 1;
        } else {
            self.left = 0;
        }
    }

    fn parse_string(&mut self) -> Option<Cow<'t, str>> {
        let start = self.at + 1;
        let end = scan_string_with_controls(self.text.as_bytes(), start)?.closing_quote;
        self.at = end + 1;
        let content = &self.text[start..end];
        Some(if content.contains('\\') {
            // A lone surrogate has no spelling: the content then stays as it is written.
            decode_content(content).map_or(Cow::Borrowed(content), Cow::Owned)
        } else {
            Cow::Borrowed(content)
        })
    }

    fn parse_plain(&mut self) -> Option<JsonValue<'t>> {
        let rest = &self.text[self.at..];
        let length = rest
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | ':' | '"'))
            .unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        match word {
            "null" => Some(JsonValue::Null),
            "true" | "false" | "NaN" => Some(JsonValue::Plain(word)),
            _ => word
                .starts_with(|c: char| c.is_ascii_digit() || c == '-')
                .then_some(JsonValue::Plain(word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_written_and_a_cut_ends_the_document() {
        let value =
            parse_json(r#"{"a": 5.50, "b": [true, "x\n\"y\"", null], "c": {"d": "cu"#).unwrap();
        assert_eq!(value.member("a"), Some(&JsonValue::Plain("5.50")));
        let mut leaves = Vec::new();
        value.visit_leaves("", &mut |key, leaf| leaves.push(format!("{key}={leaf}")));
        assert_eq!(leaves, ["a=5.50", "b=true", "b=x\n\"y\""]);
    }

    #[test]
    fn other_text_is_no_json() {
        for text in ["[bash] done", "{ return 1; }", "x", "[error] {", ""] {
            assert_eq!(parse_json(text), None, "{text}");
        }
        assert!(parse_json("{}").is_some());
    }
}

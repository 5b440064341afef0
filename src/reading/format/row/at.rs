//! Places of values in a record, as rows write them: `message.content|text` is the value of
//! `content` in `message`, and where that is missing the value of `text`.

use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::transcript::prelude::*;

/// One place, or several of which the first with a value counts. A number is the index of a list's
/// element, and an empty way is the record itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    text: &'static str,
    /// Where each key ends: every record is asked, so the text is cut once, at compile time.
    ends: [u8; Self::MOST],
    count: usize,
}

/// The place that no record has.
pub(crate) const NOWHERE: At = At { count: 0, ..at("") };

/// Returns the places that a text describes.
pub(crate) const fn at(text: &'static str) -> At {
    let (bytes, mut ends) = (text.as_bytes(), [0; At::MOST]);
    assert!(bytes.len() < 256);
    let (mut count, mut index) = (0, 0);
    while index <= bytes.len() {
        if index == bytes.len() || bytes[index] == b'.' || bytes[index] == b'|' {
            ends[count] = index as u8;
            count += 1;
        }
        index += 1;
    }
    At { text, ends, count }
}

impl At {
    const MOST: usize = 12;

    /// Returns what is at each place.
    fn values<'t>(self, node: JsonNode<'t>) -> impl Iterator<Item = Option<JsonNode<'t>>> {
        let (mut keys, mut start) = (0, 0);
        std::iter::from_fn(move || {
            let mut value = Some(node);
            while keys < self.count {
                let end = usize::from(self.ends[keys]);
                value = value.and_then(|value| step(value, &self.text[start..end]));
                (keys, start) = (keys + 1, end + 1);
                if self.text.as_bytes().get(end) != Some(&b'.') {
                    return Some(value);
                }
            }
            None
        })
    }

    /// Returns the values at the places, in their order.
    pub(crate) fn nodes<'t>(self, node: JsonNode<'t>) -> impl Iterator<Item = JsonNode<'t>> {
        self.values(node).flatten()
    }

    /// Returns what is made of the first value of which anything is made.
    fn find_map<'t, T>(
        &self,
        node: JsonNode<'t>,
        make: impl Fn(JsonNode<'t>) -> Option<T>,
    ) -> Option<T> {
        match self.as_key() {
            Some(key) => node.get(key).and_then(make),
            None => self.nodes(node).find_map(make),
        }
    }

    /// Returns the first value that is not null, or else the first.
    pub(crate) fn node<'t>(&self, node: JsonNode<'t>) -> Option<JsonNode<'t>> {
        let filled = self.find_map(node, |value| (!value.is_kind(JsonKind::Null)).then_some(value));
        filled.or_else(|| self.find_map(node, Some))
    }

    /// Returns true if any of the values fulfils a test.
    pub(super) fn any(&self, node: JsonNode<'_>, test: impl Fn(JsonNode<'_>) -> bool) -> bool {
        let passed = self.find_map(node, |value| test(value).then_some(()));
        passed.is_some()
    }

    /// Returns the first text that is not empty.
    pub(crate) fn text(&self, node: JsonNode<'_>) -> Option<String> {
        self.text_in(node).map(Cow::into_owned)
    }

    /// The same, as it is in the record.
    pub(super) fn text_in<'t>(&self, node: JsonNode<'t>) -> Option<Cow<'t, str>> {
        self.find_map(node, |value| value.as_text().filter(|text| !text.is_empty()))
    }

    /// Reads a text that is not known yet.
    pub(crate) fn first_into(&self, known: &mut Option<String>, node: JsonNode<'_>) {
        *known = known.take().or_else(|| self.text(node));
    }

    /// Reads a text that stands for what is known.
    pub(crate) fn last_into(&self, known: &mut Option<String>, node: JsonNode<'_>) {
        *known = self.text(node).or_else(|| known.take());
    }

    /// Returns the bytes of the first value in a JSON text.
    pub(crate) fn bytes_in(&self, json: &[u8]) -> Option<Vec<u8>> {
        let tree = JsonTree::new(json).ok()?;
        Some(self.node(tree.root())?.bytes().to_vec())
    }

    /// Returns the first value, if it is a number that counts.
    pub(crate) fn count(&self, node: JsonNode<'_>) -> Option<u64> {
        self.node(node)?.as_u64()
    }

    /// Returns the literal of the first string.
    pub(crate) fn literal<'t>(&self, node: JsonNode<'t>) -> Option<&'t [u8]> {
        self.find_map(node, |value| value.is_kind(JsonKind::String).then(|| value.bytes()))
    }

    /// Returns the literal of the first string, or that of an empty one.
    pub(crate) fn literal_or_empty<'t>(&self, node: JsonNode<'t>) -> &'t [u8] {
        self.literal(node).unwrap_or(b"\"\"")
    }

    /// Returns the bytes of the first value, or `null`.
    pub(crate) fn bytes_or_null<'t>(&self, node: JsonNode<'t>) -> &'t [u8] {
        self.node(node).map_or(b"null", JsonNode::bytes)
    }

    /// Returns the elements of the first value, if it is a list.
    pub(crate) fn items<'t>(
        &self,
        node: JsonNode<'t>,
    ) -> impl DoubleEndedIterator<Item = JsonNode<'t>> + use<'t> {
        self.node(node).into_iter().flat_map(JsonNode::items)
    }

    /// Returns the places one by one, as texts.
    pub(super) fn ways(self) -> impl Iterator<Item = &'static str> {
        self.text.split('|').filter(move |_| self.is_somewhere())
    }

    /// Returns the key, if it is one: a number may be the index of an element.
    pub(super) fn as_key(&self) -> Option<&'static str> {
        let is_index = self.text.as_bytes().first().is_some_and(u8::is_ascii_digit);
        (self.count == 1 && !self.text.is_empty() && !is_index).then_some(self.text)
    }

    /// Returns true if it is a place.
    pub(super) fn is_somewhere(&self) -> bool {
        self.count > 0
    }

    /// Returns true if all places have a value.
    pub(super) fn all(&self, node: JsonNode<'_>) -> bool {
        self.values(node).all(|value| value.is_some())
    }
}

/// Returns a pattern with the numbers at the places of a node, or 0, in the place of its `$`.
pub(crate) fn fill_counts(pattern: &str, node: JsonNode<'_>, places: &[At]) -> Vec<u8> {
    let counts = places.iter().map(|at| at.count(node).unwrap_or(0));
    let counts: Vec<String> = counts.map(|count| count.to_string()).collect();
    let counts: Vec<&[u8]> = counts.iter().map(|count| count.as_bytes()).collect();
    fill_json(pattern, &counts)
}

fn step<'t>(node: JsonNode<'t>, key: &str) -> Option<JsonNode<'t>> {
    match node.kind() {
        _ if key.is_empty() => Some(node),
        JsonKind::Array => node.items().nth(key.parse().ok()?),
        // A number is the index of an element, never a key.
        _ if key.as_bytes()[0].is_ascii_digit() => None,
        _ => node.get(key),
    }
}

/// A text in which each `$place` stands for the JSON of the value there, or for `null`, and each
/// `$place?` for the literal of a string there, or for that of an empty one.
pub(crate) struct Template {
    gaps: [Gap; Self::MOST],
    count: usize,
    end: &'static str,
}

/// A place in a template, and the text before it.
#[derive(Clone, Copy)]
struct Gap {
    before: &'static str,
    at: At,
    is_literal: bool,
}

pub(crate) const fn template(text: &'static str) -> Template {
    const NONE: Gap = Gap { before: "", at: NOWHERE, is_literal: false };
    let (mut gaps, mut count, mut rest) = ([NONE; Template::MOST], 0, text);
    while let Some(start) = find_byte(rest, b'$') {
        let (before, behind) = rest.split_at(start);
        let (place, behind) = cut_place(behind.split_at(1).1);
        let is_literal = !behind.is_empty() && behind.as_bytes()[0] == b'?';
        gaps[count] = Gap { before, at: at(place), is_literal };
        count += 1;
        rest = behind.split_at(is_literal as usize).1;
    }
    Template { gaps, count, end: rest }
}

const fn find_byte(text: &str, byte: u8) -> Option<usize> {
    let mut index = 0;
    while index < text.len() {
        if text.as_bytes()[index] == byte {
            return Some(index);
        }
        index += 1;
    }
    None
}

/// Returns the place at the beginning of a text, and the rest.
const fn cut_place(text: &'static str) -> (&'static str, &'static str) {
    let (bytes, mut end) = (text.as_bytes(), 0);
    while end < bytes.len()
        && (bytes[end].is_ascii_alphanumeric() || matches!(bytes[end], b'_' | b'.' | b'|'))
    {
        end += 1;
    }
    text.split_at(end)
}

impl Template {
    const MOST: usize = 4;

    /// Returns the text with what the places of a node hold.
    pub(crate) fn fill(&self, node: JsonNode<'_>) -> Vec<u8> {
        let mut json = Vec::new();
        for gap in &self.gaps[..self.count] {
            json.extend_from_slice(gap.before.as_bytes());
            json.extend_from_slice(match gap.is_literal {
                true => gap.at.literal_or_empty(node),
                false => gap.at.bytes_or_null(node),
            });
        }
        json.extend_from_slice(self.end.as_bytes());
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_with_a_value_counts() {
        let tree =
            JsonTree::new(br#"{"a": {"b": 1}, "c": "x", "l": [{"n": "y"}], "e": "", "n": null}"#);
        let tree = tree.unwrap();
        let root = tree.root();
        for (place, json) in [
            ("c", "\"x\""),
            ("a.b", "1"),
            ("z|a.b", "1"),
            ("a.b.c|l.0.n", "\"y\""),
            ("a|c", "{\"b\": 1}"),
            // A null stands for nothing where there is more, and a lone number is an index.
            ("n|c", "\"x\""),
            ("z|n", "null"),
            ("l.0", "{\"n\": \"y\"}"),
        ] {
            assert_eq!(at(place).bytes_or_null(root), json.as_bytes(), "{place}");
        }
        let list = JsonTree::new(b"[7, 8]").unwrap();
        assert_eq!(at("1").bytes_or_null(list.root()), b"8");
        let object = JsonTree::new(br#"{"0": 7}"#).unwrap();
        assert!(at("0").node(object.root()).is_none());
        assert_eq!(at("a|e|c").text(root).as_deref(), Some("x"));
        assert!(at("").node(root).is_some() && NOWHERE.node(root).is_none());
        let filled = template(r#"{"r": $a.b, "s": $z?, "t": $z}"#).fill(root);
        assert_eq!(filled, br#"{"r": 1, "s": "", "t": null}"#);
    }
}

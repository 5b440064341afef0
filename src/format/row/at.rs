//! Places of values in a record, as rows write them: `message.content|text` is the value of
//! `content` in `message`, and where that is missing the value of `text`.

use crate::format::tree::JsonNode;
use crate::json::JsonKind;

/// One place, or several of which the first with a value counts. A number is the index of a list's
/// element, and an empty way is the record itself.
#[derive(Debug, Clone, Copy)]
pub(in crate::format) struct At {
    text: &'static str,
    /// True if the text is one key: it is then looked up as it is.
    is_key: bool,
    /// The first place, if it is a key.
    first: &'static str,
}

/// The place that no record has.
pub(in crate::format) const NOWHERE: At = At {
    text: "",
    is_key: true,
    first: "",
};

/// Returns the places that a text describes.
pub(in crate::format) const fn at(text: &'static str) -> At {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b'.' && bytes[end] != b'|' {
        end += 1;
    }
    let is_key = !bytes.is_empty() && end == bytes.len();
    let is_first = end < bytes.len() && bytes[end] == b'|';
    let first = if is_key || is_first {
        text.split_at(end).0
    } else {
        ""
    };
    At {
        text,
        is_key,
        first,
    }
}

impl At {
    /// Returns the values at the places, in their order.
    pub(in crate::format) fn nodes<'t>(
        self,
        node: JsonNode<'t>,
    ) -> impl Iterator<Item = JsonNode<'t>> {
        self.ways().filter_map(move |way| follow(node, way))
    }

    /// Returns the first value.
    pub(in crate::format) fn node<'t>(self, node: JsonNode<'t>) -> Option<JsonNode<'t>> {
        if !self.first.is_empty()
            && let Some(value) = node.get(self.first)
        {
            return Some(value);
        }
        if self.is_key {
            return None;
        }
        self.nodes(node).next()
    }

    /// Returns true if any of the values fulfils a test.
    pub(super) fn any(self, node: JsonNode<'_>, test: impl Fn(JsonNode<'_>) -> bool) -> bool {
        if self.is_key {
            self.node(node).is_some_and(test)
        } else {
            self.nodes(node).any(test)
        }
    }

    /// Returns the first text that is not empty.
    pub(in crate::format) fn text(self, node: JsonNode<'_>) -> Option<String> {
        if self.is_key {
            return self.node(node)?.as_non_empty_text();
        }
        self.nodes(node).find_map(JsonNode::as_non_empty_text)
    }

    /// Returns the literal of the first string.
    pub(in crate::format) fn literal<'t>(self, node: JsonNode<'t>) -> Option<&'t [u8]> {
        let is_string = |value: &JsonNode<'t>| value.is_kind(JsonKind::String);
        let string = if self.is_key {
            self.node(node).filter(is_string)
        } else {
            self.nodes(node).find(is_string)
        };
        string.map(JsonNode::bytes)
    }

    /// Returns the literal of the first string, or that of an empty one.
    pub(in crate::format) fn literal_or_empty<'t>(self, node: JsonNode<'t>) -> &'t [u8] {
        self.literal(node).unwrap_or(b"\"\"")
    }

    /// Returns the bytes of the first value, or `null`.
    pub(in crate::format) fn bytes_or_null<'t>(self, node: JsonNode<'t>) -> &'t [u8] {
        self.node(node).map_or(b"null", JsonNode::bytes)
    }

    /// Returns the elements of the first value, if it is a list.
    pub(in crate::format) fn items<'t>(
        self,
        node: JsonNode<'t>,
    ) -> impl DoubleEndedIterator<Item = JsonNode<'t>> {
        self.node(node).into_iter().flat_map(JsonNode::items)
    }

    /// Returns the places one by one, as texts.
    pub(super) fn ways(self) -> impl Iterator<Item = &'static str> {
        self.text.split('|').filter(move |_| self.is_somewhere())
    }

    /// Returns the key, if it is one.
    pub(super) fn as_key(self) -> Option<&'static str> {
        (self.is_key && self.is_somewhere()).then_some(self.text)
    }

    /// Returns true if it is a place.
    pub(super) fn is_somewhere(self) -> bool {
        !(self.is_key && self.text.is_empty())
    }

    /// Returns true if all places have a value.
    pub(super) fn all(self, node: JsonNode<'_>) -> bool {
        self.ways().all(|way| follow(node, way).is_some())
    }
}

fn follow<'t>(node: JsonNode<'t>, way: &str) -> Option<JsonNode<'t>> {
    if way.is_empty() {
        return Some(node);
    }
    way.split('.').try_fold(node, |node, key| {
        if node.is_kind(JsonKind::Array) {
            node.items().nth(key.parse().ok()?)
        } else {
            node.get(key)
        }
    })
}

/// Replaces each `$place` in a text by the JSON of the value there, or by `null`, and each `$place?`
/// by the literal of a string there, or by that of an empty one.
pub(in crate::format) fn fill(template: &'static str, node: JsonNode<'_>) -> Vec<u8> {
    let mut parts = template.split('$');
    let mut json = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (place, rest) = part.split_at(place_length(part));
        json.extend_from_slice(match rest.starts_with('?') {
            true => at(place).literal_or_empty(node),
            false => at(place).bytes_or_null(node),
        });
        json.extend_from_slice(rest.strip_prefix('?').unwrap_or(rest).as_bytes());
    }
    json
}

fn place_length(part: &str) -> usize {
    let is_place = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '|');
    part.find(|c| !is_place(c)).unwrap_or(part.len())
}

/// Returns the places in a text that [`fill`] replaces.
pub(super) fn places_in(template: &'static str) -> impl Iterator<Item = At> {
    let parts = template.split('$').skip(1);
    parts.map(|part| at(&part[..place_length(part)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tree::JsonTree;

    #[test]
    fn the_first_place_with_a_value_counts() {
        let tree = JsonTree::new(br#"{"a": {"b": 1}, "c": "x", "l": [{"n": "y"}], "e": ""}"#);
        let tree = tree.unwrap();
        let root = tree.root();
        for (place, json) in [
            ("c", "\"x\""),
            ("a.b", "1"),
            ("z|a.b", "1"),
            ("a.b.c|l.0.n", "\"y\""),
            ("a|c", "{\"b\": 1}"),
        ] {
            assert_eq!(at(place).bytes_or_null(root), json.as_bytes(), "{place}");
        }
        assert_eq!(at("a|e|c").text(root).as_deref(), Some("x"));
        assert!(at("").node(root).is_some() && NOWHERE.node(root).is_none());
        let filled = fill(r#"{"r": $a.b, "s": $z?, "t": $z}"#, root);
        assert_eq!(filled, br#"{"r": 1, "s": "", "t": null}"#);
    }
}

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
}

/// The place that no record has.
pub(in crate::format) const NOWHERE: At = At {
    text: "",
    is_key: true,
};

/// Returns the places that a text describes.
pub(in crate::format) const fn at(text: &'static str) -> At {
    let bytes = text.as_bytes();
    let (mut is_key, mut index) = (!bytes.is_empty(), 0);
    while index < bytes.len() {
        is_key = is_key && bytes[index] != b'.' && bytes[index] != b'|';
        index += 1;
    }
    At { text, is_key }
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
        if self.is_key {
            return node.get(self.text).filter(|_| !self.text.is_empty());
        }
        self.nodes(node).next()
    }

    /// Returns the first text that is not empty.
    pub(in crate::format) fn text(self, node: JsonNode<'_>) -> Option<String> {
        self.nodes(node).find_map(JsonNode::as_non_empty_text)
    }

    /// Returns the literal of the first string.
    pub(in crate::format) fn literal<'t>(self, node: JsonNode<'t>) -> Option<&'t [u8]> {
        let mut nodes = self.nodes(node);
        let string = nodes.find(|value| value.is_kind(JsonKind::String))?;
        Some(string.bytes())
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
        let is_somewhere = !(self.is_key && self.text.is_empty());
        self.text.split('|').filter(move |_| is_somewhere)
    }

    /// Returns the number of places.
    pub(super) fn count(self) -> usize {
        self.ways().count()
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

//! Conditions on a record, as rows write them.

use crate::reading::format::row::at::{At, at};
use crate::reading::format::tree::JsonNode;
use crate::reading::transcript::prelude::*;

/// A condition on a record or a part of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum If {
    /// Any of the places has a value.
    Has(At),
    /// All places have a value.
    HasAll(At),
    /// No place has a value.
    HasNone(At),
    /// The text is one of these, separated by `|`.
    Is(At, Texts),
    /// The text begins with one of these, separated by `|`.
    Starts(At, Texts),
    /// The value is of one of these kinds.
    Kind(At, &'static [JsonKind]),
    True(At),
    False(At),
    /// All conditions hold for the value.
    Of(At, &'static [If]),
    /// All conditions hold for the first element of a list, or for what is no list.
    First(&'static [If]),
    /// Some element of a list fulfils all conditions.
    Some(At, &'static [If]),
    /// Every element of a list fulfils all conditions.
    Every(At, &'static [If]),
    /// The object has no other keys than these.
    Only(At),
    /// One of these fails.
    Not(&'static [If]),
    /// Any of these holds.
    Any(&'static [If]),
    /// What no other condition can say.
    Own(fn(JsonNode<'_>) -> bool),
}

pub(crate) const LIST: &[JsonKind] = &[JsonKind::Array];
pub(crate) const OBJECT: &[JsonKind] = &[JsonKind::Object];
pub(crate) const TEXT: &[JsonKind] = &[JsonKind::String];
/// All kinds but null.
pub(crate) const FILLED: &[JsonKind] =
    &[JsonKind::Array, JsonKind::Bool, JsonKind::Number, JsonKind::Object, JsonKind::String];
pub(crate) const TEXT_OR_LIST: &[JsonKind] = &[JsonKind::String, JsonKind::Array];

/// A value is there.
pub(crate) const fn has(places: &'static str) -> If {
    If::Has(at(places))
}

/// All values are there.
pub(crate) const fn all(places: &'static str) -> If {
    If::HasAll(at(places))
}

/// No value is there.
pub(crate) const fn none(places: &'static str) -> If {
    If::HasNone(at(places))
}

/// Texts that are separated by `|`, with the places where each ends: they are compared with every
/// record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Texts {
    texts: &'static str,
    ends: [u16; Self::MOST],
    count: usize,
}

impl Texts {
    const MOST: usize = 20;

    const fn new(texts: &'static str) -> Self {
        let (bytes, mut ends) = (texts.as_bytes(), [0; Self::MOST]);
        let (mut count, mut index) = (0, 0);
        while index <= bytes.len() {
            if index == bytes.len() || bytes[index] == b'|' {
                ends[count] = index as u16;
                count += 1;
            }
            index += 1;
        }
        Self { texts, ends, count }
    }

    /// Returns true if any of the texts fulfils a test.
    fn any(&self, test: impl Fn(&[u8]) -> bool) -> bool {
        let mut start = 0;
        self.ends[..self.count].iter().any(|end| {
            let text = &self.texts.as_bytes()[start..usize::from(*end)];
            start = usize::from(*end) + 1;
            test(text)
        })
    }
}

/// A text is one of these.
pub(crate) const fn is(places: &'static str, texts: &'static str) -> If {
    If::Is(at(places), Texts::new(texts))
}

/// A text begins with one of these.
pub(crate) const fn starts(places: &'static str, texts: &'static str) -> If {
    If::Starts(at(places), Texts::new(texts))
}

/// A value is `true`.
pub(crate) const fn truth(places: &'static str) -> If {
    If::True(at(places))
}

/// A list has elements.
pub(crate) const fn some(places: &'static str) -> If {
    If::Some(at(places), &[])
}

/// A value is of one of these kinds.
pub(crate) const fn kind(places: &'static str, kinds: &'static [JsonKind]) -> If {
    If::Kind(at(places), kinds)
}

/// A node, and the text of the key that was asked for last: rows ask for the type of a record again
/// and again.
pub(super) struct AskedNode<'t> {
    node: JsonNode<'t>,
    key: &'static str,
    text: Option<Cow<'t, [u8]>>,
}

pub(crate) fn hold(conditions: &[If], node: JsonNode<'_>) -> bool {
    AskedNode::new(node).fulfils(conditions)
}

impl<'t> AskedNode<'t> {
    pub(super) fn new(node: JsonNode<'t>) -> Self {
        Self { node, key: "", text: None }
    }

    /// Returns true if all conditions hold.
    pub(super) fn fulfils(&mut self, conditions: &[If]) -> bool {
        conditions.iter().all(|condition| self.holds(condition))
    }

    fn holds(&mut self, condition: &If) -> bool {
        let node = self.node;
        match condition {
            If::Has(at) => at.node(node).is_some(),
            If::HasAll(at) => at.all(node),
            If::HasNone(at) => at.node(node).is_none(),
            If::Is(at, texts) => self.has_text(at, |text| texts.any(|known| known == text)),
            If::Starts(at, texts) => {
                self.has_text(at, |text| texts.any(|start| text.starts_with(start)))
            }
            If::Kind(at, kinds) => at.node(node).is_some_and(|it| kinds.contains(&it.kind())),
            If::True(at) => at.any(node, |value| value.bytes() == b"true"),
            If::False(at) => at.any(node, |value| value.bytes() == b"false"),
            If::Of(at, conditions) => at.node(node).is_some_and(|it| hold(conditions, it)),
            If::First(conditions) => hold(conditions, node.items().next().unwrap_or(node)),
            If::Some(at, conditions) => at.items(node).any(|item| hold(conditions, item)),
            If::Every(at, conditions) => at.items(node).all(|item| hold(conditions, item)),
            If::Only(at) => node.entries().all(|(key, _)| {
                let key = decode_literal(key.slice(node.record_bytes()));
                at.ways().any(|way| way == key)
            }),
            If::Not(conditions) => !self.fulfils(conditions),
            If::Any(conditions) => conditions.iter().any(|condition| self.holds(condition)),
            If::Own(holds) => holds(node),
        }
    }

    /// Returns true if any of the texts at the places fulfils a test.
    fn has_text(&mut self, at: &At, test: impl Fn(&[u8]) -> bool) -> bool {
        let Some(key) = at.as_key() else {
            return at.any(self.node, |value| value.text_bytes().is_some_and(|text| test(&text)));
        };
        if self.key != key {
            self.key = key;
            self.text = self.node.get(key).and_then(JsonNode::text_bytes);
        }
        self.text.as_deref().is_some_and(test)
    }
}

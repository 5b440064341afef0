//! A record as a tree of spans: for detection, and for readers that look at
//! nested values in more than one way. Nothing is decoded before it is asked for.

use crate::error::RecordError;
use crate::json::decode_literal;
use crate::json::{JsonKind, Scanner, Span};
use std::borrow::Cow;

type Result<T> = std::result::Result<T, RecordError>;

/// One JSON text, checked.
#[derive(Debug)]
pub struct JsonTree<'a> {
    bytes: &'a [u8],
    root: JsonBranch,
    /// The first key that stands twice in one object.
    pub duplicate_key: Option<String>,
}

#[derive(Debug)]
struct JsonBranch {
    span: Span,
    kind: JsonKind,
    /// Of an object with the spans of the keys; of an array the keys say nothing.
    members: Vec<(Span, JsonBranch)>,
}

impl<'a> JsonTree<'a> {
    /// Reads one value with nothing but blanks around it.
    ///
    /// # Errors
    /// Where the grammar is broken.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let mut scanner = Scanner::new(bytes);
        let root = branch(&mut scanner)?;
        scanner.expect_end()?;
        Ok(Self {
            bytes,
            root,
            duplicate_key: scanner.duplicate_key().map(Cow::into_owned),
        })
    }

    /// The whole value.
    #[must_use]
    pub fn root(&self) -> JsonNode<'_> {
        JsonNode {
            bytes: self.bytes,
            branch: &self.root,
        }
    }
}

/// Of the numbers (and other values that hold nothing) in one list no more are kept: a list of token ids can be as long as the
/// record, and who wants no number there is served by the first.
const MOST_NUMBERS: usize = 64;

fn branch(scanner: &mut Scanner<'_>) -> Result<JsonBranch> {
    let kind = scanner.peek_kind()?;
    let (mut members, mut numbers) = (Vec::new(), 0);
    let span = match kind {
        JsonKind::Object => scanner.read_object_with_key_spans(|s, key| {
            members.push((key, branch(s)?));
            Ok(())
        })?,
        JsonKind::Array => scanner.read_array(|s| {
            let element = branch(s)?;
            numbers += usize::from(matches!(
                element.kind,
                JsonKind::Number | JsonKind::Bool | JsonKind::Null
            ));
            if numbers <= MOST_NUMBERS
                || matches!(
                    element.kind,
                    JsonKind::Object | JsonKind::Array | JsonKind::String
                )
            {
                members.push((Span::default(), element));
            }
            Ok(())
        })?,
        _ => scanner.skip_value()?,
    };
    Ok(JsonBranch {
        span,
        kind,
        members,
    })
}

/// One value of a tree.
#[derive(Debug, Clone, Copy)]
pub struct JsonNode<'t> {
    bytes: &'t [u8],
    branch: &'t JsonBranch,
}

impl<'t> JsonNode<'t> {
    /// Where it stands.
    #[must_use]
    pub fn span(self) -> Span {
        self.branch.span
    }

    /// What it is.
    #[must_use]
    pub fn kind(self) -> JsonKind {
        self.branch.kind
    }

    /// The bytes that all spans of its tree count in.
    #[must_use]
    pub fn record(self) -> &'t [u8] {
        self.bytes
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(self) -> &'t [u8] {
        self.span().slice(self.bytes)
    }

    /// The value of a key; of equal keys the last one counts.
    #[must_use]
    pub fn get(self, key: &str) -> Option<JsonNode<'t>> {
        self.entries()
            .rfind(|(name, _)| name_is(name.slice(self.bytes), key))
            .map(|(_, value)| value)
    }

    /// The value below these keys.
    #[must_use]
    pub fn at(self, path: &[&str]) -> Option<JsonNode<'t>> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Whether there is such a key.
    #[must_use]
    pub fn has(self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Whether a key holds this text.
    #[must_use]
    pub fn says(self, key: &str, text: &str) -> bool {
        self.get(key)
            .and_then(JsonNode::text)
            .is_some_and(|own| own == text)
    }

    /// Keys (their literals) and values of an object; of anything else none.
    pub fn entries(self) -> impl DoubleEndedIterator<Item = (Span, JsonNode<'t>)> {
        let members: &'t [(Span, JsonBranch)] = if self.kind() == JsonKind::Object {
            &self.branch.members
        } else {
            &[]
        };
        members.iter().map(move |(key, branch)| {
            (
                *key,
                JsonNode {
                    bytes: self.bytes,
                    branch,
                },
            )
        })
    }

    /// The elements of an array, of very many numbers only the first; of anything else none.
    pub fn items(self) -> impl DoubleEndedIterator<Item = JsonNode<'t>> {
        let members: &'t [(Span, JsonBranch)] = if self.kind() == JsonKind::Array {
            &self.branch.members
        } else {
            &[]
        };
        members.iter().map(move |(_, branch)| JsonNode {
            bytes: self.bytes,
            branch,
        })
    }

    /// The elements of the array that a key holds.
    pub fn list(self, key: &str) -> impl DoubleEndedIterator<Item = JsonNode<'t>> {
        self.get(key).into_iter().flat_map(JsonNode::items)
    }

    /// Its text, if it is a string.
    #[must_use]
    pub fn text(self) -> Option<Cow<'t, str>> {
        self.literal()
            .map(|literal| decode_literal(literal.slice(self.bytes)))
    }

    /// Its literal, if it is a string.
    #[must_use]
    pub fn literal(self) -> Option<Span> {
        (self.kind() == JsonKind::String).then(|| self.span())
    }

    /// The literal of the string that a key holds.
    #[must_use]
    pub fn literal_at(self, key: &str) -> Option<Span> {
        self.get(key)?.literal()
    }

    /// Whether it is of this kind.
    #[must_use]
    pub fn is(self, kind: JsonKind) -> bool {
        self.kind() == kind
    }

    /// It, if it is of this kind.
    ///
    /// # Errors
    /// What it is instead; `place` names it.
    pub fn must_be(self, kind: JsonKind, place: &str) -> Result<JsonNode<'t>> {
        if self.is(kind) {
            Ok(self)
        } else {
            Err(self.wrong(place, kind.noun()))
        }
    }

    /// The error that it is something else than wanted.
    #[must_use]
    pub fn wrong(self, place: &str, wanted: &str) -> RecordError {
        RecordError::at(
            self.span().start,
            format!("{place} is {}, it must be {wanted}", self.kind().noun()),
        )
    }

    /// The error that a key is missing; `place` names it.
    #[must_use]
    pub fn missing(self, place: &str) -> RecordError {
        RecordError::at(self.span().start, format!("{place} is missing"))
    }
}

/// Whether a key's literal reads so.
fn name_is(literal: &[u8], name: &str) -> bool {
    let (inner, name_bytes) = (&literal[1..literal.len() - 1], name.as_bytes());
    if inner.len() <= name_bytes.len() {
        return inner == name_bytes;
    }
    // It is longer where something in it is escaped: then it begins alike, or with an escape.
    let first = inner.first();
    (first == name_bytes.first() || first == Some(&b'\\'))
        && inner.contains(&b'\\')
        && decode_literal(literal) == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_key_and_place() {
        let json = br#"{"a": [1, {"\u0062": "x\ny"}], "a": [[], {"b": "z"}], "n": null}"#;
        let tree = JsonTree::new(json).unwrap();
        let root = tree.root();
        assert_eq!(tree.duplicate_key.as_deref(), Some("a"));
        assert_eq!(
            root.list("a")
                .filter_map(|item| item.get("b")?.text())
                .collect::<Vec<_>>(),
            ["z"]
        );
        let first = root.entries().next().unwrap().1;
        assert_eq!(
            first
                .items()
                .nth(1)
                .unwrap()
                .at(&["b"])
                .unwrap()
                .text()
                .unwrap(),
            "x\ny"
        );
        assert!(root.has("n") && root.get("n").unwrap().is(JsonKind::Null) && !root.has("b"));
        assert_eq!(
            first.must_be(JsonKind::Object, "a").unwrap_err().reason,
            "a is an array, it must be an object"
        );
        assert!(JsonTree::new(b"{\"a\": 1} x").is_err());
    }

    #[test]
    fn of_many_numbers_the_first_are_kept_and_of_all_else_everything() {
        let json = format!("[{}\"a\", {{}}, [], 2, null]", "1, ".repeat(1000));
        let tree = JsonTree::new(json.as_bytes()).unwrap();
        let kinds: Vec<JsonKind> = tree.root().items().map(JsonNode::kind).collect();
        assert_eq!(kinds[..MOST_NUMBERS], [JsonKind::Number; MOST_NUMBERS]);
        assert_eq!(
            kinds[MOST_NUMBERS..],
            [JsonKind::String, JsonKind::Object, JsonKind::Array]
        );
    }
}

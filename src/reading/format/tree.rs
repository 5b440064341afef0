//! A record as a tree of spans, for detection and for readers that look at nested values more than
//! once. Strings and numbers stay undecoded until they are asked for.

#[cfg(test)]
use crate::reading::format::asked_values::{note_asked, note_whole};
use crate::reading::transcript::prelude::*;

type Result<T> = std::result::Result<T, RecordError>;

/// The place of an object in a journal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct EventPlace {
    /// Index of the record.
    pub(crate) record: usize,
    /// The span of the object in the record.
    pub(crate) span: Span,
}

impl EventPlace {
    pub(crate) fn new(record: usize, span: Span) -> Self {
        Self { record, span }
    }

    /// Returns the bytes of the object. `records` are all records of the journal.
    pub(crate) fn bytes<'r>(self, records: &[&'r [u8]]) -> &'r [u8] {
        self.span.slice(records[self.record])
    }

    /// Parses the object.
    pub(crate) fn tree<'r>(self, records: &[&'r [u8]]) -> Result<JsonTree<'r>> {
        JsonTree::parse(PlacedText { bytes: self.bytes(records), place: self, is_held: false })
    }
}

/// A JSON text with its place in a journal.
#[derive(Debug, Clone, Copy)]
struct PlacedText<'a> {
    bytes: &'a [u8],
    place: EventPlace,
    /// True if something else at the place holds it, such as a string: its values then have no
    /// places of their own.
    is_held: bool,
}

/// A parsed JSON text.
#[derive(Debug)]
pub(crate) struct JsonTree<'a> {
    text: PlacedText<'a>,
    root: JsonBranch,
    /// The first key that an object has twice.
    pub duplicate_key: Option<String>,
}

#[derive(Debug)]
struct JsonBranch {
    span: Span,
    kind: JsonKind,
    /// The members of an object, with the spans of their keys, or the elements of an array, with
    /// empty key spans.
    members: Vec<(Span, JsonBranch)>,
}

impl<'a> JsonTree<'a> {
    /// Parses one value with nothing but white space around it. Fails at the place where the text
    /// is not JSON.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self> {
        Self::of_record(bytes, 0)
    }

    /// The same for the text that is a record.
    pub(crate) fn of_record(bytes: &'a [u8], record: usize) -> Result<Self> {
        let place = EventPlace::new(record, Span::default());
        Self::parse(PlacedText { bytes, place, is_held: false })
    }

    /// The same for a text that is held by something else at a place.
    pub(crate) fn held_at(place: EventPlace, bytes: &'a [u8]) -> Result<Self> {
        Self::parse(PlacedText { bytes, place, is_held: true })
    }

    fn parse(text: PlacedText<'a>) -> Result<Self> {
        let mut scanner = Scanner::new(text.bytes);
        let root = parse_branch(&mut scanner)?;
        scanner.expect_end()?;
        Ok(Self { text, root, duplicate_key: scanner.duplicate_key().map(Cow::into_owned) })
    }

    /// Returns the outermost value.
    pub(crate) fn root(&self) -> JsonNode<'_> {
        JsonNode { text: &self.text, branch: &self.root }
    }
}

/// The most numbers, booleans and nulls that are kept of one array. A list of token ids can be as
/// long as the record, and no reader looks at more than the first of them.
const MAX_SCALARS: usize = 64;

fn parse_branch(scanner: &mut Scanner<'_>) -> Result<JsonBranch> {
    let kind = scanner.peek_kind()?;
    let (mut members, mut scalars) = (Vec::new(), 0);
    let span = match kind {
        JsonKind::Object => scanner.read_object_with_key_spans(|s, key| {
            members.push((key, parse_branch(s)?));
            Ok(())
        })?,
        JsonKind::Array => scanner.read_array(|s| {
            let element = parse_branch(s)?;
            let is_scalar =
                matches!(element.kind, JsonKind::Number | JsonKind::Bool | JsonKind::Null);
            scalars += usize::from(is_scalar);
            if scalars <= MAX_SCALARS || !is_scalar {
                members.push((Span::default(), element));
            }
            Ok(())
        })?,
        _ => scanner.skip_value()?,
    };
    Ok(JsonBranch { span, kind, members })
}

/// A value of a [`JsonTree`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonNode<'t> {
    text: &'t PlacedText<'t>,
    branch: &'t JsonBranch,
}

impl<'t> JsonNode<'t> {
    /// Returns the byte range of the value in [`record_bytes`](Self::record_bytes).
    pub(crate) fn span(self) -> Span {
        self.branch.span
    }

    /// Returns the JSON type of the value.
    pub(crate) fn kind(self) -> JsonKind {
        self.branch.kind
    }

    /// Returns the place of the value in its journal.
    pub(crate) fn place(self) -> EventPlace {
        let PlacedText { place, is_held, .. } = *self.text;
        match is_held {
            true => place,
            false => EventPlace::new(place.record, self.span().shifted(place.span.start)),
        }
    }

    /// Returns the index of the record that holds the value.
    pub(crate) fn record_index(self) -> usize {
        self.text.place.record
    }

    /// Returns the bytes of the whole tree, to which all spans refer.
    pub(crate) fn record_bytes(self) -> &'t [u8] {
        self.text.bytes
    }

    /// Returns the bytes of the value.
    pub(crate) fn bytes(self) -> &'t [u8] {
        #[cfg(test)]
        note_whole(self.unasked_bytes());
        self.unasked_bytes()
    }

    /// The same, for those who do not read it.
    pub(super) fn unasked_bytes(self) -> &'t [u8] {
        self.span().slice(self.text.bytes)
    }

    /// Returns the value of a key. If the key occurs twice, the last value counts.
    pub(crate) fn get(self, key: &str) -> Option<JsonNode<'t>> {
        let value = self
            .members()
            .rfind(|(name, _)| key_equals(name.slice(self.text.bytes), key))
            .map(|(_, value)| value);
        #[cfg(test)]
        value.inspect(|value| note_asked(value.unasked_bytes()));
        value
    }

    /// Returns the value of a key. Fails if the key is missing.
    pub(crate) fn need(self, key: &str) -> Result<JsonNode<'t>> {
        self.need_at(key, key)
    }

    /// The same for a value of this kind.
    pub(crate) fn need_kind(self, key: &str, kind: JsonKind) -> Result<JsonNode<'t>> {
        self.need(key)?.must_be(kind, key)
    }

    /// The same for a value that errors call `path`. Fails if the key is missing.
    pub(crate) fn need_at(self, key: &str, path: &str) -> Result<JsonNode<'t>> {
        self.get(key).ok_or_else(|| self.missing_key(path))
    }

    /// Returns the decoded text of the string that a key holds.
    pub(crate) fn get_text(self, key: &str) -> Option<Cow<'t, str>> {
        self.get(key).and_then(JsonNode::as_text)
    }

    /// Returns the value below a sequence of keys.
    pub(crate) fn get_path(self, path: &[&str]) -> Option<JsonNode<'t>> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Returns the value of a key if it is of this kind.
    pub(crate) fn get_kind(self, key: &str, kind: JsonKind) -> Option<JsonNode<'t>> {
        self.get(key).filter(|value| value.is_kind(kind))
    }

    /// Returns true if the object has this key.
    pub(crate) fn has_key(self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Returns true if a key holds this text.
    pub(crate) fn has_text(self, key: &str, text: &str) -> bool {
        self.get(key).and_then(JsonNode::as_text).is_some_and(|value| value == text)
    }

    /// Returns the text of a string.
    pub(crate) fn text_bytes(self) -> Option<Cow<'t, [u8]>> {
        let literal = self.as_literal()?.slice(self.text.bytes);
        let inner = &literal[1..literal.len() - 1];
        Some(match memchr::memchr(b'\\', inner) {
            None => Cow::Borrowed(inner),
            Some(_) => Cow::Owned(decode_literal(literal).into_owned().into_bytes()),
        })
    }

    /// Returns true if a key holds `true`.
    pub(crate) fn has_true(self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.bytes() == b"true")
    }

    /// Returns the keys (spans of their literals) and values of an object. Other values have none.
    pub(crate) fn entries(self) -> impl DoubleEndedIterator<Item = (Span, JsonNode<'t>)> {
        #[cfg(test)]
        self.members().for_each(|(_, value)| note_asked(value.unasked_bytes()));
        self.members()
    }

    /// The same, for those who ask for none of the values.
    pub(super) fn members(self) -> impl DoubleEndedIterator<Item = (Span, JsonNode<'t>)> {
        self.members_if(JsonKind::Object)
            .map(move |(key, branch)| (*key, JsonNode { text: self.text, branch }))
    }

    /// Returns the entries of these keys, as JSON with commas between them.
    pub(crate) fn entries_json(self, keys: &[&str]) -> Vec<u8> {
        let entries = keys.iter().filter_map(|key| {
            Some(fill_json(r#""$": $"#, &[key.as_bytes(), self.get(key)?.bytes()]))
        });
        entries.collect::<Vec<_>>().join(b", ".as_slice())
    }

    /// Returns the elements of an array. Other values have none, and long arrays of numbers only
    /// have the first.
    pub(crate) fn items(self) -> impl DoubleEndedIterator<Item = JsonNode<'t>> {
        self.members_if(JsonKind::Array)
            .map(move |(_, branch)| JsonNode { text: self.text, branch })
    }

    /// Returns an element of an array.
    pub(crate) fn item(self, index: usize) -> Option<JsonNode<'t>> {
        let (_, branch) = self.members_if(JsonKind::Array).as_slice().get(index)?;
        Some(JsonNode { text: self.text, branch })
    }

    /// Returns the number of elements of an array.
    pub(crate) fn item_count(self) -> usize {
        self.members_if(JsonKind::Array).len()
    }

    /// Returns the number of elements of an array that end before a byte of the record.
    pub(crate) fn items_before(self, byte: usize) -> usize {
        let elements = self.members_if(JsonKind::Array).as_slice();
        elements.partition_point(|(_, element)| element.span.end <= byte)
    }

    fn members_if(self, kind: JsonKind) -> std::slice::Iter<'t, (Span, JsonBranch)> {
        let members: &'t [(Span, JsonBranch)] =
            if self.kind() == kind { &self.branch.members } else { &[] };
        members.iter()
    }

    /// Returns the elements of the array that a key holds.
    pub(crate) fn items_of(self, key: &str) -> impl DoubleEndedIterator<Item = JsonNode<'t>> {
        self.get(key).into_iter().flat_map(JsonNode::items)
    }

    /// Returns the decoded text of a string.
    pub(crate) fn as_text(self) -> Option<Cow<'t, str>> {
        self.as_literal().map(|literal| decode_literal(literal.slice(self.text.bytes)))
    }

    /// Returns the text of the string that a key holds, unless it is empty.
    pub(crate) fn non_empty_text(self, key: &str) -> Option<String> {
        self.get(key)?.as_non_empty_text()
    }

    /// Returns the decoded text of a string, unless it is empty.
    pub(crate) fn as_non_empty_text(self) -> Option<String> {
        self.as_text().filter(|text| !text.is_empty()).map(Cow::into_owned)
    }

    /// Returns the value as an unsigned integer, if it is spelled as such.
    pub(crate) fn as_u64(self) -> Option<u64> {
        std::str::from_utf8(self.bytes()).ok()?.parse().ok()
    }

    pub(crate) fn as_literal(self) -> Option<Span> {
        (self.kind() == JsonKind::String).then(|| self.span())
    }

    /// Returns the span of the string literal that a key holds.
    pub(crate) fn literal_at(self, key: &str) -> Option<Span> {
        self.get(key)?.as_literal()
    }

    /// Returns the bytes of the string literal that a key holds.
    pub(crate) fn literal_bytes(self, key: &str) -> Option<&'t [u8]> {
        self.literal_at(key).map(|literal| literal.slice(self.text.bytes))
    }

    /// Returns the bytes of the string literal that a key holds, or those of an empty one.
    pub(crate) fn literal_or_empty(self, key: &str) -> &'t [u8] {
        self.literal_bytes(key).unwrap_or(b"\"\"")
    }

    /// Returns the literal of a string, or that of the JSON of any other value.
    pub(crate) fn text_literal(self) -> Vec<u8> {
        match self.kind() {
            JsonKind::String => self.bytes().to_vec(),
            _ => encode_wtf8_literal(self.bytes()),
        }
    }

    /// Returns the bytes of the value that a key holds, or `null`.
    pub(crate) fn bytes_or_null(self, key: &str) -> &'t [u8] {
        self.get(key).map_or(b"null", JsonNode::bytes)
    }

    /// Returns true if the value is of this kind.
    pub(crate) fn is_kind(self, kind: JsonKind) -> bool {
        self.kind() == kind
    }

    /// Returns the value if it is of this kind. The error calls it `path` and names its actual
    /// kind.
    pub(crate) fn must_be(self, kind: JsonKind, path: &str) -> Result<JsonNode<'t>> {
        if self.is_kind(kind) { Ok(self) } else { Err(self.wrong_kind(path, kind.noun())) }
    }

    /// Returns the error that the value is not of the expected kind. `path` names the value.
    pub(crate) fn wrong_kind(self, path: &str, expected: &str) -> RecordError {
        self.kind().wrong(self.span().start, path, expected)
    }

    /// Returns the error that a key is missing. `path` names the key.
    pub(crate) fn missing_key(self, path: &str) -> RecordError {
        RecordError::at(self.span().start, format!("{path} is missing"))
    }
}

/// Returns true if the literal of a key decodes to `name`.
pub(crate) fn key_equals(literal: &[u8], name: &str) -> bool {
    let (inner, name_bytes) = (&literal[1..literal.len() - 1], name.as_bytes());
    if inner.len() <= name_bytes.len() {
        return inner == name_bytes;
    }
    // A literal longer than the name can only be equal if it has escapes. It then begins with the
    // same byte or with an escape.
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
        let found = root.items_of("a").filter_map(|item| item.get("b")?.as_text());
        assert_eq!(found.collect::<Vec<_>>(), ["z"]);
        let first = root.entries().next().unwrap().1;
        let escaped = first.items().nth(1).unwrap().get_path(&["b"]).unwrap();
        assert_eq!(escaped.as_text().unwrap(), "x\ny");
        assert!(root.get_kind("n", JsonKind::Null).is_some() && !root.has_key("b"));
        let error = first.must_be(JsonKind::Object, "a").unwrap_err();
        assert_eq!(error.reason, "a is an array, it must be an object");
        assert!(JsonTree::new(b"{\"a\": 1} x").is_err());
    }

    #[test]
    fn long_arrays_keep_the_first_numbers_and_all_other_elements() {
        let json = format!("[{}\"a\", {{}}, [], 2, null]", "1, ".repeat(1000));
        let tree = JsonTree::new(json.as_bytes()).unwrap();
        let kinds: Vec<JsonKind> = tree.root().items().map(JsonNode::kind).collect();
        assert_eq!(kinds[..MAX_SCALARS], [JsonKind::Number; MAX_SCALARS]);
        assert_eq!(kinds[MAX_SCALARS..], [JsonKind::String, JsonKind::Object, JsonKind::Array]);
    }
}
